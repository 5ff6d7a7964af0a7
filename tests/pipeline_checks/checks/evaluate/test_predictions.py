"""Numbers of predictions, and evaluation that raises, from facts written by hand."""

import pytest

from tdebug.pipeline_checks.checks.evaluate.evaluation_fails import evaluation_fails
from tdebug.pipeline_checks.checks.evaluate.wrong_number_of_predictions import (
    wrong_number_of_predictions,
)
from tdebug.pipeline_checks.checks.registry import Undecided
from tdebug.pipeline_checks.facts import EvaluationFacts, ExceptionFact
from tdebug.pipeline_checks.facts.batches import LeafFact
from tdebug.pipeline_checks.facts.evaluation import EvaluationFailure, OwnEvaluation
from tdebug.pipeline_checks.report import Location, Severity

LINE = Location("data.py", 9, "__getitem__", "return self.rows[i]")
LIBRARY = Location("torch/nn/modules/linear.py", 134, "forward")


def own(num_predictions, num_samples=22, samples=(), **more):
    evaluation = OwnEvaluation(num_samples, "Tensor", num_predictions, samples=samples, **more)
    return EvaluationFacts(own=evaluation)


def batches(predictions, labels, num_samples=8):
    return EvaluationFacts(
        num_samples=num_samples,
        predictions=(LeafFact("", "float32 array", predictions, "float32"),),
        labels=(LeafFact("", "int64 array", labels, "int64"),),
    )


def test_samples_that_are_lost_are_named():
    (problem,) = wrong_number_of_predictions(own(20, samples=tuple(range(20))))

    assert problem.message == "evaluate() gave 20 predictions for 22 samples."
    assert problem.where == "samples 20 and 21 were never read"
    assert problem.severity is None
    assert problem.values == {"predictions": 20, "samples": 22}


def test_too_many_are_an_error():
    (problem,) = wrong_number_of_predictions(own(24))

    assert problem.hint.startswith("2 are too many")


def test_a_small_part_looks_meant_and_none_at_all_does_not():
    (few,) = wrong_number_of_predictions(own(4))
    (none,) = wrong_number_of_predictions(own(0))

    assert few.severity is Severity.INFO
    assert none.severity is None


@pytest.mark.parametrize("number", [22, 66, None])
def test_one_or_several_for_each_sample_and_metrics_alone_are_right(number):
    assert list(wrong_number_of_predictions(own(number))) == []


def test_rows_that_are_no_samples_are_found():
    (problem,) = wrong_number_of_predictions(batches((7, 2), (8,)))

    assert problem.message == "the model gives 7 predictions for 8 samples."


@pytest.mark.parametrize(
    ("predictions", "labels"), [((8, 2), (8,)), ((40, 9), (8, 5)), ((16, 2), (8,))]
)
def test_rows_for_samples_tokens_and_several_each_are_right(predictions, labels):
    assert list(wrong_number_of_predictions(batches(predictions, labels))) == []


def failed(section, *, has_own_loader=False, frames=(LINE,)):
    error = ExceptionFact("IndexError", "out of range", ("IndexError",), frames, frames)
    leaf = LeafFact('["x"]', "Tensor", (4, 2), "float32")
    failure = EvaluationFailure(section, error, 1, (4, 5, 6, 7), (leaf,))
    return EvaluationFacts("eval_dataset", has_own_loader, failure=failure)


def test_a_batch_that_fails_in_evaluation_is_shown_with_its_values():
    (problem,) = evaluation_fails(failed("forward"))

    assert problem.message.startswith("the forward pass in evaluation mode of eval_dataset raised")
    assert problem.where == "evaluation batch 1 (samples 4 to 7)"
    assert 'batch["x"] [4, 2] float32' in problem.hint
    assert problem.location == LINE


def test_a_line_of_a_library_is_no_place_of_the_user():
    error = ExceptionFact("RuntimeError", "shapes", ("RuntimeError",), (LIBRARY,), ())
    facts = EvaluationFacts("eval_dataset", failure=EvaluationFailure("forward", error))

    (problem,) = evaluation_fails(facts)

    assert problem.location is None


def test_putting_samples_together_is_judged_only_where_the_loader_is_the_users():
    with pytest.raises(Undecided, match="put together otherwise"):
        list(evaluation_fails(failed("collate")))

    (problem,) = evaluation_fails(failed("collate", has_own_loader=True))
    assert problem.message.startswith("putting the samples together")


def test_an_evaluate_that_raises_is_found_unless_it_got_a_part():
    error = ExceptionFact("KeyError", "'y'", ("KeyError",), (LINE,), (LINE,))

    (problem,) = evaluation_fails(EvaluationFacts(own=OwnEvaluation(22, error=error)))

    assert problem.message == "evaluate(model, dataset) raised KeyError: 'y'"
    with pytest.raises(Undecided):
        list(evaluation_fails(EvaluationFacts(own=OwnEvaluation(22, error=error, is_part=True))))
