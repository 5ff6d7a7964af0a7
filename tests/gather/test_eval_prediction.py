"""Predictions and labels always, inputs and losses when asked."""

import pytest

from tdebug.gather import EvalPrediction


def test_it_unpacks_as_predictions_and_labels():
    predictions, labels = EvalPrediction([1], [2])

    assert (predictions, labels) == ([1], [2])


@pytest.mark.parametrize(
    ("asked_for", "parts"),
    [
        ({}, [1, 2]),
        ({"inputs": 3}, [1, 2, 3]),
        ({"losses": 4}, [1, 2, 4]),
        ({"inputs": 3, "losses": 4}, [1, 2, 3, 4]),
    ],
)
def test_it_is_the_tuple_of_what_was_asked_for(asked_for, parts):
    prediction = EvalPrediction(predictions=1, label_ids=2, **asked_for)

    assert list(prediction) == parts
    assert len(prediction) == len(parts)
    assert [prediction[i] for i in range(len(parts))] == parts
    assert prediction[-1] == parts[-1]
    assert prediction[:2] == (1, 2)


def test_an_index_past_the_end_is_refused():
    with pytest.raises(IndexError, match="tuple index out of range"):
        EvalPrediction(1, 2)[2]


def test_what_is_changed_is_what_is_unpacked():
    prediction = EvalPrediction([1], [2])

    prediction.predictions = [3]

    assert list(prediction) == [[3], [2]]


def test_empty_arrays_that_were_asked_for_are_there():
    assert list(EvalPrediction(1, 2, inputs=[])) == [1, 2, []]
