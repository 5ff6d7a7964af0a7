"""Find, read and validate a spec."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from .conflicts import list_conflicts, list_lacks
from .flaws import FlawsError
from .mistakes import Mistake, SpecError
from .model import Spec, list_given, list_keys
from .origin import Origin
from .parts import Reference
from .reference import parse_reference
from .sections import SECTIONS
from .text_file import read_text, require_file
from .toml_document import read_pyproject
from .translate import list_mistakes
from .yaml_document import read_yaml

if TYPE_CHECKING:
    from .document import Document

DEFAULT, PYPROJECT = "tdebug.yaml", "pyproject.toml"
INIT = "`tdebug init` writes a tdebug.yaml to start from."


def load_spec(target: str | None, *, folder: Path | None = None) -> Spec:
    """Read a spec, with everything that is wrong with it told at once.

    Args:
        target: A YAML file, a `.py` file (the spec is then that pipeline alone), `file.py:factory`
            or `module:factory`, a pyproject.toml, or None for the tdebug.yaml or else the
            `[tool.tdebug]` of the pyproject.toml in `folder`.
        folder: What `target` is relative to; the current folder by default.

    Raises:
        SpecError: There is none, it cannot be read, or it has mistakes.
    """
    base = (folder or Path.cwd()).absolute()
    if target is None:
        return _load_default(base)
    if not target.strip():
        raise _error(repr(target), "is the name of no file.", "Leave it out for tdebug.yaml.")
    if ":" in target and not os.path.exists(base / target):  # noqa: PTH110 - a name may be too long
        return _load_factory(target, base)
    path = base / target
    if path.suffix == ".py":
        require_file(path, target)
        return _make_spec(target, path.name, path.parent)
    if path.suffix == ".ipynb":
        remedy = "Call tdebug.pipeline_checks.check_pipeline in a cell of it."
        raise _error(target, "is a notebook, which is no spec.", remedy)
    text = read_text(path, target)
    if path.suffix == ".toml":
        return _load_toml(path, text, target)
    return _validate(read_yaml(text, target), path.parent)


def _load_default(folder: Path) -> Spec:
    path = folder / DEFAULT
    if path.exists():
        return _validate(read_yaml(read_text(path, DEFAULT), DEFAULT), folder)
    if (folder / PYPROJECT).is_file():
        document = read_pyproject(read_text(folder / PYPROJECT, PYPROJECT), PYPROJECT)
        if document is not None:
            return _validate(document, folder)
    other = "tdebug.yml" if (folder / "tdebug.yml").exists() else ""
    remedy = f"Did you mean {other!r}? Name it." if other else INIT
    message = f"there is none, nor a [tool.tdebug] in {PYPROJECT}, in this folder."
    raise _error(DEFAULT, message, remedy)


def _load_toml(path: Path, text: str, target: str) -> Spec:
    if path.name != PYPROJECT:
        raise _error(target, f"is TOML; of TOML files only {PYPROJECT} is read.", INIT)
    document = read_pyproject(text, target)
    if document is None:
        raise _error(target, "has no table [tool.tdebug].", INIT)
    return _validate(document, path.parent)


def _load_factory(target: str, folder: Path) -> Spec:
    """The spec of `file.py:factory` or `module:factory`, named without any file of a spec."""
    try:
        parsed = parse_reference(target)
    except FlawsError:
        raise _error(target, "there is no such file.") from None
    if parsed.file is None:
        return _make_spec(target, target, folder)
    path = folder / parsed.file
    require_file(path, parsed.file)
    return _make_spec(target, f"{path.name}:{parsed.attribute}", path.parent)


def _make_spec(target: str, pipeline: str, folder: Path) -> Spec:
    origin = Origin(target, folder.resolve(), given=frozenset({"pipeline"}))
    return Spec.read({"pipeline": Reference(pipeline)}, origin)


def _validate(document: Document, folder: Path) -> Spec:
    mistakes = [*document.mistakes, *list_conflicts(document)]
    empty = [key for key in list_keys() if key in document.data and document.data[key] is None]
    for key in empty:
        if key not in SECTIONS:  # a section whose keys are all commented out is common
            line = document.lines.find((key,))
            mistakes.append(Mistake(document.file, line, f"{key} is empty.", "Remove it."))
    data = {key: value for key, value in document.data.items() if key not in empty}
    origin = Origin(document.file, folder.resolve(), document.lines, list_given(data))
    try:
        spec = Spec.read(data, origin)
    except ValidationError as error:
        mistakes += list_mistakes(error, document.file, document.lines, list_keys())
        raise SpecError(mistakes) from None
    mistakes = mistakes or list(list_lacks(document))
    if mistakes:
        raise SpecError(mistakes)
    return spec


def _error(file: str, message: str, remedy: str = "") -> SpecError:
    return SpecError([Mistake(file, None, message, remedy)])
