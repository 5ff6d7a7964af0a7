"""Following the forwards of a model, module by module, and handing on what each one touched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import torch
from torch.compiler import is_compiling

from .ambient import AmbientModes
from .examination import device_types
from .frames import ModuleCall
from .hooks import LocalHook, hook_modules
from .replay import BatchStart
from .running import OutermostForward, Running
from .watched_model import has_no_values

if TYPE_CHECKING:
    from torch import nn

    from .batches import BatchCounter


class ForwardListener(Protocol):
    """Who is told of the forwards."""

    def begin(self, forward: OutermostForward) -> None:
        """Take note of an outermost forward that begins."""

    def look(self, call: ModuleCall, forward: OutermostForward) -> None:
        """Look at a module's forward that has ended; may raise to stop the run."""

    def finish(self, forward: OutermostForward, output: Any) -> None:
        """Take note of an outermost forward that ended well; may raise to stop the run."""

    def give_up(self, forward: OutermostForward) -> None:
        """Take note of an outermost forward that raised."""


class ForwardWatch:
    """Tells a listener of every forward of a model.

    Attributes:
        names: The modules with their first qualified names.
        running: What is running now, in each thread.
    """

    def __init__(self, model: nn.Module, counter: BatchCounter, listener: ForwardListener) -> None:
        self.model = model
        self.names = {module: name for name, module in model.named_modules()}
        self.running = Running()
        self._counter = counter
        self._listener = listener
        self._device_types = device_types(model)
        self._handles = hook_modules(self.names, _Enter(self), _Leave(self, listener))

    def detach(self) -> None:
        """Take the hooks off the modules."""
        for handle in self._handles:
            handle.remove()
        self._handles = []
        self.running.end()

    def begin(self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Begin an outermost forward: count it and keep what a second run of it needs."""
        is_recomputation = torch._C._current_graph_task_id() != -1  # noqa: SLF001 - no public question
        has_gradients = torch.is_grad_enabled()
        batch = self._counter.begin_forward(
            counts=module is self.model and has_gradients,
            is_recomputation=is_recomputation,
            has_gradients=has_gradients,
        )
        start = BatchStart.capture(self.names)
        modes = AmbientModes.capture(self._device_types)
        forward = OutermostForward(module, args, kwargs, batch, start, modes)
        forward.is_blind = has_no_values()
        self.running.begin(forward)
        try:
            self._listener.begin(forward)
        except BaseException:
            self.running.end()
            raise


class _Enter(LocalHook):
    """The hook before each forward."""

    def __init__(self, watch: ForwardWatch) -> None:
        self._watch = watch

    def __call__(self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if is_compiling():
            return
        watch = self._watch
        running = watch.running
        if running.replay is not None:
            running.replay.enter(module, args, kwargs)
            return
        modules = running.modules
        if modules and module is watch.model and running.is_left_over():
            running.end()
        if not modules:
            watch.begin(module, args, kwargs)
        modules.append(module)


class _Leave(LocalHook):
    """The hook after each forward."""

    def __init__(self, watch: ForwardWatch, listener: ForwardListener) -> None:
        self._watch = watch
        self._listener = listener

    def __call__(
        self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any
    ) -> None:
        if is_compiling():
            return
        running = self._watch.running
        if running.replay is not None:
            running.replay.exit(module, args, kwargs, output)
            return
        modules = running.modules
        while modules and modules.pop() is not module:
            pass  # a module that was left by an exception without its hooks
        forward = running.forward
        if forward is None:
            return
        try:
            if not forward.is_blind:
                has_raised = output is None and running.has_raised()
                name = self._watch.names[module]
                self._tell(ModuleCall(module, name, args, kwargs, output), forward, has_raised)
        finally:
            if not modules:
                running.end()

    def _tell(self, call: ModuleCall, forward: OutermostForward, has_raised: bool) -> None:  # noqa: FBT001 - private, hot
        is_outermost = not self._watch.running.modules
        if not has_raised:
            self._listener.look(call, forward)
            if is_outermost:
                self._listener.finish(forward, call.output)
        elif is_outermost:
            self._listener.give_up(forward)
