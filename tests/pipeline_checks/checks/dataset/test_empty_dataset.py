from tdebug.pipeline_checks.checks.dataset.empty_dataset import empty_dataset
from tdebug.pipeline_checks.facts import BatchFacts, LoaderFacts, SampleFacts
from tdebug.pipeline_checks.facts.batches import BatchFact
from tdebug.pipeline_checks.report import Severity


def test_a_length_of_0_is_found():
    [problem] = empty_dataset(SampleFacts("Photos", length=0), None, None)

    assert problem.message == "the dataset (Photos) is empty: len(dataset) is 0."


def test_a_stream_that_gives_nothing_is_found():
    [problem] = empty_dataset(SampleFacts("Lines", is_iterable=True), None, None)

    assert "gave no sample" in problem.message
    assert "generator" in problem.hint


def test_fewer_samples_than_a_batch_are_lost_by_drop_last():
    loader = LoaderFacts(batch_size=8, drop_last=True, num_batches=0, num_samples=5)

    [problem] = empty_dataset(SampleFacts("Rows", length=5, num_read=5), loader, None)

    assert "5 samples with batch_size=8 and drop_last=True leave nothing" in problem.message
    assert "at most 5" in problem.hint


def test_an_empty_sampler_is_found():
    loader = LoaderFacts(sampler="SubsetRandomSampler", num_batches=0, num_samples=50)

    [problem] = empty_dataset(SampleFacts("Rows", length=50, num_read=50), loader, None)

    assert "SubsetRandomSampler" in problem.message


def test_a_loader_that_tdebug_made_is_never_the_subject():
    loader = LoaderFacts(is_made_up=True, num_batches=0)

    assert not list(empty_dataset(SampleFacts("Rows", length=5, num_read=5), loader, None))


def test_one_sample_is_enough():
    loader = LoaderFacts(batch_size=8, num_batches=1, num_samples=1)

    assert not list(empty_dataset(SampleFacts("Rows", length=1, num_read=1), loader, None))


def test_a_stream_that_is_used_up_after_one_pass_is_a_warning():
    stream = SampleFacts("Lines", num_read=32, is_iterable=True)

    [problem] = empty_dataset(stream, None, BatchFacts())

    assert "the first pass gave 32 samples, the second one none" in problem.message
    assert "anew in __iter__" in problem.hint
    assert problem.severity is Severity.WARNING
    assert not list(empty_dataset(stream, None, BatchFacts((BatchFact(0),))))
    assert not list(empty_dataset(stream, None, BatchFacts(was_cut=True)))
