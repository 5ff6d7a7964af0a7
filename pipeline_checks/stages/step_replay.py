"""Where a batch of the user's own loop went bad: run it again, up to its backward, before it steps.

Once the user's `train_step` has stepped, the weights are nan and nothing can be told. So it is
asked at the backward, while they are as they were: whether what goes back is finite, and after it
whether the gradients are. Only where they are not the batch is run again, nested in itself, from
the random states and buffers that it began with; the second run ends at the same backward and
cannot step. What else the user's code does (counting, logging) it does twice then.
"""

from __future__ import annotations

import copy
import math
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import torch

from ...overflow import find_origin, replay_state
from ...overflow.replay import BatchStart
from ..facts.numerics import NumericsFacts
from ..observe.origins import origin_fact, with_huge_value
from ..observe.stopped_run import AT_FIRST_STEP, StoppedRun, as_it_was

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..facts.step import StepCall
    from ..observe.batch_context import BatchContext
    from .sections import SectionLoop

STEPS = frozenset({"step", "scaler_step"})
STEPPED = "train_step had stepped an optimizer before"


class StepReplay:
    """Looks at the backwards of one batch of the user's own loop.

    Args:
        loop: The training loop.
        context: What is known of the batch.
    """

    def __init__(self, loop: SectionLoop, context: BatchContext) -> None:
        self._loop = loop
        self._batch = as_it_was(context.batch)
        self._number, self._indices, self._context = context.number, context.indices, context
        self._state = copy.copy(loop.user_state)
        self._start = BatchStart.capture(loop.model.modules())
        self._num_backwards = 0
        self._is_scaled = self._is_running = False

    def before_backward(self, roots: list[torch.Tensor]) -> None:
        """Find the origin of a loss that is not finite."""
        if self._is_running:
            return
        self._num_backwards += 1
        self._is_scaled = self._loop.calls.scaled.factor_of(roots) is not None
        bad = [value for value in _values_of(roots) if not math.isfinite(value)]
        # What a GradScaler has scaled may be beyond float16 at first, and its step is skipped.
        if bad and not (self._is_scaled and math.isinf(bad[0])):
            self._find(((self._number, bad[0]),), with_backward=False)

    def after_backward(self) -> None:
        """Find the origin of gradients that are not finite."""
        is_bad = self._loop.gradients.first_bad_batch == self._number
        if is_bad and not self._is_scaled and not self._is_running:
            self._find((), with_backward=True)

    def after_batch(self, value: float) -> None:
        """Find the origin of a loss from which nothing went back.

        Args:
            value: What `train_step` returned, not finite.
        """
        self._num_backwards = AT_FIRST_STEP
        self._find(((self._number, value),), with_backward=False)

    def _find(self, bad_losses: tuple[tuple[int, float], ...], *, with_backward: bool) -> None:
        seen = self._loop.seen
        if seen.numerics is not None:
            return
        if has_stepped(self._loop.calls.calls):
            seen.numerics = NumericsFacts((), bad_losses, STEPPED)
            return
        self._is_running = True
        try:
            seen.numerics = self._look(bad_losses, with_backward=with_backward)
        finally:
            self._is_running = False

    def _look(
        self, bad_losses: tuple[tuple[int, float], ...], *, with_backward: bool
    ) -> NumericsFacts:
        loop = self._loop
        try:
            with self._apart():
                origin = find_origin(
                    lambda: self._run(with_backward=with_backward), loop.model, labels=self._indices
                )
        except loop.session.caught as error:
            because = f"running the batch again raised {type(error).__name__}: {error}"
            return NumericsFacts((), bad_losses, because)
        if origin is None:
            return NumericsFacts((), bad_losses, "the batch was finite when it was run again")
        fact = origin_fact(origin, self._number, loop.session.code, self._indices)
        return NumericsFacts((with_huge_value(fact, self._context),), bad_losses)

    def _run(self, *, with_backward: bool) -> Any:
        """Run the user's step up to the backward at which this was asked; gives what goes back."""
        loop = self._loop
        step: Any = loop.pipeline.train_step
        state = copy.copy(self._state)
        run = StoppedRun(self._num_backwards, with_backward=with_backward)
        result = None
        with run.stopping():
            result = step(loop.model, self._batch, loop.pipeline.optimizer, state)
        return run.roots or result

    @contextmanager
    def _apart(self) -> Iterator[None]:
        """The state in which the batch began; what is noted of calls notes nothing of it."""
        loop = self._loop
        with ExitStack() as stack:
            stack.enter_context(loop.calls.paused())
            stack.enter_context(loop.modules.paused())
            stack.enter_context(torch._C.DisableTorchFunction())  # noqa: SLF001 - as above
            stack.enter_context(replay_state(loop.model))
            stack.enter_context(torch.enable_grad())
            for device in {p.device.type for p in loop.model.parameters()} | {"cpu"}:
                stack.enter_context(torch.autocast(device, enabled=False))
            self._start.restore()
            yield


def _values_of(roots: list[torch.Tensor]) -> list[float]:
    with torch._C.DisableTorchFunction():  # noqa: SLF001 - CallWatch is to note the user's calls
        real = [root.detach() for root in roots if root.numel() == 1 and not root.is_complex()]
        return [float(root) for root in real]


def has_stepped(calls: Iterable[StepCall]) -> bool:
    """Whether an optimizer has stepped, or a GradScaler been asked to."""
    return any(call.call in STEPS for call in calls)
