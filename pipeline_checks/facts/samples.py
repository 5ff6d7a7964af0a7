"""What reading samples of the dataset showed."""

from dataclasses import dataclass

from ..report import Location
from .exceptions import ExceptionFact


@dataclass(frozen=True)
class KindCount:
    """A kind of value that a field has, and in how many samples.

    Attributes:
        kind: `int64 tensor`, `int`, `str`, `list of int`, `float32 array`, `object array`, `None`.
        num_dims: Dimensions, 0 for scalars, nested depth for lists; None for no numbers.
        count: Samples that have it.
        first: Index of the first of them.
        dtype: For tensors and arrays: `float64`; "" otherwise.
    """

    kind: str
    num_dims: int | None
    count: int
    first: int
    dtype: str = ""


@dataclass(frozen=True)
class ShapeCount:
    """A shape that a field has: how many samples, and the indices of the first few."""

    shape: tuple[int, ...]
    count: int
    indices: tuple[int, ...]


@dataclass(frozen=True)
class BadValue:
    """Non-finite values of a field.

    Attributes:
        kind: `nan`, `inf` or `-inf`.
        num_samples: Samples that hold one.
        num_values: Values in all.
        index: The first such sample.
        position: Where in it, as an index of the field's array.
    """

    kind: str
    num_samples: int
    num_values: int
    index: int
    position: tuple[int, ...]


@dataclass(frozen=True)
class ValueCount:
    """A distinct whole number: how many samples hold it, and the first of them."""

    value: int
    count: int
    first: int


@dataclass(frozen=True)
class FieldFact:
    """One field over all samples read.

    Attributes:
        path: `["labels"]`, `[1]`, `["meta"]["id"]`, "" for a sample that is the value itself.
        kinds: Most frequent first.
        shapes: Most frequent first, at most 20.
        count: Samples in which it is.
        first_missing: Index of the first sample without it, or None.
        min: Smallest finite number, or None.
        max: Largest finite number, or None.
        min_index: Sample with the smallest.
        max_index: Sample with the largest.
        bad: Non-finite values.
        values: Distinct whole numbers, smallest first; empty for floats with a fraction or where
            there are over 1,000.
        text: An example where it holds text.
        types_inside: Python types inside an object array, with an example each.
        is_whole: Whether every number in it is whole.
        mean: Mean of all its numbers, or None.
        std: Standard deviation of all its numbers, or None.
        num_zero_rows: Samples in which every number is 0.
        first_zero_row: The first of them.
        longest: Largest size of the last dimension, None where it has none.
        longest_index: The first sample of that size.
        num_seen: Samples over which `bad` counts, and for single numbers `min`, `max`, `values` and
            `is_whole` too, where those are more than were read: a whole column was looked at.
    """

    path: str
    kinds: tuple[KindCount, ...] = ()
    shapes: tuple[ShapeCount, ...] = ()
    count: int = 0
    first_missing: int | None = None
    min: float | None = None
    max: float | None = None
    min_index: int | None = None
    max_index: int | None = None
    bad: tuple[BadValue, ...] = ()
    values: tuple[ValueCount, ...] = ()
    text: str | None = None
    types_inside: tuple[tuple[str, str], ...] = ()
    is_whole: bool = False
    mean: float | None = None
    std: float | None = None
    num_zero_rows: int = 0
    first_zero_row: int | None = None
    longest: int | None = None
    longest_index: int | None = None
    num_seen: int | None = None

    @property
    def name(self) -> str:
        """The last key of the path: `labels`, `1`."""
        return self.path.rsplit("[", 1)[-1].rstrip("]").strip("\"'") if self.path else ""

    @property
    def holds_text(self) -> bool:
        """Whether some sample holds text in it."""
        return any("str" in kind.kind for kind in self.kinds)

    @property
    def num_dims(self) -> int | None:
        """Dimensions of the most frequent kind."""
        return self.kinds[0].num_dims if self.kinds else None

    @property
    def is_scalar(self) -> bool:
        """Whether each sample holds one number."""
        return bool(self.shapes) and all(shape.shape in {(), (1,)} for shape in self.shapes)


