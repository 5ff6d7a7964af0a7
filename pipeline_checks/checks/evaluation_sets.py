"""Look for a problem in each evaluation set, and tell of the first that has it."""

from collections.abc import Callable, Iterator

from ..facts import EvaluationFacts
from ..report import Problem
from .registry import Undecided


def in_first_set(
    evaluation: EvaluationFacts, find: Callable[[EvaluationFacts], Iterator[Problem]]
) -> Iterator[Problem]:
    """The problems of the first set that has any; the others mostly have the same.

    Raises:
        Undecided: No set has one, and one cannot be judged.
    """
    undecided: Undecided | None = None
    for facts in evaluation.sets:
        try:
            problems = list(find(facts))
        except Undecided as error:
            undecided = undecided or error
            continue
        if problems:
            yield from problems
            return
    if undecided is not None:
        raise undecided
