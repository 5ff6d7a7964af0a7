import copy
import warnings

import pytest
import torch
from torch import nn
from torch.optim import lr_scheduler

from tdebug.pipeline_checks.observe.optimizer import look_at_optimizers
from tdebug.pipeline_checks.observe.schedule import NUM_SIMULATED, try_schedule
from tdebug.pipeline_checks.pipeline import Pipeline


@pytest.fixture
def model():
    return nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))


def look(model, optimizer, precision="fp32", **more):
    return look_at_optimizers(Pipeline(model=model, optimizer=optimizer, **more), precision)


def test_groups_are_told_with_their_numbers(model):
    groups = [{"params": model[0].parameters(), "lr": 0.5}, {"params": model[1].parameters()}]

    [fact] = look(model, torch.optim.AdamW(groups, lr=0.1, eps=1e-6)).optimizers

    assert (fact.type, [group.lr for group in fact.groups]) == ("AdamW", [0.5, 0.1])
    assert fact.groups[0].numbers["eps"] == 1e-6
    assert [group.num_tensors for group in fact.groups] == [2, 2]
    assert fact.dtypes == ("float32",)


def test_trainable_parameters_that_no_optimizer_holds_are_told(model):
    facts = look(model, torch.optim.SGD(model[0].parameters(), lr=0.1))

    assert facts.missing == ("1.weight", "1.bias")
    assert facts.num_trainable == 4


def test_two_optimizers_may_share_the_model(model):
    facts = look(model, [torch.optim.SGD(layer.parameters(), lr=0.1) for layer in model])

    assert (facts.missing, len(facts.optimizers)) == ((), 2)


def test_frozen_parameters_are_not_missing_and_are_told_where_held(model):
    model[1].requires_grad_(requires_grad=False)

    facts = look(model, torch.optim.SGD(model.parameters(), lr=0.1))

    assert facts.missing == ()
    assert facts.optimizers[0].frozen == ("1.weight", "1.bias")


def test_parameters_of_another_model_are_foreign_but_not_those_of_the_loss(model):
    other, loss = nn.Linear(3, 3), nn.Linear(4, 4)

    [foreign] = look(model, torch.optim.SGD(other.parameters(), lr=0.1)).optimizers
    [own] = look(model, torch.optim.SGD(loss.parameters(), lr=0.1), loss=loss).optimizers

    assert (foreign.num_foreign, foreign.foreign_shapes) == (2, ((3, 3), (3,)))
    assert own.num_foreign == 0


def test_an_optimizer_that_chooses_its_own_rate_has_none(model):
    class OwnRate(torch.optim.SGD):
        def __init__(self, parameters):
            super().__init__(parameters, lr=0.1)
            self.param_groups[0]["lr"] = None

    [fact] = look(model, OwnRate(model.parameters())).optimizers

    assert fact.groups[0].lr is None


def test_precision_scaler_and_scheduler_are_told(model):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    facts = look(
        model,
        optimizer,
        "fp16",
        scaler=torch.amp.GradScaler("cpu"),
        scheduler=lr_scheduler.StepLR(optimizer, 10),
    )

    assert (facts.precision, facts.has_scaler, facts.scheduler) == ("fp16", True, "StepLR")


SCHEDULERS = {
    "LambdaLR": lambda o: lr_scheduler.LambdaLR(o, lambda step: min(1.0, step / 10)),
    "StepLR": lambda o: lr_scheduler.StepLR(o, 10),
    "OneCycleLR": lambda o: lr_scheduler.OneCycleLR(o, max_lr=0.5, total_steps=100),
    "CosineAnnealingWarmRestarts": lambda o: lr_scheduler.CosineAnnealingWarmRestarts(o, 10),
    "SequentialLR": lambda o: lr_scheduler.SequentialLR(
        o, [lr_scheduler.ConstantLR(o), lr_scheduler.ExponentialLR(o, 0.9)], [5]
    ),
    "ChainedScheduler": lambda o: lr_scheduler.ChainedScheduler(
        [lr_scheduler.ConstantLR(o), lr_scheduler.ExponentialLR(o, 0.9)]
    ),
}


def state_of(optimizer, scheduler):
    groups = [{k: v for k, v in g.items() if k != "params"} for g in optimizer.param_groups]
    attributes = {k: vars(optimizer)[k] for k in ("_step_count", "_opt_called")
                  if k in vars(optimizer)}  # fmt: skip
    return copy.deepcopy((groups, scheduler.state_dict(), attributes))


@pytest.mark.parametrize("name", SCHEDULERS)
@pytest.mark.filterwarnings("ignore")  # of torch, while the schedulers are made
def test_a_scheduler_is_simulated_and_left_untouched(model, name):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    scheduler = SCHEDULERS[name](optimizer)
    before = state_of(optimizer, scheduler)

    rates = try_schedule(scheduler).first_rates

    assert (len(rates), len(set(rates)) > 1) == (NUM_SIMULATED, True)
    assert state_of(optimizer, scheduler) == before


def test_a_rate_that_is_a_tensor_is_put_back(model):
    optimizer = torch.optim.Adam(model.parameters(), lr=torch.tensor(0.1), foreach=False)
    rate = optimizer.param_groups[0]["lr"]
    scheduler = lr_scheduler.ExponentialLR(optimizer, 0.5)

    rates = try_schedule(scheduler).first_rates

    assert rates[:2] == (pytest.approx(0.1), pytest.approx(0.05))
    assert optimizer.param_groups[0]["lr"] is rate
    assert float(rate) == pytest.approx(0.1)


def test_the_order_of_step_and_scheduler_is_still_warned_of_afterwards(model):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = lr_scheduler.StepLR(optimizer, 10)

    try_schedule(scheduler)

    with pytest.warns(UserWarning, match="lr_scheduler.step"):
        scheduler.step()


def test_simulating_warns_of_nothing(model):
    scheduler = lr_scheduler.StepLR(torch.optim.SGD(model.parameters(), lr=0.1), 10)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try_schedule(scheduler)


def test_what_cannot_be_simulated_is_not(model):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    class Own:
        def step(self):
            raise AssertionError("a scheduler that is not torch's is not called")

    assert try_schedule(None).first_rates == try_schedule(Own()).first_rates == ()
    assert try_schedule(lr_scheduler.ReduceLROnPlateau(optimizer)).first_rates == ()


def test_a_schedule_that_raises_is_told_with_its_step(model):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = lr_scheduler.LambdaLR(optimizer, lambda step: [1.0, 0.5][step])

    facts = look(model, optimizer, scheduler=scheduler)

    assert facts.schedules[0].raises_at == 2
    assert facts.schedules[0].error == "IndexError: list index out of range"
    assert facts.scheduled_lrs == ()
    assert scheduler.last_epoch == 0


@pytest.mark.filterwarnings("ignore")  # of torch, while the scheduler is made
def test_what_a_schedule_says_of_its_length_is_told(model):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    schedulers = [
        lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=70),
        lr_scheduler.CosineAnnealingLR(optimizer, 9),
        lr_scheduler.LambdaLR(optimizer, lambda step: max(0.0, 1 - step / 20)),
    ]

    first, second, third = look(model, optimizer, scheduler=schedulers).schedules

    assert (first.limit, second.half_period, third.gone_from) == (70, 9, 20)
    assert first.num_steps is None
