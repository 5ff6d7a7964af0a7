"""The evaluate stage: what would break after the first epoch is found now, on a few batches."""

from __future__ import annotations

import sys
import time
import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ...gather import EvalPrediction
from ..events import Event, Note, Observed, Progress, StageBegan, StageEnded
from ..facts.evaluation import EvaluationFacts, EvaluationFailure
from ..observe.evaluation_batches import BatchEvaluator
from ..observe.evaluation_metrics import MetricsObserver
from ..observe.evaluation_own import OwnEvaluationObserver
from ..observe.model import definition_of
from ..pipeline.evaluation_loader import find_evaluation_loader
from ..pipeline.trainer_predict import asks_of
from ..report import Stage
from ..training import preserved_rng_state

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    from ..pipeline.parts import Pipeline
    from ..session import Session
    from ..training import EvaluationOutput

NOTHING_THERE = "there is no eval_dataset, compute_metrics or evaluate"


@dataclass
class Evaluating:
    """The evaluate stage at work.

    Attributes:
        session: What all stages share.
        pipeline: The parts.
        style: How the loss of a batch is computed, as the training loop has found it.
        precision: fp32, bf16 or fp16 (autocast).
        device: Where the model is.
    """

    session: Session
    pipeline: Pipeline
    style: str
    precision: str = "fp32"
    device: str = "cpu"

    def run(self) -> Iterator[Event]:
        """Evaluate a few batches, and call the user's evaluation code."""
        began = time.monotonic()
        yield StageBegan(Stage.EVALUATE)
        skipped = self._why_not()
        if skipped and self.pipeline.evaluate is None:
            yield StageEnded(Stage.EVALUATE, time.monotonic() - began, "", skipped)
            return
        facts = EvaluationFacts()
        with preserved_rng_state(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if not skipped:
                yield Progress(Stage.EVALUATE, "evaluation batches")
                facts = yield from self._evaluate()
            if self.pipeline.evaluate is not None and facts.failure is None:
                yield Observed(facts)
                yield Progress(Stage.EVALUATE, "evaluate(model, dataset)")
                own = OwnEvaluationObserver(
                    self.session, self.pipeline, is_repeated=self.session.has_ranks
                ).look()
                facts = replace(facts, own=own)
        yield Observed(facts)
        yield StageEnded(Stage.EVALUATE, time.monotonic() - began, _summary(facts))

    def _why_not(self) -> str:
        """Why no batch can be evaluated, "" if one can."""
        pipeline = self.pipeline
        if self.style == "train_step":
            return "train_step also trains, so tdebug cannot evaluate with it"
        if self.style == "lightning":
            return "" if _validates(pipeline.model) else "there is no validation_step"
        has_any = pipeline.eval_dataset is not None or pipeline.metrics is not None
        return "" if has_any else NOTHING_THERE

    def _evaluate(self) -> Generator[Event, None, EvaluationFacts]:
        """Evaluate batches, then compute the metrics; returns the facts."""
        found, error = self.session.attempt(
            lambda: find_evaluation_loader(self.pipeline, self.session.settings)
        )
        if error is not None:
            return EvaluationFacts(has_own_loader=True, failure=EvaluationFailure("collate", error))
        if found is None:
            yield Note("tdebug cannot tell how the evaluation samples are put together.")
            return EvaluationFacts()
        evaluator = BatchEvaluator(
            self.session, self.pipeline, self.style, found, self.precision, self.device
        )
        output = evaluator.run()
        if evaluator.problem:
            yield Note(f"predictions could not be put together: {evaluator.problem}.")
        if self.pipeline.metrics is not None and output is not None and output.label_ids is None:
            yield Note("compute_metrics is not called: no labels are found in the batches.")
        facts = evaluator.facts(output)
        return facts if output is None else self._with_metrics(facts, output)

    def _with_metrics(self, facts: EvaluationFacts, output: EvaluationOutput) -> EvaluationFacts:
        metrics = self.pipeline.metrics
        if metrics is None or output.predictions is None or output.label_ids is None:
            return facts
        observer = MetricsObserver(self.session, self._called(metrics), self._argument(output))
        pad_id = getattr(self.pipeline.tokenizer, "pad_token_id", None)
        calls = observer.calls(output.predictions, output.label_ids, pad_id)
        place = definition_of(getattr(metrics, "func", metrics), self.session.code)
        opened = observer.was_opened
        return replace(facts, metrics=calls, was_opened=opened, metrics_location=place)

    def _called(self, metrics: Callable[..., Any]) -> Callable[..., Any]:
        """`compute_metrics`, called as the Trainer calls it."""
        args = getattr(self.pipeline.trainer, "args", None)
        if getattr(args, "batch_eval_metrics", False):
            return lambda prediction: metrics(prediction, compute_result=True)
        return metrics

    def _argument(self, output: EvaluationOutput) -> Callable[[Any, Any], Any]:
        """Makes what it is given, of the Trainer's own class where there is a Trainer."""
        trainer = self.pipeline.trainer
        if trainer is None:
            return EvalPrediction
        asked = asks_of(trainer)
        more = {
            "inputs": output.inputs if "inputs" in asked else None,
            "losses": output.losses if "loss" in asked else None,
        }
        given = {name: value for name, value in more.items() if value is not None}
        kind = sys.modules["transformers"].EvalPrediction
        return lambda predictions, labels: kind(predictions=predictions, label_ids=labels, **given)


def _validates(module: Any) -> bool:
    base = next((b for b in type(module).__mro__ if b.__name__ == "LightningModule"), None)
    own = getattr(type(module), "validation_step", None)
    return own is not getattr(base, "validation_step", None)


def _summary(facts: EvaluationFacts) -> str:
    told = []
    if facts.num_batches:
        of = f" of {facts.num_total}" if facts.num_total else ""
        told.append(f"{facts.num_samples}{of} samples")
    if facts.metrics:
        told.append("compute_metrics")
    if facts.own is not None:
        told.append("evaluate()")
    return ", ".join(told)
