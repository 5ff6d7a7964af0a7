from torch.utils.data import ConcatDataset, Dataset, Subset

from tdebug.pipeline_checks.observe.untouched import look_before_reading


class Lazy(Dataset):
    def __init__(self):
        self.opened = None

    def __len__(self):
        return 4

    def __getitem__(self, i):
        self.opened = self.opened or object()
        self.last = i
        return i


def test_attributes_made_on_first_use_are_gone_for_a_while_and_then_back():
    dataset = Lazy()
    before = look_before_reading(dataset)
    dataset[2]
    opened = dataset.opened

    with before.restored():
        assert dataset.opened is None
        assert not hasattr(dataset, "last")

    assert dataset.opened is opened
    assert dataset.last == 2


def test_wrapped_datasets_are_restored_too():
    inner = Lazy()
    outer = Subset(ConcatDataset([inner, Lazy()]), [0, 1])
    before = look_before_reading(outer)
    outer[0]

    with before.restored():
        assert inner.opened is None

    assert inner.opened is not None


def test_things_without_attributes_are_left_alone():
    with look_before_reading([1, 2, 3], None).restored():
        pass
