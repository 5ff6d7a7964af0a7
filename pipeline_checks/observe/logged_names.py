"""The names under which a LightningModule may log, as its source and its callbacks' say."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..facts.fitting import LoggedNames

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .user_code import UserCode

LIBRARIES = ("lightning.", "pytorch_lightning.", "lightning_fabric.", "torch.", "abc", "typing")
LOGGING = ("log", "log_dict")
# What has a `log` of its own, which is no logging of a metric.
OTHERS = frozenset({"math", "cmath", "np", "numpy", "torch", "jnp", "logging", "logger", "wandb"})
STORED = "callback_metrics"
MOST_FILES = 100
ANYTHING = ".*"


def find_logged_names(
    module: Any, callbacks: list[Any], code: UserCode, without: str
) -> LoggedNames:
    """What is logged in the user's files, and in those of the module's own classes.

    Args:
        module: The LightningModule.
        callbacks: Those of its Trainer.
        code: Which code is the user's.
        without: Functions whose name has this in it never run, so what they log does not count.
    """
    kinds = [kind for one in (module, *callbacks) for kind in type(one).__mro__]
    others = [k for k in kinds if k is not object and not k.__module__.startswith(LIBRARIES)]
    files = {_file_of(kind) for kind in others} | set(_user_files(code))
    if len(files) > MOST_FILES or not all(code.holds(file) for file in files):
        return LoggedNames(patterns=(ANYTHING,))
    try:
        trees = [ast.parse(Path(file).read_text(encoding="utf-8")) for file in sorted(files)]
    except (OSError, SyntaxError, ValueError):
        return LoggedNames(patterns=(ANYTHING,))
    found = [pattern for tree in trees for pattern in _patterns(tree, without)]
    plain = [p for p in found if not set(p) & set("*.")]
    return LoggedNames(tuple(dict.fromkeys(plain)), tuple(dict.fromkeys(found)))


def _file_of(kind: type) -> str:
    try:
        return inspect.getsourcefile(kind) or "<unknown>"
    except (TypeError, OSError):
        return "<unknown>"


def _user_files(code: UserCode) -> Iterator[str]:
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if not isinstance(file, str) or not file.endswith(".py") or not code.holds(file):
            continue
        if Path(file).is_file():  # torch names files of its own that there are not
            yield file


def _patterns(node: ast.AST, without: str) -> Iterator[str]:
    """A regular expression for each name that may be logged here."""
    is_function = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    if is_function and without and without in node.name:  # type: ignore[attr-defined] # is_function says it
        return
    if isinstance(node, ast.Call):
        yield from _of_call(node)
    elif isinstance(node, ast.Attribute) and _is_used_otherwise(node):
        yield ANYTHING
    called = node.func if isinstance(node, ast.Call) else None
    for child in ast.iter_child_nodes(node):
        if child is called and isinstance(child, ast.Attribute) and child.attr in LOGGING:
            child = child.value  # noqa: PLW2901 - the call itself is read above
        yield from _patterns(child, without)


def _is_used_otherwise(node: ast.Attribute) -> bool:
    """Whether it is `self.log` that is not called here, or the metrics themselves."""
    if node.attr == STORED:
        return True
    return node.attr in LOGGING and isinstance(node.value, ast.Name) and node.value.id == "self"


def _of_call(call: ast.Call) -> Iterator[str]:
    function = call.func
    if isinstance(function, ast.Name) and function.id == "getattr":
        yield from [ANYTHING] if any(_text(one) in LOGGING for one in call.args) else []
    if not isinstance(function, ast.Attribute) or function.attr not in LOGGING:
        return
    if isinstance(function.value, ast.Name) and function.value.id in OTHERS:
        return
    given = [*call.args[:1], *(k.value for k in call.keywords if k.arg in {"name", "dictionary"})]
    if not given:
        yield from [ANYTHING] if call.keywords else []  # `x.log()` is a logarithm
    elif function.attr == "log":
        yield _pattern(given[0])
    elif isinstance(given[0], ast.Dict):
        yield from (_pattern(key) for key in given[0].keys)
    else:
        yield ANYTHING


def _text(node: ast.AST | None) -> str | None:
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return node.value if is_text else None  # type: ignore[union-attr] # is_text says it


def _pattern(node: ast.AST | None) -> str:
    text = _text(node)
    if text is not None:
        return re.escape(text)
    if isinstance(node, ast.JoinedStr):
        return "".join(_pattern(value) for value in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _pattern(node.left) + _pattern(node.right)
    return ANYTHING
