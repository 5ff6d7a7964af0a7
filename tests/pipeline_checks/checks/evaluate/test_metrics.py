"""What compute_metrics does wrong, from facts written by hand."""

import math

import pytest

from tdebug.pipeline_checks.checks.evaluate.metric_not_finite import metric_not_finite
from tdebug.pipeline_checks.checks.evaluate.metrics_fail import metrics_fail
from tdebug.pipeline_checks.checks.evaluate.metrics_get_nested_predictions import (
    metrics_get_nested_predictions,
)
from tdebug.pipeline_checks.checks.evaluate.metrics_not_a_dict import metrics_not_a_dict
from tdebug.pipeline_checks.facts import EvaluationFacts, ExceptionFact
from tdebug.pipeline_checks.facts.batches import LeafFact
from tdebug.pipeline_checks.facts.evaluation import MetricsCall
from tdebug.pipeline_checks.report import Location, Severity

LINE = Location("train.py", 31, "compute_metrics", "ids = np.argmax(p.predictions, -1)")
LOGITS = LeafFact("", "float32 array", (40, 3), "float32")
LABELS = LeafFact("", "int64 array", (40,), "int64")
NESTED = (
    LeafFact("[0]", "float32 array", (40, 3), "float32"),
    LeafFact("[1]", "float32 array", (40, 7, 16), "float32"),
)


def raised(given="predictions", kind="ValueError", text="bad shape."):
    error = ExceptionFact(kind, text, (kind, "Exception"), (LINE,), (LINE,))
    return MetricsCall(given, error=error)


def returned(given="predictions", returned="dict", **values):
    return MetricsCall(given, None, returned, returned == "dict", values)


@pytest.fixture
def evaluated():
    def make(*calls, predictions=(LOGITS,), num_samples=40, **more):
        return EvaluationFacts(
            source="eval_dataset",
            num_batches=10,
            num_samples=num_samples,
            num_total=40,
            container="tuple" if len(predictions) > 1 else "ndarray",
            predictions=predictions,
            labels=(LABELS,),
            metrics=calls,
            metrics_location=Location("train.py", 30),
            **more,
        )

    return make


def test_what_raises_is_shown_with_what_it_was_given(evaluated):
    (problem,) = metrics_fail(evaluated(raised(kind="KeyError", text="'f1'")))

    assert problem.message == "compute_metrics raised KeyError: 'f1'"
    assert "predictions [40, 3] float32; labels [40] int64" in problem.where
    assert problem.location == LINE
    assert problem.severity is Severity.ERROR


def test_too_few_samples_may_be_the_cause_of_a_value_error(evaluated):
    (problem,) = metrics_fail(evaluated(raised(), num_samples=8))

    assert problem.severity is Severity.WARNING
    assert problem.hint.startswith("only 8 samples")


def test_labels_of_minus_100_are_named_where_it_runs_without_them(evaluated):
    facts = evaluated(raised(kind="OverflowError"), returned("without_ignored", bleu=0.1))

    (problem,) = metrics_fail(facts)

    assert "-100" in problem.hint
    assert "pad_token_id" in problem.hint


@pytest.mark.parametrize("check", [metrics_fail, metrics_not_a_dict, metric_not_finite])
def test_metrics_without_a_fault_are_left_alone(evaluated, check):
    assert list(check(evaluated(returned(accuracy=0.4)))) == []
    assert list(check(evaluated())) == []


def test_a_tuple_taken_for_one_array_is_told_from_another_failure(evaluated):
    facts = evaluated(
        raised(), returned("first", accuracy=0.4), predictions=NESTED, was_opened=False
    )

    (problem,) = metrics_get_nested_predictions(facts)

    assert "a nested tuple of 2 arrays" in problem.message
    assert "with its first array alone ([40, 3] float32) it runs" in problem.message
    assert "predictions[0]" in problem.hint
    assert list(metrics_fail(facts)) == []


