"""Run the user's own loop body once more, up to a backward or to its first optimizer step."""

from __future__ import annotations

import copy
from collections.abc import MutableMapping
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import torch
from torch.optim.optimizer import register_optimizer_step_pre_hook

from .step_calls import roots_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

AT_FIRST_STEP = 0


class _ReachedError(BaseException):
    """Ends the run; no Exception, which the user's loop may catch."""


def as_it_was(batch: Any) -> Any:
    """The batch with the fields that it has now: the user's loop may take some out."""
    return copy.copy(batch) if isinstance(batch, (MutableMapping, list)) else batch


class StoppedRun:
    """A run of the user's loop body that ends at one of its backwards, and before any step.

    Args:
        number: The one at which it ends, from 1; `AT_FIRST_STEP` to let it go on to the
            first step.
        with_backward: Whether that one is still done.

    Attributes:
        roots: What the last backward started from.
    """

    def __init__(self, number: int = AT_FIRST_STEP, *, with_backward: bool = True) -> None:
        self.roots: list[torch.Tensor] = []
        self._number, self._with_backward = number, with_backward
        self._count = 0
        self._is_inside = False

    @contextmanager
    def stopping(self) -> Iterator[None]:
        """End the block there."""
        handle = register_optimizer_step_pre_hook(_refuse)
        try:
            with ExitStack() as stack:
                for owner in (torch.Tensor, torch.autograd):
                    watched = self._watching(owner.backward)
                    stack.enter_context(patch.object(owner, "backward", watched))
                stack.enter_context(patch.object(torch.amp.GradScaler, "step", _refuse))
                stack.enter_context(suppress(_ReachedError))
                yield
        finally:
            handle.remove()

    def _watching(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def backward(*args: Any, **kwargs: Any) -> Any:
            if self._is_inside:  # a tensor's own calls torch.autograd.backward
                return original(*args, **kwargs)
            self._count += 1
            is_last = self._count == self._number
            self.roots = roots_of(args, kwargs)
            self._is_inside = True
            try:
                result = original(*args, **kwargs) if self._with_backward or not is_last else None
            finally:
                self._is_inside = False
            if is_last:
                raise _ReachedError
            return result

        return backward


def _refuse(*args: Any, **kwargs: Any) -> None:
    del args, kwargs
    raise _ReachedError
