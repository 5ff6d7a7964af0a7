"""Steps with gradients that a GradScaler scaled: found by the gradients, whatever the loop."""

import pytest
import torch
from torch import nn

from tdebug.pipeline_checks.observe.step_calls import StepCallWatch

X, Y = torch.ones(4, 2), torch.zeros(4, 1)


class Loop:
    """A model with its optimizer and scaler, and what a batch of a loop over them steps with."""

    def __init__(self, code, kind=torch.optim.SGD, **scaler):
        self.code = code
        self.model = nn.Linear(2, 1)
        self.optimizer = kind(self.model.parameters(), lr=1e-3)
        self.scaler = torch.amp.GradScaler("cpu", **scaler)

    @property
    def loss(self):
        return nn.functional.mse_loss(self.model(X), Y)

    def factors(self, batch, optimizers=()):
        watch = StepCallWatch(
            self.code, optimizers or [self.optimizer], lambda _: None, lambda: None
        )
        with watch:
            for _ in range(2):
                watch.begin_batch()
                batch()
        return [call.factor for call in watch.calls if call.call == "step"]


@pytest.fixture
def loop(code):
    return Loop(code)


def test_a_plain_step_after_a_scaled_backward_holds_the_factor(loop):
    def batch():
        loop.optimizer.zero_grad()
        loop.scaler.scale(loop.loss).backward()
        loop.optimizer.step()

    assert loop.factors(batch) == [65536]


def test_clipping_takes_no_factor_out(loop):
    def batch():
        loop.scaler.scale(loop.loss).backward()
        nn.utils.clip_grad_norm_(loop.model.parameters(), 1.0)
        loop.optimizer.step()

    assert loop.factors(batch) == [65536]


def test_sums_and_means_of_scaled_losses_are_followed(loop):
    def batch():
        ((loop.scaler.scale(loop.loss) + loop.scaler.scale(loop.loss)) / 2).backward()
        loop.optimizer.step()

    assert loop.factors(batch) == [65536]


def test_a_list_of_scaled_losses_is_followed(loop):
    def batch():
        torch.autograd.backward(loop.scaler.scale([loop.loss, loop.loss]))
        loop.optimizer.step()

    assert loop.factors(batch) == [65536]


def test_the_scaler_s_own_step_is_right(loop):
    def batch():
        loop.scaler.scale(loop.loss).backward()
        loop.scaler.step(loop.optimizer)
        loop.scaler.update()

    assert loop.factors(batch) == []


def test_unscaled_gradients_are_right(loop):
    def batch():
        loop.scaler.scale(loop.loss).backward()
        loop.scaler.unscale_(loop.optimizer)
        loop.optimizer.step()
        loop.scaler.update()

    assert loop.factors(batch) == [None]


def test_gradients_unscaled_by_hand_are_right(loop):
    def batch():
        loop.scaler.scale(loop.loss).backward()
        for parameter in loop.model.parameters():
            parameter.grad /= loop.scaler.get_scale()
        loop.optimizer.step()

    assert loop.factors(batch) == [None]


def test_a_scaled_loss_that_is_only_shown_scales_nothing(loop):
    def batch():
        loss = loop.loss
        loop.scaler.scale(loss)
        loss.backward()
        loop.optimizer.step()

    assert loop.factors(batch) == [None]


@pytest.mark.parametrize("options", [{"enabled": False}, {"init_scale": 1.0}])
def test_a_scaler_that_scales_nothing_is_right(code, options):
    loop = Loop(code, **options)

    def batch():
        loop.scaler.scale(loop.loss).backward()
        loop.optimizer.step()

    assert loop.factors(batch) == [None]


def test_gradients_made_anew_without_a_scale_are_right(loop):
    def batch():
        loop.scaler.scale(loop.loss).backward()
        loop.scaler.step(loop.optimizer)
        loop.scaler.update()
        loop.optimizer.zero_grad()
        loop.loss.backward()
        loop.optimizer.step()

    assert loop.factors(batch) == [None]


def test_an_optimizer_that_holds_the_scaler_is_right(code):
    class Prepared(torch.optim.SGD):
        """Hands its step to the scaler, in every second batch, as accelerate's do."""

        num_calls = 0

        def step(self, closure=None):
            self.num_calls += 1
            if self.num_calls % 2 == 0:
                loop.scaler.unscale_(self)
                super().step(closure)
                loop.scaler.update()

    loop = Loop(code, Prepared)

    def batch():
        loop.scaler.scale(loop.loss).backward()
        loop.optimizer.step()

    assert loop.factors(batch) == [None]
    assert loop.factors(lambda: [batch() for _ in range(3)]) == [None, None, None]


def test_only_the_optimizer_that_is_stepped_plainly_is_told(code):
    loop = Loop(code)
    other = torch.optim.Adam(loop.model.parameters(), lr=1e-3)

    def batch():
        loop.scaler.scale(loop.loss).backward()
        loop.scaler.step(loop.optimizer)
        loop.scaler.update()
        other.zero_grad()
        loop.scaler.scale(loop.loss).backward()
        other.step()

    assert loop.factors(batch, [loop.optimizer, other]) == [65536]


def test_the_scaler_is_put_back(loop):
    before = torch.amp.GradScaler.scale

    loop.factors(lambda: None)

    assert torch.amp.GradScaler.scale is before


def test_a_scaler_that_is_off_is_told(code):
    loop = Loop(code, enabled=False)
    watch = StepCallWatch(code, [loop.optimizer], lambda _: None, lambda: None)
    with watch:
        loop.scaler.scale(loop.loss).backward()

    assert (watch.scaled.was_off, watch.scaled.was_used) == (True, False)
