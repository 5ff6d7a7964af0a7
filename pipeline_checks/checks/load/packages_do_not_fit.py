"""TD008: an installed package is not the version that another one needs."""

from collections.abc import Iterator

from ...facts import PackageFacts
from ...report import Problem, Severity
from ..registry import Undecided, check


@check("TD008", Severity.WARNING)
def packages_do_not_fit(packages: PackageFacts) -> Iterator[Problem]:
    """A package that was imported is too old or too new for another one that was imported.

    Why it matters: what comes of it is an ImportError or AttributeError deep inside a library, or
    numbers that differ, and mostly only in the one function that has changed. What each package
    needs is read from its own metadata; pip looks at it when it installs, not afterwards.

    How to fix it: install both in one command (`pip install -U transformers accelerate`), so that
    pip finds versions that fit; `pip check` lists all that do not.
    """
    if packages.unknown_because:
        raise Undecided(packages.unknown_because)
    for need in packages.unmet:
        yield Problem(
            f"{need.package} {need.version} needs {need.needs}, but {need.needed} {need.found} is "
            "what was imported.",
            where=f"the installed packages {need.package} and {need.needed}",
            hint=f"pip install '{need.needs}', or both at once: pip install -U "
            f"{need.package} {need.needed}.",
            values={"package": need.package, "needs": need.needs, "found": need.found},
        )
