import pytest

from tdebug.pipeline_checks.checks import Undecided
from tdebug.pipeline_checks.checks.dataset.sequence_too_long import sequence_too_long
from tdebug.pipeline_checks.facts import (
    BatchFacts,
    CallFacts,
    LoaderFacts,
    ModelFacts,
    SampleFacts,
)
from tdebug.pipeline_checks.facts.batches import BatchFact, LeafFact
from tdebug.pipeline_checks.facts.calls import BadEntry, EmbeddingCall
from tdebug.pipeline_checks.facts.samples import FieldFact, ShapeCount
from tdebug.pipeline_checks.facts.tensors import TensorFact

ROBERTA = ModelFacts(
    "Roberta", max_length=32, max_length_from="position_embeddings has 34 rows and counts from 2"
)
USER = LoaderFacts(collate_kind="user")


def samples(longest):
    shapes = (ShapeCount((20,), 5, (0,)), ShapeCount((longest,), 1, (3,)))
    field = FieldFact('["input_ids"]', shapes=shapes, longest=longest, longest_index=3)
    return SampleFacts("Docs", 6, 6, fields=(field,))


def test_the_usable_length_is_named_with_the_longest_sample():
    [problem] = sequence_too_long(samples(34), ROBERTA, LoaderFacts(), None, None)

    assert "the longest sequence has 34 tokens; Roberta has 32 positions" in problem.message
    assert problem.where.startswith('dataset[3]["input_ids"] has 34 tokens')
    assert "max_length=32" in problem.hint


def test_what_the_users_collate_function_makes_is_judged_by_the_batch():
    leaf = LeafFact('["input_ids"]', "Tensor", (4, 40), "int64")
    batches = BatchFacts((BatchFact(1, (4, 5), 2, "dict", (leaf,)),))

    [problem] = sequence_too_long(samples(40), ROBERTA, USER, batches, None)

    assert "a batch has 40 tokens a row" in problem.message


def test_a_users_collate_function_may_truncate():
    leaf = LeafFact('["input_ids"]', "Tensor", (4, 32), "int64")
    batches = BatchFacts((BatchFact(1, (), 4, "dict", (leaf,)),))

    assert not list(sequence_too_long(samples(40), ROBERTA, USER, batches, None))


def test_positions_of_a_model_of_the_user_show_at_the_call():
    call = EmbeddingCall(2, "pos_emb", 16, BadEntry(16, 1, 9), 0, 19, TensorFact((4, 20), "int64"))

    [problem] = sequence_too_long(
        samples(20), ModelFacts("Net"), LoaderFacts(), None, CallFacts(embeddings=(call,))
    )

    assert "position 19" in problem.message
    assert "at most 16 long" in problem.message


def test_the_longest_that_fits_is_no_problem():
    assert not list(sequence_too_long(samples(32), ROBERTA, LoaderFacts(), None, None))


def test_without_a_known_length_the_check_waits_for_the_forward():
    with pytest.raises(Undecided):
        list(sequence_too_long(samples(99), ModelFacts("Llama"), LoaderFacts(), None, None))
