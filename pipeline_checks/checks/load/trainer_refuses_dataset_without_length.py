"""TD006: a Trainer that counts epochs is given a dataset without a length."""

from collections.abc import Iterator

from ...facts import LoadFacts
from ...report import Problem, Severity
from ..factory_errors import lacks_length
from ..registry import check


@check("TD006", Severity.ERROR)
def trainer_refuses_dataset_without_length(load: LoadFacts) -> Iterator[Problem]:
    """A Hugging Face Trainer is to count epochs over a dataset that has no length.

    Why it matters: the Trainer plans its steps and the learning-rate schedule from
    `len(train_dataset)`. A streaming dataset has none, so the constructor raises.

    How to fix it: set `max_steps` in TrainingArguments (steps = samples / (batch size x
    accumulation x devices) x epochs), or use a dataset with `__len__`.
    """
    part = load.part("trainer")
    if part is None or part.error is None or not lacks_length(load):
        return
    refused, dataset = load.refused_trainer, load.part("dataset")
    kind = (refused and refused.dataset) or (dataset and dataset.type) or "the dataset"
    epochs = refused.num_epochs if refused else None
    text = f"num_train_epochs={epochs:g}" if epochs else "epochs"
    yield Problem(
        f"the Trainer is to train for {text}, but its train_dataset ({kind}) is iterable and has "
        "no __len__, so it cannot tell how many steps that is; max_steps is not set.",
        where=f"train_dataset of the Trainer ({part.origin})" if part.origin else "train_dataset",
        hint="set max_steps=... in TrainingArguments, or give a dataset that has a length.",
        location=part.error.location or part.location,
        values={"dataset": kind, "num_epochs": epochs},
        stack=part.error.user_frames,
    )
