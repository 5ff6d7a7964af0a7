from tdebug.pipeline_checks.checks.numerics.non_finite_output import non_finite_output
from tdebug.pipeline_checks.facts import NumericsFacts, TrainingFacts
from tdebug.pipeline_checks.facts.numerics import OriginFact
from tdebug.pipeline_checks.report import Location, Stage

TRAINING = TrainingFacts(batches=(2, 3), indices=((8, 9, 10, 11), (12, 13, 14, 15)))


def test_an_overflow_names_module_limit_value_batch_and_sample():
    origin = OriginFact(
        Stage.FORWARD,
        3,
        "linear",
        "inf",
        "layers.1.wo",
        "Linear",
        "float16",
        65504.0,
        240.0,
        93000.0,
        (2,),
        (14,),
        Location("t5.py", 52),
        "mean",
        "layers.2.norm",
    )
    (problem,) = non_finite_output(NumericsFacts((origin,)), TRAINING)
    assert "linear in layers.1.wo (Linear) gives inf (float16) in batch 3" in problem.message
    assert "its inputs are finite (at most 240)" in problem.message
    assert "would be 93000, above 65504, the largest float16" in problem.message
    assert "mean in layers.2.norm turns it into nan" in problem.message
    assert "batch 3 (samples 12 to 15), first in dataset[14]" in problem.where
    assert "bfloat16" in problem.hint
    assert problem.stage is Stage.FORWARD


def test_a_softmax_over_a_row_of_minus_infinity_speaks_of_the_mask():
    origin = OriginFact(Stage.FORWARD, 3, "softmax", "nan", "attn", "Attention", "float32")
    (problem,) = non_finite_output(NumericsFacts((origin,)), TRAINING)
    assert "mask" in problem.hint


def test_a_bad_loss_without_an_origin_is_still_said():
    facts = NumericsFacts((), ((3, float("nan")),), "the replay did not reproduce it")
    (problem,) = non_finite_output(facts, TRAINING)
    assert "the loss of batch 3 is nan" in problem.message
    assert "because the replay did not reproduce it" in problem.message


def test_an_origin_in_backward_is_left_to_the_check_of_gradients():
    origin = OriginFact(Stage.BACKWARD, 3, "div", "nan")
    assert not list(non_finite_output(NumericsFacts((origin,)), TRAINING))


def test_finite_numbers_are_fine():
    assert not list(non_finite_output(NumericsFacts(), TRAINING))


def test_an_operator_of_the_loss_is_not_said_to_be_the_models():
    line = Location("train.py", 24, "compute_loss", "torch.log(p)")
    origin = OriginFact(Stage.FORWARD, 2, "log", "-inf", location=line, is_in_model=False)
    (problem,) = non_finite_output(NumericsFacts((origin,)), TRAINING)
    assert "log in compute_loss gives -inf" in problem.message


def test_a_weight_that_was_nan_before_is_named():
    origin = OriginFact(Stage.FORWARD, 2, "mul", "nan", source="weight", source_name="head.scale")
    (problem,) = non_finite_output(NumericsFacts((origin,)), TRAINING)
    assert "it reads the weight head.scale, which holds nan already" in problem.message
    assert "when the model is built" in problem.hint


def test_infinite_class_weights_are_thought_of():
    origin = OriginFact(
        Stage.FORWARD, 2, "nll_loss_forward", "nan", source="outside", is_in_model=False
    )
    (problem,) = non_finite_output(NumericsFacts((origin,)), TRAINING)
    assert "nll_loss in the loss" in problem.message
    assert "class weights" in problem.hint


def test_the_reason_is_told_where_it_is_known():
    reason = "it is 0 / 0: 1 zero in 4 elements of the divisor"
    origin = OriginFact(Stage.FORWARD, 2, "div", "nan", reason=reason)
    (problem,) = non_finite_output(NumericsFacts((origin,)), TRAINING)
    assert reason in problem.message
