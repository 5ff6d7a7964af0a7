"""Failures of factories that other checks say better."""

from ..facts import LoadFacts, ModelFacts
from ..facts.load import PartFact

TRAINER_FILE = "transformers/trainer.py"


def lacks_length(load: LoadFacts) -> bool:
    """Whether a Hugging Face Trainer that counts epochs raised over a dataset without a length."""
    part = load.part("trainer")
    if part is None or part.error is None or not part.error.is_a("ValueError"):
        return False
    frames = part.error.frames
    innermost = frames[-1].file.replace("\\", "/") if frames else ""
    if not innermost.endswith(TRAINER_FILE):
        return False
    refused = load.refused_trainer
    if refused is not None:
        return not refused.has_length and refused.max_steps <= 0
    dataset = load.part("dataset")
    return dataset is not None and dataset.has_length is False


def is_refused_empty_model(part: PartFact, model: ModelFacts | None) -> bool:
    """Whether an optimizer was refused because the model has nothing to train.

    It has no parameters, or all are frozen and the optimizer was given those that are not.
    """
    is_empty = model is not None and not model.trainable
    return is_empty and part.name in {"optimizer", "trainer", "scheduler"}


def explained_by_others(part: PartFact, load: LoadFacts, model: ModelFacts | None) -> bool:
    """Whether another check says why building the part raised."""
    if is_refused_empty_model(part, model):
        return True
    return part.name == "trainer" and lacks_length(load)
