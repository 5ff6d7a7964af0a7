"""Compare what the ranks hold before a collective, which would hang or mix it up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .current_roll_call import get_roll_call
from .errors import RanksDisagreeError
from .layout import Layout
from .meeting import DEFAULT_TIMEOUT_S
from .presence import describe_error
from .process_group import has_process_group

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import torch.distributed as dist

    from .layout import LeafLayout
    from .nested import Nested


def require_same_shapes(
    nested: Nested,
    place: str = "require_same_shapes",
    *,
    group: dist.ProcessGroup | None = None,
    timeout_s: float = DEFAULT_TIMEOUT_S,
) -> None:
    """Raise on every rank if what one holds differs in structure, dtype or shape.

    To be called before a collective that needs them equal: all_gather of uneven shapes hangs, or
    gives wrong rows in silence. Nothing is sent but the description.

    Args:
        nested: Tensors or numpy arrays, or nested lists, tuples and dicts of them.
        place: What this is called in errors; the same on every rank.
        group: The process group; by default the one of all ranks.
        timeout_s: How long to wait for ranks that live.

    Raises:
        RanksDisagreeError: The ranks differ; the message says which rank has what.
        RanksMissingError: A rank is dead, failed or gone, or silent past the limit.
        TypeError: What this rank holds is no array; the others raise RanksDisagreeError.
    """
    if has_process_group():
        layouts = exchange_layouts(nested, place, group=group, timeout_s=timeout_s)
        require_same(layouts, place, lambda leaf: leaf.describe())


def exchange_layouts(
    nested: Nested, place: str, *, group: dist.ProcessGroup | None, timeout_s: float
) -> dict[int, Layout]:
    """Tell every rank what this one holds, and give what each holds by rank."""
    error: TypeError | None = None
    word: dict[str, Any]
    try:
        word = Layout.of(nested).to_word()
    except TypeError as refused:
        # The others must hear of it: they wait for a word, not for an error.
        error, word = refused, {"error": describe_error(refused)}
    words = get_roll_call(group).exchange(word, place, timeout_s=timeout_s)
    if error:
        raise error
    errors = {rank: each.get("error", "arrays") for rank, each in words.items()}
    _compare(place, "what they hold", errors)
    return {rank: Layout.from_word(each) for rank, each in words.items()}


def require_same(
    layouts: Mapping[int, Layout], place: str, describe: Callable[[LeafLayout], str]
) -> None:
    """Compare structures, then each array by what `describe` says of it.

    Raises:
        RanksDisagreeError: The ranks differ; the message says which rank has what.
    """
    paths = dict.fromkeys(path for layout in layouts.values() for path in layout.forms)
    for path in paths:
        forms = {rank: each.forms.get(path, "nothing") for rank, each in layouts.items()}
        _compare(place, path, forms)
    for path in next(iter(layouts.values())).leaves:
        leaves = {rank: describe(each.leaves[path]) for rank, each in layouts.items()}
        _compare(place, path, leaves)


def _compare(place: str, subject: str, by_rank: Mapping[int, str]) -> None:
    if len(set(by_rank.values())) > 1:
        raise RanksDisagreeError(place, subject, by_rank)
