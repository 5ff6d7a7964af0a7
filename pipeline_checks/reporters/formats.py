"""The formats that a report can be written in; a new one is a file, and one line here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..report import Report
    from .look import Look

    Render = Callable[[Report, Look], str]


@dataclass(frozen=True)
class Format:
    """One format.

    Attributes:
        name: As `--format` takes it.
        endings: Endings of `--output` that mean it; empty where it makes no file.
        render: Report and look in, text out; imports its reporter when it is called.
    """

    name: str
    endings: tuple[str, ...]
    render: Render


def _terminal(report: Report, look: Look) -> str:
    from .terminal import render_terminal  # noqa: PLC0415 - rich is imported only if it is used

    return render_terminal(report, look)


def _json(report: Report, _look: Look) -> str:
    from .json_report import render_json  # noqa: PLC0415 - imported only if it is used

    return render_json(report)


def _junit(report: Report, look: Look) -> str:
    from .junit import render_junit  # noqa: PLC0415 - junitparser is imported only if it is used

    return render_junit(report, fail_on=look.fail_on)


def _github(report: Report, _look: Look) -> str:
    from .github import render_github  # noqa: PLC0415 - imported only if it is used

    return render_github(report)


FORMATS = (
    Format("terminal", (".txt",), _terminal),
    Format("json", (".json",), _json),
    Format("junit", (".xml",), _junit),
    Format("github", (), _github),
)
FORMAT_NAMES = tuple(known.name for known in FORMATS)


def find_format(name: str) -> Format | None:
    """The format of this name."""
    return next((known for known in FORMATS if known.name == name), None)


def format_of_file(file: str) -> Format | None:
    """The format that the ending of a file's name tells."""
    return next((known for known in FORMATS if file.lower().endswith(known.endings)), None)
