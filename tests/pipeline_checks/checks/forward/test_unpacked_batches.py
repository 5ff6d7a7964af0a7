"""Batches that are taken apart in another form than they have."""

import pytest

from tdebug.pipeline_checks.checks.unpacked_batches import unpacked_mapping, unpacked_wrongly
from tdebug.pipeline_checks.facts import ExceptionFact, TrainingFacts
from tdebug.pipeline_checks.facts.batches import LeafFact
from tdebug.pipeline_checks.facts.training import FailureFact
from tdebug.pipeline_checks.report import Location, Stage

TRAINING = TrainingFacts(style="compute_loss")


def failure(kind, text, paths, code="x, y = batch"):
    frame = Location("case.py", 3, "compute_loss", code)
    error = ExceptionFact(kind, text, (kind,), (frame,), (frame,))
    leaves = tuple(LeafFact(path, "Tensor", (4, 2), "float32") for path in paths)
    return FailureFact(Stage.FORWARD, 0, error, inputs=leaves)


def test_keys_of_a_dict_are_told_from_its_values():
    found = failure("TypeError", "must be Tensor, not str", ['["image"]', '["label"]'])

    cause, hint = unpacked_mapping(found, TRAINING, None)
    assert "takes its keys 'image' and 'label'" in cause
    assert 'batch["image"] and batch["label"]' in hint


def test_a_batch_that_holds_text_may_be_where_the_text_is_from():
    found = failure("TypeError", "must be Tensor, not str", ['["image"]', '["label"]'])
    text = LeafFact('["path"][0]', "str", example="a.png")
    found = FailureFact(Stage.FORWARD, 0, found.error, inputs=(*found.inputs, text))

    assert unpacked_mapping(found, TRAINING, None) is None


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("too many values to unpack (expected 2)", ["[0]", "[1]", "[2]"]),
        ("not enough values to unpack (expected 4, got 3)", ["[0]", "[1]", "[2]"]),
    ],
)
def test_all_entries_of_a_batch_are_named(text, paths):
    cause, hint = unpacked_wrongly(failure("ValueError", text, paths), TRAINING, None)

    assert "the batch has 3 entries" in cause
    assert "batch[2] [4, 2] float32" in hint


@pytest.mark.parametrize("code", ["b, c = x.shape", "a, b = split(x)"])
def test_other_things_that_are_taken_apart_are_not_the_batch(code):
    text = "too many values to unpack (expected 2)"
    found = failure("ValueError", text, ["[0]", "[1]", "[2]"], code)

    assert unpacked_wrongly(found, TRAINING, None) is None
