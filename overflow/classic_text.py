"""The text that people know from transformers' class of the same name, line for line."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .frames import Frame, Row

INDENT = " " * 17
HEADER = f"{'abs min':8} {'abs max':8} metadata"


def format_row(row: Row) -> str:
    """Write one value: smallest magnitude, largest magnitude, name.

    Example:
        >>> from tdebug.overflow import Row, TensorStats
        >>> format_row(Row("output", "output", TensorStats((2,), "float16", 0.0, float("inf"))))
        '0.00e+00      inf output'
    """
    if row.stats is None:
        return f"{row.note:>17} {row.context}"
    return f"{row.stats.abs_min:8.2e} {row.stats.abs_max:8.2e} {row.context}"


def format_frame(frame: Frame) -> str:
    """Write one frame; the first frame of a batch carries the batch's heading."""
    lines = [f"{INDENT} {frame.module} {frame.module_class}"]
    lines += [format_row(row) for row in frame.rows]
    if frame.starts_batch:
        heading = f"\n\n{INDENT} *** Starting batch number={frame.batch_number} ***"
        lines = [heading, HEADER, *lines]
    return "\n".join(lines)


def format_bad_row(row: Row) -> str:
    """Say which of nan and inf a row holds, one line each.

    Example:
        >>> from tdebug.overflow import Row, TensorStats
        >>> stats = TensorStats((2,), "float16", float("nan"), float("nan"), 1, 1)
        >>> print(format_bad_row(Row("output", "output", stats)))
        output has nans
        output has infs
    """
    counts = (row.stats.nan_count, row.stats.inf_count) if row.stats else (0, 0)
    pairs = zip(("nans", "infs"), counts, strict=True)
    return "\n".join(f"{row.context} has {what}" for what, count in pairs if count)


def format_detection(frames: Iterable[Frame], when: str, what: str = "forward frames") -> str:
    """Write the report of a detection: heading, then the frames that led there.

    Args:
        frames: The last frames, the one with nan or inf at the end.
        when: When it was found, e.g. `during batch_number=0`.
        what: What the frames are.
    """
    blocks = [format_frame(frame) for frame in frames]
    lines = ["", f"Detected inf/nan {when}", f"Last {len(blocks)} {what}:", HEADER]
    return "\n".join([*lines, *blocks, "\n\n"])
