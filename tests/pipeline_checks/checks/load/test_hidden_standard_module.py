from tdebug.pipeline_checks import check_pipeline
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


PIPELINE = """
import torch


def build_model():
    return torch.nn.Linear(3, 2)


def build_dataset():
    return [(torch.randn(3), i % 2) for i in range(8)]


def build_loss():
    return torch.nn.CrossEntropyLoss()
"""


def test_a_file_beside_the_pipeline_is_found(tmp_path):
    (tmp_path / "train.py").write_text(PIPELINE)
    (tmp_path / "queue.py").write_text("def put(): ...\n")

    report = check_pipeline(str(tmp_path / "train.py"))

    assert "hidden-standard-module" in {finding.name for finding in report.findings}
