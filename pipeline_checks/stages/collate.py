"""The collate stage: put samples together into batches, keep them for the stages that follow."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..events import Event, Observed, Progress, StageBegan, StageEnded
from ..facts.batches import BatchFact, BatchFacts
from ..observe.batches import describe_batch, sample_sizes
from ..observe.loader_workers import probe_workers
from ..observe.sequence_labels import attention_masks, language_model_labels
from ..pipeline.draw import Draw, EndOfDataError, draws
from ..report import Stage
from ..session import Budget

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..pipeline.parts import Pipeline
    from ..session import Session


@dataclass
class Collating:
    """The collate stage at work.

    Attributes:
        kept: The draws whose batch could be made, with the batch itself, for the training loop.
    """

    session: Session
    pipeline: Pipeline
    kept: list[tuple[Draw, Any]] = field(default_factory=list)
    _batches: list[BatchFact] = field(default_factory=list)
    _labels: list[Any] = field(default_factory=list)
    _masks: list[Any] = field(default_factory=list)
    _is_each_once: bool | None = None

    def run(self) -> Iterator[Event]:
        """Make the first batches and the last."""
        budget = Budget(self.session.settings.budget)
        yield StageBegan(Stage.COLLATE)
        was_cut = False
        drawn, error = self.session.attempt(
            lambda: draws(
                self.pipeline.dataloader,
                self.session.settings.max_batches,
                self.session.rows_to_run,
            )
        )
        number = 0
        while error is None:
            draw, error = self.session.attempt(lambda: next(drawn, None))
            if error is not None:
                self._batches.append(BatchFact(number, error=error, was_drawn=False))
                break
            if draw is None:
                break
            if budget.is_spent and self._batches and not draw.is_last:
                was_cut = True
                continue
            yield Progress(Stage.COLLATE, f"batch {draw.number}", number, None)
            if not self._make(draw):
                break
            number += 1
        if was_cut:
            yield budget.cut(f"the collate stage after {number} batches")
        yield Observed(self._facts(was_cut=was_cut))
        yield Progress(Stage.COLLATE, "the loader's workers", number, None)
        workers = probe_workers(self.session, self.pipeline.dataloader)
        if workers is not None:
            yield Observed(workers)
        yield StageEnded(Stage.COLLATE, budget.used, f"{number} batches made")

    def _facts(self, *, was_cut: bool) -> BatchFacts:
        return BatchFacts(
            tuple(self._batches),
            tuple(self._labels),
            tuple(self._masks),
            was_cut,
            self._is_each_once,
        )

    def _make(self, draw: Draw) -> bool:
        """Make one batch; False at the end of the data or where going on makes no sense."""
        samples: list[Any] = []
        self._is_each_once = draw.is_each_once
        try:
            if draw.fetch is None or draw.collate is None:
                batch = draw.make()
            else:
                samples = draw.fetch()
                batch = draw.collate(samples)
        except EndOfDataError:
            return False
        except self.session.caught as error:
            fact = self.session.fact(error)
            self._batches.append(
                BatchFact(
                    draw.number,
                    draw.indices,
                    len(draw.indices) or None,
                    error=fact,
                    fields=sample_sizes(samples),
                    is_last=draw.is_last,
                )
            )
            return draw.fetch is not None
        self.kept.append((draw, batch))
        self._batches.append(describe_batch(draw, batch))
        self._labels.extend(language_model_labels(draw, batch, self.pipeline))
        self._masks.extend(attention_masks(draw, batch))
        return True
