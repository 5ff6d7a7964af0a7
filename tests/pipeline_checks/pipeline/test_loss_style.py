from types import SimpleNamespace

import pytest
import torch
from torch import nn
from torch.nn import functional

from tdebug.pipeline_checks.pipeline import Pipeline
from tdebug.pipeline_checks.pipeline.loss_style import (
    NoLossStyleError,
    loss_in,
    loss_of,
    style_of,
)

X, Y = torch.ones(4, 2), torch.tensor([0, 1, 0, 1])


class Own(nn.Module):
    """Takes fields and gives whatever the test asks for."""

    def __init__(self, output=None):
        super().__init__()
        self.layer, self.output = nn.Linear(2, 2), output

    def forward(self, x, **fields):
        logits = self.layer(x)
        return logits if self.output is None else self.output(logits)


def run(batch, **parts):
    pipeline = Pipeline(**{"model": Own(), **parts})
    style = style_of(pipeline, batch)
    return style, loss_of(pipeline, style, batch, 0)


def test_train_step_comes_first():
    pipeline = Pipeline(model=Own(), train_step=print, compute_loss=print, loss=print)

    assert style_of(pipeline, None) == "train_step"


def test_compute_loss_comes_before_a_loss():
    style, loss = run([X, Y], compute_loss=lambda model, batch: model(batch[0]).sum(), loss=print)

    assert style == "compute_loss"
    assert loss.shape == ()


def test_a_pair_is_given_to_model_and_loss():
    style, loss = run((X, Y), loss=functional.cross_entropy)

    assert (style, loss.shape) == ("pair", ())


@pytest.mark.parametrize("label", ["labels", "label", "label_ids", "target", "targets", "y"])
def test_the_label_field_of_a_dict_goes_to_the_loss(label):
    style, loss = run({"x": X, label: Y}, loss=functional.cross_entropy)

    assert (style, loss.shape) == ("dict_loss", ())


@pytest.mark.parametrize(
    "output",
    [
        lambda logits: {"logits": logits},
        lambda logits: SimpleNamespace(logits=logits),
        lambda logits: (logits, "more"),
    ],
    ids=["dict", "object", "tuple"],
)
def test_the_logits_are_found_in_what_the_model_returns(output):
    _, loss = run({"x": X, "labels": Y}, model=Own(output), loss=functional.cross_entropy)

    assert loss.shape == ()


@pytest.mark.parametrize(
    ("output", "is_there"),
    [
        (lambda logits: {"loss": logits.sum()}, True),
        (lambda logits: SimpleNamespace(loss=logits.sum()), True),
        (lambda logits: logits.sum(), True),
        (lambda logits: (logits.sum(), logits), True),
        (lambda logits: {"logits": logits}, False),
        (lambda logits: (logits, logits), False),
        (lambda logits: SimpleNamespace(logits=logits), False),
    ],
)
def test_a_model_that_returns_its_loss_is_asked_for_it(output, is_there):
    style, loss = run({"x": X, "labels": Y}, model=Own(output))

    assert style == "model_loss"
    assert (loss is not None) is is_there


@pytest.mark.parametrize("batch", [X, [X], (X,)])
def test_without_a_loss_the_models_own_output_is_it(batch):
    style, loss = run(batch, model=Own(lambda logits: logits.sum()))

    assert (style, loss.shape) == ("model_output", ())


def test_an_own_mapping_is_a_dict(monkeypatch):
    from transformers import BatchEncoding  # noqa: PLC0415 - only here

    style, _ = run(BatchEncoding({"x": X, "labels": Y}), loss=functional.cross_entropy)

    assert style == "dict_loss"


def test_a_dict_without_a_label_is_refused_with_its_fields():
    with pytest.raises(NoLossStyleError) as caught:
        run({"x": X, "gold": Y}, loss=functional.cross_entropy)

    assert "none of the batch's fields x, gold is named as labels are (labels, label," in str(
        caught.value
    )
    assert "write compute_loss(model, batch)" in str(caught.value)


@pytest.mark.parametrize(
    ("batch", "shown"),
    [
        ((X, Y, Y), "a tuple of 3 (Tensor, Tensor, Tensor)"),
        ([X], "a list of 1 (Tensor)"),
        (X, "a Tensor"),
        ("text", "a str"),
    ],
)
def test_a_batch_that_is_no_pair_is_refused_with_its_structure(batch, shown):
    with pytest.raises(NoLossStyleError) as caught:
        run(batch, loss=functional.cross_entropy)

    assert f"the batch is {shown} and no pair (x, y)" in str(caught.value)


def test_the_refusal_is_a_type_error():
    assert issubclass(NoLossStyleError, TypeError)


def test_nothing_is_no_loss():
    assert loss_in(None) is None
    assert loss_in(()) is None
