"""The line at which a model's forward gives its output."""

from __future__ import annotations

import ast
import inspect
import textwrap
from typing import TYPE_CHECKING, Any

from .function_tree import own_nodes

if TYPE_CHECKING:
    from ..report import Location
    from .user_code import UserCode


def return_of_forward(model: Any, code: UserCode) -> Location | None:
    """The last `return` of its forward; None where that is not the user's own, or has none."""
    function = getattr(type(model), "forward", None)
    try:
        path, (lines, first) = inspect.getsourcefile(function), inspect.getsourcelines(function)  # type: ignore[arg-type] # None raises TypeError
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (TypeError, OSError, SyntaxError):
        return None
    nodes = own_nodes(tree.body[0]) if tree.body else []
    returns = [node.lineno for node in nodes if isinstance(node, ast.Return)]
    if not path or not code.holds(path) or not returns:
        return None
    return code.place(path, first + max(returns) - 1, "forward")
