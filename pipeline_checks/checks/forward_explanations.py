"""Exceptions of the forward that have a well-known cause: the cause, and what to do."""

import difflib
import re
from collections.abc import Callable

from ..facts import ModelFacts, TrainingFacts
from ..facts.batches import LeafFact
from ..facts.training import FailureFact
from .inputs import key_of
from .unpacked_batches import unpacked_mapping, unpacked_wrongly
from .wording import join_words, name_list, quoted_list, sample_list, shape_text

# A clause that follows the exception, and the remedy.
Explanation = tuple[str, str]
LOSS_FILE = "torch/nn/modules/loss.py"
LOSS_NAMES = re.compile(r"\w*(loss|entropy|kl_div)\w*")
ENTRY = re.compile(r"(.*)\[\d+\]")
TOKEN_DIMS = 3


def explain_failure(
    failure: FailureFact, training: TrainingFacts, model: ModelFacts | None
) -> Explanation | None:
    """The cause of an exception in forward where it is one of those known here."""
    for explain in EXPLANATIONS:
        found = explain(failure, training, model)
        if found is not None:
            return found
    return None


def _loss_built_of_tensors(
    failure: FailureFact, _training: TrainingFacts, _model: ModelFacts | None
) -> Explanation | None:
    """`nn.CrossEntropyLoss(output, target)`: the tensors are taken for the loss's options."""
    made = [f for f in failure.error.frames if f.file.replace("\\", "/").endswith(LOSS_FILE)]
    if not made or any(frame.function != "__init__" for frame in made):
        return None
    return (
        "the loss class is called with tensors, which it takes for its options",
        (
            "build the loss first, then call it: criterion = nn.CrossEntropyLoss(), then "
            "criterion(output, target)."
        ),
    )


def _output_is_no_tensor(
    failure: FailureFact, training: TrainingFacts, _model: ModelFacts | None
) -> Explanation | None:
    output = training.output
    is_loss = failure.module is None and LOSS_NAMES.fullmatch(failure.function)
    if output is None or not is_loss or not failure.error.is_a("TypeError"):
        return None
    if output.type == "NoneType":
        return "the model's forward returned None", "is the return missing in forward?"
    if output.type == "Tensor":
        return None
    shapes = [f"{leaf.path} {shape_text(leaf.shape)}" for leaf in output.leaves if leaf.shape]
    inside = f" ({join_words(shapes[:4])})" if shapes else ""
    return (
        f"the model returns a {output.type}{inside}, the loss takes a tensor",
        (
            "hand the loss just the logits: output[0] of a tuple, output.logits of a transformers "
            "model, in compute_loss or in forward's return."
        ),
    )


def _recurrent_in_sequential(
    failure: FailureFact, _training: TrainingFacts, model: ModelFacts | None
) -> Explanation | None:
    """A layer that gets the tuple of a recurrent or attention layer before it."""
    is_tuple = "'tuple' object" in failure.error.text or "not tuple" in failure.error.text
    layers = [layer for layer in model.layers if "batch_first" in layer.sizes] if model else []
    if not layers or not failure.module or not is_tuple:
        return None
    around = failure.module.rpartition(".")[0]
    before = [layer for layer in layers if layer.name.rpartition(".")[0] == around]
    if not before:
        return None
    layer = before[0]
    gives = "(output, weights)" if "num_heads" in layer.sizes else "(output, hidden state)"
    return (
        f"{layer.type} {layer.name!r} returns the tuple {gives}",
        (
            "take its first entry, output, _ = layer(x), in a forward of your own: nn.Sequential "
            "hands the whole tuple on."
        ),
    )


def _list_of_tensors(
    failure: FailureFact, _training: TrainingFacts, _model: ModelFacts | None
) -> Explanation | None:
    """A field of the batch that is a list of one tensor for each sample."""
    if not failure.error.is_a("TypeError") and not failure.error.is_a("AttributeError"):
        return None
    entries: dict[str, list[tuple[int, ...]]] = {}
    for leaf in failure.inputs:
        found = ENTRY.fullmatch(leaf.path)
        if found and leaf.shape is not None:
            entries.setdefault(found.group(1), []).append(leaf.shape)
    for path, shapes in entries.items():
        if path and len(shapes) == len(failure.indices) > 1:
            alike = "stack" if len(set(shapes)) == 1 else "pad and stack"
            return (
                f"batch{path} is a list of {len(shapes)} tensors, one for each sample",
                (
                    f"{alike} them in the collate function: torch.stack(samples)"
                    f"{'' if alike == 'stack' else ' after torch.nn.utils.rnn.pad_sequence'}."
                ),
            )
    return None


