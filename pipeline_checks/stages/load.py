"""The load stage: build every part that can be built, report all that fail."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from ..events import Event, Note, Observed, Progress, SpecMistake, StageBegan, StageEnded
from ..facts.load import LoadFacts, PartFact
from ..observe.loader import look_at_loader, make_loader
from ..observe.model import look_at_model
from ..observe.optimizer import look_at_optimizers
from ..pipeline.from_lightning import (
    configured_optimizers,
    is_lightning_module,
    is_lightning_trainer,
)
from ..pipeline.from_trainer import give_optimizer, is_trainer, pipeline_of_trainer
from ..pipeline.parts import Pipeline
from ..pipeline.recipes import MissingPartError, Recipe
from ..pipeline.resolve import ImportFailedError, UnknownReferenceError
from ..pipeline.sources import FactoryFailedError, Sources, gather_sources
from ..report import Stage
from .hidden_modules import find_hidden_modules
from .part_problems import problem_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..session import Session
    from ..spec import WorkerSpec

ORDER = (
    "tokenizer",
    "model",
    "dataset",
    "eval_dataset",
    "collate_fn",
    "dataloader",
    "loss",
    "compute_loss",
    "train_step",
    "metrics",
    "evaluate",
)
BESIDE_A_TRAINER = ("tokenizer", "metrics", "evaluate")
OVERRIDING = ("dataset", "eval_dataset", "collate_fn", "tokenizer")
AFTER_THE_MODEL = ("optimizer", "scheduler", "scaler")
DEFAULT_LR = 1e-3


@dataclass
class Loading:
    """The load stage at work; `pipeline` is what came of it, None if it cannot be run."""

    session: Session
    pipeline: Pipeline | None = None
    parts: list[PartFact] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)
    spec: WorkerSpec | None = None

    def run(self, spec: WorkerSpec) -> Iterator[Event]:
        """Build the parts that the spec names."""
        began = time.monotonic()
        yield StageBegan(Stage.LOAD)
        yield Progress(Stage.LOAD, f"importing {spec.pipeline or spec.file}")
        try:
            sources = gather_sources(spec, self.session)
        except UnknownReferenceError as error:
            yield SpecMistake(spec.file, error.line, error.message, error.remedy)
        except ImportFailedError as error:
            yield Observed(LoadFacts(import_error=self.session.fact(error.__cause__ or error)))
        except FactoryFailedError as error:
            fact = self.session.fact(error.__cause__ or error)
            self.parts.append(
                PartFact("pipeline", error.origin, "", location=error.location, error=fact)
            )
            yield Observed(LoadFacts(tuple(self.parts)))
        else:
            for mistake in sources.mistakes:
                yield SpecMistake(mistake.file, mistake.line, mistake.message, mistake.remedy)
            self.spec = sources.spec
            self._seed(sources.spec.seed)
            yield from self._build(sources)
        yield StageEnded(Stage.LOAD, time.monotonic() - began, self._summary())

    def run_live(self, pipeline: Pipeline) -> Iterator[Event]:
        """Look at live parts instead."""
        began = time.monotonic()
        yield StageBegan(Stage.LOAD)
        names = (*ORDER, *AFTER_THE_MODEL)
        self.values = {name: getattr(pipeline, name) for name in names}
        for name, value in self.values.items():
            if value is not None:
                self._note(name, value, "the Python call")
        yield from self._finish(pipeline)
        yield StageEnded(Stage.LOAD, time.monotonic() - began, self._summary())

    def _seed(self, seed: int) -> None:
        from ..training import set_seed  # noqa: PLC0415 - numpy's seed is set only where numpy is

        set_seed(seed)

    def _build(self, sources: Sources) -> Iterator[Event]:
        recipes = sources.recipes
        self.values = dict.fromkeys((*ORDER, *AFTER_THE_MODEL, "trainer"))
        if "trainer" in recipes:
            yield from self._make(recipes["trainer"])
        trainer = self.values["trainer"]
        if is_trainer(trainer):
            yield from self._build_beside_trainer(trainer, recipes)
            return
        if "trainer" in recipes and not is_lightning_trainer(trainer):
            # What the Trainer refused may show in the dataset that it was given.
            if "dataset" in recipes:
                yield from self._make(recipes["dataset"])
            yield Observed(LoadFacts(tuple(self.parts)))
            return
        for name in ORDER:
            if name in recipes:
                yield from self._make(recipes[name])
        parts = {name: self.values[name] for name in ORDER}
        pipeline = Pipeline(**parts, lightning=trainer)
        self._look_for_precision(pipeline)
        yield from self._finish(pipeline, recipes)

    def _look_for_precision(self, pipeline: Pipeline) -> None:
        precision = str(getattr(pipeline.lightning, "precision", ""))
        for wanted in ("bf16", "16"):
            if precision.startswith(wanted):
                pipeline.settings["precision"] = "bf16" if wanted == "bf16" else "fp16"
                return

    def _build_beside_trainer(self, trainer: Any, recipes: dict[str, Recipe]) -> Iterator[Event]:
        for name in (*BESIDE_A_TRAINER, *OVERRIDING):
            recipe = recipes.get(name)
            if recipe is not None and (name in BESIDE_A_TRAINER or recipe.origin == "the spec"):
                if self.values.get(name) is None:
                    yield from self._make(recipe)
        pipeline, error = self.session.attempt(lambda: pipeline_of_trainer(trainer))
        if error is not None:
            self.parts.append(
                PartFact("dataloader", "the Trainer's get_train_dataloader()", error=error)
            )
            yield Observed(LoadFacts(tuple(self.parts)))
            return
        for name in ("model", "dataset", "dataloader"):
            self._note(name, getattr(pipeline, name), "the Trainer")
        for name in ("tokenizer", "metrics", "evaluate", "dataset", "eval_dataset", "collate_fn"):
            if self.values.get(name) is not None:
                setattr(pipeline, name, self.values[name])
        yield from self._finish(pipeline)

    def _make(self, recipe: Recipe) -> Iterator[Event]:
        """Make one part; what fails is noted."""
        yield Progress(Stage.LOAD, f"building {recipe.name}")
        try:
            value = recipe.make(self.values)
        except MissingPartError:
            return  # the failure of that part says it all
        except UnknownReferenceError as error:
            yield SpecMistake(
                self.spec.file if self.spec else "", error.line, error.message, error.remedy
            )
            return
        except ImportFailedError as error:
            self._fail(recipe, error.__cause__ or error)
            return
        except self.session.caught as error:
            self._fail(recipe, error)
            return
        self.values[recipe.name] = value
        self._note(recipe.name, value, recipe.origin, recipe)

    def _fail(self, recipe: Recipe, error: BaseException) -> None:
        fact = self.session.fact(error)
        self.parts.append(
            PartFact(recipe.name, recipe.origin, "", location=recipe.location, error=fact)
        )

    def _note(self, name: str, value: Any, origin: str, recipe: Recipe | None = None) -> None:
        problem = problem_of(name, value)
        location = recipe.location if recipe else None
        has_length = hasattr(type(value), "__len__") if name == "dataset" else None
        self.parts.append(
            PartFact(
                name,
                origin,
                type(value).__name__,
                is_made_up=False,
                location=location,
                problem=problem,
                has_length=has_length,
            )
        )
        if problem:
            self.values[name] = None

    def _finish(
        self, pipeline: Pipeline, recipes: dict[str, Recipe] | None = None
    ) -> Iterator[Event]:
        """Look at the model first, then build and look at what depends on it."""
        if pipeline.model is not None and self._is_good("model"):
            yield Observed(look_at_model(pipeline.model, self.session.code))
        yield from self._give_optimizer(pipeline, recipes or {})
        yield from self._give_loader(pipeline)
        hidden = find_hidden_modules(self.session.code)
        yield Observed(LoadFacts(tuple(self.parts), hidden_modules=hidden))
        if pipeline.model is not None and pipeline.optimizers:
            precision = self.precision_of(pipeline)
            yield Observed(look_at_optimizers(pipeline, precision))
        if self._is_complete(pipeline):
            self.pipeline = pipeline

    def precision_of(self, pipeline: Pipeline) -> str:
        """fp32, bf16 or fp16: the spec's, else the Trainer's."""
        said = pipeline.settings.get("precision")
        if self.spec is not None and "precision" in self.spec.given:
            return self.spec.precision
        return str(said or (self.spec.precision if self.spec else "fp32"))

    def _give_optimizer(self, pipeline: Pipeline, recipes: dict[str, Recipe]) -> Iterator[Event]:
        if not isinstance(pipeline.model, nn.Module):
            return
        if pipeline.trainer is not None:
            made, error = self.session.attempt(lambda: give_optimizer(pipeline.trainer))
            if error is not None:
                self.parts.append(
                    PartFact("optimizer", "the Trainer's create_optimizer()", error=error)
                )
                return
            pipeline.optimizer, pipeline.scheduler = made
        elif is_lightning_module(pipeline.model):
            yield from self._configure_lightning(pipeline)
        else:
            for name in AFTER_THE_MODEL:
                if name in recipes:
                    yield from self._make(recipes[name])
                    setattr(pipeline, name, self.values[name])
        failed = any(part.name == "optimizer" and part.error for part in self.parts)
        if (
            not pipeline.optimizers
            and not failed
            and any(p.requires_grad for p in pipeline.model.parameters())
        ):
            trained = [p for p in pipeline.model.parameters() if p.requires_grad]
            pipeline.optimizer = torch.optim.AdamW(trained, lr=DEFAULT_LR)
            pipeline.made_up.add("optimizer")
            yield Note(
                f"no optimizer was given: tdebug used AdamW with a learning rate of {DEFAULT_LR:g}."
            )

    def _configure_lightning(self, pipeline: Pipeline) -> Iterator[Event]:
        yield Progress(Stage.LOAD, "configure_optimizers()")
        made, error = self.session.attempt(lambda: configured_optimizers(pipeline.model))
        if error is not None:
            self.parts.append(PartFact("optimizer", "configure_optimizers()", error=error))
            return
        pipeline.optimizer, pipeline.scheduler = made

    def _give_loader(self, pipeline: Pipeline) -> Iterator[Event]:
        if pipeline.dataloader is None and pipeline.dataset is not None:
            made, error = self.session.attempt(lambda: make_loader(pipeline, self._settings()))
            if error is not None:
                self.parts.append(
                    PartFact("dataloader", "DataLoader(dataset)", error=error, is_made_up=True)
                )
                return
            pipeline.dataloader = made
            pipeline.made_up.add("dataloader")
            yield from self._note_made_up_loader()
        if pipeline.dataset is None and pipeline.dataloader is not None:
            pipeline.dataset = getattr(pipeline.dataloader, "dataset", None)
        if pipeline.dataloader is not None:
            yield Observed(look_at_loader(pipeline, self.session.code))

    def _note_made_up_loader(self) -> Iterator[Event]:
        settings = self._settings()
        if not settings.is_batch_size_given:
            yield Note(
                f"no loader was given: tdebug batches {settings.batch_size} samples in dataset order."
            )

    def _settings(self) -> Any:
        if self.spec is None:
            return self.session.settings
        loader = self.spec.loader
        return replace(
            self.session.settings,
            batch_size=loader.batch_size,
            shuffle=loader.shuffle,
            num_workers=loader.num_workers,
            drop_last=loader.drop_last,
            seed=self.spec.seed,
            is_batch_size_given="loader.batch_size" in self.spec.given,
        )

    def _is_good(self, name: str) -> bool:
        return not any(part.name == name and (part.error or part.problem) for part in self.parts)

    def _is_complete(self, pipeline: Pipeline) -> bool:
        return (
            isinstance(pipeline.model, nn.Module)
            and pipeline.dataloader is not None
            and not any(part.error or part.problem for part in self.parts)
        )

    def _summary(self) -> str:
        built = [part.name for part in self.parts if not part.error and not part.problem]
        return ", ".join(dict.fromkeys(built)) + (" built" if built else "")
