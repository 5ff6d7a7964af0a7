"""What the training loop has seen until now."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..facts.gradient_ends import GradientEndFacts
from ..facts.step import StepCall, StepFacts
from ..facts.training import FailureFact, GraphFacts, LossFact, OutputFact, TrainingFacts
from ..report import Stage

if TYPE_CHECKING:
    from ..facts.numerics import NumericsFacts
    from ..facts.training import CarriedGraph, InplaceFact
    from ..observe.calls import Cut
    from ..observe.graph import LeafWatch
    from ..observe.modules import ModuleWatch

SECTIONS = (Stage.FORWARD, Stage.BACKWARD, Stage.STEP)


@dataclass
class Seen:
    """What the loop has seen until now.

    Attributes:
        losses: One fact a batch whose forward ended.
        failures: One fact a batch that raised.
        output: What the model returned first.
        run: Number and samples of each batch that was run.
        calls: The calls of the loop, one tuple a batch.
        carried: Tensors with a graph that the model kept from the batch before the failed backward.
        inplace: Changes in place that broke a backward.
        ends: Where gradients end that are missing.
        numerics: Where the first value that is not finite began.
        step: What the optimizer step did.
        was_skipped: Whether a GradScaler skipped the step.
        seconds: Wall time of each section.
    """

    losses: list[LossFact] = field(default_factory=list)
    failures: list[FailureFact] = field(default_factory=list)
    output: OutputFact | None = None
    run: list[tuple[int, tuple[int, ...]]] = field(default_factory=list)
    calls: list[tuple[StepCall, ...]] = field(default_factory=list)
    carried: tuple[CarriedGraph, ...] = ()
    inplace: tuple[InplaceFact, ...] = ()
    ends: GradientEndFacts = field(default_factory=GradientEndFacts)
    numerics: NumericsFacts | None = None
    step: StepFacts = field(default_factory=StepFacts)
    was_skipped: bool = False
    seconds: dict[Stage, float] = field(default_factory=lambda: dict.fromkeys(SECTIONS, 0.0))

    def failed_in(self, stage: Stage) -> bool:
        """Whether some batch raised in this section."""
        return any(failure.stage is stage for failure in self.failures)

    @property
    def can_learn(self) -> bool:
        """Whether every batch gave a finite scalar loss that backward can start from."""
        return not self.failures and all(
            loss.value is not None and loss.value - loss.value == 0 and loss.requires_grad
            for loss in self.losses
        )

    def graph_facts(
        self, leaf_watch: LeafWatch, modules: ModuleWatch, cut: Cut | None
    ) -> GraphFacts:
        """What the graph showed, and the last cut that was seen."""
        return GraphFacts(
            inplace=self.inplace,
            carried=self.carried,
            grad_off=tuple(modules.grad_off.values()),
            unregistered=leaf_watch.found,
            detached_at=cut.location if cut else None,
            detached_by=cut.function if cut else "",
            detached_parameters=cut.parameters if cut else (),
            ends=self.ends,
        )

    def training_facts(self, style: str, eval_modules: tuple[str, ...]) -> TrainingFacts:
        """The losses and failures of all batches until now."""
        return TrainingFacts(
            style=style,
            losses=tuple(self.losses),
            failures=tuple(self.failures),
            output=self.output,
            batches=tuple(number for number, _ in self.run),
            indices=tuple(indices for _, indices in self.run),
            eval_modules=eval_modules,
        )

    def summaries(self, num_backwards: int) -> tuple[str, str, str]:
        """What was looked at in each of the sections, in a few words."""
        step = f"{self.step.num_changed} parameters changed"
        return (
            f"{len(self.losses)} of {len(self.run)} batches",
            f"{num_backwards} batches",
            step if self.step.was_taken else "not taken",
        )
