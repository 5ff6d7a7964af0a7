"""What a loss is given beside output and target, against them: weights, lengths."""

from ..facts import ModelFacts
from ..facts.tensors import TensorFact
from ..facts.training import FailureFact
from .failures import tensor_name
from .loss_rules import CROSS_ENTROPIES
from .mismatch import Mismatch
from .operator_shapes import broadcast
from .wording import shape_text

# Output and target stand before it.
WEIGHT = 2
TIME_BATCH_CLASSES = 3


def find_weight_clash(failure: FailureFact) -> TensorFact | None:
    """The weight of a loss over classes whose dtype is not that of the output, or None."""
    if failure.function not in CROSS_ENTROPIES or not failure.operands:
        return None
    output = failure.operands[0]
    weights = [w for w in failure.operands[WEIGHT:] if w.is_floating and output.is_floating]
    return next((weight for weight in weights if weight.dtype != output.dtype), None)


def class_weights(failure: FailureFact, _model: ModelFacts | None) -> Mismatch | None:
    """One weight for each class."""
    if len(failure.operands) <= WEIGHT or not failure.operands[0].shape:
        return None
    weight, classes = failure.operands[WEIGHT], failure.operands[0].shape[:2][-1]
    if weight.shape == (classes,):
        return None
    return Mismatch(
        f"{failure.function} has class weights {shape_text(weight.shape)} for {classes} classes.",
        f"give one weight a class, [{classes}], in the order of the class ids; counted from the "
        f"data with np.bincount(labels, minlength={classes}) a class that does not occur is not "
        "left out.",
        {"weight": list(weight.shape), "classes": classes},
    )


def label_weights(failure: FailureFact, _model: ModelFacts | None) -> Mismatch | None:
    """`weight` and `pos_weight` of binary cross entropy, which broadcast to the output."""
    if not failure.operands or not failure.operands[0].shape:
        return None
    output = failure.operands[0].shape
    wrong = [w for w in failure.operands[WEIGHT:] if broadcast(w.shape, output) is None]
    if not wrong:
        return None
    weight, labels = wrong[0], output[-1]
    column = shape_text((output[0], *(1 for _ in output[1:])))
    return Mismatch(
        f"{failure.function} has {tensor_name(weight, 'a weight')} {shape_text(weight.shape)} for "
        f"outputs {shape_text(output)}: they do not broadcast.",
        f"give pos_weight one entry a label, [{labels}]"
        + (f"; a weight for each sample is {column}." if weight.shape == output[:1] else "."),
        {"weight": list(weight.shape), "output": list(output)},
    )


def ctc_order(failure: FailureFact, _model: ModelFacts | None) -> Mismatch | None:
    """The connectionist loss takes time first."""
    output = failure.operands[0].shape if failure.operands else ()
    lengths = next((o for o in failure.operands[WEIGHT:] if len(o.shape) == 1), None)
    samples = lengths.shape[0] if lengths is not None else len(failure.indices)
    if len(output) != TIME_BATCH_CLASSES or not output[0] == samples != output[1]:
        return None
    return Mismatch(
        f"ctc_loss takes log-probabilities [time, batch, classes] but gets {shape_text(output)}: "
        f"its {samples} samples stand first.",
        "put time first: log_probs.transpose(0, 1).",
        {"output": list(output), "samples": samples},
    )
