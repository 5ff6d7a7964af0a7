"""Where transformers still has a part of this name, the two agree, but for listed differences."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import trainer_pt_utils as theirs
from transformers.modeling_outputs import TokenClassifierOutput
from transformers.trainer_utils import EvalPrediction as TheirEvalPrediction

from tdebug import gather as ours

CASES = {
    "same length": (torch.ones(2, 3), torch.zeros(1, 3)),
    "first shorter": (torch.ones(2, 2), torch.zeros(1, 3)),
    "second shorter": (torch.ones(2, 3), torch.zeros(1, 2)),
    "three dimensions": (torch.ones(2, 2, 4), torch.zeros(1, 3, 4)),
    "rows alone": (torch.ones(2), torch.zeros(3)),
    "no rows dimension": (torch.tensor(1.0), torch.tensor(2.0)),
    "integers": (torch.ones(1, 1, dtype=torch.int8), torch.ones(1, 2, dtype=torch.int8)),
    "half": (torch.ones(1, 1).half(), torch.ones(1, 2).half()),
    "promoted": (torch.ones(1, 1, dtype=torch.int64), torch.ones(1, 1)),
}
NESTINGS = {
    "plain": lambda x: x,
    "list": lambda x: [x, x],
    "tuple": lambda x: (x, [x, x]),
    "dict": lambda x: {"a": x, "b": (x,)},
    "model output": lambda x: TokenClassifierOutput(loss=x, logits=x),
}
AS_KIND = {"torch": lambda x: x, "numpy": lambda x: x.numpy()}


def assert_same(actual, expected):
    assert type(actual) is type(expected)
    actual, expected = (list(ours.nested_leaves(each)) for each in (actual, expected))
    for (path, a), (other_path, b) in zip(actual, expected, strict=True):
        assert path == other_path
        assert (type(a), a.dtype, a.shape) == (type(b), b.dtype, b.shape)
        assert a.tolist() == b.tolist()


@pytest.mark.parametrize("kind", AS_KIND)
@pytest.mark.parametrize("nesting", NESTINGS)
@pytest.mark.parametrize("case", CASES)
def test_nested_concat_gives_the_same(case, nesting, kind):
    first, second = (NESTINGS[nesting](AS_KIND[kind](x)) for x in CASES[case])

    assert_same(ours.nested_concat(first, second, -7), theirs.nested_concat(first, second, -7))


@given(
    rows=st.tuples(st.integers(1, 4), st.integers(1, 4)),
    lengths=st.tuples(st.integers(1, 5), st.integers(1, 5)),
    padding=st.integers(-100, 100),
)
def test_nested_concat_gives_the_same_for_any_size(rows, lengths, padding):
    first, second = (
        torch.arange(number * length).reshape(number, length)
        for number, length in zip(rows, lengths, strict=True)
    )

    assert_same(
        ours.nested_concat(first, second, padding), theirs.nested_concat(first, second, padding)
    )


@pytest.mark.parametrize("nesting", NESTINGS)
def test_the_other_helpers_give_the_same(nesting):
    nested = NESTINGS[nesting](torch.arange(6.0).reshape(3, 2).bfloat16())

    assert ours.find_batch_size(nested) == theirs.find_batch_size(nested) == 3
    assert_same(ours.nested_truncate(nested, 2), theirs.nested_truncate(nested, 2))
    assert_same(ours.nested_numpify(nested), theirs.nested_numpify(nested))
    assert_same(ours.nested_detach(nested), theirs.nested_detach(nested))


@pytest.mark.parametrize(
    "asked_for", [{}, {"inputs": 3}, {"losses": 4}, {"inputs": 3, "losses": 4}]
)
def test_eval_prediction_unpacks_and_indexes_the_same(asked_for):
    our, their = (each(1, 2, **asked_for) for each in (ours.EvalPrediction, TheirEvalPrediction))

    assert list(our) == list(their)
    assert [our[i] for i in range(len(our))] == [their[i] for i in range(len(our))]
    for each in (our, their):
        with pytest.raises(IndexError, match="tuple index out of range"):
            each[len(our)]


@pytest.mark.parametrize("length", [1, 3, 23, 64])
@pytest.mark.parametrize("rank", [0, 1])
def test_the_sampler_gives_blocks_as_long_as_theirs_with_loop(length, rank):
    # SequentialDistributedSampler is gone from transformers 5; what is left deals out by turns.
    our = ours.SequentialDistributedSampler(range(length), 2, rank)
    their = theirs.DistributedSamplerWithLoop(range(length), 1, num_replicas=2, rank=rank)

    assert len(our) == len(list(our)) == len(their)


def test_zero_first_does_nothing_in_one_process_in_both():
    for each in (ours, theirs):
        with each.torch_distributed_zero_first(-1):
            pass


@dataclass
class Difference:
    """A call on which the two differ, what each gives, and why ours does."""

    call: str
    arguments: tuple[Any, ...]
    theirs: Any
    ours: Any
    reason: str


ROW = torch.tensor([[1, 2]])
DIFFERENCES = [
    Difference(
        "nested_concat",
        (torch.zeros(1, 1, dtype=torch.uint8), torch.zeros(1, 2, dtype=torch.uint8)),
        [[0, 156], [0, 0]],
        ValueError,
        "-100 is not a uint8: the padding became 156, a label like any other.",
    ),
    Difference(
        "nested_concat",
        (torch.zeros(1, 1, dtype=torch.bool), torch.zeros(1, 2, dtype=torch.bool)),
        [[False, True], [False, False]],
        ValueError,
        "-100 is not a bool: the padding became True.",
    ),
    Difference(
        "nested_concat",
        (torch.tensor([[1]]), torch.tensor([[0.7, 0.7]])),
        [[1, -100], [0, 0]],
        [[1, -100], [pytest.approx(0.7), pytest.approx(0.7)]],
        "0.7 became 0, since the first dtype was taken; without padding both promote.",
    ),
    Difference(
        "nested_concat",
        (torch.ones(1, 1, 1), torch.ones(1, 1, 2)),
        RuntimeError,
        [[[1, -100]], [[1, 1]]],
        "any dimension but the first may vary, as image sizes do.",
    ),
    Difference(
        "nested_concat",
        ({"a": ROW}, {"a": ROW, "b": ROW}),
        {"a": [[1, 2], [1, 2]]},
        ValueError,
        "the second's other keys were dropped in silence.",
    ),
    Difference(
        "nested_concat",
        ([ROW, ROW], [ROW]),
        [[[1, 2], [1, 2]]],
        ValueError,
        "the longer list was cut to the shorter in silence.",
    ),
    Difference(
        "nested_concat",
        ([ROW], (ROW,)),
        AssertionError,
        ValueError,
        "an assertion is switched off by python -O, and it says where.",
    ),
    Difference(
        "nested_concat",
        ([None], [None]),
        TypeError,
        [None],
        "outputs hold None where a part was not asked for.",
    ),
    Difference(
        "nested_numpify",
        (torch.ones(1, requires_grad=True),),
        RuntimeError,
        [1.0],
        "values are what is asked for; autograd has no say in numpy.",
    ),
    Difference(
        "nested_numpify",
        (torch.ones(1).to(torch.float8_e4m3fn),),
        TypeError,
        [1.0],
        "numpy has no 8-bit float; float32 holds every value, as it does for bfloat16.",
    ),
    Difference(
        "nested_truncate",
        (ROW, -1),
        [],
        ValueError,
        "a number of rows below zero dropped the last rows instead.",
    ),
]


def give(call, arguments):
    try:
        return as_values(call(*arguments))
    except Exception as error:  # noqa: BLE001  # which one it is, is what is compared
        return type(error)


def as_values(nested):
    if isinstance(nested, dict):
        return {key: as_values(value) for key, value in nested.items()}
    if isinstance(nested, (list, tuple)):
        return [as_values(value) for value in nested]
    return nested.tolist() if isinstance(nested, (torch.Tensor, np.ndarray)) else nested


@pytest.mark.parametrize("difference", DIFFERENCES, ids=lambda each: each.reason)
def test_the_differences_are_these(difference):
    for module, expected in ((theirs, difference.theirs), (ours, difference.ours)):
        assert give(getattr(module, difference.call), difference.arguments) == expected


def test_eval_prediction_differs_as_a_tuple_would():
    our, their = ours.EvalPrediction(1, 2), TheirEvalPrediction(1, 2)

    # A tuple can be indexed from its end, sliced, and has a length.
    assert (our[-1], our[:1], len(our)) == (2, (1,), 2)
    for call in (lambda: their[-1], lambda: their[:1], lambda: len(their)):
        with pytest.raises((IndexError, TypeError)):
            call()
    # What is changed is what is unpacked (theirs is frozen since 5.x, it was not in 4.x).
    our.predictions = their.predictions = 3
    assert (list(our), list(their)) == ([3, 2], [1, 2])
