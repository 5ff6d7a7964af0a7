"""Run correct pipelines of many styles: a checker that warns of one of them is wrong.

Each was trained in plain torch before it was put here, and its loss falls.
"""

from pathlib import Path

import pytest

from tdebug.pipeline_checks import Severity, check_pipeline

PIPELINES = sorted(p for p in Path(__file__).parent.glob("*.py") if p != Path(__file__))
# The pipelines are the user's: what they or their libraries warn of is not ours to forbid.
pytestmark = pytest.mark.filterwarnings("default")


@pytest.mark.parametrize("file", PIPELINES, ids=lambda file: file.stem)
def test_a_correct_pipeline_raises_no_alarm(file):
    report = check_pipeline(str(file))

    alarms = [f for f in report.findings if f.severity is not Severity.INFO]
    crashed = [check.traceback for check in report.checks if check.traceback]
    assert not alarms, [f"{f.code} {f.name}: {f.message}" for f in alarms]
    assert not crashed, crashed
    assert report.exit_code() == 0
