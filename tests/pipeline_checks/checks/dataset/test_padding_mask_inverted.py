import pytest
import torch
from torch import nn
from torch.nn import functional
from transformers import BertConfig, BertForSequenceClassification

from tdebug.pipeline_checks import Pipeline, check_pipeline
from tdebug.pipeline_checks.checks.dataset.padding_mask_inverted import padding_mask_inverted
from tdebug.pipeline_checks.facts import BatchFacts, CallFacts, ModelFacts
from tdebug.pipeline_checks.facts.batches import MaskFact
from tdebug.pipeline_checks.facts.calls import AttentionCall

LENGTHS = [3, 5, 8, 2, 6, 7, 4, 5]


def samples(*, is_inverted=False):
    for number, length in enumerate(LENGTHS):
        is_text = torch.arange(8) < length
        ids = torch.randint(1, 40, (8,), generator=torch.Generator().manual_seed(number)) * is_text
        yield {"input_ids": ids, "attention_mask": (is_text ^ is_inverted).long(), "labels": 1}


class Net(nn.Module):
    """Attention over ids that is given the mask as `style` says."""

    def __init__(self, style):
        super().__init__()
        self.embed, self.head, self.style = nn.Embedding(40, 8), nn.Linear(8, 3), style
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, input_ids, attention_mask, labels):
        x, is_text = self.embed(input_ids), attention_mask.bool()
        if self.style == "bool":
            x = self.attention(x, x, x, key_padding_mask=~is_text)[0]
        elif self.style == "float":
            mask = torch.zeros(is_text.shape).masked_fill(~is_text, -torch.inf)
            x = self.attention(x, x, x, key_padding_mask=mask)[0]
        else:
            heads = x[:, None]
            mask = is_text[:, None, None]
            x = functional.scaled_dot_product_attention(heads, heads, heads, attn_mask=mask)[:, 0]
        return functional.cross_entropy(self.head(x[:, 0]), labels)


def bert(**options):
    return BertForSequenceClassification(
        BertConfig(
            vocab_size=40,
            hidden_size=8,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=8,
            max_position_embeddings=16,
            num_labels=3,
            **options,
        )
    )


def found(model, **options):
    report = check_pipeline(Pipeline(model=model, dataset=list(samples(**options))))
    return [finding for finding in report.findings if finding.code == "TD124"]


@pytest.mark.parametrize("style", ["bool", "float", "sdpa"])
def test_attention_that_looks_at_the_padding_alone_is_found_in_either_style(style):
    [finding] = found(Net(style), is_inverted=True)

    assert 'are those where ["input_ids"] holds id 0' in finding.message
    assert finding.location is not None


@pytest.mark.parametrize("style", ["bool", "float", "sdpa"])
def test_attention_that_ignores_the_padding_is_right(style):
    assert not found(Net(style))


@pytest.mark.parametrize("implementation", ["eager", "sdpa"])
def test_a_model_of_transformers_is_told_by_its_attention_mask(implementation):
    [finding] = found(bert(attn_implementation=implementation), is_inverted=True)

    assert "attention_mask is 1 at the padding and 0 at the text" in finding.message
    assert not found(bert(attn_implementation=implementation))


def test_one_batch_in_which_the_mask_is_right_clears_it():
    masks = (
        MaskFact(0, '["attention_mask"]', is_inverted=True),
        MaskFact(1, '["attention_mask"]', is_inverted=False),
    )
    bert_facts = ModelFacts("Bert", is_transformers=True)

    assert not list(padding_mask_inverted(bert_facts, BatchFacts(masks=masks), None, None, None))


def test_one_call_in_which_the_mask_is_right_clears_it():
    calls = [
        AttentionCall(0, "f", "a", "[0]", inverted, 3, 5, "id 0") for inverted in (True, False)
    ]
    facts = CallFacts(attentions=tuple(calls))

    assert not list(padding_mask_inverted(ModelFacts("Net"), BatchFacts(), facts, None, None))
