"""Why a forward gave no loss."""

from ..facts import ModelFacts, SampleFacts, TrainingFacts
from ..facts.batches import LeafFact
from ..facts.tensors import FLOATING
from ..facts.training import FailureFact, LossFact
from ..report import Stage
from .inputs import key_of
from .labels import is_label_name
from .wording import join_words, quoted_list

TRAINER_FILE = "transformers/trainer.py"
NO_STYLE = "NoLossStyleError"
NUMBERS = frozenset({"float", "int", "numpy.float64", "numpy.float32", "float64", "float32"})
WHOLE_MODEL_STYLES = frozenset({"model_output", "model_loss"})


def is_missing(loss: LossFact, style: str) -> bool:
    """Whether what came back holds no loss: None, an output without one, or the outputs alone."""
    if loss.type in NUMBERS or loss.value is not None:
        return False
    if loss.shape is None:
        return True
    return style in WHOLE_MODEL_STYLES and any(size != 1 for size in loss.shape)


def refusal(training: TrainingFacts) -> FailureFact | None:
    """The failure by which a Trainer or tdebug said that there is no loss, or None."""
    for failure in training.failures_in(Stage.FORWARD):
        if failure.error.type.endswith(NO_STYLE):
            return failure
        frames = failure.error.frames
        innermost = frames[-1].file.replace("\\", "/") if frames else ""
        is_trainer = training.style == "trainer" and innermost.endswith(TRAINER_FILE)
        if is_trainer and failure.error.is_a("ValueError") and not has_loss_leaf(training):
            return failure
    return None


def has_loss_leaf(training: TrainingFacts) -> bool:
    """Whether the model's output names a loss."""
    output = training.output
    return output is not None and any("loss" in leaf.path.lower() for leaf in output.leaves)


def output_text(training: TrainingFacts) -> str:
    """What the model returned: `BaseModelOutput with last_hidden_state and pooler_output`."""
    output = training.output
    return "" if output is None else held_text(output.type, output.leaves)


def held_text(kind: str, held: tuple[LeafFact, ...]) -> str:
    """A container and what is in it: `dict with train_loss`, `tuple [4, 2] and []`."""
    keys = [key_of(leaf.path) for leaf in held if key_of(leaf.path)]
    named = [key for key in dict.fromkeys(keys) if not key.isdigit()]
    if named:
        return f"{kind} with {join_words(named[:6])}"
    shapes = [str(list(leaf.shape)) for leaf in held if leaf.shape is not None]
    return f"{kind} {join_words(shapes[:4])}" if shapes else kind


def find_loss_elsewhere(held: tuple[LeafFact, ...]) -> LeafFact | None:
    """The one floating-point number of a tuple, or the one called loss; None where unclear."""
    numbers = [leaf for leaf in held if leaf.shape == () and leaf.dtype in FLOATING]
    found = [n for n in numbers if key_of(n.path).isdigit() or "loss" in n.path.lower()]
    return found[0] if len(found) == 1 else None


def dropped_label(samples: SampleFacts | None, model: ModelFacts | None) -> str:
    """The column that looks like the label and is removed before collating, or "".

    A Trainer removes the columns that forward has no argument for.
    """
    if samples is None:
        return ""
    taken = model.signature.names if model is not None else ()
    gone = [name for name in samples.removed if name not in taken]
    named = [name for name in gone if is_label_name(name)]
    return next(iter(named or [name for name in gone if _looks_like_label(name)]), "")


def _looks_like_label(name: str) -> bool:
    low = name.lower()
    return any(word in low for word in ("label", "target")) or low.startswith("class")


def label_argument(model: ModelFacts | None) -> str:
    """The argument of forward that the labels go to, "" where it has none."""
    names = model.signature.names if model is not None else ()
    return next((n for n in names if n == "labels"), next(filter(is_label_name, names), ""))


def task_class(model: ModelFacts, samples: SampleFacts | None) -> str:
    """Which class with a head to use instead of a headless one, by what the labels look like."""
    label = next((f for f in samples.fields if is_label_name(f.name)), None) if samples else None
    if label is None:
        return (
            f"a task class such as {_with(model, 'ForSequenceClassification')} or AutoModelFor..."
        )
    auto = "ForSequenceClassification" if label.is_scalar else "ForTokenClassification"
    return f"{_with(model, auto)} (or AutoModel{auto})"


def _with(model: ModelFacts, ending: str) -> str:
    stem = model.type.removesuffix("Model").removesuffix("Encoder")
    return f"{stem}{ending}"


def given_fields(samples: SampleFacts | None) -> str:
    """The fields that reach the model, quoted."""
    if samples is None:
        return "no fields"
    keys = dict.fromkeys(key_of(field.path) for field in samples.fields)
    return quoted_list([key for key in keys if key and key not in samples.removed])
