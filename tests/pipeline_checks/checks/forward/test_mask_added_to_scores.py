from tdebug.pipeline_checks.checks.forward.mask_added_to_scores import mask_added_to_scores
from tdebug.pipeline_checks.facts import CallFacts
from tdebug.pipeline_checks.facts.calls import AddedMask


def find(tensor, function, kind, argument="attn_mask"):
    mask = AddedMask(0, function, "attend", argument, kind, tensor(8, 8))
    [problem] = mask_added_to_scores(CallFacts(added_mask=mask), None)
    return problem


def test_a_causal_mask_of_ones_is_told_with_what_can_be_seen(tensor):
    problem = find(tensor, "multi_head_attention_forward", "causal")
    assert "attn_mask [8, 8] float32 of 0 and 1 only" in problem.message
    assert "hides nothing, and later tokens can be seen" in problem.message
    assert "mask == 0" in problem.hint
    assert "generate_square_subsequent_mask" in problem.hint


def test_the_other_function_takes_the_other_way_round(tensor):
    problem = find(tensor, "scaled_dot_product_attention", "causal")
    assert "mask.bool(); or is_causal=True" in problem.hint


def test_a_padding_mask_shows_the_padding(tensor):
    problem = find(tensor, "multi_head_attention_forward", "padding", "key_padding_mask")
    assert "the padding can be seen" in problem.message


def test_without_such_a_mask_nothing_is_said():
    assert not list(mask_added_to_scores(CallFacts(), None))
