"""Whatever the world, the lengths and the nesting: gathering equals having computed it at once."""

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from tdebug.gather import (
    DistributedTensorGatherer,
    SequentialDistributedSampler,
    nested_concat,
    nested_truncate,
)
from tdebug.gather.nested import map_nested

TORCH_DTYPES = [
    torch.bool,
    torch.uint8,
    torch.int8,
    torch.int64,
    torch.float16,
    torch.bfloat16,
    torch.float32,
    torch.float64,
    torch.complex64,
]
NUMPY_DTYPES = ["bool", "uint8", "int16", "int64", "float16", "float64", "complex128"]

leaves = st.builds(
    lambda dtype, num_dims, varies: (dtype, num_dims, varies),
    st.sampled_from([*TORCH_DTYPES, *NUMPY_DTYPES]),
    st.integers(1, 3),
    st.booleans(),
)
structures = st.recursive(
    leaves.map(lambda leaf: {"leaf": leaf}),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3),
        st.lists(inner, min_size=1, max_size=3).map(tuple),
        st.dictionaries(st.text("abc", min_size=1, max_size=2), inner, min_size=1, max_size=3),
    ),
    max_leaves=5,
)


def compute(structure, samples):
    """Give outputs for these samples: each value tells its sample, each length depends on it."""
    if isinstance(structure, dict) and set(structure) == {"leaf"}:
        return compute_leaf(*structure["leaf"], samples)
    if isinstance(structure, dict):
        return {key: compute(inner, samples) for key, inner in structure.items()}
    return type(structure)(compute(inner, samples) for inner in structure)


def compute_leaf(dtype, num_dims, varies, samples):
    length = 1 + max(sample % 5 for sample in samples) if varies else 3
    values = np.zeros((len(samples), *[length] * (num_dims - 1)))
    for row, sample in enumerate(samples):
        own = (slice(0, 1 + sample % 5 if varies else 3),) * (num_dims - 1)
        values[(row, *own)] = sample % 100 + 1  # the rest of the row is the batch's own padding, 0
    return values.astype(dtype) if isinstance(dtype, str) else torch.from_numpy(values).to(dtype)


def split(num_rows, batch_size):
    return [(start, min(start + batch_size, num_rows)) for start in range(0, num_rows, batch_size)]


@given(
    structure=structures,
    world_size=st.integers(1, 6),
    num_samples=st.integers(1, 30),
    batch_size=st.integers(1, 6),
    is_rounded=st.booleans(),
)
def test_gathering_equals_one_process(structure, world_size, num_samples, batch_size, is_rounded):
    multiple = batch_size if is_rounded else None
    blocks = [
        list(SequentialDistributedSampler(range(num_samples), world_size, rank, multiple))
        for rank in range(world_size)
    ]
    gatherer = DistributedTensorGatherer(world_size, num_samples, multiple, padding_index=0)

    for start, stop in split(len(blocks[0]), batch_size):
        parts = [compute(structure, block[start:stop]) for block in blocks]
        chunk = parts[0]
        for part in parts[1:]:
            chunk = nested_concat(chunk, part, padding_index=0)
        gatherer.add_arrays(chunk)

    expected = compute(structure, list(range(num_samples)))
    map_nested(assert_equal, gatherer.finalize(), expected)


def assert_equal(path, actual, expected):
    assert type(actual) is type(expected)
    assert actual.dtype == expected.dtype
    assert actual.tolist() == expected.tolist()


@given(structure=structures, num_samples=st.integers(1, 12), limit=st.integers(0, 14))
def test_truncating_a_concatenation_gives_the_first_part_back(structure, num_samples, limit):
    samples = list(range(num_samples))
    first = compute(structure, samples)

    joined = nested_concat(first, compute(structure, samples), padding_index=0)

    def assert_head(path, actual, expected):
        assert actual.tolist() == expected[:limit].tolist()

    map_nested(assert_head, nested_truncate(joined, min(limit, num_samples)), first)


@given(
    num_samples=st.integers(0, 50),
    world_size=st.integers(1, 20),
    batch_size=st.one_of(st.none(), st.integers(1, 8)),
)
def test_blocks_are_even_in_order_and_cover_the_dataset(num_samples, world_size, batch_size):
    samplers = [
        SequentialDistributedSampler(range(num_samples), world_size, rank, batch_size)
        for rank in range(world_size)
    ]

    dealt = [index for sampler in samplers for index in sampler]

    assert len({len(sampler) for sampler in samplers}) == 1
    assert len(samplers[0]) % (batch_size or 1) == 0
    assert dealt == [index % num_samples for index in range(len(dealt))]
    assert num_samples <= len(dealt) < num_samples + world_size * (batch_size or 1)
