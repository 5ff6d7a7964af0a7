from tdebug.pipeline_checks.checks.load.hidden_standard_module import hidden_standard_module
from tdebug.pipeline_checks.facts import ExceptionFact, LoadFacts
from tdebug.pipeline_checks.facts.load import HiddenModule
from tdebug.pipeline_checks.report import Severity

TIMEIT = (HiddenModule("timeit.py", "timeit"),)


def test_a_hidden_module_is_a_warning_while_everything_loads():
    [problem] = hidden_standard_module(LoadFacts(hidden_modules=TIMEIT))

    assert "timeit.py hides the module 'timeit'" in problem.message
    assert problem.severity is None
    assert "my_timeit.py" in problem.hint


def test_a_hidden_module_is_an_error_when_something_failed_to_load():
    error = ExceptionFact("AttributeError", "module 'timeit' has no attribute 'default_timer'")

    [problem] = hidden_standard_module(LoadFacts(import_error=error, hidden_modules=TIMEIT))

    assert problem.severity is Severity.ERROR


def test_no_hidden_module_is_no_problem():
    assert not list(hidden_standard_module(LoadFacts()))
