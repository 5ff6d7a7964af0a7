"""What each process of a distributed run holds, reads and predicts."""

from dataclasses import dataclass, field

from ..events import Death
from ..report import Location
from .evaluation import OwnEvaluation
from .exceptions import ExceptionFact


@dataclass(frozen=True)
class RankFailure:
    """An exception in one rank.

    Attributes:
        doing: What it was doing, in the user's words: `building dataset`, `evaluate()`.
        error: The exception.
    """

    doing: str
    error: ExceptionFact


@dataclass(frozen=True)
class RankCall:
    """Where one rank was when the ranks met: at a collective, or at the end of a section.

    Attributes:
        rank: The rank.
        operation: `all_gather`, or "" at the end of a section.
        place: The user's line as `file:line`, or the section: `the end of evaluate()`.
        location: The user's line, None at the end of a section.
        arrays: Shape and dtype of what it hands over: `[4, 2] float32`; () where they may differ.
        group: The ranks that must come, () for all.
    """

    rank: int
    operation: str = ""
    place: str = ""
    location: Location | None = None
    arrays: tuple[str, ...] = ()
    group: tuple[int, ...] = ()


@dataclass(frozen=True)
class RankAbsence:
    """A rank that did not come where others waited for it.

    Attributes:
        rank: The one that did not come.
        reason: `dead`, `failed`, `left` or `silent`.
        detail: More in words.
        stack: Its Python stack without tdebug's own frames, innermost last, as a `Death` has it.
        waited_s: How long it was waited for, in seconds.
        place: Where the others waited.
    """

    rank: int
    reason: str
    detail: str = ""
    stack: str = ""
    waited_s: float = 0.0
    place: str = ""


@dataclass(frozen=True)
class RankData:
    """One pass over the training data of one rank.

    Attributes:
        num_batches: Batches of the pass.
        num_samples: Samples in them.
        is_whole: False where the pass was cut, so that there may be more.
        samples: What tells the samples apart: indices as text, or fingerprints of their values.
        are_indices: Whether `samples` are indices into the dataset.
        num_total: The length of the dataset, None where that is unknown.
        batch_size: Of the first batch.
        is_made_up: Whether the loader is one that tdebug made.
        sampler: Class name of what chooses the samples.
        is_sharded_later: Whether a framework (Lightning) gives each rank its part only in training.
        is_prepared: Whether it is a loader of accelerate's, which deals the samples out.
        location: Where the dataset or the loader is defined.
    """

    num_batches: int
    num_samples: int
    is_whole: bool = True
    samples: tuple[str, ...] = ()
    are_indices: bool = False
    num_total: int | None = None
    batch_size: int | None = None
    is_made_up: bool = False
    sampler: str = ""
    is_sharded_later: bool = False
    is_prepared: bool = False
    location: Location | None = None


@dataclass(frozen=True)
class RankStep:
    """One call of an optimizer's `step` in one rank.

    Attributes:
        number: Of the call, counted from 0.
        gradients: A digest of each gradient before it, by the name of the parameter: "" where there
            is none; nothing where the step computes them itself (a closure).
        parameters: A digest of each of these parameters after the training step.
    """

    number: int
    gradients: dict[str, str] = field(default_factory=dict)
    parameters: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class RankTraining:
    """A few training steps of one rank, on other batches than those of the other ranks.

    Attributes:
        why_not: Why no step was taken, "" where some were.
        averaged_by: What averages the gradients over the ranks: `DistributedDataParallel`, `the
            code` (it hands gradients to a collective), "" where nothing does.
        unwrapped: Trainable parameters outside of what is wrapped; () where nothing is.
        unused: Parameters that one batch gave no gradient, and for whose gradients
            DistributedDataParallel waits.
        before: A digest of each parameter before the first step.
        steps: The steps.
        has_own_hook: Whether gradients are averaged in a way of the user's (a communication hook).
        called_collectives: Whether the code of the steps called a collective itself.
    """

    why_not: str = ""
    averaged_by: str = ""
    unwrapped: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    before: dict[str, str] = field(default_factory=dict)
    steps: tuple[RankStep, ...] = ()
    has_own_hook: bool = False
    called_collectives: bool = False


@dataclass(frozen=True)
class RankFacts:
    """What one rank has told until now.

    Attributes:
        rank: Its rank.
        is_done: Whether it came to its end.
        doing: What it was doing last.
        death: How its process ended before that; None where it did not.
        was_ended: True where it was ended because another rank had failed.
        failures: What it raised.
        data: One pass over its training data.
        parameters: A digest of each parameter, by name.
        is_wrapped: Whether the model, or a part of it, is wrapped for distributed training (DDP).
        is_sharded: Whether each rank holds a part of the parameters (FSDP, tensor parallelism).
        mentions: The libraries for distributed training that the user's files name.
        training: A few training steps, all ranks at once.
        evaluation: The user's own evaluation, called on all ranks at once.
        calls: Where the ranks were when they did not agree; () where they always did.
        absences: The ranks that it has waited for in vain.
    """

    rank: int
    is_done: bool = False
    doing: str = ""
    death: Death | None = None
    was_ended: bool = False
    failures: tuple[RankFailure, ...] = ()
    data: RankData | None = None
    parameters: dict[str, str] = field(default_factory=dict)
    is_wrapped: bool = False
    is_sharded: bool = False
    mentions: tuple[str, ...] = ()
    training: RankTraining | None = None
    evaluation: OwnEvaluation | None = None
    calls: tuple[RankCall, ...] = ()
    absences: tuple[RankAbsence, ...] = ()


@dataclass(frozen=True)
class DistributedFacts:
    """What all ranks have told, in the order of the ranks."""

    ranks: tuple[RankFacts, ...] = ()

    @property
    def num_ranks(self) -> int:
        """How many there are."""
        return len(self.ranks)

    @property
    def dead(self) -> tuple[RankFacts, ...]:
        """The ranks whose process ended by itself, and not because another had failed."""
        return tuple(r for r in self.ranks if r.death is not None and not r.was_ended)
