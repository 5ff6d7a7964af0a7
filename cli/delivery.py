"""Where a report goes: standard output in one format, files in the formats of their endings."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..pipeline_checks.report import Severity
from ..pipeline_checks.reporters.formats import FORMATS, Format, find_format, format_of_file
from ..pipeline_checks.reporters.look import Look
from .errors import OptionError
from .stdout import look_of_stdout, write_to_stdout

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..pipeline_checks.report import Report


@dataclass(frozen=True)
class Delivery:
    """Where a report goes.

    Attributes:
        format: Of standard output.
        files: Each with its format.
        look: Of standard output.
    """

    format: Format
    files: tuple[tuple[Path, Format], ...]
    look: Look

    @classmethod
    def plan(
        cls, format_name: str, files: Sequence[str], *, color: bool | None, fail_on: str
    ) -> Delivery:
        """Read the options, and refuse what cannot work before anything is run.

        Raises:
            OptionError: A file has no known ending, or its folder does not exist.
        """
        chosen = find_format(format_name)
        if chosen is None:
            raise OptionError("--format", f"{format_name!r} is no format.")
        look = look_of_stdout(color=color, fail_on=Severity(fail_on))
        return cls(chosen, tuple(map(_planned_file, files)), look)

    def deliver(self, report: Report) -> None:
        """Write the report everywhere it goes.

        Raises:
            OptionError: A file cannot be written; the report is on standard output then.
        """
        write_to_stdout(self.format.render(report, self.look))
        if self.format.name == "github":
            _add_to_step_summary(report)
        for path, kind in self.files:
            _write(path, kind.render(report, Look(fail_on=self.look.fail_on)))


def _planned_file(name: str) -> tuple[Path, Format]:
    kind = format_of_file(name)
    if kind is None:
        known = ", ".join(ending for format_ in FORMATS for ending in format_.endings)
        raise OptionError(
            "--output", f"the ending of {name!r} tells no format.", f"Known: {known}."
        )
    path = Path(name)
    try:
        if not path.parent.is_dir():
            message = f"there is no folder {str(path.parent)!r} for {path.name!r}."
            raise OptionError("--output", message)
        if path.is_dir():
            raise OptionError("--output", f"{name!r} is a folder.")
        _try_to_open(path)
    except OSError as error:
        raise _not_writable(path, error) from error
    return path, kind


def _try_to_open(path: Path) -> None:
    """Open the file as `_write` will; one that is there keeps what it holds.

    Raises:
        OSError: It cannot be written.
    """
    is_new = not path.exists()
    if not is_new and not path.is_file():
        return  # a pipe may wait for its reader
    with path.open("ab"):
        pass
    if is_new:
        path.unlink()


def _not_writable(path: Path, error: OSError) -> OptionError:
    return OptionError("--output", f"{str(path)!r} cannot be written: {error.strerror}.")


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise _not_writable(path, error) from error


def _add_to_step_summary(report: Report) -> None:
    """Add the report to the summary page of the step, where GitHub gives one."""
    from ..pipeline_checks.reporters.github_summary import (  # noqa: PLC0415 - only for GitHub
        render_github_summary,
    )

    file = os.environ.get("GITHUB_STEP_SUMMARY")
    if file:
        with Path(file).open("a", encoding="utf-8") as summary:
            summary.write(render_github_summary(report))
