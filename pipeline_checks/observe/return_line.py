"""The line at which a model's forward gives its output."""

from __future__ import annotations

import ast
import inspect
import textwrap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..report import Location
    from .user_code import UserCode

NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def return_of_forward(model: Any, code: UserCode) -> Location | None:
    """The last `return` of its forward; None where that is not the user's own, or has none."""
    function = getattr(type(model), "forward", None)
    try:
        path, (lines, first) = inspect.getsourcefile(function), inspect.getsourcelines(function)  # type: ignore[arg-type] # None raises TypeError
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (TypeError, OSError, SyntaxError):
        return None
    returns = _returns_in(tree.body[0]) if tree.body else []
    if not path or not code.holds(path) or not returns:
        return None
    return code.place(path, first + max(returns) - 1, "forward")


def _returns_in(node: ast.AST) -> list[int]:
    """The lines of its own returns, those of functions inside it left out."""
    found = [node.lineno] if isinstance(node, ast.Return) else []
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, NESTED):
            found += _returns_in(child)
    return found
