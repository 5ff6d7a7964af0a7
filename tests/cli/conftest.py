"""Ways to run the command line: in this process, in one of its own, on a terminal."""

import os
import pty
import re
import select
import subprocess
import sys
import time
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from tdebug.cli.main import main

TDEBUG = [sys.executable, "-m", "tdebug.cli"]


@pytest.fixture
def run_here(capsys):
    """Run the command line in this process: `run_here("explain", "TD104")`."""

    def run(*arguments):
        code = main(list(arguments))
        captured = capsys.readouterr()
        return SimpleNamespace(code=code, out=captured.out, err=captured.err)

    return run


@pytest.fixture
def run_apart():
    """Run the command line in a process of its own."""

    def run(*arguments, **more):
        return subprocess.run(
            [*TDEBUG, *arguments], capture_output=True, text=True, check=False, **more
        )

    return run


@dataclass
class OnTerminal:
    """What a program wrote to its terminal, and the seconds at which each piece came."""

    code: int | None = None
    pieces: list = field(default_factory=list)

    @property
    def text(self):
        return "".join(text for _, text in self.pieces)

    def second_of(self, word):
        text = ""
        for second, piece in self.pieces:
            text += piece
            if word in text:
                return second
        raise AssertionError(f"{word!r} is not in {text!r}")

    def screen(self):
        """The lines that are left to be seen, without colours."""
        lines, row, column = [""], 0, 0
        for piece in re.findall(r"\x1b\[[0-9;?]*[A-Za-z]|\r|\n|[^\x1b\r\n]+", self.text):
            if piece == "\r":
                column = 0
            elif piece == "\n":
                row, column = row + 1, 0
                lines += [""] * (row + 1 - len(lines))
            elif piece.endswith("A") and piece.startswith("\x1b"):
                row = max(row - int(piece[2:-1] or 1), 0)
            elif piece == "\x1b[2K":
                lines[row] = ""
            elif not piece.startswith("\x1b"):
                line = lines[row].ljust(column)
                lines[row] = line[:column] + piece + line[column + len(piece) :]
                column += len(piece)
        return [line.rstrip() for line in lines if line.strip()]


@pytest.fixture
def run_on_terminal():
    """Run tdebug, or a program of Python, with a terminal for its three streams.

    `when` maps a text to what is done as soon as it has been written: called with the process and
    the terminal's file descriptor.
    """

    def run(*arguments, program=None, cwd=None, when=None, seconds=60):
        command = TDEBUG if program is None else [sys.executable, "-c", program]
        ours, theirs = pty.openpty()
        began, result, waiting = time.monotonic(), OnTerminal(), dict(when or {})
        process = subprocess.Popen(
            [*command, *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=cwd,
            env={**os.environ, "TERM": "xterm-256color"},
            start_new_session=True,
        )
        os.close(theirs)
        while time.monotonic() < began + seconds:
            if not select.select([ours], [], [], 0.05)[0]:
                continue
            try:
                piece = os.read(ours, 65536)
            except OSError:  # how Linux says that the other side is closed
                break
            if not piece:
                break
            result.pieces.append((time.monotonic() - began, piece.decode("utf-8", "replace")))
            for word in [word for word in waiting if word in result.text]:
                waiting.pop(word)(process, ours)
        result.code = process.wait(10)
        os.close(ours)
        return result

    return run
