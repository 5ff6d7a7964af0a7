"""Run a batch whose backward failed once more, to see what was changed in place."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..observe.inplace import InplaceWatch

if TYPE_CHECKING:
    from ..facts.training import InplaceFact
    from ..observe.batch_context import BatchContext
    from .sections import SectionLoop


def find_inplace(loop: SectionLoop, context: BatchContext, batch: Any) -> tuple[InplaceFact, ...]:
    """The in-place changes of tensors that backward needed, () if there were none."""
    loop.modules.begin_batch(context.number)
    watch = InplaceWatch(loop.modules)
    pipeline = loop.pipeline
    # The failure itself has been noted; the replay may raise it again.
    with suppress(*loop.session.caught), watch:
        if loop.style == "train_step":
            pipeline.train_step(loop.model, batch, pipeline.optimizer, loop.user_state)  # type: ignore[misc] # the style says that it is there
        else:
            loop.loss(batch, context.number)
    return watch.found()
