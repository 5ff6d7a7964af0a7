"""Several evaluation sets, and the validation of a LightningModule as `fit` runs it."""

import lightning
import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, TensorDataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

from tdebug.pipeline_checks import Pipeline, Severity, Stage, check_pipeline

pytestmark = pytest.mark.filterwarnings("default")


class Ids(Dataset):
    def __init__(self, size, largest=39):
        self.ids = torch.randint(5, largest, (size, 7), generator=torch.Generator().manual_seed(0))

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        return {"input_ids": self.ids[i], "labels": int(self.ids[i][0] > 20)}


def make_trainer(eval_dataset, tmp_path, compute_metrics=None):
    config = BertConfig(
        vocab_size=40,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
    )
    return Trainer(
        BertForSequenceClassification(config),
        TrainingArguments(str(tmp_path), use_cpu=True, report_to=[]),
        train_dataset=Ids(12),
        eval_dataset=eval_dataset,
        compute_metrics=compute_metrics,
    )


def tabular(size=12, width=3, **more):
    torch.manual_seed(0)
    x = torch.randn(size, width)
    return TensorDataset(x, (x[:, 0] > 0).long())


def alarms(report):
    assert not [check.traceback for check in report.checks if check.traceback]
    found = [f for f in report.findings if f.severity is not Severity.INFO]
    return {f.name: f for f in found if f.stage is Stage.EVALUATE}


def summary_of(report):
    return next(stage.summary for stage in report.stages if stage.stage is Stage.EVALUATE)


def test_every_evaluation_set_of_a_trainer_is_evaluated(tmp_path):
    sizes = []

    def compute_metrics(prediction):
        sizes.append(len(prediction.label_ids))
        return {"n": 1.0}

    trainer = make_trainer({"near": Ids(8), "far": Ids(5)}, tmp_path, compute_metrics)
    report = check_pipeline(trainer)

    assert sizes == [8, 5]
    assert summary_of(report) == "13 of 13 samples in 2 sets, compute_metrics"
    assert alarms(report) == {}


def test_the_set_that_fails_is_named(tmp_path):
    report = check_pipeline(make_trainer({"near": Ids(8), "far": Ids(5, 300)}, tmp_path))

    finding = alarms(report)["evaluation-fails"]
    assert "eval_dataset['far']" in finding.message


def test_metrics_that_only_one_set_upsets_are_found_once(tmp_path):
    def compute_metrics(prediction):
        return {"share": 1.0 / (len(prediction.label_ids) - 5) if len(prediction.label_ids) else 0}

    sets = {"near": Ids(8), "far": Ids(5), "further": Ids(5)}
    finding = alarms(check_pipeline(make_trainer(sets, tmp_path, compute_metrics)))["metrics-fail"]

    assert finding.where.startswith("all 5 samples of eval_dataset['far']")


def test_a_dict_of_sets_beside_plain_parts_is_no_dataset():
    pipeline = Pipeline(
        model=nn.Linear(3, 2),
        dataset=tabular(),
        loss=nn.CrossEntropyLoss(),
        eval_dataset={"near": tabular(8), "far": tabular(6)},
    )

    report = check_pipeline(pipeline)

    assert alarms(report) == {}
    assert summary_of(report) == "14 of 14 samples in 2 sets"


class Net(lightning.LightningModule):
    """Validates as people do: what its hooks prepare, its step needs."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 2)
        self.seen = []

    def training_step(self, batch, batch_idx):
        x, y = batch
        return nn.functional.cross_entropy(self.layer(x), y)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)

    def train_dataloader(self):
        return DataLoader(tabular(), 4)

    def val_dataloader(self):
        return [DataLoader(tabular(8), 4), DataLoader(tabular(6), 4)]

    def on_after_batch_transfer(self, batch, dataloader_idx):
        x, y = batch
        return x.float(), y

    def on_validation_epoch_start(self):
        self.losses = []

    def validation_step(self, batch, batch_idx, dataloader_idx):
        x, y = batch
        assert self.trainer.validating
        assert not self.training
        self.losses.append(nn.functional.cross_entropy(self.layer(x), y))
        self.seen.append((dataloader_idx, batch_idx, self.trainer.num_val_batches[dataloader_idx]))
        self.log("loss", self.losses[-1], batch_size=len(self.trainer.val_dataloaders))

    def on_validation_epoch_end(self):
        self.log("mean", torch.stack(self.losses).mean())
        self.trainer.callback_metrics["loss"]  # nothing is logged here, and none of its fault


def test_all_loaders_of_a_lightning_module_are_run_as_in_fit():
    module = Net()

    report = check_pipeline(module)

    assert alarms(report) == {}
    assert module.seen == [(0, 0, 2), (0, 1, 2), (1, 0, 2), (1, 1, 2)]
    assert module.training
    assert summary_of(report) == "14 of 14 samples in 2 sets"


def test_a_step_that_takes_the_batch_alone_is_called_so():
    class Short(Net):
        def val_dataloader(self):
            return DataLoader(tabular(8), 4)

        def validation_step(self, batch):
            return self.training_step(batch, 0)

        def on_validation_epoch_end(self):
            pass

    assert alarms(check_pipeline(Short())) == {}


def test_a_validation_step_that_raises_is_told_with_its_loader():
    class Odd(Net):
        def val_dataloader(self):
            return {"near": DataLoader(tabular(8), 4), "far": DataLoader(tabular(6, 4), 4)}

    finding = alarms(check_pipeline(Odd()))["evaluation-fails"]

    assert "val_dataloader()['far']" in finding.message
    assert finding.location.function == "validation_step"


def test_a_hook_that_raises_before_validation_is_told():
    class Broken(Net):
        def on_validation_start(self):
            raise FileNotFoundError("reference.json")

    finding = alarms(check_pipeline(Broken()))["evaluation-fails"]

    assert finding.message.startswith("a hook before the first batch of val_dataloader()[0] raised")


def test_validation_that_the_trainer_leaves_out_is_not_run():
    module = Net()
    trainer = lightning.Trainer(
        accelerator="cpu", logger=False, enable_checkpointing=False, limit_val_batches=0
    )

    report = check_pipeline(Pipeline(model=module, lightning=trainer))

    assert module.seen == []
    reasons = {stage.stage: stage.reason for stage in report.stages}
    assert reasons[Stage.EVALUATE] == "there is no val_dataloader"


def test_a_trainers_columns_are_forgotten_again(tmp_path):
    trainer = make_trainer(Ids(8), tmp_path)
    assert trainer._signature_columns is None

    check_pipeline(trainer)

    assert trainer._signature_columns is None
