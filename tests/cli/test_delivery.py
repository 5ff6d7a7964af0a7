import json
from xml.etree import ElementTree as ET

import pytest

from tdebug.cli.delivery import Delivery
from tdebug.cli.errors import OptionError
from tdebug.pipeline_checks.report import Finding, Report, Severity, Stage

REPORT = Report(
    "tdebug.yaml",
    findings=(Finding("TD104", "labels-out-of-range", Stage.DATASET, Severity.ERROR, "größer"),),
)

LONG = "long" * 100


def plan(*files, format_name="terminal"):
    return Delivery.plan(format_name, files, color=None, fail_on="error")


def test_the_report_goes_to_standard_output_and_to_every_file(tmp_path, capsys):
    names = [str(tmp_path / name) for name in ("a.json", "b.xml", "c.txt")]
    plan(*names).deliver(REPORT)
    captured = capsys.readouterr()
    assert captured.out.startswith("TD104 labels-out-of-range  error  dataset")
    assert captured.err == ""
    assert json.loads((tmp_path / "a.json").read_text())["findings"][0]["code"] == "TD104"
    ET.parse(tmp_path / "b.xml")  # noqa: S314 - our own text
    assert "größer" in (tmp_path / "c.txt").read_text(encoding="utf-8")


def test_the_format_is_that_of_standard_output_alone(tmp_path, capsys):
    plan(str(tmp_path / "c.txt"), format_name="json").deliver(REPORT)
    assert json.loads(capsys.readouterr().out)["target"] == "tdebug.yaml"
    assert (tmp_path / "c.txt").read_text(encoding="utf-8").startswith("TD104")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("report.docx", "the ending of 'report.docx' tells no format. Known: .txt, .json, .xml."),
        ("missing/report.json", "there is no folder 'missing' for 'report.json'."),
        ("folder.json", "'folder.json' is a folder."),
        (f"{LONG}.json", f"'{LONG}.json' cannot be written: File name too long."),
    ],
)
def test_a_file_that_cannot_be_written_is_refused_before_the_run(name, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(OptionError) as caught:
        plan(name)
    assert str(caught.value) == f"--output: {told}"


def test_planning_leaves_files_as_they_are(tmp_path):
    (tmp_path / "old.json").write_text("old")

    plan(str(tmp_path / "old.json"), str(tmp_path / "new.json"))

    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [("old.json", "old")]


def test_a_file_that_turns_out_not_to_be_writable_is_told_after_the_report(tmp_path, capsys):
    planned = plan(str(tmp_path / "a.json"))
    (tmp_path / "a.json").mkdir()
    with pytest.raises(OptionError, match="cannot be written: Is a directory"):
        planned.deliver(REPORT)
    assert "TD104" in capsys.readouterr().out


def test_on_github_the_summary_of_the_step_is_added_to(tmp_path, monkeypatch, capsys):
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    plan(format_name="github").deliver(REPORT)
    assert capsys.readouterr().out.startswith("::error ")
    text = summary.read_text(encoding="utf-8")
    assert text.startswith("before\n### tdebug")
    assert "größer" in text
