from tdebug.pipeline_checks.checks.dataset.segment_ids_out_of_range import segment_ids_out_of_range
from tdebug.pipeline_checks.facts import CallFacts, LoaderFacts, ModelFacts, SampleFacts
from tdebug.pipeline_checks.facts.calls import BadEntry, EmbeddingCall
from tdebug.pipeline_checks.facts.model import LayerFact, Signature
from tdebug.pipeline_checks.facts.samples import FieldFact
from tdebug.pipeline_checks.facts.tensors import TensorFact

TABLE = LayerFact("embeddings.token_type_embeddings", "Embedding", {"num_embeddings": 1})
ROBERTA = ModelFacts(
    "Roberta",
    is_transformers=True,
    layers=(TABLE,),
    signature=Signature(("input_ids", "token_type_ids")),
)


def samples(high, removed=()):
    field = FieldFact(
        '["token_type_ids"]', min=0, max=high, min_index=0, max_index=2, is_whole=True
    )
    return SampleFacts("Pairs", 6, 6, fields=(field,), removed=removed)


def test_segments_of_another_models_tokenizer_are_found():
    [problem] = segment_ids_out_of_range(samples(1), ROBERTA, LoaderFacts(), None)

    assert "token_type_ids go up to 1" in problem.message
    assert "has 1 row" in problem.message
    assert problem.where == 'dataset[2]["token_type_ids"] holds 1'


def test_the_call_tells_where_the_field_is_not_known():
    call = EmbeddingCall(
        0, "segment_embedding", 2, BadEntry(2, 0, 0), 0, 2, TensorFact((4, 9), "int64")
    )

    [problem] = segment_ids_out_of_range(
        SampleFacts("Rows", 6, 6), ModelFacts("Net"), LoaderFacts(), CallFacts(embeddings=(call,))
    )

    assert "'segment_embedding' has 2 rows" in problem.message


def test_segments_that_have_rows_or_are_removed_are_no_problem():
    calls = CallFacts()

    assert not list(segment_ids_out_of_range(samples(0), ROBERTA, LoaderFacts(), calls))
    removed = samples(1, removed=("token_type_ids",))
    assert not list(segment_ids_out_of_range(removed, ROBERTA, LoaderFacts(), calls))
