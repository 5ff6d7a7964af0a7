import pytest

from tdebug.pipeline_checks.checks.numerics.non_finite_output import non_finite_output
from tdebug.pipeline_checks.facts import NumericsFacts, TrainingFacts
from tdebug.pipeline_checks.facts.numerics import HugeValue, OriginFact
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


def test_a_row_that_is_masked_whole_is_told_with_the_line_of_the_mask():
    reason = "it reads [2, 4], where 1 of 2 rows ([1]) is nothing but -inf"
    place = {"location": Location("net.py", 9), "masked_at": Location("net.py", 4)}
    origin = OriginFact(
        Stage.FORWARD, 2, "softmax", "nan", reason=reason, masked_by="masked_fill", **place
    )
    (problem,) = non_finite_output(NumericsFacts((origin,)), TRAINING)
    assert f"{reason}; the -inf is that of a mask (masked_fill at net.py:4)" in problem.message
    assert "look whether it is inverted" in problem.hint


@pytest.mark.parametrize(
    ("reason", "advice"),
    [
        ("it averages over no target: its one target is 255, the ignore_index", "leave such"),
        ("it is the mean of 0 elements [0]: what was selected is empty", "if mask.any()"),
        ("it is the standard deviation of 1 value (input [1, 4]): n - 1 is 0", "drop_last=True"),
        ("it divides by the number 0 (a count or a length)", "max(count, 1)"),
    ],
)
def test_each_reason_has_its_own_advice(reason, advice):
    origin = OriginFact(Stage.FORWARD, 2, "mean", "nan", reason=reason, input_max=2.0)
    (problem,) = non_finite_output(NumericsFacts((origin,)), TRAINING)
    assert f"in batch 2; {reason}." in problem.message
    assert advice in problem.hint


def test_a_fill_value_in_the_batch_is_named_with_its_sample():
    huge = HugeValue('["t2m"]', 9.97e36, 0.7, 9)
    origin = OriginFact(Stage.FORWARD, 2, "mse_loss", "inf", huge=huge)
    (problem,) = non_finite_output(NumericsFacts((origin,)), TRAINING)
    assert 'batch["t2m"] holds 9.97e+36 in dataset[9], where the median is 0.7' in problem.message
    assert "fill value" in problem.hint


def test_the_reason_is_told_where_it_is_known():
    reason = "it is 0 / 0: 1 zero in 4 elements of the divisor"
    origin = OriginFact(Stage.FORWARD, 2, "div", "nan", reason=reason)
    (problem,) = non_finite_output(NumericsFacts((origin,)), TRAINING)
    assert reason in problem.message
