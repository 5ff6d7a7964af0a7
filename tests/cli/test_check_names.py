import pytest

from tdebug.cli.check_names import choose_checks
from tdebug.pipeline_checks.report import Severity
from tdebug.pipeline_checks.spec import SpecError, load_spec


@pytest.fixture
def make_spec(tmp_path):
    def make(checks="{}"):
        (tmp_path / "tdebug.yaml").write_text(f"pipeline: setup.py\n\nchecks: {checks}\n")
        return load_spec(None, folder=tmp_path)

    return make


def test_codes_beginnings_of_codes_and_names_may_be_mixed(make_spec):
    choice = choose_checks(make_spec(), ["TD001, td0", "factory_fails"], ["TD002"])
    assert choice.select == ("TD001", "td0", "factory-fails")
    assert choice.ignore == ("TD002",)


def test_select_stands_instead_of_the_specs_and_ignore_adds_to_it(make_spec):
    spec = make_spec("{select: [TD001], ignore: [TD002], severity: {TD003: info}}")
    assert choose_checks(spec, [], []).select == ("TD001",)
    choice = choose_checks(spec, ["TD003"], ["TD004"])
    assert (choice.select, choice.ignore) == (("TD003",), ("TD002", "TD004"))
    assert choice.severity == {"TD003": Severity.INFO}


def test_all_names_that_do_not_exist_are_told_at_once(make_spec):
    spec = make_spec("\n  ignore:\n  - TD001\n  - factory-fial\n  severity: {TD9: info}")
    with pytest.raises(SpecError) as caught:
        choose_checks(spec, ["TD999,xyzzy"], ["wrong-kind-of-prat"])
    told = {mistake.message.split("'")[1]: mistake for mistake in caught.value.mistakes}
    assert set(told) == {"factory-fial", "TD9", "TD999", "xyzzy", "wrong-kind-of-prat"}
    assert (told["factory-fial"].file, told["factory-fial"].line) == ("tdebug.yaml", 6)
    assert told["factory-fial"].remedy == "Did you mean 'factory-fails'?"
    assert told["wrong-kind-of-prat"].file == "--ignore"
    assert told["xyzzy"].remedy == "`tdebug checks` lists them."


def test_an_empty_value_selects_nothing(make_spec):
    assert choose_checks(make_spec(), [" , "], []).select == ()
