"""The lines of a dict that a Python file assigns at its top."""

from __future__ import annotations

import ast
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def find_dict_lines(path: Path, name: str) -> dict[str, int]:
    """The line of each key of `name = {...}` or `name = dict(...)`, that of the whole under "".

    What cannot be read is left out: the lines only help to find a mistake.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about escapes in the text: Python itself says it
            tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return {}
    lines: dict[str, int] = {}
    for statement in tree.body:
        target, value = _split_assignment(statement)
        if target == name and value is not None:
            lines = {"": statement.lineno, **_key_lines(value)}
    return lines


def _split_assignment(statement: ast.stmt) -> tuple[str, ast.expr | None]:
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id, statement.value
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        return statement.target.id, statement.value
    return "", None


def _key_lines(value: ast.expr) -> dict[str, int]:
    if isinstance(value, ast.Dict):
        keys = [key for key in value.keys if isinstance(key, ast.Constant)]
        return {str(key.value): key.lineno for key in keys}
    if isinstance(value, ast.Call):
        return {word.arg: word.lineno for word in value.keywords if word.arg}
    return {}
