"""The columns of all kinds of datasets."""

import datasets
import numpy as np
import pandas as pd
import pytest
import torch
from torch.utils.data import ConcatDataset, Dataset, StackDataset, Subset, TensorDataset

from tdebug.pipeline_checks.observe.column_numbers import Clock
from tdebug.pipeline_checks.observe.dataset_columns import dataset_columns

LABELS = [0, 1, 2, 1, 0, 2]
FEATURES = torch.arange(12.0).reshape(6, 2)
PAIRS = TensorDataset(FEATURES, torch.tensor(LABELS))


class Holder(Dataset):
    """A dataset of the user's with some attributes."""

    def __init__(self, **attributes):
        vars(self).update(attributes)

    def __len__(self):
        return 6

    def __getitem__(self, index):
        raise AssertionError("no sample is read")


def columns_of(dataset, length=None):
    found = dataset_columns(dataset, len(dataset) if length is None else length, Clock(10))
    return {column.name: column for column in found}


def told(column):
    return column.numbers.tolist()


def test_the_tensors_of_a_tensor_dataset_are_the_entries_of_its_samples():
    found = columns_of(PAIRS)

    assert {column.path: told(column) for column in found.values()} == {
        "[0]": FEATURES.tolist(),
        "[1]": LABELS,
    }


def test_a_subset_has_the_rows_that_it_names():
    assert told(columns_of(Subset(PAIRS, [5, 0]))["tensors[1]"]) == [2, 0]


def test_datasets_one_after_the_other_have_their_rows_one_after_the_other():
    found = columns_of(ConcatDataset([PAIRS, Subset(PAIRS, [3])]))

    assert told(found["tensors[1]"]) == [*LABELS, 1]
    assert found["tensors[1]"].path == "[1]"


def test_stacked_datasets_have_their_keys_in_the_path():
    found = columns_of(StackDataset(x=FEATURES, y=LABELS))

    assert sorted(column.path for column in found.values()) == ['["x"]', '["y"]']


@pytest.mark.parametrize(
    "labels",
    [
        LABELS,
        torch.tensor(LABELS),
        np.array(LABELS, dtype="int8"),
        pd.Series(LABELS),
        tuple(LABELS),
        np.array(LABELS, dtype=object),
        [np.int64(label) for label in LABELS],
    ],
)
def test_an_attribute_of_the_users_dataset_is_a_column(labels):
    [column] = columns_of(Holder(targets=labels, name="train", size=6)).values()

    assert (column.name, told(column), column.path) == ("targets", LABELS, None)


def test_the_columns_of_a_data_frame_are_columns():
    frame = pd.DataFrame(
        {"age": [1.0, 2, 3, 4, np.nan, 6], "text": ["a", "b", None, "d", "e", "f"]}
    )

    found = columns_of(Holder(frame=frame))

    assert found["frame['age']"].numbers.isnan().tolist() == [False] * 4 + [True, False]
    assert found["frame['text']"].odd_rows == (2,)


@pytest.mark.parametrize(
    "rows",
    [
        [("a.png", label) for label in LABELS],
        [{"path": "a.png", 1: label} for label in LABELS],
    ],
)
def test_rows_that_are_tuples_or_dicts_have_one_column_an_entry(rows):
    found = columns_of(Holder(samples=rows))

    assert told(found["samples[...][1]"]) == LABELS


def test_a_list_of_samples_is_a_dataset_too():
    [column] = columns_of([{"label": label} for label in LABELS]).values()

    assert (column.path, told(column)) == ('["label"]', LABELS)


def test_the_entry_that_is_none_among_many_texts_is_odd():
    texts = ["some text"] * 200 + [None] + ["more"] * 200

    [column] = columns_of(texts).values()

    assert column.odd_rows == (200,)


def test_the_first_array_of_a_list_that_is_not_finite_is_odd():
    arrays = [np.ones(3), np.ones(2), np.array([1.0, np.inf]), np.ones(3)]

    [column] = columns_of(arrays).values()

    assert column.odd_rows == (2,)


def test_a_dataset_around_another_one_may_change_its_samples():
    found = columns_of(Holder(inner=PAIRS))

    assert told(found["tensors[1]"]) == LABELS
    assert found["tensors[1]"].path is None


def test_what_has_another_length_is_no_column():
    assert columns_of(Holder(classes=["a", "b"], pixels=np.ones(5), inner=Subset(PAIRS, [1]))) == {}


