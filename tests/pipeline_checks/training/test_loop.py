"""The loop against the few lines that it stands for, written out."""

import copy
import math

import pytest
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.data import DataLoader, TensorDataset

from tdebug.pipeline_checks.training import (
    LoopArguments,
    TrainerCallback,
    TrainingLoop,
    TrainingParts,
)
from tdebug.pipeline_checks.training.loss_record import LossRecord


def make_model():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Dropout(0.2), nn.Linear(8, 3))


def make_batches(num=5):
    generator = torch.Generator().manual_seed(1)
    return [
        (
            torch.randn(6, 4, generator=generator),
            torch.randint(3, (6,), generator=generator),
        )
        for _ in range(num)
    ]


def loss_with(model):
    return lambda batch: nn.functional.cross_entropy(model(batch[0]).float(), batch[1])


def make_parts(model, batches=None, **parts):
    batches = make_batches() if batches is None else batches
    parts.setdefault("optimizer", torch.optim.AdamW(model.parameters(), lr=0.05))
    if "train_step" not in parts:
        parts.setdefault("forward_loss", loss_with(model))
    return TrainingParts(model, lambda: batches, **parts)


def run(parts, callbacks=(), **args):
    return TrainingLoop(parts, LoopArguments(**args), callbacks).run()


def assert_same(first, second):
    for (name, a), b in zip(first.state_dict().items(), second.state_dict().values(), strict=True):
        assert torch.equal(a, b), name


class Watcher(TrainerCallback):
    """Calls one function at one event."""

    def __init__(self, event, function):
        setattr(
            self, f"on_{event}", lambda args, state, control, **kwargs: function(state, control)
        )


def test_a_plain_loop_gives_the_same_bits():
    model, twin = make_model(), make_model()
    optimizer = torch.optim.AdamW(twin.parameters(), lr=0.05)
    expected = []
    torch.manual_seed(5)
    for _ in range(2):
        for batch in make_batches():
            optimizer.zero_grad()
            loss = loss_with(twin)(batch)
            loss.backward()
            optimizer.step()
            expected.append(loss.item())
    torch.manual_seed(5)
    outcome = run(make_parts(model), num_train_epochs=2)
    assert outcome.losses == expected
    assert (outcome.global_step, outcome.state.epoch, outcome.num_skipped) == (10, 2, 0)
    assert outcome.training_loss == pytest.approx(sum(expected) / 10)
    assert_same(model, twin)


def test_accumulation_clipping_and_scheduler_give_the_same_bits():
    model, twin = make_model(), make_model()
    optimizer = torch.optim.SGD(twin.parameters(), lr=0.5)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)
    expected = []
    torch.manual_seed(5)
    batches = make_batches()
    for group in (batches[:2], batches[2:4], batches[4:]):  # the last update has one batch only
        total = 0
        for batch in group:
            loss = loss_with(twin)(batch) / len(group)
            loss.backward()
            total += loss.detach()
        nn.utils.clip_grad_norm_(twin.parameters(), 0.1)
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()
        expected.append(total.item())
    torch.manual_seed(5)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)
    parts = make_parts(model, optimizer=optimizer, scheduler=scheduler)
    outcome = run(
        parts,
        gradient_accumulation_steps=2,
        max_grad_norm=0.1,
        logging_strategy="steps",
        logging_steps=1,
    )
    assert outcome.losses == expected
    assert [log["learning_rate"] for log in outcome.log_history[:3]] == [0.5, 0.25, 0.125]
    assert all(log["grad_norm"] > 0.1 for log in outcome.log_history[:3])
    assert_same(model, twin)


def test_bf16_runs_the_forward_under_autocast():
    model = make_model()
    dtypes = []
    model[0].register_forward_hook(lambda module, args, output: dtypes.append(output.dtype))
    run(make_parts(model), precision="bf16")
    assert set(dtypes) == {torch.bfloat16}
    assert model[0].weight.dtype == torch.float32


def test_fp16_with_a_scaler_gives_the_same_bits_and_counts_skipped_updates():
    def make_scaler():
        return torch.amp.GradScaler("cpu", init_scale=2.0**24)

    model, twin = make_model(), make_model()
    optimizer = torch.optim.SGD(twin.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.9)
    scaler, skipped = make_scaler(), 0
    torch.manual_seed(5)
    for batch in make_batches(30):
        with torch.autocast("cpu", torch.float16):
            loss = loss_with(twin)(batch)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(twin.parameters(), 1.0)
        scale = scaler.get_scale()
        scaler.step(optimizer)
        scaler.update()
        if scaler.get_scale() < scale:
            skipped += 1
        else:
            scheduler.step()
        optimizer.zero_grad()
    torch.manual_seed(5)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.9)
    parts = make_parts(
        model, make_batches(30), optimizer=optimizer, scheduler=scheduler, scaler=make_scaler()
    )
    outcome = run(parts, precision="fp16", max_grad_norm=1.0)
    assert 0 < skipped == outcome.num_skipped < 30
    assert_same(model, twin)


