"""Run the bad and the good pipeline of every check: small user code, as users write it."""

from pathlib import Path

import pytest

from tdebug.pipeline_checks import Severity, check_pipeline

FOLDERS = sorted(path.parent for path in Path(__file__).parent.glob("*/bad.py"))
# The pipelines are the user's: what they or their libraries warn of is not ours to forbid.
pytestmark = pytest.mark.filterwarnings("default")


def alarms(file):
    report = check_pipeline(str(file))
    crashed = [check.code for check in report.checks if check.traceback]
    assert not crashed, crashed
    return {f.name: f for f in report.findings if f.severity is not Severity.INFO}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_bad_pipeline_is_found_by_just_this_check(folder):
    found = alarms(folder / "bad.py")

    assert set(found) == {folder.name.replace("_", "-")}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_good_pipeline_raises_no_alarm(folder):
    found = alarms(folder / "good.py")

    assert not found, [f"{f.name}: {f.message}" for f in found.values()]
