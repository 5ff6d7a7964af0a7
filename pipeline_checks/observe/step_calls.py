"""Watch the calls that make up a training loop: backward, zero_grad, step, scheduler, scaler."""

from __future__ import annotations

import functools
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import torch
from torch import nn

from ..facts.step import StepCall
from ..report import Stage
from ..worker.doing import note_doing
from .scaled_gradients import ScaledGradients

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from typing_extensions import Self

    from .user_code import UserCode

WATCHED: tuple[tuple[Any, str, str], ...] = (
    (torch.Tensor, "backward", "backward"),
    (torch.autograd, "backward", "backward"),
    (torch.optim.Optimizer, "zero_grad", "zero_grad"),
    (nn.Module, "zero_grad", "zero_grad"),
    (torch.optim.lr_scheduler.LRScheduler, "step", "scheduler"),
    (torch.optim.lr_scheduler.ReduceLROnPlateau, "step", "scheduler"),
    (torch.nn.utils, "clip_grad_norm_", "clip"),
    (torch.nn.utils, "clip_grad_value_", "clip"),
    (torch.amp.GradScaler, "unscale_", "unscale"),
    (torch.amp.GradScaler, "step", "scaler_step"),
    (torch.amp.GradScaler, "update", "update"),
)
SECTIONS = {"backward": Stage.BACKWARD, "step": Stage.STEP, "scaler_step": Stage.STEP}


class StepCallWatch:
    """Notes the calls of the user's own loop, in order, while it is entered.

    Attributes:
        calls: The calls of the batch at work.
        section: The stage that a failure now would belong to.
        scaled: Which gradients hold the factor of a GradScaler.
    """

    def __init__(
        self,
        code: UserCode,
        optimizers: Sequence[torch.optim.Optimizer],
        before_backward: Callable[[list[torch.Tensor]], None],
        after_backward: Callable[[], None],
    ) -> None:
        self.calls: list[StepCall] = []
        self._section = Stage.FORWARD
        self._is_paused = False
        self._code = code
        self._optimizers = list(optimizers)
        self._before_backward, self._after_backward = before_backward, after_backward
        self.scaled = ScaledGradients()
        self._depth = 0
        self._stack = ExitStack()

    @property
    def section(self) -> Stage:
        """The stage that a failure now would belong to."""
        return self._section

    @section.setter
    def section(self, stage: Stage) -> None:
        self._section = stage
        note_doing("", stage)  # for the report of a worker that dies here

    def __enter__(self) -> Self:
        for owner, name, call in self._watched():
            watched = self._watching(owner, getattr(owner, name), call)
            self._stack.enter_context(patch.object(owner, name, watched))
        self._stack.enter_context(self.scaled.watching())
        return self

    def __exit__(self, *args: object) -> None:
        self._stack.close()

    def begin_batch(self) -> None:
        """Forget the calls of the last batch."""
        self.calls = []
        self.scaled.begin_batch()
        self.section = Stage.FORWARD

    def annotate(self, **more: Any) -> None:
        """Add to what is noted of the call at work."""
        self.calls[-1] = replace(self.calls[-1], **more)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Note nothing: tdebug runs a batch of its own."""
        before, self._is_paused = self._is_paused, True
        try:
            yield
        finally:
            self._is_paused = before

    def _watched(self) -> list[tuple[Any, str, str]]:
        # A scheduler replaces `step` on the instance, which then comes before the class.
        held = [_innermost(optimizer) for optimizer in self._optimizers]
        steps = [(o if "step" in vars(o) else type(o), "step", "step") for o in held]
        watched = [*WATCHED, *steps]
        unique = {(id(owner), name): (owner, name, call) for owner, name, call in watched}
        return list(unique.values())

    def _watching(self, owner: Any, original: Callable[..., Any], call: str) -> Callable[..., Any]:
        watch = self

        @functools.wraps(original)
        def watched(*args: Any, **kwargs: Any) -> Any:
            is_inside = watch._depth or _is_being_made(call, args)
            if is_inside or watch._is_paused:  # a call inside a watched call is torch's own
                return original(*args, **kwargs)
            has_closure = call == "step" and _has_closure(args, kwargs)
            watch._note(call, _subject_of(call, owner, args), has_closure=has_closure)
            watch.section = SECTIONS.get(call, watch.section)
            with watch._following(call, owner, args, kwargs):
                watch._depth += 1
                try:
                    result = original(*args, **kwargs)
                finally:
                    watch._depth -= 1
            watch.section = Stage.STEP if call == "step" else Stage.FORWARD
            if call == "backward":
                watch._after_backward()
            return result

        return watched

    @contextmanager
    def _following(
        self, call: str, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Iterator[None]:
        """Follow the factor of a GradScaler through this call into the gradients."""
        if call == "backward":
            roots = roots_of(args, kwargs)
            self._before_backward(roots)
            factor = self.scaled.factor_of(roots)
            yield
            if factor is not None:
                self.scaled.mark([_innermost(o) for o in self._optimizers], factor)
        elif call == "clip":
            self.annotate(limit=_limit_of(args, kwargs))
            kept = self.scaled.kept()
            yield
            self.scaled.follow(kept)
        elif call == "step":
            subject, is_plain = _subject_of(call, owner, args), not self.calls[-1].has_closure
            step = self.scaled.begin_step(subject) if is_plain else None
            yield
            if step is not None:
                self.annotate(factor=step.factor)
        else:
            yield

    def _note(self, call: str, subject: Any, *, has_closure: bool) -> None:
        known = [(o, _innermost(o)) for o in self._optimizers]
        number = next((n for n, (o, i) in enumerate(known) if subject is o or subject is i), None)
        had_gradients = self._had_gradients(call, subject)
        place = self._code.caller()
        self.calls.append(StepCall(call, number, place, had_gradients, has_closure))

    def _had_gradients(self, call: str, subject: Any) -> bool | None:
        if call in {"step", "scaler_step", "zero_grad"}:
            return any(p.grad is not None for p in _parameters_of(subject))
        if call == "backward":
            return any(_has_gradient_left(optimizer) for optimizer in self._optimizers)
        return None


def roots_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[torch.Tensor]:
    """What backward starts from: one tensor, or those given to `torch.autograd.backward`.

    Empty where it does not start from them as they are, but with gradients of their own.
    """
    own = [*args[1:2], kwargs.get("gradient"), kwargs.get("grad_tensors")]
    if any(gradient is not None for gradient in own):
        return []
    given = args[0] if args else kwargs.get("tensors")
    given = [given] if isinstance(given, torch.Tensor) else given or []
    return [tensor for tensor in given if isinstance(tensor, torch.Tensor)]


def _limit_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> float | None:
    """What gradients are clipped to, None where it is no plain number."""
    given = [*args[1:2], kwargs.get("max_norm"), kwargs.get("clip_value")]
    return next((float(limit) for limit in given if isinstance(limit, (int, float))), None)


def _is_being_made(call: str, args: tuple[Any, ...]) -> bool:
    """Whether it is the first step that a scheduler takes in its own constructor."""
    return call == "scheduler" and bool(args) and getattr(args[0], "_step_count", 1) == 0


def _innermost(optimizer: Any) -> Any:
    """The optimizer that steps: accelerate's wrapper does nothing while it accumulates."""
    held = getattr(optimizer, "optimizer", None)
    return held if isinstance(held, torch.optim.Optimizer) else optimizer


