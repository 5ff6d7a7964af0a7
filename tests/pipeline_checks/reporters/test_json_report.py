import json

from tdebug.pipeline_checks.reporters import json_report
from tdebug.pipeline_checks.reporters.json_report import render_json

# A key never changes its meaning within a schema version: add to these, take nothing away.
KEYS = {
    "": "checks complete counts device findings ignored interrupted notes schema_version seconds "
    "stages target tool versions",
    "findings": "code hint location message name severity stack stage values where",
    "ignored": "code hint location message name severity stack stage values where",
    "stages": "output reason seconds stage status summary",
    "checks": "code name reason stage status traceback",
    "location": "code file function line",
    "tool": "name version",
    "counts": "error info warning",
}


def refuse(constant):
    raise AssertionError(f"{constant} is not JSON")


def read(text):
    return json.loads(text, parse_constant=refuse)


def test_the_keys_are_frozen(make_report):
    body = read(render_json(make_report("everything")))
    assert body["schema_version"] == 1
    found = {
        "": body,
        "findings": body["findings"][0],
        "ignored": body["ignored"][0],
        "stages": body["stages"][0],
        "checks": body["checks"][0],
        "location": body["findings"][0]["location"],
        "tool": body["tool"],
        "counts": body["counts"],
    }
    assert {name: " ".join(sorted(keys)) for name, keys in found.items()} == KEYS


def test_every_key_is_documented():
    keys = {key for line in KEYS.values() for key in line.split()}
    assert [key for key in sorted(keys) if f"`{key}`" not in json_report.__doc__] == []


def test_every_report_is_valid_json_that_counts_right(named_report):
    _, report = named_report
    body = read(render_json(report))
    assert len(body["findings"]) == len(report.findings) == sum(body["counts"].values())
    assert body["complete"] is report.is_complete


def test_numbers_that_json_lacks_become_text(make_report):
    body = read(render_json(make_report("nasty")))
    ((key, values),) = body["findings"][0]["values"].items()
    assert values[:4] == ["nan", "inf", "-inf", [1, "load"]]
    assert "bold red" in key


def test_text_comes_back_as_it_was(make_report):
    report = make_report("nasty")
    message = read(render_json(report))["findings"][0]["message"]
    assert message == report.findings[0].message.replace("\ud800", "\\ud800")


def test_the_text_is_ascii(make_report):
    assert render_json(make_report("nasty")).isascii()


def test_what_is_written_is_what_was_looked_at(make_report, check_snapshot):
    text = render_json(make_report("one_error")).replace(json_report.tool_version(), "VERSION")
    check_snapshot(text, "json_one_error.json")
    assert "labels-out-of-range" in text
