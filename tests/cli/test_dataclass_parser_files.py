"""Dataclasses filled from dicts, JSON and YAML, and arguments read from files."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any, Literal

import pytest

from tdebug.cli.dataclass_parser import DataclassArgumentParser


class Kind(Enum):
    SMALL = "small"
    LARGE = "large"


@dataclass
class Training:
    steps: int
    rate: float = 0.1
    name: str = "run"
    fp16: bool = False
    sizes: list[int] = field(default_factory=list)
    shape: tuple[int, ...] = ()
    save: Literal["no", "steps"] = "steps"
    kind: Kind = Kind.SMALL
    folder: Path = Path()
    options: dict[str, float] | str | None = None
    warmup: int = None
    hook: Callable | None = None
    anything: Any = None


PARSER = DataclassArgumentParser(Training)


def test_values_that_fit_are_taken_and_given_the_type_of_their_hint():
    (filled,) = PARSER.parse_dict(
        {
            "steps": 3,
            "rate": 1,
            "shape": [2, 3],
            "kind": "large",
            "folder": "out",
            "options": {"a": 1},
            "warmup": None,
            "hook": print,
        }
    )
    assert filled == Training(
        3,
        rate=1.0,
        shape=(2, 3),
        kind="large",
        folder=Path("out"),
        options={"a": 1.0},
        hook=print,
    )
    assert type(filled.rate) is float


def test_text_is_read_where_no_text_is_wanted_and_kept_where_it_is():
    (filled,) = PARSER.parse_dict({"steps": "3", "rate": "1e-5", "fp16": "no", "name": "3"})
    assert (filled.steps, filled.rate, filled.fp16, filled.name) == (3, 1e-5, False, "3")
    (filled,) = PARSER.parse_dict({"steps": 3, "options": '{"a": 1}', "kind": Kind.LARGE})
    assert (filled.options, filled.kind) == ('{"a": 1}', Kind.LARGE)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"steps": 1.5}, "steps: expected int, got 1.5"),
        ({"steps": True}, "steps: expected int, got True"),
        ({"steps": None}, "steps: expected int, got None"),
        ({"steps": 1, "name": 5}, "name: expected str, got 5"),
        ({"steps": 1, "sizes": [1, "b"]}, "sizes[1]: expected int, got 'b'"),
        ({"steps": 1, "sizes": 3}, "sizes: expected list[int], got 3"),
        ({"steps": 1, "save": "never"}, "save: expected one of 'no', 'steps', got 'never'"),
        ({"steps": 1, "save": False}, "save: expected one of 'no', 'steps', got False"),
        ({"steps": 1, "folder": 3}, "folder: expected Path, got 3"),
        ({"steps": 1, "options": 3}, "options: expected dict[str, float] or str or None, got 3"),
        ({"rate": 1.0}, "Training: steps is required"),
        ({"rate": "x"}, "Training: steps is required; rate: expected float, got 'x'"),
    ],
)
def test_a_misfit_is_refused_with_its_place(values, sentence):
    with pytest.raises(ValueError) as refusal:  # noqa: PT011 - the sentence is compared below
        PARSER.parse_dict(values)
    assert sentence in str(refusal.value)


def test_unknown_keys_are_refused_passed_over_or_returned():
    values = {"steps": 1, "stepz": 2, "aa": 3}
    with pytest.raises(ValueError, match=r"not used by .*: 'aa', 'stepz' \(did you mean 'steps'"):
        PARSER.parse_dict(values)
    assert PARSER.parse_dict(values, allow_extra_keys=True) == (Training(1),)
    assert PARSER.parse_dict(values, return_extra_keys=True) == (
        Training(1),
        {"stepz": 2, "aa": 3},
    )


def test_options_win_over_values():
    values = {"steps": 3, "rate": 0.5, "name": "a"}
    overrides = ["--rate", "1e-4", "--fp16", "--sizes", "1", "2", "--kind", "large"]
    (filled,) = PARSER.parse_dict(values, overrides=overrides)
    assert filled == Training(3, rate=1e-4, name="a", fp16=True, sizes=[1, 2], kind="large")
    with pytest.raises(ValueError, match=r"--rat.*--rate"):
        PARSER.parse_dict(values, overrides=["--rat", "1"])
    with pytest.raises(ValueError, match=r"--steps: .*'many'"):
        PARSER.parse_dict(values, overrides=["--steps", "many"])


def test_json_and_yaml_give_the_same(tmp_path):
    values = {"steps": 3, "rate": 1e-05, "fp16": True, "sizes": [1, 2], "options": None}
    (tmp_path / "a.json").write_text(json.dumps(values))
    (tmp_path / "a.yaml").write_text(
        "steps: 3\nrate: 1e-5\nfp16: true\nsizes: [1, 2]\noptions: null\n"
    )
    expected = (Training(3, rate=1e-5, fp16=True, sizes=[1, 2]),)
    assert PARSER.parse_json_file(tmp_path / "a.json") == expected
    assert PARSER.parse_yaml_file(str(tmp_path / "a.yaml")) == expected


def test_yaml_scalars_are_those_of_version_1_2(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text("steps: 010\nsave: no\nname: on\nfp16: off\nanything: [1e3, 0x10, 0o17, .inf]")
    (filled,) = PARSER.parse_yaml_file(path)
    assert (filled.steps, filled.save, filled.name, filled.fp16) == (10, "no", "on", False)
    assert filled.anything == [1000.0, 16, 15, float("inf")]


def test_anchors_and_merge_keys_work(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text("base: &base {steps: 3}\n<<: *base\nname: a\n")
    assert PARSER.parse_yaml_file(path, allow_extra_keys=True) == (Training(3, name="a"),)


def test_files_that_are_empty_or_no_mapping_are_told(tmp_path):
    @dataclass
    class Args:
        steps: int = 1

    path = tmp_path / "a.yaml"
    path.write_text("")
    assert DataclassArgumentParser(Args).parse_yaml_file(path) == (Args(),)
    path.write_text("[1]")
    with pytest.raises(ValueError, match=r"a\.yaml: a mapping of fields is needed, got a list"):
        PARSER.parse_yaml_file(path)
    path.write_text("a: [1")
    with pytest.raises(ValueError, match=r"no valid YAML: (?s:.*)line 1, column 6"):
        PARSER.parse_yaml_file(path)


def test_arguments_beside_the_script_are_read_and_the_command_line_wins(tmp_path, monkeypatch):
    (tmp_path / "train.args").write_text("--steps 1 --name 'two words'\n--rate 0.5\n")
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "train.py"), "--steps", "2"])
    assert PARSER.parse_args_into_dataclasses() == (Training(2, rate=0.5, name="two words"),)
    found = PARSER.parse_args_into_dataclasses(["--steps", "4"], look_for_args_file=False)
    assert found == (Training(4),)
    monkeypatch.setattr(sys, "argv", [""])
    assert PARSER.parse_args_into_dataclasses(["--steps", "4"]) == (Training(4),)


def test_files_named_on_the_command_line_come_after_the_default_file(tmp_path):
    for name, text in {"a": "--steps 1 --rate 1", "b": "--steps 2", "c": "--steps 3"}.items():
        (tmp_path / name).write_text(text)
    flags = ["--my-cfg", str(tmp_path / "b"), "--my-cfg", str(tmp_path / "c"), "--name", "x"]
    found = PARSER.parse_args_into_dataclasses(
        flags, args_filename=tmp_path / "a", args_file_flag="--my-cfg"
    )
    assert found == (Training(3, rate=1.0, name="x"),)


def test_a_file_that_is_missing_or_badly_quoted_is_told(tmp_path):
    with pytest.raises(FileNotFoundError):
        PARSER.parse_args_into_dataclasses([], args_filename=tmp_path / "none")
    with pytest.raises(FileNotFoundError):
        PARSER.parse_args_into_dataclasses(
            ["--cfg", str(tmp_path / "none")], args_file_flag="--cfg"
        )
    (tmp_path / "bad").write_text("--name 'a")
    with pytest.raises(ValueError, match=r"bad: No closing quotation"):
        PARSER.parse_args_into_dataclasses([], args_filename=tmp_path / "bad")


def test_the_parser_imports_neither_torch_nor_transformers():
    code = (
        "import sys, tdebug.cli.dataclass_parser\n"
        "assert not {'torch', 'transformers', 'numpy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
