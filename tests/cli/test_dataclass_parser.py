"""Options made from type hints, and what they give back."""
# ruff: noqa: UP007, UP045 - both spellings of a union are tested

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any, ClassVar, Literal, NewType, Optional, Union

import pytest

from tdebug.cli.dataclass_parser import DataclassArgumentParser

Steps = NewType("Steps", int)


class Mixed(Enum):
    TITI = "titi"
    TOTO = "toto"
    FORTY_TWO = 42


def parse(kind, text, **options):
    (filled,) = DataclassArgumentParser(kind, **options).parse_args_into_dataclasses(
        text.split("|") if "|" in text else text.split(), look_for_args_file=False
    )
    return filled


def value_of(hint, text, **default):
    kind = dataclass(type("Args", (), {"__annotations__": {"x": hint}, **default}))
    return parse(kind, text).x


def refusal_of(hint, text, capsys):
    with pytest.raises(SystemExit) as stop:
        value_of(hint, text)
    assert stop.value.code == 2
    return capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize(
    ("hint", "text", "value"),
    [
        (int, "--x 3", 3),
        (int, "--x -3", -3),
        (float, "--x -1e-5", -1e-5),
        (float, "--x -inf", float("-inf")),
        (str, "--x 3", "3"),
        (Steps, "--x 3", 3),
        (Path, "--x a/b", Path("a/b")),
        (bytes, "--x ab", b"ab"),
        (Any, "--x 1e-4", 1e-4),
        (Any, "--x no", "no"),
        (Any, "--x|[1, a]", [1, "a"]),
        (Literal["a", 1], "--x 1", 1),
        (Mixed, "--x 42", 42),
        (Union[Mixed, str], "--x titi", "titi"),
        (bool, "", False),
        (bool, "--x", True),
        (bool, "--x No", False),
        (Optional[bool], "", None),
        (Optional[bool], "--x", True),
        (Optional[bool], "--x none", None),
        (Optional[int], "--x None", None),
        (Optional[str], "--x none", "none"),
        (Union[int, float], "--x 3", 3),
        (Union[int, float], "--x 3.5", 3.5),
        (Union[str, int], "--x 3", 3),
        (Union[int, str], "--x three", "three"),
        (Union[bool, str], "--x", True),
        (Union[bool, str], "--x auto", "auto"),
        (Optional[Union[dict, str]], '--x|{"a": 1e-3}', {"a": 1e-3}),
        (Optional[Union[dict, str]], "--x config.json", "config.json"),
        (Union[str, list[str], None], "--x a", "a"),
        (Union[str, list[str], None], "--x a b", ["a", "b"]),
        (list[int], "--x 1 2", [1, 2]),
        (list[int], "--x|[1, 2]", [1, 2]),
        (list[int], "--x []", []),
        (list[bool], "--x False 0 yes", [False, False, True]),
        (list[str], "--x [1]", ["[1]"]),
        (list[Literal["a", 2]], "--x 2 a", [2, "a"]),
        (list[Optional[int]], "--x 1 none", [1, None]),
        (Optional[list[str]], "--x none", ["none"]),
        (Optional[list[int]], "--x none", None),
        (list[list[int]], "--x|[1, 2]|[3]", [[1, 2], [3]]),
        (list[list[int]], "--x|[[1, 2], [3]]", [[1, 2], [3]]),
        (list[list[str]], "--x|[a, b]|[c]", [["a", "b"], ["c"]]),
        (list, "--x 1 b", [1, "b"]),
        (tuple, "--x 12", (12,)),
        (tuple[int, str], "--x 1 2", (1, "2")),
        (tuple[int, ...], "--x 1 2 3", (1, 2, 3)),
        (set[int], "--x 1 1", {1}),
        (Sequence[int], "--x 1 2", [1, 2]),
        (dict, "--x a=1 b=c", {"a": 1, "b": "c"}),
        (dict[str, float], "--x a=1e-3", {"a": 1e-3}),
        (dict[str, list[int]], '--x|{"a": [1]}', {"a": [1]}),
        (Mapping[str, int], "--x a=1", {"a": 1}),
        (Optional[dict], "--x none", None),
        ("int | None", "--x 3", 3),
        ("list[int] | None", "--x 3 4", [3, 4]),
    ],
)
def test_a_value_is_read_as_its_hint_says(hint, text, value):
    found = value_of(hint, text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("hint", "text", "sentence"),
    [
        (int, "--x 1.5", "argument --x: expected int, got '1.5'"),
        (
            bool,
            "--x maybe",
            "argument --x: expected bool, got 'maybe' (use yes/no, true/false, on/off,",
        ),
        (Literal["a", 1], "--x b", "argument --x: expected one of 'a', 1, got 'b'"),
        (Mixed, "--x tito", "expected one of 'titi', 'toto', 42, got 'tito'"),
        (Union[Mixed, str], "--x tito", "expected one of 'titi', 'toto', 42, got 'tito'"),
        (Optional[int], "--x a", "expected int or None, got 'a'"),
        (list[int], "--x 1 b", "expected int, got 'b'"),
        (tuple[int, str], "--x 1 2 3", "(2 values are needed, 3 were given)"),
        (list[list[int]], "--x 1", "expected list[int], got '1'"),
        (list[list[int]], "--x [1,b]", "[1]: expected int, got 'b'"),
        (dict[str, int], "--x a", "('a' is no key=value)"),
        (dict[str, int], "--x a=b", "expected int, got 'b'"),
        (Callable, "--x f", "(it cannot be given as text)"),
        (int, "", "the following arguments are required: --x"),
    ],
)
def test_a_misfit_is_refused_with_what_was_expected(hint, text, sentence, capsys):
    assert sentence in refusal_of(hint, text, capsys)


