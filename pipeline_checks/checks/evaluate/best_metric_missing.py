"""TD707: the metric by which the best model is picked is none that the evaluation gives."""

from collections.abc import Iterator

from ...facts import EvaluationFacts, LoadFacts, SampleFacts, TrainerFacts
from ...report import Problem, Severity
from ..evaluation_metrics import given_metrics, nearest
from ..registry import check
from ..wording import quoted_list

LOSS = "eval_loss"
TIMES = ("_runtime", "_per_second")  # which the Trainer itself adds


@check("TD707", Severity.ERROR)
def best_metric_missing(
    trainer: TrainerFacts,
    evaluation: EvaluationFacts,
    samples: SampleFacts | None,
    load: LoadFacts | None,
) -> Iterator[Problem]:
    """metric_for_best_model is no metric that the evaluation of the Trainer gives.

    Why it matters: the Trainer looks for it after each evaluation, to load or save the best model,
    to stop early, to step ReduceLROnPlateau. After the first one it raises a KeyError.

    How to fix it: give `metric_for_best_model` a name that compute_metrics returns. Without a
    `eval_loss`, name the labels in `TrainingArguments(label_names=[...])`: only fields of a name
    that the Trainer takes for labels let it compute a loss.
    """
    wanted = trainer.best_metric
    if not wanted or not trainer.is_evaluating or not trainer.is_best_its_own:
        return
    wanted = wanted if wanted.startswith("eval_") else f"eval_{wanted}"
    given = given_metrics(evaluation, trainer)
    if wanted in given or wanted.endswith(TIMES):
        return
    asked = f"metric_for_best_model is {trainer.best_metric!r}"
    asked += ", which load_best_model_at_end sets" if _is_default(trainer) else ""
    yield Problem(
        f"{asked}, but evaluating gives no {wanted!r}: {_reason(trainer, wanted, given)}. train() "
        "raises KeyError after the first evaluation.",
        where="TrainingArguments",
        hint=_loss_hint(trainer, samples) if wanted == LOSS else _name_hint(wanted, given),
        location=load.place_of(("trainer", "pipeline")) if load else None,
        values={"wanted": wanted, "given": list(given)},
    )


def _is_default(trainer: TrainerFacts) -> bool:
    return trainer.best_metric == "loss" and trainer.is_best_loaded


def _reason(trainer: TrainerFacts, wanted: str, given: tuple[str, ...]) -> str:
    if wanted == LOSS and not trainer.sets:
        looked = quoted_list(trainer.label_names) if trainer.label_names else "no field at all"
        return f"it computes a loss only of labels that it finds, and label_names gives {looked}"
    return f"it gives {quoted_list(given)}" if given else "it gives no metric"


def _name_hint(wanted: str, given: tuple[str, ...]) -> str:
    near = nearest(wanted, given)
    if near is None:
        return "return that name from compute_metrics, or ask for one that is there."
    return f"did you mean metric_for_best_model={near!r}?"


def _loss_hint(trainer: TrainerFacts, samples: SampleFacts | None) -> str:
    if trainer.sets:
        named = f"eval_{trainer.sets[0]}_loss"
        return f"each of several evaluation sets has its own: metric_for_best_model={named!r}."
    names = [field.name for field in samples.fields] if samples else []
    known = f" (the fields are {quoted_list(names)})" if names else ""
    return f"name the field of the labels: TrainingArguments(label_names=[...]){known}."
