"""What the installed packages say that they need of each other."""

from dataclasses import dataclass


@dataclass(frozen=True)
class UnmetNeed:
    """A package that another one needs in another version than the one that was imported.

    Attributes:
        package: The one that needs it: `transformers`.
        version: Its version.
        needs: What it needs, as its own metadata says: `accelerate>=1.1.0`.
        needed: The name of what it needs.
        found: The version that was imported.
    """

    package: str
    version: str
    needs: str
    needed: str
    found: str


@dataclass(frozen=True)
class PackageFacts:
    """The needs that are not met among the packages that were imported.

    Attributes:
        unmet: One entry a need.
        unknown_because: Why the needs cannot be read, "" where they can.
    """

    unmet: tuple[UnmetNeed, ...] = ()
    unknown_because: str = ""
