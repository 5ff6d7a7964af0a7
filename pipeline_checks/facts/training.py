"""What running forward, backward and one optimizer step over some batches showed."""

from dataclasses import dataclass, field

from ..report import Location, Stage
from .batches import LeafFact
from .exceptions import ExceptionFact
from .gradient_ends import GradientEndFacts
from .tensors import TensorFact


@dataclass(frozen=True)
class LossFact:
    """What the pipeline's loss is, in one batch.

    Attributes:
        batch: Number of the batch.
        type: Class name of what came back: `Tensor`, `float`, `NoneType`, `BaseModelOutput`.
        shape: For tensors.
        dtype: For tensors.
        value: For scalars.
        requires_grad: Whether backward can start from it.
        made_by: The autograd node that made it, "" without one.
        leaves: What is in it, where it is a dict, a list or a tuple.
    """

    batch: int
    type: str
    shape: tuple[int, ...] | None = None
    dtype: str = ""
    value: float | None = None
    requires_grad: bool = False
    made_by: str = ""
    leaves: tuple[LeafFact, ...] = ()


@dataclass(frozen=True)
class FailureFact:
    """An exception in one batch.

    Attributes:
        stage: Forward, backward or step.
        batch: Number of the batch.
        indices: The samples in it, () where unknown.
        error: The exception.
        module: Qualified name of the innermost module at work, None outside the model.
        module_type: Its class name.
        module_sizes: Its own numbers, as in `LayerFact.sizes`.
        function: The torch function that raised: `linear`, `cross_entropy`, "" if none did.
        operands: Its tensor arguments, named.
        inputs: The batch's tensors.
        arguments: Its other arguments as Python writes them, named ones as `dim=1`: `(4, -1)`.
        module_inputs: The tensors that the innermost module was called with, as far as they are
            known; they tell what a recurrent or attention layer refused before any function ran.
    """

    stage: Stage
    batch: int
    error: ExceptionFact
    indices: tuple[int, ...] = ()
    module: str | None = None
    module_type: str = ""
    module_sizes: dict[str, float] = field(default_factory=dict)
    function: str = ""
    operands: tuple[TensorFact, ...] = ()
    inputs: tuple[LeafFact, ...] = ()
    arguments: tuple[str, ...] = ()
    module_inputs: tuple[TensorFact, ...] = ()


@dataclass(frozen=True)
class InplaceFact:
    """An in-place change of a tensor that backward needed unchanged.

    Attributes:
        saved_by: The autograd node or torch function that kept the tensor: `relu`.
        saved_module: The module in which it was kept.
        saved_at: The line.
        changed_by: The in-place operation: `__iadd__`.
        changed_module: The module in which it was changed.
        changed_at: The line.
        shape: The tensor's shape.
    """

    saved_by: str
    changed_by: str
    shape: tuple[int, ...]
    saved_module: str = ""
    changed_module: str = ""
    saved_at: Location | None = None
    changed_at: Location | None = None


@dataclass(frozen=True)
class CarriedGraph:
    """A tensor with a graph that outlives its batch.

    Attributes:
        path: Where it is kept.
        shape: Its shape.
        made_by: The autograd node that made it.
        is_older: Whether the model had it before the first batch, from its constructor.
    """

    path: str
    shape: tuple[int, ...]
    made_by: str
    is_older: bool = False


@dataclass(frozen=True)
class GradOff:
    """A module with trainable parameters that ran without gradients.

    Attributes:
        module: Qualified name.
        cause: `checkpoint` (re-entrant, no input required a gradient) or `no_grad`.
        location: The user's line that called it.
        num_trainable: Trainable parameters below it.
    """

    module: str
    cause: str
    num_trainable: int
    location: Location | None = None


@dataclass(frozen=True)
class LeafParameter:
    """A leaf of the graph that is trained by nobody: no parameter of the model.

    Attributes:
        module_type: Class of the module that holds it, "" for a bare tensor.
        parameter: Its name in that module.
        shape: Its shape.
        owner: Qualified name of the registered module in whose forward it was used.
        attribute: Attribute of `owner` that holds it (`hidden[0]`), "" if it was made on the spot.
        location: The user's line that called it.
        is_new_each_time: Whether a new one came in every forward.
        is_computed_from: Whether `attribute` holds what the constructor computed from it.
    """

    module_type: str
    parameter: str
    shape: tuple[int, ...]
    owner: str = ""
    attribute: str = ""
    location: Location | None = None
    is_new_each_time: bool = False
    is_computed_from: bool = False


