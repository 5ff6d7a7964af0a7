import pytest

from tdebug.pipeline_checks.checks import Undecided
from tdebug.pipeline_checks.checks.dataset.token_ids_out_of_range import token_ids_out_of_range
from tdebug.pipeline_checks.facts import CallFacts, LoaderFacts, ModelFacts, SampleFacts
from tdebug.pipeline_checks.facts.calls import BadEntry, EmbeddingCall
from tdebug.pipeline_checks.facts.samples import FieldFact, KindCount, ShapeCount
from tdebug.pipeline_checks.facts.tensors import TensorFact

BERT = ModelFacts(
    "Bert",
    is_transformers=True,
    main_input="input_ids",
    token_rows=30,
    token_embedding="embeddings.word_embeddings",  # noqa: S106 - a name of a module
)
NET = ModelFacts("Net")


def samples(path, low, high, shape=(9,)):
    field = FieldFact(
        path,
        (KindCount("list of int", len(shape), 12, 0),),
        (ShapeCount(shape, 12, (0,)),),
        min=low,
        max=high,
        min_index=5,
        max_index=2,
        is_whole=True,
    )
    return SampleFacts("Rows", 12, 12, fields=(field,))


def calls(field, span, rows, shape=(4, 9), module="emb"):
    low, high = span
    call = EmbeddingCall(
        1,
        module,
        rows,
        BadEntry(low if low < 0 else high, 1, 5),
        low,
        high,
        TensorFact(shape, "int64", field=field),
    )
    return CallFacts(embeddings=(call,))


def test_added_tokens_without_resizing_are_recognised():
    loader = LoaderFacts(tokenizer_length=32)

    [problem] = token_ids_out_of_range(samples('["input_ids"]', 1, 31), BERT, loader, None)

    assert "input_ids go from 1 to 31" in problem.message
    assert "30 rows: valid ids are 0 to 29" in problem.message
    assert problem.where == 'dataset[2]["input_ids"] holds 31'
    assert "resize_token_embeddings(len(tokenizer))" in problem.hint


def test_ids_that_wrapped_around_are_recognised():
    [problem] = token_ids_out_of_range(
        samples("[0]", -25536, 29999), NET, LoaderFacts(), calls("[0]", (-25536, 100), 60000)
    )

    assert "-25536" in problem.message
    assert "int16" in problem.hint
    assert "40000" in problem.hint
    assert problem.values["index"] == 5


def test_ids_from_1_to_the_number_of_rows_are_recognised():
    [problem] = token_ids_out_of_range(
        samples('["city"]', 1, 12, ()), NET, LoaderFacts(), calls('["city"]', (1, 12), 12, (4,))
    )

    assert "1-based" in problem.hint


def test_minus_100_in_the_inputs_is_recognised():
    [problem] = token_ids_out_of_range(
        samples('["input_ids"]', -100, 20), BERT, LoaderFacts(), None
    )

    assert "labels only" in problem.hint


def test_one_column_of_a_table_is_judged_by_the_call_alone():
    [problem] = token_ids_out_of_range(
        samples("[0]", 0, 900, (3,)), NET, LoaderFacts(), calls("[0]", (0, 57), 50, (4,))
    )

    assert "from 0 to 57" in problem.message


def test_positions_are_left_to_their_own_check():
    called = calls(None, (0, 40), 32, module="position_embeddings")

    assert not list(token_ids_out_of_range(samples("[0]", 0, 9), NET, LoaderFacts(), called))


def test_ids_that_have_rows_are_no_problem():
    given = samples('["input_ids"]', 0, 29)

    assert not list(token_ids_out_of_range(given, BERT, LoaderFacts(), CallFacts()))


def test_the_check_waits_for_the_forward():
    with pytest.raises(Undecided):
        list(token_ids_out_of_range(samples("[0]", 0, 9), NET, LoaderFacts(), None))
