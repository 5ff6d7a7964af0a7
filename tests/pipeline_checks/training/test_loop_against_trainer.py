"""The loop and the evaluation beside a real Trainer, on the same tiny BERT and the same data.

Differences, all on purpose: a loss that is not finite is logged as it is (Trainer leaves it out of
the mean, `logging_nan_inf_filter`); the last log of Trainer also holds run time and throughput; its
`eval_*` logs hold run times; there is no `push_begin`.
"""

import warnings

import numpy as np
import pytest
import torch

transformers = pytest.importorskip("transformers")
from transformers import BertConfig, BertForSequenceClassification, TrainingArguments  # noqa: E402

from tdebug.pipeline_checks.training import (  # noqa: E402 - after importorskip
    Evaluation,
    LoopArguments,
    TrainingLoop,
    TrainingParts,
    evaluation_loop,
    find_label_names,
    predict_dict,
)

NUM_SAMPLES = 10


def make_model(**options):
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=40,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=16,
        num_labels=3,
        **options,
    )
    return BertForSequenceClassification(config)


class Plain(torch.nn.Module):
    """Takes no `num_items_in_batch`: Trainer 5.24 divides the loss by the number of accumulated
    batches only then, and the loss of BertForSequenceClassification ignores that argument, so that
    its accumulated gradients are a sum. Ours are always the mean."""

    def __init__(self):
        super().__init__()
        self.bert = make_model(hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)

    def forward(self, input_ids, labels=None):
        return self.bert(input_ids=input_ids, labels=labels)


def make_samples():
    generator = torch.Generator().manual_seed(1)
    return [
        {"input_ids": torch.randint(40, (6,), generator=generator), "labels": torch.tensor(n % 3)}
        for n in range(NUM_SAMPLES)
    ]


def make_batches(size=2):
    samples = make_samples()
    return [
        {name: torch.stack([s[name] for s in samples[n : n + size]]) for name in samples[0]}
        for n in range(0, len(samples), size)
    ]


class EventRecorder(transformers.TrainerCallback):
    """One class for both: our handler takes transformers' callbacks."""

    def __init__(self):
        self.events = []

    def __getattribute__(self, name):
        if not name.startswith("on_"):
            return super().__getattribute__(name)

        def note(args, state, control, **kwargs):
            self.events.append((name, state.global_step, round(state.epoch or 0, 6)))

        return note


class InOrder(transformers.Trainer):
    def _get_train_sampler(self, *args, **kwargs):
        return torch.utils.data.SequentialSampler(self.train_dataset)


def make_trainer(model, tmp_path, compute_metrics=None, **options):
    options = {"report_to": [], "use_cpu": True, "disable_tqdm": True, **options}
    args = TrainingArguments(
        output_dir=str(tmp_path),
        per_device_train_batch_size=2,
        per_device_eval_batch_size=4,
        lr_scheduler_type="constant",
        **options,
    )
    return InOrder(
        model=model,
        args=args,
        train_dataset=make_samples(),
        eval_dataset=make_samples(),
        compute_metrics=compute_metrics,
        optimizers=(torch.optim.SGD(model.parameters(), lr=0.1), None),
    )


@pytest.fixture(autouse=True)
def be_quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what Trainer itself warns of
        yield


@pytest.mark.parametrize(
    "options",
    [
        {"max_steps": 3},
        {"num_train_epochs": 2, "logging_strategy": "epoch", "eval_strategy": "epoch"},
        {
            "num_train_epochs": 2,
            "gradient_accumulation_steps": 2,
            "logging_strategy": "steps",
            "logging_steps": 2,
            "eval_strategy": "steps",
            "eval_steps": 3,
            "save_strategy": "steps",
            "save_steps": 4,
            "logging_first_step": True,
        },
        {"max_steps": 7, "save_strategy": "epoch", "eval_strategy": "steps", "eval_steps": 0.5},
    ],
)
def test_events_losses_and_weights_are_those_of_the_trainer(options, tmp_path):
    options = {"logging_strategy": "no", "save_strategy": "no", "max_grad_norm": 0.5, **options}
    theirs, ours = EventRecorder(), EventRecorder()

    trainer = make_trainer(Plain(), tmp_path / "theirs", **options)
    trainer.add_callback(theirs)
    trainer.train()

    model = Plain()
    parts = TrainingParts(
        model,
        make_batches,
        torch.optim.SGD(model.parameters(), lr=0.1),
        forward_loss=lambda batch: model(**batch).loss,
        evaluation=Evaluation(lambda: make_batches(4), predict_dict),
    )
    args = LoopArguments(output_dir=tmp_path / "ours", **options)
    loop = TrainingLoop(parts, args, [ours])
    loop.run()

    assert ours.events[0][0] == "on_init_end"  # Trainer fired it before the callback was added
    assert ours.events[1:] == theirs.events
    for (name, a), b in zip(
        model.state_dict().items(), trainer.model.state_dict().values(), strict=True
    ):
        torch.testing.assert_close(a, b, msg=name)
    for key in ("loss", "grad_norm", "learning_rate", "eval_loss"):
        mine = [(log["step"], log[key]) for log in loop.state.log_history if key in log]
        expected = [(log["step"], log[key]) for log in trainer.state.log_history if key in log]
        assert [step for step, _ in mine] == [step for step, _ in expected]
        assert [v for _, v in mine] == pytest.approx([v for _, v in expected], rel=1e-4), key
    assert sorted(p.name for p in (tmp_path / "ours").glob("*")) == sorted(
        p.name for p in (tmp_path / "theirs").glob("checkpoint*")
    )


@pytest.mark.parametrize(
    ("options", "include"),
    [
        ({}, []),
        ({}, ["inputs", "loss"]),
        ({"output_hidden_states": True}, ["loss"]),
    ],
)
def test_compute_metrics_gets_what_the_trainer_gives(options, include, tmp_path):
    seen = []

    def compute_metrics(prediction):
        seen.append(prediction)
        return {"value": np.float64(0.25)}

    model = make_model(**options)
    trainer = make_trainer(model, tmp_path, compute_metrics, include_for_metrics=include)
    their_metrics = trainer.evaluate()
    output = evaluation_loop(
        model,
        Evaluation(lambda: make_batches(4), predict_dict, compute_metrics, tuple(include)),
    )
    theirs, ours = map(tuple, seen)
    assert len(ours) == len(theirs) == 2 + len(include)
    for mine, expected in zip(ours, theirs, strict=True):
        assert_equal_arrays(mine, expected)
    assert output.num_samples == NUM_SAMPLES
    assert output.metrics["eval_value"] == their_metrics["eval_value"]
    assert output.metrics["eval_loss"] == pytest.approx(their_metrics["eval_loss"])


def assert_equal_arrays(ours, theirs):
    assert type(ours) is type(theirs)
    if isinstance(theirs, tuple):
        assert len(ours) == len(theirs)
        for mine, expected in zip(ours, theirs, strict=True):
            assert_equal_arrays(mine, expected)
        return
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


def test_labels_are_found_as_the_trainer_finds_them():
    from transformers.utils import find_labels  # noqa: PLC0415 - no public part of transformers

    for kind in (
        BertForSequenceClassification,
        transformers.BertForQuestionAnswering,
        transformers.BertForPreTraining,
        transformers.BertModel,
    ):
        model = kind(make_model().config)
        assert find_label_names(model) == find_labels(kind)
