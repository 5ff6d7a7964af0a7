"""Labels of a language model, summed over the batches that were looked at."""

from collections.abc import Iterable
from dataclasses import dataclass

from ..facts import BatchFacts, CallFacts, ModelFacts, TrainerFacts
from ..facts.batches import LabelFact
from .registry import Undecided

# Labels of a causal model are its inputs, but for the ignored ones.
SAME_SHARE = 0.98
SHIFTING = ("ForCausalLM", "LMHeadModel")
# The decoders of sequence-to-sequence families, and models older than causal training, compare
# logits and labels at the same position.
NOT_SHIFTING = frozenset(
    {
        "BartForCausalLM",
        "BigBirdPegasusForCausalLM",
        "BlenderbotForCausalLM",
        "BlenderbotSmallForCausalLM",
        "MarianForCausalLM",
        "MBartForCausalLM",
        "MvpForCausalLM",
        "PegasusForCausalLM",
        "PLBartForCausalLM",
        "ProphetNetForCausalLM",
        "TrOCRForCausalLM",
        "WhisperForCausalLM",
        "FlaubertWithLMHeadModel",
        "XLMWithLMHeadModel",
        "XLNetLMHeadModel",
    }
)


@dataclass(frozen=True)
class LabelSums:
    """The sums of `LabelFact` over batches; see there."""

    num_padded: int
    num_padded_labelled: int
    num_eos: int
    num_eos_ignored: int
    num_same: int
    num_next: int
    num_compared: int


def sum_labels(labels: Iterable[LabelFact]) -> LabelSums:
    """The sums over all batches."""
    facts = list(labels)
    return LabelSums(
        num_padded=sum(one.num_padded for one in facts),
        num_padded_labelled=sum(one.num_padded_labelled for one in facts),
        num_eos=sum(one.num_eos for one in facts),
        num_eos_ignored=sum(one.num_eos_ignored for one in facts),
        num_same=sum(one.num_same for one in facts),
        num_next=sum(one.num_next for one in facts),
        num_compared=sum(one.num_compared for one in facts),
    )


def are_inputs(batches: BatchFacts) -> bool:
    """Whether the labels are the input ids where they are not ignored: a causal model's."""
    sums = sum_labels(batches.labels)
    return bool(sums.num_compared) and sums.num_same >= SAME_SHARE * sums.num_compared


def shifts_itself(model: ModelFacts) -> bool:
    """Whether the model predicts the next token from labels that equal its inputs."""
    is_known = model.is_transformers and not model.has_own_forward
    return is_known and model.type.endswith(SHIFTING) and model.type not in NOT_SHIFTING


def is_loss_of_model(calls: CallFacts | None, trainer: TrainerFacts | None, unknown: str) -> bool:
    """Whether the model itself computes its loss from the labels of the batch.

    Args:
        calls: None before the loss is called.
        trainer: The Trainer, whose `training_step` may change the labels.
        unknown: What shows only when the loss is called.

    Raises:
        Undecided: It is not called yet, or a `training_step` of the user's comes before it.
    """
    if calls is None:
        raise Undecided(f"{unknown} shows only when the loss is called")
    if not _is_called_in_model(calls):
        return False
    require_known_labels(trainer)
    return True


def _is_called_in_model(calls: CallFacts) -> bool:
    """Whether the loss over classes is called inside the model, with -100 as ignore index."""
    over_classes = [call for call in calls.losses if call.num_classes is not None]
    return bool(over_classes) and all(
        call.in_model and call.options.get("ignore_index", -100) == -100  # noqa: PLR2004
        for call in over_classes
    )


def require_known_labels(trainer: TrainerFacts | None) -> None:
    """Raise `Undecided` where a `training_step` of the user's may change the labels."""
    if trainer is not None and trainer.has_own_step:
        raise Undecided(f"{trainer.type}.training_step may change the labels before the loss")
