"""TD001: importing the user's module raises."""

from collections.abc import Iterator

from ...facts import LoadFacts
from ...report import Problem, Severity
from ..registry import check

HINTS = {
    "ModuleNotFoundError": "install the package into this environment or, if the module is your "
    "own, run from the folder that the import starts from.",
    "ImportError": "the module is there, but not that name: look at the package's version, and for "
    "two modules of yours that import each other.",
    "SyntaxError": "fix the syntax in the line shown, or in the one above it.",
    "FileNotFoundError": "the path starts from the current folder: build it from `__file__`.",
    "SystemExit": 'move the command-line part under `if __name__ == "__main__":`.',
}
OTHERWISE = "fix the line that raised, or move it from the module's top level into a factory."


@check("TD001", Severity.ERROR)
def import_fails(load: LoadFacts) -> Iterator[Problem]:
    """The module that defines the pipeline raises while it is imported.

    Why it matters: nothing of the pipeline can be built, so nothing else can be checked.

    How to fix it: the last of your own frames is the line that raised. Install what is missing, run
    from the folder that your imports start from, and keep work that can fail (reading files,
    starting a training) inside functions or under `if __name__ == "__main__":`.
    """
    error = load.import_error
    if error is None:
        return
    hint = next((text for base, text in HINTS.items() if error.is_a(base)), OTHERWISE)
    if load.hidden_modules:
        hint = f"a file of yours hides the module {load.hidden_modules[0].module}: rename it first."
    yield Problem(
        f"importing the pipeline raised {error}",
        where=str(error.location or ""),
        hint=hint,
        location=error.location,
        values={"type": error.type, "text": error.text},
        stack=error.user_frames,
    )
