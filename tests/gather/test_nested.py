"""Structures are walked, rebuilt as they were, and differences are named by their place."""

from collections import OrderedDict, defaultdict, namedtuple
from types import MappingProxyType

import numpy as np
import pytest
import torch
from transformers.modeling_outputs import TokenClassifierOutput

from tdebug.gather import (
    find_batch_size,
    nested_concat,
    nested_detach,
    nested_leaves,
    nested_numpify,
    nested_pad,
    nested_truncate,
)
from tdebug.gather.nested import map_nested

Pair = namedtuple("Pair", ["left", "right"])  # noqa: PYI024  # as users write them


def test_every_kind_of_container_comes_back_as_it_was():
    nested = [
        {"a": 1},
        (2, Pair(3, 4)),
        OrderedDict(b=5),
        defaultdict(list, c=6),
        TokenClassifierOutput(logits=torch.zeros(1)),
    ]

    mapped = map_nested(lambda path, leaf: leaf + 1, nested)

    assert mapped[:4] == [{"a": 2}, (3, Pair(4, 5)), OrderedDict(b=6), defaultdict(list, c=7)]
    assert [type(each) for each in mapped] == [type(each) for each in nested]
    assert mapped[3].default_factory is list
    assert mapped[4].logits.tolist() == mapped[4]["logits"].tolist() == [1.0]
    assert nested[4].logits.tolist() == [0.0]


def test_a_read_only_mapping_comes_back_as_a_dict():
    assert map_nested(lambda path, leaf: leaf + 1, MappingProxyType({"a": 1})) == {"a": 2}


def test_leaves_are_numbered_by_their_path():
    nested = {"logits": (torch.zeros(1), None), "ids": [torch.ones(1)]}

    assert [path for path, _ in nested_leaves(nested)] == [
        "arrays['logits'][0]",
        "arrays['logits'][1]",
        "arrays['ids'][0]",
    ]


@pytest.mark.parametrize(
    ("first", "second", "sentence"),
    [
        ([0], (0,), "the structures differ at arrays: list of 1 in the first, tuple of 1 in the"),
        ([[0]], [[0, 0]], r"differ at arrays\[0\]: list of 1 in the first, list of 2 in the other"),
        ({"a": 0}, {"b": 0}, "dict with the keys 'a' in the first, dict with the keys 'b' in the"),
        ({"a": 0}, {"a": None}, r"differ at arrays\['a'\]: Tensor in the first, NoneType in"),
        ({"a": 0}, {}, "in the first, empty dict in the other"),
        (0, [0], "differ at arrays: Tensor in the first, list of 1 in the other"),
    ],
)
def test_structures_that_differ_are_refused_with_the_place(first, second, sentence):
    def fill(nested):
        return map_nested(lambda _, leaf: None if leaf is None else torch.zeros(1), nested)

    with pytest.raises(ValueError, match=sentence):
        nested_concat(fill(first), fill(second))


def test_what_is_no_array_is_refused_with_its_place():
    sentence = r"arrays\['text'\] is a str; what can be gathered are tensors, numpy arrays, and"

    with pytest.raises(TypeError, match=sentence):
        nested_concat({"text": "a"}, {"text": "b"})


def test_the_batch_size_is_that_of_the_first_array_that_has_rows():
    assert find_batch_size([]) is None
    assert find_batch_size({"loss": torch.tensor(1.0)}) is None
    assert find_batch_size(["text", 3, torch.tensor(1.0), {"x": np.zeros((5, 2))}]) == 5


def test_truncating_keeps_the_first_rows_of_every_array():
    nested = {"a": torch.arange(5), "b": [np.arange(6), None]}

    kept = nested_truncate(nested, 2)

    assert kept["a"].tolist() == kept["b"][0].tolist() == [0, 1]
    assert kept["b"][1] is None


@pytest.mark.parametrize(
    ("nested", "limit", "sentence"),
    [
        ([torch.arange(3)], -1, "a number of rows cannot be negative, and limit=-1"),
        ([torch.tensor(1)], 1, r"arrays\[0\] is 0-d: it has no rows to keep 1 of"),
    ],
)
def test_rows_that_cannot_be_kept_are_refused(nested, limit, sentence):
    with pytest.raises(ValueError, match=sentence):
        nested_truncate(nested, limit)


def test_numpy_gets_the_same_dtypes_and_float32_for_what_it_lacks():
    dtypes = {
        torch.float16: "float16",
        torch.bfloat16: "float32",
        torch.float8_e4m3fn: "float32",
        torch.int8: "int8",
        torch.bool: "bool",
        torch.complex64: "complex64",
    }

    arrays = nested_numpify([torch.ones(2).to(dtype) for dtype in dtypes])

    assert [array.dtype.name for array in arrays] == list(dtypes.values())
    assert all(array.tolist() == [1, 1] for array in arrays)


def test_numpy_gets_the_values_of_tensors_with_gradients_and_of_conjugates():
    weight = torch.ones(1, requires_grad=True)
    conjugate = torch.tensor([1j]).conj()

    assert nested_numpify((weight * 2, conjugate))[1].tolist() == [-1j]
    assert nested_numpify(np.ones(1)).tolist() == [1.0]


def test_detaching_leaves_no_gradient_and_passes_over_what_is_no_tensor():
    weight = torch.ones(1, requires_grad=True)

    detached = nested_detach({"x": weight * 2, "n": 3, "none": None})

    assert not detached["x"].requires_grad
    assert (detached["n"], detached["none"]) == (3, None)


def test_padding_brings_the_second_dimension_to_a_length():
    padded = nested_pad({"ids": np.ones((1, 2, 2), dtype="int8"), "label": torch.ones(1)}, 3)

    assert padded["ids"].tolist() == [[[1, 1], [1, 1], [-100, -100]]]
    assert padded["ids"].dtype == "int8"
    assert padded["label"].shape == (1,)


def test_padding_to_less_than_is_there_is_refused():
    with pytest.raises(ValueError, match=r"arrays has length 4, longer than 3"):
        nested_pad(torch.ones(1, 4), 3)
