from dataclasses import replace

import pytest

from tdebug.pipeline_checks.checks.evaluate.best_metric_missing import best_metric_missing
from tdebug.pipeline_checks.checks.registry import Undecided
from tdebug.pipeline_checks.facts import EvaluationFacts, TrainerFacts
from tdebug.pipeline_checks.facts.evaluation import MetricsCall

CALL = MetricsCall("predictions", names=("accuracy", "f1_macro"), are_names_fixed=True)
SEEN = EvaluationFacts("eval_dataset", num_batches=2, is_put_together=True, loss=0.7)
TRAINER = TrainerFacts(
    "Trainer", is_evaluating=True, best_metric="f1", is_best_its_own=True, label_names=("labels",)
)


MEASURED = replace(SEEN, metrics=(CALL,))


def find(trainer=TRAINER, evaluation=MEASURED):
    return list(best_metric_missing(trainer, evaluation, None, None))


def test_a_metric_of_another_name_is_told_with_the_names_that_are_there():
    [problem] = find()

    assert "gives no 'eval_f1': it gives 'eval_loss', 'eval_accuracy' and 'eval_f1_macro'" in (
        problem.message
    )
    assert problem.hint == "did you mean metric_for_best_model='f1_macro'?"


@pytest.mark.parametrize("name", ["loss", "eval_loss", "accuracy", "eval_f1_macro", "eval_runtime"])
def test_a_metric_that_is_there_is_no_problem(name):
    assert not find(replace(TRAINER, best_metric=name))


def test_a_loss_that_is_not_computed_is_told_with_the_labels_that_are_looked_for():
    [problem] = find(replace(TRAINER, best_metric="loss"), replace(SEEN, loss=None))

    assert "only of labels that it finds, and label_names gives 'labels'" in problem.message
    assert "label_names=[...]" in problem.hint


def test_each_of_several_sets_has_metrics_of_its_own_name():
    trainer = replace(TRAINER, best_metric="loss", sets=("easy", "hard"))
    both = replace(SEEN, more=(SEEN,))

    [problem] = find(trainer, both)

    assert problem.hint.endswith("metric_for_best_model='eval_easy_loss'.")
    assert not find(replace(trainer, best_metric="hard_loss"), both)


@pytest.mark.parametrize(
    "setting", [{"best_metric": ""}, {"is_evaluating": False}, {"is_best_its_own": False}]
)
def test_nothing_is_said_where_nobody_or_somebody_else_asks_for_the_metric(setting):
    assert not find(replace(TRAINER, **setting))


@pytest.mark.parametrize(
    "evaluation",
    [
        EvaluationFacts("eval_dataset"),
        replace(SEEN, metrics=(replace(CALL, are_names_fixed=False),)),
        replace(SEEN, metrics=(replace(CALL, is_mapping=False),)),
    ],
)
def test_metrics_that_may_be_others_are_not_judged(evaluation):
    with pytest.raises(Undecided):
        find(evaluation=evaluation)
