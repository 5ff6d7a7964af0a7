"""Where nan and inf begin, usable alone in anyone's training loop: torch and nothing else."""

from .batches import parse_batches
from .detector import DebugUnderflowOverflow
from .errors import BatchLimitReachedError, OverflowDetectedError
from .find_origin import find_origin
from .frames import Frame, Row
from .origin import OperatorSite, Origin
from .replay import replay_state
from .report import OverflowReport
from .source_lines import Location
from .stats import TensorStats

__all__ = [
    "BatchLimitReachedError",
    "DebugUnderflowOverflow",
    "Frame",
    "Location",
    "OperatorSite",
    "Origin",
    "OverflowDetectedError",
    "OverflowReport",
    "Row",
    "TensorStats",
    "find_origin",
    "parse_batches",
    "replay_state",
]
