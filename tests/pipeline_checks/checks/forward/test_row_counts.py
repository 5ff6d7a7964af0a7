from dataclasses import replace

import pytest

from tdebug.pipeline_checks.checks.row_counts import explain_rows
from tdebug.pipeline_checks.facts import ModelFacts
from tdebug.pipeline_checks.facts.batches import LeafFact
from tdebug.pipeline_checks.facts.model import LayerFact


@pytest.fixture
def explain(loss_call, failing):
    def explained(output, target, *inputs, layers=(), function="cross_entropy", **more):
        named = [(f"[{n}]", shape) for n, shape in enumerate(inputs)]
        training = failing(function, inputs=named)
        call = loss_call(function, output, target, value=None, **more)
        return explain_rows(call, training, ModelFacts("Net", layers=tuple(layers)))

    return explained


def recurrent(batch_first):
    return LayerFact("rnn", "LSTM", {"batch_first": batch_first, "input_size": 3})


def test_the_last_sample_taken_for_the_last_step(explain):
    text, hint = explain((10, 2), (4,), (4, 10, 3), (4,), layers=[recurrent(1)])
    assert text == ": 10 is dimension 1 of batch[0] [4, 10, 3], not its 4 samples"
    assert "out[:, -1]" in hint


def test_a_layer_that_reads_time_first_is_named(explain):
    _, hint = explain((10, 2), (4,), (4, 10, 3), (4,), layers=[recurrent(0)])
    assert "LSTM 'rnn' reads [time, batch, features]: build it with batch_first=True" in hint


def test_without_such_a_layer_the_dimension_is_named(explain):
    _, hint = explain((10, 2), (4,), (4, 10, 3), (4,))
    assert "keep the samples in dimension 0" in hint


def test_a_batch_that_was_padded_time_first(explain):
    text, hint = explain((10, 2), (4,), (10, 4), (4,), layers=[recurrent(1)])
    assert "the 4 samples stand second" in text
    assert "pad_sequence(..., batch_first=True)" in hint


def test_a_hidden_state_with_its_layers(explain):
    text, hint = explain((1, 4, 2), (4,), (4, 10, 3), (4,))
    assert text == ": the 4 samples stand second in the output"
    assert "h[-1]" in hint


def test_a_dimension_that_was_merged_into_the_rows(explain):
    text, hint = explain((32, 2), (4,), (4, 8, 3), (4,))
    assert text == ": 32 rows against 4, 8 for each sample, dimension 1 of batch[0] [4, 8, 3]"
    assert "x.flatten(1)" in hint


def test_a_view_that_cuts_each_sample_into_rows(explain):
    text, _ = explain((12, 2), (4,), (4, 30), (4,))
    assert text == ": 12 rows against 4, 3 for each sample"


def test_an_argmax_over_the_samples(explain):
    text, hint = explain((4, 3), (3,), (4, 8), (4, 3))
    assert "3 targets for 4 rows, one for each of the 3 classes" in text
    assert "argmax(1), not argmax(0)" in hint


def test_flattened_flags_are_no_class_ids(loss_call, failing):
    training = failing("cross_entropy")
    flags = LeafFact('["labels"]', "Tensor", (4, 3), "int64", min=0, max=1)
    failure = replace(training.failures[0], inputs=(flags,))
    call = loss_call("cross_entropy", (4, 3), (12,), value=None)
    text, hint = explain_rows(call, replace(training, failures=(failure,)), None)
    assert 'batch["labels"] [4, 3] holds a 0 or 1' in text
    assert "argmax(-1)" in hint


@pytest.mark.parametrize(
    ("output", "target", "inputs"),
    [
        ((14, 30), (12,), [(4, 7), (4, 6)]),
        ((4, 2), (4,), [(4, 10, 3)]),
        ((), (4,), [(4, 10, 3)]),
        ((3, 2), (4,), [(4, 10, 3)]),
    ],
)
def test_what_the_sizes_do_not_tell_is_left_alone(explain, output, target, inputs):
    assert explain(output, target, *inputs, function="mse_loss") is None


def test_outputs_of_a_regression_are_told_likewise(explain):
    text, _ = explain((10, 1), (4, 1), (4, 10, 3), function="mse_loss", target_dtype="float32")
    assert ": 10 is dimension 1" in text
