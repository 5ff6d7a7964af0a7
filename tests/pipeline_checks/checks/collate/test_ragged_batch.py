import pytest

from tdebug.pipeline_checks.checks.collate.ragged_batch import ragged_batch
from tdebug.pipeline_checks.facts import BatchFacts, ExceptionFact, LoaderFacts, SampleFacts
from tdebug.pipeline_checks.facts.batches import BatchFact, FieldLengths
from tdebug.pipeline_checks.facts.samples import FieldFact, ShapeCount
from tdebug.pipeline_checks.report import Location

HF = ("input_ids", "attention_mask", "token_type_ids")
LM = LoaderFacts(
    collate="DataCollatorForLanguageModeling",
    collate_kind="transformers",
    pads=HF,
    needs_padding=True,
)


def lengths(path, *sizes, kind="list of int"):
    return FieldLengths(path, (kind,) * len(sizes), tuple((n,) for n in sizes))


def failed(*fields, code=""):
    frames = (Location("data.py", 9, "collate", code),) if code else ()
    error = ExceptionFact("ValueError", "x", user_frames=frames)
    return BatchFacts((BatchFact(0, (0, 1, 2), 3, error=error, fields=fields),))


IDS, LABELS = lengths('["input_ids"]', 5, 9, 6), lengths('["labels"]', 5, 9, 6)


def test_labels_that_the_collator_does_not_pad_are_named_with_their_lengths():
    [problem] = ragged_batch(failed(IDS, LABELS), LM, None)

    assert problem.message == (
        "labels has lengths 5, 9 and 6 in one batch, and DataCollatorForLanguageModeling does not "
        "pad it."
    )
    assert problem.where == 'batch 0 (samples 0 to 2): ["labels"]'
    assert "DataCollatorForTokenClassification" in problem.hint


def test_the_default_collate_cannot_stack_token_ids():
    [problem] = ragged_batch(failed(IDS), LoaderFacts(has_tokenizer=True), None)

    assert "torch's default collate cannot stack it" in problem.message
    assert "DataCollatorWithPadding(tokenizer)" in problem.hint


def test_images_of_different_sizes_are_to_be_resized():
    shapes = ((3, 20, 30), (3, 20, 30), (3, 22, 30))
    field = FieldLengths("[0]", ("float32 tensor",) * 3, shapes)

    [problem] = ragged_batch(failed(field), LoaderFacts(), None)

    assert "shapes [3, 20, 30] and [3, 22, 30]" in problem.message
    assert "resize or crop" in problem.hint


def test_the_line_of_the_users_collate_function_tells_the_field():
    code = 'torch.stack([s["track"] for s in samples])'
    fields = (lengths('["track"]', 4, 5, 6), lengths('["notes"]', 1, 2, 3))

    [problem] = ragged_batch(failed(*fields, code=code), LoaderFacts(collate_kind="user"), None)

    assert problem.message.startswith("track has lengths")
    assert problem.location.line == 9


@pytest.mark.parametrize(
    ("batches", "loader"),
    [
        (failed(IDS), LM),
        (failed(lengths('["x"]', 4, 4, 4)), LoaderFacts()),
        (failed(lengths('["x"]', 4, 5, 4), code="s['x'].mean()"), LoaderFacts(collate_kind="user")),
        (failed(lengths('["text"]', 4, 5, 4, kind="list of str")), LoaderFacts()),
        (BatchFacts((BatchFact(0, fields=(IDS,)),)), LoaderFacts()),
    ],
)
def test_sizes_that_are_not_to_blame_are_left_alone(batches, loader):
    assert not list(ragged_batch(batches, loader, None))


def test_a_few_odd_ones_among_samples_of_one_size_are_told():
    shapes = (
        ShapeCount((12,), 89, (0, 1)),
        ShapeCount((11,), 1, (89,)),
        ShapeCount((9,), 9, (91,)),
    )
    samples = SampleFacts("Windows", 99, 99, fields=(FieldFact("[0]", shapes=shapes),))

    [problem] = ragged_batch(failed(lengths("[0]", 11, 9, 9)), LoaderFacts(), samples)

    assert "89 of 99 samples have [12], dataset[89] is the first other" in problem.message
