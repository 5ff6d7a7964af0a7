"""The forwards that are running now, for each thread its own."""

from __future__ import annotations

import sys
import threading
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import torch

from .quick_check import DeferredChecks, FiniteTensors

if TYPE_CHECKING:
    from types import FrameType

    from torch import Tensor, nn

    from .ambient import AmbientModes
    from .batches import Batch
    from .module_tracker import ModuleTracker
    from .replay import BatchStart
    from .report import Stage


@dataclass
class OutermostForward:
    """One outermost call of a watched module, and all that is needed to run it again.

    Attributes:
        module: The module that was called.
        args: Its positional arguments.
        kwargs: Its keyword arguments.
        batch: The batch that it belongs to.
        start: Random states and buffers before it began.
        modes: The modes that it was called in.
        is_traced: Whether its frames are to be traced.
        is_blind: Whether no values are to be read (FakeTensorMode, recording of a graph).
        finite: Tensors found finite during it.
        output_gradients: For each output, by name, the gradient that came in from the loss.
    """

    module: nn.Module
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    batch: Batch
    start: BatchStart
    modes: AmbientModes
    is_traced: bool = False
    is_blind: bool = False
    finite: FiniteTensors = field(default_factory=FiniteTensors)
    output_gradients: dict[str, Tensor] = field(default_factory=dict)


@dataclass(frozen=True)
class Suspect:
    """A value that was not finite when it was first looked at.

    Attributes:
        module: Qualified name of its module, or of the parameter for gradients and weights.
        module_class: Class of the module.
        context: Its name in the frame.
        low: Smallest value; nan if any element is.
        high: Largest value; nan if any element is.
        kind: `weight` or `buffer` for those; empty for an input or output.
        stage: When it was looked at.
        batch: The batch that it belongs to, where that is not the one being run.
    """

    module: str
    module_class: str
    context: str
    low: float = 0.0
    high: float = 0.0
    kind: Literal["", "weight", "buffer"] = ""
    stage: Stage = "forward"
    batch: Batch | None = None

    def measured(self, low: float, high: float) -> Suspect:
        """Give the same with its smallest and largest value."""
        return replace(self, low=low, high=high)

    @property
    def key(self) -> tuple[str, str]:
        """What tells the value apart from the others of the model."""
        return self.module, self.context


class Running(threading.local):
    """State of the forwards in one thread."""

    def __init__(self) -> None:
        self.modules: list[nn.Module] = []
        self.forward: OutermostForward | None = None
        self.replay: ModuleTracker | None = None
        self.deferred: DeferredChecks[Suspect] = DeferredChecks()
        self.no_grad = torch.no_grad()  # made once a thread: it is entered at every module
        self._caller: FrameType | None = None
        self._exception: BaseException | None = None

    def begin(self, forward: OutermostForward) -> None:
        """Take note of an outermost forward."""
        self.forward = forward
        self._caller = sys._getframe(3)  # noqa: SLF001 - the frame in which torch calls the hooks
        self._exception = sys.exc_info()[1]

    def end(self) -> None:
        """Forget the outermost forward."""
        self.modules.clear()  # the list itself stays: hooks hold it
        self.forward = self._caller = self._exception = None

    def has_raised(self) -> bool:
        """Tell whether a hook after a forward without output is called because it raised."""
        return sys.exc_info()[1] is not self._exception

    def is_left_over(self) -> bool:
        """Tell whether the outermost forward is no longer on the stack (it ended by Ctrl-C)."""
        frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - there is no other way
        while frame is not None:
            if frame is self._caller:
                return False
            frame = frame.f_back
        return True
