from dataclasses import replace

import pytest

from tdebug.pipeline_checks.checks import Undecided
from tdebug.pipeline_checks.checks.step.scaled_gradients_stepped import scaled_gradients_stepped
from tdebug.pipeline_checks.facts import TrainingFacts
from tdebug.pipeline_checks.facts.training import LossFact
from tdebug.pipeline_checks.report import Stage


def scaled(loop, *batches):
    step = loop(*batches)
    calls = tuple(
        tuple(replace(call, factor=65536.0) if call.call == "step" else call for call in batch)
        for batch in step.calls
    )
    return replace(step, calls=calls)


def test_plain_steps_with_scaled_gradients_are_found(loop, optimizers):
    (problem,) = scaled_gradients_stepped(scaled(loop, "zb", "zbs", "zbs"), optimizers(), None)

    assert "still hold the GradScaler's scale, 65536" in problem.message
    assert "(2 steps). The weights move 65536 times too far." in problem.message
    assert (problem.where, problem.location.line) == ("batch 1", 12)


def test_an_optimizer_that_divides_is_told_in_other_words(loop, optimizers):
    (problem,) = scaled_gradients_stepped(scaled(loop, "zbs"), optimizers("AdamW"), None)

    assert "AdamW divides by the gradients' own size" in problem.message


def test_it_comes_first_where_the_loss_is_nan_after_such_a_step(loop, optimizers):
    training = TrainingFacts(losses=(LossFact(0, "Tensor", (), value=float("nan")),))

    (problem,) = scaled_gradients_stepped(scaled(loop, "zbs"), optimizers(), training)

    assert problem.stage is Stage.FORWARD


def test_other_loops_are_fine(loop, optimizers):
    assert not list(scaled_gradients_stepped(loop("zbs", "zbS"), optimizers(), None))


def test_a_scaler_that_is_off_tells_nothing(loop, optimizers):
    with pytest.raises(Undecided):
        list(scaled_gradients_stepped(loop("zbs", scaler_is_off=True), optimizers(), None))
