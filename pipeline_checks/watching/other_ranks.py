"""What training together with other ranks asks of one of them."""

from __future__ import annotations

import os
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from ...gather import RanksMissingError
from ..events import Note
from ..nested import leaves
from ..observe.copies import fingerprint
from .own_gradients import OwnGradients
from .rank_loader import find_sampler, give_own_part
from .shared_gradients import average_gradients, copy_from_rank_0

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from torch import nn

    from ...gather import RollCall
    from ..events import Event
    from ..pipeline.parts import Pipeline

WRAPPERS = ("DistributedDataParallel", "FullyShardedDataParallel", "FSDPModule")
GLOO = "/gloo/"  # its errors have no type of their own, and name the file that they come from
TIMED_OUT = "timed out"
NEWS_WAIT_S = 3.0  # a rank says goodbye before its connections close; a dead one is seen within 1 s


class NoOtherRanks:
    """One process alone: nobody to wait for and nothing to share."""

    is_alone = True
    has_own_bad_gradients = True

    def own_device(self, device: torch.device) -> torch.device:
        """This process's device of a kind of which there may be several."""
        return device

    def prepare(self, pipeline: Pipeline, model: nn.Module, seed: int) -> Iterator[Event]:
        """Get ready to train with the others, without asking them.

        Args:
            pipeline: The parts; its loader may become one for this rank's part of the data.
            model: The model whose modules are watched.
            seed: For the order of the data.
        """
        del pipeline, model, seed
        return iter(())

    def begin(self, model: nn.Module) -> None:
        """Begin with the same weights on all ranks.

        Raises:
            RanksMissingError: Another rank has ended.
        """

    def leave(self) -> None:
        """Take the hooks off the model."""

    def agree_on_length(self, num_batches: int | None) -> int | None:
        """How many batches all can run, given how many this rank can; None where unknown."""
        return num_batches

    def begin_epoch(self, loader: Any, number: int) -> None:
        """Let the loader deal out the samples of this epoch."""

    def begin_batch(self, number: int) -> None:
        """Wait for the others where nothing else makes the ranks run the same batch.

        Raises:
            RanksMissingError: Another rank has ended.
        """

    def begin_window(self) -> None:
        """The gradients begin at nothing again."""

    def share_gradients(self, model: nn.Module) -> None:
        """Average the gradients before a step.

        Raises:
            RanksMissingError: Another rank has ended.
        """

    def have_left(self, error: BaseException) -> bool:
        """Whether an exception only tells that another rank has ended."""
        del error
        return False

    def mark_of(self, batch: Any) -> str:
        """A fingerprint of a batch, to compare it with those of other ranks."""
        del batch
        return ""

    def apart(self, model: nn.Module) -> AbstractContextManager[None]:
        """Let this rank run the model again in a block while the others do not."""
        del model
        return nullcontext()


