"""Files of the user's that hide modules of the standard library."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..facts.load import HiddenModule
from ..observe.user_code import shown_path

if TYPE_CHECKING:
    from ..observe.user_code import UserCode


def find_hidden_modules(code: UserCode) -> tuple[HiddenModule, ...]:
    """Files and packages in the user's folders named as a module of the standard library is.

    Only modules that something in this process has imported: a `test.py` hides one as well, but
    nothing asks for that. Only in the folder of the pipeline, which comes first on `sys.path`; the
    current folder comes last and hides nothing.
    """
    found: dict[str, HiddenModule] = {}
    for folder in code.folders[:1]:
        for entry in _entries(Path(folder)):
            name = entry.stem if entry.suffix == ".py" else entry.name
            if name in sys.stdlib_module_names and name in sys.modules:
                found.setdefault(name, HiddenModule(shown_path(str(entry)), name))
    return tuple(found.values())


def _entries(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return sorted(p for p in folder.iterdir() if p.suffix == ".py" or (p / "__init__.py").is_file())