def test_fp16_makes_a_scaler_and_leaves_the_parts_as_given():
    parts = make_parts(make_model())
    loop = TrainingLoop(parts, LoopArguments(precision="fp16"))
    loop.run()
    assert loop.parts.scaler.is_enabled()
    assert parts.scaler is None


def test_gradients_are_unscaled_before_the_optimizer_steps_also_without_clipping():
    model, norms = make_model(), {}

    def note(precision):
        grads = [p.grad.norm() for p in model.parameters() if p.grad is not None]
        norms.setdefault(precision, torch.stack(grads).norm().item())

    for precision in ("fp32", "fp16"):
        torch.manual_seed(5)
        watcher = Watcher("pre_optimizer_step", lambda s, c, p=precision: note(p))
        parts = make_parts(model, optimizer=torch.optim.SGD(model.parameters(), 0.0))
        if precision == "fp16":
            parts.scaler = torch.amp.GradScaler("cpu", init_scale=64.0)
        run(parts, [watcher], max_steps=1, precision=precision)
    assert norms["fp16"] == pytest.approx(norms["fp32"], rel=0.01)


def test_several_optimizers_are_stepped_together():
    model = make_model()
    before = copy.deepcopy(model)
    optimizers = [torch.optim.SGD(layer.parameters(), lr=0.1) for layer in (model[0], model[3])]
    run(make_parts(model, optimizer=optimizers), max_steps=1)
    for index in (0, 3):
        assert not torch.equal(model[index].weight, before[index].weight)
    assert torch.equal(model[1].weight, before[1].weight)


def test_the_users_own_step_runs_instead_with_a_state_that_lives_on():
    model, seen = make_model(), []
    optimizers = [torch.optim.SGD(model.parameters(), lr=0.1)]

    def train_step(model, batch, optimizer, state):
        assert optimizer is optimizers
        state["calls"] = state.get("calls", 0) + 1
        optimizer[0].zero_grad()
        loss = loss_with(model)(batch)
        loss.backward()
        optimizer[0].step()
        seen.append(state["calls"])
        return {1: loss, 2: None, 3: 0.5}.get(state["calls"], loss.unsqueeze(0))

    parts = make_parts(model, optimizer=optimizers, train_step=train_step)
    outcome = run(parts, gradient_accumulation_steps=4, precision="fp16")
    assert seen == [1, 2, 3, 4, 5]
    assert outcome.global_step == 5
    assert math.isnan(outcome.losses[1])
    assert outcome.losses[2] == 0.5
    assert outcome.losses[3] > 0


def test_steps_count_before_epochs_and_epochs_repeat_as_often_as_needed():
    model = make_model()
    outcome = run(make_parts(model), max_steps=12)
    assert (outcome.global_step, outcome.state.epoch, outcome.state.max_steps) == (12, 2.4, 12)


@pytest.mark.parametrize("args", [{"max_steps": 7}, {"num_train_epochs": 2}])
def test_batches_without_a_length_are_trained_on(args):
    parts = make_parts(make_model())
    parts.batches = lambda: iter(make_batches())
    outcome = run(parts, **args)
    assert outcome.global_step == args.get("max_steps", 10)
    assert outcome.state.epoch == args.get("num_train_epochs", 1)


def test_an_epoch_without_batches_is_refused():
    with pytest.raises(ValueError, match="epoch 0 has no batch"):
        run(make_parts(make_model(), []))
    batches = iter(make_batches())
    parts = make_parts(make_model())
    parts.batches = lambda: batches
    with pytest.raises(ValueError, match="epoch 1 has no batch: `batches` must give them anew"):
        run(parts, num_train_epochs=2)


def test_a_callback_stops_training_an_epoch_or_an_update():
    def stop(state, control):
        control.should_training_stop = state.global_step >= 3

    assert run(make_parts(make_model()), [Watcher("step_end", stop)], max_steps=9).global_step == 3

    def end_epoch(state, control):
        control.should_epoch_stop = True

    outcome = run(make_parts(make_model()), [Watcher("step_end", end_epoch)], num_train_epochs=3)
    assert (outcome.global_step, outcome.state.epoch) == (3, 2.2)

    def stop_now(state, control):
        control.should_training_stop = True

    model = make_model()
    before = copy.deepcopy(model[0])
    outcome = run(
        make_parts(model), [Watcher("substep_end", stop_now)], gradient_accumulation_steps=2
    )
    assert (outcome.global_step, outcome.losses, outcome.state.batch_number) == (0, [], 0)
    assert math.isnan(outcome.training_loss)
    assert_same(model[0], before)


