"""Gradients before and weights after each optimizer step."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Literal

import torch
from torch import Tensor, nn
from torch.optim.optimizer import (
    Optimizer,
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

from .backward_examination import keep_output_gradients
from .group_check import find_non_finite
from .running import OutermostForward, Running, Suspect
from .step_reasons import explain_step

if TYPE_CHECKING:
    from collections.abc import Callable

    from .quick_check import DeferredChecks
    from .report import OverflowReport, Stage
    from .reporting import Reporter


class StepChecks:
    """Looks at a model's parameters whenever any optimizer steps on them.

    Args:
        reporter: Makes the reports, and knows the model and which weights were measured.
        on_report: Called with a report; expected to raise.
        waiting: Where answers wait until the next fetch; None to read them at once.
        is_on: Whether to look at all; if not, steps only mark the weights as changed.
        waits: Whether answers about gradients are read before the step, whatever else waits.
    """

    def __init__(
        self,
        reporter: Reporter,
        on_report: Callable[[OverflowReport], None],
        waiting: Running | None,
        *,
        is_on: bool,
        waits: bool = False,
    ) -> None:
        self._reporter = reporter
        self._on_report = on_report
        self._waiting = waiting
        self._is_on, self._waits = is_on, waits
        self._names = {p: name for name, p in reporter.model.named_parameters()}
        self._last: OutermostForward | None = None
        self._has_warned = False
        self._handles = [
            register_optimizer_step_pre_hook(self._before_step),
            register_optimizer_step_post_hook(self._after_step),
        ]

    def detach(self) -> None:
        """Take the hooks off the optimizers."""
        for handle in self._handles:
            handle.remove()
        self._handles = []
        self._last = None

    def begin_forward(self, forward: OutermostForward) -> None:
        """Take note of an outermost forward; a counted one replaces the last."""
        if self._last is None or forward.batch.trains:
            self._last = forward

    def keep_output_gradients(self, forward: OutermostForward, output: object) -> None:
        """Have the gradients of the outputs kept, for running the batch again."""
        if self._is_on and (self._waiting is None or self._waits):
            keep_output_gradients(forward, output)

    def report_stuck(self, note: str) -> OverflowReport:
        """Report the gradients for which a GradScaler skipped its last step."""
        named = [(name, p.grad) for p, name in self._names.items() if p.grad is not None]
        with torch.no_grad():
            bad = find_non_finite([gradient for _, gradient in named])
        names = [named[i][0] for i in bad]
        return self._reporter.report_step("gradients", names, self._last, note)

    def _before_step(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        del args, kwargs
        own = self._own_parameters(optimizer)
        if not self._is_on or not own:
            return
        self._warn_if_nothing_was_seen()
        if getattr(optimizer, "found_inf", None) is not None:
            return  # a GradScaler steps a fused optimizer and skips inside: expected at first
        named = [(name, p.grad) for name, p in own if p.grad is not None]
        self._check("gradients", named)

    def _after_step(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        del args, kwargs
        own = self._own_parameters(optimizer)
        if not own:
            return
        self._reporter.checks.finite_weights.clear()
        if self._is_on:
            self._check("weights after the step", list(own), optimizer)

    def _check(
        self, stage: Stage, named: list[tuple[str, Tensor]], stepped: Optimizer | None = None
    ) -> None:
        if self._waiting is not None:
            self._defer(stage, named, self._waiting.deferred)
            if self._waits and stage == "gradients":
                self._read(self._waiting.deferred)
            return
        with torch.no_grad():
            bad = find_non_finite([tensor for _, tensor in named])
        if bad:
            names = [named[i][0] for i in bad]
            note = explain_step(stepped, [named[i][1] for i in bad]) if stepped else ""
            self._on_report(self._reporter.report_step(stage, names, self._last, note))
        if stage != "gradients":
            self._note_measured(named)

    def _defer(
        self, stage: Stage, named: list[tuple[str, Tensor]], deferred: DeferredChecks[Suspect]
    ) -> None:
        with torch.no_grad():
            for name, tensor in named:
                deferred.add(tensor, self._suspect(name, stage))
        if stage != "gradients":
            self._note_measured(named)

    def _read(self, deferred: DeferredChecks[Suspect]) -> None:
        """Bring the answers to the host, those about gradients among them: nothing has stepped."""
        with torch.no_grad():
            found = [suspect.measured(low, high) for suspect, low, high in deferred.fetch()]
        if not found or self._last is None:
            return
        if found[0].stage != "gradients":
            report = self._reporter.report_forward(found[0], self._last, None)
        else:
            names = [_parameter_name(suspect) for suspect in found]
            report = self._reporter.report_step("gradients", names, self._last, "")
        if report is not None:
            self._on_report(report)

    def _note_measured(self, named: list[tuple[str, Tensor]]) -> None:
        weights = self._reporter.checks.finite_weights
        for _, tensor in named:
            weights.add(tensor)

    def _suspect(self, name: str, stage: Stage) -> Suspect:
        module, _, own = name.rpartition(".")
        owner: nn.Module = self._reporter.model.get_submodule(module)
        context = f"{own}.grad" if stage == "gradients" else own
        batch = self._last.batch if self._last else None
        kind: Literal["", "weight"] = "" if stage == "gradients" else "weight"
        return Suspect(module, type(owner).__name__, context, kind=kind, stage=stage, batch=batch)

    def _own_parameters(self, optimizer: Optimizer) -> list[tuple[str, Tensor]]:
        names = self._names
        groups = optimizer.param_groups
        return [(names[p], p) for group in groups for p in group["params"] if p in names]

    def _warn_if_nothing_was_seen(self) -> None:
        if self._last is None and not self._has_warned:
            self._has_warned = True
            warnings.warn(
                "DebugUnderflowOverflow saw no forward of its model before this optimizer step: "
                "the model was compiled after the detector was attached, or another object is "
                "trained. Nothing but gradients and weights is checked.",
                RuntimeWarning,
                stacklevel=4,
            )


def _parameter_name(suspect: Suspect) -> str:
    own = suspect.context.removesuffix(".grad")
    return f"{suspect.module}.{own}" if suspect.module else own
