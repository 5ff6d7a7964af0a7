"""The roll call that the functions of this package share."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

from .process_group import require_process_group
from .roll_call import RollCall

if TYPE_CHECKING:
    import torch.distributed as dist

_by_group: weakref.WeakKeyDictionary[dist.ProcessGroup, RollCall] = weakref.WeakKeyDictionary()


def get_roll_call(group: dist.ProcessGroup | None = None) -> RollCall:
    """Give the roll call of a group, made with the first call and kept as long as the group.

    Raises:
        ValueError: torch.distributed is not initialised.
    """
    group = require_process_group(group)
    if group not in _by_group:
        _by_group[group] = RollCall(group)
    return _by_group[group]
