from tdebug.pipeline_checks.checks.load.import_fails import import_fails
from tdebug.pipeline_checks.facts import ExceptionFact, LoadFacts
from tdebug.pipeline_checks.facts.load import HiddenModule
from tdebug.pipeline_checks.report import Location

MISSING = ExceptionFact(
    "ModuleNotFoundError",
    "No module named 'librosa'",
    ("ModuleNotFoundError", "ImportError", "Exception"),
    user_frames=(Location("train.py", 3, "<module>", "import librosa"),),
)


def test_a_missing_package_is_named_with_the_line_that_imports_it():
    [problem] = import_fails(LoadFacts(import_error=MISSING))

    assert "No module named 'librosa'" in problem.message
    assert problem.location == Location("train.py", 3, "<module>", "import librosa")
    assert "install" in problem.hint


def test_a_hidden_module_is_named_as_the_likely_cause():
    hidden = (HiddenModule("queue.py", "queue"),)

    [problem] = import_fails(LoadFacts(import_error=MISSING, hidden_modules=hidden))

    assert "hides the module queue" in problem.hint


def test_a_module_that_imports_is_no_problem():
    assert not list(import_fails(LoadFacts()))
