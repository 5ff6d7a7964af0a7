"""Evaluate a few batches as training would, and note the first that cannot be."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import torch

from ...gather import find_batch_size
from ..facts.evaluation import EvaluationFacts, EvaluationFailure
from ..nested import container_name, leaves
from ..pipeline.draw import Draw, EndOfDataError, draws
from ..pipeline.predict_style import predictor_of
from ..pipeline.trainer_predict import asks_of
from ..report import Stage
from ..session import Budget
from ..training import Evaluation, Prediction, evaluation_loop
from ..worker.doing import note_doing
from .batches import leaf_facts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from torch import nn

    from ..pipeline.evaluation_loader import EvaluationLoader
    from ..pipeline.parts import Pipeline
    from ..session import Session
    from ..training import EvaluationOutput

# With metrics more are needed: a few batches may lack a class, and a metric then complains rightly.
FEW_BATCHES, MORE_BATCHES = 4, 64
MOST_BYTES = 2**28  # predictions kept; the logits of a language model are large


class _StoppedError(Exception):
    """A batch could not be evaluated; what was seen of it is noted."""


@dataclass
class BatchEvaluator:
    """Runs evaluation batches until one fails, the budget is spent, or there are enough.

    Attributes:
        session: What all stages share.
        pipeline: The parts.
        style: How the loss of a batch is computed.
        source: Where the batches come from.
        precision: fp32, bf16 or fp16 (autocast).
        device: Where the model is.
        seconds: Its budget.
        failure: The batch that could not be evaluated.
        problem: Why the predictions of the batches could not be put together, "" if they could.
        num_batches: Batches evaluated.
        num_samples: Samples in them.
    """

    session: Session
    pipeline: Pipeline
    style: str
    source: EvaluationLoader
    precision: str = "fp32"
    device: str = "cpu"
    seconds: float = 10.0
    failure: EvaluationFailure | None = None
    problem: str = ""
    num_batches: int = 0
    num_samples: int = 0
    _draw: Draw | None = None
    _num_bytes: int = 0
    _budget: Budget = field(default_factory=lambda: Budget(0))

    def run(self) -> EvaluationOutput | None:
        """Evaluate; None where a batch failed, which `failure` then tells."""
        model: Any = self.pipeline.model
        self._budget = Budget(self.seconds)
        is_trainer = self.style == "trainer"
        evaluation = Evaluation(
            self._batches,
            self._predict,
            include_for_metrics=asks_of(self.pipeline.trainer) if is_trainer else (),
        )
        try:
            return evaluation_loop(
                model,
                evaluation,
                precision="fp32" if is_trainer else self.precision,  # a Trainer brings its own
                device=self.device,
            )
        except _StoppedError:
            return None
        except (TypeError, ValueError) as error:  # an output that is no array, or of two kinds
            self.problem = str(error)
            return None

    def _batches(self) -> Iterator[Any]:
        most = FEW_BATCHES if self.pipeline.metrics is None else MORE_BATCHES
        try:
            for draw in draws(self.source.loader, most):
                self._draw = draw
                if self._is_enough and self.num_batches:
                    return
                note_doing(f"evaluation batch {draw.number}", Stage.EVALUATE)
                yield self._make(draw)
        except (EndOfDataError, GeneratorExit):  # the latter where no more batches are asked for
            return
        except self.session.caught as error:
            self._stop("dataset", error)

    @property
    def _is_enough(self) -> bool:
        return self._budget.is_spent or self._num_bytes > MOST_BYTES

    def _make(self, draw: Draw) -> Any:
        if draw.fetch is None or draw.collate is None:
            return draw.make()
        samples = draw.fetch()
        try:
            return draw.collate(samples)
        except self.session.caught as error:
            self._stop("collate", error)
            raise

    def _predict(self, model: nn.Module, batch: Any) -> Prediction:
        try:
            prediction = self._predictor(model, batch)
        except self.session.caught as error:
            if not self._works_with_gradients(model, batch):
                self._stop("forward", error, batch)
            return Prediction(None, None, None)
        self.num_batches += 1
        self.num_samples += self._size(batch, prediction)
        self._num_bytes += sum(
            leaf.nbytes for _, leaf in leaves(prediction.predictions) if hasattr(leaf, "nbytes")
        )
        return prediction

    @property
    def _predictor(self) -> Callable[[Any, Any], Prediction]:
        return self.source.predict or predictor_of(self.pipeline, self.style)

    def _works_with_gradients(self, model: nn.Module, batch: Any) -> bool:
        """Whether it is only gradients that a loss asks for (a gradient penalty) and misses."""
        if self.style not in {"compute_loss", "model_output"}:
            return False
        try:
            with torch.enable_grad():
                self._predictor(model, batch)
        except self.session.caught:
            return False
        return True

    def _size(self, batch: Any, prediction: Prediction) -> int:
        indices = self._draw.indices if self._draw is not None else ()
        return (
            len(indices) or find_batch_size(batch) or find_batch_size(prediction.predictions) or 0
        )

    def _stop(self, section: str, error: BaseException, batch: Any = None) -> None:
        if isinstance(error, _StoppedError):
            raise error
        draw = self._draw
        self.failure = EvaluationFailure(
            section,
            self.session.fact(error),
            draw.number if draw is not None else 0,
            draw.indices if draw is not None else (),
            tuple(leaf_facts(batch)) if batch is not None else (),
        )
        raise _StoppedError from None

    def facts(self, output: EvaluationOutput | None) -> EvaluationFacts:
        """What was seen."""
        seen = EvaluationFacts(
            source=self.source.source,
            has_own_loader=self.source.is_own,
            num_batches=self.num_batches,
            num_samples=self.num_samples,
            num_total=_length(self.source.dataset),
            failure=self.failure,
        )
        return seen if output is None else _with_output(seen, output)


def _with_output(seen: EvaluationFacts, output: EvaluationOutput) -> EvaluationFacts:
    return replace(
        seen,
        is_put_together=True,
        container=container_name(output.predictions),
        predictions=tuple(leaf_facts(output.predictions)),
        labels=tuple(leaf_facts(output.label_ids)),
        num_bad_predictions=_count_bad(output.predictions),
        loss=output.metrics.get("eval_loss"),
    )


def _count_bad(predictions: Any) -> int:
    bad = 0
    for _, leaf in leaves(predictions):
        if getattr(getattr(leaf, "dtype", None), "kind", "") == "f":
            bad += int((~torch.from_numpy(leaf).isfinite()).sum())
    return bad


def _length(dataset: Any) -> int | None:
    try:
        return len(dataset)
    except Exception:  # noqa: BLE001 - the user's __len__ may raise anything
        return None
