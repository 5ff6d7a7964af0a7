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
MENTIONED = {
    "accelerate": r"\baccelerate\b|\bAccelerator\b",
    "composer": r"\bcomposer\b",
    "deepspeed": r"\bdeepspeed\b",
    "DistributedDataParallel": r"\bDistributedDataParallel\b|\bDDP\b",
    "FSDP": r"\bFullyShardedDataParallel\b|\bFSDP\b|\bfully_shard\b",
    "horovod": r"\bhorovod\b|\bhvd\b",
    "ignite": r"\bignite\b",
    "Lightning": r"\blightning\b|\bpytorch_lightning\b|\blightning_fabric\b|\bFabric\b",
    "ray": r"\bray\.train\b|\bfrom ray\b|\bimport ray\b",
}


def frameworks_mentioned(code: UserCode) -> tuple[str, ...]:
    """Their names, in the order of the alphabet; what a comment says counts as well."""
    text = "\n".join(_sources(code))
    found = [name for name, words in MENTIONED.items() if re.search(words, text)]
    return tuple(sorted(found, key=str.lower))


def _sources(code: UserCode) -> Iterator[str]:
    files = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
    for file in sorted(file for file in files if isinstance(file, str) and file.endswith(".py")):
        if code.holds(file):
            yield "".join(linecache.getlines(file))
