"""Which rule about shapes looks at which torch function."""

from collections.abc import Callable

from ..facts import ModelFacts
from ..facts.training import FailureFact
from .failures import plain_function
from .layer_shapes import convolution, linear, norm, own_test, pooling
from .loss_arguments import class_weights, ctc_order, label_weights
from .mismatch import Mismatch
from .operator_shapes import elementwise, joining, masking, product, sizing
from .sequence_shapes import multiple_choice, two_sequences

Rule = Callable[[FailureFact, ModelFacts | None], Mismatch | None]

CONVOLUTIONS = tuple(f"conv{kind}{dims}d" for kind in ("", "_transpose") for dims in (1, 2, 3))
PRODUCTS = ("matmul", "mm", "bmm", "mv", "dot", "addmm", "baddbmm", "addmv", "inner")
POOLS = tuple(f"{kind}_pool{dims}d" for kind in ("max", "avg", "lp") for dims in (1, 2, 3))
ELEMENTWISE = (
    *("add", "sub", "subtract", "mul", "multiply", "div", "divide", "truediv", "true_divide"),
    *("floordiv", "floor_divide", "pow", "remainder", "maximum", "minimum", "atan2", "lerp"),
    *("eq", "ne", "lt", "le", "gt", "ge", "and", "or", "xor", "logical_and", "logical_or"),
    *("masked_fill", "rsub", "addcmul", "addcdiv", "copy"),
)
RULES: dict[str, Rule] = {
    "linear": linear,
    **dict.fromkeys(CONVOLUTIONS, convolution),
    **dict.fromkeys(("batch_norm", "instance_norm", "layer_norm", "rms_norm"), norm),
    **dict.fromkeys(PRODUCTS, product),
    **dict.fromkeys(ELEMENTWISE, elementwise),
    **dict.fromkeys(("cat", "concat", "concatenate", "stack", "hstack", "vstack"), joining),
    **dict.fromkeys(POOLS, pooling),
    **dict.fromkeys(("view", "reshape"), sizing),
    **dict.fromkeys(("getitem", "masked_select"), masking),
    **dict.fromkeys(("cross_entropy", "nll_loss"), class_weights),
    **dict.fromkeys(("binary_cross_entropy", "binary_cross_entropy_with_logits"), label_weights),
    "ctc_loss": ctc_order,
}


def find_mismatch(failure: FailureFact, model: ModelFacts | None) -> Mismatch | None:
    """What does not fit, None where the shapes are not to blame or no rule knows the function."""
    rule = RULES.get(plain_function(failure), own_test)
    of_whole = multiple_choice(failure, model) or two_sequences(failure, model)
    return of_whole or rule(failure, model)
