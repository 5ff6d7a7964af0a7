"""Run the bad and the good pipeline of every check: small user code, as users write it."""

from pathlib import Path

import pytest

from tdebug.pipeline_checks import Severity, Stage, check_pipeline
from tdebug.pipeline_checks.checks import all_checks

NO_PIPELINE_OF_ITS_OWN = {
    "hidden-standard-module": "the file that hides a module would stand beside the good one too",
    "packages-do-not-fit": "it is about what is installed, not about code",
    "process-died": "the pipelines are run in this process",
    "stage-timeout": "the pipelines are run in this process",
}
FOLDERS = sorted(path.parent for path in Path(__file__).parent.glob("*/bad.py"))
# The pipelines are the user's: what they or their libraries warn of is not ours to forbid.
pytestmark = pytest.mark.filterwarnings("default")


def test_every_check_has_a_bad_and_a_good_pipeline():
    folders = {folder.name.replace("_", "-") for folder in FOLDERS}

    # What several processes show needs several; tests/distributed runs those.
    checks = {c.name for c in all_checks() if c.stage is not Stage.DISTRIBUTED}
    assert checks - set(NO_PIPELINE_OF_ITS_OWN) == folders


def alarms(file, name=None):
    """The findings by name; infos do not count, but for the one of this name."""
    report = check_pipeline(str(file))
    crashed = [check.code for check in report.checks if check.traceback]
    assert not crashed, crashed
    findings = report.findings
    return {f.name: f for f in findings if f.severity is not Severity.INFO or f.name == name}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_bad_pipeline_is_found_by_just_this_check(folder, monkeypatch):
    monkeypatch.chdir(folder)  # so that the other test files are none of the user's
    name = folder.name.replace("_", "-")
    found = alarms(folder / "bad.py", name)

    assert set(found) == {name}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_good_pipeline_raises_no_alarm(folder, monkeypatch):
    monkeypatch.chdir(folder)
    found = alarms(folder / "good.py")  # that None is left out on purpose is an info

    assert not found, [f"{f.name}: {f.message}" for f in found.values()]
