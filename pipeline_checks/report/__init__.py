"""What was found, as data: findings, stages, statuses and the report that holds them."""

from .finding import Finding, Location, Problem
from .report import CheckResult, Report, StageResult
from .severity import Severity
from .stage import STAGES, Stage
from .status import Status

__all__ = [
    "STAGES",
    "CheckResult",
    "Finding",
    "Location",
    "Problem",
    "Report",
    "Severity",
    "Stage",
    "StageResult",
    "Status",
]
