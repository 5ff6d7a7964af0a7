"""Gather the recipes of all parts from the spec and from what its `pipeline:` names."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..report import Location
from ..spec import validate_config
from ..spec.parts import Reference
from .arguments import Arguments, fill_arguments
from .from_lightning import is_lightning_module
from .from_trainer import is_trainer
from .recipes import Recipe, called_by_name, recipe_of_spec, recipes_of_module
from .resolve import UnknownReferenceError, import_file, resolve

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    from ..session import Session
    from ..spec import Mistake, WorkerSpec

NAMES_OF_PARTS = {
    "model", "dataset", "eval_dataset", "collate_fn", "dataloader", "loss", "compute_loss",
    "train_step", "optimizer", "scheduler", "scaler", "tokenizer", "metrics", "evaluate", "trainer",
}  # fmt: skip


class FactoryFailedError(Exception):
    """The factory that `pipeline:` names raised; `__cause__` is what."""

    def __init__(self, origin: str, location: Location | None, cause: BaseException) -> None:
        self.origin, self.location = origin, location
        self.__cause__ = cause
        super().__init__(f"{origin} raised {type(cause).__name__}")


@dataclass
class Sources:
    """Where all parts come from.

    Attributes:
        recipes: By the name of the part.
        spec: The spec, with the values of `CONFIG` where it was silent itself.
        mistakes: Wrong values in `CONFIG`.
        arguments: The dataclasses that factories may ask for.
    """

    recipes: dict[str, Recipe]
    spec: WorkerSpec
    mistakes: list[Mistake] = field(default_factory=list)
    arguments: Arguments = field(default_factory=Arguments)


def gather_sources(spec: WorkerSpec, session: Session) -> Sources:
    """Import what the spec names and list the recipes.

    Raises:
        UnknownReferenceError: The spec names a file, module or attribute that is not there.
        ImportFailedError: A module of the user's raised.
        FactoryFailedError: The factory that `pipeline:` names raised.
    """
    found = _find(spec.pipeline, spec.folder) if isinstance(spec.pipeline, Reference) else None
    sources = Sources({}, spec, arguments=fill_arguments(spec))
    if isinstance(spec.pipeline, Reference):
        _read_pipeline(spec.pipeline, found, sources, session)
    for name, part in spec.parts.items():
        place = Location(spec.file, spec.line_of(name))
        recipe = recipe_of_spec(name, part, spec.folder, place, sources.arguments)
        sources.recipes[name] = recipe
    if not sources.recipes:
        raise UnknownReferenceError(
            f"{spec.pipeline or spec.file} defines no part of a pipeline.",
            spec.line_of("pipeline"),
            "tdebug looks for build_model, build_dataset, build_trainer and the like in it.",
        )
    return sources


def _find(reference: Reference, folder: Path) -> Any:
    """The module or the factory that `pipeline:` names."""
    parsed = reference.parsed
    if parsed.file is not None and not parsed.attribute:
        return import_file(folder / parsed.file, reference.line)
    return resolve(reference, folder)


def _read_pipeline(reference: Reference, found: Any, sources: Sources, session: Session) -> None:
    parsed = reference.parsed
    if inspect.ismodule(found):
        _take_module(found, parsed.file or reference.text, sources, session)
        return
    location = session.code.of_code(found.__code__) if hasattr(found, "__code__") else None
    name = f"{parsed.attribute}{'()' if callable(found) else ''} of {parsed.file or parsed.module}"
    value = found
    if _is_factory(found):
        factory = called_by_name(found, None, sources.arguments)
        value = _call(lambda: factory({}), name, location, session)
    sources.recipes.update(_recipes_of_value(value, name, location))
    module_of_factory = inspect.getmodule(found)
    if module_of_factory is not None and "trainer" in sources.recipes:
        file = parsed.file or str(parsed.module)
        beside = recipes_of_module(module_of_factory, file, session, sources.arguments)
        extra = {k: v for k, v in beside.items() if k in {"tokenizer", "metrics", "evaluate"}}
        sources.recipes = {**extra, **sources.recipes}


def _call(
    factory: Callable[[], Any], name: str, location: Location | None, session: Session
) -> Any:
    try:
        return factory()
    except session.caught as error:
        raise FactoryFailedError(name, location, error) from error


def _is_factory(found: Any) -> bool:
    return inspect.isroutine(found) or inspect.isclass(found)


def _take_module(module: ModuleType, name: str, sources: Sources, session: Session) -> None:
    sources.recipes.update(recipes_of_module(module, name, session, sources.arguments))
    if hasattr(module, "CONFIG"):
        path = getattr(module, "__file__", None)
        values, sources.mistakes = validate_config(
            module.CONFIG, file=name, source=Path(path) if path else None
        )
        sources.spec = sources.spec.filled_from(values)


def _recipes_of_value(value: Any, origin: str, location: Location | None) -> dict[str, Recipe]:
    if is_trainer(value):
        parts: Mapping[str, Any] = {"trainer": value}
    elif is_lightning_module(value):
        parts = {"model": value}
    elif isinstance(value, Mapping):
        parts = {str(k): v for k, v in value.items() if k in NAMES_OF_PARTS and v is not None}
    else:
        raise UnknownReferenceError(
            f"{origin} gives a {type(value).__name__}.",
            None,
            "A dict of parts, a Hugging Face Trainer or a LightningModule is needed.",
        )
    return {
        name: Recipe(name, origin, lambda _, part=part: part, location)  # type: ignore[misc] # mypy cannot infer the bound default
        for name, part in parts.items()
    }
