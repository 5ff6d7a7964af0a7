"""Forward, backward and one optimizer step: one loop over the chosen batches."""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from ..events import Event, Note, Observed, Progress, StageBegan, StageEnded
from ..facts.numerics import NumericsFacts
from ..facts.training import FailureFact, LossFact, OutputFact, StepCall, StepFacts, TrainingFacts
from ..observe.batch_context import BatchContext
from ..observe.batches import leaf_facts
from ..observe.calls import CallRecord, CallWatch
from ..observe.gradients import GradientObserver
from ..observe.graph import LeafWatch, carried_graphs, graph_facts
from ..observe.inplace import InplaceWatch
from ..observe.modules import ModuleWatch
from ..observe.origins import origin_of_batch
from ..observe.parameters import ParameterWatch, unchanged_despite_gradient
from ..observe.step_calls import StepCallWatch
from ..observe.values import dtype_name
from ..pipeline.loss_style import loss_of, style_of
from ..report import Stage
from ..session import Budget
from .repeat import repeat_one_batch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..facts.training import CarriedGraph, InplaceFact
    from ..pipeline.draw import Draw
    from ..pipeline.parts import Pipeline
    from ..session import Session

SECTIONS = (Stage.FORWARD, Stage.BACKWARD, Stage.STEP)
AUTOCAST = {"bf16": torch.bfloat16, "fp16": torch.float16}
# A GradScaler halves its scale at each skipped step: from 2**24 it is at 1 after this many.
MAX_SKIPPED = 24


