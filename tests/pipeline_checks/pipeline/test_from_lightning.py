import lightning.pytorch as pl
import pytest
import torch
from torch import nn
from torch.optim.lr_scheduler import StepLR

from tdebug.pipeline_checks.pipeline.from_lightning import (
    configured_optimizers,
    is_lightning_module,
    is_lightning_trainer,
    lightning_loss,
    precision_of_lightning,
)


class Module(pl.LightningModule):
    def __init__(self, configure=None):
        super().__init__()
        self.layer, self.configure = nn.Linear(2, 1), configure

    def configure_optimizers(self):
        return self.configure(self)


def sgd(module):
    return torch.optim.SGD(module.parameters(), lr=0.1)


def step(optimizer):
    return StepLR(optimizer, 1)


def both(module, form):
    optimizer = sgd(module)
    return form(optimizer, step(optimizer))


@pytest.mark.parametrize(
    ("configure", "num_optimizers", "num_schedulers"),
    [
        (lambda m: None, 0, 0),
        (sgd, 1, 0),
        (lambda m: [sgd(m)], 1, 0),
        (lambda m: [sgd(m), sgd(m)], 2, 0),
        (lambda m: (sgd(m), sgd(m)), 2, 0),
        (lambda m: {"optimizer": sgd(m)}, 1, 0),
        (lambda m: both(m, lambda o, s: {"optimizer": o, "lr_scheduler": s}), 1, 1),
        (lambda m: both(m, lambda o, s: {"optimizer": o, "lr_scheduler": {"scheduler": s}}), 1, 1),
        (lambda m: both(m, lambda o, s: ([o], [s])), 1, 1),
        (lambda m: both(m, lambda o, s: ([o], {"scheduler": s})), 1, 1),
        (lambda m: both(m, lambda o, s: ([o], [{"scheduler": s, "interval": "step"}])), 1, 1),
        (lambda m: both(m, lambda o, s: [{"optimizer": o, "lr_scheduler": s}]), 1, 1),
        (lambda m: [{"optimizer": sgd(m)}, {"optimizer": sgd(m)}], 2, 0),
    ],
)
def test_every_form_of_configure_optimizers_is_read(configure, num_optimizers, num_schedulers):
    optimizers, schedulers, *_ = configured_optimizers(Module(configure))

    assert [type(o) for o in optimizers] == [torch.optim.SGD] * num_optimizers
    assert [type(s) for s in schedulers] == [StepLR] * num_schedulers


@pytest.mark.parametrize(
    "form",
    [
        lambda o, s: {"optimizer": o, "lr_scheduler": s, "monitor": "val_loss"},
        lambda o, s: {"optimizer": o, "lr_scheduler": {"scheduler": s, "monitor": "val_loss"}},
        lambda o, s: ([o], [{"scheduler": s, "monitor": "val_loss"}]),
    ],
)
def test_the_metric_of_a_scheduler_is_kept(form):
    configured = configured_optimizers(Module(lambda m: both(m, form)))

    assert [entry["monitor"] for entry in configured.entries] == ["val_loss"]


def test_a_metric_beside_a_scheduler_in_a_dict_is_none_of_its_own():
    form = {"interval": "epoch"}
    configured = configured_optimizers(
        Module(
            lambda m: both(
                m,
                lambda o, s: {
                    "optimizer": o, "lr_scheduler": {"scheduler": s, **form}, "monitor": "val_loss",
                },
            )
        )
    )  # fmt: skip

    assert "monitor" not in configured.entries[0]


def test_a_form_that_lightning_does_not_know_is_refused_with_what_it_knows():
    with pytest.raises(TypeError, match="configure_optimizers returned str: an optimizer, a dict"):
        configured_optimizers(Module(lambda _: "adam"))


def test_modules_and_trainers_are_known():
    trainer = pl.Trainer(logger=False, enable_checkpointing=False, accelerator="cpu",
                         enable_progress_bar=False)  # fmt: skip

    assert is_lightning_module(Module())
    assert is_lightning_trainer(trainer)
    assert not is_lightning_module(nn.Linear(2, 2))
    assert not is_lightning_trainer(Module())


@pytest.mark.parametrize(
    ("said", "precision"),
    [("32-true", ""), ("bf16-mixed", "bf16"), ("16-mixed", "fp16"), ("64-true", "")],
)
def test_the_precision_of_a_trainer_is_read(said, precision):
    class Trainer:
        pass

    trainer = Trainer()
    trainer.precision = said

    assert precision_of_lightning(trainer) == precision
    assert precision_of_lightning(None) == ""


class Numbered(Module):
    def training_step(self, batch, index):
        return self.layer(batch).sum() + index


class Plain(Module):
    def training_step(self, batch):
        return self.layer(batch).sum()


class InDict(Module):
    def training_step(self, batch, batch_idx):
        return {"loss": self.layer(batch).sum(), "more": 1}


class Starred(Module):
    def training_step(self, *args):
        batch, _ = args
        return self.layer(batch).sum()


class Silent(Module):
    def training_step(self, batch, index):
        return None


@pytest.mark.parametrize("kind", [Numbered, Plain, InDict, Starred])
def test_the_loss_of_every_form_of_training_step_is_read(kind):
    loss = lightning_loss(kind(), torch.ones(3, 2), 7)

    assert loss.shape == ()


def test_a_step_that_gives_nothing_has_no_loss():
    assert lightning_loss(Silent(), torch.ones(3, 2), 0) is None


def test_the_batch_goes_through_the_hooks_that_change_it():
    class Doubling(Numbered):
        def on_after_batch_transfer(self, batch, dataloader_idx):
            return batch * 0

    module = Doubling()

    loss = lightning_loss(module, torch.ones(3, 2), 0)

    assert float(loss.detach()) == pytest.approx(3 * float(module.layer.bias.detach()))
