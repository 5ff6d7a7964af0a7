"""The load stage: build every part that can be built, report all that fail."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..events import Event, Observed, Progress, SpecMistake, StageBegan, StageEnded
from ..facts.load import LoadFacts
from ..observe.fitting import look_at_fitting
from ..observe.loader import look_at_loader
from ..observe.model import look_at_model
from ..observe.optimizer import look_at_optimizers
from ..observe.packages import look_at_packages
from ..observe.trainer_settings import look_at_trainer
from ..pipeline.from_lightning import (
    is_lightning_trainer,
    precision_of_lightning,
    refuses_what_it_cannot_fit,
)
from ..pipeline.from_trainer import is_trainer, override_parts, pipeline_of_trainer
from ..pipeline.loss_style import has_own_loss
from ..pipeline.parts import Pipeline
from ..pipeline.resolve import ImportFailedError, UnknownReferenceError
from ..pipeline.sources import FactoryFailedError, Sources, gather_sources
from ..report import Stage
from ..training import set_seed
from .as_in_fit import begin_fit, set_up_module
from .build_parts import AFTER_THE_MODEL, BESIDE_A_TRAINER, ORDER, PartBuilder
from .depend_on_model import add_loader, add_optimizer
from .part_record import PartRecord
from .settings import precision_of, settings_of_spec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..session import Session
    from ..spec import WorkerSpec


class Loading:
    """The load stage at work.

    Attributes:
        session: What all stages share; its settings are those of the spec when the stage ends.
        record: The parts that were tried.
        pipeline: What came of it, None if it cannot be run.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.record = PartRecord(session)
        self.pipeline: Pipeline | None = None

    def run(self, spec: WorkerSpec) -> Iterator[Event]:
        """Build the parts that the spec names."""
        began = time.monotonic()
        yield StageBegan(Stage.LOAD)
        yield Progress(Stage.LOAD, f"importing {spec.pipeline or spec.file}")
        set_seed(spec.seed)  # a module, and a factory of all parts, may build what is random
        try:
            sources = gather_sources(spec, self.session)
        except UnknownReferenceError as error:
            yield SpecMistake(spec.file, error.line, error.message, error.remedy)
        except ImportFailedError as error:
            cause = self.session.own(error.__cause__ or error)
            yield Observed(LoadFacts(import_error=self.session.fact(cause)))
        except FactoryFailedError as error:
            self.record.fail("pipeline", error.origin, error.__cause__ or error, error.location)
            yield Observed(self.record.facts())
        else:
            yield from self._build(sources)
        yield Observed(look_at_packages())
        yield StageEnded(Stage.LOAD, time.monotonic() - began, self.record.summary)

    def run_live(self, pipeline: Pipeline) -> Iterator[Event]:
        """Look at live parts instead."""
        began = time.monotonic()
        yield StageBegan(Stage.LOAD)
        set_seed(self.session.settings.seed)
        for name in (*ORDER, *AFTER_THE_MODEL):
            value = getattr(pipeline, name)
            if value is not None:
                self.record.take(name, value, "the Python call")
        yield from self._finish(pipeline, PartBuilder(self.record, {}, "check_pipeline"))
        yield Observed(look_at_packages())
        yield StageEnded(Stage.LOAD, time.monotonic() - began, self.record.summary)

    def _build(self, sources: Sources) -> Iterator[Event]:
        for mistake in sources.mistakes:
            yield SpecMistake(mistake.file, mistake.line, mistake.message, mistake.remedy)
        self.session.settings = settings_of_spec(sources.spec)
        set_seed(sources.spec.seed)
        builder = PartBuilder(self.record, sources.recipes, sources.spec.file)
        yield from builder.build(["trainer"])
        trainer = self.record.values["trainer"]
        if is_trainer(trainer):
            yield from self._build_beside_trainer(trainer, builder)
        elif "trainer" in sources.recipes and not is_lightning_trainer(trainer):
            # What the Trainer refused may show in the dataset that it was given.
            yield from builder.build(["dataset"])
            yield Observed(self.record.facts())
        else:
            yield from builder.build(ORDER)
            parts = {name: self.record.values[name] for name in ORDER}
            precision = precision_of_lightning(trainer)
            settings = {"precision": precision} if precision else {}
            pipeline = Pipeline(**parts, lightning=trainer, settings=settings)
            yield from self._finish(pipeline, builder)

    def _build_beside_trainer(self, trainer: Any, builder: PartBuilder) -> Iterator[Event]:
        yield from builder.build_overriding()
        yield from builder.build(BESIDE_A_TRAINER)
        given = {k: v for k, v in self.record.values.items() if v is not None and k != "trainer"}
        try:
            override_parts(trainer, {k: v for k, v in given.items() if builder.is_overriding(k)})
            pipeline = pipeline_of_trainer(trainer)
        except self.session.caught as error:
            self.record.fail("dataloader", "the Trainer's get_train_dataloader()", error)
            yield Observed(self.record.facts())
            return
        for name in ("model", "dataset", "dataloader"):
            self.record.take(name, getattr(pipeline, name), "the Trainer")
        for name, value in given.items():
            setattr(pipeline, name, value)
        yield from self._finish(pipeline, builder)

    def _has(self, name: str, part: Any) -> bool:
        return part is not None and self.record.is_good(name)

    def _finish(self, pipeline: Pipeline, builder: PartBuilder) -> Iterator[Event]:
        """Look at the model first, then build and look at what depends on it."""
        yield from set_up_module(pipeline, self.record)
        model: Any = pipeline.model
        if self._has("model", model):
            yield Observed(look_at_model(model, self.session.code))
        yield from add_optimizer(pipeline, builder)
        yield from self._look_at_fitting(pipeline)
        if pipeline.trainer is not None:
            yield Observed(look_at_trainer(pipeline.trainer, self.session.code))
        yield from add_loader(pipeline, self.session, self.record)
        yield from begin_fit(pipeline, self.record)
        if pipeline.dataloader is not None:
            yield Observed(look_at_loader(pipeline, self.session.code))
        yield Observed(replace(self.record.facts(), has_own_loss=has_own_loss(pipeline)))
        if self._has("model", pipeline.model) and self._has("optimizer", pipeline.optimizer):
            precision = precision_of(pipeline, self.session.settings)
            yield Observed(look_at_optimizers(pipeline, precision))
        if self.record.is_faultless:
            lacking = list(_lacking(pipeline))
            yield from (SpecMistake(builder.file, None, text, remedy) for text, remedy in lacking)
            self.pipeline = None if lacking else pipeline

    def _look_at_fitting(self, pipeline: Pipeline) -> Iterator[Event]:
        """Look at what a LightningModule that Lightning itself is to fit has configured."""
        is_own_loop = pipeline.train_step is not None or pipeline.compute_loss is not None
        if pipeline.configured is None or is_own_loop:
            return
        if refuses_what_it_cannot_fit(pipeline.model):
            yield Observed(look_at_fitting(pipeline, self.session.code))


def _lacking(pipeline: Pipeline) -> Iterator[tuple[str, str]]:
    """The parts without which nothing can be run and that nobody gave, each with a remedy."""
    if pipeline.model is None:
        yield "no model is given.", "Give `model`, or define build_model()."
    if pipeline.dataloader is None:
        yield (
            "neither a dataset nor a loader is given.",
            "Give `dataset` or `dataloader`, or define build_dataset() or build_dataloader().",
        )
