import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from tdebug.pipeline_checks.observe.modules import ModuleWatch


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(4, 4), nn.Linear(4, 4)
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        return self.drop(self.first(x))


def run(model, code, forward, extra=None):
    watch = ModuleWatch(model, code, extra=extra)
    with watch:
        watch.begin_batch(0)
        forward()
    return watch


def num_global_hooks():
    module = nn.modules.module
    return len(module._global_forward_hooks) + len(module._global_forward_pre_hooks)


def test_what_ran_is_known_by_name(code):
    model = Encoder()

    watch = run(model, code, lambda: model(torch.ones(2, 4)))

    called = {watch.names[number] for number in watch.called}
    assert called == {"", "first", "drop"}
    assert watch.output.shape == (2, 4)


def test_the_hooks_are_gone_afterwards_also_after_an_exception(code):
    before, model = num_global_hooks(), Encoder()

    with pytest.raises(RuntimeError):
        run(model, code, lambda: model(torch.ones(2, 5)))

    assert num_global_hooks() == before


def test_the_innermost_module_is_known_when_it_raises(code):
    model = nn.Sequential(Encoder(), nn.Linear(4, 2))
    watch = ModuleWatch(model, code)

    with watch:
        try:
            model(torch.ones(2, 5))
        except RuntimeError:
            assert watch.innermost == ("0.first", model[0].first)
    watch.begin_batch(1)

    assert watch.innermost == (None, None)


def test_an_exception_that_the_model_swallows_leaves_no_module_at_work(code):
    class Careful(nn.Module):
        def __init__(self):
            super().__init__()
            self.risky = nn.Linear(3, 3)

        def forward(self, x):
            try:
                return self.risky(x)
            except RuntimeError:
                return x

    model = Careful()

    watch = run(model, code, lambda: model(torch.ones(2, 4)))

    assert watch.stack == watch.inputs == []


def test_a_module_that_is_not_registered_is_a_stranger_with_its_owner(code):
    class Hidden(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = [nn.Linear(4, 4)]

        def forward(self, x):
            return self.layers[0](x)

    model = nn.Sequential(Hidden())

    [stranger] = run(model, code, lambda: model(torch.ones(2, 4))).strangers.values()

    assert stranger.module is model[0].layers[0]
    assert stranger.owner is model[0]
    assert stranger.location.function == "forward"


def test_losses_and_modules_outside_the_model_are_no_strangers(code):
    model, loss = Encoder(), nn.Sequential(nn.Linear(4, 1))

    watch = run(model, code, lambda: loss(model(torch.ones(2, 4))), extra=loss)
    outside = run(model, code, lambda: nn.Linear(4, 1)(torch.ones(4)))

    assert watch.strangers == outside.strangers == {}


def test_a_module_without_parameters_is_no_stranger(code):
    class Squashed(nn.Module):
        def forward(self, x):
            return nn.ReLU()(x)

    model = Squashed()

    assert run(model, code, lambda: model(torch.ones(2))).strangers == {}


def test_a_part_under_no_grad_is_told_once_by_its_outermost_module(code):
    class Frozen(nn.Module):
        def __init__(self):
            super().__init__()
            self.body, self.head = nn.Sequential(nn.Linear(4, 4)), nn.Linear(4, 2)

        def forward(self, x):
            with torch.no_grad():
                x = self.body(x)
            return self.head(x)

    model = Frozen()

    [off] = run(model, code, lambda: model(torch.ones(2, 4))).grad_off.values()

    assert (off.module, off.cause, off.num_trainable) == ("body", "no_grad", 2)
    assert "self.body(x)" in off.location.code


def test_a_reentrant_checkpoint_is_told_apart_from_no_grad(code):
    model = nn.Sequential(nn.Linear(4, 4))

    watch = run(model, code, lambda: checkpoint(model, torch.ones(2, 4, requires_grad=True),
                                                use_reentrant=True))  # fmt: skip

    assert {off.cause for off in watch.grad_off.values()} == {"checkpoint"}


def test_a_frozen_part_under_no_grad_is_fine(code):
    model = Encoder().requires_grad_(requires_grad=False)

    def forward():
        with torch.no_grad():
            model(torch.ones(2, 4))

    assert run(model, code, forward).grad_off == {}


def modes_of(model, code, *batches):
    watch = ModuleWatch(model, code)
    with watch:
        for number, forward in enumerate(batches):
            watch.begin_batch(number)
            forward()
            watch.end_batch()
    return tuple(watch.eval_modules)


def test_modules_that_stay_in_eval_mode_are_told(code):
    model = Encoder().train()
    model.drop.eval()

    assert modes_of(model, code, lambda: model(torch.ones(2, 4))) == ("drop",)
    model.train()
    assert modes_of(model, code, lambda: model(torch.ones(2, 4))) == ()


def test_a_whole_model_in_eval_mode_is_told_first(code):
    model = Encoder()

    assert modes_of(model, code, lambda: model.eval()(torch.ones(2, 4))) == ("", "drop")


def test_a_model_left_in_eval_mode_by_a_later_batch_is_told(code):
    model = Encoder()

    def first():
        model(torch.ones(2, 4))
        model.eval()

    assert modes_of(model, code, first) == ()
    model.train()
    assert modes_of(model, code, first, lambda: model(torch.ones(2, 4))) == ("", "drop")


def test_an_evaluation_without_gradients_or_between_is_no_training_in_eval_mode(code):
    model = Encoder()

    @torch.no_grad()
    def evaluate():
        model.eval()(torch.ones(2, 4))

    def attack_and_train():
        model.eval()(torch.ones(2, 4))
        model.train()(torch.ones(2, 4))

    assert modes_of(model, code, evaluate, attack_and_train) == ()


def test_eval_mode_matters_only_to_what_it_changes(code):
    model = nn.Linear(2, 2).eval()

    assert modes_of(model, code, lambda: model(torch.ones(2))) == ()


def test_what_tdebug_runs_itself_is_not_noted(code):
    model = Encoder()
    watch = ModuleWatch(model, code)

    with watch, watch.paused(), torch.no_grad():
        model(torch.ones(2, 4))

    assert not watch.grad_off
    assert not watch.called
    assert not watch.stack
