"""The report of `tdebug diff`: the first value where two traces part, then the others."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .counting import counted
from .grid import Column, add_grid
from .look import Look
from .measures import magnitude, percent
from .page import Page
from .palette import BAD, QUIET

if TYPE_CHECKING:
    from ..facts.watching import DifferenceFact, DiffFacts, StatsFact
    from .page import Part

COLUMNS = (
    Column("module", is_right=False),
    Column("class", is_right=False, rank=2),
    Column("value", is_right=False),
    Column("batch", rank=1),
    Column("first"),
    Column("second"),
    Column("apart"),
    Column("allowed"),
)
MOST_ROWS = 20
MOST_MODULES = 5


def render_diff(facts: DiffFacts, first: str, second: str, look: Look | None = None) -> str:
    """The report for people at a terminal.

    Args:
        facts: What the comparison showed.
        first: Name of the first trace.
        second: Name of the second.
        look: How text is to look.
    """
    page = Page(look or Look())
    if facts.differences:
        _add_first(page, facts.differences[0])
        page.gap()
        add_grid(page, COLUMNS, [_cells(found) for found in facts.differences[:MOST_ROWS]])
        more = facts.num_differences - MOST_ROWS
        if more > 0:
            page.add((f"... and {more} more", QUIET), indent=2)
    page.gap()
    for name, only in ((first, facts.only_first), (second, facts.only_second)):
        if only:
            page.add_labelled(("note", QUIET), _only_text(name, only), indent=2, hang=10)
    page.add((f"{first} and {second}: ", "bold"), _verdict(facts))
    return page.text()


def differ(facts: DiffFacts) -> bool:
    """Whether the two traces are not the same."""
    return bool(facts.num_differences or facts.only_first or facts.only_second)


def _add_first(page: Page, found: DifferenceFact) -> None:
    module = f"{found.module!r}" if found.module else "the model itself"
    batch = "" if found.batch is None else f", batch {found.batch}"
    page.add((f"the traces part at the {found.context} of {module}", BAD))
    kind = f" ({found.module_class})" if found.module_class else ""
    page.add_labelled(("where", QUIET), f"{module}{kind}{batch}", indent=2, hang=10)
    page.add_labelled(("first", QUIET), _stats_text(found.first), indent=2, hang=10)
    page.add_labelled(("second", QUIET), _stats_text(found.second), indent=2, hang=10)
    page.add_labelled(("apart", QUIET), _apart_text(found), indent=2, hang=10)


def _stats_text(stats: StatsFact | None) -> str:
    if stats is None:
        return "no numbers"
    shape = " x ".join(map(str, stats.shape)) or "scalar"
    bad = [f"{n} {what}" for n, what in ((stats.nan_count, "nan"), (stats.inf_count, "inf")) if n]
    return ", ".join([f"abs max {magnitude(stats.abs_max)}", *bad, stats.dtype, shape])


def _apart_text(found: DifferenceFact) -> str:
    if math.isinf(found.relative):
        return "one of them is not finite, or not there"
    return f"{_exact(found.relative)} of the larger one, where {_exact(found.allowed)} is allowed"


def _exact(share: float) -> str:
    return percent(share) if share >= 0.01 else f"{share:.1e}"  # noqa: PLR2004 - one in a hundred


def _cells(found: DifferenceFact) -> list[Part]:
    apart = "" if math.isinf(found.relative) else _exact(found.relative)
    return [
        found.module or "(the model)",
        (found.module_class, QUIET),
        found.context,
        "" if found.batch is None else str(found.batch),
        _largest(found.first),
        _largest(found.second),
        (apart or "not finite", BAD),
        (_exact(found.allowed), QUIET),
    ]


def _largest(stats: StatsFact | None) -> Part:
    if stats is None:
        return ("none", QUIET)
    return (magnitude(stats.abs_max), "" if stats.is_finite else BAD)


def _only_text(name: str, modules: tuple[str, ...]) -> str:
    shown = ", ".join(module or "(the model)" for module in modules[:MOST_MODULES])
    more = len(modules) - MOST_MODULES
    rest = f" and {more} more" if more > 0 else ""
    return f"only {name} has {shown}{rest}."


def _verdict(facts: DiffFacts) -> Part:
    if facts.num_differences:
        return (f"{facts.num_differences} of {facts.num_compared} values differ", BAD)
    if facts.only_first or facts.only_second:
        return (f"{facts.num_compared} values agree, but the modules are not the same", BAD)
    return (f"all {counted(facts.num_compared, 'value')} agree", "bold green")
