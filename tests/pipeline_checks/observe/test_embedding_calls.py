import pytest
import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self, rows=10):
        super().__init__()
        self.words = nn.Embedding(rows, 4)

    def forward(self, ids):
        return self.words(ids).sum()


def ids(*rows):
    return torch.tensor(rows)


def test_ids_in_range_are_not_noted(watch_forward):
    model = Tagger()

    assert watch_forward(model, [ids([0, 9])], lambda b: model(b[0])).record.embeddings == []


def test_an_id_beyond_the_table_is_noted_with_its_sample_before_it_raises(watch_forward):
    model = Tagger()
    batch = {"input_ids": ids([1, 2, 3], [4, 12, 11], [0, 0, 0])}

    seen = watch_forward(model, batch, lambda b: model(b["input_ids"]), (40, 41, 42))

    [call] = seen.record.embeddings
    assert isinstance(seen.error, IndexError)
    assert (call.module, call.rows, call.min, call.max) == ("words", 10, 0, 12)
    assert call.input.field == '["input_ids"]'
    assert (call.bad.value, call.bad.row, call.bad.index) == (12.0, 1, 41)
    assert (call.bad.num_bad, call.bad.num_rows) == (2, 1)
    assert call.location.function == "forward"


def test_a_negative_id_is_noted(watch_forward):
    model = Tagger()

    [call] = watch_forward(model, [ids([0, -1])], lambda b: model(b[0])).record.embeddings

    assert (call.bad.value, call.min) == (-1.0, -1)


def test_functional_calls_and_keywords_are_seen(watch_forward):
    model = Tagger()

    def forward(batch):
        return nn.functional.embedding(input=batch[0], weight=model.words.weight).sum()

    [call] = watch_forward(model, [ids([99])], forward).record.embeddings

    assert (call.module, call.rows) == ("", 10)


def test_embedding_bags_are_seen(watch_forward):
    bag = nn.EmbeddingBag(5, 2)

    [call] = watch_forward(bag, [ids([1, 7])], lambda b: bag(b[0]).sum()).record.embeddings

    assert (call.module, call.rows, call.bad.value) == ("", 5, 7.0)


@pytest.mark.parametrize("bad", [torch.ones(2), torch.ones(0, dtype=torch.long)])
def test_floats_and_empty_tensors_are_left_to_torch(watch_forward, bad):
    model = Tagger()

    assert watch_forward(model, [bad], lambda b: model(b[0])).record.embeddings == []
