"""Padding told from text."""

import pytest
import torch

from tdebug.pipeline_checks.observe.padding import MaskVerdict, judge_mask

IDS = torch.tensor([[5, 6, 7, 0], [8, 9, 0, 0]])
IS_TEXT = IDS != 0


def test_a_mask_that_keeps_the_text_is_right():
    verdict = judge_mask(IS_TEXT, IDS)

    assert verdict == MaskVerdict(is_inverted=False, num_kept=5, num_hidden=3, content="id 0")


def test_a_mask_that_keeps_the_padding_alone_is_inverted():
    verdict = judge_mask(~IS_TEXT, IDS)

    assert verdict == MaskVerdict(is_inverted=True, num_kept=3, num_hidden=5, content="id 0")


def test_padding_may_be_an_id_that_the_text_has_too():
    assert judge_mask(~IS_TEXT, IDS.where(IDS != 7, 0)).is_inverted


@pytest.mark.parametrize("is_inverted", [True, False])
def test_padded_vectors_are_zeros(is_inverted):
    vectors = torch.ones(2, 4, 3) * IS_TEXT[..., None]

    verdict = judge_mask(IS_TEXT ^ is_inverted, vectors)

    assert (verdict.is_inverted, verdict.content) == (is_inverted, "zeros")


@pytest.mark.parametrize(
    ("kept", "sequence"),
    [
        (torch.ones(2, 4, dtype=torch.bool), IDS),
        (torch.zeros(2, 4, dtype=torch.bool), IDS),
        (~IS_TEXT, IDS.clamp(max=1)),
        (~IS_TEXT, IDS + torch.arange(4)),
        (~IS_TEXT, IDS.float()),
        (~IS_TEXT, IDS[:, :3]),
        (~IS_TEXT, torch.ones(2, 4, 3)),
        (torch.tensor([[True, False, False, False]] * 2), torch.tensor([[0, 1, 2, 3]] * 2)),
    ],
    ids=[
        *("all kept", "all hidden", "few ids", "padding that differs", "no ids", "another length"),
        *("no zeros", "rows of one length"),
    ],
)
def test_what_cannot_be_told_is_not_judged(kept, sequence):
    assert judge_mask(kept, sequence) is None


def test_one_token_of_each_sentence_is_no_padding():
    ids = torch.tensor([[1, 5, 6, 1, 7, 8], [1, 9, 5, 6, 7, 8]])
    assert judge_mask(ids == 1, ids) is None
