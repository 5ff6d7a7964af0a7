import pytest

from tdebug.pipeline_checks.checks.collate.end_token_never_learned import end_token_never_learned
from tdebug.pipeline_checks.facts import BatchFacts, LoaderFacts, ModelFacts
from tdebug.pipeline_checks.facts.batches import LabelFact

GPT2 = ModelFacts("GPT2LMHeadModel", is_transformers=True)
SAME = LoaderFacts(collate="DataCollatorForLanguageModeling", pad_token_id=1, eos_token_id=1)


def labels(eos, ignored, same=40):
    fact = LabelFact(
        0,
        '["labels"]',
        60,
        20,
        num_eos=eos,
        num_eos_ignored=ignored,
        num_same=same,
        num_compared=40,
    )
    return BatchFacts(labels=(fact,))


def test_end_tokens_that_are_all_masked_are_found():
    [problem] = end_token_never_learned(labels(12, 12), SAME, GPT2)

    assert problem.message.startswith("pad and eos are one token (id 1), and the label of all 12")
    assert "-100" in problem.message


@pytest.mark.parametrize(
    ("batches", "loader", "model"),
    [
        (labels(12, 4), SAME, GPT2),
        (labels(0, 0), SAME, GPT2),
        (labels(12, 12), LoaderFacts(pad_token_id=0, eos_token_id=1), GPT2),
        (labels(12, 12), LoaderFacts(), GPT2),
        (labels(12, 12, same=2), SAME, GPT2),
        (labels(12, 12), SAME, ModelFacts("BertForMaskedLM", is_transformers=True)),
    ],
)
def test_end_tokens_that_are_learned_are_no_problem(batches, loader, model):
    assert not list(end_token_never_learned(batches, loader, model))
