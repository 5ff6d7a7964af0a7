import json

import pytest

from tdebug.pipeline_checks.checks import all_checks


def test_help_lists_the_commands(run_here):
    result = run_here("--help")
    assert result.code == 0
    for name in ("check", "checks", "explain", "init", "schema"):
        assert f" {name} " in result.out


def test_every_check_can_be_explained_by_its_code_and_its_name(run_here):
    for check in all_checks():
        for word in (check.code, check.code.lower(), check.name, check.name.replace("-", "_")):
            result = run_here("explain", word)
            assert result.code == 0
            assert result.out.startswith(f"{check.code} {check.name}  {check.severity}")
            assert "Why it matters: " in result.out
            assert "How to fix it: " in result.out


@pytest.mark.parametrize("word", ["factry-fails", "factory_fail"])
def test_a_name_that_does_not_exist_is_refused_with_the_near_one(run_here, word):
    result = run_here("explain", word)
    assert (result.code, result.out) == (2, "")
    assert "Did you mean 'factory-fails'?" in result.err


def test_a_name_like_none_is_refused_with_where_the_list_is(run_here):
    assert "`tdebug checks` lists them." in run_here("explain", "xyz").err


def test_the_list_has_every_check(run_here):
    result = run_here("checks")
    assert result.code == 0
    assert [c.code for c in all_checks() if f"{c.code} {c.name} " not in result.out] == []


def test_the_reference_has_every_check(run_here):
    result = run_here("checks", "--markdown")
    assert [c.code for c in all_checks() if f"### {c.code} {c.name}\n" not in result.out] == []


def test_the_schema_is_json(run_here):
    schema = json.loads(run_here("schema").out)
    assert "pipeline" in schema["properties"]


def test_init_writes_a_spec_and_does_not_write_over_one(run_here, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    first = run_here("init")
    assert (first.code, first.out) == (0, "")
    assert "tdebug check tdebug.yaml" in first.err
    assert (tmp_path / "tdebug.yaml").read_text().startswith("# What tdebug checks")
    second = run_here("init")
    assert second.code == 2
    assert "tdebug.yaml: is there already. --force replaces it." in second.err
    assert run_here("init", "--force").code == 0
