"""Watch the modules that run: which is at work, which ran, which are no part of the model."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import torch
from torch import nn
from torch.nn.modules.module import (
    register_module_forward_hook,
    register_module_forward_pre_hook,
)

from ..facts.training import GradOff
from ..nested import leaves
from ..worker.doing import note_doing
from .return_line import return_of_forward
from .transforms import is_transforming

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType, TracebackType

    from typing_extensions import Self

    from ..facts.tensors import TensorFact
    from ..report import Location
    from .batch_context import BatchContext
    from .user_code import UserCode

NOTHING = object()
CHECKPOINT_FILE = "torch/utils/checkpoint.py"
EVAL_MATTERS = (
    nn.modules.dropout._DropoutNd,  # noqa: SLF001 - the base of dropouts has no public name
    nn.modules.batchnorm._BatchNorm,  # noqa: SLF001 - likewise of batch norms
)


@dataclass
class Stranger:
    """A module that ran inside the model without being registered in it."""

    module: nn.Module
    owner: nn.Module | None
    location: Location | None
    batch: int


@dataclass
class ModuleWatch:
    """Global hooks while the loop runs; a context manager that takes them away again.

    Attributes:
        model: The model watched.
        code: Which code is the user's.
        batch: Number of the batch at work, set by the loop.
        stack: The modules at work, innermost last.
        inputs: What each of them was called with.
        called: Ids of the registered modules that ran.
        strangers: Modules with parameters that ran inside the model, by id.
        grad_off: Modules with trainable parameters that ran without gradients, by name.
        modes: Ways that modules ran in this batch's training forward: name, whether in train mode.
        eval_modules: Modules that ran in eval mode only, in some batch; "" for the whole model.
        output: What the model returned last in this batch, `NOTHING` where it did not return.
    """

    model: nn.Module
    code: UserCode
    extra: nn.Module | None = None
    batch: int = 0
    stack: list[nn.Module] = field(default_factory=list)
    inputs: list[Any] = field(default_factory=list)
    called: set[int] = field(default_factory=set)
    strangers: dict[int, Stranger] = field(default_factory=dict)
    grad_off: dict[str, GradOff] = field(default_factory=dict)
    modes: set[tuple[str, bool]] = field(default_factory=set)
    eval_modules: dict[str, None] = field(default_factory=dict)
    output: Any = NOTHING

    def __post_init__(self) -> None:
        self.names = {id(module): name for name, module in self.model.named_modules()}
        self._extra = (
            {id(m) for m in self.extra.modules()} if isinstance(self.extra, nn.Module) else set()
        )
        self._handles: list[Any] = []
        self._is_paused = False

    def __enter__(self) -> Self:
        self._handles = [
            register_module_forward_pre_hook(self._enter),
            register_module_forward_hook(self._leave),
        ]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for handle in self._handles:
            handle.remove()

    def begin_batch(self, number: int) -> None:
        """Forget what a batch that raised left on the stack."""
        self.batch = number
        self.stack.clear()
        self.inputs.clear()
        self.modes.clear()
        self.output = NOTHING

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Note nothing: tdebug runs the model for a question of its own."""
        before, self._is_paused = self._is_paused, True
        try:
            yield
        finally:
            self._is_paused = before

    def end_batch(self) -> None:
        """Keep which modules that the mode matters to ran in eval mode only."""
        for name, is_training in sorted(self.modes):
            if not is_training and (name, True) not in self.modes:
                self.eval_modules[name] = None
        self.modes.clear()

    @property
    def innermost(self) -> tuple[str | None, nn.Module | None]:
        """Qualified name and module at work; the name is None outside the model."""
        for module in reversed(self.stack):
            if id(module) in self.names:
                return self.names[id(module)], module
        return None, None

    @cached_property
    def output_place(self) -> Location | None:
        """The user's line that gives the model's output."""
        return return_of_forward(self.model, self.code)

    def is_in_model(self) -> bool:
        """Whether the model's own forward is at work."""
        return any(id(module) in self.names for module in self.stack)

    def inputs_of_innermost(self, context: BatchContext) -> tuple[TensorFact, ...]:
        """The tensors that the innermost module at work was called with."""
        for module, args in zip(reversed(self.stack), reversed(self.inputs), strict=True):
            if id(module) in self.names:
                return tuple(context.fact(tensor, "input") for tensor in tensors_in(args))
        return ()

    def _enter(self, module: nn.Module, args: Any) -> None:
        if self._is_paused:
            return
        name = self.names.get(id(module))
        if name is None:
            self._note_stranger(module)
        else:
            self.called.add(id(module))
            note_doing(name or type(module).__name__)
            if not torch.is_grad_enabled():
                self._note_grad_off(name, module)
            elif isinstance(module, EVAL_MATTERS):
                self.modes |= {(name, module.training), ("", self.model.training)}
        self.stack.append(module)
        self.inputs.append(args)

    def _leave(self, module: nn.Module, _args: Any, output: Any) -> None:
        if self._is_paused:
            return
        if module in self.stack:
            while self.stack:
                self.inputs.pop()
                if self.stack.pop() is module:
                    break
        if module is self.model and not is_transforming():
            self.output = output

    def _note_stranger(self, module: nn.Module) -> None:
        if id(module) in self._extra or id(module) in self.strangers or not self.is_in_model():
            return
        if any(True for _ in module.parameters()):
            owner = next((m for m in reversed(self.stack) if id(m) in self.names), None)
            self.strangers[id(module)] = Stranger(module, owner, self.code.caller(), self.batch)

    def _note_grad_off(self, name: str, module: nn.Module) -> None:
        if name in self.grad_off or any(self._is_below(name, other) for other in self.grad_off):
            return
        trainable = sum(p.requires_grad for p in module.parameters())
        if trainable:
            cause = "checkpoint" if _is_in_checkpoint() else "no_grad"
            self.grad_off[name] = GradOff(name, cause, trainable, self.code.caller())

    @staticmethod
    def _is_below(name: str, other: str) -> bool:
        return not other or name.startswith(f"{other}.")


def _is_in_checkpoint() -> bool:
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - only the stack tells it from no_grad
    while frame is not None:
        if frame.f_code.co_filename.replace("\\", "/").endswith(CHECKPOINT_FILE):
            return True
        frame = frame.f_back
    return False


def as_module(loss: Any) -> nn.Module | None:
    """The loss if it is a module, which may have parameters of its own."""
    return loss if isinstance(loss, nn.Module) else None


def tensors_in(value: Any) -> list[torch.Tensor]:
    """Every tensor in a nested structure."""
    return [leaf for _, leaf in leaves(value) if isinstance(leaf, torch.Tensor)]
