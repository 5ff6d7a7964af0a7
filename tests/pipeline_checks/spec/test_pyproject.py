"""`[tool.tdebug]` in a pyproject.toml."""

import pytest

from tdebug.pipeline_checks.spec import Call, Reference, SpecError, load_spec
from tdebug.pipeline_checks.spec.toml_lines import find_toml_lines

pytest.importorskip("tomllib")  # Python 3.11 and newer

TEXT = """\
[project]
name = "x"
description = \"\"\"
[tool.tdebug]
seed = 5
\"\"\"

[tool.tdebug]
pipeline = "train_setup.py"
seed = 3
checks.ignore = [
  "TD1",  # ]
  "TD2",
]
samples = "all"

[tool.tdebug.optimizer]
_target_ = "torch.optim:AdamW"
lr = 1e-3
betas = [0.9, 0.99]
"""


def refusal(text, folder):
    (folder / "pyproject.toml").write_text(text)
    with pytest.raises(SpecError) as raised:
        load_spec("pyproject.toml", folder=folder)
    return str(raised.value)


@pytest.mark.parametrize("target", [None, "pyproject.toml"])
def test_a_spec_is_read_from_pyproject_toml(target, tmp_path):
    (tmp_path / "pyproject.toml").write_text(TEXT)

    spec = load_spec(target, folder=tmp_path)

    assert spec.pipeline == Reference("train_setup.py", 9)
    assert (spec.seed, spec.samples, spec.checks.ignore) == (3, "all", ("TD1", "TD2"))
    assert spec.optimizer == Call(
        Reference("torch.optim:AdamW", 18), {"lr": 0.001, "betas": [0.9, 0.99]}, line=17
    )
    assert spec.file == "pyproject.toml"
    assert [spec.line_of(key) for key in ("seed", "checks.ignore", "samples")] == [10, 11, 15]


def test_mistakes_have_their_lines(tmp_path):
    text = TEXT.replace("seed = 3", "sead = 3").replace('"all"', "0").replace("1e-3", '"${lr}"')

    assert refusal(text, tmp_path).splitlines() == [
        "pyproject.toml:10: there is no key 'sead'. Did you mean 'seed'?",
        "pyproject.toml:15: samples is 0; expected a whole number of at least 1, or all.",
        (
            "pyproject.toml:19: optimizer.lr is '${lr}'; interpolations are not read. "
            "Write the value itself."
        ),
    ]


def test_a_date_is_no_argument(tmp_path):
    text = TEXT.replace("1e-3", "2024-01-01")

    assert refusal(text, tmp_path) == (
        "pyproject.toml:19: optimizer.lr is a date; expected plain data. Quote it."
    )


def test_a_file_without_the_table(tmp_path):
    assert refusal("[project]\nname = 'x'\n", tmp_path) == (
        "pyproject.toml: has no table [tool.tdebug]. "
        "`tdebug init` writes a tdebug.yaml to start from."
    )


def test_what_is_no_table(tmp_path):
    assert refusal("[tool]\ntdebug = 3\n", tmp_path) == (
        "pyproject.toml:2: tool.tdebug is no table. Write [tool.tdebug]."
    )


def test_an_empty_table_has_nothing_to_check(tmp_path):
    assert refusal("\n[tool.tdebug]\n", tmp_path) == (
        "pyproject.toml:2: the spec names no pipeline and no model and no dataset. "
        "Give pipeline, or model and dataset."
    )


def test_what_is_no_toml_is_told_with_its_line(tmp_path):
    said = refusal("[tool.tdebug]\nseed = = 3\n", tmp_path)

    assert said == "pyproject.toml:2: this is not TOML: Invalid value."
    assert "is not TOML" in refusal("[tool.tdebug\nseed = 3\n", tmp_path)
    assert "is not TOML" in refusal("tdebug = 'x", tmp_path)


def test_deep_nesting_is_refused(tmp_path):
    text = "[tool.tdebug]\nx = " + "[" * 5000 + "]" * 5000

    assert "nested too deep" in refusal(text, tmp_path) or "not TOML" in refusal(text, tmp_path)


def test_other_toml_files_are_not_read(tmp_path):
    (tmp_path / "spec.toml").write_text("seed = 3\n")

    with pytest.raises(SpecError) as raised:
        load_spec("spec.toml", folder=tmp_path)

    assert str(raised.value).startswith(
        "spec.toml: is TOML; of TOML files only pyproject.toml is read."
    )


def test_without_a_reader_of_toml_only_a_file_for_tdebug_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)

    assert "has no table" in refusal("[project]\nname = 'x'\n", tmp_path)
    assert refusal("[tool.tdebug]\n", tmp_path) == (
        "pyproject.toml: Python 3.10 cannot read TOML. Install tomli, or write a tdebug.yaml."
    )


def test_the_lines_of_keys_are_found_below_every_kind_of_header():
    lines = find_toml_lines(
        'a = {b = "]"}\n[ "x y" . z ]\nk.l = 1\n[[t]]\nn = 1\n[[t]]\nn = [\n[1],\n"n = 3"]\nm = 2\n'
    )

    assert lines == {
        ("a",): 1,
        ("x y",): 2,
        ("x y", "z"): 2,
        ("x y", "z", "k"): 3,
        ("x y", "z", "k", "l"): 3,
        ("t",): 4,
        ("t", 0): 4,
        ("t", 0, "n"): 5,
        ("t", 1): 6,
        ("t", 1, "n"): 7,
        ("t", 1, "m"): 10,
    }
