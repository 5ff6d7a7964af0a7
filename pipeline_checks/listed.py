"""One part or several, as a list."""

from typing import Any


def listed(given: Any) -> list[Any]:
    """One object, several of them in a list, tuple or dict, or None, as a list.

    >>> listed({"actor": 1, "critic": 2}), listed(3), listed(None)
    ([1, 2], [3], [])
    """
    if given is None:
        return []
    if isinstance(given, dict):
        return list(given.values())
    return list(given) if isinstance(given, (list, tuple)) else [given]
