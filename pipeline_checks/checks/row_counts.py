"""Why an output and its target have different numbers of rows, told by the batch's own shapes."""

from collections.abc import Callable
from math import prod

from ..facts import ModelFacts, TrainingFacts
from ..facts.batches import LeafFact
from ..facts.calls import LossCall
from ..facts.model import LayerFact
from .loss_rules import is_over_classes
from .wording import shape_text

# The rest of a sentence, and the remedy.
Explanation = tuple[str, str]
MATRIX = 2
SAMPLES_FIRST = (
    "put the samples first: pad_sequence(..., batch_first=True) or .transpose(0, 1) in the collate "
    "function"
)
SAMPLES_SECOND = (
    "the hidden state of an RNN is [layers, batch, features]: take h[-1]; its output is [time, "
    "batch, features] unless it is built with batch_first=True"
)
ONE_ROW_A_SAMPLE = (
    "a view(-1, ...) or a cat made more rows: x.flatten(1) or x.view(x.size(0), -1) keeps one row "
    "a sample; where the parts are meant, average them or take one: x.mean(1), x[:, -1]"
)
IDS_NOT_FLAGS = (
    "one class a sample: give its id, labels.argmax(-1); several at once: float labels and "
    'BCEWithLogitsLoss (problem_type="multi_label_classification" in transformers)'
)


class Rows:
    """The numbers that a call and its batch bring together.

    Attributes:
        output: Rows of the output.
        target: Rows of the target.
        samples: Samples in the batch.
        columns: Size of the output's second dimension, 1 where it has none.
        is_deep: Whether the output has more than two dimensions.
        inputs: The batch's tensors.
        layers: The model's layers that know `batch_first`.
    """

    def __init__(self, call: LossCall, training: TrainingFacts, model: ModelFacts | None) -> None:
        failure = next((f for f in training.failures if f.batch == call.batch), None)
        self.output, self.target = call.input.shape[0], call.target.shape[0]
        self.samples = len(training.indices_of(call.batch))
        self.columns = prod(call.input.shape[1:2])
        self.is_deep = len(call.input.shape) > MATRIX
        self.inputs = [leaf for leaf in (failure.inputs if failure else ()) if leaf.shape]
        self.layers = [layer for layer in model.layers if _is_turnable(layer)] if model else []

    def find(self, *sizes: int) -> LeafFact | None:
        """The first tensor of the batch whose shape begins so."""
        return next((i for i in self.inputs if (i.shape or ())[: len(sizes)] == sizes), None)


def explain_rows(
    call: LossCall, training: TrainingFacts | None, model: ModelFacts | None
) -> Explanation | None:
    """Which dimension took the place of the samples; None where the sizes do not tell."""
    shapes = call.input.shape, call.target.shape
    if training is None or not all(shapes) or shapes[0][0] == shapes[1][0]:
        return None
    rows = Rows(call, training, model)
    if rows.samples < MATRIX:
        return None
    explanations = FOR_CLASSES + FOR_ALL if is_over_classes(call) else FOR_ALL
    return next((found for explain in explanations if (found := explain(rows))), None)


def _is_turnable(layer: LayerFact) -> bool:
    return "batch_first" in layer.sizes


def _time_first(rows: Rows) -> Explanation | None:
    """The batch itself came as [time, batch, ...]."""
    if rows.target != rows.samples or rows.output == rows.samples:
        return None
    turned = rows.find(rows.output, rows.samples)
    if turned is None or rows.find(rows.samples, rows.output) is not None:
        return None
    text = (
        f": batch{turned.path} is {shape_text(turned.shape or ())}, the {rows.samples} samples "
        f"stand second, and its first dimension of {rows.output} was taken for them"
    )
    return text, SAMPLES_FIRST


def _samples_second(rows: Rows) -> Explanation | None:
    """The output itself is [layers, batch, ...] or [time, batch, ...]."""
    if not rows.target == rows.samples == rows.columns != rows.output or not rows.is_deep:
        return None
    return f": the {rows.samples} samples stand second in the output", SAMPLES_SECOND


def _length_for_samples(rows: Rows) -> Explanation | None:
    """One row for each step of a sequence: `out[-1]`, or a layer that reads time first."""
    if rows.target != rows.samples or rows.output == rows.samples:
        return None
    sequence = rows.find(rows.samples, rows.output)
    if sequence is None:
        return None
    shape = shape_text(sequence.shape or ())
    text = f": {rows.output} is dimension 1 of batch{sequence.path} {shape}"
    return f"{text}, not its {rows.samples} samples", _turned_hint(rows.layers)


def _turned_hint(layers: list[LayerFact]) -> str:
    turned = next((layer for layer in layers if not layer.sizes["batch_first"]), None)
    if turned is not None:
        return (
            f"{turned.type} {turned.name!r} reads [time, batch, features]: build it with "
            "batch_first=True; then the last step is out[:, -1]"
        )
    if layers:
        return (
            f"{layers[0].type} {layers[0].name!r} gives [batch, time, features] (batch_first=True):"
            " the last step is out[:, -1], out[-1] is the last sample"
        )
    return "keep the samples in dimension 0: x[:, -1] or x.mean(1) in place of x[-1] or x.mean(0)"


def _merged_dimension(rows: Rows) -> Explanation | None:
    """A dimension that became part of the rows."""
    if rows.target != rows.samples or rows.output <= rows.target or rows.output % rows.target:
        return None
    times = rows.output // rows.target
    wide = rows.find(rows.samples, times)
    place = f", dimension 1 of batch{wide.path} {shape_text(wide.shape or ())}" if wide else ""
    text = f": {rows.output} rows against {rows.target}, {times} for each sample{place}"
    return text, ONE_ROW_A_SAMPLE


def _argmax_over_samples(rows: Rows) -> Explanation | None:
    """As many targets as classes."""
    if rows.output != rows.samples or rows.target != rows.columns:
        return None
    wide = rows.find(rows.samples, rows.columns)
    if wide is None:
        return None
    text = (
        f": {rows.target} targets for {rows.output} rows, one for each of the {rows.columns} "
        f"classes; batch{wide.path} is {shape_text(wide.shape or ())}"
    )
    return text, "dimension 0 was taken away in place of the classes: argmax(1), not argmax(0)"


def _flattened_flags(rows: Rows) -> Explanation | None:
    """One-hot or multi-hot integers that were flattened like class ids."""
    if rows.output != rows.samples or rows.target != rows.samples * rows.columns:
        return None
    flags = next((leaf for leaf in rows.inputs if _is_flags(leaf, rows)), None)
    if flags is None:
        return None
    text = (
        f": batch{flags.path} {shape_text(flags.shape or ())} holds a 0 or 1 for each of the "
        f"{rows.columns} classes, and flattened it is {rows.target} class ids"
    )
    return text, IDS_NOT_FLAGS


def _is_flags(leaf: LeafFact, rows: Rows) -> bool:
    is_table = leaf.shape == (rows.samples, rows.columns)
    return is_table and leaf.min == 0 and leaf.max == 1


FOR_CLASSES: tuple[Callable[[Rows], Explanation | None], ...] = (
    _flattened_flags,
    _argmax_over_samples,
)
FOR_ALL = (_samples_second, _time_first, _length_for_samples, _merged_dimension)
