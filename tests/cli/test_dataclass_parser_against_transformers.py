"""The same dataclasses given to transformers' HfArgumentParser and to ours.

Where the two differ on purpose, `DIFFERENCES` says how and why.
"""
# ruff: noqa: UP007, UP045 - both spellings of a union are tested

import json
from argparse import Namespace
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Literal, Optional, Union

import pytest

transformers = pytest.importorskip("transformers")
HfArgumentParser = transformers.HfArgumentParser

from tdebug.cli.dataclass_parser import DataclassArgumentParser  # noqa: E402 - after importorskip


class MixedEnum(Enum):
    TITI = "titi"
    TOTO = "toto"
    FORTY_TWO = 42


@dataclass
class Basic:
    foo: int
    bar: float
    baz: str
    flag: bool


@dataclass
class Bool:
    foo: bool = False
    baz: bool = True
    opt: bool | None = None


@dataclass
class EnumArgs:
    foo: MixedEnum = "toto"


@dataclass
class LiteralArgs:
    foo: Literal["titi", "toto", 42] = "toto"


@dataclass
class Lists:
    foo_int: list[int] = field(default_factory=list)
    bar_int: list[int] = field(default_factory=lambda: [1, 2, 3])
    foo_str: list[str] = field(default_factory=lambda: ["Hallo", "Bonjour", "Hello"])
    foo_float: list[float] = field(default_factory=lambda: [0.1, 0.2, 0.3])


@dataclass
class Optionals:
    foo: int | None = None
    bar: float | None = field(default=None, metadata={"help": "help message", "aliases": "-b"})
    baz: str | None = None
    ces: Optional[list[str]] = field(default_factory=list)
    des: list[int] | None = field(default_factory=list)


@dataclass
class Strings:
    foo: int
    required_enum: "MixedEnum"
    opt: "Optional[bool]" = None
    baz: "str" = field(default="toto", metadata={"help": "help message"})
    foo_str: "list[str]" = field(default_factory=lambda: ["a"])


@dataclass
class Child(Basic):
    more: int = 1


@dataclass
class Other:
    size: int = 1


BASIC = "--foo 1 --baz quux --bar 0.5"
CASES = [
    (Basic, BASIC),
    (Basic, BASIC + " --flag"),
    (Basic, BASIC + " --flag false"),
    (Child, BASIC + " --more 2"),
    (Bool, ""),
    (Bool, "--foo --no_baz"),
    (Bool, "--foo --no-baz"),
    (Bool, "--foo --baz"),
    (Bool, "--foo True --baz True --opt True"),
    (Bool, "--foo n --baz 0 --opt F"),
    (EnumArgs, ""),
    (EnumArgs, "--foo titi"),
    (EnumArgs, "--foo 42"),
    (LiteralArgs, ""),
    (LiteralArgs, "--foo titi"),
    (LiteralArgs, "--foo 42"),
    (Lists, ""),
    (Lists, "--foo_int 1 --bar_int 2 3 --foo_str a b c --foo_float 0.1 0.7"),
    (Lists, "--foo-int 1 --bar-int 2 3 --foo-str a b c --foo-float 0.1 0.7"),
    (Optionals, ""),
    (Optionals, "--foo 12 --bar 3.14 --baz 42 --ces a b c --des 1 2 3"),
    (Optionals, "-b 3.14 --foo -1"),
    (Strings, "--foo 1 --required_enum 42 --opt yes --foo_str x y"),
]


@pytest.mark.parametrize(("kind", "text"), CASES)
def test_command_lines_give_equal_dataclasses(kind, text):
    theirs = HfArgumentParser(kind).parse_args_into_dataclasses(
        text.split(), look_for_args_file=False
    )
    ours = DataclassArgumentParser(kind).parse_args_into_dataclasses(
        text.split(), look_for_args_file=False
    )
    assert ours == theirs
    assert [type(value) for value in vars(ours[0]).values()] == [
        type(value) for value in vars(theirs[0]).values()
    ]


@pytest.mark.parametrize(("kind", "text"), CASES)
def test_plain_parsing_gives_equal_namespaces(kind, text):
    theirs = HfArgumentParser(kind).parse_args(text.split())
    assert DataclassArgumentParser(kind).parse_args(text.split()) == theirs


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (Basic, "--foo a --baz quux --bar 0.5"),
        (Basic, "--baz quux --bar 0.5"),
        (Bool, "--foo maybe"),
        (EnumArgs, "--foo tata"),
        (LiteralArgs, "--foo 43"),
        (Lists, "--foo_int 1 b"),
        (Lists, "--foo_int"),
    ],
)
def test_the_same_command_lines_end_with_code_2(kind, text, capsys):
    for parser in (HfArgumentParser(kind), DataclassArgumentParser(kind)):
        with pytest.raises(SystemExit) as stop:
            parser.parse_args_into_dataclasses(text.split(), look_for_args_file=False)
        assert stop.value.code == 2


