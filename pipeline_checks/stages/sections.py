"""Forward, backward and one optimizer step: one loop over the chosen batches."""

from __future__ import annotations

import time
import warnings
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import torch

from ..events import Event, Note, Observed, Progress, StageBegan, StageEnded
from ..facts.numerics import NumericsFacts
from ..facts.step import StepFacts
from ..facts.training import OutputFact
from ..observe.batch_context import BatchContext
from ..observe.batches import leaf_facts
from ..observe.calls import CallRecord, CallWatch
from ..observe.gradients import GradientObserver
from ..observe.graph import LeafWatch, carried_graphs
from ..observe.loss_weights import weigh
from ..observe.losses import failure_fact, loss_fact
from ..observe.mixing import look_at_mixing
from ..observe.modules import NOTHING, ModuleWatch, as_module
from ..observe.origins import origin_of_batch
from ..observe.parameters import ParameterWatch, unchanged_despite_gradient
from ..observe.ranges import RangeWatch
from ..observe.step_calls import StepCallWatch
from ..observe.swallowed import look_for_swallowed
from ..pipeline.loss_style import loss_of, style_of
from ..report import Stage
from ..session import Budget
from .gradient_ends import find_gradient_ends
from .repeat import repeat_one_batch
from .replay import find_inplace
from .seen import SECTIONS, Seen
from .step_replay import StepReplay, has_stepped
from .stepping import take_step
from .train_mode import put_in_train_mode

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from torch import nn

    from ..facts.training import CarriedGraph
    from ..pipeline.draw import Draw
    from ..pipeline.parts import Pipeline
    from ..session import Session

AUTOCAST = {"bf16": torch.bfloat16, "fp16": torch.float16}
# The graph is looked at in two batches: the second one shows what is new each time.
NUM_GRAPHS = 2