@pytest.mark.parametrize(
    "held", [{"all_y": list(range(9))}, {"base": TensorDataset(torch.arange(9))}]
)
def test_a_list_of_indices_tells_the_rows_of_what_is_longer(held):
    [_, column] = columns_of(Holder(train_idx=np.array([8, 0, 3, 3, 1, 2]), **held)).values()

    assert (told(column), column.path) == ([8, 0, 3, 3, 1, 2], None)


def test_a_dataset_inside_that_cannot_tell_its_length_has_no_columns():
    class Broken(Holder):
        def __len__(self):
            raise TypeError("not yet")

    assert columns_of(Holder(inner=Broken(labels=LABELS))) == {}


def test_a_subclass_that_reads_in_its_own_way_is_known_by_its_attributes_alone():
    class Doubled(TensorDataset):
        def __getitem__(self, index):
            return [2 * value for value in super().__getitem__(index)]

    assert all(column.path is None for column in columns_of(Doubled(FEATURES)).values())


def arrow(**columns):
    return datasets.Dataset.from_dict(columns)


def test_the_columns_of_an_arrow_table_are_columns():
    found = columns_of(arrow(label=LABELS, text=["a"] * 6, value=FEATURES[:, 0].tolist()))

    assert (found["label"].path, told(found["label"])) == ('["label"]', LABELS)
    assert told(found["value"]) == FEATURES[:, 0].tolist()


def test_the_rows_of_an_arrow_table_are_in_the_order_of_the_dataset():
    assert told(columns_of(arrow(label=LABELS).select([5, 1, 1]))["label"]) == [2, 1, 1]


def test_lists_in_an_arrow_table_know_where_each_row_begins():
    column = columns_of(arrow(ids=[[1, 2], [], [3], [4, 5, 6]]).select(range(1, 4)))["ids"]

    assert told(column) == [3, 4, 5, 6]
    assert column.offsets.tolist() == [0, 0, 1, 4]


def test_lists_of_shuffled_rows_are_in_the_order_of_the_dataset():
    column = columns_of(arrow(ids=[[1, 2], [], [3], [4, 5, 6]]).select([3, 1, 0]))["ids"]

    assert told(column) == [4, 5, 6, 1, 2]
    assert column.offsets.tolist() == [0, 3, 3, 5]


def test_a_null_is_odd_where_it_is_in_the_order_of_the_dataset():
    column = columns_of(arrow(text=["a", None, "c"]).select([2, 0, 1]))["text"]

    assert column.odd_rows == (2,)


def test_the_longest_and_the_shortest_text_or_list_are_known():
    texts = ["some", "a", "of several words", "one"]
    lists = [[1, 2], [], [3], [4, 5, 6]]

    found = columns_of(arrow(text=texts, ids=lists).select([3, 2, 1, 0]))
    [held] = columns_of(texts).values()
    [part] = columns_of(Subset(lists, [0, 3])).values()

    assert {name: column.ends_in_size for name, column in found.items()} == {
        "text": (1, 2),
        "ids": (0, 2),
    }
    assert held.ends_in_size == (2, 1)
    assert part.ends_in_size == (1, 0)
    assert columns_of(arrow(text=["aa", "bb"]))["text"].ends_in_size == ()


@pytest.mark.parametrize("indices", [[9], [-1], [], [0.5]])
def test_a_subset_of_rows_that_are_not_there_has_no_columns(indices):
    assert columns_of(Subset(PAIRS, indices)) == {}


def test_lists_of_lists_in_an_arrow_table_know_where_each_row_begins():
    column = columns_of(arrow(boxes=[[[1], [2, 3]], [[4]], []]))["boxes"]

    assert told(column) == [1, 2, 3, 4]
    assert column.offsets.tolist() == [0, 3, 4, 4]


def test_a_null_of_an_arrow_table_is_odd_wherever_it_is():
    found = columns_of(arrow(text=["a", None], label=[1, None], ids=[[1], [2, None]]))

    assert {name: column.odd_rows for name, column in found.items()} == {
        "text": (1,),
        "label": (1,),
        "ids": (1,),
    }


def test_nulls_that_were_filtered_out_are_no_matter():
    rows = arrow(
        label=[1, None, 2],
        truth=[True, None, False],
        text=["a", None, "bcd"],
        ids=[[1], None, [2, 3]],
    )

    found = columns_of(rows.select([2, 0]))

    assert told(found["label"]) == [2, 1]
    assert told(found["truth"]) == [False, True]
    assert found["text"].sizes.tolist() == [3, 1]
    assert "ids" not in found


def test_a_transform_of_an_arrow_dataset_may_change_its_columns():
    dataset = arrow(label=LABELS)
    dataset.set_transform(lambda rows: rows)

    assert columns_of(dataset)["label"].path is None
