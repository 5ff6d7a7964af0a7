"""Where nan and inf begin, usable alone in anyone's training loop: torch and nothing else."""

from .batches import parse_batches
from .classic_text import format_frame
from .detector import DebugUnderflowOverflow
from .errors import BatchLimitReachedError, OverflowDetectedError
from .find_origin import find_origin, find_swallowed_overflow
from .fp16_forecast import Fp16Forecast, forecast_fp16, forecast_row
from .frame_recording import gradient_frames, record_frames
from .frames import Frame, Row
from .origin import OperatorSite, Origin
from .replay import replay_state
from .report import OverflowReport
from .skipped_steps import SkipCounts, SkippedSteps
from .source_lines import Location
from .stats import TensorStats, largest_finite, measure
from .trace_diff import RowDifference, TraceDiff, diff_traces
from .trace_file import format_json_line, read_trace, write_trace

__all__ = [
    "BatchLimitReachedError",
    "DebugUnderflowOverflow",
    "Fp16Forecast",
    "Frame",
    "Location",
    "OperatorSite",
    "Origin",
    "OverflowDetectedError",
    "OverflowReport",
    "Row",
    "RowDifference",
    "SkipCounts",
    "SkippedSteps",
    "TensorStats",
    "TraceDiff",
    "diff_traces",
    "find_origin",
    "find_swallowed_overflow",
    "forecast_fp16",
    "forecast_row",
    "format_frame",
    "format_json_line",
    "gradient_frames",
    "largest_finite",
    "measure",
    "parse_batches",
    "read_trace",
    "record_frames",
    "replay_state",
    "write_trace",
]
