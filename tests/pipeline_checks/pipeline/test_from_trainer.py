import pytest
import torch
from datasets import Dataset
from torch import nn
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    Trainer,
    TrainingArguments,
    default_data_collator,
)

from tdebug.pipeline_checks.pipeline.from_trainer import (
    give_optimizer,
    is_trainer,
    override_parts,
    pipeline_of_trainer,
    processing_class_of,
    removed_columns,
    trainer_loss,
)

pytestmark = pytest.mark.filterwarnings("default")  # what transformers warns of is its own
ROWS = [{"input_ids": [5, 6, 7], "labels": n % 2, "text": "a"} for n in range(8)]


def make(folder, kind=Trainer, data=None, arguments=None, **options):
    config = BertConfig(hidden_size=8, num_hidden_layers=1, num_attention_heads=2, vocab_size=20,
                        intermediate_size=8)  # fmt: skip
    return kind(
        model=BertForSequenceClassification(config),
        args=TrainingArguments(str(folder), report_to=[], use_cpu=True, **(arguments or {})),
        train_dataset=Dataset.from_list(ROWS) if data is None else data,
        data_collator=default_data_collator,
        **options,
    )


def batch_of(trainer):
    return next(iter(trainer.get_train_dataloader()))


def test_a_trainer_is_known_and_other_things_are_not(tmp_path):
    assert is_trainer(make(tmp_path))
    assert not is_trainer(nn.Linear(2, 2))
    assert not is_trainer(None)


def test_its_parts_are_taken_and_its_list_of_loaders_is_put_back(tmp_path):
    trainer = make(tmp_path, compute_metrics=print)
    before = list(trainer.accelerator._dataloaders)

    pipeline = pipeline_of_trainer(trainer)

    assert (pipeline.model, pipeline.trainer) == (trainer.model, trainer)
    assert pipeline.dataset is trainer.train_dataset
    assert (pipeline.metrics, pipeline.collate_fn) == (print, default_data_collator)
    assert trainer.accelerator._dataloaders == before


def test_a_loader_that_raises_leaves_the_list_too(tmp_path):
    trainer = make(tmp_path)
    trainer.train_dataset = None
    before = list(trainer.accelerator._dataloaders)

    with pytest.raises(ValueError, match="train_dataset"):
        pipeline_of_trainer(trainer)

    assert trainer.accelerator._dataloaders == before


@pytest.mark.parametrize("kind", [Dataset.from_list, list], ids=["datasets", "list"])
def test_columns_that_the_loader_removes_are_told_as_far_as_they_have_names(tmp_path, kind):
    trainer = make(tmp_path, data=kind(ROWS))

    removed = removed_columns(trainer, trainer.get_train_dataloader())

    assert removed == (("text",) if kind is not list else ())


def test_nothing_is_removed_where_the_user_says_so(tmp_path):
    trainer = make(tmp_path, arguments={"remove_unused_columns": False})

    assert removed_columns(trainer, trainer.get_train_dataloader()) == ()


@pytest.mark.parametrize(("arguments", "precision"), [({}, "fp32"), ({"bf16": True}, "bf16")])
def test_its_precision_is_told(tmp_path, arguments, precision):
    pipeline = pipeline_of_trainer(make(tmp_path, arguments=arguments))

    assert pipeline.settings == {"precision": precision}


def test_the_optimizer_that_training_would_use_is_given_and_the_fields_stay(tmp_path):
    trainer = make(tmp_path, arguments={"learning_rate": 0.25, "warmup_steps": 4})

    optimizer, scheduler = give_optimizer(trainer)

    assert (type(optimizer).__name__, scheduler.base_lrs[0]) == ("AdamW", 0.25)
    assert (trainer.optimizer, trainer.lr_scheduler) == (None, None)


def test_a_trainer_can_still_make_its_own_optimizer_afterwards(tmp_path):
    trainer = make(tmp_path)
    given, _ = give_optimizer(trainer)

    trainer.create_optimizer_and_scheduler(10)

    assert trainer.optimizer is not None
    assert trainer.optimizer is not given
    assert trainer.lr_scheduler.optimizer is trainer.optimizer


def test_an_optimizer_that_was_handed_over_is_the_one(tmp_path):
    trainer = make(tmp_path)
    own = torch.optim.SGD(trainer.model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(own, 1)
    trainer.optimizer, trainer.lr_scheduler = own, scheduler

    assert give_optimizer(trainer) == (own, scheduler)
    assert trainer.optimizer is own


def test_the_loss_is_the_trainers_and_the_batch_stays_whole(tmp_path):
    trainer = make(tmp_path, arguments={"label_smoothing_factor": 0.1})
    batch = batch_of(trainer)
    keys = set(batch)

    loss = trainer_loss(trainer, trainer.model, batch)

    assert loss.requires_grad
    assert set(batch) == keys  # label smoothing pops the labels


class Old(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False):  # noqa: FBT002 - as it once was
        inputs.pop("labels")
        return model(**inputs).logits.sum()


class New(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):  # noqa: FBT002 - as it is
        inputs.pop("labels")
        return model(**inputs).logits.mean()


@pytest.mark.parametrize("kind", [Old, New])
def test_an_override_is_called_by_its_own_signature(tmp_path, kind):
    trainer = make(tmp_path, kind)
    batch = batch_of(trainer)

    assert trainer_loss(trainer, trainer.model, batch).shape == ()
    assert "labels" in batch


def test_bf16_is_the_trainers_own_autocast(tmp_path):
    seen = []

    class Watched(Trainer):
        def compute_loss(self, model, inputs, **options):
            seen.append(torch.is_autocast_enabled("cpu"))
            return model(**inputs).loss

    trainer = make(tmp_path, Watched, arguments={"bf16": True})

    trainer_loss(trainer, trainer.model, batch_of(trainer))

    assert seen == [True]


def test_the_tokenizer_is_what_was_handed_over(tmp_path):
    class Processor:
        pass

    processor = Processor()

    assert processing_class_of(make(tmp_path, processing_class=processor)) is processor
    assert processing_class_of(make(tmp_path)) is None
    assert processing_class_of(None) is None


def test_the_parts_that_a_spec_overrides_reach_the_loader(tmp_path):
    trainer = make(tmp_path)

    def collate(rows):
        return default_data_collator(rows)

    override_parts(trainer, {"dataset": ROWS[:3], "collate_fn": collate})
    pipeline = pipeline_of_trainer(trainer)

    assert (pipeline.dataset, pipeline.collate_fn) == (ROWS[:3], collate)
    assert len(pipeline.dataloader.dataset) == 3
