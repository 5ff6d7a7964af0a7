import functools
import tempfile

import pytest
import torch
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    EarlyStoppingCallback,
    Trainer,
    TrainerCallback,
    TrainingArguments,
)

from tdebug.pipeline_checks.observe.trainer_settings import look_at_trainer
from tdebug.pipeline_checks.observe.user_code import UserCode
from tdebug.pipeline_checks.observe.written_names import stand_in_code

pytestmark = pytest.mark.filterwarnings("default")
SIZES = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}


def look(kind=Trainer, model=None, callbacks=(), **settings):
    model = model or BertForSequenceClassification(
        BertConfig(vocab_size=20, intermediate_size=8, **SIZES)
    )
    args = TrainingArguments(tempfile.mkdtemp(), report_to=[], use_cpu=True, **settings)
    trainer = kind(model, args, eval_dataset=[], callbacks=list(callbacks))
    return look_at_trainer(trainer, UserCode())


def test_a_plain_trainer_lacks_nothing():
    facts = look(gradient_checkpointing=True)

    assert (facts.loss_problem, facts.checkpointing_problem, facts.best_asked_by) == ("", "", ())
    assert facts.is_best_its_own
    assert facts.label_names == ("labels",)


def test_a_loss_without_the_argument_that_it_is_called_with_is_seen():
    class Own(Trainer):
        def compute_loss(self, model, inputs, return_outputs=None):
            raise NotImplementedError

    facts = look(Own)

    assert "unexpected keyword argument 'num_items_in_batch'" in facts.loss_problem
    assert facts.loss_signature == "compute_loss(model, inputs, return_outputs=None)"


def of_any_arguments(function):
    @functools.wraps(function)
    def call(self, *args, **kwargs):
        kwargs.pop("num_items_in_batch", None)
        return function(self, *args, **kwargs)

    return call


def test_a_loss_that_takes_whatever_it_is_called_with_is_no_problem():
    class Open(Trainer):
        def compute_loss(self, model, inputs, **more):
            raise NotImplementedError

    class Decorated(Trainer):
        @of_any_arguments
        def compute_loss(self, model, inputs, return_outputs=None):
            raise NotImplementedError

    class Calling(Trainer):
        def compute_loss(self, model, inputs):
            raise NotImplementedError

        def training_step(self, model, inputs, num_items_in_batch=None):
            return self.compute_loss(model, inputs)

    assert [look(kind).loss_problem for kind in (Open, Decorated, Calling)] == ["", "", ""]


def test_early_stopping_and_the_metric_that_it_goes_by_are_seen():
    facts = look(
        callbacks=[EarlyStoppingCallback(2)], eval_strategy="epoch", metric_for_best_model="f1"
    )

    assert facts.best_asked_by == ("EarlyStoppingCallback",)
    assert (facts.is_evaluating, facts.best_metric) == (True, "f1")


def test_a_callback_that_sees_the_metrics_may_add_to_them():
    class Adding(TrainerCallback):
        def on_evaluate(self, args, state, control, metrics, **more):
            metrics["eval_f1"] = 1.0

    assert not look(callbacks=[Adding()]).is_best_its_own


def test_a_model_without_the_methods_of_transformers_cannot_be_checkpointed():
    class Plain(torch.nn.Linear):
        def forward(self, x, labels=None):
            raise NotImplementedError

    facts = look(model=Plain(2, 2), gradient_checkpointing=True)

    assert facts.checkpointing_problem == "Plain has no method gradient_checkpointing_enable"


def test_names_that_stand_in_a_function_are_known_from_those_that_it_is_given():
    def written(prediction):
        return {"accuracy": 1.0, "f1": prediction}

    def given(prediction):
        return dict(prediction)

    assert stand_in_code(["accuracy", "f1"], written)
    assert stand_in_code(["f1"], functools.partial(written))
    assert not stand_in_code(["accuracy"], given)
