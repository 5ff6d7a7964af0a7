"""Ask in eval mode whether a sample's output depends on other samples, or on later tokens."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch

from ...overflow import replay_state
from ..facts.mixing import AttendedPadding, Leak, MixingFacts
from ..nested import leaves
from .attended_padding import look_for_attended_padding
from .copied_targets import look_for_copied_target
from .forward_tap import Tapped, map_tensors, tap_forward
from .row_places import run_turned, turn_back

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from torch import nn

    from ..stages.sections import SectionLoop

FEWEST_ROWS = 3
MAX_SECONDS = 1.0
# Kernels for other shapes round differently; what mixes samples changes the output by percents.
SHARE = 1e-2
IGNORED = -100
FEWEST_TOKENS = 32
NEXT = 0.98
SAME = 0.5
SEQUENCE_DIMS = 2
Outputs = dict[str, torch.Tensor]


def look_at_mixing(loop: SectionLoop) -> MixingFacts:
    """Run the first batch's forward again with other rows, turned rows, and another last token.

    Every run is in eval mode, without gradients, and from the same random state; nothing of it
    stays behind.
    """
    draw, batch = loop.batches[0]
    rows = len(draw.indices)
    if loop.style == "train_step":
        return MixingFacts(not_asked_because="the loop is the user's own")
    if rows < FEWEST_ROWS:
        return MixingFacts(not_asked_because=f"the batch has fewer than {FEWEST_ROWS} known rows")
    if any(_mixes_in_eval_mode(module) for module in loop.model.modules()):
        return MixingFacts(
            not_asked_because="a batch norm without running statistics mixes by design"
        )
    began = time.monotonic()
    try:
        with replay_state(loop.model):
            tapped = tap_forward(loop.model, lambda: loop.loss(batch, draw.number))
        if time.monotonic() - began > MAX_SECONDS:
            return MixingFacts(not_asked_because="a forward takes long")
        with _in_eval_mode(loop.model):
            facts = _ask(loop.model, tapped, rows, loop.session.caught)
            padding = _ask_padding(loop, tapped)
        return replace(facts, padding=padding)
    except loop.session.caught as error:
        because = f"the forward of other rows raised {type(error).__name__}"
        return MixingFacts(not_asked_because=because)


def _ask(
    model: nn.Module, tapped: Tapped, rows: int, caught: tuple[type[BaseException], ...]
) -> MixingFacts:
    because = _why_not(tapped, rows)
    if because:
        return MixingFacts(not_asked_because=because)
    base = _run(model, tapped, _unchanged, rows)
    if not base:
        return MixingFacts(not_asked_because="no output has one row for each sample")
    if _largest_leak(base, _run(model, tapped, _unchanged, rows), slice(None), share=0) is not None:
        return MixingFacts(not_asked_because="the forward gives other values each time")
    asked = _asked_of(base, tapped)
    found = None
    for kept, other in ((0, 1), (rows - 1, 0)):
        changed = _run(model, tapped, _keep_only(kept, other, rows), rows)
        found = found or _largest_leak(asked, changed, slice(kept, kept + 1))
    place = None
    if found is None:
        turned = _outputs(run_turned(model, tapped, rows, caught), rows)
        back = {path: turn_back(leaf) for path, leaf in turned.items()}
        place = _largest_leak(asked, back, slice(None))
    future = _ask_future(model, tapped, rows, base)
    copied = look_for_copied_target(tapped, base, lambda change: _run(model, tapped, change, rows))
    return MixingFacts(rows, found, future, place=place, copied=copied)


def _ask_padding(loop: SectionLoop, tapped: Tapped) -> AttendedPadding | None:
    try:
        return look_for_attended_padding(loop.pipeline, loop.model, tapped)
    except loop.session.caught:
        return None  # a model that takes sequences of one length alone


def _mixes_in_eval_mode(module: nn.Module) -> bool:
    """Whether it is a batch norm that takes the batch's own statistics in evaluation too."""
    is_norm = isinstance(module, torch.nn.modules.batchnorm._BatchNorm)  # noqa: SLF001 - the base of batch norms has no public name
    return is_norm and getattr(module, "running_mean", None) is None


def _why_not(tapped: Tapped, rows: int) -> str:
    if tapped.args is None:
        return "the model's own forward is not called"
    tensors = [leaf for _, leaf in leaves((tapped.args, tapped.kwargs))]
    tensors = [leaf for leaf in tensors if isinstance(leaf, torch.Tensor) and leaf.dim()]
    if not tensors or any(tensor.shape[0] != rows for tensor in tensors):
        return "not every input has one row for each sample"
    if any(_may_be_turned(tensor, rows) for tensor in tensors):
        return "the batch size is also the size of another dimension"
    return ""


