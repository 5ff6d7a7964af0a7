"""TD004: a file of the user's hides a module that others import."""

from collections.abc import Iterator

from ...facts import LoadFacts
from ...report import Location, Problem, Severity
from ..registry import check


@check("TD004", Severity.WARNING)
def hidden_standard_module(load: LoadFacts) -> Iterator[Problem]:
    """A file in the pipeline's folder has the name of a module that libraries import.

    Why it matters: Python looks into the script's folder first, so `import timeit` inside torch
    loads your file. What follows is an AttributeError or a circular import deep inside a library,
    often only on some code paths. It is an error where something failed to load, else a warning.

    How to fix it: rename the file (and delete its `__pycache__`), or move it into a package.
    """
    failed = load.import_error is not None or any(part.error for part in load.parts)
    for hidden in load.hidden_modules:
        yield Problem(
            f"{hidden.file} hides the module {hidden.module!r}: `import {hidden.module}` in any "
            "library now gives your file.",
            where=hidden.file,
            hint=f"rename {hidden.file}, for example to my_{hidden.module.split('.')[-1]}.py.",
            location=Location(hidden.file),
            severity=Severity.ERROR if failed else None,
            values={"file": hidden.file, "module": hidden.module},
        )
