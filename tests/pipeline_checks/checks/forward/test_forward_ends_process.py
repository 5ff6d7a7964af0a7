import pytest

from tdebug.pipeline_checks.checks.forward.forward_ends_process import forward_ends_process
from tdebug.pipeline_checks.report import Stage


@pytest.mark.parametrize("kind", ["SystemExit", "KeyboardInterrupt"])
@pytest.mark.parametrize("stage", [Stage.FORWARD, Stage.BACKWARD, Stage.STEP])
def test_an_exit_in_any_stage_is_found_there(failing, error, kind, stage):
    (problem,) = forward_ends_process(failing(raised=error(kind, "3"), stage=stage))
    assert f"raised {kind} with '3'" in problem.message
    assert problem.stage is stage


def test_an_exception_is_no_exit(failing):
    assert not list(forward_ends_process(failing()))
