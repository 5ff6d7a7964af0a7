"""Names and codes of checks as users write them; one that does not exist is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..pipeline_checks.checks import Check, all_checks, find_check
from ..pipeline_checks.choice import Choice
from ..pipeline_checks.report import Severity
from ..pipeline_checks.spec import Mistake, SpecError
from ..pipeline_checks.spec.near import did_you_mean
from .errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..pipeline_checks.spec import Spec

LIST = "`tdebug checks` lists them."


def require_check(code_or_name: str) -> Check:
    """The check of this code or name.

    Raises:
        OptionError: There is none.
    """
    found = find_check(code_or_name.replace("_", "-"))
    if found is None:
        raise OptionError(
            code_or_name, "there is no check of this code or name.", near(code_or_name)
        )
    return found


def choose_checks(spec: Spec, select: Sequence[str], ignore: Sequence[str]) -> Choice:
    """Which checks count: the spec's choice, and the options'.

    `--select` stands instead of the spec's, `--ignore` adds to it.

    Args:
        spec: Its `checks` section counts.
        select: The values of `--select`, each with commas between patterns.
        ignore: The values of `--ignore`, likewise.

    Raises:
        SpecError: With every code and name that does not exist, of the options and of the spec.
    """
    selected, ignored = tuple(split_patterns(select)), tuple(split_patterns(ignore))
    mistakes = [*_unknown("--select", selected), *_unknown("--ignore", ignored)]
    mistakes += _unknown_in_spec(spec)
    if mistakes:
        raise SpecError(mistakes)
    return Choice(
        select=selected or spec.checks.select,
        ignore=(*spec.checks.ignore, *ignored),
        severity={name: Severity(level) for name, level in spec.checks.severity.items()},
    )


def split_patterns(values: Iterable[str]) -> Iterator[str]:
    """The patterns, as the registry spells them.

    >>> list(split_patterns(["td1, labels_out_of_range", "TD207"]))
    ['td1', 'labels-out-of-range', 'TD207']
    """
    for value in values:
        for pattern in value.split(","):
            if pattern.strip():
                yield pattern.strip().replace("_", "-")


def near(word: str) -> str:
    """`Did you mean ...?` for a code or name, else where the list is."""
    known = [name for check in all_checks() for name in (check.name, check.code)]
    return did_you_mean(word.replace("_", "-"), known) or LIST


def _unknown(option: str, patterns: Iterable[str]) -> Iterator[Mistake]:
    for pattern in patterns:
        if not _exists(pattern):
            yield _mistake(option, None, pattern)


def _unknown_in_spec(spec: Spec) -> Iterator[Mistake]:
    for key in ("select", "ignore", "severity"):
        patterns = getattr(spec.checks, key)
        for place, pattern in enumerate(patterns):
            if not _exists(pattern):
                last = pattern if isinstance(patterns, dict) else place
                yield _mistake(spec.file, spec.line_of(("checks", key, last)), pattern)


def _exists(pattern: str) -> bool:
    return any(check.matches(pattern) for check in all_checks())


def _mistake(file: str, line: int | None, pattern: str) -> Mistake:
    message = f"{pattern!r} is no check: neither the beginning of a code nor a name."
    return Mistake(file, line, message, near(pattern))
