import json

import pytest

from tdebug.pipeline_checks.training import IntervalStrategy

transformers = pytest.importorskip("transformers")
from transformers import IntervalStrategy as Theirs  # noqa: E402 - after importorskip


def test_the_members_are_those_of_transformers():
    assert [(m.name, m.value) for m in IntervalStrategy] == [(m.name, m.value) for m in Theirs]


@pytest.mark.parametrize("text", ["no", "steps", "epoch"])
def test_a_member_behaves_as_the_text_and_as_theirs(text):
    ours, theirs = IntervalStrategy(text), Theirs(text)
    assert ours == text == theirs
    assert hash(ours) == hash(theirs) == hash(text)
    assert json.dumps(ours) == json.dumps(theirs)
    assert str(ours) == str(theirs)
    assert f"{ours}" == f"{theirs}"


@pytest.mark.parametrize("text", ["Epoch", "", "step", None, 1])
def test_anything_else_is_refused_in_the_same_words(text):
    with pytest.raises(ValueError, match="select one of") as theirs:
        Theirs(text)
    with pytest.raises(ValueError, match="select one of") as ours:
        IntervalStrategy(text)
    assert str(ours.value).startswith(str(theirs.value))


def test_another_case_is_pointed_out():
    with pytest.raises(ValueError, match=r"\(did you mean 'epoch'\?\)"):
        IntervalStrategy("Epoch")
