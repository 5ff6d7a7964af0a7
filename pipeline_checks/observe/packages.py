"""Compare the packages that were imported with what they say that they need of each other."""

from __future__ import annotations

import re
import sys
from importlib import metadata
from typing import TYPE_CHECKING, Any

from ..facts.packages import PackageFacts, UnmetNeed

if TYPE_CHECKING:
    from collections.abc import Iterator

# Names of modules; those of their distributions have a hyphen where these have an underscore.
PACKAGES = (
    "torch",
    "torchvision",
    "torchaudio",
    "numpy",
    "transformers",
    "tokenizers",
    "huggingface_hub",
    "accelerate",
    "datasets",
    "lightning",
    "pytorch_lightning",
)
# Extras that hold whenever torch is at work: transformers says there what its Trainer needs.
EXTRAS = ("", "torch")
NAME = re.compile(r"[A-Za-z0-9._-]+")


def look_at_packages() -> PackageFacts:
    """The needs that are not met. Only packages that something has imported count.

    Nothing is asked of the network: each distribution lies on the disk with its own list of needs.
    """
    try:
        # Not everybody has it.
        from packaging.requirements import Requirement  # noqa: PLC0415
        from packaging.version import Version  # noqa: PLC0415
    except ImportError:
        return PackageFacts(unknown_because="the package 'packaging' is not installed")
    imported = {name: version for name in PACKAGES if (version := _version(name))}
    return PackageFacts(
        tuple(
            UnmetNeed(name, version, need, needed, imported[needed])
            for name, version in imported.items()
            for need, needed in _unmet(name, imported, Requirement, Version)
        )
    )


def _version(name: str) -> str:
    version = getattr(sys.modules.get(name), "__version__", None)
    return str(version) if version is not None else ""


def _unmet(
    name: str, imported: dict[str, str], requirement: Any, version: Any
) -> Iterator[tuple[str, str]]:
    for text in _needs(name):
        needed = _module_name(text)
        if needed not in imported or needed == name:
            continue
        try:
            need, found = requirement(text), version(imported[needed])
            fits = need.specifier.contains(found, prereleases=True) or not _applies(need)
        except ValueError:  # the base of what packaging raises for a text or version it cannot read
            continue
        if not fits:
            yield f"{need.name}{need.specifier}", needed


def _needs(name: str) -> list[str]:
    try:
        return metadata.requires(name.replace("_", "-")) or []
    except metadata.PackageNotFoundError:
        return []


def _module_name(text: str) -> str:
    found = NAME.match(text)
    return found.group().lower().replace("-", "_").replace(".", "_") if found else ""


def _applies(need: Any) -> bool:
    return need.marker is None or any(need.marker.evaluate({"extra": extra}) for extra in EXTRAS)
