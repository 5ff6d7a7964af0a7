"""Exceptions of forward, backward and step: which one to show, and where it happened."""

from ..facts import ExceptionFact, ModelFacts, TrainingFacts
from ..facts.tensors import TensorFact
from ..facts.training import FailureFact
from ..report import Stage
from .wording import batch, count, number

ENDINGS = frozenset({"SystemExit", "KeyboardInterrupt"})
# Sizes that a reader knows a layer by, in the order in which they are shown.
TELLING_SIZES = (
    "in_features",
    "out_features",
    "in_channels",
    "num_features",
    "normalized_shape",
    "num_embeddings",
    "input_size",
    "embed_dim",
)


def first_failure(training: TrainingFacts | None, stage: Stage) -> FailureFact | None:
    """The first exception of a stage, or None."""
    return next(iter(training.failures_in(stage)), None) if training is not None else None


def is_ending(failure: FailureFact) -> bool:
    """Whether the user's code tried to end the process."""
    return failure.error.type in ENDINGS


def is_graph_freed(error: ExceptionFact) -> bool:
    """Whether backward ran into a graph that was used before.

    Its text names the option of backward that keeps graphs, which is part of the interface.
    """
    return "retain_graph" in error.text


def place(failure: FailureFact, training: TrainingFacts) -> str:
    """Where it happened: the module, the batch, and how many batches fail so.

    For example `module 'out' (Linear), batch 0 (samples 0 to 3); 2 of 5 batches fail so`.
    """
    where = batch(failure.batch, failure.indices)
    if failure.module:
        where = f"module {failure.module!r} ({failure.module_type}), {where}"
    alike = [f for f in training.failures_in(failure.stage) if f.error.type == failure.error.type]
    total = _num_tried(failure, training)
    if total > 1:
        share = f"all {total}" if len(alike) >= total else f"{len(alike)} of {total}"
        where += f"; {share} batches fail so" if len(alike) > 1 else f"; 1 of {total} batches fails"
        where += _odd_size(failure, training) if len(alike) == 1 else ""
    return where


def _num_tried(failure: FailureFact, training: TrainingFacts) -> int:
    """How many batches came as far as this stage.

    In a loop of tdebug's own no backward follows one that failed, and the last batch alone steps.
    """
    if failure.stage is Stage.FORWARD or training.style == "train_step":
        return len(training.batches)
    if failure.stage is Stage.STEP:
        return 1
    return sum(number <= failure.batch for number in training.batches)


def _odd_size(failure: FailureFact, training: TrainingFacts) -> str:
    """`, the only one of 5 samples instead of 8` where it is smaller than all others."""
    own = len(failure.indices)
    others = {len(training.indices_of(n)) for n in training.batches if n != failure.batch}
    return f", the only one of {own} samples instead of {max(others)}" if own < min(others) else ""


def module_name(failure: FailureFact) -> str:
    """The module as the user knows it.

    For example `Linear 'out'`, `the model (Net)`, `linear()` outside any module.
    """
    if failure.module:
        return f"{failure.module_type} {failure.module!r}"
    if failure.module == "":
        return f"the model ({failure.module_type})"
    return f"{failure.function}()" if failure.function else "the code outside the model"


def module_sizes(failure: FailureFact) -> str:
    """Its own numbers: `in_features=512, out_features=5`; "" where it has none."""
    known = failure.module_sizes
    return ", ".join(f"{name}={number(known[name])}" for name in TELLING_SIZES if name in known)


def tensor_name(tensor: TensorFact, otherwise: str = "the input") -> str:
    """What the tensor is to the user: `batch["x"]`, `out.weight`, or the given words."""
    generic = {"", "input", "first", "second", "third", "fourth", "weight", "bias"}
    return otherwise if tensor.name in generic else tensor.name


def inputs_text(failure: FailureFact, most: int = 4) -> str:
    """The batch's tensors with shape and dtype, for a reader who must find the odd one."""
    shown = [
        f"batch{leaf.path} {list(leaf.shape)} {leaf.dtype}"
        for leaf in failure.inputs
        if leaf.shape is not None
    ]
    more = len(shown) - most
    return ", ".join(shown[:most]) + (f" and {count(more, 'more tensor')}" if more > 0 else "")


def plain_function(failure: FailureFact) -> str:
    """The function without underscores.

    `add` for `__iadd__`, `__radd__` and `add_`.
    """
    name = failure.function.strip("_")
    for prefix in ("i", "r"):
        if failure.function.startswith(f"__{prefix}") and name[1:] in OPERATORS:
            return name[1:]
    return name


OPERATORS = frozenset(
    {"add", "sub", "mul", "div", "truediv", "floordiv", "pow", "matmul", "mod", "and", "or", "xor"}
)


def owner_of(model: ModelFacts | None, name: str) -> str:
    """The class of the layer of this name, "" where it is not known."""
    if model is None:
        return ""
    return next((layer.type for layer in model.layers if layer.name == name), "")
