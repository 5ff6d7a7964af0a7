"""Run the first batch once more where gradients are missing or all 0, and see where they end."""

from __future__ import annotations

import copy
from contextlib import ExitStack, nullcontext
from typing import TYPE_CHECKING, Any

import torch

from ...overflow import replay_state
from ..facts.gradient_ends import GradientEndFacts
from ..observe.gradient_ends import ends_of
from ..observe.graph_trace import GraphTrace
from ..observe.stopped_run import StoppedRun, as_it_was

if TYPE_CHECKING:
    from .sections import SectionLoop


def find_gradient_ends(loop: SectionLoop) -> GradientEndFacts:
    """Where gradients end; nothing where none is missing, or a batch has more than one backward."""
    has_bad_numbers = loop.seen.numerics is not None or bool(loop.seen.step.bad_after)
    if not loop.style or has_bad_numbers or not _is_something_missing(loop):
        return GradientEndFacts()
    if any(sum(call.call == "backward" for call in calls) > 1 for calls in loop.seen.calls):
        return GradientEndFacts()
    names = {id(p): name for name, p in loop.model.named_parameters()}
    trace = GraphTrace(loop.session.code, names)
    facts = loop.gradients.facts(loop.modules)
    try:
        with replay_state(loop.model), loop.calls.paused():
            roots = _run(loop, trace)
            return ends_of(trace, roots, loop.model, facts)
    except loop.session.caught:
        return GradientEndFacts()  # it is a further run; what it raises is none of the user's


def _is_something_missing(loop: SectionLoop) -> bool:
    parameters = loop.model.parameters()
    if any(getattr(p, "_post_accumulate_grad_hooks", None) for p in parameters):
        return False  # a backward would step
    gradients = loop.gradients.facts(loop.modules)
    is_all_zero = bool(gradients.reached) and set(gradients.zero) == set(gradients.reached)
    return is_all_zero or bool(gradients.never)


def _run(loop: SectionLoop, trace: GraphTrace) -> list[torch.Tensor]:
    """The forward, up to the backward and without it; gives what would go back."""
    draw, batch = loop.batches[0]
    loop.modules.begin_batch(draw.number)
    run = StoppedRun(1, with_backward=False)
    own: Any = loop.pipeline.train_step if loop.style == "train_step" else None
    result: Any = None
    with ExitStack() as stack:
        stack.enter_context(run.stopping())
        stack.enter_context(trace)
        stack.enter_context(nullcontext() if own is None else torch.enable_grad())
        if own is None:
            result = loop.loss(batch, draw.number)
        else:
            state = copy.copy(loop.user_state)
            result = own(loop.model, as_it_was(batch), loop.pipeline.optimizer, state)
    return run.roots or ([result] if isinstance(result, torch.Tensor) else [])
