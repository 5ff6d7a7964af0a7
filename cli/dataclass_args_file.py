"""Files of arguments, as `train.args` beside `train.py`."""

import argparse
import shlex
import sys
from pathlib import Path


def script_args_file() -> Path | None:
    """The file `<script>.args` beside the script that is running, if there is one."""
    script = Path(sys.argv[0]) if sys.argv else Path()
    if not script.name:  # an interactive session
        return None
    path = script.with_suffix(".args")
    return path if path.is_file() else None


def insert_args_files(texts: list[str], default_file: Path | None, flag: str | None) -> list[str]:
    """Put the arguments of files before `texts`, so that these win.

    Args:
        texts: The command line; `flag` and its values are taken out of it.
        default_file: Comes first.
        flag: The option whose values name further files, the last one winning.

    Raises:
        FileNotFoundError: A file does not exist.
        ValueError: A file's quotes do not match.
    """
    files = [default_file] if default_file else []
    if flag:
        finder = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
        finder.add_argument(flag, dest="files", action="append", type=Path, default=[])
        found, texts = finder.parse_known_args(texts)
        files += found.files
    return [text for file in files for text in _read_arguments(file)] + texts


def _read_arguments(path: Path) -> list[str]:
    try:
        return shlex.split(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
