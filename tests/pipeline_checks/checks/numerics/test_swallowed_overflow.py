import pytest

from tdebug.pipeline_checks import Stage
from tdebug.pipeline_checks.checks.numerics.swallowed_overflow import swallowed_overflow
from tdebug.pipeline_checks.checks.registry import Undecided
from tdebug.pipeline_checks.facts import SwallowedFacts
from tdebug.pipeline_checks.facts.numerics import OriginFact
from tdebug.pipeline_checks.facts.swallowed import SwallowedOverflowFact
from tdebug.pipeline_checks.report import Location

ORIGIN = OriginFact(
    Stage.FORWARD,
    0,
    "pow",
    "inf",
    module="norm",
    module_type="RmsNorm",
    dtype="float16",
    limit=65504.0,
    input_max=412.0,
    would_be=169744.0,
)


def found_in(wrong_in="norm", inner=None, origin=ORIGIN):
    fact = SwallowedOverflowFact(origin, 1, 32, wrong_in, 8, 32, 0.0, 1.5, inner)
    return list(swallowed_overflow(SwallowedFacts(fact), None))


def test_it_says_what_overflowed_and_what_became_of_it():
    (problem,) = found_in()

    assert problem.message == (
        "pow in norm (RmsNorm) overflows float16 in batch 0: 1 of 32 elements of its result is "
        "inf; its inputs are finite (at most 412); in float32 the result would be 169744, above "
        "65504, the largest float16. No inf is left at the end, but the output of norm is wrong "
        "in 8 of 32 elements, for one 0 in place of 1.5."
    )
    assert "float32" in problem.hint
    assert problem.values["would_be"] == 169744.0


@pytest.mark.parametrize(
    ("wrong_in", "said"),
    [("loss", "the loss is 0 in place of 1.5."), ("", "the model's output is wrong in 8 of 32")],
)
def test_the_loss_and_the_model_itself_are_called_so(wrong_in, said):
    (problem,) = found_in(wrong_in)

    assert said in problem.message


def test_the_librarys_line_stands_beside_the_users():
    (problem,) = found_in(inner=Location("transformers/norms.py", 7, "forward"))

    assert problem.where == "module 'norm', batch 0, at transformers/norms.py:7"


def test_without_a_watched_forward_it_cannot_know():
    with pytest.raises(Undecided, match="the loop is the user's own"):
        list(swallowed_overflow(SwallowedFacts(None, "the loop is the user's own"), None))


def test_nothing_swallowed_is_no_finding():
    assert list(swallowed_overflow(SwallowedFacts(), None)) == []
