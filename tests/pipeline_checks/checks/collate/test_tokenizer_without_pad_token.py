from tdebug.pipeline_checks.checks.collate.tokenizer_without_pad_token import (
    tokenizer_without_pad_token,
)
from tdebug.pipeline_checks.facts import BatchFacts, ExceptionFact, LoaderFacts
from tdebug.pipeline_checks.facts.batches import BatchFact, FieldLengths
from tdebug.pipeline_checks.report import Location


def loader(kind="transformers", pad=None):
    return LoaderFacts(
        collate="DataCollatorWithPadding",
        collate_kind=kind,
        has_tokenizer=True,
        tokenizer="GPT2Tokenizer",
        pad_token=pad,
        needs_padding=kind == "transformers",
    )


def failed(*frames):
    ids = FieldLengths('["input_ids"]', ("list of int",) * 2, ((4,), (7,)))
    error = ExceptionFact("ValueError", "x", frames=frames)
    return BatchFacts((BatchFact(0, (0, 1), 2, error=error, fields=(ids,)),))


def test_a_padding_collator_without_a_pad_token_is_found():
    [problem] = tokenizer_without_pad_token(failed(), loader(), None)

    assert "GPT2Tokenizer) has no pad token (pad_token is None)" in problem.message
    assert "sequences of 4 to 7 tokens" in problem.message
    assert "tokenizer.pad_token = tokenizer.eos_token" in problem.hint


def test_a_collate_function_that_tokenizes_is_known_by_where_it_raised():
    frame = Location("transformers/tokenization_utils_base.py", 1, "_get_padding_strategies")

    assert list(tokenizer_without_pad_token(failed(frame), loader("user"), None))
    assert not list(tokenizer_without_pad_token(failed(), loader("user"), None))


def test_a_tokenizer_with_a_pad_token_is_no_problem():
    assert not list(tokenizer_without_pad_token(failed(), loader(pad="[PAD]"), None))
    assert not list(tokenizer_without_pad_token(BatchFacts((BatchFact(0),)), loader(), None))