class OtherRanks(NoOtherRanks):
    """The other ranks, as one of them sees them.

    Where the pipeline wraps its model for distributed training, or has a `train_step`, it trains as
    it is. Else the gradients are averaged here before each step, as DistributedDataParallel would.

    Args:
        roll_call: Where the ranks meet.
        patience_s: How long to wait for a rank that lives, in seconds.
    """

    is_alone = False

    def __init__(self, roll_call: RollCall, patience_s: float) -> None:
        self._roll_call, self._patience_s = roll_call, patience_s
        self._averages = False
        self._own: OwnGradients | None = None

    @property
    def has_own_bad_gradients(self) -> bool:  # type: ignore[override] # a constant for one process
        """Whether the gradients of this rank alone were not finite since the last step."""
        return self._own is None or self._own.are_bad

    def own_device(self, device: torch.device) -> torch.device:
        """A GPU for each rank, as far as there are enough; one that has a number stays."""
        if device.type != "cuda" or device.index is not None:
            return device
        number = int(os.environ.get("LOCAL_RANK", "0")) % torch.cuda.device_count()
        torch.cuda.set_device(number)
        return torch.device("cuda", number)

    def prepare(self, pipeline: Pipeline, model: nn.Module, seed: int) -> Iterator[Event]:
        """Take this rank's part of the data, and look at its gradients from now on."""
        whole: Any = pipeline.model
        is_wrapped = any(type(module).__name__ in WRAPPERS for module in whole.modules())
        self._averages = not is_wrapped and pipeline.train_step is None
        ranks = self._roll_call.ranks
        has_part = give_own_part(pipeline, self._roll_call.rank, len(ranks), seed)
        yield Note(_how(has_part=has_part, is_wrapped=is_wrapped, averages=self._averages))
        self._own = OwnGradients(model)

    def begin(self, model: nn.Module) -> None:
        """Give all ranks the weights of rank 0, where nothing in the pipeline does."""
        self._meet("the start of the training")
        if self._averages:
            copy_from_rank_0(model)

    def leave(self) -> None:
        """Take the hooks off the model."""
        if self._own is not None:
            self._own.detach()

    def agree_on_length(self, num_batches: int | None) -> int | None:
        """The least that a rank can run; nobody waits then for one that has no more data."""
        place = "the number of batches"
        said = self._roll_call.exchange(num_batches, place, timeout_s=self._patience_s)
        return min((each for each in said.values() if each is not None), default=None)

    def begin_epoch(self, loader: Any, number: int) -> None:
        """Tell the sampler of the epoch, as training with several ranks does."""
        set_epoch = getattr(loader, "set_epoch", None) or getattr(
            find_sampler(loader), "set_epoch", None
        )
        if set_epoch is not None:
            set_epoch(number)

    def begin_batch(self, number: int) -> None:
        """Wait for the others, unless the average before the step does."""
        if not self._averages:
            self._meet(f"batch {number}")

    def begin_window(self) -> None:
        """Forget the gradients that were seen."""
        if self._own is not None:
            self._own.forget()

    def share_gradients(self, model: nn.Module) -> None:
        """Average the gradients of all ranks, where the pipeline does not."""
        if self._averages:
            self._meet("the average of the gradients")
            average_gradients(model)

    def have_left(self, error: BaseException) -> bool:
        """Whether another rank is gone or silent, so that what waited for it raised."""
        if isinstance(error, RanksMissingError) or self._roll_call.find_gone(NEWS_WAIT_S):
            return True
        is_of_transport = isinstance(error, dist.DistError) or GLOO in str(error)
        return is_of_transport and TIMED_OUT in str(error).lower()

    def mark_of(self, batch: Any) -> str:
        """A fingerprint of all values."""
        mark, _ = fingerprint(dict(leaves(batch)))
        return "" if mark is None else mark.hex()

    @contextmanager
    def apart(self, model: nn.Module) -> Iterator[None]:
        """Hold DistributedDataParallel back from asking the others for buffers and gradients."""
        wrappers = [m for m in model.modules() if isinstance(m, DistributedDataParallel)]
        before = [(m.require_backward_grad_sync, m.require_forward_param_sync) for m in wrappers]
        for wrapper in wrappers:
            wrapper.require_backward_grad_sync = wrapper.require_forward_param_sync = False
        try:
            yield
        finally:
            for wrapper, (backward, forward) in zip(wrappers, before, strict=True):
                wrapper.require_backward_grad_sync = backward
                wrapper.require_forward_param_sync = forward

    def _meet(self, place: str) -> None:
        self._roll_call.barrier(place, timeout_s=self._patience_s)


def _how(*, has_part: bool, is_wrapped: bool, averages: bool) -> str:
    data = "reads its part of the data (DistributedSampler)" if has_part else "reads its own loader"
    if averages:
        shared = "the gradients are averaged before each step, as DistributedDataParallel does"
    elif is_wrapped:
        shared = "the model is trained in the wrapper that the pipeline puts around it"
    else:
        shared = "train_step is run as it is: tdebug averages nothing"
    return f"each rank {data}, and {shared}."
