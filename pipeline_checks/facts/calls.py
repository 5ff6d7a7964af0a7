"""What the calls to losses and embeddings showed: noted at the call, before it can raise."""

from dataclasses import dataclass, field

from ..report import Location
from .tensors import TensorFact


@dataclass(frozen=True)
class BadEntry:
    """The first entry out of range.

    Attributes:
        value: The entry.
        row: Row of the batch, None where rows are not samples.
        index: Index in the dataset, None where unknown.
        num_bad: Entries out of range in this call.
        num_rows: Rows of the batch that hold one.
    """

    value: float
    row: int | None = None
    index: int | None = None
    num_bad: int = 1
    num_rows: int = 1


@dataclass(frozen=True)
class LossCall:
    """One call of a loss function.

    Attributes:
        batch: Number of the batch.
        function: `cross_entropy`, `nll_loss`, `mse_loss`, `binary_cross_entropy_with_logits`, ...
        module: The loss module's class, "" for a functional call.
        in_model: Whether it was called inside the model's own forward.
        input: First argument.
        target: Second argument.
        options: `ignore_index`, `reduction`, `label_smoothing`, and whether there is a `weight`.
        location: The user's line, else the library's.
        num_classes: Size of the class dimension, for losses over classes.
        bad_target: The first target that is no class, ignored ones left out.
        target_min: Smallest target that is not ignored.
        target_max: Largest target that is not ignored.
        num_ignored: Targets equal to `ignore_index`.
        rows_sum_to_one: For losses over classes: every row is non-negative and sums to 1 +- 1e-3.
        input_in_unit: Whether every input lies in [0, 1].
        signs: Targets that are -1, 0 and 1, for losses that take the signs.
        last_function: What made the input, where it is a softmax, log_softmax, sigmoid, tanh,
            relu or softplus.
        value: The loss, None where it is no scalar or the call raised.
        made_by: The autograd node that made the input: `AddmmBackward0` for a linear layer.
        weight: Derivative of what backward started from with respect to this loss: 1 where it is
            the loss itself, -1 where a minus stands before it; None where that was not seen.
        total: What that backward started from.
    """

    batch: int
    function: str
    input: TensorFact
    target: TensorFact
    module: str = ""
    in_model: bool = False
    options: dict[str, float | str | bool | None] = field(default_factory=dict)
    location: Location | None = None
    num_classes: int | None = None
    bad_target: BadEntry | None = None
    target_min: float | None = None
    target_max: float | None = None
    num_ignored: int = 0
    rows_sum_to_one: bool = False
    input_in_unit: bool = False
    signs: tuple[int, int, int] = (0, 0, 0)
    last_function: str = ""
    value: float | None = None
    made_by: str = ""
    weight: float | None = None
    total: float | None = None

    @property
    def name(self) -> str:
        """What the user calls it: the loss module's class, else the function."""
        return self.module or self.function


@dataclass(frozen=True)
class SpreadCall:
    """An operation between [N, 1] and [N] in a loss written by hand, which makes [N, N] of them.

    Attributes:
        batch: Number of the batch.
        output: The model's output, or the losses of the samples.
        target: The field of the batch, or the weights.
        location: The user's line.
        function: `sub`, or `mul` or `div` of what was then averaged or summed as a whole.
    """

    batch: int
    output: TensorFact
    target: TensorFact
    location: Location | None = None
    function: str = "sub"


@dataclass(frozen=True)
class EmbeddingCall:
    """One call of an embedding with entries that it has no row for.

    Attributes:
        batch: Number of the batch.
        module: Qualified name of the embedding.
        rows: Rows that it has.
        bad: The first entry out of range.
        min: Smallest entry.
        max: Largest entry.
        input: The entries as a tensor; `field` names the batch field where it came from one.
        location: The user's line.
    """

    batch: int
    module: str
    rows: int
    bad: BadEntry
    min: int
    max: int
    input: TensorFact
    location: Location | None = None


@dataclass(frozen=True)
class AttentionCall:
    """A call of attention with a mask that hides the padding of a field, or all but the padding.

    Attributes:
        batch: Number of the batch.
        function: `multi_head_attention_forward`, `scaled_dot_product_attention`.
        module: Qualified name of the module.
        field: The field of the batch that has the padding.
        is_inverted: Whether it hides all but the padding.
        num_kept: Positions that attention looks at.
        num_hidden: Positions that it does not.
        padding: What stands at every position of the padding: `id 0`, `zeros`.
        location: The user's line.
    """

    batch: int
    function: str
    module: str
    field: str
    is_inverted: bool
    num_kept: int
    num_hidden: int
    padding: str
    location: Location | None = None


@dataclass(frozen=True)
class AddedMask:
    """A float mask of zeros and ones, which attention adds to its scores.

    Attributes:
        batch: Number of the batch.
        function: As in `AttentionCall`.
        module: Qualified name of the module.
        argument: `attn_mask` or `key_padding_mask`.
        kind: `causal` or `padding`, by its form.
        mask: The mask.
        location: The user's line.
    """

    batch: int
    function: str
    module: str
    argument: str
    kind: str
    mask: TensorFact
    location: Location | None = None


@dataclass(frozen=True)
class ConvolutionCall:
    """A call of a convolution: its module's qualified name and the tensor that went in."""

    module: str
    function: str
    input: TensorFact


@dataclass(frozen=True)
class GradientTerm:
    """A summand of the loss made of a gradient that was taken without `create_graph`.

    Attributes:
        taken_at: The user's line that called `autograd.grad`.
        added_at: The user's line that added it to the loss.
    """

    taken_at: Location | None = None
    added_at: Location | None = None


@dataclass(frozen=True)
class CallFacts:
    """The calls seen over all batches: the first of each loss and what was out of range.

    Attributes:
        losses: Calls of losses.
        embeddings: Calls of embeddings with entries that have no row.
        num_batches: Batches run.
        first_convolution: The first convolution that was called.
        spread: The first operation that broadcast each sample against each other one.
        gradient_term: The first summand of the loss that a gradient without a graph went into.
        attentions: Calls of attention whose mask could be told from the padding.
        added_mask: The first mask of zeros and ones that attention added to its scores.
        has_foreign_parameters: Whether a function was given a parameter that is none of the
            model's, as those of a victim or a discriminator.
    """

    losses: tuple[LossCall, ...] = ()
    embeddings: tuple[EmbeddingCall, ...] = ()
    num_batches: int = 0
    first_convolution: ConvolutionCall | None = None
    spread: SpreadCall | None = None
    attentions: tuple[AttentionCall, ...] = ()
    added_mask: AddedMask | None = None
    gradient_term: GradientTerm | None = None
    has_foreign_parameters: bool = False
