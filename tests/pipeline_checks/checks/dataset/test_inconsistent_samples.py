import pytest

from tdebug.pipeline_checks.checks import Undecided
from tdebug.pipeline_checks.checks.dataset.inconsistent_samples import inconsistent_samples
from tdebug.pipeline_checks.facts import BatchFacts, ExceptionFact, LoaderFacts, SampleFacts
from tdebug.pipeline_checks.facts.batches import BatchFact
from tdebug.pipeline_checks.facts.samples import FieldFact, KindCount, ShapeCount

PLAIN = LoaderFacts(batch_size=4, sampler="SequentialSampler")
FAILED = BatchFacts((BatchFact(3, error=ExceptionFact("RuntimeError", "x")),))


def samples(field):
    return SampleFacts("Folder", 20, 20, (KindCount("tuple", None, 20, 0),), (field,))


def image(*shapes):
    counts = tuple(ShapeCount(*shape) for shape in shapes)
    return samples(FieldFact("[0]", (KindCount("float32 tensor", 3, 20, 0),), counts, 20))


GREY = image(((3, 12, 12), 18, (0, 1)), ((1, 12, 12), 2, (13, 14)))


def test_grey_images_among_rgb_are_found_with_their_indices():
    [problem] = inconsistent_samples(GREY, PLAIN, None)

    assert "[3, 12, 12] in 18 samples and [1, 12, 12] in 2 samples" in problem.message
    assert problem.where == (
        "1 channel instead of 3 in dataset[13][0] and dataset[14][0] (2 of 20 samples)"
    )
    assert "RGB" in problem.hint


def test_two_dimensions_among_three_are_found():
    kinds = (
        KindCount("uint8 array", 3, 18, 0, "uint8"),
        KindCount("uint8 array", 2, 2, 7, "uint8"),
    )

    [problem] = inconsistent_samples(samples(FieldFact("[0]", kinds, count=20)), PLAIN, None)

    assert "uint8 array with 2 dimensions" in problem.message
    assert problem.values["indices"] == [7]


def test_none_among_numbers_is_found():
    kinds = (KindCount("int", 0, 17, 0), KindCount("None", None, 3, 4))

    [problem] = inconsistent_samples(samples(FieldFact("[1]", kinds, count=20)), PLAIN, None)

    assert "None in 3 samples" in problem.message


def test_a_field_that_some_samples_lack_is_found():
    field = FieldFact('["age"]', (KindCount("int", 0, 18, 0),), count=18, first_missing=6)

    [problem] = inconsistent_samples(samples(field), PLAIN, None)

    assert (
        problem.message == '["age"] is not alike in all samples: 18 samples have it and 2 do not.'
    )
    assert problem.where == "missing in dataset[6] (2 of 20 samples)"


def test_a_failed_batch_of_a_padding_collator_shows_it_too():
    loader = LoaderFacts(batch_size=4, collate_kind="transformers")

    assert list(inconsistent_samples(GREY, loader, FAILED))


def test_the_check_waits_for_the_loader():
    with pytest.raises(Undecided):
        list(inconsistent_samples(GREY, None, None))


@pytest.mark.parametrize(
    ("given", "loader"),
    [
        (GREY, LoaderFacts(batch_size=1, sampler="SequentialSampler")),
        (GREY, LoaderFacts(batch_size=4, sampler="BucketSampler")),
        (GREY, LoaderFacts(batch_size=4, sampler="RandomSampler", collate_kind="user")),
        (image(((3, 12, 12), 18, (0,)), ((3, 14, 12), 2, (3,))), PLAIN),
        (
            samples(
                FieldFact("[1]", (KindCount("int", 0, 9, 0), KindCount("float", 0, 9, 1)), count=20)
            ),
            PLAIN,
        ),
    ],
)
def test_differences_that_do_no_harm_are_left_alone(given, loader):
    assert not list(inconsistent_samples(given, loader, None))
