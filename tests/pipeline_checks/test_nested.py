from dataclasses import dataclass
from typing import NamedTuple

import pytest

from tdebug.pipeline_checks.nested import MAX_DEPTH, container_name, leaves


class Pair(NamedTuple):
    first: int
    second: list


@dataclass
class Row:
    ids: list
    label: int


class Own(dict):
    pass


@pytest.mark.parametrize(
    ("value", "paths"),
    [
        (3, {"": 3}),
        ([1, 2], {"[0]": 1, "[1]": 2}),
        ({"a": {"b": 1}, 0: 2}, {'["a"]["b"]': 1, "[0]": 2}),
        (Pair(1, [2]), {".first": 1, ".second[0]": 2}),
        (Row([7], 3), {".ids[0]": 7, ".label": 3}),
        ([], {"": []}),
        ("text", {"": "text"}),
    ],
)
def test_every_leaf_has_the_path_that_a_user_would_write(value, paths):
    assert dict(leaves(value)) == paths


def test_a_list_in_itself_ends_somewhere():
    endless = []
    endless.append(endless)

    [(path, _)] = leaves(endless)

    assert path == "[0]" * MAX_DEPTH


@pytest.mark.parametrize(
    ("value", "name"),
    [({}, "dict"), ((), "tuple"), ([], "list"), (Own(), "dict (Own)"), (Pair(1, []), "Pair"),
     (3, "int"), (Row([], 1), "Row")],
)  # fmt: skip
def test_containers_are_named(value, name):
    assert container_name(value) == name
