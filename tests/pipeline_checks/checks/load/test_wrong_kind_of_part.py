from tdebug.pipeline_checks.checks.load.wrong_kind_of_part import wrong_kind_of_part
from tdebug.pipeline_checks.facts import LoadFacts
from tdebug.pipeline_checks.facts.load import PartFact


def find(name, kind, problem="the model is None, and no torch.nn.Module."):
    part = PartFact(name, f"build_{name}() of train.py", type=kind, problem=problem)
    return list(wrong_kind_of_part(LoadFacts(parts=(part,))))


def test_a_forgotten_return_is_recognised():
    [problem] = find("model", "NoneType")

    assert problem.message.startswith("build_model() of train.py gives no model: the model is None")
    assert "lack a `return`" in problem.hint


def test_a_class_instead_of_an_instance_is_recognised():
    [problem] = find("dataset", "type")

    assert "call was forgotten" in problem.hint


def test_a_tuple_of_parts_is_recognised():
    [problem] = find("model", "tuple")

    assert "several things came back at once" in problem.hint


def test_a_part_that_serves_is_no_problem():
    assert not find("model", "Net", problem="")


def test_a_model_that_contains_itself_is_told_with_its_place():
    part = PartFact("model", "build_model() of train.py", type="Net", cycle="head.parent")

    [problem] = wrong_kind_of_part(LoadFacts(parts=(part,)))

    assert problem.message.startswith(
        "build_model() of train.py gives a model that contains itself, as head.parent"
    )
