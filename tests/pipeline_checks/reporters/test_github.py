import re
from dataclasses import replace

import pytest

from tdebug.pipeline_checks.report import Location, Report, Severity
from tdebug.pipeline_checks.reporters.github import render_github
from tdebug.pipeline_checks.reporters.github_summary import MOST_BYTES, render_github_summary


@pytest.fixture(autouse=True)
def outside_github(monkeypatch):
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)


def commands(text):
    return [line for line in text.splitlines() if line.startswith("::")]


def test_a_finding_is_one_command_at_the_line_of_the_user(make_report):
    (command,) = commands(render_github(make_report("one_error")))
    assert command.startswith(
        "::error file=train_setup.py,line=23,title=TD104 labels-out-of-range::labels run from 1"
    )
    assert "%0Awhere: dataset[17]" in command


def test_each_severity_has_its_command_and_the_worst_is_first(make_report):
    kinds = [line.split(" ")[0] for line in commands(render_github(make_report("everything")))]
    assert kinds == ["::error", "::warning", "::notice"]


def test_ten_of_a_kind_are_written_and_the_rest_is_pointed_to(make_findings):
    findings = [*make_findings(Severity.INFO, 3), *make_findings(Severity.ERROR, 12)]
    text = render_github(Report("a", findings=tuple(findings)))
    assert len([c for c in commands(text) if c.startswith("::error")]) == 10
    assert len([c for c in commands(text) if c.startswith("::notice")]) == 3
    assert "2 findings more of severity error in the summary of this step" in text


def test_the_summary_has_all_of_them(make_findings):
    findings = tuple(make_findings(Severity.ERROR, 60))
    summary = render_github_summary(Report("a", findings=findings))
    assert [n for n in range(100, 160) if f"problem number {n}\n" not in summary] == []


def test_the_summary_keeps_to_what_github_takes(make_findings):
    (finding,) = make_findings(Severity.ERROR, 1)
    findings = [replace(finding, message="\N{SNOWMAN}" * 1900) for _ in range(400)]
    summary = render_github_summary(Report("a", findings=tuple(findings)))
    assert len(summary.encode("utf-8")) <= MOST_BYTES
    assert "was cut here" in summary


def test_user_text_starts_no_command_and_ends_none(make_report):
    text = render_github(make_report("nasty"))
    assert len(commands(text)) == 1
    assert "\r" not in text
    assert "%250A" in text


def test_user_text_adds_no_property_to_a_command(make_report):
    report = make_report("one_error")
    place = Location("a,line=1::b:c", 3)
    text = render_github(replace(report, findings=(replace(report.findings[0], location=place),)))
    assert commands(text)[0].startswith("::error file=a%2Cline=1%3A%3Ab%3Ac,line=3,title=")


def test_user_text_is_no_markup_in_the_summary(make_report):
    summary = render_github_summary(make_report("nasty"))
    outside_code = [line for line in summary.splitlines() if not line.startswith("    ")]
    assert [line for line in outside_code if re.search(r"(?<!\\)<script", line)] == []


def test_files_are_named_from_the_root_of_the_repository(make_report, monkeypatch, tmp_path):
    folder = tmp_path / "training"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    assert "file=training/train_setup.py," in render_github(make_report("one_error"))


def test_without_findings_there_is_a_line_that_says_so(make_report):
    text = render_github(make_report("clean"))
    assert text == "tdebug: train_setup.py: no problem found\n"


def test_what_is_written_is_what_was_looked_at(make_report, check_snapshot):
    report = make_report("everything")
    check_snapshot(render_github(report), "github_everything.txt")
    check_snapshot(render_github_summary(report), "github_everything.md")
    assert len(commands(render_github(report))) == len(report.findings)
