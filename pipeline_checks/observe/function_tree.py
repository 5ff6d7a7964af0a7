"""The syntax tree of a function that is at hand as an object."""

from __future__ import annotations

import ast
import inspect
import textwrap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def tree_of(function: Any) -> ast.FunctionDef | None:
    """Its definition; None where the source cannot be had, or is no `def`."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (TypeError, OSError, SyntaxError):
        return None
    for first in tree.body[:1]:
        # The source of a lambda is the statement around it, which may be another function.
        if isinstance(first, ast.FunctionDef) and first.name == function.__name__:
            return first
    return None


def own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """What stands in it, functions and classes inside it left out."""
    for child in ast.iter_child_nodes(function):
        yield child
        if not isinstance(child, NESTED):
            yield from own_nodes(child)


def means_to_return_nothing(function: Any) -> bool:
    """Whether a function says itself that it gives None; also where that is not known.

    It says so with `return` or `return None`, and with a body of `pass`, `...` or words alone.
    """
    tree = tree_of(function)
    if tree is None:
        return True
    returns = [node for node in own_nodes(tree) if isinstance(node, ast.Return)]
    if any(_is_none(node.value) for node in returns):
        return True
    return all(_does_nothing(statement) for statement in tree.body)


def _is_none(value: ast.expr | None) -> bool:
    return value is None or (isinstance(value, ast.Constant) and value.value is None)


def _does_nothing(statement: ast.stmt) -> bool:
    is_words = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return is_words or isinstance(statement, ast.Pass)
