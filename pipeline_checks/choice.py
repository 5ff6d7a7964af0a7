"""Which checks count, and how bad their findings are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .checks import Check
    from .report import Problem, Severity


@dataclass(frozen=True)
class Choice:
    """Which checks count.

    Attributes:
        select: Code prefixes or names; only these count where any are given.
        ignore: Code prefixes or names that do not count.
        severity: Code or name to the severity that its findings get; the last that fits wins.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: dict[str, Severity] = field(default_factory=dict)

    def counts(self, check: Check) -> bool:
        """Whether findings of the check count."""
        if any(check.matches(pattern) for pattern in self.ignore):
            return False
        return not self.select or any(check.matches(pattern) for pattern in self.select)

    def severity_of(self, check: Check, problem: Problem) -> Severity:
        """The severity of a finding: the user's choice, else the problem's, else the check's."""
        chosen = [level for pattern, level in self.severity.items() if check.matches(pattern)]
        return chosen[-1] if chosen else problem.severity or check.severity
