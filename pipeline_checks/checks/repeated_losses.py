"""What losses of repeated steps on one batch say."""

from dataclasses import dataclass
from math import isfinite

from ..facts import RepeatFacts
from .wording import count, number

EXPLODED = 10.0
JUMPED = 100.0  # what one single step must do to a loss that does not come back
DOUBLED = 2.0
FEW = 5
LEARNT = 0.02  # a loss that fell by this share at any time learns something
RISEN = 0.2
Losses = tuple[float, ...]


@dataclass(frozen=True)
class Growth:
    """A loss that grows with the steps: in words, and whether that is beyond doubt."""

    text: str
    is_sure: bool


def find_growth(repeat: RepeatFacts, start: float | None) -> Growth | None:
    """How the loss grew, None where it did not, or not because of the rate.

    Args:
        repeat: The losses; a smaller rate must have brought them down.
        start: The loss of that batch before the first step of all, where it is known.
    """
    losses = repeat.losses
    is_sure = explodes(losses)
    if falls(repeat.retry_losses) and (is_sure or doubles(losses)):
        steps = count(len(losses) - 1, "step")
        text = f"grows from {number(losses[0])} to {number(losses[-1])} in {steps}"
        return Growth(f"{text} ({first_steps(losses)})", is_sure)
    if start is not None and jumps(start, losses):
        text = f"jumps from {number(start)} to {number(losses[0])} in the first step"
        after = f"{number(losses[-1])} after {count(len(losses) - 1, 'more step')}"
        return Growth(f"{text} and is still {after}", is_sure=True)
    return None


def explodes(losses: Losses) -> bool:
    """Whether the loss is no longer finite, or has grown tenfold."""
    if len(losses) < 2 or not isfinite(losses[0]):  # noqa: PLR2004 - a start and an end
        return False
    return not isfinite(losses[-1]) or (losses[0] > 0 and losses[-1] >= EXPLODED * losses[0])


def jumps(start: float, losses: Losses) -> bool:
    """Whether one step multiplied the loss and later ones did not bring it back."""
    if len(losses) < FEW or start <= 0:
        return False
    return losses[0] >= JUMPED * start and losses[-1] >= EXPLODED * start


def doubles(losses: Losses) -> bool:
    """Whether it has doubled and is still at its largest."""
    is_grown = len(losses) >= FEW and 0 < DOUBLED * losses[0] <= losses[-1]
    return is_grown and losses[-1] >= max(losses)


def falls(losses: Losses) -> bool:
    """Whether it ends below where it began."""
    return len(losses) > 1 and losses[-1] < losses[0]


def never_learns(losses: Losses) -> bool:
    """Whether it rises by a fifth or more and is never notably below its start."""
    if len(losses) < FEW or not isfinite(losses[0]):
        return False
    size = abs(losses[0])
    is_risen = not isfinite(losses[-1]) or losses[-1] - losses[0] > RISEN * size
    return is_risen and min(losses) > losses[0] - LEARNT * size


def first_steps(losses: Losses, most: int = 4) -> str:
    """The first losses and the last.

    >>> first_steps((4e4, 9.2e5, 4.7e6, 9.5e6, 1.1e13))
    '4e+04, 9.2e+05, 4.7e+06, 9.5e+06, ... 1.1e+13'
    """
    shown = [f"{loss:.3g}" for loss in losses[:most]]
    return ", ".join(shown) + (f", ... {losses[-1]:.3g}" if len(losses) > most else "")
