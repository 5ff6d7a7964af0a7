"""What losses of repeated steps on one batch say."""

from math import isfinite

EXPLODED = 10.0
DOUBLED = 2.0
FEW = 5
LEARNT = 0.02  # a loss that fell by this share at any time learns something
RISEN = 0.2


def explodes(losses: tuple[float, ...]) -> bool:
    """Whether the loss is no longer finite, or has grown tenfold."""
    if len(losses) < 2 or not isfinite(losses[0]):  # noqa: PLR2004 - a start and an end
        return False
    return not isfinite(losses[-1]) or (losses[0] > 0 and losses[-1] >= EXPLODED * losses[0])


def doubles(losses: tuple[float, ...]) -> bool:
    """Whether it has doubled and is still at its largest."""
    is_grown = len(losses) >= FEW and 0 < DOUBLED * losses[0] <= losses[-1]
    return is_grown and losses[-1] >= max(losses)


def falls(losses: tuple[float, ...]) -> bool:
    """Whether it ends below where it began."""
    return len(losses) > 1 and losses[-1] < losses[0]


def never_learns(losses: tuple[float, ...]) -> bool:
    """Whether it rises by a fifth or more and is never notably below its start."""
    if len(losses) < FEW or not isfinite(losses[0]):
        return False
    size = abs(losses[0])
    is_risen = not isfinite(losses[-1]) or losses[-1] - losses[0] > RISEN * size
    return is_risen and min(losses) > losses[0] - LEARNT * size


def first_steps(losses: tuple[float, ...], most: int = 4) -> str:
    """The first losses and the last: `4.0e+04, 9.2e+05, 4.7e+06, ... 1.1e+13`."""
    shown = [f"{loss:.3g}" for loss in losses[:most]]
    return ", ".join(shown) + (f", ... {losses[-1]:.3g}" if len(losses) > most else "")
