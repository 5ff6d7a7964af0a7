"""Build parts from their recipes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..events import Event, Progress, SpecMistake
from ..pipeline.recipes import MissingPartError
from ..pipeline.resolve import ImportFailedError, UnknownReferenceError
from ..report import Stage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ..pipeline.recipes import Recipe
    from .part_record import PartRecord

# Every part that can be built without the model, in the order in which they ask for each other.
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
AFTER_THE_MODEL = ("optimizer", "scheduler", "scaler")
BESIDE_A_TRAINER = ("tokenizer", "metrics", "evaluate")
ALL = (*ORDER, *AFTER_THE_MODEL, "trainer")
OVERRIDING = ("dataset", "eval_dataset", "collate_fn", "tokenizer")


@dataclass
class PartBuilder:
    """Builds parts and notes what came of them.

    Attributes:
        record: Where that is noted.
        recipes: By the name of the part.
        file: The spec, for what it names and is not there.
    """

    record: PartRecord
    recipes: Mapping[str, Recipe]
    file: str

    def __post_init__(self) -> None:
        self._begun: set[str] = set()
        for name in ALL:
            self.record.values.setdefault(name, None)

    def build(self, names: Iterable[str]) -> Iterator[Event]:
        """Build those of the parts that there is a recipe for, and what they ask for first."""
        for name in names:
            if name in self.recipes and name not in self._begun:
                self._begun.add(name)
                yield from self._build_one(self.recipes[name])

    def build_overriding(self) -> Iterator[Event]:
        """Build the parts of a Trainer that the spec itself overrides."""
        yield from self.build([n for n in OVERRIDING if self.is_overriding(n)])

    def is_overriding(self, name: str) -> bool:
        """Whether the spec itself gives this part beside its `pipeline:`."""
        return name in self.recipes and self.recipes[name].is_of_spec

    def _build_one(self, recipe: Recipe) -> Iterator[Event]:
        yield Progress(Stage.LOAD, f"building {recipe.name}")
        caught = self.record.session.caught
        try:
            value = recipe.make(self.record.values)
        except MissingPartError as missing:
            yield from self._build_after(missing.name, recipe)
            return
        except UnknownReferenceError as error:
            yield SpecMistake(self.file, error.line, error.message, error.remedy)
            return
        except ImportFailedError as error:
            self._fail(recipe, self.record.session.own(error.__cause__ or error))
            return
        except caught as error:
            self._fail(recipe, error)
            return
        self.record.take(recipe.name, value, recipe.origin, recipe.location)

    def _build_after(self, name: str, recipe: Recipe) -> Iterator[Event]:
        """Build the part after another that it asks for, unless that is not to be had."""
        if name in self.recipes and name not in self._begun:
            yield from self.build([name])
            yield from self._build_one(recipe)
        elif name not in self.recipes and self.record.is_good(name):
            self._fail(recipe, TypeError(f"it asks for {name!r}, and nothing gives one."))
        # Else that part failed, which says it all.

    def _fail(self, recipe: Recipe, error: BaseException) -> None:
        self.record.fail(recipe.name, recipe.origin, error, recipe.location)
