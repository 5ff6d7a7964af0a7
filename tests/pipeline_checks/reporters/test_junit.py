from xml.etree import ElementTree as ET

from tdebug.pipeline_checks.report import (
    CheckResult,
    Finding,
    Report,
    Severity,
    Stage,
    StageResult,
    Status,
)
from tdebug.pipeline_checks.reporters.junit import render_junit


def parse(text):
    return ET.fromstring(text.encode("utf-8"))  # noqa: S314 - our own text


def case(root, code):
    return next(c for c in root.iter("testcase") if c.get("name").startswith(code))


def test_every_report_is_xml_with_a_suite_a_stage_and_a_case_a_check(named_report):
    _, report = named_report
    root = parse(render_junit(report))
    assert [suite.get("name") for suite in root] == [f"tdebug.{s.stage}" for s in report.stages]
    in_stages = {s.stage for s in report.stages}
    names = sorted(c.get("name") for c in root.iter("testcase"))
    expected = [f"{c.code} {c.name}" for c in report.checks if c.stage in in_stages]
    assert names == sorted(expected)


def test_the_counts_add_up(make_report):
    root = parse(render_junit(make_report("everything")))
    for key in ("tests", "failures", "errors", "skipped"):
        assert int(root.get(key)) == sum(int(suite.get(key)) for suite in root)
    assert int(root.get("failures")) == len(list(root.iter("failure"))) == 1
    assert int(root.get("skipped")) == len(list(root.iter("skipped"))) == 1


def test_times_are_those_of_the_stages_and_the_run(make_report):
    root = parse(render_junit(make_report("everything")))
    assert root.get("time") == "3.21"
    assert [suite.get("time") for suite in root][:2] == ["1.26", "0.42"]


def test_a_failed_check_tells_what_where_and_what_to_do(make_report):
    failure = case(parse(render_junit(make_report("one_error"))), "TD104").find("failure")
    assert failure.get("message").startswith("labels run from 1 to 3")
    assert failure.get("type") == "error"
    assert "where: dataset[17]" in failure.text
    assert "hint: the labels look 1-based" in failure.text
    assert "train_setup.py:23" in failure.text


def test_a_skipped_check_tells_why(make_report):
    skipped = case(parse(render_junit(make_report("one_error"))), "TD401").find("skipped")
    assert skipped.get("message") == "what it looks at was not reached"


def test_a_check_whose_findings_others_explain_has_not_passed(make_report):
    report = make_report("one_error")
    general = CheckResult("TD106", "sample-raises", Stage.DATASET, Status.FAILED)
    root = parse(render_junit(Report("a", report.stages, (general,), report.findings)))
    told = case(root, "TD106").find("skipped").get("message")
    assert told == "what it found follows from other findings"


def test_letters_of_all_scripts_survive_any_encoding():
    finding = Finding("TD104", "x", Stage.DATASET, Severity.ERROR, "größer als 日本")
    stage = StageResult(Stage.DATASET, Status.FAILED)
    text = render_junit(Report("a", stages=(stage,), findings=(finding,)))
    assert text.isascii()
    assert case(parse(text), "TD104").find("failure").get("message") == "größer als 日本"


def test_a_warning_fails_only_where_it_is_to(make_report):
    lenient = case(parse(render_junit(make_report("warnings"))), "TD106")
    strict = case(parse(render_junit(make_report("warnings"), fail_on=Severity.WARNING)), "TD106")
    assert lenient.find("failure") is None
    assert "3 channels" in lenient.find("system-out").text
    assert strict.find("failure") is not None


def test_a_check_that_crashed_is_an_error_with_its_traceback(make_report):
    error = case(parse(render_junit(make_report("crashed"))), "TD104").find("error")
    assert "KeyError: 3" in error.text


def test_a_stage_in_which_tdebug_crashed_is_an_error():
    stage = StageResult(Stage.FORWARD, Status.ERRORED, "KeyError: 'x'")
    error = case(parse(render_junit(Report("a", stages=(stage,)))), "stage").find("error")
    assert error.get("message") == "KeyError: 'x'"


def test_a_finding_of_a_check_that_is_not_listed_is_not_lost(make_report):
    report = make_report("one_error")
    root = parse(render_junit(Report("a", report.stages, (), report.findings)))
    assert case(root, "TD104").find("failure") is not None


def test_what_the_user_printed_is_in_the_suite_of_the_stage(make_report):
    root = parse(render_junit(make_report("raised")))
    assert (
        root.find("testsuite[@name='tdebug.forward']/system-out").text == "epoch 0\n100%|##| done"
    )


def test_no_character_that_xml_forbids_is_there(make_report):
    text = render_junit(make_report("nasty"))
    parse(text)
    for forbidden in ("\x00", "\x1b", "\ufffe", "\ud800", "<script>"):
        assert forbidden not in text


def test_what_is_written_is_what_was_looked_at(make_report, check_snapshot):
    text = render_junit(make_report("everything"))
    check_snapshot(text, "junit_everything.xml")
    assert text.count("<testcase") == 5
