"""Finding where a nan or inf began: run the batch again under a dispatch mode and walk back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .nested import iterate_tensors
from .origin_watch import BadOutput, OriginWatch, is_bad
from .origin_words import SiteContext, build_origin
from .walk_back import Walk, walk_back

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from torch import nn

    from .op_record import OpRecord
    from .origin import FirstBad, Origin


@dataclass(frozen=True)
class _Verdict:
    """What was bad first, and the walk back from it."""

    first_bad: FirstBad
    walk: Walk
    parameters: tuple[str, ...] = ()


def find_origin(
    run: Callable[[], Any], model: nn.Module, *, labels: Sequence[object] = ()
) -> Origin | None:
    """Run one batch and find the operator where its first nan or inf began.

    The run is made under a dispatch mode that looks at every operator's output, two to ten times
    slower than a plain one. The walk back starts at what was detected (the loss if it is not
    finite, else the gradients, else a module's output) and follows the operators that carried it.
    Masks of -inf are no finding unless a nan or the loss comes of them; uninitialised memory that
    nobody reads is none. Without any finding, overflows that were swallowed are looked for.

    Args:
        run: Does one batch: forward, loss, and `loss.backward()` where gradients are of interest.
            Returns the loss (or anything that holds it), or None. Random states, buffers and
            gradients are the caller's to put back before (`replay_state`).
        model: The model whose modules are named.
        labels: A name for each row of the batch, e.g. its index in the dataset.

    Returns:
        The origin, or None if loss, module outputs and gradients are all right.
    """
    bad_weights = _find_bad(model, "weight")
    watch = OriginWatch(model)
    with watch.watching():
        loss = run()
    return conclude(watch, loss, bad_weights, labels)


def conclude(
    watch: OriginWatch, loss: Any, bad_weights: tuple[str, ...], labels: Sequence[object] = ()
) -> Origin | None:
    """Walk back from what a watched run has shown."""
    context = SiteContext(watch, tuple(str(label) for label in labels))
    verdict = _judge(watch, loss, bad_weights)
    if verdict is not None:
        root = verdict.walk.first_root()
        if root is None:
            return None
        return build_origin(context, root, verdict.walk, verdict.first_bad, verdict.parameters)
    return _first_swallowed(context, loss)


def find_swallowed_overflow(
    run: Callable[[], Any], model: nn.Module, *, labels: Sequence[object] = ()
) -> Origin | None:
    """Run one batch and find an overflow inside the model that a finite output hides.

    Such is the square of a float16 above 255 inside a norm: it is inf, and its inverse root is 0.
    What saturates (tanh, softmax), what is clamped or replaced after the overflow, masks of -inf,
    and what never reaches the loss are none.

    Args:
        run: Does one batch's forward and gives its loss. Random states, buffers and gradients are
            the caller's to put back before (`replay_state`).
        model: The model whose modules are named.
        labels: A name for each row of the batch, e.g. its index in the dataset.

    Returns:
        The operator that overflowed, with `is_swallowed`, or None.
    """
    watch = OriginWatch(model)
    with watch.watching():
        loss = run()
    return _first_swallowed(SiteContext(watch, tuple(str(label) for label in labels)), loss)


def origin_of_output(
    watch: OriginWatch, bad: BadOutput, labels: Sequence[object] = ()
) -> Origin | None:
    """Walk back from one module's bad output, as when a forward was stopped there."""
    if bad.writer is None:
        return None
    walk = walk_back([bad.writer])
    root = walk.first_root()
    if root is None:
        return None
    weights = (root.external.name,) if root.external and root.external.what == "weight" else ()
    first_bad: FirstBad = "weight" if weights else "activation"
    context = SiteContext(watch, tuple(str(label) for label in labels))
    return build_origin(context, root, walk, first_bad, weights)


def _first_swallowed(context: SiteContext, loss: Any) -> Origin | None:
    shadows = context.watch.recorder.shadows
    results = [tensor.detach() for tensor in iterate_tensors(loss)]
    for tensor in results:
        shadows.compare(tensor, "loss")
    swallowed = shadows.settle(results)
    if not swallowed:
        return None
    first = min(swallowed, key=lambda overflow: overflow.record.index)
    walk = walk_back([first.record])
    root = walk.first_root()
    return build_origin(context, root, walk, "activation", (), first) if root else None


def _judge(watch: OriginWatch, loss: Any, bad_weights: tuple[str, ...]) -> _Verdict | None:
    outputs = _unintended(watch)
    bad_losses = [w for t in iterate_tensors(loss) if is_bad(t) and (w := watch.writer_of(t))]
    gradients = _find_bad(watch.model, "gradient")
    starts = bad_losses or _gradient_writers(watch, gradients)
    if not starts and outputs:
        starts = [outputs[0]]
    if not starts:
        return None
    if bad_weights:
        return _Verdict("weight", walk_back(starts), bad_weights)
    first_bad: FirstBad = "gradient"
    if outputs:
        first_bad = "activation"
    elif bad_losses:
        first_bad = "loss"
    return _Verdict(first_bad, walk_back(starts), gradients)


def _unintended(watch: OriginWatch) -> list[OpRecord]:
    """Give the writers of module outputs that nobody can have wanted."""
    writers = [bad.writer for bad in watch.bad_outputs if bad.writer is not None]
    return [writer for writer in writers if not walk_back([writer]).is_deliberate]


def _gradient_writers(watch: OriginWatch, names: tuple[str, ...]) -> list[OpRecord]:
    parameters = dict(watch.model.named_parameters())
    gradients = [parameters[name].grad for name in names]
    writers = [watch.writer_of(g) for g in gradients if g is not None]
    return [writer for writer in writers if writer is not None]


def _find_bad(model: nn.Module, what: str) -> tuple[str, ...]:
    """Name the parameters whose value or gradient is not finite."""
    named = model.named_parameters()
    tensors = ((name, p if what == "weight" else p.grad) for name, p in named)
    return tuple(name for name, tensor in tensors if tensor is not None and is_bad(tensor))
