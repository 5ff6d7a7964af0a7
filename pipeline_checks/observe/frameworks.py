"""Which libraries for distributed training the user's loaded files mention."""

from __future__ import annotations

import linecache
import re
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .user_code import UserCode

# Each may wrap the model, or deal the samples out, in a part of the script that is not run here.
PACKAGES = {
    "accelerate": "accelerate",
    "composer": "composer",
    "deepspeed": "deepspeed",
    "horovod": "horovod",
    "ignite": "ignite",
    "lightning": "Lightning",
    "lightning_fabric": "Lightning",
    "pytorch_lightning": "Lightning",
    "ray": "ray",
}
WRAPPERS = {
    "DistributedDataParallel": r"\bDistributedDataParallel\b",
    "FSDP": r"\bFullyShardedDataParallel\b|\bfully_shard\b",
}
IMPORTED = re.compile(rf"^\s*(?:from|import)\s+({'|'.join(PACKAGES)})\b", re.MULTILINE)


def frameworks_mentioned(code: UserCode) -> tuple[str, ...]:
    """The packages that are imported anywhere, and torch's own wrappers, in alphabetical order."""
    text = "\n".join(_sources(code))
    found = {PACKAGES[name] for name in IMPORTED.findall(text)}
    found |= {name for name, words in WRAPPERS.items() if re.search(words, text)}
    return tuple(sorted(found, key=str.lower))


def _sources(code: UserCode) -> Iterator[str]:
    files = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
    for file in sorted(file for file in files if isinstance(file, str) and file.endswith(".py")):
        if code.holds(file):
            yield "".join(linecache.getlines(file))
