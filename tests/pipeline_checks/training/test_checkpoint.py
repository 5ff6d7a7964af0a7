import pytest
import torch
from torch import nn

from tdebug.pipeline_checks.training import (
    LoopArguments,
    TrainerCallback,
    TrainerState,
    TrainingLoop,
    TrainingParts,
    load_checkpoint,
    save_checkpoint,
)


def make_parts(scaler=None):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.Dropout(0.5), nn.Linear(8, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    return TrainingParts(
        model,
        batches=lambda: [torch.ones(4, 3) * n for n in range(4)],
        optimizer=optimizer,
        scheduler=torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.9),
        scaler=scaler,
        forward_loss=lambda batch: (model(batch).float() - 1).square().mean(),
    )


@pytest.mark.parametrize("precision", ["fp32", "fp16"])
def test_training_goes_on_from_a_checkpoint_as_if_it_had_not_stopped(tmp_path, precision):
    args = LoopArguments(
        num_train_epochs=2, save_strategy="epoch", output_dir=tmp_path, precision=precision
    )
    parts = make_parts()
    torch.manual_seed(3)
    whole = TrainingLoop(parts, args).run()

    torch.manual_seed(99)
    rest = TrainingLoop(make_parts(), LoopArguments(precision=precision))
    rest.state = load_checkpoint(rest.parts, tmp_path / "checkpoint-4")
    outcome = rest.run()
    assert (outcome.global_step, outcome.state.epoch) == (8, 2)
    assert outcome.losses == whole.losses[4:]
    for a, b in zip(parts.model.parameters(), rest.parts.model.parameters(), strict=True):
        assert torch.equal(a, b)


@pytest.mark.parametrize(
    ("strategy", "expected"), [("no", []), ("steps", [3, 6, 8]), ("epoch", [4, 8])]
)
def test_checkpoints_are_written_when_the_strategy_says(tmp_path, strategy, expected):
    saved = []

    class Note(TrainerCallback):
        def on_save(self, args, state, control, **kwargs):
            saved.append(state.global_step)

    args = LoopArguments(
        num_train_epochs=2, save_strategy=strategy, save_steps=3, output_dir=tmp_path
    )
    TrainingLoop(make_parts(), args, [Note]).run()
    assert saved == expected
    assert sorted(tmp_path.iterdir()) == [tmp_path / f"checkpoint-{step}" for step in expected]


def test_a_checkpoint_of_that_name_is_replaced(tmp_path):
    parts = make_parts()
    save_checkpoint(parts, TrainerState(global_step=1), tmp_path)
    with torch.no_grad():
        parts.model[0].weight.fill_(7)
    folder = save_checkpoint(parts, TrainerState(global_step=1), tmp_path)
    other = make_parts()
    assert load_checkpoint(other, folder).global_step == 1
    assert other.model[0].weight.unique().item() == 7
    assert list(tmp_path.iterdir()) == [folder]


def test_a_checkpoint_that_fails_leaves_nothing_behind(tmp_path):
    parts = make_parts()
    parts.scheduler.anything = lambda: None  # cannot be pickled
    with pytest.raises(Exception, match="pickle"):
        save_checkpoint(parts, TrainerState(), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_what_does_not_fit_is_refused(tmp_path):
    parts = make_parts()
    folder = save_checkpoint(parts, TrainerState(), tmp_path)
    parts.scheduler = None
    with pytest.raises(ValueError, match=r"checkpoint-0 holds 1 schedulers, there are 0 now"):
        load_checkpoint(parts, folder)
    with pytest.raises(FileNotFoundError):
        load_checkpoint(parts, tmp_path / "none")
