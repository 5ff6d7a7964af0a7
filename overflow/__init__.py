"""Where nan and inf begin, usable alone in anyone's training loop: torch and nothing else."""

from .find_origin import find_origin
from .origin import Origin, OperatorSite
from .replay import replay_state
from .source_lines import Location
from .stats import TensorStats

__all__ = [
    "Location",
    "OperatorSite",
    "Origin",
    "TensorStats",
    "find_origin",
    "replay_state",
]
