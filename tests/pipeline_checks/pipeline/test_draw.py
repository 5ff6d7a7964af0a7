import pytest
import torch
from torch.utils.data import (
    BatchSampler,
    DataLoader,
    Dataset,
    IterableDataset,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)

from tdebug.pipeline_checks.pipeline.draw import EndOfDataError, draws, is_indexed, rows_drawn


class Rows(Dataset):
    def __init__(self, length=10):
        self.length, self.read = length, []

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        self.read.append(index)
        return torch.tensor(index)


class Stream(IterableDataset):
    def __init__(self, length=10):
        self.length = length

    def __iter__(self):
        return iter(range(self.length))


def told(loader, max_batches=2):
    return [(d.number, d.indices, d.is_last) for d in draws(loader, max_batches)]


def test_the_first_batches_and_the_last_are_drawn_with_their_indices():
    loader = DataLoader(Rows(10), batch_size=4)

    assert told(loader) == [(0, (0, 1, 2, 3), False), (1, (4, 5, 6, 7), False), (2, (8, 9), True)]


def test_a_last_batch_among_the_first_is_drawn_once():
    assert told(DataLoader(Rows(5), batch_size=4), 8) == [(0, (0, 1, 2, 3), False), (1, (4,), True)]


def test_a_dropped_last_batch_is_not_drawn():
    last = told(DataLoader(Rows(10), batch_size=4, drop_last=True), 1)[-1]

    assert last == (1, (4, 5, 6, 7), True)


def test_nothing_is_read_before_a_batch_is_made():
    rows = Rows()
    first = next(iter(draws(DataLoader(rows, batch_size=2), 2)))

    assert rows.read == []
    assert first.make().tolist() == [0, 1]
    assert first.fetch() == [torch.tensor(0), torch.tensor(1)]


def test_the_loaders_own_collate_function_is_used():
    loader = DataLoader(Rows(4), batch_size=2, collate_fn=tuple)

    first = next(iter(draws(loader, 1)))

    assert first.make() == (torch.tensor(0), torch.tensor(1))
    assert first.collate is loader.collate_fn


def test_samples_are_read_in_one_go_where_the_dataset_can():
    class Fast(Rows):
        def __getitems__(self, indices):
            return [torch.tensor(-i) for i in indices]

    first = next(iter(draws(DataLoader(Fast(), batch_size=2), 1)))

    assert first.fetch() == [torch.tensor(0), torch.tensor(-1)]


def test_an_own_batch_sampler_is_followed():
    sampler = BatchSampler(SequentialSampler(range(6)), 3, drop_last=False)

    assert told(DataLoader(Rows(6), batch_sampler=sampler)) == [
        (0, (0, 1, 2), False),
        (1, (3, 4, 5), True),
    ]


def test_an_endless_batch_sampler_has_no_last_batch(monkeypatch):
    monkeypatch.setattr("tdebug.pipeline_checks.pipeline.draw.MAX_LISTED", 50)

    class Endless:
        def __iter__(self):
            while True:
                yield [0, 1]

    assert told(DataLoader(Rows(4), batch_sampler=Endless())) == [
        (0, (0, 1), False),
        (1, (0, 1), False),
    ]


@pytest.mark.parametrize(
    "make",
    [
        lambda: DataLoader(Stream(5), batch_size=2),
        lambda: DataLoader(Stream(5), batch_size=2, num_workers=1),
        lambda: DataLoader(Rows(5), batch_size=None),
        lambda: [torch.tensor([0, 1])],
    ],
    ids=["stream", "stream with workers", "no batch size", "list"],
)
def test_other_loaders_are_iterated_and_say_nothing_of_samples(make):
    loader = make()

    drawn = list(draws(loader, 3))

    assert not is_indexed(loader)
    assert [(d.indices, d.fetch, d.collate, d.is_last) for d in drawn] == [
        ((), None, None, False)
    ] * 3
    assert torch.is_tensor(drawn[0].make())


def test_a_loader_that_overrides_iteration_is_iterated():
    class Doubled(DataLoader):
        def __iter__(self):
            return (2 * batch for batch in super().__iter__())

    first = next(iter(draws(Doubled(Rows(4), batch_size=2), 1)))

    assert (first.indices, first.make().tolist()) == ((), [0, 2])


def test_the_end_of_an_iterated_loader_is_told():
    one, two = draws([torch.tensor(1)], 2)

    assert one.make().item() == 1
    with pytest.raises(EndOfDataError):
        two.make()


def test_a_loader_is_iterated_once():
    loader = DataLoader(Stream(6), batch_size=2)

    assert [d.make().tolist() for d in draws(loader, 3)] == [[0, 1], [2, 3], [4, 5]]


def test_indices_of_numpy_and_tensors_become_plain():
    class Tensors:
        def __iter__(self):
            return iter([[torch.tensor(3), torch.tensor(1)]])

    [(_, indices, _)] = told(DataLoader(Rows(), batch_sampler=Tensors()))

    assert indices == (3, 1)
    assert all(type(index) is int for index in indices)


def test_keys_that_are_no_numbers_are_read_and_are_no_indices():
    class Names:
        def __iter__(self):
            return iter([["a", "b"]])

    [draw] = draws(DataLoader({"a": 1, "b": 2}, batch_sampler=Names()), 2)

    assert (draw.indices, draw.make().tolist()) == ((), [1, 2])


def test_the_batches_of_wanted_samples_are_drawn_too():
    loader = DataLoader(Rows(20), batch_size=2)

    drawn = [(draw.number, draw.is_last) for draw in draws(loader, 2, (9, 0, 99))]

    assert drawn == [(0, False), (1, False), (4, False), (9, True)]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [0, 1, 2, 3, 4]),
        ({"shuffle": True}, [0, 1, 2, 3, 4]),
        ({"sampler": SubsetRandomSampler([4, 1])}, [1, 4]),
        ({"sampler": WeightedRandomSampler([0.0, 1, 0, 2, 0], 9)}, [1, 3]),
        ({"sampler": [0, 1]}, None),
        ({"batch_sampler": [[0, 1]]}, None),
    ],
)
def test_the_rows_that_a_sampler_draws_are_known_where_it_tells(options, expected):
    rows = rows_drawn(DataLoader(Rows(5), **options), 5)

    assert (rows if rows is None else list(rows)) == expected


class Order(Sampler):
    def __init__(self, *indices):
        self.indices = indices

    def __iter__(self):
        return iter(self.indices)


@pytest.mark.parametrize(
    ("indices", "options", "expected"),
    [
        ((3, 1, 0, 4, 2), {}, True),
        ((3, 1, 0, 4, 2), {"drop_last": True}, True),
        ((3, 1, 0, 4, 4), {}, False),
        ((3, 1), {}, False),
        (("a", "b"), {}, None),
    ],
)
def test_whether_a_sampler_of_the_users_draws_each_sample_once_is_counted(
    indices, options, expected
):
    *_, last = draws(DataLoader(Rows(5), 2, sampler=Order(*indices), **options), 1)

    assert (last.is_last, last.is_each_once) == (True, expected)
