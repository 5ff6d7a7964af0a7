"""The evaluate stage on real pipelines: what it hands over, finds, and leaves as it was."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.data import TensorDataset
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    T5Config,
    T5ForConditionalGeneration,
    Trainer,
    TrainingArguments,
)

from tdebug.pipeline_checks import Pipeline, Severity, Stage, check_pipeline
from tdebug.pipeline_checks.events import Observed
from tdebug.pipeline_checks.facts import EvaluationFacts
from tdebug.pipeline_checks.pipeline.live import pipeline_of
from tdebug.pipeline_checks.stages import check_live

pytestmark = pytest.mark.filterwarnings("default")
IGNORED = -100


class Pairs(torch.utils.data.Dataset):
    """Token ids whose labels have uneven lengths where they are sequences."""

    def __init__(self, size, *, is_sequence=False, seed=0):
        generator = torch.Generator().manual_seed(seed)
        self.ids = torch.randint(5, 40, (size, 7), generator=generator)
        self.is_sequence = is_sequence

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        ids = self.ids[i]
        if not self.is_sequence:
            return {"input_ids": ids, "labels": int(ids[0] > 20)}
        labels = ids.clone()
        labels[4 + i % 3 :] = IGNORED
        return {"input_ids": ids, "labels": labels}


def make_trainer(compute_metrics, tmp_path, **arguments):
    config = BertConfig(
        vocab_size=40,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        num_labels=2,
    )
    return Trainer(
        BertForSequenceClassification(config),
        TrainingArguments(
            str(tmp_path), use_cpu=True, report_to=[], per_device_eval_batch_size=4, **arguments
        ),
        train_dataset=Pairs(12),
        eval_dataset=Pairs(10, seed=1),
        compute_metrics=compute_metrics,
    )


def make_seq2seq_trainer(compute_metrics, tmp_path, *, generates):
    config = T5Config(
        vocab_size=40,
        d_model=8,
        d_ff=8,
        d_kv=4,
        num_heads=2,
        num_layers=1,
        decoder_start_token_id=0,
        pad_token_id=0,
    )
    arguments = Seq2SeqTrainingArguments(
        str(tmp_path),
        use_cpu=True,
        report_to=[],
        predict_with_generate=generates,
        generation_max_length=6,
    )
    dataset = Pairs(8, is_sequence=True)
    return Seq2SeqTrainer(
        T5ForConditionalGeneration(config),
        arguments,
        train_dataset=dataset,
        eval_dataset=dataset,
        compute_metrics=compute_metrics,
    )


def facts_of(thing):
    events = check_live(pipeline_of(thing))
    found = [e.fact for e in events if isinstance(e, Observed)]
    return [fact for fact in found if isinstance(fact, EvaluationFacts)][-1]


def alarms(report):
    assert not [check.traceback for check in report.checks if check.traceback]
    found = [f for f in report.findings if f.severity is not Severity.INFO]
    return {f.name: f for f in found if f.stage is Stage.EVALUATE}


def result_of(report):
    return next(stage for stage in report.stages if stage.stage is Stage.EVALUATE)


def plain(**more):
    torch.manual_seed(0)
    x = torch.randn(22, 3)
    dataset = TensorDataset(x, (x[:, 0] > 0).long())
    model = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.Dropout(), nn.Linear(8, 2))
    loss = {} if {"compute_loss", "train_step"} & more.keys() else {"loss": nn.CrossEntropyLoss()}
    return Pipeline(model=model, dataset=dataset, **loss, **more)


def test_compute_metrics_is_given_what_the_trainer_gives(tmp_path):
    given = []

    def compute_metrics(prediction):
        given.append(prediction)
        return {
            "accuracy": float((prediction.predictions.argmax(-1) == prediction.label_ids).mean())
        }

    trainer = make_trainer(compute_metrics, tmp_path)
    trainer.model.eval()
    facts_of(trainer)
    trainer.evaluate()

    ours, theirs = given[0], given[-1]
    assert type(ours) is type(theirs)
    np.testing.assert_allclose(ours.predictions, theirs.predictions, atol=1e-6)
    np.testing.assert_array_equal(ours.label_ids, theirs.label_ids)


def test_a_trainer_is_left_as_it_was(tmp_path):
    trainer = make_trainer(lambda _: {"loss_of_sleep": 1.0}, tmp_path)
    trainer.model.train()
    before = {name: p.clone() for name, p in trainer.model.state_dict().items()}

    fields = {name: id(value) for name, value in vars(trainer).items()}
    state = torch.get_rng_state()

    check_pipeline(trainer)

    assert trainer.model.training
    assert all(torch.equal(before[name], p) for name, p in trainer.model.state_dict().items())
    assert {name: id(value) for name, value in vars(trainer).items()} == fields
    assert torch.equal(torch.get_rng_state(), state)


def test_logits_that_are_decoded_are_found_and_generated_ids_are_right(tmp_path):
    def compute_metrics(prediction):
        ids = np.where(prediction.predictions != IGNORED, prediction.predictions, 0)
        return {"length": float(np.mean([len(bytes(row.tolist())) for row in ids]))}

    logits = check_pipeline(make_seq2seq_trainer(compute_metrics, tmp_path, generates=False))
    ids = check_pipeline(make_seq2seq_trainer(compute_metrics, tmp_path, generates=True))

    assert list(alarms(logits)) == ["metrics-get-nested-predictions"]
    assert alarms(ids) == {}
    assert result_of(ids).summary == "8 of 8 samples, compute_metrics"


def test_minus_100_in_labels_that_are_decoded_is_named(tmp_path):
    def compute_metrics(prediction):
        return {"length": float(np.mean([len(bytes(r.tolist())) for r in prediction.label_ids]))}

    report = check_pipeline(make_seq2seq_trainer(compute_metrics, tmp_path, generates=True))

    finding = alarms(report)["metrics-fail"]
    assert "-100" in finding.hint


def test_predictions_kept_small_by_preprocessing_reach_compute_metrics(tmp_path):
    trainer = make_trainer(lambda p: {"accuracy": (p.predictions == p.label_ids).mean()}, tmp_path)
    trainer.preprocess_logits_for_metrics = lambda logits, labels: logits.argmax(-1)

    facts = facts_of(trainer)

    assert [leaf.shape for leaf in facts.predictions] == [(10,)]
    assert facts.call.error is None


def test_inputs_are_handed_over_where_they_are_asked_for(tmp_path):
    seen = []

    def compute_metrics(prediction):
        seen.append(prediction.inputs.shape)
        return {"n": 1.0}

    facts_of(make_trainer(compute_metrics, tmp_path, include_for_metrics=["inputs"]))

    assert seen == [(10, 7)]


def test_a_loss_that_needs_gradients_is_no_fault_of_evaluation():
    def compute_loss(model, batch):
        x = batch[0].requires_grad_()
        (slope,) = torch.autograd.grad(model(x).sum(), x, create_graph=True)
        return nn.functional.cross_entropy(model(x), batch[1]) + slope.norm()

    report = check_pipeline(plain(compute_loss=compute_loss, eval_dataset=plain().dataset))

    assert alarms(report) == {}


def test_predictions_of_compute_loss_are_what_the_model_gave():
    def compute_loss(model, batch):
        return nn.functional.cross_entropy(model(batch[0]), batch[1])

    facts = facts_of(plain(compute_loss=compute_loss, metrics=lambda p: {"n": len(p.predictions)}))

    assert facts.source == "dataset"
    assert facts.predictions[0].shape == (22, 2)
    assert facts.call.values == {"n": 22.0}


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({}, "there is no eval_dataset, compute_metrics or evaluate"),
        (
            {"train_step": lambda model, batch, optimizer, state: None, "metrics": dict},
            "train_step also trains, so tdebug cannot evaluate with it",
        ),
    ],
)
def test_what_cannot_be_evaluated_says_why(more, reason):
    pipeline = plain(**more)
    if "train_step" in more:

        def train_step(model, batch, optimizer, state):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(batch[0]), batch[1])
            loss.backward()
            optimizer.step()
            return loss

        pipeline.train_step = train_step

    assert result_of(check_pipeline(pipeline)).reason == reason


def test_the_users_evaluation_is_called_once_and_leaves_mode_and_random_state():
    calls = []

    def evaluate(model, dataset):
        calls.append(model.training)
        model.eval()
        torch.rand(3)
        return [model(x[None]).argmax().item() for x, _ in dataset]

    pipeline = plain(evaluate=evaluate)
    state = torch.get_rng_state()
    report = check_pipeline(pipeline)

    assert calls == [True]
    assert pipeline.model.training
    assert torch.equal(torch.get_rng_state(), state)
    assert alarms(report) == {}


def test_an_evaluation_sample_that_cannot_be_read_is_found():
    class Broken(torch.utils.data.Dataset):
        def __len__(self):
            return 6

        def __getitem__(self, i):
            if i == 5:
                raise FileNotFoundError("scan-5.png")
            return torch.zeros(3), 1

    finding = alarms(check_pipeline(plain(eval_dataset=Broken())))["evaluation-fails"]

    assert finding.message.startswith(
        "reading the samples of eval_dataset raised FileNotFoundError"
    )
    assert finding.location.function == "__getitem__"
