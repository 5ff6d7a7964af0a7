"""The options after `--`, which are the user's own: they fill the dataclasses of the spec."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

DASHES = "--"
COMMANDS = ("check", "overflow", "trace")


def split_options(arguments: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """The arguments of tdebug, and those after `--` where the command hands them on.

    >>> split_options(["check", "spec.yaml", "--", "--lr", "1e-4"])
    (['check', 'spec.yaml'], ('--lr', '1e-4'))
    """
    given = list(arguments)
    if DASHES not in given or given[0] not in COMMANDS:
        return given, ()
    at = given.index(DASHES)
    return given[:at], tuple(given[at + 1 :])
