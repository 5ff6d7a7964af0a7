"""Read the text of a spec, or say in one sentence why it cannot be read."""

from __future__ import annotations

import codecs
import stat
from typing import TYPE_CHECKING

from .mistakes import Mistake, SpecError
from .near import did_you_mean

if TYPE_CHECKING:
    from pathlib import Path

# A spec is a page or two. Pure-Python YAML reads about 100 kB a second.
MOST_BYTES = 256 * 1024
UTF16_OR_32_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)


def read_text(path: Path, file: str) -> str:
    """The text of a UTF-8 file; a byte order mark is dropped.

    Args:
        path: Where it is.
        file: What the user called it, for the sentence.

    Raises:
        SpecError: It is missing, a folder, too large, binary, not UTF-8 or not readable.
    """
    require_file(path, file)
    try:
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise _error(file, f"is {_show_size(size)}; a spec has at most 256 kB.")
        content = path.read_bytes()
    except OSError as error:
        raise _error(file, f"cannot be read: {error.strerror}.") from None
    return _decode(content, file)


def require_file(path: Path, file: str) -> None:
    """Refuse what is no regular file.

    Raises:
        SpecError: There is no such file, or it is a folder, a device or a pipe.
    """
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        raise _error(file, "there is no such file.", _name_near_files(path)) from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = getattr(error, "strerror", None) or error
        raise _error(file, f"cannot be read: {reason}.") from None
    if stat.S_ISDIR(mode):
        inside = path / "tdebug.yaml"
        remedy = f"Did you mean {file.rstrip('/') + '/tdebug.yaml'!r}?" if inside.exists() else ""
        raise _error(file, "is a folder, not a file.", remedy)
    if not stat.S_ISREG(mode):
        raise _error(file, "is no regular file.")


def _name_near_files(path: Path) -> str:
    as_module = path.parent.joinpath(*path.name.split(".")).with_suffix(".py")
    if as_module.is_file() and as_module.name != path.name:
        return f"Did you mean {as_module.relative_to(path.parent).as_posix()!r}?"
    try:
        names = [entry.name for entry in path.parent.iterdir() if entry.is_file()]
    except OSError:
        return ""
    readable = [name for name in names if name.endswith((".yaml", ".yml", ".py", ".toml"))]
    return did_you_mean(path.name, readable)


def _decode(content: bytes, file: str) -> str:
    if content.startswith(UTF16_OR_32_MARKS):
        raise _error(file, "is UTF-16 or UTF-32 text.", "Save it as UTF-8.")
    if b"\0" in content:
        raise _error(file, "is a binary file; a spec is YAML text.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        message = f"is not UTF-8: byte 0x{content[error.start]:02x} is no part of a character."
        raise SpecError([Mistake(file, line, message, "Save it as UTF-8.")]) from None


def _show_size(size: int) -> str:
    return f"{size / 1e6:.0f} MB" if size >= 1e6 else f"{size / 1024:.0f} kB"  # noqa: PLR2004 - MB


def _error(file: str, message: str, remedy: str = "") -> SpecError:
    return SpecError([Mistake(file, None, message, remedy)])
