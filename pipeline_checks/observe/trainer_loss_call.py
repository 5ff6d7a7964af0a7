"""How a Hugging Face Trainer calls its `compute_loss`, and whether that takes it."""

from __future__ import annotations

import ast
import inspect
from typing import TYPE_CHECKING, Any, NamedTuple

from .function_tree import own_nodes, tree_of

if TYPE_CHECKING:
    from collections.abc import Iterator

METHOD = "compute_loss"


class LossCall(NamedTuple):
    """The call, the signature that it meets, and why they do not go together ("" if they do)."""

    call: str = ""
    signature: str = ""
    problem: str = ""


def find_loss_call(trainer: Any) -> LossCall:
    """The call in `training_step` of transformers; nothing known where that is another's."""
    step = type(trainer).training_step
    if "training_step" in vars(trainer) or not step.__module__.startswith("transformers."):
        return LossCall()
    calls = list(_calls_in(step))
    # A wrapper takes what it takes, whatever the function takes that it names as its own.
    signature = inspect.signature(trainer.compute_loss, follow_wrapped=False)
    problems = [_problem(signature, call) for call in calls]
    if not calls or not all(problems):
        return LossCall()
    arguments = ", ".join(ast.unparse(one) for one in (*calls[0].args, *calls[0].keywords))
    return LossCall(f"{METHOD}({arguments})", _shown(signature), problems[0])


def _calls_in(step: Any) -> Iterator[ast.Call]:
    tree = tree_of(step)
    for node in own_nodes(tree) if tree is not None else ():
        is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if is_call and node.func.attr == METHOD:  # type: ignore[attr-defined] # is_call says it
            yield node  # type: ignore[misc] # likewise


def _problem(signature: inspect.Signature, call: ast.Call) -> str:
    names = [keyword.arg for keyword in call.keywords]
    if None in names or any(isinstance(one, ast.Starred) for one in call.args):
        return ""
    try:
        signature.bind(*call.args, **{str(name): None for name in names})
    except TypeError as error:
        return str(error)
    return ""


def _shown(signature: inspect.Signature) -> str:
    bare = [
        one.replace(annotation=inspect.Parameter.empty) for one in signature.parameters.values()
    ]
    return f"{METHOD}{inspect.Signature(bare)}"
