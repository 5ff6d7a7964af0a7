from tdebug.pipeline_checks.checks.collate.uncollatable_type import uncollatable_type
from tdebug.pipeline_checks.facts import BatchFacts, ExceptionFact, LoaderFacts
from tdebug.pipeline_checks.facts.batches import BatchFact, FieldLengths


def failed(path, *kinds):
    field = FieldLengths(path, kinds, (None,) * len(kinds))
    error = ExceptionFact("TypeError", "x")
    return BatchFacts((BatchFact(0, (8, 9), 2, error=error, fields=(field,)),))


def test_a_pil_image_is_named_with_its_sample():
    [problem] = uncollatable_type(failed("[0]", "float32 tensor", "PIL.Image"), LoaderFacts())

    assert (
        problem.message == "[0] is PIL.Image, which torch's default collate cannot put into a "
        "batch."
    )
    assert problem.where == "dataset[9][0] in batch 0 (samples 8 and 9)"
    assert "ToTensor" in problem.hint


def test_none_in_a_field_is_found():
    [problem] = uncollatable_type(failed('["age"]', "int", "None"), LoaderFacts())

    assert 'give ["age"] a value' in problem.hint


def test_an_object_of_the_users_is_found():
    assert list(uncollatable_type(failed('["box"]', "boxes.Box", "boxes.Box"), LoaderFacts()))


def test_what_can_be_collated_is_no_problem():
    kinds = ("str", "float64 array", "list of int", "bool", "int64 scalar")

    assert not list(uncollatable_type(failed('["x"]', *kinds), LoaderFacts()))


def test_a_collate_function_of_the_user_may_know_better():
    user = LoaderFacts(collate_kind="user")

    assert not list(uncollatable_type(failed("[0]", "PIL.Image"), user))
    assert not list(uncollatable_type(BatchFacts((BatchFact(0),)), LoaderFacts()))
