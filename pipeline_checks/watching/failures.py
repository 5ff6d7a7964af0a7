"""A batch that raises, or cannot be drawn, is told as `tdebug check` would tell it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..events import Note, Observed
from ..facts.training import FailureFact, TrainingFacts
from ..pipeline.draw import Draw
from ..report import Stage
from ..stages.collate import Collating
from ..stages.dataset import read_samples
from ..stages.device import moved
from ..stages.sections import SectionLoop

if TYPE_CHECKING:
    from collections.abc import Iterator

    import torch

    from ..events import Event
    from ..facts.exceptions import ExceptionFact
    from ..pipeline.parts import Pipeline
    from ..session import Session


class Failures:
    """Finds out what is wrong by running the stages of a check.

    Args:
        session: What all stages share.
        pipeline: The parts.
        precision: fp32, bf16 or fp16.
        device: Where it runs.
        is_alone: Whether a batch can be run again without waiting for other ranks.
    """

    def __init__(
        self,
        session: Session,
        pipeline: Pipeline,
        precision: str,
        device: torch.device,
        *,
        is_alone: bool = True,
    ) -> None:
        self._session, self._pipeline = session, pipeline
        self._precision, self._device = precision, device
        self._is_alone = is_alone

    def of_batch(
        self, error: BaseException, batch: Any, number: int, style: str
    ) -> Iterator[Event]:
        """Run the batch that raised under the observers of a check.

        Args:
            error: What it raised.
            batch: The batch.
            number: Its number.
            style: How its loss is computed.
        """
        fact = self._session.fact(error)
        if not self._is_alone:
            failure = FailureFact(Stage.FORWARD, number, fact)
            yield Observed(TrainingFacts(style, failures=(failure,), batches=(number,)))
            return
        draw = Draw(number, (), None, None, lambda: batch)
        batches = [(draw, moved(batch, self._device))]
        session = replace(self._session, on_error=None)  # the debugger has been there
        loop = SectionLoop(session, self._pipeline, batches, self._precision)
        events = list(loop.run())
        if loop.seen.failures:
            yield from events
            return
        failure = FailureFact(Stage.FORWARD, number, fact)
        yield Note(f"batch {number} raised while it was trained on, and not when it was run again.")
        yield Observed(TrainingFacts(loop.style, failures=(failure,), batches=(number,)))

    def of_drawing(self, error: ExceptionFact | None, number: int) -> Iterator[Event]:
        """Look at samples and batches, one of which the loader could not give.

        Args:
            error: What the loader raised, None where it gave no batch at all.
            number: The number that the batch would have had.
        """
        yield from read_samples(self._session, self._pipeline)
        collating = Collating(self._session, self._pipeline)
        yield from collating.run()
        if error is not None:
            at = f" ({error.user_frames[-1]})" if error.user_frames else ""
            yield Note(f"the loader raised {error}{at} when batch {number} was drawn.")