def _may_be_turned(tensor: torch.Tensor, rows: int) -> bool:
    """Whether it could as well be [time, batch, ...] as [batch, time, ...]."""
    is_sequence = tensor.dim() > SEQUENCE_DIMS or (
        tensor.dim() == SEQUENCE_DIMS and not tensor.is_floating_point()
    )
    return is_sequence and tensor.shape[1] == rows


def _run(
    model: nn.Module, tapped: Tapped, change: Callable[[torch.Tensor], torch.Tensor], rows: int
) -> Outputs:
    args, kwargs = map_tensors((tapped.args, tapped.kwargs), change)
    with replay_state(model), torch.no_grad():
        return _outputs(model(*args, **kwargs), rows)


def _outputs(output: Any, rows: int) -> Outputs:
    return {path: leaf for path, leaf in leaves(output) if _is_of_rows(leaf, rows)}


def _is_of_rows(leaf: Any, rows: int) -> bool:
    """One row for each sample, and no matrix of samples against samples."""
    is_floating = isinstance(leaf, torch.Tensor) and leaf.is_floating_point() and leaf.dim() > 0
    return is_floating and leaf.shape[0] == rows and rows not in leaf.shape[1:]


def _asked_of(base: Outputs, tapped: Tapped) -> Outputs:
    """The outputs that are trained, where any is, without losses of single samples."""
    trained = {path: leaf for path, leaf in base.items() if path in tapped.trained} or base
    return {path: leaf for path, leaf in trained.items() if not _is_loss(path, leaf, tapped)}


def _is_loss(path: str, leaf: torch.Tensor, tapped: Tapped) -> bool:
    return leaf.dim() == 1 and (path in tapped.losses or "loss" in path.lower())


def _unchanged(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.clone()


def _keep_only(kept: int, other: int, rows: int) -> Callable[[torch.Tensor], torch.Tensor]:
    """Every row but one becomes a copy of one other real row."""

    def change(tensor: torch.Tensor) -> torch.Tensor:
        if not tensor.dim():
            return tensor.clone()
        order = torch.full((rows,), other, device=tensor.device)
        order[kept] = kept
        return tensor[order]

    return change


def _largest_leak(base: Outputs, changed: Outputs, where: Any, share: float = SHARE) -> Leak | None:
    for path, before in base.items():
        after = changed.get(path)
        if after is None or after.shape != before.shape:
            continue
        size = float(before.abs().max())
        change = float((after[where] - before[where]).abs().max())
        if change > share * size:  # False for nan
            return Leak(path, tuple(before.shape), change, size)
    return None


def _ask_future(model: nn.Module, tapped: Tapped, rows: int, base: Outputs) -> Leak | None:
    """Whether outputs see the last token early, where they are trained to predict the next one."""
    ids = _predicted_ids(tapped, rows)
    if ids is None:
        return None
    length = ids.shape[1]
    others = ids.roll(1, 0)[:, -1]

    def change(tensor: torch.Tensor) -> torch.Tensor:
        found = tensor.clone()
        if tensor.shape == ids.shape and torch.equal(tensor, ids):
            found[:, -1] = torch.where(others == ids[:, -1], ids[:, 0], others)
        return found

    changed = _run(model, tapped, change, rows)
    steps = {
        path: t for path, t in base.items() if t.dim() > SEQUENCE_DIMS and t.shape[1] == length
    }
    return _largest_leak(steps, changed, (slice(None), slice(0, length - 1)))


def _predicted_ids(tapped: Tapped, rows: int) -> torch.Tensor | None:
    """The token ids of which the loss's target is the next one."""
    target = tapped.target
    if target is None or target.is_floating_point() or target.numel() % rows:
        return None
    target = target.reshape(rows, -1)
    given = [leaf for _, leaf in leaves((tapped.args, tapped.kwargs))]
    tensors = [leaf for leaf in given if isinstance(leaf, torch.Tensor)]
    sequences = [t for t in tensors if t.dtype == torch.int64 and t.dim() == SEQUENCE_DIMS]
    return next((ids for ids in sequences if _is_next(ids, target)), None)


def _is_next(ids: torch.Tensor, target: torch.Tensor) -> bool:
    length = ids.shape[1]
    if target.shape[1] not in {length, length - 1}:
        return False
    target = target[:, : length - 1]
    counted = target != IGNORED
    if int(counted.sum()) < FEWEST_TOKENS:
        return False
    following = (target == ids[:, 1:])[counted].float().mean()
    same = (target == ids[:, :-1])[counted].float().mean()
    return bool(following >= NEXT) and bool(same < SAME)


@contextmanager
def _in_eval_mode(model: nn.Module) -> Iterator[None]:
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        yield
    finally:
        for module, is_training in modes:
            module.training = is_training
