"""Words that ranks leave for each other in the store of their group."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from torch._C._distributed_c10d import Store  # torch.distributed has it and does not export it


class StoreLostError(RuntimeError):
    """The store does not answer: the process that keeps it is gone."""


class Mailbox:
    """Post and read plain data by key. Nothing here waits for a key to appear.

    Args:
        store: The store of the group.
        prefix: Keeps the keys apart from those of others.
    """

    def __init__(self, store: Store, prefix: str) -> None:
        # A connection serves one caller at a time: each mailbox, so each thread, has its own.
        # `clone` is new in torch 2.6. The first connection is kept, for in one process it is what
        # keeps the server, and the group that goes with destroy_process_group drops it.
        clone = getattr(store, "clone", None)
        self._group_store = store
        self._store: Store = clone() if clone else store
        self._prefix = prefix

    def post(self, key: str, word: Any) -> None:
        """Put a word, of what JSON can hold, where every rank can read it.

        Raises:
            StoreLostError: The store does not answer (as in all that follow).
        """
        try:
            self._store.set(self._locate(key), json.dumps(word))
        except RuntimeError as error:
            raise StoreLostError from error

    def has_all(self, keys: Iterable[str]) -> bool:
        """Tell whether every one of these was posted."""
        try:
            return self._store.check([self._locate(key) for key in keys])
        except RuntimeError as error:
            raise StoreLostError from error

    def read(self, key: str) -> Any:
        """Give the word, or None where there is none yet."""
        if not self.has_all([key]):
            return None
        try:
            return json.loads(self._store.get(self._locate(key)))
        except RuntimeError as error:
            raise StoreLostError from error

    def remove(self, key: str) -> None:
        """Take away a word that every rank has read."""
        try:
            self._store.delete_key(self._locate(key))
        except RuntimeError as error:
            raise StoreLostError from error

    def _locate(self, key: str) -> str:
        return f"{self._prefix}/{key}"
