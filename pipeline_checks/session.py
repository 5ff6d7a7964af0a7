"""What all stages of one run share: settings, the clock of the budget, how user code is called."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .events import Note
from .observe.exceptions import exception_fact
from .observe.user_code import UserCode
from .worker.reserve import release_reserve

if TYPE_CHECKING:
    from collections.abc import Callable

    from .facts.exceptions import ExceptionFact
    from .observe.untouched import Untouched


@dataclass(frozen=True)
class Settings:
    """The scalar keys of the spec.

    Attributes:
        batch_size: Samples a batch where tdebug makes the loader.
        shuffle: Whether the loader that tdebug makes shuffles.
        num_workers: Worker processes of the loader that tdebug makes.
        drop_last: Whether that loader drops a smaller last batch.
        device: cpu, cuda, cuda:1, mps, auto.
        precision: fp32, bf16 or fp16 (autocast), None where nothing was said.
        seed: Seed before anything is built.
        samples: Samples that the dataset stage reads, None for all.
        budget: Seconds after which a stage stops reading more.
        max_batches: Batches run beside the last one.
        is_batch_size_given: False where the batch size is tdebug's own default.
    """

    batch_size: int = 8
    shuffle: bool = False
    num_workers: int = 0
    drop_last: bool = False
    device: str = "cpu"
    precision: str | None = None
    seed: int = 42
    samples: int | None = 256
    budget: float = 20.0
    max_batches: int = 8
    is_batch_size_given: bool = False


@dataclass
class Session:
    """What all stages of one run share.

    Attributes:
        settings: The scalar keys of the spec.
        code: Which code is the user's.
        is_worker: True in a process of its own, where Ctrl-C never comes from the user.
        on_error: Called with an exception of the user's code, for `--pdb`.
        is_on_device: Whether the batches run on the device that was asked for; else on the CPU,
            whose tracebacks are true.
        before_reading: The dataset's attributes before its first sample was read.
        has_ranks: Whether several processes follow, whose evaluation is compared with this one's.
        rows_to_run: Samples whose batches are to be run beside the first ones and the last.
    """

    settings: Settings = field(default_factory=Settings)
    code: UserCode = field(default_factory=UserCode)
    is_worker: bool = False
    on_error: Callable[[BaseException], None] | None = None
    is_on_device: bool = False
    before_reading: Untouched | None = None
    has_ranks: bool = False
    rows_to_run: tuple[int, ...] = ()

    @property
    def caught(self) -> tuple[type[BaseException], ...]:
        """What user code may raise without ending the run: anything but Ctrl-C in this process."""
        if self.is_worker:
            return (BaseException,)
        # Asked anew each time, so that classes of the user's own are among them.
        return tuple(k for k in BaseException.__subclasses__() if k is not KeyboardInterrupt)

    def own(self, error: BaseException) -> BaseException:
        """The exception, raised again if it is none of the user's code (Ctrl-C in this process)."""
        if not isinstance(error, self.caught):
            raise error
        return error

    def fact(self, error: BaseException) -> ExceptionFact:
        """The exception as a fact; stops in the debugger first where that was asked for."""
        if isinstance(error, MemoryError):
            release_reserve()
        if self.on_error is not None:
            self.on_error(error)
        return exception_fact(error, self.code)

    def attempt(self, function: Callable[[], Any]) -> tuple[Any, ExceptionFact | None]:
        """The function's value and None, or None and what it raised."""
        try:
            return function(), None
        except self.caught as error:
            return None, self.fact(error)


class Budget:
    """The clock of one stage."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._began = time.monotonic()

    @property
    def used(self) -> float:
        """Seconds since the stage began."""
        return time.monotonic() - self._began

    def cut(self, what: str) -> Note:
        """What the budget has ended early: `the dataset stage after 17 samples`."""
        return Note(f"the budget of {self.seconds:g} s ended {what}.")

    @property
    def is_spent(self) -> bool:
        """Whether the stage should stop reading more."""
        return self.used > self.seconds
