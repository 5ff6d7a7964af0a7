"""The registry of checks: what a check is, and the refusal of nonsense at registration."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import sys
import typing
from dataclasses import dataclass
from functools import cache
from types import NoneType
from typing import TYPE_CHECKING, Any

from ..events import Death
from ..facts import FACT_TYPES
from ..report import Problem, Severity, Stage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    CheckFunction = Callable[..., Iterator[Problem]]

WITHOUT_DOCSTRINGS = "Python was told to drop its documentation (-OO, PYTHONOPTIMIZE=2)."
CODE = re.compile(r"TD\d{3}")
STAGE_OF_HUNDRED = {
    "0": Stage.LOAD,
    "1": Stage.DATASET,
    "2": Stage.COLLATE,
    "3": Stage.FORWARD,
    "4": Stage.BACKWARD,
    "5": Stage.STEP,
    "7": Stage.EVALUATE,
    "8": Stage.DISTRIBUTED,
}
KINDS_OF_FACT = {*FACT_TYPES.values(), Death}
SECTIONS = ("Why it matters:", "How to fix it:")


class Undecided(Exception):  # noqa: N818 - no error: the check says that it cannot know
    """Raised by a check that cannot know; the text says why: `skipped, because ...`."""


@dataclass(frozen=True)
class Check:
    """One thing looked for.

    Attributes:
        code: `TD104`; never changes its meaning.
        name: `labels-out-of-range`; says the problem, not the remedy.
        stage: The stage that its findings belong to.
        severity: The severity of a finding that names none.
        function: A pure generator of problems over the facts that its parameters name by type.
        needs: Parameter name to fact type, without which it cannot run.
        uses: Parameter name to fact type, passed as None while it is not there.
        is_fallback: True for a check that says in general what others say better; its findings
            are dropped where another check has found an error of its stage or an earlier one.
    """

    code: str
    name: str
    stage: Stage
    severity: Severity
    function: CheckFunction
    needs: Mapping[str, type]
    uses: Mapping[str, type]
    is_fallback: bool = False

    @property
    def documentation(self) -> str:
        """The docstring: what is wrong, why it matters, how to fix it."""
        return inspect.getdoc(self.function) or WITHOUT_DOCSTRINGS

    @property
    def title(self) -> str:
        """The first line of the documentation."""
        return self.documentation.split("\n", 1)[0]

    def matches(self, pattern: str) -> bool:
        """Whether `pattern` is its name or a prefix of its code (`TD1` means all of dataset)."""
        return pattern == self.name or self.code.startswith(pattern.upper())


_registered: dict[str, Check] = {}


def check(
    code: str,
    severity: Severity,
    *,
    stage: Stage | None = None,
    is_fallback: bool = False,
) -> Callable[[CheckFunction], CheckFunction]:
    """Register a check; its name is the function's, its documentation the docstring.

    The function is a generator of `Problem`. Each parameter is annotated with the type of fact that
    it needs, or with `Type | None` for one that it can do without.

    Args:
        code: `TD` and three digits; the first digit is the stage, 6 stands for numerics.
        severity: The severity of a finding that names none.
        stage: Needed for TD6xx alone, whose findings say in which stage they showed.
        is_fallback: See `Check.is_fallback`.

    Raises:
        ValueError: The code is malformed or taken, or the docstring lacks a section.
        TypeError: A parameter is not annotated with a type of fact.
    """

    def register(function: CheckFunction) -> CheckFunction:
        _refuse_nonsense(code, stage, function)
        needs, uses = _read_parameters(function)
        where = stage or STAGE_OF_HUNDRED[code[2]]
        _registered[code] = Check(
            code, _name_of(function), where, severity, function, needs, uses, is_fallback
        )
        return function

    return register


def _name_of(function: CheckFunction) -> str:
    return function.__name__.replace("_", "-")


def _refuse_nonsense(code: str, stage: Stage | None, function: CheckFunction) -> None:
    place = f"{function.__code__.co_filename}:{function.__code__.co_firstlineno}"
    if not CODE.fullmatch(code):
        raise ValueError(f"{place}: a code is TD and three digits, not {code!r}.")
    if stage is None and code[2] not in STAGE_OF_HUNDRED:
        raise ValueError(f"{place}: {code} needs stage=, its hundred is no stage.")
    name = _name_of(function)
    taken = _registered.get(code)
    if taken and taken.name != name:
        raise ValueError(f"{place}: {code} is taken by {taken.name}.")
    namesake = next((c for c in _registered.values() if c.name == name and c.code != code), None)
    if namesake:
        raise ValueError(f"{place}: {name} is the name of {namesake.code}.")
    lacking = [s for s in SECTIONS if s not in (function.__doc__ or "")]
    if lacking and not is_without_docstrings():
        raise ValueError(f"{place}: the docstring lacks {' and '.join(lacking)}.")


def is_without_docstrings() -> bool:
    """Whether Python was told to drop all docstrings (`-OO`, `PYTHONOPTIMIZE=2`)."""
    return sys.flags.optimize > 1


def _read_parameters(function: CheckFunction) -> tuple[dict[str, type], dict[str, type]]:
    hints = typing.get_type_hints(function)
    needs: dict[str, type] = {}
    uses: dict[str, type] = {}
    for name in inspect.signature(function).parameters:
        options = typing.get_args(hints.get(name)) or (hints.get(name),)
        facts = [option for option in options if option is not NoneType]
        kind = facts[0] if len(facts) == 1 else None
        if not isinstance(kind, type) or kind not in KINDS_OF_FACT:
            raise TypeError(f"{function.__name__}: annotate {name} with one type of fact.")
        (uses if NoneType in options else needs)[name] = kind
    return needs, uses


@cache
def all_checks() -> tuple[Check, ...]:
    """Every check, in the order of the codes; imports their modules on first use."""
    package = importlib.import_module(__package__ or "")
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)
    return tuple(_registered[code] for code in sorted(_registered))


def find_check(code_or_name: str) -> Check | None:
    """The check of this code or name, in any case; None if there is none."""
    wanted = code_or_name.strip()
    for candidate in all_checks():
        if wanted.upper() == candidate.code or wanted.lower() == candidate.name:
            return candidate
    return None


def run_check(candidate: Check, facts: Mapping[type, Any]) -> list[Problem] | None:
    """The problems that the check finds, or None while a fact that it needs is not there.

    Raises:
        Undecided: The check cannot know, and says why.
    """
    if any(fact not in facts for fact in candidate.needs.values()):
        return None
    wanted = {**candidate.needs, **candidate.uses}
    return list(candidate.function(**{name: facts.get(fact) for name, fact in wanted.items()}))