def _has_closure(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    closures = [kwargs.get("closure"), *args[-1:]]
    return any(callable(closure) and not _does_nothing(closure) for closure in closures)


def _does_nothing(closure: Any) -> bool:
    """Whether it is what Lightning hands on where the user gave no closure, however wrapped."""
    while isinstance(closure, functools.partial):
        functions = [argument for argument in closure.args if callable(argument)]
        closure = functions[-1] if functions else None
    return getattr(closure, "__name__", "") == "do_nothing_closure"


def _subject_of(call: str, owner: Any, args: tuple[Any, ...]) -> Any:
    """The optimizer or module that the call is about."""
    if call == "scaler_step" and len(args) > 1:
        return args[1]
    if not isinstance(owner, type) and hasattr(owner, "param_groups"):
        return owner  # a method patched on the instance is called without it
    return args[0] if args else None


def _parameters_of(owner: Any) -> list[Any]:
    if isinstance(owner, nn.Module):
        return list(owner.parameters())
    return [p for group in getattr(owner, "param_groups", ()) for p in group["params"]]


def _has_gradient_left(optimizer: torch.optim.Optimizer) -> bool:
    """Whether a gradient other than 0 waits from before."""
    return any(p.grad is not None and _is_nonzero(p.grad) for p in _parameters_of(optimizer))


def _is_nonzero(grad: torch.Tensor) -> bool:
    return grad.layout is not torch.strided or bool((grad != 0).any())