@dataclass(frozen=True)
class GraphFacts:
    """What the autograd graph showed.

    Attributes:
        inplace: In-place changes that broke backward.
        carried: Tensors with a graph that the model keeps from one batch to the next.
        grad_off: Modules with trainable parameters that ran without gradients.
        unregistered: Leaves that are no parameters of the model.
        detached_at: The user's line that cut the loss off the graph, where it was seen.
        detached_by: `item`, `detach`, `tensor`, `numpy`, `data`, "" if not seen.
        detached_parameters: Parameters that the tensor cut off there hung on; not looked up for
            what makes a number of it.
        ends: Where gradients end that are missing, or 0 everywhere.
    """

    inplace: tuple[InplaceFact, ...] = ()
    carried: tuple[CarriedGraph, ...] = ()
    grad_off: tuple[GradOff, ...] = ()
    unregistered: tuple[LeafParameter, ...] = ()
    detached_at: Location | None = None
    detached_by: str = ""
    detached_parameters: tuple[str, ...] = ()
    ends: GradientEndFacts = field(default_factory=GradientEndFacts)


@dataclass(frozen=True)
class BadGradient:
    """A parameter whose gradient was not finite.

    Attributes:
        name: The parameter.
        batch: The first batch in which it was so.
        kind: `nan` or `inf`.
        num_values: Such values in it.
        numel: Values in all.
    """

    name: str
    batch: int
    kind: str
    num_values: int
    numel: int


@dataclass(frozen=True)
class GradientFacts:
    """What the gradients showed over all batches whose backward ended.

    Attributes:
        num_batches: Such batches.
        reached: Parameters that had a gradient in some batch.
        never: Trainable parameters that never had one.
        never_called: Modules of those that were never called.
        bad: Non-finite gradients, the earliest batch first.
        zero: Parameters whose gradient was exactly 0 in every batch.
        norms: Largest gradient norm of each parameter.
        is_scaled: True where a GradScaler's scale is in them.
        totals: For each batch the largest norm over all parameters that a backward of it left.
    """

    num_batches: int = 0
    reached: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    never_called: tuple[str, ...] = ()
    bad: tuple[BadGradient, ...] = ()
    zero: tuple[str, ...] = ()
    norms: dict[str, float] = field(default_factory=dict)
    is_scaled: bool = False
    totals: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True)
class OutputFact:
    """What the model's forward returned in the first batch: its class and the values in it."""

    type: str
    leaves: tuple[LeafFact, ...] = ()


@dataclass(frozen=True)
class TrainingFacts:
    """What the loop over the batches showed.

    Attributes:
        style: How the loss of a batch is computed: `train_step`, `compute_loss`, `trainer`,
            `lightning`, `pair`, `dict_loss`, `model_loss`, `model_output`, or "" while unknown.
        losses: One entry a batch whose forward ended.
        failures: One entry a batch that raised.
        output: What the model returned, first batch.
        batches: Numbers of the batches that were run.
        indices: For each of them the samples in it.
        eval_modules: Modules that were in eval mode though the model was put in train mode.
    """

    style: str = ""
    losses: tuple[LossFact, ...] = ()
    failures: tuple[FailureFact, ...] = ()
    output: OutputFact | None = None
    batches: tuple[int, ...] = ()
    indices: tuple[tuple[int, ...], ...] = ()
    eval_modules: tuple[str, ...] = ()

    def failures_in(self, stage: Stage) -> tuple[FailureFact, ...]:
        """The failures of one stage."""
        return tuple(failure for failure in self.failures if failure.stage == stage)

    def indices_of(self, batch: int) -> tuple[int, ...]:
        """The samples of this batch, () where unknown."""
        by_batch = dict(zip(self.batches, self.indices, strict=False))
        return by_batch.get(batch, ())
