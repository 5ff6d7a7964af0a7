"""TD412: a gradient in the loss that was taken without a graph."""

from collections.abc import Iterator

from ...facts import CallFacts
from ...report import Location, Problem, Severity
from ..registry import check


@check("TD412", Severity.ERROR)
def gradient_without_graph(calls: CallFacts) -> Iterator[Problem]:
    """A term of the loss is made of a gradient that was taken without `create_graph=True`.

    Why it matters: such a gradient is a constant. The term (a gradient penalty, the residual of a
    differential equation, forces from an energy) is in the number that is printed, but nothing
    learns from it: only the other terms train.

    How to fix it: `torch.autograd.grad(..., create_graph=True)`. With it the gradient is part of
    the graph, and backward goes through it to the weights.
    """
    term = calls.gradient_term
    if term is None:
        return
    yield Problem(
        f"a term of the loss trains nothing: it is made of the gradient that autograd.grad"
        f"{_code(term.taken_at)} gives without create_graph=True, a constant for backward.",
        where=f"added to the loss at {term.added_at}" if term.added_at else "",
        hint="write autograd.grad(..., create_graph=True).",
        location=term.taken_at,
    )


def _code(place: Location | None) -> str:
    return f" ({place.code})" if place is not None and place.code else ""