class SectionLoop:
    """The three sections at work on the batches that collate kept.

    Attributes:
        session: What all stages share.
        pipeline: The parts.
        model: The model.
        batches: What is run.
        precision: fp32, bf16 or fp16 (autocast).
        style: How the loss is computed; found at the first batch.
        seen: What was seen until now.
    """

    def __init__(
        self,
        session: Session,
        pipeline: Pipeline,
        batches: list[tuple[Draw, Any]],
        precision: str = "fp32",
    ) -> None:
        model: Any = pipeline.model
        self.session, self.pipeline, self.batches = session, pipeline, batches
        self.model: nn.Module = model
        self.precision = precision
        self.style = ""
        self.seen = Seen()
        self.user_state: dict[str, Any] = {}
        self._replay: StepReplay | None = None
        own_loss = as_module(pipeline.loss)
        self.modules = ModuleWatch(model, session.code, extra=own_loss)
        self.record = CallRecord()
        self.gradients = GradientObserver(model)
        held = [p for o in pipeline.optimizers for g in o.param_groups for p in g["params"]]
        self._held = {id(p) for p in held}
        self._leaves = LeafWatch(model, [*held, *(own_loss.parameters() if own_loss else ())])
        self._ranges: RangeWatch | None = None
        self._names = {id(t): n for n, t in [*model.named_parameters(), *model.named_buffers()]}
        looks = self._before_backward, self._after_backward
        self.calls = StepCallWatch(session.code, pipeline.optimizers, *looks)

    def run(self) -> Iterator[Event]:
        """Run the batches, one after the other."""
        for stage in SECTIONS:
            yield StageBegan(stage)
        if not self.batches:
            for stage in SECTIONS:
                yield StageEnded(stage, 0.0, "", "there is no batch to run")
            return
        put_in_train_mode(self.pipeline, self.model)
        with self.modules, self.calls, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield from self._run_batches()
        yield from self._tell()

    def _run_batches(self) -> Iterator[Event]:
        budget = Budget(self.session.settings.budget)
        watch = ParameterWatch(self.model)
        last = len(self.batches) - 1
        for position, (draw, batch) in enumerate(self.batches):
            if budget.is_spent and 0 < position < last:
                continue
            yield Progress(Stage.FORWARD, f"batch {draw.number}", position, len(self.batches))
            with self._range_watch(draw.number):
                self._one_batch(draw, batch, is_last=position == last)
        if len(self.seen.run) < len(self.batches):
            yield Note(
                f"the budget of {budget.seconds:g} s ended the training loop after "
                f"{len(self.seen.run)} of {len(self.batches)} batches."
            )
        yield from self._finish(watch)

    def _finish(self, watch: ParameterWatch) -> Iterator[Event]:
        if not self.seen.failures:
            self._compare(watch)
            if self.seen.numerics is None:
                yield Progress(Stage.STEP, "a few more steps on one batch")
                with self.calls.paused(), self.modules.paused():
                    yield Observed(look_at_mixing(self))
                    yield Observed(look_for_swallowed(self, self._ranges))
                with self.calls.paused():
                    yield Observed(repeat_one_batch(self))
        self.seen.ends = find_gradient_ends(self)
        watch.put_back()

    def _range_watch(self, number: int) -> AbstractContextManager[object]:
        """What looks, in the first batch, at how large outputs are; in float16 that is no news."""
        if self._ranges is not None or self.precision == "fp16":
            return nullcontext()
        self._ranges = RangeWatch(self.model, number)
        return self._ranges

    def _one_batch(self, draw: Draw, batch: Any, *, is_last: bool) -> None:
        context = self.context(draw, batch)
        self.modules.begin_batch(draw.number)
        self.calls.begin_batch()
        self.seen.run.append((draw.number, draw.indices))
        carried = carried_graphs(self.model, self.user_state, self._leaves.older)
        try:
            self.style = self.style or style_of(self.pipeline, batch)
            if self.style == "train_step":
                self._user_step(context, batch)
            else:
                self._own_step(context, batch, is_last=is_last)
        except self.session.caught as error:
            self._note_failure(error, context, batch, carried)
        self.seen.calls.append(tuple(self.calls.calls))
        self._note_output()
        self._note_numbers(context)

    def _own_step(self, context: BatchContext, batch: Any, *, is_last: bool) -> None:
        self.zero_grad()
        with self._timed(Stage.FORWARD), CallWatch(context, self.modules, self.record):
            loss = self.loss(batch, context.number)
        loss = self._take_loss(loss, context.number, batch)
        if loss is None or self.seen.failed_in(Stage.BACKWARD):
            return
        with self._timed(Stage.BACKWARD):
            loss.backward()  # type: ignore[no-untyped-call] # torch leaves it untyped
        self._note_numbers(context)  # before the step makes all weights nan
        if is_last and not self.seen.failures:
            with self._timed(Stage.STEP):
                self.seen.was_skipped = not take_step(self, batch, context.number)

    def _user_step(self, context: BatchContext, batch: Any) -> None:
        optimizer, step = self.pipeline.optimizer, self.pipeline.train_step
        self._replay = StepReplay(self, context)
        with self._timed(Stage.FORWARD), CallWatch(context, self.modules, self.record):
            loss = step(self.model, batch, optimizer, self.user_state)  # type: ignore[misc] # the style says that it is there
        self._take_loss(loss, context.number, batch)

    def context(self, draw: Draw, batch: Any) -> BatchContext:
        """The batch as the observers know it."""
        return BatchContext(draw.number, draw.indices, batch, self._names)

    def loss(self, batch: Any, number: int) -> Any:
        """The loss of a batch under the precision's autocast; not for `train_step`."""
        dtype = AUTOCAST.get(self.precision)
        device = next((p.device.type for p in self.model.parameters()), "cpu")
        # A Trainer brings its own autocast.
        own = dtype is not None and self.style != "trainer"
        with torch.autocast(device, dtype=dtype) if own else nullcontext():
            return loss_of(self.pipeline, self.style, batch, number)

    def zero_grad(self) -> None:
        """Drop all gradients, without the user's optimizer."""
        for parameter in self.model.parameters():
            parameter.grad = None

    def _take_loss(self, loss: Any, number: int, batch: Any) -> torch.Tensor | None:
        """Note the loss; None where backward cannot start from it."""
        self.seen.losses.append(loss_fact(loss, number))
        if not isinstance(loss, torch.Tensor):
            return None
        if loss.grad_fn is not None and len(self.seen.losses) <= NUM_GRAPHS:
            self._leaves.look(loss, batch, self.modules)
        return loss if loss.requires_grad and loss.numel() == 1 else None

    def _before_backward(self, roots: list[torch.Tensor]) -> None:
        cut = self.record.take_fresh_cut()
        if cut is not None:
            self.calls.annotate(cut=cut.location, cut_by=cut.function)
        if roots and not any(root.requires_grad for root in roots):
            # The user's loop goes back from it all the same, which raises.
            self.seen.losses.append(loss_fact(roots[0], self.modules.batch))
        weigh(self.record.losses, self.record.results, roots)
        self.record.gradients.settle(roots)
        self.record.results.clear()
        if self._replay is not None:
            self._replay.before_backward(roots)

    def _after_backward(self) -> None:
        self.gradients.look(self.modules.batch)
        if self._replay is not None:
            self._replay.after_backward()

    def _note_failure(
        self,
        error: BaseException,
        context: BatchContext,
        batch: Any,
        carried: tuple[CarriedGraph, ...],
    ) -> None:
        section = self.calls.section
        fact = self.session.fact(error)
        failed = failure_fact(fact, error, section, context, batch, self.record, self.modules)
        self.seen.failures.append(failed)
        if section is Stage.BACKWARD and not self.seen.inplace:
            self.seen.carried = self.seen.carried or carried
            self.seen.inplace = find_inplace(self, context, batch)

    def _note_output(self) -> None:
        output = self.modules.output
        if self.seen.output is None and output is not NOTHING:
            self.seen.output = OutputFact(type(output).__name__, tuple(leaf_facts(output)))
        self.modules.output = NOTHING
        self.record.results.clear()
        self.record.gradients.clear()
        self.modules.end_batch()

    def _note_numbers(self, context: BatchContext) -> None:
        """Look for the origin in the first batch with a loss or gradient that is not finite."""
        losses = self.seen.losses
        if self.seen.numerics is not None or not losses:
            return
        value = losses[-1].value if losses[-1].batch == context.number else None
        is_bad = value is not None and value - value != 0
        if is_bad and self._replay is not None and not has_stepped(self.calls.calls):
            self._replay.after_batch(value or 0.0)
        elif is_bad or self.gradients.first_bad_batch == context.number:
            with self.calls.paused(), self.modules.paused():
                self.seen.numerics = origin_of_batch(self, context, value if is_bad else None)

    def _compare(self, watch: ParameterWatch) -> None:
        ratios, same, bad = watch.compare()
        names = {name for name, p in self.model.named_parameters() if id(p) in self._held}
        calls = self.seen.calls
        self.seen.step = StepFacts(
            was_taken=any(c.call in {"step", "scaler_step"} for batch in calls for c in batch),
            was_skipped=self.seen.was_skipped,
            num_changed=len(ratios),
            unchanged=unchanged_despite_gradient(same, self.gradients, names),
            bad_after=tuple(bad),
            ratios=ratios,
            sizes=watch.sizes,
            calls=tuple(calls) if self.style == "train_step" else (),
            scaler_is_off=self.calls.scaled.was_off,
        )

    def _tell(self) -> Iterator[Event]:
        seen = self.seen
        has_scaler = self.pipeline.scaler is not None or self.calls.scaled.was_used
        self.gradients.is_scaled = has_scaler and self.style == "train_step"
        yield Observed(self.record.facts(len(seen.run)))
        yield Observed(seen.training_facts(self.style, tuple(self.modules.eval_modules)))
        yield Observed(seen.graph_facts(self._leaves, self.modules, self.record.cut))
        yield Observed(self.gradients.facts(self.modules))
        yield Observed(seen.numerics or NumericsFacts())
        if self._ranges is not None:
            yield Observed(self._ranges.facts())
        yield Observed(seen.step)
        summaries = seen.summaries(self.gradients.num_batches)
        for stage, summary in zip(SECTIONS, summaries, strict=True):
            yield StageEnded(stage, seen.seconds[stage], summary)

    @contextmanager
    def _timed(self, stage: Stage) -> Iterator[None]:
        began = time.monotonic()
        try:
            yield
        finally:
            self.seen.seconds[stage] += time.monotonic() - began
