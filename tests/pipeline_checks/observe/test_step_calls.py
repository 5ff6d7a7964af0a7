import functools

import pytest
import torch
from torch import nn
from torch.optim.lr_scheduler import LambdaLR, ReduceLROnPlateau, StepLR

from tdebug.pipeline_checks.observe.step_calls import StepCallWatch
from tdebug.pipeline_checks.report import Stage

X, Y = torch.ones(4, 2), torch.zeros(4, 1)


@pytest.fixture
def model():
    return nn.Linear(2, 1)


@pytest.fixture
def optimizer(model):
    return torch.optim.SGD(model.parameters(), lr=0.1)


@pytest.fixture
def watch_loop(code):
    def watch(optimizers, loop):
        looked = []
        watcher = StepCallWatch(code, optimizers, lambda _: None, lambda: looked.append(True))
        with watcher:
            watcher.begin_batch()
            loop()
        watcher.num_looked = len(looked)
        return watcher

    return watch


def loss_of(model):
    return nn.functional.mse_loss(model(X), Y)


def names(watcher):
    return [call.call for call in watcher.calls]


def test_a_plain_loop_is_noted_in_order_with_lines(watch_loop, model, optimizer):
    def loop():
        optimizer.zero_grad()
        loss_of(model).backward()
        optimizer.step()

    watcher = watch_loop([optimizer], loop)

    assert names(watcher) == ["zero_grad", "backward", "step"]
    assert watcher.num_looked == 1
    assert [call.location.code for call in watcher.calls] == [
        "optimizer.zero_grad()",
        "loss_of(model).backward()",
        "optimizer.step()",
    ]
    assert [call.had_gradients for call in watcher.calls] == [False, False, True]


def test_a_step_without_gradients_is_told(watch_loop, optimizer):
    def loop():
        optimizer.step()

    [call] = watch_loop([optimizer], loop).calls

    assert (call.call, call.had_gradients, call.subject) == ("step", False, 0)


def test_gradients_that_wait_from_before_are_told_at_backward(watch_loop, model, optimizer):
    loss_of(model).backward()

    def loop():
        loss_of(model).backward()
        optimizer.zero_grad(set_to_none=False)
        loss_of(model).backward()

    first, _, second = watch_loop([optimizer], loop).calls

    assert (first.had_gradients, second.had_gradients) == (True, False)


@pytest.mark.parametrize(
    "make",
    [lambda o: LambdaLR(o, lambda _: 1.0), lambda o: StepLR(o, 1)],
    ids=["lambda", "step"],
)
def test_a_scheduler_is_noted_and_its_own_first_step_is_not(watch_loop, model, optimizer, make):
    def loop():
        scheduler = make(optimizer)
        loss_of(model).backward()
        optimizer.step()
        scheduler.step()

    assert names(watch_loop([optimizer], loop)) == ["backward", "step", "scheduler"]


def test_a_scheduler_made_before_hides_no_step(watch_loop, model, optimizer):
    scheduler = StepLR(optimizer, 1)

    def loop():
        loss_of(model).backward()
        optimizer.step()
        scheduler.step()

    watcher = watch_loop([optimizer], loop)

    assert names(watcher) == ["backward", "step", "scheduler"]
    assert watcher.calls[1].subject == 0


def test_a_plateau_scheduler_is_noted(watch_loop, optimizer):
    scheduler = ReduceLROnPlateau(optimizer)

    assert names(watch_loop([optimizer], lambda: scheduler.step(1.0))) == ["scheduler"]


def test_the_steps_of_several_optimizers_are_told_apart(watch_loop, model):
    optimizers = [torch.optim.SGD([p], lr=0.1) for p in model.parameters()]
    for optimizer in optimizers:  # a scheduler puts `step` on the instance
        StepLR(optimizer, 1)

    def loop():
        loss_of(model).backward()
        optimizers[1].step()
        optimizers[0].step()

    assert [call.subject for call in watch_loop(optimizers, loop).calls] == [None, 1, 0]


def test_optimizers_of_two_classes_are_told_apart(watch_loop, model):
    optimizers = [
        torch.optim.SGD([model.weight], lr=0.1),
        torch.optim.Adam([model.bias], lr=0.1),
    ]

    def loop():
        optimizers[1].step()
        optimizers[0].step()

    assert [call.subject for call in watch_loop(optimizers, loop).calls] == [1, 0]


