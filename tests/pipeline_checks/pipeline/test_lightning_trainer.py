import re

import lightning
import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset
from torchmetrics import MeanMetric

from tdebug.pipeline_checks import check_pipeline
from tdebug.pipeline_checks.facts import LoadFacts
from tdebug.pipeline_checks.pipeline import Pipeline
from tdebug.pipeline_checks.pipeline.from_lightning import lightning_loss
from tdebug.pipeline_checks.pipeline.lightning_log import stand_in_for_logging
from tdebug.pipeline_checks.stages import check_live

pytestmark = pytest.mark.filterwarnings("default")  # lightning's own advice


class Net(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 2)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = torch.nn.functional.cross_entropy(self.layer(x), y)
        self.log("loss", loss)
        self.log("lr", self.optimizers().param_groups[0]["lr"])
        return loss

    def configure_optimizers(self):
        optimizer = torch.optim.SGD(self.parameters(), 0.1)
        steps = self.trainer.estimated_stepping_batches
        return [optimizer], [torch.optim.lr_scheduler.LinearLR(optimizer, total_iters=int(steps))]

    def train_dataloader(self):
        x = torch.randn(32, 4, generator=torch.Generator().manual_seed(0))
        return DataLoader(TensorDataset(x, (x[:, 0] > 0).long()), 8, shuffle=True)


def test_a_module_finds_its_trainer_its_optimizers_and_its_own_loader():
    report = check_pipeline(Net())

    assert not report.findings
    assert "step" in [stage.stage for stage in report.stages if stage.status == "passed"]


def test_a_module_that_was_never_fitted_is_left_without_a_trainer():
    module = Net()
    before = dict(vars(module))

    check_pipeline(module)

    assert vars(module) == before


def test_a_trainer_keeps_its_loggers_and_its_state():
    module = Net()
    trainer = lightning.Trainer(
        max_epochs=1, accelerator="cpu", logger=False, enable_checkpointing=False,
        enable_progress_bar=False, enable_model_summary=False,
    )  # fmt: skip
    trainer.fit(module)
    before = (trainer.loggers, trainer.state.status, trainer.state.fn, trainer.optimizers)

    check_pipeline(module)

    assert (trainer.loggers, trainer.state.status, trainer.state.fn, trainer.optimizers) == before
    assert module.trainer is trainer


def test_a_setup_that_raises_is_a_failure_of_the_model():
    class Broken(Net):
        def setup(self, stage):
            raise FileNotFoundError("no such split")

    events = check_live(Pipeline(model=Broken()))
    facts = [e.fact for e in events if isinstance(getattr(e, "fact", None), LoadFacts)]

    assert facts[-1].part("model") is not None
    assert any(part.error and part.origin == "setup('fit')" for part in facts[-1].parts)


def test_a_training_step_takes_the_number_of_the_batch_only_where_it_asks_for_it():
    class Plain(Net):
        def training_step(self, batch):
            return batch

    class Any(Net):
        def training_step(self, *args):
            return torch.tensor(len(args))

    assert lightning_loss(Plain(), 5, 3) == 5
    assert lightning_loss(Any(), 5, 3) == 2


def quiet(module):
    stand_in_for_logging(module, lightning.LightningModule)
    return module


@pytest.mark.parametrize(
    "value", [torch.ones(1, 1), 3, 0.5, np.float32(0.5), {"a": 1.0}, MeanMetric()]
)
def test_a_single_number_may_be_logged(value):
    quiet(Net()).log("value", value, prog_bar=True)


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (torch.ones(8) > 0, "a tensor [8] bool of 8 elements"),
        ({"a": torch.ones(2)}, "a tensor [2] float32 of 2 elements"),
        ("much", "a value of type str"),
        (None, "a value of type NoneType"),
        (np.ones(2), "a value of type ndarray"),
    ],
)
def test_what_lightning_does_not_log_is_refused(value, problem):
    with pytest.raises(ValueError, match=re.escape(f"self.log('value', ...) was given {problem}")):
        quiet(Net()).log("value", value)


def test_every_entry_of_log_dict_is_looked_at():
    with pytest.raises(ValueError, match=r"self.log\('bad', ...\) was given a tensor \[8\]"):
        quiet(Net()).log_dict({"good": 1.0, "bad": torch.ones(8)})


def test_an_option_of_log_that_does_not_exist_is_refused():
    with pytest.raises(TypeError, match="log\\(\\): got an unexpected keyword argument 'on_batch'"):
        quiet(Net()).log("value", 1.0, on_batch=True)


def test_a_method_of_the_users_own_named_log_is_not_judged():
    class Logging(Net):
        def log(self, name, values, **options):
            super().log(name, values.mean(), **options)

    quiet(Logging()).log("values", torch.ones(8))


def test_what_cannot_be_logged_is_told_with_the_line_that_logs_it():
    class Logging(Net):
        def training_step(self, batch, batch_idx):
            self.log("correct", batch[1] == 1)
            return super().training_step(batch, batch_idx)

    [finding] = check_pipeline(Logging()).findings

    assert finding.message.endswith(
        "self.log('correct', ...) was given a tensor [8] bool of 8 elements: Lightning logs single "
        "numbers, so log its .float().mean()."
    )
    assert finding.location.code == 'self.log("correct", batch[1] == 1)'
