"""A few training steps of one rank beside the others, to see whether the ranks stay equal."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch

from ..facts.distributed import RankTraining
from ..observe.evaluation_own import tensor_digest
from ..observe.preserve import preserved
from ..observe.rank_steps import (
    StepDigests,
    awaited_by,
    is_sharded,
    named_parameters,
    names_outside,
    wrappers_in,
)
from ..observe.uncompiled import uncompiled
from ..pipeline.draw import EndOfDataError, draws
from ..pipeline.loss_style import loss_of, style_of
from ..pipeline.trainer_wrap import is_wrapped_by_trainer, wrapped_by_trainer
from ..session import Budget
from ..training import preserved_rng_state
from ..training.precision import autocast_to
from .device import moved
from .settings import precision_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torch import nn
    from torch.nn.parallel import DistributedDataParallel

    from ..observe.rank_steps import HandedTensors
    from ..pipeline.draw import Draw
    from ..pipeline.parts import Pipeline
    from ..session import Session
    from .rank_meeting import RankMeeting

NUM_STEPS = 2
# The user's own loop body may step only after some batches (accumulation).
MOST_BATCHES = 8
WRAPPER = "DistributedDataParallel"


def why_not_trained(pipeline: Pipeline) -> str:
    """Why nothing is learnt from training steps here, "" where something is."""
    model: Any = pipeline.model
    if model is None or pipeline.dataloader is None:
        return "there is no model or no loader"
    if pipeline.lightning is not None:
        return "Lightning wraps the model when it trains"
    if is_sharded(model):
        return "each rank holds a part of the parameters"
    if pipeline.trainer is not None and not is_wrapped_by_trainer(pipeline):
        return "the Trainer does not average gradients with DistributedDataParallel"
    if not any(p.requires_grad for p in model.parameters()):
        return "no parameter can be trained"
    return ""


class RankTrainer:
    """Trains as the user's script would; model, optimizers and random state are then put back.

    Attributes:
        session: What all of it shares.
        meeting: Where the ranks meet after each step.
        handed: What the user's code hands to collectives.
        facts: What was seen until now.
    """

    def __init__(self, session: Session, meeting: RankMeeting, handed: HandedTensors) -> None:
        self.session, self.meeting, self._handed = session, meeting, handed
        self.facts = RankTraining()
        self._style = ""

    def run(self, pipeline: Pipeline) -> None:
        """Run one batch whose gradients stay in this rank, then steps that the ranks take together.

        Raises:
            RanksApartError: The ranks lost each other.
            Exception: What the user's code raises.
        """
        self.facts = replace(self.facts, why_not=why_not_trained(pipeline))
        if self.facts.why_not:
            return
        batches = self._batches(pipeline)
        num = self.meeting.agree_on_least(len(batches), "the choice of training batches")
        if not num:
            self.facts = replace(self.facts, why_not="there is no batch for each rank")
            return
        others = [part for part in (*pipeline.schedulers, pipeline.scaler) if _has_state(part)]
        model: Any = pipeline.model
        with ExitStack() as stack:
            stack.enter_context(preserved(model, pipeline.optimizers, others))
            stack.enter_context(preserved_rng_state())
            stack.enter_context(uncompiled())
            wrapped = stack.enter_context(wrapped_by_trainer(pipeline))
            self._train(wrapped, batches[:num])

    def _batches(self, pipeline: Pipeline) -> list[Any]:
        """A few batches, other ones than those of the other ranks where the loader allows it."""
        most = NUM_STEPS if pipeline.train_step is None else MOST_BATCHES
        world = torch.distributed.get_world_size()
        drawn: list[Draw] = []
        found = []
        for draw in draws(pipeline.dataloader, most * world):
            if draw.fetch is not None:
                drawn.append(draw)
                continue
            try:
                found.append(draw.make())
            except EndOfDataError:
                break
            if len(found) == most:
                break
        return found or [draw.make() for draw in self._own_share(drawn, world)[:most]]

    def _own_share(self, drawn: list[Draw], world: int) -> list[Draw]:
        """Every n-th draw: ranks that read the same batches have equal gradients in any case."""
        if len(drawn) < world:
            return drawn[:1]
        return drawn[self.meeting.rank :: world][: len(drawn) // world]

    def _train(self, pipeline: Pipeline, batches: list[Any]) -> None:
        model: Any = pipeline.model
        wrappers = wrappers_in(model)
        parameters = named_parameters(model)
        self.facts = replace(
            self.facts,
            averaged_by=WRAPPER if wrappers else "",
            unwrapped=tuple(names_outside(parameters, wrappers)),
            before={name: tensor_digest(p) for name, p in parameters.items()},
            has_own_hook=any(getattr(w, "_comm_hooks", None) for w in wrappers),
        )
        model.train()
        self._style = style_of(pipeline, batches[0])
        batches = [moved(batch, next(model.parameters()).device) for batch in batches]
        if self._style != "train_step" and not self._run_apart(pipeline, batches[0], wrappers):
            return
        if wrappers or self._style == "train_step":
            self._run_together(pipeline, batches)

    def _run_apart(
        self, pipeline: Pipeline, batch: Any, wrappers: list[DistributedDataParallel]
    ) -> bool:
        """One batch without averaging; False if the ranks would hang or raise with it."""
        if any(w.static_graph for w in wrappers):  # its first batch is kept for its own purposes
            return True
        model: Any = pipeline.model
        self._handed.clear()
        with _apart(wrappers) as called:
            _zero_grad(model)
            self._forward_and_backward(pipeline, batch, 0)
        awaited = [p for w in called if not w.find_unused_parameters for p in awaited_by(w)]
        lacking = {id(p) for p in awaited if p.grad is None}
        unused = [n for n, p in named_parameters(model).items() if id(p) in lacking]
        self.facts = replace(
            self.facts,
            unused=tuple(unused),
            called_collectives=bool(self._handed),
        )
        _zero_grad(model)
        goes_on = self.meeting.agree_on_least(0 if lacking else 1, "the end of a first batch")
        return bool(goes_on)

    def _run_together(self, pipeline: Pipeline, batches: list[Any]) -> None:
        model: Any = pipeline.model
        budget = Budget(self.session.settings.budget)
        wanted = NUM_STEPS * max(1, len(pipeline.optimizers))
        state: dict[str, Any] = {}
        self._handed.clear()
        with StepDigests(model, self._handed) as digests:
            for number, batch in enumerate(batches):
                if self._style == "train_step":
                    pipeline.train_step(model, batch, pipeline.optimizer, state)  # type: ignore[misc] # the style says that it is there
                else:
                    self._step(pipeline, batch, number)
                digests.end_batch()
                self._note(digests)
                is_enough = len(digests.steps) >= wanted or budget.is_spent
                place = f"the end of training batch {number}"
                if not self.meeting.agree_on_least(0 if is_enough else 1, place):
                    return

    def _note(self, digests: StepDigests) -> None:
        by_code = "the code" if digests.are_averaged_by_code else ""
        self.facts = replace(
            self.facts,
            steps=tuple(digests.steps),
            averaged_by=self.facts.averaged_by or by_code,
        )

    def _step(self, pipeline: Pipeline, batch: Any, number: int) -> None:
        _zero_grad(pipeline.model)
        self._forward_and_backward(pipeline, batch, number)
        for optimizer in pipeline.optimizers:
            optimizer.step()

    def _forward_and_backward(self, pipeline: Pipeline, batch: Any, number: int) -> None:
        precision = precision_of(pipeline, self.session.settings)
        device = next(pipeline.model.parameters()).device.type  # type: ignore[union-attr] # it is there
        own = "fp32" if self._style == "trainer" else precision  # a Trainer brings its own
        with autocast_to(own, device):
            loss = loss_of(pipeline, self._style, batch, number)
        if isinstance(loss, torch.Tensor) and loss.requires_grad and loss.numel() == 1:
            loss.backward()  # type: ignore[no-untyped-call] # torch leaves it untyped


@contextmanager
def _apart(wrappers: list[DistributedDataParallel]) -> Iterator[list[DistributedDataParallel]]:
    """Let no wrapper average; gives those whose forward is called."""
    called: list[DistributedDataParallel] = []
    before = [(w, w.require_backward_grad_sync) for w in wrappers]

    def note(wrapper: Any, _inputs: Any) -> None:
        if wrapper not in called:
            called.append(wrapper)

    handles = [w.register_forward_pre_hook(note) for w in wrappers]
    try:
        for wrapper in wrappers:
            wrapper.require_backward_grad_sync = False
        yield called
    finally:
        for wrapper, is_averaging in before:
            wrapper.require_backward_grad_sync = is_averaging
        for handle in handles:
            handle.remove()


def _zero_grad(model: nn.Module | None) -> None:
    for parameter in model.parameters() if model is not None else ():
        parameter.grad = None


def _has_state(part: Any) -> bool:
    return hasattr(part, "load_state_dict")
