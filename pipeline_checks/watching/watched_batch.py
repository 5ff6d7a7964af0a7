"""One batch of training under the detector: what it found, or what the user's code raised."""

from __future__ import annotations

import io
from contextlib import ExitStack
from typing import TYPE_CHECKING

from ...overflow import record_frames
from ..observe.exceptions import exception_fact
from .batch_training import NonFiniteLossError
from .forecasts import Forecasts, is_sampled
from .frame_facts import detection_fact

if TYPE_CHECKING:
    from torch import nn

    from ...overflow import DebugUnderflowOverflow
    from ..facts.watching import DetectionFact
    from ..session import Session
    from .options import WatchOptions
    from .replay_origin import Replay


class WatchedBatches:
    """Runs batches, and keeps the first nan or inf.

    Args:
        session: What all stages share.
        options: How the training is watched.
        has_forecast: Whether what float16 would make of the values is of interest.

    Attributes:
        detection: The first nan or inf, None if there was none.
        forecasts: What float16 would make of the values.
        classic: Where the detector prints.
    """

    def __init__(self, session: Session, options: WatchOptions, *, has_forecast: bool) -> None:
        self.detection: DetectionFact | None = None
        self.forecasts = Forecasts()
        self.classic = io.StringIO()
        self._session, self._options = session, options
        self._has_forecast = has_forecast

    def run(
        self, debugger: DebugUnderflowOverflow, replay: Replay, *, is_last: bool
    ) -> BaseException | None:
        """Train on one batch; gives what the user's code raised, None where that was a detection.

        Args:
            debugger: Detached where the training ends here.
            replay: The batch.
            is_last: Whether no batch follows.
        """
        number, raised = replay.number, None
        may_raise = number not in self._options.batches
        try:
            with debugger.batch(number), self._sampled(debugger.model, number):
                replay.training.run(replay.batch, number, may_raise=may_raise, is_last=is_last)
        except NonFiniteLossError as error:
            debugger.detach()
            self.detection = replay.tell_loss(error.value)
        except self._session.caught as error:
            debugger.detach()
            raised = error
        if debugger.report is not None:  # also where the user's code has caught what stops it
            debugger.detach()
            code = self._session.code
            found = detection_fact(debugger.report, self.classic.getvalue(), code)
            self.detection = replay.refine(found)
        if self.detection is None:
            return raised
        self._stop_in_debugger(raised)
        return None

    def _sampled(self, model: nn.Module, number: int) -> ExitStack:
        """What measures the batch for the forecast, where it is one of those."""
        stack = ExitStack()
        if not self._options.batches and self._has_forecast and is_sampled(number):
            frames = stack.enter_context(record_frames(model, number))
            stack.callback(lambda: self.forecasts.take(frames))
        return stack

    def _stop_in_debugger(self, raised: BaseException | None) -> None:
        """Stop at the user's line at which the value showed, where that was asked for."""
        on_error = self._session.on_error
        if on_error is None or raised is None:
            return
        if exception_fact(raised, self._session.code).user_frames:
            on_error(raised)