def test_a_scaler_is_noted_with_unscale_clip_step_and_update(watch_loop, model, optimizer):
    scaler = torch.amp.GradScaler("cpu", init_scale=4.0)

    def loop():
        scaler.scale(loss_of(model)).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()

    watcher = watch_loop([optimizer], loop)

    assert names(watcher) == ["backward", "unscale", "clip", "scaler_step", "update"]
    assert (watcher.calls[3].subject, watcher.calls[3].had_gradients) == (0, True)


def test_a_step_with_a_closure_says_so(watch_loop, model):
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=2)

    def closure():
        optimizer.zero_grad()
        loss = loss_of(model)
        loss.backward()
        return loss

    [call] = watch_loop([optimizer], lambda: optimizer.step(closure)).calls

    assert (call.call, call.has_closure) == ("step", True)


def test_zero_grad_of_the_model_counts(watch_loop, model, optimizer):
    loss_of(model).backward()

    def loop():
        model.zero_grad()

    [call] = watch_loop([optimizer], loop).calls

    assert (call.call, call.had_gradients) == ("zero_grad", True)


def test_torch_autograd_backward_counts_once(watch_loop, model, optimizer):
    watcher = watch_loop([optimizer], lambda: torch.autograd.backward(loss_of(model)))

    assert (names(watcher), watcher.num_looked) == (["backward"], 1)


def test_what_tdebug_runs_itself_is_not_noted(code, model, optimizer):
    watcher = StepCallWatch(
        code, [optimizer], lambda _: None, lambda: pytest.fail("nobody looks now")
    )

    with watcher, watcher.paused():
        loss_of(model).backward()
        optimizer.step()

    assert watcher.calls == []


def test_a_failure_belongs_to_the_section_in_which_it_happens(code, model, optimizer):
    watcher = StepCallWatch(code, [optimizer], lambda _: None, lambda: None)
    freed = loss_of(model)
    freed.backward()

    with watcher:
        assert watcher.section is Stage.FORWARD
        with pytest.raises(RuntimeError):
            freed.backward()
        assert watcher.section is Stage.BACKWARD
        watcher.begin_batch()
        assert watcher.section is Stage.FORWARD
        optimizer.step()
        assert watcher.section is Stage.STEP


def test_every_method_is_given_back_also_after_an_exception(code, model, optimizer):
    StepLR(optimizer, 1)
    owners = [torch.Tensor, torch.autograd, torch.optim.Optimizer, nn.Module, optimizer]
    before = [dict(vars(owner)) for owner in owners]

    with (
        pytest.raises(ZeroDivisionError),
        StepCallWatch(code, [optimizer], lambda _: None, lambda: None),
    ):
        raise ZeroDivisionError

    assert [dict(vars(owner)) for owner in owners] == before


def test_the_loss_is_handed_over_before_it_goes_back(code, model, optimizer):
    given = []

    def look(roots):
        given.append([float(root.detach()) for root in roots])
        watch.annotate(cut_by="detach")

    watch = StepCallWatch(code, [optimizer], look, lambda: None)
    with watch:
        loss_of(model).backward()
        torch.autograd.backward([loss_of(model), loss_of(model)])
        torch.autograd.backward(tensors=loss_of(model))

    assert [len(roots) for roots in given] == [1, 2, 1]
    assert {call.cut_by for call in watch.calls} == {"detach"}


def test_what_lightning_hands_on_for_no_closure_is_none(code, optimizer):
    def do_nothing_closure():
        return None

    wrapped = functools.partial(lambda _model, closure: closure(), nn.Linear(1, 1))
    watch = StepCallWatch(code, [optimizer], lambda _: None, lambda: None)
    with watch:
        optimizer.step(closure=functools.partial(wrapped, do_nothing_closure))
        optimizer.step(closure=functools.partial(wrapped, lambda: None))
        optimizer.step(do_nothing_closure)

    assert [call.has_closure for call in watch.calls] == [False, True, False]


def test_the_step_of_an_optimizer_that_only_waits_is_no_step(watch_loop, model, optimizer):
    class Accumulating(torch.optim.Optimizer):
        """Holds the true optimizer and steps it in every second call, as accelerate's does."""

        def __init__(self):
            self.optimizer, self.num_calls = optimizer, 0
            self.param_groups = optimizer.param_groups

        def step(self, closure=None):
            self.num_calls += 1
            if self.num_calls % 2 == 0:
                self.optimizer.step(closure)

    outer = Accumulating()

    def loop():
        for _ in range(2):
            loss_of(model).backward()
            outer.step()

    watcher = watch_loop([outer], loop)

    assert names(watcher) == ["backward", "backward", "step"]
    assert watcher.calls[-1].subject == 0
