import functools

import pytest
import torch
from torch import nn
from torch.utils.data import (
    BatchSampler,
    DataLoader,
    Dataset,
    DistributedSampler,
    IterableDataset,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
    default_collate,
)
from transformers import BertTokenizerFast, DataCollatorWithPadding, default_data_collator

from tdebug.pipeline_checks.observe.loader import look_at_loader
from tdebug.pipeline_checks.pipeline import Pipeline
from tdebug.pipeline_checks.pipeline.make_loader import make_loader
from tdebug.pipeline_checks.session import Settings


class Rows(Dataset):
    def __len__(self):
        return 10

    def __getitem__(self, index):
        return torch.tensor([float(index)])


class Stream(IterableDataset):
    def __iter__(self):
        return iter(range(10))


class Backwards(Sampler):
    def __init__(self):
        pass

    def __iter__(self):
        return iter(range(9, -1, -1))

    def __len__(self):
        return 10


class Padder:
    def __call__(self, samples):
        return torch.stack(samples)


def pad(samples):
    return torch.stack(samples)


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory):
    file = tmp_path_factory.mktemp("vocab") / "vocab.txt"
    file.write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb")
    return BertTokenizerFast(str(file))


@pytest.fixture
def look(code):
    def look_at(loader, **parts):
        return look_at_loader(Pipeline(model=nn.Identity(), dataloader=loader, **parts), code)

    return look_at


@pytest.mark.parametrize(
    ("options", "is_shuffled", "sampler"),
    [
        ({}, False, "SequentialSampler"),
        ({"shuffle": True}, True, "RandomSampler"),
        ({"sampler": SubsetRandomSampler(range(10))}, True, "SubsetRandomSampler"),
        ({"sampler": WeightedRandomSampler([1.0] * 10, 10)}, True, "WeightedRandomSampler"),
        ({"sampler": Backwards()}, None, "Backwards"),
        ({"batch_sampler": BatchSampler(SequentialSampler(Rows()), 2, drop_last=False)}, False,
         "SequentialSampler"),
        ({"sampler": DistributedSampler(Rows(), 2, 0, shuffle=True)}, True, "DistributedSampler"),
        ({"sampler": DistributedSampler(Rows(), 2, 0, shuffle=False)}, False,
         "DistributedSampler"),
    ],
)  # fmt: skip
def test_whether_it_shuffles_is_told_by_its_sampler(look, options, is_shuffled, sampler):
    facts = look(DataLoader(Rows(), **options))

    assert (facts.is_shuffled, facts.sampler) == (is_shuffled, sampler)


def test_sizes_are_told(look):
    facts = look(DataLoader(Rows(), batch_size=4, drop_last=True))

    assert (facts.batch_size, facts.drop_last) == (4, True)
    assert (facts.num_batches, facts.num_samples) == (2, 10)
    assert (facts.num_workers, facts.start_method) == (0, "")


def test_a_stream_has_no_order_and_no_length(look):
    facts = look(DataLoader(Stream(), batch_size=4))

    assert (facts.is_iterable, facts.is_shuffled, facts.num_batches) == (True, None, None)
    assert facts.yields_batches is False


@pytest.mark.parametrize("loader", [[torch.ones(2)], DataLoader(Rows(), batch_size=None)])
def test_a_loader_that_must_be_iterated_says_so(look, loader):
    assert look(loader).yields_batches


def test_a_length_that_raises_is_no_length(look):
    class Broken(Stream):
        def __len__(self):
            raise ZeroDivisionError

    assert look(DataLoader(Broken())).num_samples is None


@pytest.mark.parametrize(
    ("collate", "kind", "name"),
    [
        (None, "default", "default_collate"),
        (default_collate, "default", "default_collate"),
        (pad, "user", "pad"),
        (Padder(), "user", "Padder"),
        (functools.partial(pad), "user", "pad"),
        (default_data_collator, "transformers", "default_data_collator"),
    ],
)
def test_the_collate_function_is_told_by_kind_and_name(look, collate, kind, name):
    facts = look(DataLoader(Rows(), collate_fn=collate))

    assert (facts.collate_kind, facts.collate) == (kind, name)
    assert (facts.collate_location is not None) == (kind == "user")


def test_a_lambda_is_named_by_where_it_is_defined(look):
    facts = look(DataLoader(Rows(), collate_fn=lambda samples: samples))

    assert facts.collate.endswith(".<lambda>")
    assert "lambda samples" in facts.collate_location.code


def test_a_padding_collator_brings_its_tokenizer(look, tokenizer):
    facts = look(DataLoader(Rows(), collate_fn=DataCollatorWithPadding(tokenizer)))

    assert (facts.has_tokenizer, facts.needs_padding) == (True, True)
    assert "input_ids" in facts.pads
    assert (facts.pad_token, facts.pad_token_id, facts.tokenizer_length) == ("[PAD]", 0, 7)


def test_a_tokenizer_that_is_merely_known_was_not_handed_over(look, tokenizer):
    facts = look(DataLoader(Rows(), collate_fn=default_data_collator), tokenizer=tokenizer)

    assert (facts.has_tokenizer, facts.needs_padding) == (False, False)
    assert facts.tokenizer == type(tokenizer).__name__


def test_workers_and_how_they_start_are_told(look):
    facts = look(DataLoader(Rows(), num_workers=2, multiprocessing_context="spawn"))

    assert (facts.num_workers, facts.start_method) == (2, "spawn")


def test_the_loader_that_tdebug_makes_keeps_the_order_of_the_dataset(look):
    pipeline = Pipeline(dataset=Rows())

    loader = make_loader(pipeline, Settings(batch_size=4))

    assert next(iter(loader)).flatten().tolist() == [0.0, 1.0, 2.0, 3.0]
    assert look(loader).is_shuffled is False


def test_the_loader_that_tdebug_makes_shuffles_by_the_seed():
    pipeline = Pipeline(dataset=Rows(), collate_fn=pad)

    loaders = [make_loader(pipeline, Settings(shuffle=True, seed=7)) for _ in range(2)]

    first, second = ([batch.flatten().tolist() for batch in loader] for loader in loaders)
    assert first == second
    assert first[0] != sorted(first[0])


def test_a_loader_is_made_around_streams_and_plain_iterables():
    class Plain:
        def __iter__(self):
            return iter([1, 2, 3])

    for dataset in (Stream(), Plain()):
        loader = make_loader(Pipeline(dataset=dataset), Settings(batch_size=2))
        assert next(iter(loader)).shape == (2,)
