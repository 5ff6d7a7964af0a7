from tdebug.pipeline_checks.checks.numerics.near_float16_limit import near_float16_limit
from tdebug.pipeline_checks.facts.ranges import RangeFact, RangeFacts


def found_in(*near_limit):
    return list(near_float16_limit(RangeFacts(0, near_limit, 9)))


def test_the_largest_is_named_with_how_often_float16_would_hold_it():
    problem, *more = found_in(
        RangeFact("h.0.mlp", "Mlp", 4e4, "float32"), RangeFact("h.1.mlp", "Mlp", 1.31e5, "float32")
    )

    assert not more
    assert problem.message.startswith("h.1.mlp (Mlp) reaches 131000 in float32, 2 times")
    assert problem.message.endswith("; beyond half of it is also h.0.mlp.")


def test_a_module_that_hands_on_the_value_of_an_inner_one_is_not_named_again():
    (problem,) = found_in(
        RangeFact("h.0.mlp", "Mlp", 4e4, "float32"),
        RangeFact("h.0", "Block", 4e4, "float32"),
        RangeFact("", "Model", 4e4, "float32"),
    )

    assert problem.values == {"h.0.mlp": 4e4}
    assert "also" not in problem.message


def test_nothing_near_is_no_finding():
    assert found_in() == []