def _extra_dimension(
    failure: FailureFact, _training: TrainingFacts, model: ModelFacts | None
) -> Explanation | None:
    """Token ids [batch, 1, length], as a tokenizer makes for each sample with return_tensors."""
    if model is None or not model.is_transformers:
        return None
    for leaf in failure.inputs:
        shape = leaf.shape or ()
        if leaf.dtype == "int64" and len(shape) == TOKEN_DIMS and shape[1] == 1:
            return (
                f"batch{leaf.path} is {shape_text(shape)}: a dimension of 1 too many",
                (
                    'drop return_tensors="pt" where single samples are tokenized, or squeeze(0) '
                    "what it gives; the collator adds the batch dimension."
                ),
            )
    return None


def _no_decoder_ids(
    failure: FailureFact, _training: TrainingFacts, model: ModelFacts | None
) -> Explanation | None:
    """An encoder-decoder that was called without anything for its decoder."""
    asked = {"labels", "decoder_input_ids"}
    is_seq2seq = model is not None and asked <= set(model.signature.names)
    if not is_seq2seq or not failure.error.is_a("ValueError"):
        return None
    if "decoder" not in (failure.module or "").split("."):
        return None
    given = {key_of(leaf.path) for leaf in failure.inputs}
    missing = "" if asked & given else "; the batch has neither labels nor decoder_input_ids"
    return (
        f"the decoder got no inputs{missing}",
        (
            "pass labels (the model makes decoder_input_ids from them by shifting), or give "
            "decoder_input_ids yourself."
        ),
    )


def _near_key(
    failure: FailureFact, _training: TrainingFacts, _model: ModelFacts | None
) -> Explanation | None:
    """A key that the batch does not have."""
    if not failure.error.is_a("KeyError"):
        return None
    asked = failure.error.text.strip("'\"")
    keys = [key for key in dict.fromkeys(key_of(leaf.path) for leaf in failure.inputs) if key]
    if not keys or asked in keys or all(key.isdigit() for key in keys):
        return None
    near = difflib.get_close_matches(asked, keys, 1, 0.6)
    meant = f"did you mean {near[0]!r}? " if near else ""
    return (
        f"the batch holds {quoted_list(keys)}",
        f"{meant}Use one name for it in the dataset and where the batch is read.",
    )


def _parameter_in_place(
    failure: FailureFact, _training: TrainingFacts, model: ModelFacts | None
) -> Explanation | None:
    """A parameter changed in place while autograd watches."""
    name = failure.function
    is_inplace = name.startswith("__i") or name == "__setitem__" or re.fullmatch(r"\w*[a-z]_", name)
    target = next(iter(failure.operands), None)
    if not is_inplace or target is None or model is None or not failure.error.is_a("RuntimeError"):
        return None
    if target.name not in {p.name for p in model.trainable}:
        return None
    return (
        f"{target.name} is a parameter, changed in place while its gradient is recorded",
        (
            "change it under torch.no_grad(), after the optimizer step; or make a new tensor of it "
            "in forward, for example w = self.weight / norm."
        ),
    )


def _empty_sequence(
    failure: FailureFact, _training: TrainingFacts, _model: ModelFacts | None
) -> Explanation | None:
    """A length of 0, which `pack_padded_sequence` refuses."""
    text = failure.error.text
    if "length" not in text.lower() or "greater than 0" not in text:
        return None
    leaf = next((leaf for leaf in failure.inputs if _holds_lengths(leaf, failure)), None)
    if leaf is None or leaf.min is None or leaf.min > 0:
        return None
    samples = [failure.indices[row] for row in leaf.rows_of_min if row < len(failure.indices)]
    who = sample_list(samples) if samples else f"row {name_list(leaf.rows_of_min)}"
    return (
        f"batch{leaf.path} is {leaf.min} for {who}: a sequence without any element",
        (
            "leave such samples out of the dataset, or give what is unknown or empty a token of "
            "its own; lengths.clamp(min=1) lets a sequence of padding through."
        ),
    )


def _holds_lengths(leaf: LeafFact, failure: FailureFact) -> bool:
    """Whether its largest number is the length that some field is padded to."""
    shapes = [other.shape or () for other in failure.inputs]
    lengths = {shape[1] for shape in shapes if len(shape) > 1}
    return bool(leaf.rows_of_min) and ("len" in leaf.name.lower() or leaf.max in lengths)


Explainer = Callable[[FailureFact, TrainingFacts, ModelFacts | None], Explanation | None]
EXPLANATIONS: tuple[Explainer, ...] = (
    _loss_built_of_tensors,
    _output_is_no_tensor,
    _parameter_in_place,
    _recurrent_in_sequential,
    _list_of_tensors,
    _extra_dimension,
    _no_decoder_ids,
    _empty_sequence,
    _near_key,
    unpacked_mapping,
    unpacked_wrongly,
)
