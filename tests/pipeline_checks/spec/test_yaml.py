"""YAML itself: its scalars, its syntax errors, its traps."""

import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tdebug.pipeline_checks.spec import SpecError, load_spec
from tdebug.pipeline_checks.spec.yaml_document import read_yaml
from tdebug.pipeline_checks.spec.yaml_scalars import read_scalar


def refusal(text):
    with pytest.raises(SpecError) as raised:
        read_yaml(text, "s.yaml")
    return str(raised.value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-3", 0.001),
        ("1E3", 1000.0),
        ("1.", 1.0),
        (".5", 0.5),
        ("-.5e+1", -5.0),
        ("+12", 12),
        ("017", 17),
        ("0o17", 15),
        ("0x1F", 31),
        ("1_000", "1_000"),
        ("1:30", "1:30"),
        ("1,3", "1,3"),
        ("0b1", "0b1"),
        ("2024-01-01", "2024-01-01"),
        ("no", "no"),
        ("on", "on"),
        ("Yes", "Yes"),
        ("true", True),
        ("FALSE", False),
        ("tRUE", "tRUE"),
        ("null", None),
        ("~", None),
        ("", None),
        ("none", "none"),
        ("-.INF", -math.inf),
        (".inf", math.inf),
        ("inf", "inf"),
        ("e3", "e3"),
        (".", "."),
        ("\u0661", "\u0661"),
    ],
)
def test_plain_scalars_are_read_as_yaml_1_2_says(text, value):
    read = read_scalar(text)

    assert read == value
    assert type(read) is type(value)


def test_quoted_scalars_are_text():
    data = read_yaml("a: '3'\nb: \"true\"\nc: |\n  1e-3\n", "s").data

    assert data == {"a": "3", "b": "true", "c": "1e-3\n"}


def test_a_number_of_many_digits_does_not_stop_the_reading():
    assert read_scalar("9" * 5000) == math.inf
    assert math.isnan(read_scalar(".nan"))


@given(st.floats(allow_nan=False))
def test_a_float_is_read_back_as_python_writes_it(value):
    text = repr(value).replace("inf", ".inf")

    assert read_scalar(text) == value


def test_keys_need_not_be_text():
    data = read_yaml("a: {0: neg, 1: pos, 1.5: x, ~: y}", "s").data

    assert data == {"a": {0: "neg", 1: "pos", 1.5: "x", None: "y"}}


def test_keys_that_python_takes_for_equal_are_duplicates():
    (mistake,) = read_yaml("a:\n  1: x\n  true: y\n", "s").mistakes

    assert str(mistake) == "s:3: the key a.True is there twice, first on line 2."


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a:\n\tb: 3\n", "2: a tab stands where YAML indents. Use spaces."),
        ("a:\n  b: 3\n\tc: 3\n", "3: a tab stands where YAML indents. Use spaces."),
        (
            "a: 3\nb: [1,\n  2\n",
            (
                "4: this is not YAML: expected ',' or ']', but got '<stream end>' "
                "(of what begins on line 2)."
            ),
        ),
        (
            "a: b: c\n",
            (
                "1: this is not YAML: mapping values are not allowed here. "
                "If 'b: c' is one value, put it in quotes."
            ),
        ),
        (
            "a: 3\n  b: 4\n",
            (
                "2: this is not YAML: mapping values are not allowed here. "
                "Is the line indented as the one above it?"
            ),
        ),
        (
            "a: 'x\n",
            "2: this is not YAML: found unexpected end of stream (of what begins on line 1).",
        ),
        ("a: *x\n", "1: this is not YAML: *x is an alias, but nothing above it has &x."),
        ("a: &x 3\nb: &x 4\n", "2: this is not YAML: the anchor &x is there twice."),
        (
            "a: 3\n---\nb: 3\n",
            "2: a second document begins here; a spec is one document. Remove what follows '---'.",
        ),
        ("a: 3\nb: \x07\n", "2: the character U+0007 is no part of YAML."),
        (
            "a: @x\n",
            (
                "1: this is not YAML: found character '@' that cannot start any token. "
                "Put '@x' in quotes."
            ),
        ),
        (
            "a: %x y\n",
            (
                "1: this is not YAML: found character '%' that cannot start any token. "
                "Put '%x y' in quotes."
            ),
        ),
    ],
)
def test_what_is_no_yaml_is_told_in_one_sentence_with_its_line(text, sentence):
    assert refusal(text) == f"s.yaml:{sentence}"


def test_a_tag_of_the_whole_file_is_refused():
    assert refusal("!my {a: 3}") == (
        "s.yaml:1: the spec has the tag '!my'; tdebug reads plain data alone."
    )


def test_deep_nesting_is_refused():
    assert refusal("a: " + "[" * 5000 + "]" * 5000) == "s.yaml: is nested too deep to be read."


def test_aliases_cannot_make_a_small_file_large():
    begun = time.perf_counter()
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 10)]
    exponential = "\n".join(lines)
    quadratic = "a: &a [" + "x," * 5000 + "]\nb: [" + "*a," * 5000 + "]"

    document = read_yaml(exponential, "s.yaml")

    assert len(document.mistakes) >= 8
    assert {"Aliases are followed once: write the value out."} == {
        mistake.remedy for mistake in document.mistakes
    }
    assert refusal(quadratic) == "s.yaml:2: holds more than 20000 values, aliases followed."
    assert time.perf_counter() - begun < 10


def test_an_alias_is_followed_once_and_keeps_the_lines_of_its_value(tmp_path):
    (tmp_path / "s.yaml").write_text(
        "pipeline: a.py\ndataset: &data\n  _target_: my.data:Rows\n  size: 3\neval_dataset: *data\n"
    )

    spec = load_spec("s.yaml", folder=tmp_path)

    assert spec.eval_dataset.arguments == {"size": 3}
    assert spec.eval_dataset.line == 5
    assert spec.line_of("eval_dataset.size") == 4


def test_json_is_read_as_yaml():
    assert read_yaml('{"a": {"b": [1, 2.5, null, true]}}', "s").data == {
        "a": {"b": [1, 2.5, None, True]}
    }


@given(st.text() | st.text(alphabet="ab:-[]{},&*!|>'\"#%@` \n\t01.~<?"))
def test_any_text_is_read_or_refused_with_a_sentence(text):
    try:
        document = read_yaml(text, "s.yaml")
    except SpecError as error:
        said = str(error)
    else:
        said = f"s.yaml: {document.data}"

    assert said.startswith("s.yaml")
