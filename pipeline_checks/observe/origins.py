"""Where a batch's first non-finite value began, by replaying the batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ...overflow import Origin, find_origin, replay_state
from ..facts.numerics import NumericsFacts, OriginFact
from ..report import Location, Stage
from .user_code import is_installed, shown_path

if TYPE_CHECKING:
    from ..pipeline.draw import Draw
    from ..stages.sections import SectionLoop
    from .user_code import UserCode


def origin_of_batch(
    loop: SectionLoop, draw: Draw, batch: Any, value: float | None
) -> NumericsFacts:
    """Replay the batch under the origin finder.

    Args:
        loop: The training loop.
        draw: The batch's number and samples.
        batch: The batch.
        value: Its loss where that was not finite, else None: a gradient was not.
    """
    bad_losses = ((draw.number, value),) if value is not None else ()
    if loop.style == "train_step":
        because = "the batch cannot be replayed: train_step has already stepped the optimizer"
        return NumericsFacts((), bad_losses, because)

    def run() -> Any:
        loss = loop.loss(batch, draw.number)
        if value is None and isinstance(loss, torch.Tensor):
            loss.backward()  # type: ignore[no-untyped-call] # torch leaves it untyped
        return loss

    try:
        with replay_state(loop.model):
            origin = find_origin(run, loop.model, labels=draw.indices)
    except loop.session.caught as error:
        return NumericsFacts(
            (), bad_losses, f"replaying the batch raised {type(error).__name__}: {error}"
        )
    if origin is None:
        return NumericsFacts((), bad_losses, "the replay of the batch was finite")
    fact = origin_fact(origin, draw.number, loop.session.code, draw.indices)
    return NumericsFacts((fact,), bad_losses)


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
    later = origin.became_nan_in
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
        location=shown_location(origin.user_location, code)
        or shown_location(origin.location, code),
        became_nan_in=later.operator if later is not None else "",
        became_nan_module=later.module if later is not None else "",
        node=origin.node,
        source=origin.source,
        source_name=origin.source_name,
        reason=origin.reason,
        is_in_model=bool(origin.module_class),
        summary=origin.summary(),
    )


def shown_location(place: Any, code: UserCode) -> Location | None:
    """The place, unless it is tdebug's own or that of whatever started tdebug."""
    if place is None or not (code.holds(place.file) or is_installed(place.file)):
        return None
    return Location(shown_path(place.file), place.line, place.function, place.source or None)
