import pytest
import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

X = torch.randn(2, 5, 8)
ONES = torch.ones(5, 5)
PADDED = torch.tensor([[1.0, 1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0, 0.0]])
KEYWORDS = torch.tensor([0.0, 1, 0, 1, 1])
NEIGHBOURS = torch.tensor(
    [[0.0, 1, 0, 0, 1], [1, 0, 1, 0, 0], [0, 1, 0, 1, 0], [0, 0, 1, 0, 1], [1, 0, 0, 1, 0]]
)


def with_module(watch_forward, **masks):
    model = nn.MultiheadAttention(8, 2, batch_first=True)
    return watch_forward(model, [X], lambda b: model(b[0], b[0], b[0], **masks)).record.added_mask


def with_function(watch_forward, mask):
    heads = X[:, None]
    return watch_forward(
        nn.Identity(), [X], lambda _: scaled_dot_product_attention(heads, heads, heads, mask)
    ).record.added_mask


@pytest.mark.parametrize("mask", [ONES.tril(), ONES.triu(), ONES.tril(-1)])
def test_a_triangle_of_ones_is_a_causal_mask(watch_forward, mask):
    found = with_module(watch_forward, attn_mask=mask)
    assert (found.argument, found.kind, found.mask.shape) == ("attn_mask", "causal", (5, 5))
    assert with_function(watch_forward, mask).kind == "causal"


def test_ones_for_the_keys_are_a_padding_mask(watch_forward):
    found = with_module(watch_forward, key_padding_mask=PADDED)
    assert (found.argument, found.kind) == ("key_padding_mask", "padding")
    assert with_function(watch_forward, PADDED[:, None, None]).kind == "padding"
    assert with_function(watch_forward, PADDED[:, None, None].expand(2, 1, 5, 5)).kind == "padding"


@pytest.mark.parametrize(
    "mask",
    [
        ONES.tril() == 0,
        ONES,
        ONES * 0,
        ONES.tril().log(),
        NEIGHBOURS,
        NEIGHBOURS.triu(),
        KEYWORDS.expand(5, 5),
        ONES.diag().diag(),
        nn.Parameter(ONES.tril()),
        ONES.tril() * 0.5,
    ],
)
def test_bool_masks_biases_and_masks_at_minus_infinity_are_meant(watch_forward, mask):
    assert with_module(watch_forward, attn_mask=mask) is None


def test_bool_masks_of_both_kinds_are_meant(watch_forward):
    masks = {"attn_mask": ONES.tril() == 0, "key_padding_mask": PADDED == 0}
    assert with_module(watch_forward, **masks) is None