@dataclass(frozen=True)
class ObjectArray:
    """An array of dtype object that was at hand where reading a sample raised.

    Attributes:
        name: How the user's code calls it: `row`, `self.x`.
        shape: Its shape.
        types_inside: Python types in it, with an example each.
    """

    name: str
    shape: tuple[int, ...]
    types_inside: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class FailedSample:
    """A sample that could not be read.

    Attributes:
        index: The sample.
        error: What reading it raised.
        object_arrays: Object arrays among the locals, and in `self`, of the user's innermost
            frame; looked for only after a TypeError or ValueError.
    """

    index: int
    error: ExceptionFact
    object_arrays: tuple[ObjectArray, ...] = ()


@dataclass(frozen=True)
class RepeatCount:
    """Samples that are exact copies of others, by a hash of all their values.

    Attributes:
        num_compared: Samples that were compared.
        num_repeated: Those equal to an earlier one (to a training sample, for the evaluation set).
        first: The first such sample.
        same_as: The sample that it is equal to.
        num_values: Numbers or characters in one sample, the median: small samples repeat by chance.
    """

    num_compared: int
    num_repeated: int
    first: int | None = None
    same_as: int | None = None
    num_values: int = 0


@dataclass(frozen=True)
class SampleFacts:
    """What reading samples showed.

    Attributes:
        dataset: Class name.
        length: `len(dataset)`, None for an iterable one.
        num_read: Samples read.
        containers: Kinds of container that samples have (`dict`, `tuple`, `Tensor`), most frequent
            first.
        fields: One entry a field, in the order of the first sample.
        none_indices: The first samples that are None, at most 20.
        num_none: Samples that are None.
        failed: The first samples that raised, at most 20.
        num_failed: Samples that raised.
        is_iterable: Whether it was iterated instead of indexed.
        removed: Columns that the Trainer's loader removes before the collator sees them.
        location: Where `__getitem__` (or `__iter__`) is defined, where that is the user's code.
        last_readable: The largest index that could be read.
        copies: Samples that are copies of earlier ones, None where that was not looked at.
        leaked: Evaluation samples that are copies of training samples, None without an evaluation
            set.
        is_eval_same: Whether the evaluation set is the training set itself.
    """

    dataset: str
    length: int | None = None
    num_read: int = 0
    containers: tuple[KindCount, ...] = ()
    fields: tuple[FieldFact, ...] = ()
    none_indices: tuple[int, ...] = ()
    num_none: int = 0
    failed: tuple[FailedSample, ...] = ()
    num_failed: int = 0
    is_iterable: bool = False
    removed: tuple[str, ...] = ()
    location: Location | None = None
    last_readable: int | None = None
    copies: RepeatCount | None = None
    leaked: RepeatCount | None = None
    is_eval_same: bool = False

    @property
    def container(self) -> str:
        """The most frequent container, "" if nothing was read."""
        return self.containers[0].kind if self.containers else ""

    def num_seen(self, field: FieldFact) -> int:
        """Samples of which the numbers of a field are known: those read, or all of its column."""
        return self.num_read if field.num_seen is None else field.num_seen

    def seen_text(self, field: FieldFact) -> str:
        """Like `read_text`, of the samples of which the numbers of a field are known."""
        return self.read_text if field.num_seen is None else f"all {field.num_seen} samples"

    def field(self, name: str) -> FieldFact | None:
        """The field of this name or path, or None."""
        return next((f for f in self.fields if name in {f.path, f.name}), None)

    @property
    def read_text(self) -> str:
        """`all 40 samples` or `256 of 4000 samples`."""
        if self.length is None:
            return f"the first {self.num_read} samples" if self.num_read != 1 else "one sample"
        if self.num_read >= self.length:
            return f"all {self.length} samples" if self.length != 1 else "the only sample"
        return f"{self.num_read} of {self.length} samples"
