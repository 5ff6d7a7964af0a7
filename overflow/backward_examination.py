"""Running forward and backward of a batch again, to find where a bad gradient began."""

from __future__ import annotations

import math
from collections import deque
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from .examination import device_types
from .find_origin import conclude
from .nested import walk_leaves
from .origin_watch import OriginWatch
from .replay import replay_state

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from torch.autograd.graph import Node

    from .origin import Origin
    from .running import OutermostForward, Running

# 64 MiB of float32: larger gradients of outputs are not kept, they would cost too much memory.
MAX_KEPT_ELEMENTS = 2**24

# How many steps of the graph lie between a loss and its logits, at most: enough for a shift, a
# flattening and a cast; a longer way is not looked for, since each step costs a microsecond.
_NEAR = 64


def keep_output_gradients(forward: OutermostForward, output: object) -> None:
    """Have the gradient of each output kept when it arrives.

    Logits that the model's own loss was computed from need none: the loss's gradient brings it.
    """
    outputs = _differentiable_outputs(output)
    scalars = {context: leaf for context, leaf in outputs.items() if leaf.numel() == 1}
    budget = MAX_KEPT_ELEMENTS
    for context, leaf in outputs.items():
        budget -= leaf.numel()
        if budget < 0:
            return
        later = () if leaf.numel() == 1 else _computed_from(leaf, scalars)
        leaf.register_hook(_Keep(forward.output_gradients, context, later))  # type: ignore[no-untyped-call] # torch leaves it untyped


def examine_backward(
    running: Running, model: nn.Module, forward: OutermostForward
) -> Origin | None:
    """Run a forward and its backward again under the recorder and walk back from the gradients.

    The loss outside the model is not known; the gradients that it sent into the outputs are fed in
    again. Gradients, buffers and random states of the model are left as they were.

    Returns:
        The origin; None where the second run did not show it or could not be made.
    """
    if not forward.output_gradients or _steps_in_backward(model):
        return None
    watch = OriginWatch(model)
    modules, running.modules = running.modules, []
    try:
        with replay_state(model):
            forward.start.restore()
            running.replay = watch.tracker
            with forward.modes.applied(device_types(model)), watch.recording():
                output = forward.module(*forward.args, **forward.kwargs)
                _send_gradients(forward, output)
            return conclude(watch, None, ())
    except Exception:  # noqa: BLE001 - the second run is an extra: what it raises must not hide the hit
        return None
    finally:
        running.modules, running.replay = modules, None


class _Keep:
    """A hook on a tensor that keeps the gradient, unless that of a later output is kept."""

    def __init__(self, kept: dict[str, Tensor], context: str, later: Collection[str]) -> None:
        self._kept = kept
        self._context = context
        self._later = later

    def __call__(self, gradient: Tensor) -> None:
        if not any(context in self._kept for context in self._later):
            self._kept[self._context] = gradient.detach()


def _differentiable_outputs(output: object) -> dict[str, Tensor]:
    return {
        context: leaf
        for context, leaf in walk_leaves(output, "output")
        if isinstance(leaf, Tensor) and leaf.requires_grad and not leaf.is_leaf
    }


def _send_gradients(forward: OutermostForward, output: object) -> None:
    tensors = {c: t for c, t in walk_leaves(output, "output") if isinstance(t, Tensor)}
    known = {c: t for c, t in tensors.items() if c in forward.output_gradients}
    last = [c for c, t in known.items() if not _is_inner(t, known.values())]
    torch.autograd.backward([known[c] for c in last], [forward.output_gradients[c] for c in last])


def _computed_from(tensor: Tensor, outputs: Mapping[str, Tensor]) -> list[str]:
    """Name the outputs that are computed from a tensor in a few steps."""
    return [c for c, other in outputs.items() if _is_inner(tensor, (other,), _NEAR)]


def _is_inner(tensor: Tensor, outputs: Iterable[Tensor], limit: float = math.inf) -> bool:
    """Tell whether another output is computed from this one: its gradient comes through that."""
    others = [t for t in outputs if t is not tensor]
    open_nodes = deque(f for t in others if t.grad_fn for f, _ in t.grad_fn.next_functions)
    seen: set[Node] = set()
    while open_nodes and len(seen) < limit:
        node = open_nodes.popleft()
        if node is None or node in seen:
            continue
        if node is tensor.grad_fn:
            return True
        seen.add(node)
        open_nodes.extend(following for following, _ in node.next_functions)
    return False


def _steps_in_backward(model: nn.Module) -> bool:
    """Tell whether hooks step an optimizer during backward: a second one would step again."""
    return any(
        getattr(parameter, "_post_accumulate_grad_hooks", None) for parameter in model.parameters()
    )
