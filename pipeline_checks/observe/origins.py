"""Where a batch's first non-finite value began, by replaying the batch."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch

from ...overflow import OperatorSite, Origin, find_origin, replay_state
from ..facts.numerics import NumericsFacts, OriginFact
from ..report import Location, Stage
from .huge_values import find_huge_value
from .user_code import is_installed, shown_path

if TYPE_CHECKING:
    from ..stages.sections import SectionLoop
    from .batch_context import BatchContext
    from .user_code import UserCode


def origin_of_batch(loop: SectionLoop, context: BatchContext, value: float | None) -> NumericsFacts:
    """Replay the batch under the origin finder.

    Args:
        loop: The training loop.
        context: The batch.
        value: Its loss where that was not finite, else None: a gradient was not.
    """
    bad_losses = ((context.number, value),) if value is not None else ()
    if loop.style == "train_step":
        because = "the batch cannot be replayed: train_step has already stepped the optimizer"
        return NumericsFacts((), bad_losses, because)

    def run() -> Any:
        loss = loop.loss(context.batch, context.number)
        if value is None and isinstance(loss, torch.Tensor):
            loss.backward()  # type: ignore[no-untyped-call] # torch leaves it untyped
        return loss

    try:
        with replay_state(loop.model):
            origin = find_origin(run, loop.model, labels=context.indices)
    except loop.session.caught as error:
        return NumericsFacts(
            (), bad_losses, f"replaying the batch raised {type(error).__name__}: {error}"
        )
    if origin is None:
        return NumericsFacts((), bad_losses, "the replay of the batch was finite")
    fact = origin_fact(origin, context.number, loop.session.code, context.indices)
    return NumericsFacts((with_huge_value(fact, context),), bad_losses)


def with_huge_value(fact: OriginFact, context: BatchContext) -> OriginFact:
    """The origin with the huge value of its batch that may be to blame."""
    is_open = fact.stage is Stage.FORWARD and fact.source == "operator"
    if not is_open or fact.reason.startswith("it "):
        return fact
    return replace(fact, huge=find_huge_value(context))


def origin_fact(
    origin: Origin, batch: int, code: UserCode, indices: tuple[int, ...] = ()
) -> OriginFact:
    """The origin as the checks read it.

    Args:
        origin: What the origin finder found.
        batch: Number of the batch.
        code: Which code is the user's.
        indices: The samples of the batch, () where they are not known.
    """
    later, mask = origin.became_nan_in, origin.masked_by
    maxima = [stats.abs_max for stats in origin.inputs if stats.abs_max is not None]
    return OriginFact(
        stage=Stage.FORWARD if origin.phase == "forward" else Stage.BACKWARD,
        batch=batch,
        operator=origin.operator,
        kind=origin.kind,
        module=origin.module,
        module_type=origin.module_class,
        dtype=str(origin.output.dtype).removeprefix("torch.") if origin.output is not None else "",
        limit=origin.dtype_limit,
        input_max=max(maxima, default=None),
        would_be=origin.float64_abs_max,
        rows=origin.rows,
        indices=tuple(indices[row] for row in origin.rows if row < len(indices)),
        location=_shown_line(origin, code),
        became_nan_in=later.operator if later is not None else "",
        became_nan_module=later.module if later is not None else "",
        node=origin.node,
        source=origin.source,
        source_name=origin.source_name,
        reason=origin.reason,
        masked_by=mask.operator if mask is not None else "",
        masked_at=_shown_line(mask, code) if mask is not None else None,
        is_in_model=bool(origin.module_class),
        summary=origin.summary(),
    )


def _shown_line(site: OperatorSite, code: UserCode) -> Location | None:
    return shown_location(site.user_location, code) or shown_location(site.location, code)


def shown_location(place: Any, code: UserCode) -> Location | None:
    """The place, unless it is tdebug's own or that of whatever started tdebug."""
    if place is None or not (code.holds(place.file) or is_installed(place.file)):
        return None
    return Location(shown_path(place.file), place.line, place.function, place.source or None)
