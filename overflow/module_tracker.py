"""Knows which module is running, and shows every module's inputs and outputs to those who ask."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from torch import nn

from .frames import ModuleCall

if TYPE_CHECKING:
    from torch.utils.hooks import RemovableHandle

OnEnter = Callable[[nn.Module, str, tuple[Any, ...], dict[str, Any]], None]
OnExit = Callable[[ModuleCall], None]


class ModuleTracker:
    """The chain of modules whose forward is running, outermost first.

    Args:
        model: The model whose modules are followed, each under its first qualified name.
        on_enter: Called before each module's forward.
        on_exit: Called after each module's forward that did not raise.
    """

    def __init__(self, model: nn.Module, on_enter: OnEnter, on_exit: OnExit) -> None:
        self._names = {module: name for name, module in model.named_modules()}
        self._on_enter = on_enter
        self._on_exit = on_exit
        self._running: list[nn.Module] = []
        self._exception: BaseException | None = None

    @property
    def current(self) -> tuple[str, str]:
        """Name and class of the innermost running module; both empty outside the model."""
        if not self._running:
            return "", ""
        module = self._running[-1]
        return self._names[module], type(module).__name__

    @property
    def is_inside(self) -> bool:
        """Whether any forward is running."""
        return bool(self._running)

    @contextmanager
    def attached(self) -> Iterator[None]:
        """Hook the modules for the length of a block."""
        handles: list[RemovableHandle] = []
        for module in self._names:
            handles.append(module.register_forward_pre_hook(self.enter, with_kwargs=True))
            handles.append(
                module.register_forward_hook(self.exit, with_kwargs=True, always_call=True)
            )
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()
            self._running.clear()

    def enter(self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Take note that a module's forward begins; a forward pre-hook."""
        if not self._running:
            self._exception = sys.exc_info()[1]
        self._running.append(module)
        self._on_enter(module, self._names[module], args, kwargs)

    def exit(
        self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any
    ) -> None:
        """Take note that a module's forward ended; a forward hook that is always called."""
        while self._running and self._running.pop() is not module:
            pass  # a module whose forward was left without its hooks
        if output is not None or sys.exc_info()[1] is self._exception:  # it did not raise
            self._on_exit(ModuleCall(module, self._names[module], args, kwargs, output))
