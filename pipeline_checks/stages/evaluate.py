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
from ..pipeline.evaluation_loader import EvaluationLoader, find_evaluation_loaders
from ..pipeline.lightning_trainer import is_overridden
from ..pipeline.lightning_validation import has_validation_loader, validating
from ..pipeline.trainer_predict import asks_of
from ..report import Stage
from ..session import Budget
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
            is_well = all(one.failure is None for one in facts.sets)
            if self.pipeline.evaluate is not None and is_well:
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
            if not is_overridden(pipeline.model, "validation_step"):
                return "there is no validation_step"
            has_data = pipeline.eval_dataset is not None or has_validation_loader(pipeline)
            return "" if has_data else "there is no val_dataloader"
        has_any = pipeline.eval_dataset is not None or pipeline.metrics is not None
        return "" if has_any else NOTHING_THERE

    def _evaluate(self) -> Generator[Event, None, EvaluationFacts]:
        """Evaluate batches of each set, then compute the metrics; returns the facts."""
        found, error = self.session.attempt(
            lambda: find_evaluation_loaders(self.pipeline, self.session.settings)
        )
        if error is not None:
            return EvaluationFacts(has_own_loader=True, failure=EvaluationFailure("loader", error))
        if not found:
            yield Note("tdebug cannot tell how the evaluation samples are put together.")
            return EvaluationFacts()
        if self.style != "lightning":
            return (yield from self._evaluate_sets(found))
        return (yield from self._evaluate_as_in_fit(found))

    def _evaluate_as_in_fit(
        self, loaders: list[EvaluationLoader]
    ) -> Generator[Event, None, EvaluationFacts]:
        """The same with the hooks that Lightning calls around."""
        within = validating(self.pipeline, [one.loader for one in loaders])
        raised, error = self.session.attempt(within.__enter__)
        if error is not None:
            failure = EvaluationFailure("hook", error)
            return EvaluationFacts(loaders[0].source, has_own_loader=True, failure=failure)
        try:
            facts = yield from self._evaluate_sets(loaders)
        finally:
            within.__exit__(None, None, None)
        for text in raised:
            yield Note(f"{text}; nothing was logged here, so that may be no fault.")
        return facts

    def _evaluate_sets(
        self, loaders: list[EvaluationLoader]
    ) -> Generator[Event, None, EvaluationFacts]:
        """What each set showed, within one budget; sets for which nothing is left are told."""
        budget = Budget(self.session.settings.budget / 2)
        seen: list[EvaluationFacts] = []
        for number, loader in enumerate(loaders):
            if seen and budget.is_spent:
                yield budget.cut(f"evaluation after {number} of {len(loaders)} evaluation sets")
                break
            left = max(0.0, budget.seconds - budget.used) / (len(loaders) - number)
            seen.append((yield from self._evaluate_set(loader, left)))
            if seen[-1].failure is not None:
                break
        return replace(seen[0], more=tuple(seen[1:]))

    def _evaluate_set(
        self, loader: EvaluationLoader, seconds: float
    ) -> Generator[Event, None, EvaluationFacts]:
        evaluator = BatchEvaluator(
            self.session, self.pipeline, self.style, loader, self.precision, self.device, seconds
        )
        output = evaluator.run()
        if evaluator.problem:
            yield Note(f"predictions could not be put together: {evaluator.problem}.")
        if self.pipeline.metrics is not None and output is not None and output.label_ids is None:
            yield Note("compute_metrics is not called: no labels are found in the batches.")
        if self.pipeline.metrics is not None and self._is_given_batches():
            yield Note("compute_metrics is not called: batch_eval_metrics gives it single batches.")
        facts = evaluator.facts(output)
        return facts if output is None else self._with_metrics(facts, output)

    def _with_metrics(self, facts: EvaluationFacts, output: EvaluationOutput) -> EvaluationFacts:
        metrics = self.pipeline.metrics
        if metrics is None or output.predictions is None or output.label_ids is None:
            return facts
        if self._is_given_batches():
            return facts
        observer = MetricsObserver(self.session, metrics, self._argument(output))
        pad_id = getattr(self.pipeline.tokenizer, "pad_token_id", None)
        calls = observer.calls(output.predictions, output.label_ids, pad_id)
        place = definition_of(getattr(metrics, "func", metrics), self.session.code)
        opened = observer.was_opened
        return replace(facts, metrics=calls, was_opened=opened, metrics_location=place)

    def _is_given_batches(self) -> bool:
        """Whether the Trainer gives `compute_metrics` tensors, one batch at a time."""
        args = getattr(self.pipeline.trainer, "args", None)
        return bool(getattr(args, "batch_eval_metrics", False))

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


def _summary(facts: EvaluationFacts) -> str:
    told = []
    if facts.num_batches:
        totals = [one.num_total for one in facts.sets]
        of = f" of {sum(filter(None, totals))}" if all(totals) else ""
        samples = sum(one.num_samples for one in facts.sets)
        sets = f" in {len(totals)} sets" if facts.more else ""
        told.append(f"{samples}{of} samples{sets}")
    if facts.metrics:
        told.append("compute_metrics")
    if facts.own is not None:
        told.append("evaluate()")
    return ", ".join(told)
