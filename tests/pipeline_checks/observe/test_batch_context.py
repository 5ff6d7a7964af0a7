import pytest
import torch

from tdebug.pipeline_checks.observe.batch_context import BatchContext


@pytest.fixture
def context():
    batch = {"ids": torch.arange(12).reshape(4, 3), "labels": torch.tensor([0, 1, 2, 1])}
    return BatchContext(2, (7, 5, 9, 3), batch)


def test_a_field_is_known_by_itself(context):
    path, leaf = context.field_of(context.batch["labels"])

    assert (path, leaf is context.batch["labels"]) == ('["labels"]', True)


@pytest.mark.parametrize(
    "change",
    [
        lambda ids: ids.view(-1),
        lambda ids: ids[:, 1:],
        lambda ids: ids.t(),
        lambda ids: ids.clone(),
        lambda ids: ids.float(),
        lambda ids: ids.reshape(-1).contiguous().clone(),
    ],
    ids=["view", "slice", "transpose", "clone", "cast", "flattened copy"],
)
def test_views_and_copies_are_known_as_the_field(context, change):
    assert context.field_of(change(context.batch["ids"]))[0] == '["ids"]'


def test_another_tensor_is_no_field(context):
    assert context.field_of(torch.arange(12).reshape(4, 3) + 1) is None
    assert context.field_of(torch.zeros(0)) is None


def test_a_tensor_of_one_value_throughout_is_not_taken_for_a_field_like_it():
    context = BatchContext(0, (), {"mask": torch.ones(4, 3), "other": torch.arange(4)})

    assert context.field_of(torch.ones(4, 3)) is None


def test_parameters_are_no_field_though_they_hold_the_same_numbers():
    weight = torch.arange(4.0)
    context = BatchContext(0, (), [weight.clone()], {id(weight): "weight"})

    assert context.field_of(weight) is None
    assert context.fact(weight).name == "weight"


@pytest.mark.parametrize(
    "tensor",
    [
        torch.zeros(4, 3, dtype=torch.complex64),
        torch.zeros(4, 3, device="meta"),
        torch.zeros(4, 3).to_sparse(),
    ],
    ids=["complex", "meta", "sparse"],
)
def test_tensors_that_cannot_be_compared_are_no_field(context, tensor):
    assert context.field_of(tensor) is None
    assert context.fact(tensor, with_range=True).min is None


def test_a_tensor_is_told_with_field_name_and_range(context):
    fact = context.fact(context.batch["ids"].float(), "the input", with_range=True)

    assert (fact.name, fact.field, fact.shape, fact.dtype) == (
        'batch["ids"]', '["ids"]', (4, 3), "float32",
    )  # fmt: skip
    assert (fact.min, fact.max) == (0.0, 11.0)
    assert str(fact) == "[4, 3] float32"


def test_the_range_leaves_out_what_is_not_finite(context):
    fact = context.fact(torch.tensor([1.0, torch.inf, torch.nan, 3.0]), with_range=True)

    assert (fact.min, fact.max) == (1.0, 3.0)
    assert context.fact(torch.tensor([torch.nan]), with_range=True).min is None


def test_a_row_is_known_by_its_sample(context):
    assert context.size == 4
    assert context.sample_of_row(2) == 9
    assert context.sample_of_row(None) is None
    assert context.sample_of_row(4) is None


def test_entries_of_flattened_tensors_are_told_by_row(context):
    flat = context.batch["ids"].reshape(-1)

    assert [context.row_of(flat, entry) for entry in (0, 2, 3, 11)] == [0, 0, 1, 3]
    assert context.row_of(torch.zeros(7), 3) is None
    assert context.row_of(torch.zeros(0), 0) is None


def test_without_indices_the_size_is_that_of_the_first_tensor():
    context = BatchContext(0, (), (torch.tensor(1.0), torch.zeros(6, 2)))

    assert context.size == 6
    assert context.sample_of_row(1) is None