def test_a_tuple_taken_for_one_array_in_silence_is_found_by_the_other_value(evaluated):
    facts = evaluated(
        returned(accuracy=0.0),
        returned("first", accuracy=0.4),
        predictions=NESTED,
        was_opened=False,
    )

    (problem,) = metrics_get_nested_predictions(facts)

    assert problem.message.endswith("it gives accuracy 0 instead of accuracy 0.4.")


def test_a_tuple_that_is_opened_or_not_used_at_all_is_left_alone(evaluated):
    opened = evaluated(returned(accuracy=0.4), predictions=NESTED, was_opened=True)
    unused = evaluated(
        returned(num=40), returned("first", num=40), predictions=NESTED, was_opened=False
    )

    assert list(metrics_get_nested_predictions(opened)) == []
    assert list(metrics_get_nested_predictions(unused)) == []


def test_logits_where_ids_are_decoded_are_named(evaluated):
    facts = evaluated(raised(kind="TypeError"), returned("ids", rouge=0.1))

    (problem,) = metrics_get_nested_predictions(facts)

    assert problem.message.startswith("compute_metrics gets logits ([40, 3] float32) and raised")
    assert "predict_with_generate" in problem.hint


def test_logits_that_never_equal_an_id_are_found_by_right_answers(evaluated):
    facts = evaluated(
        returned(accuracy=0.0),
        returned("right_logits", accuracy=0.0),
        returned("right_ids", accuracy=1.0),
    )

    (problem,) = metrics_get_nested_predictions(facts)

    assert "takes logits ([40, 3] float32) for ids" in problem.message


def test_an_untrained_model_that_hits_nothing_is_left_alone(evaluated):
    facts = evaluated(
        returned(accuracy=0.0),
        returned("right_logits", accuracy=1.0),
        returned("right_ids", accuracy=0.3),
    )

    assert list(metrics_get_nested_predictions(facts)) == []


@pytest.mark.parametrize(
    ("kind", "words"), [("float64", "a float64"), ("NoneType", "None"), ("tuple", "a tuple")]
)
def test_what_is_no_dict_is_named(evaluated, kind, words):
    (problem,) = metrics_not_a_dict(evaluated(returned(returned=kind)))

    assert problem.message == f"compute_metrics returned {words}, and no dict of names and numbers."


def test_a_metric_that_is_nan_even_for_right_predictions_is_an_error(evaluated):
    facts = evaluated(
        returned(accuracy=0.4, recall=math.nan),
        returned("right_ids", accuracy=1.0, recall=math.nan),
    )

    (problem,) = metric_not_finite(facts)

    assert problem.message.startswith("recall is nan after evaluating all 40 samples")
    assert problem.severity is Severity.ERROR


def test_a_metric_that_right_predictions_would_mend_is_a_warning(evaluated):
    facts = evaluated(returned(r=math.nan), returned("right_logits", r=1.0))

    (problem,) = metric_not_finite(facts)

    assert problem.severity is Severity.WARNING
    assert "may pass" in problem.hint


def test_a_metric_of_a_part_of_the_samples_is_a_warning(evaluated):
    (problem,) = metric_not_finite(evaluated(returned(r=math.nan), num_samples=8))

    assert problem.severity is Severity.WARNING


def test_predictions_that_are_nan_themselves_are_blamed(evaluated):
    facts = evaluated(returned(r=math.nan), returned("right_logits", r=1.0), num_bad_predictions=7)

    (problem,) = metric_not_finite(facts)

    assert problem.severity is Severity.ERROR
    assert problem.hint.startswith("7 predictions are nan or inf themselves")


def test_a_loss_that_is_nan_is_found_without_any_metric(evaluated):
    (problem,) = metric_not_finite(evaluated(loss=math.nan))

    assert (
        problem.message == "the loss of all 40 samples of eval_dataset is nan in evaluation mode."
    )
