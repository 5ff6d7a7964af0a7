"""What building the parts of the pipeline showed."""

from dataclasses import dataclass, field

from ..report import Location
from .exceptions import ExceptionFact


@dataclass(frozen=True)
class PartFact:
    """One part of the pipeline.

    Attributes:
        name: `model`, `dataset`, `optimizer`, `trainer`, ...
        origin: What it was built from, in words: `build_model() of train_setup.py`, `the spec`.
        type: The class name of what was built, "" if it was not.
        is_made_up: True if the user gave none and tdebug made one.
        location: The line of the factory or of the spec.
        error: What building it raised.
        problem: Why what was built cannot serve, "" if it can.
        has_length: For datasets: whether `len` works; None for other parts.
        cycle: For models: where a module is that one above it contains: `layers.0.parent`.
    """

    name: str
    origin: str = ""
    type: str = ""
    is_made_up: bool = False
    location: Location | None = None
    error: ExceptionFact | None = None
    problem: str = ""
    has_length: bool | None = None
    cycle: str = ""


@dataclass(frozen=True)
class HiddenModule:
    """A file of the user's that hides a module of the standard library or of a package."""

    file: str
    module: str


@dataclass(frozen=True)
class RefusedTrainer:
    """What the constructor of a Hugging Face Trainer was given when it raised.

    Attributes:
        dataset: Class name of `train_dataset`, "" without one.
        has_length: Whether `len(train_dataset)` can be had.
        max_steps: `args.max_steps`; at most 0 where it was not set.
        num_epochs: `args.num_train_epochs`.
    """

    dataset: str = ""
    has_length: bool = True
    max_steps: int = 0
    num_epochs: float | None = None


@dataclass(frozen=True)
class LoadFacts:
    """What building the parts showed.

    Attributes:
        parts: One entry a part that was tried, in the order of building.
        has_own_loss: Whether code of the user's computes the loss, not the model itself.
        import_error: What importing the pipeline's module raised.
        hidden_modules: Files of the user's that hide modules.
        refused_trainer: Set where the constructor of a Hugging Face Trainer raised.
    """

    parts: tuple[PartFact, ...] = ()
    has_own_loss: bool = False
    import_error: ExceptionFact | None = None
    hidden_modules: tuple[HiddenModule, ...] = ()
    refused_trainer: RefusedTrainer | None = None

    def place_of(self, names: tuple[str, ...]) -> Location | None:
        """The line of the first of these parts that has one."""
        places = (part.location for name in names if (part := self.part(name)) is not None)
        return next((place for place in places if place is not None), None)

    def part(self, name: str) -> PartFact | None:
        """The part of this name, or None."""
        return next((part for part in self.parts if part.name == name), None)


@dataclass(frozen=True)
class SetupFacts:
    """What the stages ran on.

    Attributes:
        device: The device.
        versions: Versions of what the pipeline uses.
        wanted: The device that the user asked for, where it is another one that this machine has.
    """

    device: str = "cpu"
    versions: dict[str, str] = field(default_factory=dict)
    wanted: str = ""
