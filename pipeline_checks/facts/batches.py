"""What putting samples together into batches showed."""

from dataclasses import dataclass

from .exceptions import ExceptionFact


@dataclass(frozen=True)
class LeafFact:
    """A value in a batch.

    Attributes:
        path: `["labels"]`, `[0]`, `.logits`, "" for a batch that is the value itself.
        type: Class name; `Tensor`.
        shape: For tensors and arrays.
        dtype: For tensors and arrays.
        example: Short text of other values.
        min: Smallest number, for integer tensors of at most 100,000 entries.
        max: Largest number, likewise.
        rows_of_min: The first rows that hold the smallest, for those of one dimension.
    """

    path: str
    type: str
    shape: tuple[int, ...] | None = None
    dtype: str = ""
    example: str = ""
    min: int | None = None
    max: int | None = None
    rows_of_min: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """The last key of the path."""
        return self.path.rsplit("[", 1)[-1].rstrip("]").strip("\"'") if self.path else ""


@dataclass(frozen=True)
class FieldLengths:
    """The sizes of one field over the samples of a batch that could not be put together.

    Attributes:
        path: The field.
        kinds: Kind of each sample's value: `list of int`, `float32 tensor`, `str`, `None`,
            `PIL.Image`.
        shapes: Shape of each sample's value, None where it has none.
    """

    path: str
    kinds: tuple[str, ...]
    shapes: tuple[tuple[int, ...] | None, ...]

    @property
    def name(self) -> str:
        """The last key of the path."""
        return self.path.rsplit("[", 1)[-1].rstrip("]").strip("\"'") if self.path else ""

    @property
    def is_ragged(self) -> bool:
        """Whether the shapes differ."""
        return len(set(self.shapes)) > 1


@dataclass(frozen=True)
class BatchFact:
    """One batch.

    Attributes:
        number: Counted from 0.
        indices: The samples in it, () where the loader does not say.
        size: The number of samples.
        container: `dict`, `tuple`, `list`, `Tensor`, a class name.
        leaves: The values in it.
        error: What collating raised.
        fields: Sizes over the samples, where collating raised.
        is_last: Whether it is the last of a pass.
        was_drawn: False where choosing its samples raised, not putting them together.
    """

    number: int
    indices: tuple[int, ...] = ()
    size: int | None = None
    container: str = ""
    leaves: tuple[LeafFact, ...] = ()
    error: ExceptionFact | None = None
    fields: tuple[FieldLengths, ...] = ()
    is_last: bool = False
    was_drawn: bool = True


@dataclass(frozen=True)
class LabelFact:
    """Labels of a language model in one batch.

    Attributes:
        batch: Its number.
        path: The field.
        num_labels: Labels in all.
        num_ignored: Those that are -100.
        rows_ignored: Samples whose labels are all -100.
        num_padded: Positions with attention mask 0 (or the pad id where that is no other token).
        num_padded_labelled: Those with a label that is not -100.
        num_eos: Real end tokens (attention mask 1) in the inputs.
        num_eos_ignored: Those whose label is -100.
        num_same: Labels equal to the input id at the same position.
        num_next: Labels equal to the next input id.
        num_compared: Labels that were compared.
        pad: The id of padding: the tokenizer's, else the only one where the mask is 0; None if
            unknown.
        eos: Ids that end a text, by the tokenizer, else by the model's config; () if unknown.
        num_decoder_same: Labels that are not -100 and equal the `decoder_input_ids` at the same
            position; 0 where all those labels are one and the same.
        num_decoder_compared: Those that were compared with them.
        knows_padding: False where neither a mask nor a pad id tells the padding.
    """

    batch: int
    path: str
    num_labels: int
    num_ignored: int
    rows_ignored: tuple[int, ...] = ()
    num_padded: int = 0
    num_padded_labelled: int = 0
    num_eos: int = 0
    num_eos_ignored: int = 0
    num_same: int = 0
    num_next: int = 0
    num_compared: int = 0
    pad: int | None = None
    eos: tuple[int, ...] = ()
    knows_padding: bool = True
    num_decoder_same: int = 0
    num_decoder_compared: int = 0


@dataclass(frozen=True)
class MaskFact:
    """An attention mask in one batch.

    Attributes:
        batch: Its number.
        path: The field.
        empty_rows: Rows that mask everything (as sample indices).
        is_inverted: Whether it is 1 at the padding of the ids and 0 elsewhere; None where that
            cannot be told.
        num_ones: Positions where it is not 0.
        num_zeros: Positions where it is 0.
        padding: What stands in the padding: `id 0`.
    """

    batch: int
    path: str
    empty_rows: tuple[int, ...] = ()
    is_inverted: bool | None = None
    num_ones: int = 0
    num_zeros: int = 0
    padding: str = ""


@dataclass(frozen=True)
class BatchFacts:
    """What putting samples together showed.

    Attributes:
        batches: The batches tried, in order; the last of a pass at the end where it is known.
        labels: Labels of a language model.
        masks: Attention masks that mask whole rows, or of which it is known what they mask.
        was_cut: True where the budget ended it early.
        is_each_once: Where a sampler that torch does not have decides, whether a pass draws each
            sample once, but for a dropped last batch; None where nobody counted.
    """

    batches: tuple[BatchFact, ...] = ()
    labels: tuple[LabelFact, ...] = ()
    masks: tuple[MaskFact, ...] = ()
    was_cut: bool = False
    is_each_once: bool | None = None

    @property
    def failed(self) -> tuple[BatchFact, ...]:
        """The batches that could not be put together."""
        return tuple(batch for batch in self.batches if batch.error is not None)

    @property
    def good(self) -> tuple[BatchFact, ...]:
        """The batches that could."""
        return tuple(batch for batch in self.batches if batch.error is None)
