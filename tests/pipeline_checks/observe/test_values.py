import numpy as np
import pytest
import torch

from tdebug.pipeline_checks.observe.values import is_value, read_value


class Own:
    pass


@pytest.mark.parametrize(
    ("item", "kind", "num_dims", "shape", "dtype"),
    [
        (torch.zeros(2, 3), "float32 tensor", 2, (2, 3), "float32"),
        (torch.tensor(4), "int64 tensor", 0, (), "int64"),
        (torch.zeros(0, 3, dtype=torch.bool), "bool tensor", 2, (0, 3), "bool"),
        (np.zeros((2, 3)), "float64 array", 2, (2, 3), "float64"),
        (np.zeros(3, dtype=np.uint16), "uint16 array", 1, (3,), "uint16"),
        (np.float32(1.5), "float32 scalar", 0, (), "float32"),
        (np.array(["a", "b"]), "str array", None, (2,), "<U1"),
        (np.array([1, "a"], dtype=object), "object array", 1, (2,), "object"),
        (True, "bool", 0, (), ""),
        (3, "int", 0, (), ""),
        (2.5, "float", 0, (), ""),
        (10**30, "int beyond 64 bits", 0, (), ""),
        ("text", "str", None, None, ""),
        (b"bytes", "bytes", None, None, ""),
        (None, "None", None, None, ""),
        ([1, 2, 3], "list of int", 1, (3,), ""),
        ([1.0, 2.0], "list of float", 1, (2,), ""),
        ([True, False], "list of bool", 1, (2,), ""),
        ((1, 2), "tuple of int", 1, (2,), ""),
        ([[1, 2], [3, 4]], "list of lists of int", 2, (2, 2), ""),
        ([[1, 2], [3]], "ragged list of numbers", None, (2,), ""),
        (["a", "b"], "list of str", None, (2,), ""),
        ([], "empty list", None, (0,), ""),
        ([None, 1], "list of NoneType and int", None, (2,), ""),
        ([1, "a"], "list of int and str", None, (2,), ""),
    ],
)
def test_a_value_is_told_by_kind_dimensions_shape_and_dtype(item, kind, num_dims, shape, dtype):
    value = read_value(item)

    assert (value.kind, value.num_dims, value.shape, value.dtype) == (kind, num_dims, shape, dtype)


def test_an_object_of_an_own_class_is_told_by_its_module_and_name():
    assert read_value(Own()).kind.endswith(".Own")


@pytest.mark.parametrize("item", [torch.arange(3), np.arange(3), [0, 1, 2], (0, 1, 2)])
def test_its_numbers_are_read_whatever_it_is(item):
    assert read_value(item).numbers.tolist() == [0, 1, 2]


def test_a_read_only_array_is_read_without_a_warning():
    array = np.arange(3)
    array.setflags(write=False)

    assert read_value(array).numbers.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    "item",
    [
        torch.zeros(2, device="meta"),
        torch.zeros(2, 2).to_sparse(),
        np.zeros(2, dtype=[("x", int)]),
    ],
    ids=["meta", "sparse", "structured"],
)
def test_what_has_no_readable_numbers_is_told_without_them(item):
    assert read_value(item).numbers is None


@pytest.mark.filterwarnings("ignore:.*quantize:UserWarning")  # torch is about to give them up
def test_a_quantized_tensor_is_told_without_numbers():
    value = read_value(torch.quantize_per_tensor(torch.zeros(2), 0.1, 0, torch.qint8))

    assert (value.kind, value.numbers) == ("qint8 tensor", None)


def test_the_types_inside_an_object_array_are_told_with_an_example_each():
    value = read_value(np.array([1.5, None, "x", 2.5], dtype=object))

    assert value.types_inside == (("float", "1.5"), ("NoneType", "None"), ("str", "'x'"))


def test_text_is_kept_as_an_example_and_cut():
    assert read_value("x" * 500).text == "x" * 200
    assert read_value(["first", "second"]).text == "first"


@pytest.mark.parametrize(
    ("item", "answer"),
    [([1, 2], True), (["a"], True), ([], False), ([{"a": 1}], False), ((1, 2), False), (3, False)],
)
def test_a_list_of_numbers_or_of_text_is_one_value(item, answer):
    assert is_value(item) is answer