@dataclass
class TrainingLoop:
    """The three sections at work on the batches that collate kept."""

    session: Session
    pipeline: Pipeline
    batches: list[tuple[Draw, Any]]
    precision: str = "fp32"
    style: str = ""
    _losses: list[LossFact] = field(default_factory=list)
    _failures: list[FailureFact] = field(default_factory=list)
    _output: OutputFact | None = None
    _run: list[tuple[int, tuple[int, ...]]] = field(default_factory=list)
    _carried: tuple[CarriedGraph, ...] = ()
    _inplace: tuple[InplaceFact, ...] = ()
    _step: StepFacts = field(default_factory=StepFacts)
    _calls: list[tuple[StepCall, ...]] = field(default_factory=list)
    _numerics: NumericsFacts | None = None
    _state: dict[str, Any] = field(default_factory=dict)
    _skipped: bool = False
    _eval_modules: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        model: Any = self.pipeline.model
        self.model: nn.Module = model
        self.modules = ModuleWatch(model, self.session.code, extra=_as_module(self.pipeline.loss))
        self.record = CallRecord()
        self.gradients = GradientObserver(model)
        known = [p for o in self.pipeline.optimizers for g in o.param_groups for p in g["params"]]
        known += (
            list(_as_module(self.pipeline.loss).parameters())
            if _as_module(self.pipeline.loss)
            else []
        )
        self.leaf_watch = LeafWatch(model, known)
        self.names = {id(t): n for n, t in [*model.named_parameters(), *model.named_buffers()]}
        self.calls = StepCallWatch(
            self.session.code, self.pipeline.optimizers, self._after_backward
        )

    def run(self) -> Iterator[Event]:
        """Run the batches, one after the other."""
        budget = Budget(self.session.settings.budget)
        for stage in SECTIONS:
            yield StageBegan(stage)
        if not self.batches:
            for stage in SECTIONS:
                yield StageEnded(stage, 0.0, "", "there is no batch to run")
            return
        self.model.train()
        watch = ParameterWatch(self.model)
        with self.modules, self.calls, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield from self._run_batches(budget, watch)
        yield from self._tell()
        done = f"{len(self._losses)} of {len(self._run)} batches"
        summaries = (done, f"{self.gradients.num_batches} batches", self._step_summary())
        for stage, summary in zip(SECTIONS, summaries, strict=True):
            yield StageEnded(stage, budget.used / 3, summary)

    def _run_batches(self, budget: Budget, watch: ParameterWatch) -> Iterator[Event]:
        for position, (draw, batch) in enumerate(self.batches):
            if budget.is_spent and position:
                yield Note(
                    f"the budget of {budget.seconds:g} s ended the training loop after {position} batches."
                )
                break
            yield Progress(Stage.FORWARD, f"batch {draw.number}", position, len(self.batches))
            self._one_batch(draw, batch, is_last=position == len(self.batches) - 1)
        if not self._failures:
            self._compare(watch)
            if self._numerics is None:
                yield Progress(Stage.STEP, "a few more steps on one batch")
                self.calls.is_paused = True
                yield Observed(repeat_one_batch(self))
        watch.put_back()

    def context(self, draw: Draw, batch: Any) -> BatchContext:
        """The batch at work, for the observers."""
        return BatchContext(draw.number, draw.indices, batch, self.names)

    def autocast(self) -> Any:
        """The autocast that the precision asks for; a Trainer brings its own."""
        dtype = AUTOCAST.get(self.precision)
        if dtype is None or self.style == "trainer":
            return nullcontext()
        device = next((p.device.type for p in self.model.parameters()), "cpu")
        return torch.autocast(device, dtype=dtype)

    def _one_batch(self, draw: Draw, batch: Any, *, is_last: bool) -> None:
        context = self.context(draw, batch)
        self.modules.begin_batch(draw.number)
        self.calls.begin_batch()
        self.calls.is_paused = False
        self._run.append((draw.number, draw.indices))
        carried = carried_graphs(self.model)
        try:
            self.style = self.style or style_of(self.pipeline, batch)
            if self.style == "train_step":
                self._user_step(context, batch)
            else:
                self._own_step(context, batch, is_last=is_last)
        except self.session.caught as error:
            self._fail(error, context, batch, carried)
        finally:
            self._calls.append(tuple(self.calls.calls))
            if self._output is None and self.modules.output is not None:
                output = self.modules.output
                self._output = OutputFact(type(output).__name__, tuple(leaf_facts(output)))
            self.modules.output = None
            if len(self._run) == 1:
                self._note_eval_modules()
        self._note_numbers(draw, batch)

    def _own_step(self, context: BatchContext, batch: Any, *, is_last: bool) -> None:
        self._zero_grad()
        with CallWatch(context, self.modules, self.record), self.autocast():
            loss = loss_of(self.pipeline, self.style, batch, context.number)
        loss = self._take_loss(loss, context, batch)
        if loss is None or any(f.stage is Stage.BACKWARD for f in self._failures):
            return
        if not is_last or self._failures:
            loss.backward()
            return
        self._step_with(loss, batch, context)

    def _take_loss(self, loss: Any, context: BatchContext, batch: Any) -> Any:
        """Note the loss; None where backward cannot start from it."""
        self._losses.append(loss_fact(loss, context.number))
        if not isinstance(loss, torch.Tensor) or loss.numel() != 1:
            return None
        if loss.grad_fn is not None and len(self._losses) <= 2:  # noqa: PLR2004 - the second shows what is new each time
            self.leaf_watch.look(loss, batch, self.modules)
        return loss if loss.requires_grad else None

    def _user_step(self, context: BatchContext, batch: Any) -> None:
        optimizer = self.pipeline.optimizer
        with CallWatch(context, self.modules, self.record):
            loss = self.pipeline.train_step(self.model, batch, optimizer, self._state)  # type: ignore[misc] # the style says that it is there
        self._losses.append(loss_fact(loss, context.number))
        if isinstance(loss, torch.Tensor) and loss.grad_fn is not None and len(self._losses) <= 2:  # noqa: PLR2004
            self.leaf_watch.look(loss, batch, self.modules)

    def _after_backward(self) -> None:
        self.gradients.look(self.modules.batch)

    def _zero_grad(self) -> None:
        for parameter in self.model.parameters():
            parameter.grad = None

    def _step_with(self, loss: torch.Tensor, batch: Any, context: BatchContext) -> None:
        """The one optimizer step, through the scaler where there is one."""
        scaler = self.scaler()
        if scaler is None:
            loss.backward()
            for optimizer in self.pipeline.optimizers:
                optimizer.step()
            return
        loss.backward(retain_graph=False)
        for _ in range(MAX_SKIPPED):
            self._zero_grad()
            with self.autocast():
                again = loss_of(self.pipeline, self.style, batch, context.number)
            before = scaler.get_scale()
            self._scaled_step(scaler, again)
            if scaler.get_scale() >= before:
                return
        self._skipped = True

    def _scaled_step(self, scaler: Any, loss: torch.Tensor) -> None:
        self.calls.is_paused = True  # scaled gradients are not looked at
        scaler.scale(loss).backward()
        self.calls.is_paused = False
        for optimizer in self.pipeline.optimizers:
            scaler.step(optimizer)
        scaler.update()

    @property
    def can_learn(self) -> bool:
        """Whether every batch gave a finite scalar loss that backward can start from."""
        return all(
            loss.value is not None and loss.value - loss.value == 0 and loss.requires_grad
            for loss in self._losses
        )

    def scaler(self) -> Any:
        """The user's scaler, else the one that fp16 training would use, else None."""
        if self.pipeline.scaler is not None:
            return self.pipeline.scaler
        if self.precision != "fp16":
            return None
        device = next((p.device.type for p in self.model.parameters()), "cpu")
        return torch.amp.GradScaler(device)

    def _fail(
        self,
        error: BaseException,
        context: BatchContext,
        batch: Any,
        carried: tuple[CarriedGraph, ...],
    ) -> None:
        section = self.calls.section
        failed = self.record.failed
        call = failed if failed is not None and failed.error is error else None
        name, module = self.modules.innermost
        self._failures.append(
            FailureFact(
                stage=section,
                batch=context.number,
                error=self.session.fact(error),
                indices=context.indices,
                module=call.module if call else name,
                module_type=call.module_type
                if call
                else (type(module).__name__ if module is not None else ""),
                module_sizes=call.module_sizes if call else {},
                function=call.function if call else "",
                operands=call.operands if call else (),
                arguments=call.arguments if call else (),
                module_inputs=self.modules.inputs_of_innermost(context),
                inputs=tuple(leaf_facts(batch)),
            )
        )
        if section is Stage.BACKWARD and not self._inplace:
            self._carried = self._carried or carried
            self._inplace = self._find_inplace(context, batch)

    def _find_inplace(self, context: BatchContext, batch: Any) -> tuple[InplaceFact, ...]:
        """Run the forward of a batch whose backward failed once more, watching what is kept."""
        self.modules.begin_batch(context.number)
        watch = InplaceWatch(self.modules)
        try:
            with watch, self.autocast():
                if self.style == "train_step":
                    self.pipeline.train_step(
                        self.model, batch, self.pipeline.optimizer, self._state
                    )  # type: ignore[misc]
                else:
                    loss_of(self.pipeline, self.style, batch, context.number)
        except self.session.caught:
            pass  # the failure itself has been noted
        return watch.found()

    def _note_numbers(self, draw: Draw, batch: Any) -> None:
        """Look for the origin in the first batch with a loss or gradient that is not finite."""
        if self._numerics is not None or not self._losses:
            return
        value = self._losses[-1].value if self._losses[-1].batch == draw.number else None
        is_bad = value is not None and value - value != 0
        if is_bad or self.gradients.first_bad_batch == draw.number:
            self._numerics = origin_of_batch(self, draw, batch, value if is_bad else None)

    def _note_eval_modules(self) -> None:
        self._eval_modules = tuple(
            name
            for name, module in self.model.named_modules()
            if not module.training
            and isinstance(module, EVAL_MATTERS)
            and id(module) in self.modules.called
        )

    def _compare(self, watch: ParameterWatch) -> None:
        ratios, same, bad = watch.compare()
        held = {
            id(p) for o in self.pipeline.optimizers for g in o.param_groups for p in g["params"]
        }
        names = {name for name, p in self.model.named_parameters() if id(p) in held}
        self._step = StepFacts(
            was_taken=any(
                c.call in {"step", "scaler_step"} for calls in self._calls for c in calls
            ),
            was_skipped=self._skipped,
            num_changed=len(ratios),
            unchanged=unchanged_despite_gradient(same, self.gradients, names),
            bad_after=tuple(bad),
            ratios=ratios,
            calls=tuple(self._calls) if self.style == "train_step" else (),
        )

    def _tell(self) -> Iterator[Event]:
        self.gradients.is_scaled = self.pipeline.scaler is not None and self.style == "train_step"
        yield Observed(self.record.facts(len(self._run)))
        yield Observed(
            TrainingFacts(
                style=self.style,
                losses=tuple(self._losses),
                failures=tuple(self._failures),
                output=self._output,
                batches=tuple(number for number, _ in self._run),
                indices=tuple(indices for _, indices in self._run),
                eval_modules=self._eval_modules,
            )
        )
        yield Observed(
            graph_facts(
                self.leaf_watch, self.modules, self._carried, self._inplace, self.record.cut
            )
        )
        yield Observed(self.gradients.facts(self.modules))
        yield Observed(self._numerics or NumericsFacts())
        yield Observed(self._step)

    def _step_summary(self) -> str:
        if not self._step.was_taken:
            return "no step was taken"
        return f"{self._step.num_changed} parameters changed"


EVAL_MATTERS = (
    nn.modules.dropout._DropoutNd,  # noqa: SLF001 - the base of dropouts has no public name
    nn.modules.batchnorm._BatchNorm,  # noqa: SLF001 - likewise of batch norms
)


def loss_fact(loss: Any, batch: int) -> LossFact:
    """What the pipeline gave as its loss."""
    if not isinstance(loss, torch.Tensor):
        value = float(loss) if isinstance(loss, (int, float)) else None
        return LossFact(batch, type(loss).__name__, value=value)
    value = float(loss.detach()) if loss.numel() == 1 and not loss.is_complex() else None
    made_by = loss.grad_fn.name() if loss.grad_fn is not None else ""
    return LossFact(
        batch,
        "Tensor",
        tuple(loss.shape),
        dtype_name(loss.dtype),
        value,
        loss.requires_grad,
        made_by,
    )


def _as_module(loss: Any) -> nn.Module | None:
    return loss if isinstance(loss, nn.Module) else None
