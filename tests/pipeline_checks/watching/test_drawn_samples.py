"""The samples of a batch are known though its loader is iterated."""

import pytest
import torch
from accelerate import Accelerator
from torch.utils.data import BatchSampler, DataLoader, IterableDataset, RandomSampler, TensorDataset

from tdebug.pipeline_checks.facts.numerics import OriginFact
from tdebug.pipeline_checks.facts.watching import DetectionFact
from tdebug.pipeline_checks.report import Stage
from tdebug.pipeline_checks.reporters.overflow import render_overflow
from tdebug.pipeline_checks.watching.drawn_samples import DrawnSamples

DATA = TensorDataset(torch.arange(10))


class Lengths:
    """A batch sampler of the user's: it draws a seed when it is begun, and its batches differ."""

    def __iter__(self):
        order = torch.randperm(10).tolist()
        return iter([order[:3], order[3:4], order[4:]])


class Numbers(IterableDataset):
    def __iter__(self):
        return iter(torch.arange(10))


def plain(**options):
    return DataLoader(DATA, **options)


LOADERS = {
    "in_order": lambda: plain(batch_size=4),
    "shuffled": lambda: plain(batch_size=4, shuffle=True),
    "shuffled_by_a_generator": lambda: plain(
        batch_size=3, shuffle=True, generator=torch.Generator().manual_seed(3)
    ),
    "last_dropped": lambda: plain(batch_size=4, shuffle=True, drop_last=True),
    "batch_sampler": lambda: plain(
        batch_sampler=BatchSampler(RandomSampler(DATA), 3, drop_last=False)
    ),
    "own_batch_sampler": lambda: plain(batch_sampler=Lengths()),
    "two_workers": lambda: plain(batch_size=2, shuffle=True, num_workers=2),
    "persistent_workers": lambda: plain(
        batch_size=3, shuffle=True, num_workers=1, persistent_workers=True
    ),
    "accelerate": lambda: Accelerator(cpu=True).prepare(plain(batch_size=4, shuffle=True)),
}


@pytest.mark.filterwarnings("default")  # forking with threads
@pytest.mark.parametrize("name", LOADERS)
def test_the_same_batches_come_and_their_samples_are_known(name):
    torch.manual_seed(0)
    loader = LOADERS[name]()
    expected = [[batch[0].tolist() for batch in loader] for _ in range(2)]
    after = torch.get_rng_state()
    torch.manual_seed(0)
    loader, drawn = LOADERS[name](), DrawnSamples()

    seen = []
    for _ in range(2):
        pairs = [(batch[0].tolist(), list(drawn.indices)) for batch in drawn.iterate(loader)]
        seen.append([batch for batch, _ in pairs])
        assert all(batch == indices for batch, indices in pairs)

    assert seen == expected
    assert torch.equal(torch.get_rng_state(), after)
    assert type(loader.batch_sampler).__name__ != "_ToldSampler"


UNKNOWN = {
    "list": lambda: [[torch.arange(4)], [torch.arange(4)]],
    "iterable_dataset": lambda: DataLoader(Numbers(), batch_size=4),
    "no_batches": lambda: plain(batch_size=None),
    "any_order": lambda: plain(batch_size=4, num_workers=2, in_order=False),
    "empty": list,
}


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", UNKNOWN)
def test_where_the_loader_does_not_say_nothing_is_known(name):
    drawn = DrawnSamples()

    known = [drawn.indices for _ in drawn.iterate(UNKNOWN[name]())]

    assert len(known) == len(list(UNKNOWN[name]()))
    assert set(known) <= {()}


def test_a_loader_that_raises_is_left_as_it_was():
    def collate(samples):
        raise ValueError(len(samples))

    loader = plain(batch_size=4, collate_fn=collate)
    before = loader.batch_sampler

    with pytest.raises(ValueError, match="4"):
        next(DrawnSamples().iterate(loader))
    assert loader.batch_sampler is before


def detection(rows):
    origin = OriginFact(Stage.FORWARD, 0, "log", "-inf", rows=rows)
    return DetectionFact(0, "forward", "output of the model", origin=origin)


def test_rows_are_given_their_samples():
    drawn = DrawnSamples()
    drawn.indices = (7, 2, 5)

    found = drawn.name_samples(detection((0, 2)), {"x": torch.ones(3, 4), "y": torch.ones(3)})

    assert found.origin.indices == (7, 5)


@pytest.mark.parametrize("batch", [torch.ones(6, 4), {}, [torch.ones(2), torch.ones(2, 2)]])
def test_rows_that_are_no_samples_are_given_none(batch):
    drawn = DrawnSamples()
    drawn.indices = (7, 2, 5)

    assert drawn.name_samples(detection((0, 2)), batch).origin.indices == ()


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("options", ["", "num_workers=2, "])
def test_the_samples_of_a_nan_are_told(train, options):
    outcome, _ = train(
        f"""
        def build_dataset():
            generator = torch.Generator().manual_seed(0)
            x = torch.rand(24, 3, generator=generator) + 0.5
            x[[13, 20]] = 0.0
            return torch.utils.data.TensorDataset(x, (x[:, 0] > 1).long())

        def build_dataloader(dataset):
            order = [*range(8), 20, 9, 10, 13, 11, 12]
            return torch.utils.data.DataLoader(dataset, {options}batch_size=4, sampler=order)

        class Logs(nn.Module):
            def __init__(self):
                super().__init__()
                self.out = nn.Linear(3, 2)
            def forward(self, x):
                return self.out(torch.log(x))

        def build_model():
            return Logs()
        """
    )

    origin = outcome.facts.detection.origin
    assert outcome.facts.detection.batch == 2
    assert (origin.operator, origin.rows, origin.indices) == ("log", (0, 3), (20, 13))
    shown = " ".join(render_overflow(outcome).split())
    assert "0, 3 of the batch, counted from 0: samples 20, 13 of the dataset" in shown