@pytest.mark.parametrize("make", [HfArgumentParser, DataclassArgumentParser])
def test_dicts_and_files_agree(make, tmp_path):
    values = {"foo": 12, "bar": 3.14, "baz": "42", "flag": True}
    expected = (Basic(12, 3.14, "42", flag=True),)
    (tmp_path / "a.json").write_text(json.dumps(values))
    (tmp_path / "a.yaml").write_text("foo: 12\nbar: 3.14\nbaz: '42'\nflag: true\n")
    parser = make(Basic)
    assert parser.parse_dict(values) == expected
    assert parser.parse_json_file(tmp_path / "a.json") == expected
    assert parser.parse_yaml_file(tmp_path / "a.yaml") == expected
    with pytest.raises(ValueError, match="extra"):
        parser.parse_dict(values | {"extra": 1, "aa": 2})
    assert parser.parse_dict(values | {"extra": 1}, allow_extra_keys=True)


@pytest.mark.parametrize("make", [HfArgumentParser, DataclassArgumentParser])
def test_additional_and_remaining_arguments_come_in_the_same_places(make):
    parser = make([Bool, Other])
    parser.add_argument("--extra", type=int, default=5)
    found = parser.parse_args_into_dataclasses(
        ["--opt", "no", "left"], return_remaining_strings=True, look_for_args_file=False
    )
    assert found == (Bool(opt=False), Other(), Namespace(extra=5), ["left"])
    with pytest.raises(ValueError, match=r"specified arguments are not used by the .*left"):
        parser.parse_args_into_dataclasses(["left"], look_for_args_file=False)


TRAINING = (
    "--output_dir out --learning-rate 1e-4 --eval_strategy steps  --eval-steps 10"
    " --report_to none --logging_first_step --num_train_epochs 2 --label_names a b"
    " --lr_scheduler_type linear --optim adamw_torch --save_strategy no --seed 7"
)


def test_the_arguments_of_the_trainer_are_read_alike():
    kind = transformers.TrainingArguments
    (theirs,) = HfArgumentParser(kind).parse_args_into_dataclasses(
        TRAINING.split(), look_for_args_file=False
    )
    (ours,) = DataclassArgumentParser(kind).parse_args_into_dataclasses(
        TRAINING.split(), look_for_args_file=False
    )
    assert ours.to_dict() == theirs.to_dict()


def outcome_of(make, hint, text):
    kind = dataclass(type("Args", (), {"__annotations__": {"x": hint}}))
    try:
        (filled,) = make(kind).parse_args_into_dataclasses(
            text.split("|"), look_for_args_file=False
        )
    except (SystemExit, Exception) as error:  # noqa: BLE001 - which error theirs raises is no matter
        return type(error)
    return filled.x


# (type hint, arguments, what theirs gives, what ours gives, why)
DIFFERENCES = [
    (Optional[bool], "--x", SystemExit, True, "a flag alone means True (transformers#43469)"),
    (list[bool], "--x|False|0", [True, True], [False, False], "bool('False') is True"),
    (tuple, "--x|12", ("1", "2"), (12,), "a number is no sequence of digits"),
    (list, "--x|1", AttributeError, [1], "a bare list holds anything (transformers#49028)"),
    (list[list[int]], "--x|[1]", [["[", "1", "]"]], [[1]], "nested lists are written as JSON"),
    (tuple[int, str], "--x|1|a", ValueError, (1, "a"), "tuples have a type for each place"),
    (dict[str, int], "--x|a=1", SystemExit, {"a": 1}, "dicts are pairs or JSON"),
    (dict, '--x|{"a": 1}', SystemExit, {"a": 1}, "dicts are pairs or JSON"),
    (Any, "--x|1", SystemExit, 1, "Any is read as a YAML scalar"),
    (bytes, "--x|a", SystemExit, b"a", "bytes are the UTF-8 of the text"),
    (Optional[Union[dict, str]], '--x|{"a": 1}', '{"a": 1}', {"a": 1}, "the dict was meant"),
    (Union[dict, str], '--x|{"a": 1}', SystemExit, {"a": 1}, "dict(text) cannot work"),
    (Union[int, str], "--x|three", SystemExit, "three", "the hint allows any text"),
    (Union[int, float], "--x|1", ValueError, 1, "unions are tried in order"),
    (Optional[int], "--x|none", SystemExit, None, "None can be said where no text is allowed"),
    (float, "--x|-1e-5", SystemExit, -1e-5, "python/cpython#105712"),
]


@pytest.mark.parametrize(
    ("hint", "text", "theirs", "ours"),
    [pytest.param(*difference[:4], id=difference[4]) for difference in DIFFERENCES],
)
def test_the_differences_are_these(hint, text, theirs, ours):
    assert outcome_of(DataclassArgumentParser, hint, text) == ours
    assert outcome_of(HfArgumentParser, hint, text) == theirs


def test_abbreviated_options_are_refused():
    text = ["--fo", "1", "--baz", "a", "--bar", "1"]
    assert HfArgumentParser(Basic).parse_args_into_dataclasses(text, look_for_args_file=False)
    with pytest.raises(SystemExit):
        DataclassArgumentParser(Basic).parse_args_into_dataclasses(text, look_for_args_file=False)
