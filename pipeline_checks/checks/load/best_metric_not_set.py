"""TD015: early stopping, or a scheduler, goes by a metric that is not set."""

from collections.abc import Iterator

from ...facts import LoadFacts, TrainerFacts
from ...report import Problem, Severity
from ..registry import check
from ..wording import join_words

EARLY_STOPPING = "Callback"


@check("TD015", Severity.ERROR)
def best_metric_not_set(trainer: TrainerFacts, load: LoadFacts | None) -> Iterator[Problem]:
    """A Hugging Face Trainer has a part that goes by metric_for_best_model, which is not set.

    Why it matters: `EarlyStoppingCallback` asserts at the start of `train()` that the metric is set
    and that training evaluates; `ReduceLROnPlateau` is stepped with it after an evaluation.

    How to fix it: in TrainingArguments, set `metric_for_best_model` (or `load_best_model_at_end`,
    which sets it to the loss), and `eval_strategy` to "epoch" or "steps".
    """
    stops_early = [name for name in trainer.best_asked_by if name.endswith(EARLY_STOPPING)]
    lacks_metric = not trainer.best_metric and (stops_early or trainer.is_evaluating)
    lacks_evaluation = bool(stops_early) and not trainer.is_evaluating
    if not trainer.best_asked_by or not (lacks_metric or lacks_evaluation):
        return
    lacking = ["metric_for_best_model is None"] if lacks_metric else []
    lacking += ["eval_strategy is 'no'"] if lacks_evaluation else []
    remedy = ["metric_for_best_model='loss'"] if lacks_metric else []
    remedy += ["eval_strategy='epoch'"] if lacks_evaluation else []
    when = "as it starts" if stops_early else "after the first evaluation"
    yield Problem(
        f"{join_words(trainer.best_asked_by)} goes by metric_for_best_model, but "
        f"{join_words(lacking)}: train() raises {when}.",
        where="TrainingArguments",
        hint=f"set {join_words(remedy)} in TrainingArguments.",
        location=load.place_of(("trainer", "pipeline")) if load else None,
        values={"metric": trainer.best_metric, "is_evaluating": trainer.is_evaluating},
    )
