"""Frames as JSON lines.

The first line is the header `{"format": "tdebug-trace", "version": 1}`; each line after it is one
frame:

    {"batch": 0, "module": "encoder.0", "class": "Linear", "starts_batch": true, "rows": [ROW, ...]}

A ROW is `{"context": "output", "kind": "output", "note": "", "stats": STATS or null}`, with the
kinds `weight`, `buffer`, `input`, `output`, `gradient`; the note says what stands where there are
no stats (`None`, `not a tensor`, `empty`, `no values`). STATS holds the fields of `TensorStats`
under their names. JSON has no nan and inf: they are the strings `"nan"`, `"inf"`, `"-inf"`.
"""

from __future__ import annotations

import dataclasses
import json
import math
from typing import TYPE_CHECKING, Any

from .frames import Frame, Row
from .stats import TensorStats

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TextIO

HEADER = {"format": "tdebug-trace", "version": 1}


def write_trace(frames: Iterable[Frame], file: TextIO) -> None:
    """Write header and frames to a text file; frames are written as they come."""
    file.write(json.dumps(HEADER) + "\n")
    file.writelines(format_json_line(frame) + "\n" for frame in frames)


def read_trace(file: Iterable[str]) -> Iterator[Frame]:
    """Read frames back.

    Raises:
        ValueError: The first line is not the header, or a later line is no frame; the sentence
            names the line.
    """
    for number, line in enumerate(file, start=1):
        try:
            value = json.loads(line)
            if number == 1:
                _check_header(value)
                continue
            yield _read_frame(value)
        except (KeyError, TypeError, json.JSONDecodeError) as error:
            raise ValueError(f"line {number} is no frame of a tdebug trace: {error!r}") from error


def format_json_line(frame: Frame) -> str:
    """Give a frame as one line of JSON."""
    rows = [
        {
            "context": row.context,
            "kind": row.kind,
            "note": row.note,
            "stats": None if row.stats is None else _named(row.stats),
        }
        for row in frame.rows
    ]
    value = {
        "batch": frame.batch_number,
        "module": frame.module,
        "class": frame.module_class,
        "starts_batch": frame.starts_batch,
        "rows": rows,
    }
    return json.dumps(value, allow_nan=False)


def _named(stats: TensorStats) -> dict[str, Any]:
    return {name: _to_json(value) for name, value in dataclasses.asdict(stats).items()}


def _to_json(value: Any) -> Any:
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _check_header(value: Any) -> None:
    if value != HEADER:
        raise ValueError(f"line 1 is {value!r}, not the header of a tdebug trace, {HEADER!r}.")


def _read_frame(value: dict[str, Any]) -> Frame:
    rows = tuple(
        Row(row["context"], row["kind"], _read_stats(row["stats"]), row["note"])
        for row in value["rows"]
    )
    batch, starts = value["batch"], value["starts_batch"]
    return Frame(value["module"], value["class"], batch, rows, starts_batch=starts)


def _read_stats(value: dict[str, Any] | None) -> TensorStats | None:
    if value is None:
        return None
    own: dict[str, Any] = {
        name: float(item) if item in {"nan", "inf", "-inf"} else item
        for name, item in value.items()
        if name != "shape"
    }
    return TensorStats(shape=tuple(value["shape"]), **own)
