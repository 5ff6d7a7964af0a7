"""Object references are taken apart without importing anything."""

import pytest

from tdebug.pipeline_checks.spec import ParsedReference, parse_reference


@pytest.mark.parametrize(
    ("text", "file", "module", "attribute"),
    [
        ("my_project.train:build", None, "my_project.train", "build"),
        ("torch.nn:CrossEntropyLoss", None, "torch.nn", "CrossEntropyLoss"),
        ("models:Net.from_name", None, "models", "Net.from_name"),
        ("train_setup.py", "train_setup.py", None, ""),
        ("pkg/train.py:build", "pkg/train.py", None, "build"),
        ("../my folder/train-1.py:A.b", "../my folder/train-1.py", None, "A.b"),
        ("torch.optim.AdamW", None, "torch.optim", "AdamW"),
        ("train_setup", None, "train_setup", ""),
    ],
)
def test_a_reference_is_taken_apart(text, file, module, attribute):
    parsed = parse_reference(text)

    is_dotted = file is None and ":" not in text
    assert parsed == ParsedReference(text, file, module, attribute, is_dotted)


def test_without_a_colon_every_split_may_be_meant():
    assert list(parse_reference("a.b.C").splits()) == [("a.b.C", ""), ("a.b", "C"), ("a", "b.C")]
    assert list(parse_reference("a.b:C").splits()) == [("a.b", "C")]


@pytest.mark.parametrize(
    "text", ["", ":", "a:", ":b", "a b", "a..b", "a:b:c", "1a", "a-b:c", "a.class", "x.py:", "a\nb"]
)
def test_what_is_no_reference_is_refused(text):
    with pytest.raises(ValueError, match="expected an object reference"):
        parse_reference(text)
