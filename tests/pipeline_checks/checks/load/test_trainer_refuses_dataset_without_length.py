import pytest

from tdebug.pipeline_checks.checks.load.trainer_refuses_dataset_without_length import (
    trainer_refuses_dataset_without_length,
)
from tdebug.pipeline_checks.facts import ExceptionFact, LoadFacts
from tdebug.pipeline_checks.facts.load import PartFact, RefusedTrainer
from tdebug.pipeline_checks.report import Location

USER = Location("train.py", 30, "build_trainer", "return Trainer(...)")
CONSTRUCTOR = Location("transformers/trainer.py", 600, "__init__")
STREAM = RefusedTrainer("Stream", has_length=False, max_steps=-1, num_epochs=3.0)


def find(refused=STREAM, frames=(USER, CONSTRUCTOR), kind="ValueError", **others):
    error = ExceptionFact(kind, "any words", (kind,), frames=frames, user_frames=(USER,))
    parts = (PartFact("trainer", "build_trainer() of train.py", error=error), *others.values())
    return list(
        trainer_refuses_dataset_without_length(LoadFacts(parts=parts, refused_trainer=refused))
    )


def test_a_stream_with_epochs_is_told_to_set_max_steps():
    [problem] = find()

    assert "num_train_epochs=3" in problem.message
    assert "Stream" in problem.message
    assert "max_steps" in problem.hint
    assert problem.location == USER


def test_the_dataset_part_tells_it_too():
    dataset = PartFact("dataset", type="Lines", has_length=False)

    [problem] = find(refused=None, dataset=dataset)

    assert "(Lines)" in problem.message


@pytest.mark.parametrize(
    "other",
    [
        {"refused": RefusedTrainer("Rows", has_length=True)},
        {"refused": RefusedTrainer("Stream", has_length=False, max_steps=100)},
        {"refused": None},
        {"frames": (USER,)},
        {"kind": "TypeError"},
    ],
)
def test_other_reasons_of_the_trainer_to_refuse_are_left_alone(other):
    assert not find(**other)
