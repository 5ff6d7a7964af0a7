from tdebug.pipeline_checks.checks.dataset.none_sample import none_sample
from tdebug.pipeline_checks.facts import BatchFacts, ExceptionFact, LoaderFacts, SampleFacts
from tdebug.pipeline_checks.facts.batches import BatchFact
from tdebug.pipeline_checks.report import Severity

BAD = SampleFacts("Rows", 16, 16, none_indices=(9,))
USER = LoaderFacts(collate_kind="user")


def test_a_sample_that_is_none_is_named():
    [problem] = none_sample(BAD, LoaderFacts(), None)

    assert problem.message == "__getitem__ returns None for 1 of 16 samples that were read."
    assert problem.where == "dataset[9] is None"
    assert problem.severity is None


def test_all_samples_that_are_none_are_counted_and_a_few_named():
    many = SampleFacts("Rows", 300, 300, none_indices=tuple(range(20)), num_none=250)

    [problem] = none_sample(many, LoaderFacts(), None)

    assert "None for 250 of 300 samples" in problem.message
    assert problem.where.endswith("dataset[4] and 245 more are None")


def test_it_is_an_info_where_the_users_collate_function_copes():
    good = BatchFacts((BatchFact(2, (8, 9), 2),))

    [problem] = none_sample(BAD, USER, good)

    assert problem.severity is Severity.INFO


def test_it_is_an_error_where_the_users_collate_function_does_not():
    failed = BatchFacts((BatchFact(2, (8, 9), 2, error=ExceptionFact("TypeError", "x")),))

    [problem] = none_sample(BAD, USER, failed)

    assert problem.severity is None


def test_samples_that_are_there_are_no_problem():
    assert not list(none_sample(SampleFacts("Rows", 16, 16), LoaderFacts(), None))
