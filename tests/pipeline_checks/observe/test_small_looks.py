"""Looks at what is left where something raised, and at datasets before they are read."""

import numpy as np
import pytest
import torch
from torch.utils.data import Subset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

from tdebug.pipeline_checks.observe.object_arrays import find_object_arrays
from tdebug.pipeline_checks.observe.refused_trainer import find_refused_trainer
from tdebug.pipeline_checks.observe.untouched import look_before_reading


class Table:
    def __init__(self, column, error=TypeError):
        self.column, self.error = column, error

    def __getitem__(self, index):
        row = self.column[index]
        raise self.error(f"cannot read {row!r}")


def error_of(function):
    try:
        function()
    except Exception as error:  # noqa: BLE001 - whatever the test raises
        return error
    return pytest.fail("nothing was raised")


def test_object_arrays_of_self_and_locals_are_told_after_a_type_error(code):
    column = np.array([1, None, "x"], dtype=object)

    [found] = find_object_arrays(error_of(lambda: Table(column)[0]), code)

    assert (found.name, found.shape) == ("self.column", (3,))
    assert [name for name, _ in found.types_inside] == ["int", "NoneType", "str"]


@pytest.mark.parametrize(
    ("column", "error"),
    [(np.array([1, None], dtype=object), KeyError), (np.array([1, 2]), TypeError)],
)
def test_other_errors_and_other_arrays_tell_nothing(code, column, error):
    assert find_object_arrays(error_of(lambda: Table(column, error)[0]), code) == ()


class Stream(torch.utils.data.IterableDataset):
    def __iter__(self):
        return iter(())


@pytest.mark.filterwarnings("default")
def test_what_a_trainer_was_given_is_read_off_the_traceback(tmp_path):
    config = BertConfig(hidden_size=8, num_hidden_layers=1, num_attention_heads=2, vocab_size=9,
                        intermediate_size=8)  # fmt: skip
    arguments = TrainingArguments(str(tmp_path), num_train_epochs=4, report_to=[], use_cpu=True)
    model = BertForSequenceClassification(config)

    refused = find_refused_trainer(
        error_of(lambda: Trainer(model, arguments, train_dataset=Stream()))
    )

    assert (refused.dataset, refused.has_length, refused.num_epochs) == ("Stream", False, 4)
    assert refused.max_steps <= 0


def test_an_error_without_a_trainer_tells_of_none():
    assert find_refused_trainer(error_of(lambda: 1 / 0)) is None


class Lazy:
    def __init__(self):
        self.opened = None

    def __getitem__(self, index):
        self.opened = self.opened or object()
        return index


def test_a_dataset_gets_its_attributes_from_before_the_reading_for_a_while():
    lazy = Lazy()
    dataset = Subset(lazy, [0])
    before = look_before_reading(dataset)
    _ = dataset[0]
    opened = lazy.opened

    with before.restored():
        assert lazy.opened is None
    assert lazy.opened is opened is not None


def test_datasets_without_attributes_are_left_alone():
    with look_before_reading([1, 2], {"a": 1}, None).restored():
        pass