def test_what_a_class_says_of_its_text_is_told(capsys):
    class Port(int):
        def __new__(cls, text):
            raise ValueError("ports are below 65536")

    assert refusal_of(Port, "--x 70000", capsys).endswith("(ports are below 65536)")


@dataclass
class Flags:
    foo: bool = False
    a_baz: bool = True
    opt: bool | None = None


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        ("", Flags()),
        ("--foo --no_a_baz", Flags(foo=True, a_baz=False)),
        ("--foo --no-a-baz --opt", Flags(foo=True, a_baz=False, opt=True)),
        ("--a-baz no --a_baz yes", Flags(a_baz=True)),
    ],
)
def test_flags_work_alone_with_a_value_and_negated(text, flags):
    assert parse(Flags, text) == flags


def test_a_negation_that_is_a_field_itself_is_left_to_that_field():
    @dataclass
    class Args:
        cuda: bool = True
        no_cuda: bool = False

    assert parse(Args, "--no_cuda") == Args(cuda=True, no_cuda=True)


def test_a_bool_from_a_factory_keeps_its_default():
    assert value_of(bool, "", x=field(default_factory=lambda: True)) is True


def test_inherited_fields_come_first_and_class_variables_are_no_options():
    @dataclass
    class Parent:
        name: str
        registry: ClassVar[dict] = {}
        computed: int = field(init=False, default=7)

    @dataclass
    class Child(Parent):
        size: int = 2

    assert parse(Child, "--name a --size 3") == Child("a", 3)
    assert "--registry" not in DataclassArgumentParser(Child).format_help()
    assert "--computed" not in DataclassArgumentParser(Child).format_help()


def test_aliases_metavar_choices_and_help_come_from_the_metadata():
    @dataclass
    class Args:
        size: int = field(
            default=1,
            metadata={"help": "use 10% of it", "aliases": "-s", "choices": [1, 2], "unit": "MB"},
        )

    parser = DataclassArgumentParser(Args)
    assert parser.parse_args_into_dataclasses(["-s", "2"]) == (Args(2),)
    assert "use 10% of it (default: 1)" in parser.format_help()
    assert "{1,2}" in parser.format_help()
    with pytest.raises(SystemExit):
        parser.parse_args(["-s", "3"])


def test_help_that_is_already_written_for_argparse_stays_so():
    @dataclass
    class Args:
        size: int = field(default=1, metadata={"help": "100%% or %(default)s"})

    assert "100% or 1" in DataclassArgumentParser(Args).format_help()


def test_a_group_is_named_once_however_many_dataclasses_name_it():
    @dataclass
    class First:
        _argument_group_name = "data"
        a: int = 1

    @dataclass
    class Second:
        _argument_group_name = "data"
        b: int = 2

    shown = DataclassArgumentParser([First, Second]).format_help()
    assert shown.count("\ndata:\n") == 1
    assert shown.endswith("\ndata:\n  --a A\n  --b B\n")


def test_a_default_made_by_a_factory_is_new_at_every_parse():
    @dataclass
    class Args:
        sizes: list[int] = field(default_factory=lambda: [1])

    parser = DataclassArgumentParser(Args)
    (first,) = parser.parse_args_into_dataclasses([])
    first.sizes.append(2)
    assert parser.parse_args_into_dataclasses([]) == (Args([1]),)


def test_defaults_can_be_set_as_with_any_parser():
    @dataclass
    class Args:
        rate: float = 0.1
        sizes: list[int] = field(default_factory=list)

    parser = DataclassArgumentParser(Args)
    parser.set_defaults(rate=0.5, sizes=[1])
    assert parser.parse_args_into_dataclasses([]) == (Args(0.5, [1]),)