def test_the_batch_at_work_is_counted_over_updates_and_epochs():
    numbers = []
    watcher = Watcher("substep_end", lambda state, control: numbers.append(state.batch_number))
    outcome = run(
        make_parts(make_model()), [watcher], gradient_accumulation_steps=2, num_train_epochs=2
    )
    assert numbers == [0, 2, 5, 7]
    assert outcome.state.batch_number == 9


def test_the_mode_is_train_unless_it_is_to_be_left():
    model = make_model().eval()
    run(make_parts(model), max_steps=1, train_mode=False)
    assert not model[2].training
    run(make_parts(model), max_steps=1)
    assert model[2].training


def test_the_users_exception_passes_through():
    def fail(batch):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        run(make_parts(make_model(), forward_loss=fail))


def test_a_loss_that_is_no_tensor_is_refused():
    with pytest.raises(TypeError, match="must return a scalar tensor, it returned None"):
        run(make_parts(make_model(), forward_loss=lambda batch: None))


def test_losses_are_kept_however_many_there_are():
    record = LossRecord()
    losses = [*range(200), math.inf, 0.1]
    for loss in losses:
        record.add(torch.tensor(loss, dtype=torch.float64) if loss != 7 else 7)
    assert record.to_list() == losses


def test_parts_need_one_way_to_a_loss():
    for ways in ({}, {"forward_loss": print, "train_step": print}):
        with pytest.raises(ValueError, match="either forward_loss or train_step is needed"):
            TrainingParts(make_model(), list, [], **ways)


def test_evaluations_and_checkpoints_need_what_they_are_made_of():
    with pytest.raises(ValueError, match=r"'steps'.* needs an evaluation"):
        TrainingLoop(make_parts(make_model()), LoopArguments(eval_strategy="steps"))

    def ask(state, control):
        control.should_save = True

    with pytest.raises(ValueError, match="asked for a checkpoint, and there is no output_dir"):
        run(make_parts(make_model()), [Watcher("step_end", ask)])

    def ask_for_more(state, control):
        control.should_evaluate = True

    with pytest.raises(ValueError, match="there is no evaluation among the parts"):
        run(make_parts(make_model()), [Watcher("step_end", ask_for_more)])


def test_logs_hold_the_mean_since_the_last_one():
    outcome = run(make_parts(make_model()), logging_strategy="steps", logging_steps=2)
    losses, logs = outcome.losses, outcome.log_history
    assert [log.get("step") for log in logs] == [2, 4, 5]
    assert logs[0]["loss"] == pytest.approx(sum(losses[:2]) / 2)
    assert logs[1]["loss"] == pytest.approx(sum(losses[2:4]) / 2)
    assert logs[2]["train_loss"] == pytest.approx(sum(losses) / 5)


def test_a_loss_that_is_not_finite_is_told_as_it_is():
    model = make_model()
    parts = make_parts(model, forward_loss=lambda batch: loss_with(model)(batch) * math.inf)
    outcome = run(parts, max_steps=1, logging_strategy="steps", logging_steps=1)
    assert outcome.losses == [math.inf]
    assert outcome.log_history[0]["loss"] == math.inf


class Syncs(TorchDispatchMode):
    """Counts the times at which the host waits for a value of a tensor."""

    num = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.num += func is torch.ops.aten._local_scalar_dense.default
        return func(*args, **(kwargs or {}))


def test_no_update_waits_for_the_device():
    model = make_model()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loop = TrainingLoop(make_parts(model, optimizer=optimizer), LoopArguments(max_grad_norm=1.0))
    seen = []
    with Syncs() as syncs:
        loop.handler.add_callback(Watcher("step_end", lambda s, c: seen.append(syncs.num)))
        loop.run()
    assert seen == [0] * 5


def test_a_data_loader_that_shuffles_is_asked_anew_in_each_epoch():
    x = torch.arange(8.0)[:, None].expand(8, 4)
    loader = DataLoader(TensorDataset(x, torch.zeros(8, dtype=torch.long)), 2, shuffle=True)
    model, order = make_model(), []

    def forward_loss(batch):
        order.extend(batch[0][:, 0].tolist())
        return loss_with(model)(batch)

    parts = make_parts(model, forward_loss=forward_loss)
    parts.batches = lambda: loader
    run(parts, num_train_epochs=2)
    assert sorted(order[:8]) == sorted(order[8:]) == list(range(8))
    assert order[:8] != order[8:]
