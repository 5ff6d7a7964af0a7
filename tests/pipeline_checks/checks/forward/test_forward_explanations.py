from dataclasses import replace

import pytest

from tdebug.pipeline_checks.checks.forward.forward_fails import forward_fails
from tdebug.pipeline_checks.facts import ModelFacts
from tdebug.pipeline_checks.facts.batches import LeafFact
from tdebug.pipeline_checks.facts.model import LayerFact, ParameterFact, Signature
from tdebug.pipeline_checks.facts.training import OutputFact
from tdebug.pipeline_checks.report import Location

T5 = ModelFacts(
    "T5",
    signature=Signature(("input_ids", "labels", "decoder_input_ids")),
    is_transformers=True,
)


def said(training, model=None):
    (problem,) = forward_fails(training, model)
    return problem


@pytest.mark.parametrize(
    ("output", "cause", "advice"),
    [
        (OutputFact("NoneType"), "the model's forward returned None", "return"),
        (
            OutputFact("tuple", (LeafFact("[0]", "Tensor", (8, 3), "float32"),)),
            "the model returns a tuple ([0] [8, 3])",
            "output[0]",
        ),
    ],
)
def test_an_output_that_no_loss_takes_is_named(failing, error, output, cause, advice):
    training = failing("cross_entropy", raised=error("TypeError", "must be Tensor"))
    problem = said(replace(training, output=output))
    assert cause in problem.message
    assert advice in problem.hint


def test_a_loss_class_called_with_tensors_is_explained(failing, error):
    made = Location("torch/nn/modules/loss.py", 30, "__init__")
    problem = said(failing("__bool__", raised=error(text="ambiguous.", frames=(made,))))
    assert "ambiguous; the loss class is called with tensors" in problem.message
    assert "criterion(output, target)" in problem.hint


@pytest.mark.parametrize(
    ("shapes", "advice"), [([(6,)] * 4, "torch.stack"), ([(6,), (5,), (6,), (4,)], "pad_sequence")]
)
def test_a_list_of_tensors_in_place_of_one_is_named(failing, error, shapes, advice):
    inputs = [(f"[0][{n}]", shape) for n, shape in enumerate(shapes)]
    problem = said(failing("linear", inputs=inputs, raised=error("TypeError", "not list")))
    assert "batch[0] is a list of 4 tensors, one for each sample" in problem.message
    assert advice in problem.hint


def test_token_ids_with_a_dimension_of_one_too_many_are_named(failing, error):
    ids = LeafFact('["input_ids"]', "Tensor", (4, 1, 8), "int64")
    raised = error("ValueError", "too many values to unpack")
    training = failing(raised=raised)
    failure = replace(training.failures[0], inputs=(ids,))
    problem = said(replace(training, failures=(failure,)), T5)
    assert 'batch["input_ids"] is [4, 1, 8]' in problem.message
    assert "return_tensors" in problem.hint


def test_a_decoder_without_inputs_asks_for_labels(failing, error):
    raised = error("ValueError", "specify one")
    training = failing(inputs=[('["input_ids"]', (4, 8))], raised=raised, module="decoder")
    problem = said(training, T5)
    assert "the batch has neither labels nor decoder_input_ids" in problem.message
    assert "pass labels" in problem.hint


def test_a_key_that_the_batch_does_not_have_is_compared_with_those_it_has(failing, error):
    raised = error("KeyError", "'labels'")
    problem = said(failing(inputs=[('["x"]', (4, 8)), ('["label"]', (4,))], raised=raised))
    assert "the batch holds 'x' and 'label'" in problem.message
    assert "did you mean 'label'?" in problem.hint


def test_a_parameter_changed_in_place_is_named(failing, tensor):
    weight = ParameterFact("weight", (3, 4), "float32", "cpu", requires_grad=True)
    model = ModelFacts("Norm", parameters=(weight,))
    operand = tensor(3, 4, name="weight", requires_grad=True)
    problem = said(failing("__itruediv__", (operand,), module="", module_type="Norm"), model)
    assert "weight is a parameter, changed in place" in problem.message
    assert "no_grad" in problem.hint


def test_a_sequence_of_length_zero_is_named_with_its_sample(failing, error):
    ids = LeafFact("[0]", "Tensor", (4, 3), "int64")
    labels = LeafFact("[1]", "Tensor", (4,), "int64", min=0, max=1, rows_of_min=(1, 3))
    lengths = LeafFact("[2]", "Tensor", (4,), "int64", min=0, max=3, rows_of_min=(2,))
    text = "Length of all samples has to be greater than 0, but found an element in 'lengths'"
    training = failing(raised=error(text=text))
    failure = replace(training.failures[0], inputs=(ids, labels, lengths), indices=(8, 9, 10, 11))
    problem = said(replace(training, failures=(failure,)))
    assert "batch[2] is 0 for dataset[10]: a sequence without any element" in problem.message
    assert "leave such samples out" in problem.hint


def test_other_exceptions_are_left_as_they_are(failing, error):
    problem = said(failing("add", raised=error(text="it failed")))
    assert problem.message.endswith("RuntimeError: it failed")


def test_a_recurrent_layer_that_hands_on_its_tuple_is_named(failing, error):
    raised = error("AttributeError", "'tuple' object has no attribute 'flatten'")
    layers = (LayerFact("body.0", "LSTM", {"batch_first": 1}), LayerFact("head", "Linear"))
    facts = failing(raised=raised, module="body.1", module_type="Flatten")
    [problem] = forward_fails(facts, ModelFacts("Net", layers=layers))
    assert "LSTM 'body.0' returns the tuple (output, hidden state)" in problem.message
    assert "output, _ = layer(x)" in problem.hint
