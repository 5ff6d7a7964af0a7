"""The mode in which the training loop finds the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import nn

    from ..pipeline.parts import Pipeline


def put_in_train_mode(pipeline: Pipeline, model: nn.Module) -> None:
    """Put the model in train mode, as loops do before their first batch.

    Not one that its builder put in eval mode where the loop is the user's own `train_step`: that
    is where `train()` is to be called, and if it is not, all of training runs so. What comes from
    `from_pretrained` is in eval mode without anybody's asking.
    """
    is_by_hand = not model.training and not hasattr(type(model), "from_pretrained")
    if pipeline.train_step is None or not is_by_hand:
        model.train()
