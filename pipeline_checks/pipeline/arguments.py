"""The dataclasses of `arguments:`, filled from `with:` and from the options after `--`."""

from __future__ import annotations

import re
import sys
import typing
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .resolve import UnknownReferenceError, resolve

if TYPE_CHECKING:
    import inspect
    from collections.abc import Callable

    from ..spec import WorkerSpec
    from ..spec.parts import Reference

# Named, not imported: the parser belongs to the command line, which builds on this package.
PARSER = "tdebug.cli.dataclass_parser:DataclassArgumentParser"
NAMES_OF_ALL = ("arguments", "args")
WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@dataclass(frozen=True)
class Arguments:
    """The filled dataclasses, which factories ask for by type or by name.

    Attributes:
        filled: One object a dataclass, in the order of the spec.
    """

    filled: tuple[Any, ...] = ()

    def wanted_by(self, function: Callable[..., Any], parameter: inspect.Parameter) -> Any:
        """What the parameter of a factory asks for; None where it asks for none of them.

        It is one annotated with the dataclass, or named after it (`TrainingArguments`:
        `training_arguments` or `training_args`), or named `arguments` or `args`, which stands for
        the only dataclass, or for a tuple of all.
        """
        if not self.filled:
            return None
        hint = _hint_of(function, parameter)
        for one in self.filled:
            kind = type(one)
            if hint is not None and _is_same(hint, kind):
                return one
        for one in self.filled:
            if parameter.name in _names_of(type(one)):
                return one
        if parameter.name in NAMES_OF_ALL:
            return self.filled[0] if len(self.filled) == 1 else self.filled
        return None


def fill_arguments(spec: WorkerSpec) -> Arguments:
    """Fill the dataclasses that the spec names; none where it names none.

    Raises:
        UnknownReferenceError: There is no such dataclass, or a value is wrong or missing.
        ImportFailedError: A module of the user's raised.
    """
    if not spec.arguments:
        return Arguments()
    kinds = [_find(reference, spec.folder) for reference in spec.arguments]
    module, _, name = PARSER.partition(":")
    try:
        parser = getattr(import_module(module), name)(kinds)
        filled = parser.parse_dict(dict(spec.with_), overrides=spec.overrides)
    except (TypeError, ValueError, RuntimeError) as error:
        is_with = bool(spec.with_)
        line = spec.line_of("with" if is_with else "arguments")
        raise UnknownReferenceError(f"arguments: {error}", line) from error
    return Arguments(tuple(filled))


def _find(reference: Reference, folder: Path) -> Any:
    """The dataclass, from the module that is loaded where it is that of the pipeline."""
    parsed = reference.parsed
    if parsed.file is not None and parsed.attribute:
        path = folder / parsed.file
        loaded = sys.modules.get(path.stem)
        if loaded is not None and Path(getattr(loaded, "__file__", None) or "") == path:
            found = getattr(loaded, parsed.attribute, None)
            if found is not None:
                return found
    return resolve(reference, folder)


def _hint_of(function: Callable[..., Any], parameter: inspect.Parameter) -> Any:
    if isinstance(parameter.annotation, type):
        return parameter.annotation
    try:
        return typing.get_type_hints(function).get(parameter.name)
    except Exception:  # noqa: BLE001 - an annotation of the user's that cannot be evaluated
        return None


def _is_same(hint: Any, kind: type) -> bool:
    """Whether the hint is this class, also where its module was loaded twice."""
    if hint is kind:
        return True
    names = ("__module__", "__qualname__")
    return all(getattr(hint, name, None) == getattr(kind, name) for name in names)


def _names_of(kind: type) -> tuple[str, str]:
    """`training_arguments` and `training_args` for TrainingArguments."""
    name = WORD_START.sub("_", kind.__name__).lower()
    return name, name.replace("arguments", "args")