def test_a_text_default_is_left_as_it_is():
    assert value_of(Any, "", x="1") == "1"
    assert value_of(Union[dict, str], "", x="{}") == "{}"


def test_the_hints_of_the_dataclass_are_left_as_they_are():
    @dataclass
    class Args:
        x: "int | None" = None

    DataclassArgumentParser(Args)
    assert Args.__dataclass_fields__["x"].type == "int | None"


@dataclass
class Inner:
    rate: float
    steps: int = 10


@dataclass
class Outer:
    inner: Inner = field(default_factory=lambda: Inner(0.5))


@pytest.mark.parametrize("text", ["--inner|rate=1", '--inner|{"rate": 1}', "--inner|{rate: 1}"])
def test_a_nested_dataclass_is_given_as_pairs_or_as_json(text):
    assert parse(Outer, text) == Outer(Inner(1.0, 10))
    assert parse(Outer, "") == Outer(Inner(0.5, 10))


def test_a_mistake_in_a_nested_dataclass_is_told(capsys):
    with pytest.raises(SystemExit):
        parse(Outer, "--inner steps=1")
    assert "Inner: rate is required" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        parse(Outer, "--inner rate=1 step=1")
    assert "'step' (did you mean 'steps'?)" in capsys.readouterr().err


@dataclass
class Model:
    rate: float = 0.1
    seed: int = 0


@dataclass
class Data:
    path: str = "here"
    seed: int = 0


def test_a_field_of_two_dataclasses_is_one_option_and_fills_both():
    parser = DataclassArgumentParser([Model, Data])
    assert parser.parse_args_into_dataclasses(["--seed", "3"]) == (Model(seed=3), Data(seed=3))
    assert parser.parse_dict({"seed": 4}) == (Model(seed=4), Data(seed=4))


def test_a_field_that_differs_between_two_dataclasses_is_refused():
    @dataclass
    class Other:
        seed: int = 1

    with pytest.raises(ValueError, match=r"Model and .*Other both have a field 'seed'"):
        DataclassArgumentParser([Model, Other])


def test_plain_arguments_come_back_as_a_namespace_and_remaining_ones_as_a_list():
    parser = DataclassArgumentParser((Model, Data))
    parser.add_argument("--extra", type=int)
    texts = ["--rate", "1", "--extra", "2", "rest", "--more"]
    found = parser.parse_args_into_dataclasses(texts, return_remaining_strings=True)
    assert found == (Model(1.0), Data(), argparse.Namespace(extra=2), ["rest", "--more"])


def test_unused_arguments_are_refused_with_the_nearest_option():
    with pytest.raises(ValueError, match=r"not used by .*'--rat' \(did you mean '--rate'\?\), '3'"):
        parse(Model, "--rat 3")


def test_plain_parsing_gives_a_namespace_with_the_defaults():
    assert DataclassArgumentParser(Model).parse_args([]) == argparse.Namespace(rate=0.1, seed=0)


def test_sub_parsers_are_made_of_the_same_class():
    parser = DataclassArgumentParser()
    parser.add_subparsers(dest="command").add_parser("train").add_argument("--size", type=int)
    found = parser.parse_args_into_dataclasses(["train", "--size", "2"])
    assert found == (argparse.Namespace(command="train", size=2),)


def test_an_instance_and_an_unknown_type_are_refused():
    with pytest.raises(TypeError, match="a dataclass is needed, got an instance of Model"):
        DataclassArgumentParser(Model())
    with pytest.raises(TypeError, match=r"a dataclass is needed, got <class 'int'>"):
        DataclassArgumentParser([int])

    @dataclass
    class Args:
        x: "Nowhere"  # noqa: F821 - that it is not defined is what is tested

    with pytest.raises(RuntimeError, match="Args cannot be resolved: name 'Nowhere' is not def"):
        DataclassArgumentParser(Args)


def test_the_fields_of_a_dataclass_with_init_variables_are_still_options():
    @dataclass
    class Args:
        size: int = 1
        scale: InitVar[int] = 2

        def __post_init__(self, scale):
            self.size *= scale

    assert parse(Args, "--size 4").size == 8


def test_a_long_list_of_choices_does_not_break_the_usage_line():
    @dataclass
    class Args:
        x: Literal["a [b]", "c (d)"] = "a [b]"
        y: Literal["abcdefghijklmnop", "qrstuvwxyzabcdef", "ghijklmnopqrstuv"] | None = None

    parser = DataclassArgumentParser(Args, prog="p" * 30)
    assert "{abcdefghijklmnop," in parser.format_help()
