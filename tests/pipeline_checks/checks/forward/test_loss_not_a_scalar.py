from dataclasses import replace

from tdebug.pipeline_checks.checks.forward.loss_not_a_scalar import loss_not_a_scalar
from tdebug.pipeline_checks.facts import TrainingFacts
from tdebug.pipeline_checks.facts.batches import LeafFact
from tdebug.pipeline_checks.facts.training import LossFact, OutputFact


def training(loss, style="pair"):
    return TrainingFacts(style, (loss,), batches=(0,), indices=((0, 1, 2, 3),))


def test_an_unreduced_loss_is_found_with_its_shape():
    loss = LossFact(0, "Tensor", (4,), "float32", requires_grad=True)
    (problem,) = loss_not_a_scalar(training(loss))
    assert "[4]" in problem.message
    assert "4 elements" in problem.message
    assert ".mean()" in problem.hint


def test_an_integer_loss_is_found():
    loss = LossFact(0, "Tensor", (), "int64", 3.0)
    (problem,) = loss_not_a_scalar(training(loss))
    assert "int64" in problem.message


def test_one_element_is_enough():
    loss = LossFact(0, "Tensor", (1,), "float32", 0.7, requires_grad=True)
    assert not list(loss_not_a_scalar(training(loss)))


def test_what_a_loop_of_the_user_s_own_returns_is_free():
    loss = LossFact(0, "Tensor", (4,), "float32")
    assert not list(loss_not_a_scalar(training(loss, "train_step")))


def returning(*shapes, style="trainer"):
    held = tuple(LeafFact(f"[{n}]", "Tensor", s, "float32") for n, s in enumerate(shapes))
    loss = LossFact(0, "Tensor", (4, 2), "float32", requires_grad=True)
    return replace(training(loss, style), output=OutputFact("tuple", held))


def test_logits_that_stand_before_the_loss_are_not_to_be_averaged():
    (problem,) = loss_not_a_scalar(returning((4, 2), ()))
    assert "the Trainer takes the first entry" in problem.message
    assert "output[1]" in problem.message
    assert "return (loss, logits)" in problem.hint


def test_a_tuple_without_any_number_keeps_the_usual_hint():
    (problem,) = loss_not_a_scalar(returning((4, 2), (4, 8)))
    assert ".mean()" in problem.hint


def test_a_loss_of_compute_loss_is_not_looked_for_in_the_output():
    (problem,) = loss_not_a_scalar(returning((4, 2), (), style="compute_loss"))
    assert ".mean()" in problem.hint
