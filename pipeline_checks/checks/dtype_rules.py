"""Dtypes that meet in an operator which does not promote them."""

from ..facts.tensors import TensorFact
from ..facts.training import FailureFact
from .failures import plain_function
from .index_rules import TAKERS
from .shape_rules import CONVOLUTIONS, PRODUCTS

# With autocast these cast by themselves and do not raise.
STRICT = frozenset({"linear", "lstm", "gru", "rnn_tanh", "rnn_relu", *CONVOLUTIONS, *PRODUCTS})
NORMS = frozenset({"batch_norm", "layer_norm", "group_norm", "instance_norm"})
LOOKUPS = frozenset({"embedding", "embedding_bag"})
INDEXES = ("int64", "int32")


def find_dtype_clash(failure: FailureFact) -> tuple[TensorFact, TensorFact] | None:
    """The operand that does not fit and the one that it does not fit to, or None."""
    name = plain_function(failure)
    if name in TAKERS:
        index = next((o for o in failure.operands[1:] if o.is_floating), None)
        return None if index is None else (index, failure.operands[0])
    if len(failure.operands) < 2:  # noqa: PLR2004 - a clash takes two
        return None
    given, other = failure.operands[:2]
    if name in LOOKUPS:
        return None if given.dtype in INDEXES else (given, other)
    if name in PRODUCTS and "add" in failure.function:
        given, other = failure.operands[1:3] if len(failure.operands) > 2 else (given, other)  # noqa: PLR2004
    if name in STRICT and given.dtype != other.dtype:
        return given, other
    if name in NORMS:
        weight = next((o for o in failure.operands[1:] if o.dtype != given.dtype), None)
        return None if weight is None else (given, weight)
    return None


def cast_hint(given: TensorFact, other: TensorFact, failure: FailureFact | None = None) -> str:
    """What to cast, and where."""
    if _is_index(given, failure):
        return "cast the ids to integers with .long(); features go into a Linear layer instead."
    where = "in the dataset's __getitem__" if given.field is not None else "before the call"
    if given.is_integer or given.dtype == "bool":
        return f"cast it with .float() {where}; token ids go into an nn.Embedding first."
    if given.dtype == "float64" and other.dtype == "float32":
        return f"numpy makes float64: cast with .float() (or .astype(np.float32)) {where}."
    if "float16" in {given.dtype, other.dtype} or "bfloat16" in {given.dtype, other.dtype}:
        return (
            "convert both or neither: keep model and inputs in float32 and run the forward under "
            f"torch.autocast, or cast the input with .to(torch.{other.dtype})."
        )
    return f"cast it with .to(torch.{other.dtype}) {where}."


def _is_index(given: TensorFact, failure: FailureFact | None) -> bool:
    name = plain_function(failure) if failure is not None else ""
    return given.is_floating and name in LOOKUPS | TAKERS
