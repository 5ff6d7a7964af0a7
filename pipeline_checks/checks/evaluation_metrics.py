"""The names of all that an evaluation of a Hugging Face Trainer gives."""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from ..facts import EvaluationFacts, TrainerFacts
from .registry import Undecided

PREFIX = "eval"


def given_metrics(evaluation: EvaluationFacts, trainer: TrainerFacts) -> tuple[str, ...]:
    """The names, without those of times.

    Raises:
        Undecided: The evaluation was not seen wholly enough to know them.
    """
    if trainer.sets and len(evaluation.sets) != len(trainer.sets):
        raise Undecided("not every evaluation set was evaluated")
    found: list[str] = []
    for number, one in enumerate(evaluation.sets):
        prefix = f"{PREFIX}_{trainer.sets[number]}" if trainer.sets else PREFIX
        found += _prefixed(_names_of(one, trainer), prefix)
    return tuple(found)


def _names_of(evaluation: EvaluationFacts, trainer: TrainerFacts) -> Iterator[str]:
    if not evaluation.is_put_together or evaluation.source == "dataset":
        raise Undecided("no evaluation set was evaluated")
    if evaluation.loss is not None:
        yield "loss"
    call = evaluation.call
    if call is not None:
        if call.error is not None or not call.is_mapping:
            raise Undecided("compute_metrics does not give its metrics")
        if not (call.are_names_fixed or evaluation.is_complete):
            raise Undecided("other samples may give other metrics")
        yield from call.names
    elif trainer.has_metrics and (evaluation.labels or not evaluation.predictions):
        raise Undecided("compute_metrics was not called")


def _prefixed(names: Iterator[str], prefix: str) -> list[str]:
    return [name if name.startswith(f"{prefix}_") else f"{prefix}_{name}" for name in names]


def nearest(wanted: str, given: Sequence[str]) -> str | None:
    """The name that is most like the wanted one, without the prefix; None where none is like it.

    >>> nearest("eval_f1", ["eval_loss", "eval_f1_macro"]), nearest("eval_x", ["eval_loss"])
    ('f1_macro', None)
    """
    bare = {name.removeprefix(f"{PREFIX}_"): name for name in given}
    word = wanted.removeprefix(f"{PREFIX}_")
    holding = [name for name in bare if word in name or name in word]
    return next(iter(holding or get_close_matches(word, bare, n=1)), None)
