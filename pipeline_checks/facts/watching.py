"""What training under the detector or the tracer showed."""

from dataclasses import dataclass

from ..events import Death
from .numerics import OriginFact

# The places of a step in their order; gradients that came bad from other ranks are later than a
# rank's own.
PLACES = ("forward", "loss", "gradients", "shared gradients", "weights after the step")


@dataclass(frozen=True)
class StatsFact:
    """Numbers of one tensor; the fields are those of `tdebug.overflow.TensorStats`."""

    shape: tuple[int, ...]
    dtype: str
    abs_min: float
    abs_max: float
    finite_abs_max: float = 0.0
    nan_count: int = 0
    inf_count: int = 0
    zero_share: float = 0.0
    subnormal_share: float = 0.0
    limit: float | None = None

    @property
    def is_finite(self) -> bool:
        """Whether the tensor held neither nan nor inf."""
        return not self.nan_count and not self.inf_count

    @property
    def share_of_limit(self) -> float | None:
        """Largest magnitude over the largest finite number of the dtype, None without one."""
        return self.abs_max / self.limit if self.limit else None


@dataclass(frozen=True)
class RowFact:
    """One value that a module touched.

    Attributes:
        context: `weight`, `input[0]`, `output`.
        kind: `weight`, `buffer`, `input`, `output` or `gradient`.
        stats: Its numbers, None where there are none.
        note: What stands there instead of numbers: `None`, `not a tensor`, `empty`.
        forecast: What float16 would make of it (`overflow`, `close`, `underflow`), "" if nothing.
    """

    context: str
    kind: str
    stats: StatsFact | None = None
    note: str = ""
    forecast: str = ""


@dataclass(frozen=True)
class FrameFact:
    """One forward of one module.

    Attributes:
        module: Qualified name, "" for the model itself.
        module_class: Class name.
        batch: The batch, None outside any.
        rows: The values that it touched.
        text: The frame in its classic form.
        line: The frame as a line of a trace file.
    """

    module: str
    module_class: str
    batch: int | None
    rows: tuple[RowFact, ...] = ()
    text: str = ""
    line: str = ""


@dataclass(frozen=True)
class FramesSeen:
    """The frames of one traced batch, in the order in which the modules ended."""

    batch: int
    frames: tuple[FrameFact, ...]
    loss: float | None = None


@dataclass(frozen=True)
class DetectionFact:
    """The first nan or inf.

    Attributes:
        batch: The batch, None for a forward that counts as none.
        stage: `forward`, `loss`, `gradients` or `weights after the step`.
        where: The first bad value and its module, in words.
        note: What is to be known about it, "" if nothing.
        frames: The last frames, the bad one at the end.
        origin: The operator where it began, None where that could not be told.
        origin_text: The same in plain English.
        classic: The report in its classic form.
        is_own: False where the gradients came bad from other ranks, and this rank's were finite.
    """

    batch: int | None
    stage: str
    where: str
    note: str = ""
    frames: tuple[FrameFact, ...] = ()
    origin: OriginFact | None = None
    origin_text: str = ""
    classic: str = ""
    is_own: bool = True

    @property
    def place(self) -> int:
        """Where in the step it was, as an index of `PLACES`."""
        return PLACES.index(self.stage if self.is_own else "shared gradients")


@dataclass(frozen=True)
class RankWatched:
    """What one rank of several has seen while they trained together.

    Attributes:
        rank: Its rank.
        num_batches: Batches that it ran, the last maybe in part.
        num_steps: Optimizer steps that it took.
        losses: Batch and loss, the last few.
        ended_by: As in `WatchFacts`; `death` where its process ended, `unknown` where it was told
            of nothing.
        detection: Its first nan or inf.
        death: How its process ended before it was done.
        was_ended: Whether tdebug, or the launcher, ended it for another's sake.
    """

    rank: int
    num_batches: int = 0
    num_steps: int = 0
    losses: tuple[tuple[int, float], ...] = ()
    ended_by: str = ""
    detection: DetectionFact | None = None
    death: Death | None = None
    was_ended: bool = False

    @property
    def place(self) -> tuple[int, int] | None:
        """Batch and place in the step of its nan or inf, to tell who was first; None without."""
        if self.detection is None:
            return None
        batch = self.detection.batch
        return self.num_batches - 1 if batch is None else batch, self.detection.place


@dataclass(frozen=True)
class WatchFacts:
    """What a watched training showed.

    Attributes:
        num_batches: Batches that were run, the last maybe in part.
        num_steps: Optimizer steps that were taken; calls, with a `train_step`.
        num_skipped: Steps that a GradScaler skipped.
        losses: Batch and loss, in order, the last thousand.
        ended_by: `done`, `limit` (of batches), `detection`, `failure`, or `left` where other ranks
            had ended; "" while it runs.
        detection: The first nan or inf, None if there was none.
        forecasts: What float16 would not hold, or hardly, the worst first, in words; the first 50.
        num_forecasts: How many there are.
        precision: fp32, bf16 or fp16.
        device: Where it ran.
        num_modules: Modules watched.
        first_batch: In one of several ranks a fingerprint of the first batch, "" elsewhere.
        ranks: What each of several ranks has seen; the other fields are then those of the one that
            went bad first, else of the lowest. () for one process.
    """

    num_batches: int = 0
    num_steps: int = 0
    num_skipped: int = 0
    losses: tuple[tuple[int, float], ...] = ()
    ended_by: str = "done"
    detection: DetectionFact | None = None
    forecasts: tuple[str, ...] = ()
    num_forecasts: int = 0
    precision: str = "fp32"
    device: str = "cpu"
    num_modules: int = 0
    first_batch: str = ""
    ranks: tuple[RankWatched, ...] = ()

    @property
    def first_ranks(self) -> tuple[int, ...]:
        """The ranks that went bad first; several if that was at the same place of a step."""
        places = {rank.rank: rank.place for rank in self.ranks if rank.place is not None}
        first = min((place for place in places.values() if place is not None), default=None)
        return tuple(rank for rank, place in places.items() if place == first)


@dataclass(frozen=True)
class DifferenceFact:
    """One value that is not the same in two traces; see `tdebug.overflow.RowDifference`."""

    batch: int | None
    module: str
    module_class: str
    context: str
    first: StatsFact | None
    second: StatsFact | None
    relative: float
    allowed: float


@dataclass(frozen=True)
class DiffFacts:
    """Two traces side by side.

    Attributes:
        differences: The values that differ, in the order of the first trace, at most 1,000.
        num_differences: How many there are.
        num_compared: How many values both have.
        only_first: Modules that only the first trace has.
        only_second: Modules that only the second trace has.
        mistake: Why a file could not be read, with its name; "" if both could.
    """

    differences: tuple[DifferenceFact, ...] = ()
    num_differences: int = 0
    num_compared: int = 0
    only_first: tuple[str, ...] = ()
    only_second: tuple[str, ...] = ()
    mistake: str = ""
