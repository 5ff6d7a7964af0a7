import pytest

from tdebug.pipeline_checks.checks import Undecided
from tdebug.pipeline_checks.checks.collate.loader_not_shuffled import loader_not_shuffled
from tdebug.pipeline_checks.facts import BatchFacts, LoaderFacts, SampleFacts
from tdebug.pipeline_checks.facts.batches import BatchFact, LeafFact
from tdebug.pipeline_checks.facts.samples import FieldFact, KindCount, ShapeCount, ValueCount

SORTED = LoaderFacts(batch_size=8, sampler="SequentialSampler", is_shuffled=False)


def samples(*counts):
    values = tuple(ValueCount(i, count, i) for i, count in enumerate(counts))
    label = FieldFact(
        "[1]", (KindCount("int", 0, 90, 0),), (ShapeCount((), 90, (0,)),), values=values
    )
    return SampleFacts(
        "Rows", 90, 90, (KindCount("tuple", None, 90, 0),), (FieldFact("[0]"), label)
    )


def batches(*ranges, size=8):
    return BatchFacts(
        tuple(
            BatchFact(
                i,
                (),
                size,
                "tuple",
                (LeafFact("[1]", "Tensor", (size,), "int64", min=low, max=high),),
            )
            for i, (low, high) in enumerate(ranges)
        )
    )


def test_batches_of_a_single_class_are_counted():
    [problem] = loader_not_shuffled(
        batches((0, 0), (0, 0), (0, 1), (2, 2)), samples(30, 30, 30), SORTED, None
    )

    assert problem.message.startswith("3 of 4 batches hold a single class, though")
    assert "shuffle=True" in problem.hint


@pytest.mark.parametrize(
    ("made", "given", "loader"),
    [
        (batches((0, 2), (0, 1), (0, 2)), samples(30, 30, 30), SORTED),
        (batches((0, 0), (0, 0), (0, 0)), samples(85, 3, 2), SORTED),
        (batches((0, 0), (0, 0), (1, 1)), samples(30, 60), LoaderFacts(sampler="RandomSampler")),
        (
            batches((0, 0), (0, 0), (1, 1)),
            samples(30, 60),
            LoaderFacts(sampler="SequentialSampler", is_made_up=True),
        ),
    ],
)
def test_mixed_batches_rare_classes_and_other_loaders_are_no_problem(made, given, loader):
    assert not list(loader_not_shuffled(made, given, loader, None))


def test_tiny_batches_tell_nothing():
    with pytest.raises(Undecided):
        list(
            loader_not_shuffled(
                batches((0, 0), (1, 1), (2, 2), size=2), samples(45, 45), SORTED, None
            )
        )
