"""Recipes: for each part where it comes from and how it is made."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..spec.parts import Call, Reference
from .arguments import Arguments
from .resolve import resolve

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from types import ModuleType

    from ..report import Location
    from ..session import Session
    from ..spec.parts import PartSpec

FACTORIES = {
    "build_tokenizer": "tokenizer",
    "build_model": "model",
    "build_dataset": "dataset",
    "build_eval_dataset": "eval_dataset",
    "build_collate_fn": "collate_fn",
    "build_dataloader": "dataloader",
    "build_loss": "loss",
    "build_optimizer": "optimizer",
    "build_scheduler": "scheduler",
    "build_scaler": "scaler",
    "build_trainer": "trainer",
}
FUNCTIONS = {
    "compute_loss": "compute_loss",
    "train_step": "train_step",
    "compute_metrics": "metrics",
    "evaluate": "evaluate",
}
# Taken as they are where a spec names a function; a class is made an instance.
TAKEN_AS_IS = {"collate_fn", "loss", "compute_loss", "train_step", "metrics", "evaluate"}
FIRST_ARGUMENT = {"optimizer": "model", "scheduler": "optimizer"}


NO_ARGUMENTS = Arguments()


@dataclass(frozen=True)
class Recipe:
    """How one part is made.

    Attributes:
        name: The part.
        origin: In words: `build_model() of train_setup.py`.
        make: Called with the parts made so far.
        location: The line of the factory or of the spec.
        is_of_spec: Whether a key of the spec gives the part, not what its `pipeline:` names.
    """

    name: str
    origin: str
    make: Callable[[Mapping[str, Any]], Any] = field(repr=False)
    location: Location | None = None
    is_of_spec: bool = False


class MissingPartError(Exception):
    """A factory asks for a part that is not there (yet).

    Attributes:
        name: The part.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"there is no {name}")


def recipes_of_module(
    module: ModuleType, file: str, session: Session, arguments: Arguments = NO_ARGUMENTS
) -> dict[str, Recipe]:
    """The recipes that a file or module defines by the names of its factories."""
    found: dict[str, Recipe] = {}
    for function_name, part in {**FACTORIES, **FUNCTIONS}.items():
        value = getattr(module, function_name, None)
        if not callable(value):
            continue
        code = getattr(value, "__code__", None)
        location = session.code.of_code(code) if code else None
        called = function_name in FACTORIES
        origin = f"{function_name}{'()' if called else ''} of {file}"
        first = FIRST_ARGUMENT.get(part)
        make = called_by_name(value, first, arguments) if called else _as_it_is(value)
        found[part] = Recipe(part, origin, make, location)
    return found


def recipe_of_spec(
    name: str,
    part: PartSpec,
    folder: Path,
    location: Location | None,
    arguments: Arguments = NO_ARGUMENTS,
) -> Recipe:
    """The recipe that a line of the spec gives."""

    def make(parts: Mapping[str, Any]) -> Any:
        return _make(name, part, folder, parts, arguments)

    return Recipe(name, "the spec", make, location, is_of_spec=True)


def _make(
    name: str, part: PartSpec, folder: Path, parts: Mapping[str, Any], given: Arguments
) -> Any:
    first = FIRST_ARGUMENT.get(name)
    if isinstance(part, Reference):
        value = resolve(part, folder)
        if inspect.isclass(value):
            return value(*_first(first, parts))
        if name in TAKEN_AS_IS or not inspect.isroutine(value):
            return value
        return called_by_name(value, first, given)(parts)
    target = resolve(part.target, folder)
    arguments = {key: _built(value, folder) for key, value in part.arguments.items()}
    positional = [_built(value, folder) for value in part.positional]
    return target(*_first(first, parts), *positional, **arguments)


def _first(name: str | None, parts: Mapping[str, Any]) -> list[Any]:
    if name is None:
        return []
    if parts.get(name) is None:
        raise MissingPartError(name)
    return [parts[name].parameters() if name == "model" else parts[name]]


def _built(value: Any, folder: Path) -> Any:
    """Plain data with every nested target built."""
    if isinstance(value, Reference):
        return resolve(value, folder)
    if isinstance(value, Call):
        arguments = {key: _built(item, folder) for key, item in value.arguments.items()}
        positional = [_built(item, folder) for item in value.positional]
        return resolve(value.target, folder)(*positional, **arguments)
    if isinstance(value, dict):
        return {key: _built(item, folder) for key, item in value.items()}
    if isinstance(value, list):
        return [_built(item, folder) for item in value]
    return value


def _as_it_is(value: Any) -> Callable[[Mapping[str, Any]], Any]:
    return lambda _: value


def called_by_name(
    function: Callable[..., Any], first: str | None = None, given: Arguments = NO_ARGUMENTS
) -> Callable[[Mapping[str, Any]], Any]:
    """The function, called with the parts that its parameters are named after.

    Args:
        function: The factory.
        first: The part that its first parameter takes, whatever that is called.
        given: The dataclasses that its other parameters may ask for.
    """

    def make(parts: Mapping[str, Any]) -> Any:
        arguments = {}
        for number, (name, parameter) in enumerate(_parameters(function).items()):
            filled = given.wanted_by(function, parameter) if name not in parts else None
            if filled is not None:
                arguments[name] = filled
            elif number == 0 and first is not None and name not in parts:
                if parts.get(first) is None:
                    raise MissingPartError(first)
                arguments[name] = parts[first]
            elif parts.get(name) is not None:
                arguments[name] = parts[name]
            elif name in parts and parameter.default is parameter.empty:
                raise MissingPartError(name)
        return function(**arguments)

    return make


def _parameters(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return {}
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return {name: p for name, p in parameters.items() if p.kind in named}
