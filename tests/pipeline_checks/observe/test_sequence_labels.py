import pytest
import torch
from torch import nn

from tdebug.pipeline_checks.observe.sequence_labels import attention_masks, language_model_labels
from tdebug.pipeline_checks.pipeline import Pipeline
from tdebug.pipeline_checks.pipeline.draw import Draw

DRAW = Draw(2, (7, 8), None, None, lambda: None)
PIPELINE = Pipeline(model=nn.Identity())
IDS = torch.tensor([[5, 6, 2, 0], [5, 6, 7, 2]])
MASK = torch.tensor([[1, 1, 1, 0], [1, 1, 1, 1]])


class Tokenizer:
    pad_token_id, eos_token_id = 0, 2


class Config:
    def __init__(self, eos_token_id):
        self.eos_token_id = eos_token_id


def look(labels, tokenizer=None, configs=None, **fields):
    model = nn.Identity()
    vars(model).update(configs or {})
    pipeline = Pipeline(model=model, tokenizer=tokenizer)
    [fact] = language_model_labels(DRAW, {"input_ids": IDS, "labels": labels, **fields}, pipeline)
    return fact


def test_ignored_labels_and_rows_are_counted():
    labels = torch.tensor([[-100, -100, -100, -100], [5, 6, 7, -100]])

    fact = look(labels)

    assert (fact.num_labels, fact.num_ignored, fact.rows_ignored) == (8, 5, (7,))


def test_labels_on_padding_are_counted_by_the_mask():
    fact = look(IDS.clone(), attention_mask=MASK)

    assert (fact.num_padded, fact.num_padded_labelled) == (1, 1)


def test_without_a_mask_the_pad_token_tells_the_padding():
    fact = look(IDS.clone(), Tokenizer())

    assert (fact.num_padded, fact.num_padded_labelled) == (1, 1)


def test_a_pad_token_that_is_also_the_end_tells_nothing():
    tokenizer = Tokenizer()
    tokenizer.pad_token_id = 2

    assert look(IDS.clone(), tokenizer).num_padded == 0


def test_end_tokens_that_are_never_learned_are_counted():
    labels = IDS.masked_fill(IDS == 2, -100)

    fact = look(labels, Tokenizer(), attention_mask=MASK)

    assert (fact.num_eos, fact.num_eos_ignored) == (2, 2)


@pytest.mark.parametrize(
    "configs",
    [
        {"config": Config(2)},
        {"config": Config(9), "generation_config": Config([2, 7])},
        {"config": Config(2), "generation_config": Config(None)},
    ],
)
def test_without_a_tokenizer_the_model_tells_the_end_token(configs):
    labels = IDS.masked_fill(IDS == 2, -100)

    fact = look(labels, configs=configs, attention_mask=MASK)

    assert 2 in fact.eos
    assert fact.num_eos - fact.num_eos_ignored == len(fact.eos) - 1


def test_the_padding_is_known_by_its_mask_or_by_the_tokenizer():
    by_mask, by_id, unknown = (
        look(IDS, attention_mask=MASK),
        look(IDS, Tokenizer()),
        look(IDS, configs={"config": Config(2)}),
    )

    assert (by_mask.pad, by_id.pad, unknown.pad) == (0, 0, None)
    assert (by_mask.knows_padding, by_id.knows_padding, unknown.knows_padding) == (
        True,
        True,
        False,
    )


def test_labels_are_compared_with_this_and_with_the_next_token():
    same = look(IDS.clone())
    shifted = look(torch.cat([IDS[:, 1:], torch.full((2, 1), -100)], dim=1))

    assert (same.num_same, same.num_compared) == (6, 6)
    assert (shifted.num_next, shifted.num_compared) == (6, 6)


@pytest.mark.parametrize(
    "batch",
    [
        {"labels": torch.zeros(2, dtype=torch.long)},
        {"labels": torch.zeros(2, 3)},
        {"labels": [1, 2]},
        {"input_ids": IDS},
        (IDS, IDS),
    ],
)
def test_other_labels_are_none_of_a_language_model(batch):
    assert list(language_model_labels(DRAW, batch, PIPELINE)) == []


def test_labels_of_another_length_are_counted_but_not_compared():
    fact = look(torch.zeros(2, 9, dtype=torch.long))

    assert (fact.num_labels, fact.num_compared) == (18, 0)


def test_masks_that_mask_everything_are_told_by_sample():
    mask = torch.tensor([[1, 1], [0, 0]])

    [fact] = attention_masks(DRAW, {"attention_mask": mask})

    assert (fact.batch, fact.path, fact.empty_rows) == (2, '["attention_mask"]', (8,))


@pytest.mark.parametrize("mask", [MASK, MASK.bool(), torch.ones(2), torch.ones(2, 0), [[0, 0]]])
def test_other_masks_are_fine(mask):
    assert list(attention_masks(DRAW, {"attention_mask": mask})) == []
