"""What only started workers show; each test starts at most two."""

import random

import pytest
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset, get_worker_info

from tdebug.pipeline_checks.observe.loader_workers import probe_workers
from tdebug.pipeline_checks.observe.untouched import look_before_reading
from tdebug.pipeline_checks.session import Session


class Fixed(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return {"x": torch.tensor(float(index))}


class Noisy(Fixed):
    """A generator that is made on first use and then copied into every worker, as people do."""

    def __init__(self):
        self.generator = random.Random(3)  # noqa: S311 - noise

    def __getitem__(self, index):
        return {"x": torch.tensor(self.generator.random()), "y": index}


class Honest(Fixed):
    def __getitem__(self, index):
        return {"x": torch.rand(())}


class Stream(IterableDataset):
    def __iter__(self):
        return iter(range(6))


class Shared(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        first, step = (0, 1) if info is None else (info.id, info.num_workers)
        return iter(range(first, 6, step))


class HoldsLambda(Fixed):
    def __init__(self):
        self.transforms = [1]
        self.scale = lambda x: x


def probe(dataset, **options):
    session = Session()
    session.before_reading = look_before_reading(dataset)
    options = {"num_workers": 2, "batch_size": 2, **options}
    return probe_workers(session, DataLoader(dataset, **options))


def test_a_loader_without_workers_is_not_probed():
    assert probe(Fixed(), num_workers=0) is None
    assert probe_workers(Session(), [1, 2]) is None


def test_what_is_the_same_at_each_reading_starts_no_worker():
    facts = probe(Fixed())

    assert (facts.num_workers, facts.random_fields, facts.cloned_fields) == (2, (), ())


def test_a_generator_that_every_worker_gets_a_copy_of_is_told():
    facts = probe(Noisy())

    assert facts.random_fields == ('["x"]',)
    assert facts.cloned_fields == ('["x"]',)
    assert facts.repeats_epochs


def test_torchs_own_generator_differs_in_each_worker_and_epoch():
    facts = probe(Honest())

    assert (facts.random_fields, facts.cloned_fields, facts.repeats_epochs) == (
        ('["x"]',), (), False,
    )  # fmt: skip


def test_a_stream_that_every_worker_gives_whole_is_told():
    facts = probe(Stream())

    assert (facts.num_alone, facts.num_streamed, facts.num_distinct) == (6, 12, 6)
    assert facts.is_repeated


def test_a_stream_that_the_workers_share_is_fine():
    facts = probe(Shared())

    assert (facts.num_streamed, facts.is_repeated) == (6, False)


@pytest.mark.parametrize(
    ("dataset", "options", "part", "path", "what"),
    [
        (Fixed(), {"collate_fn": lambda samples: samples}, "collate_fn", "", "a lambda"),
        (HoldsLambda(), {}, "dataset", ".scale", "a lambda"),
        (Fixed(), {"worker_init_fn": lambda _: None}, "worker_init_fn", "", "a lambda"),
    ],
)
def test_what_cannot_be_sent_to_a_spawned_worker_is_told(dataset, options, part, path, what):
    facts = probe(dataset, multiprocessing_context="spawn", **options)

    [found] = facts.unpicklable
    assert (found.part, found.path, found.what) == (part, path, what)
    assert facts.start_method == "spawn"


def test_a_function_inside_a_function_is_told_by_its_name():
    def collate(samples):
        return samples

    [found] = probe(Fixed(), multiprocessing_context="spawn", collate_fn=collate).unpicklable

    assert found.what == "collate, which is defined inside a function"


def test_what_a_worker_raises_is_told():
    class Broken(Noisy):
        def __getitem__(self, index):
            if get_worker_info() is not None:
                raise ValueError("only in workers")
            return super().__getitem__(index)

    facts = probe(Broken())

    assert facts.error.type == "ValueError"
    assert "only in workers" in facts.error.text
