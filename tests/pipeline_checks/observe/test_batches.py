from dataclasses import dataclass

import numpy as np
import pytest
import torch

from tdebug.pipeline_checks.observe.batches import describe_batch, leaf_facts, sample_sizes
from tdebug.pipeline_checks.pipeline.draw import Draw


@dataclass
class Output:
    loss: object
    logits: object


def draw(indices=(), number=0):
    return Draw(number, tuple(indices), None, None, lambda: None, is_last=True)


def test_a_dict_is_told_with_paths_shapes_and_ranges():
    batch = {"input_ids": torch.tensor([[1, 9]]), "x": torch.ones(1, 2), "text": ["a"]}

    fact = describe_batch(draw([5], 3), batch)

    assert (fact.number, fact.indices, fact.size, fact.container, fact.is_last) == (
        3, (5,), 1, "dict", True,
    )  # fmt: skip
    ids, x, text = fact.leaves
    assert (ids.path, ids.name, ids.shape, ids.min, ids.max) == (
        '["input_ids"]', "input_ids", (1, 2), 1, 9,
    )  # fmt: skip
    assert (x.dtype, x.min) == ("float32", None)
    assert (text.path, text.type, text.example) == ('["text"][0]', "str", "a")


@pytest.mark.parametrize(
    ("batch", "container", "paths"),
    [
        ((torch.ones(2), torch.zeros(2)), "tuple", ["[0]", "[1]"]),
        ([torch.ones(2)], "list", ["[0]"]),
        (torch.ones(2), "Tensor", [""]),
        (Output(torch.ones(()), torch.ones(2, 2)), "Output", [".loss", ".logits"]),
        ({"x": {"y": torch.ones(2)}}, "dict", ['["x"]["y"]']),
    ],
)
def test_every_container_is_told(batch, container, paths):
    fact = describe_batch(draw(), batch)

    assert (fact.container, [leaf.path for leaf in fact.leaves]) == (container, paths)


def test_without_indices_the_size_is_that_of_the_first_tensor():
    assert describe_batch(draw(), [torch.tensor(1), torch.zeros(6, 2)]).size == 6
    assert describe_batch(draw(), ["text"]).size is None


@pytest.mark.parametrize(
    "leaf",
    [
        torch.zeros(2, dtype=torch.bool),
        torch.zeros(0, dtype=torch.long),
        torch.zeros(2, dtype=torch.long, device="meta"),
        torch.zeros(200_000, dtype=torch.long),
        torch.zeros(2, 2, dtype=torch.long).to_sparse(),
    ],
    ids=["bool", "empty", "meta", "large", "sparse"],
)
def test_ranges_that_cost_or_say_nothing_are_left_out(leaf):
    [fact] = leaf_facts(leaf)

    assert (fact.min, fact.max) == (None, None)


def test_a_huge_nested_structure_is_cut():
    assert len(list(leaf_facts([[torch.zeros(1)] * 100] * 50))) == 200


def test_the_sizes_of_samples_are_told_field_by_field():
    samples = [
        {"ids": [1, 2, 3], "label": 0},
        {"ids": [1, 2], "label": None},
        {"ids": np.zeros(4)},
    ]

    ids, label = sample_sizes(samples)

    assert ids.kinds == ("list of int", "list of int", "float64 array")
    assert (ids.shapes, ids.is_ragged, ids.name) == (((3,), (2,), (4,)), True, "ids")
    assert label.kinds == ("int", "None", "missing")
    assert label.shapes == ((), None, None)
