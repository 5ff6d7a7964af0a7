"""Import what an object reference names."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

    from ..spec.parts import Reference


class UnknownReferenceError(LookupError):
    """An object reference names nothing: no such file, module or attribute."""

    def __init__(self, message: str, line: int | None, remedy: str = "") -> None:
        self.message, self.line, self.remedy = message, line, remedy
        super().__init__(message)


class ImportFailedError(Exception):
    """A module of the user's raised while it was imported; `__cause__` is what it raised."""

    def __init__(self, module: str, cause: BaseException) -> None:
        self.module = module
        self.__cause__ = cause
        super().__init__(f"importing {module} raised {type(cause).__name__}")


def resolve(reference: Reference, folder: Path) -> Any:
    """The object that the reference names.

    Raises:
        UnknownReferenceError: There is no such file, module or attribute.
        ImportFailedError: The module raised while it was imported.
    """
    parsed = reference.parsed
    if parsed.file is not None:
        module = import_file(folder / parsed.file, reference.line)
        return _attribute(module, parsed.attribute, parsed.file, reference)
    for name, attribute in parsed.splits():
        found = _import_if_there(name)
        if found is not None:
            return _attribute(found, attribute, name, reference)
    raise UnknownReferenceError(
        f"there is no module {parsed.module!r}.",
        reference.line,
        f"It is looked for in {folder} and among the installed packages.",
    )


def import_file(path: Path, line: int | None = None) -> ModuleType:
    """Import a file under its own name, anew even if a module of that name is loaded.

    Raises:
        UnknownReferenceError: There is no such file.
        ImportFailedError: The file raised.
    """
    if not path.is_file():
        near = difflib.get_close_matches(path.name, [p.name for p in path.parent.glob("*.py")], 1)
        remedy = f"Did you mean {near[0]}?" if near else ""
        raise UnknownReferenceError(f"there is no file {str(path)!r}.", line, remedy)
    name = path.stem
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UnknownReferenceError(f"{path} is no Python file.", line)
    module = importlib.util.module_from_spec(spec)
    before = sys.modules.get(name)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        _put_back(name, before)
        raise ImportFailedError(path.name, error) from error
    return module


def _put_back(name: str, module: ModuleType | None) -> None:
    if module is None:
        sys.modules.pop(name, None)
    else:
        sys.modules[name] = module


def _import_if_there(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            return None
        raise ImportFailedError(name, error) from error
    except BaseException as error:
        raise ImportFailedError(name, error) from error


def _attribute(module: Any, path: str, name: str, reference: Reference) -> Any:
    found = module
    for step in path.split(".") if path else ():
        if not hasattr(found, step):
            public = [a for a in getattr(found, "__dict__", {}) if not a.startswith("_")]
            near = difflib.get_close_matches(step, public, 1)
            remedy = f"Did you mean {near[0]!r}?" if near else ""
            raise UnknownReferenceError(f"{name!r} has no {step!r}.", reference.line, remedy)
        found = getattr(found, step)
    return found
