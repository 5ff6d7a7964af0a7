import pytest
import torch
from torch.nn.utils.rnn import pad_sequence
from transformers import GPT2Config, GPT2LMHeadModel

from tdebug.pipeline_checks import Pipeline, check_pipeline
from tdebug.pipeline_checks.checks import Undecided
from tdebug.pipeline_checks.checks.collate.end_token_never_learned import end_token_never_learned
from tdebug.pipeline_checks.facts import BatchFacts, LoaderFacts, ModelFacts, SampleFacts
from tdebug.pipeline_checks.facts.batches import LabelFact
from tdebug.pipeline_checks.report import Location

GPT2 = ModelFacts("GPT2LMHeadModel", is_transformers=True)
LOADER = LoaderFacts(collate="DataCollatorForLanguageModeling")


def labels(eos, ignored, same=40, pad=1, end=(1,)):
    fact = LabelFact(
        0,
        '["labels"]',
        60,
        20,
        num_eos=eos,
        num_eos_ignored=ignored,
        num_same=same,
        num_compared=40,
        pad=pad,
        eos=end,
    )
    return BatchFacts(labels=(fact,))


def find(batches, model=GPT2, samples=None):
    return list(end_token_never_learned(batches, LOADER, model, samples))


def test_end_tokens_that_are_all_masked_are_found():
    [problem] = find(labels(12, 12))

    assert problem.message.startswith("pad and eos are one token (id 1), and the label of all 12")
    assert "-100" in problem.message


def test_it_is_placed_where_the_labels_are_made():
    here = Location("data.py", 3, "__getitem__")

    [problem] = find(labels(12, 12), samples=SampleFacts("Rows", location=here))

    assert problem.location == here


@pytest.mark.parametrize(
    ("batches", "model"),
    [
        (labels(12, 4), GPT2),
        (labels(0, 0), GPT2),
        (labels(12, 12, pad=0), GPT2),
        (labels(12, 12, pad=None), GPT2),
        (labels(12, 12, same=2), GPT2),
        (labels(12, 12), ModelFacts("BertForMaskedLM", is_transformers=True)),
    ],
)
def test_end_tokens_that_are_learned_are_no_problem(batches, model):
    assert not find(batches, model)


def test_without_a_known_end_token_it_is_said_so():
    with pytest.raises(Undecided, match="no tokenizer"):
        find(labels(0, 0, end=()))


def test_it_is_found_in_a_run_without_a_tokenizer():
    def collate(samples):
        ids = pad_sequence(
            [torch.tensor(one) for one in samples], batch_first=True, padding_value=1
        )
        mask = torch.tensor([[1] * len(s) + [0] * (ids.shape[1] - len(s)) for s in samples])
        return {"input_ids": ids, "attention_mask": mask, "labels": ids.masked_fill(ids == 1, -100)}

    config = GPT2Config(vocab_size=40, n_embd=8, n_layer=1, n_head=1, n_positions=32)
    config.eos_token_id = config.bos_token_id = 1
    texts = [[*range(5, 8 + n % 5), 1] for n in range(16)]

    report = check_pipeline(
        Pipeline(model=GPT2LMHeadModel(config), dataset=texts, collate_fn=collate)
    )

    assert [finding.code for finding in report.findings] == ["TD212"]
