"""Read a part: a name, `_target_` with arguments, or `class_path` with `init_args`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .flaws import Flaw, FlawsError, has_interpolation
from .near import did_you_mean
from .parts import Call, PartSpec, Reference
from .reference import is_reference, parse_reference

if TYPE_CHECKING:
    from .lines import KeyPath, Lines

TARGET, ARGS, CLASS_PATH, INIT_ARGS = "_target_", "_args_", "class_path", "init_args"
REFUSED = {
    "_partial_": (
        "is not read: tdebug itself passes the model's parameters or the optimizer.",
        "Remove it, or name a function of your own.",
    ),
    "_recursive_": ("is not read: nested targets are always built first.", "Remove it."),
    "_convert_": ("is not read: arguments are always plain lists and dicts.", "Remove it."),
}
EXPECTED = "an object reference, or a mapping with _target_ or class_path"


def read_part(
    value: object, path: KeyPath, lines: Lines, *, may_be_module: bool = False
) -> PartSpec:
    """The part that `value` describes.

    Args:
        value: Plain data from the spec.
        path: Where it stands in the spec.
        lines: The lines of the spec.
        may_be_module: Whether a whole file or module is a part, as it is for `pipeline`.

    Raises:
        FlawsError: With every flaw, their paths from the top of the spec.
    """
    reader = _Reader(lines)
    if isinstance(value, str):
        part: PartSpec | None = reader.read_reference(value, path, may_be_module=may_be_module)
    elif isinstance(value, dict) and is_call(value):
        part = reader.read_call(value, path)
    else:
        part = None
        reader.flaws.append(Flaw.unlike(value, EXPECTED, _guess_meant(value), path))
    if reader.flaws or part is None:
        raise FlawsError(reader.flaws)
    return part


def read_data(value: object, path: KeyPath, lines: Lines) -> Any:
    """Plain data in which a mapping with `_target_` or `class_path` becomes a `Call`.

    Raises:
        FlawsError: With every flaw, their paths from the top of the spec.
    """
    reader = _Reader(lines)
    data = reader.read_argument(value, path)
    if reader.flaws:
        raise FlawsError(reader.flaws)
    return data


def is_call(value: dict[Any, Any]) -> bool:
    """Whether a mapping describes a call and is no plain mapping."""
    return TARGET in value or CLASS_PATH in value


def _guess_meant(value: object) -> str:
    if not isinstance(value, dict):
        return ""
    if len(value) == 1:
        (name, rest), *_ = value.items()
        if is_reference(f"{name}:{rest}") and not str(name).startswith("_"):
            return f"Did you mean '{name}:{rest}', without a space after the colon?"
    names = [name for name in value if isinstance(name, str)]
    near = [did_you_mean(name, (TARGET, CLASS_PATH), cutoff=0.7) for name in names]
    return next(filter(None, near), "")


@dataclass
class _Reader:
    lines: Lines
    flaws: list[Flaw] = field(default_factory=list)

    def read_reference(
        self, text: object, path: KeyPath, *, may_be_module: bool = False
    ) -> Reference | None:
        if not isinstance(text, str):
            self.flaws.append(Flaw.unlike(text, "an object reference", path=path))
            return None
        if has_interpolation(text):
            self.flaws.append(Flaw.interpolation(text, path))
            return None
        try:
            parsed = parse_reference(text)
        except FlawsError as error:
            self.flaws.extend(flaw.below(path) for flaw in error.flaws)
            return None
        if not parsed.attribute and not may_be_module:
            lacks = _file_alone if parsed.file else _name_alone
            self.flaws.append(lacks(text, path))
            return None
        return Reference(text, self.lines.find(path))

    def read_call(self, value: dict[Any, Any], path: KeyPath) -> Call | None:
        if TARGET in value and CLASS_PATH in value:
            predicate = "has both _target_ and class_path; expected one of them."
            self.flaws.append(Flaw(predicate, path=path))
            return None
        by_hydra = TARGET in value
        name = TARGET if by_hydra else CLASS_PATH
        target = self.read_reference(value[name], (*path, name))
        read = self._read_hydra if by_hydra else self._read_lightning
        arguments, positional = read(value, path)
        line = self.lines.find(path)
        return Call(target, arguments, positional, line) if target is not None else None

    def _read_hydra(
        self, value: dict[Any, Any], path: KeyPath
    ) -> tuple[dict[str, Any], tuple[Any, ...]]:
        names = {name: item for name, item in value.items() if name not in (TARGET, ARGS)}
        for name, (predicate, remedy) in REFUSED.items():
            if name in names:
                del names[name]
                self.flaws.append(Flaw(predicate, remedy, (*path, name)))
        positional = value.get(ARGS, [])
        if not isinstance(positional, list):
            self.flaws.append(Flaw.unlike(positional, "a list", path=(*path, ARGS)))
            positional = []
        items = tuple(
            self.read_argument(item, (*path, ARGS, place)) for place, item in enumerate(positional)
        )
        return self._read_arguments(names, path), items

    def _read_lightning(
        self, value: dict[Any, Any], path: KeyPath
    ) -> tuple[dict[str, Any], tuple[Any, ...]]:
        for name in value:
            if name not in (CLASS_PATH, INIT_ARGS):
                predicate = "is not read beside class_path."
                remedy = did_you_mean(str(name), (INIT_ARGS,)) or "Arguments go below init_args."
                self.flaws.append(Flaw(predicate, remedy, (*path, str(name))))
        names = value.get(INIT_ARGS) or {}
        if not isinstance(names, dict):
            self.flaws.append(Flaw.unlike(names, "a mapping of arguments", path=(*path, INIT_ARGS)))
            names = {}
        return self._read_arguments(names, (*path, INIT_ARGS)), ()

    def _read_arguments(self, names: dict[Any, Any], path: KeyPath) -> dict[str, Any]:
        arguments: dict[str, Any] = {}
        for name, item in names.items():
            below = (*path, str(name))
            if not isinstance(name, str):
                self.flaws.append(Flaw("is no name of an argument.", path=below))
            arguments[str(name)] = self.read_argument(item, below)
        return arguments

    def read_argument(self, value: object, path: KeyPath) -> Any:
        if isinstance(value, dict):
            if is_call(value):
                return self.read_call(value, path)
            return {key: self.read_argument(item, (*path, str(key))) for key, item in value.items()}
        if isinstance(value, list):
            return [self.read_argument(item, (*path, i)) for i, item in enumerate(value)]
        if isinstance(value, str) and has_interpolation(value):
            self.flaws.append(Flaw.interpolation(value, path))
        elif value is not None and not isinstance(value, (str, bool, int, float, Call)):
            shown = type(value).__name__
            self.flaws.append(Flaw(f"is a {shown}; expected plain data.", "Quote it.", path))
        return value


def _file_alone(text: str, path: KeyPath) -> Flaw:
    return Flaw(f"is {text!r}, a whole file.", f"Write {text + ':NAME'!r}.", path)


def _name_alone(text: str, path: KeyPath) -> Flaw:
    predicate = f"is {text!r}, which names no module to find it in."
    return Flaw(predicate, f"Write {'my_module:' + text!r}.", path)
