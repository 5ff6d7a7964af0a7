from tdebug.pipeline_checks.checks.load.best_metric_not_set import best_metric_not_set
from tdebug.pipeline_checks.facts import LoadFacts, TrainerFacts

NOTHING = LoadFacts()


def test_early_stopping_asks_for_a_metric_and_for_evaluations():
    facts = TrainerFacts("Trainer", best_asked_by=("EarlyStoppingCallback",))

    [problem] = best_metric_not_set(facts, NOTHING)

    assert "metric_for_best_model is None and eval_strategy is 'no'" in problem.message
    assert problem.hint.startswith("set metric_for_best_model='loss' and eval_strategy='epoch'")


def test_a_plateau_scheduler_asks_for_a_metric_only_where_training_evaluates():
    asked = {"best_asked_by": ("ReduceLROnPlateau",)}

    [problem] = best_metric_not_set(TrainerFacts("Trainer", is_evaluating=True, **asked), NOTHING)

    assert problem.message.endswith("train() raises after the first evaluation.")
    assert not list(best_metric_not_set(TrainerFacts("Trainer", **asked), NOTHING))


def test_nothing_is_wrong_where_nothing_asks_or_all_is_set():
    asked = ("EarlyStoppingCallback", "ReduceLROnPlateau")
    good = TrainerFacts("Trainer", is_evaluating=True, best_metric="f1", best_asked_by=asked)

    assert not list(best_metric_not_set(good, NOTHING))
    assert not list(best_metric_not_set(TrainerFacts("Trainer"), NOTHING))
