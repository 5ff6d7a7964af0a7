"""Look for an overflow inside the model that a finite output hides."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch

from ...overflow import Origin, find_swallowed_overflow, replay_state
from ..facts.swallowed import SwallowedFacts, SwallowedOverflowFact
from ..report import Stage
from .origins import origin_fact, shown_location

if TYPE_CHECKING:
    from ..stages.sections import SectionLoop
    from .ranges import RangeWatch

# Every operator's result is looked at: 1.5 to 5 times a plain forward (tiny to base size).
MAX_SECONDS = 5.0
# A square of more is beyond float32 and bfloat16, which have the same range.
SQUARE_OVERFLOWS = math.sqrt(torch.finfo(torch.float32).max)


def look_for_swallowed(loop: SectionLoop, ranges: RangeWatch | None) -> SwallowedFacts:
    """Run the first batch's forward once more, each operator watched, where there is reason to.

    There is where float16 is at work, whose range ends at 65504, and where a module gives out
    numbers whose square float32 and bfloat16 do not hold. Nothing of the run stays behind.

    Args:
        loop: The training loop, all of whose losses and gradients were finite.
        ranges: What looked at the outputs of the first batch; None with autocast to float16.
    """
    if not _has_reason(loop, ranges):
        return SwallowedFacts()
    if loop.style == "train_step":
        return SwallowedFacts(not_looked_because="the loop is the user's own")
    if loop.seen.seconds[Stage.FORWARD] / max(len(loop.seen.run), 1) > MAX_SECONDS:
        return SwallowedFacts(not_looked_because=f"a forward takes over {MAX_SECONDS:g} s")
    draw, batch = loop.batches[0]
    try:
        with replay_state(loop.model):
            origin = find_swallowed_overflow(
                lambda: loop.loss(batch, draw.number), loop.model, labels=draw.indices
            )
    except loop.session.caught as error:
        because = f"the forward raised {type(error).__name__} under the watch of its operators"
        return SwallowedFacts(not_looked_because=because)
    return SwallowedFacts(_fact(loop, origin) if origin is not None else None)


def _has_reason(loop: SectionLoop, ranges: RangeWatch | None) -> bool:
    if ranges is None or any(p.dtype is torch.float16 for p in loop.model.parameters()):
        return True
    facts = ranges.facts()
    is_large = any(fact.abs_max > SQUARE_OVERFLOWS for fact in facts.near_limit)
    return facts.has_float16 or is_large


def _fact(loop: SectionLoop, origin: Origin) -> SwallowedOverflowFact:
    draw, _ = loop.batches[0]
    code = loop.session.code
    fact = origin_fact(origin, draw.number, code, draw.indices)
    inner = shown_location(origin.location, code)
    output = origin.output
    return SwallowedOverflowFact(
        origin=fact,
        num_overflowed=output.nan_count + output.inf_count if output is not None else 0,
        num_results=math.prod(output.shape) if output is not None else 0,
        wrong_in=origin.swallowed_in,
        num_wrong=origin.num_wrong,
        num_elements=origin.num_elements,
        became=origin.became or 0.0,
        should_be=origin.should_be or 0.0,
        inner=inner if inner != fact.location else None,
    )
