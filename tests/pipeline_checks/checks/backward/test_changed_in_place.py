import pytest

from tdebug.pipeline_checks.checks.backward.changed_in_place import changed_in_place
from tdebug.pipeline_checks.checks.source_rewrite import without_inplace
from tdebug.pipeline_checks.facts import GraphFacts
from tdebug.pipeline_checks.facts.training import InplaceFact
from tdebug.pipeline_checks.report import Location


def change(changed_by="__iadd__", code="acc += lv(x)"):
    at = Location("fuse.py", 37, "forward", code)
    return GraphFacts(inplace=(InplaceFact("relu", changed_by, (4, 4), "levels.0", "", None, at),))


def test_the_keeper_the_change_and_the_line_written_anew_are_named(failing):
    (problem,) = changed_in_place(failing(), change())
    assert "relu in 'levels.0' keeps a tensor [4, 4]" in problem.message
    assert "+= changes it in place in forward: acc += lv(x)" in problem.message
    assert "acc = acc + lv(x)" in problem.hint
    assert problem.location.line == 37


@pytest.mark.parametrize(
    ("changed_by", "code", "advice"),
    [
        ("__setitem__", "x[mask] = 0", "x.clone()"),
        ("relu_", "return F.relu(x, inplace=True)", "inplace=False"),
        ("mul_", "x.mul_(2)", "x = x.mul(2)"),
        ("add_", None, "clone()"),
        ("embedding", "a = self.emb(x)", "leave out max_norm"),
    ],
)
def test_each_kind_of_change_has_its_own_advice(failing, changed_by, code, advice):
    (problem,) = changed_in_place(failing(), change(changed_by, code))
    assert advice in problem.hint


def test_a_change_is_no_finding_where_backward_went_well(with_loss):
    assert not list(changed_in_place(with_loss(requires_grad=True), change()))


def test_a_freed_graph_is_left_to_its_own_check(failing):
    assert not list(changed_in_place(failing("... specify retain_graph=True"), change()))


def test_an_error_of_another_kind_is_not_explained_by_it(failing):
    assert not list(changed_in_place(failing(kind="ValueError"), change()))


@pytest.mark.parametrize(
    ("line", "anew"),
    [
        ("acc += lv(x)", "acc = acc + lv(x)"),
        ("self.h *= 0.9  # decay", "self.h = self.h * 0.9"),
        ("x -= a + b", "x = x - (a + b)"),
        ("x = x.clamp_(min=0)", "x = x.clamp(min=0)"),
        ("x[0] += 1", None),
        ("x = F.relu(x, inplace=True)", None),
        (None, None),
    ],
)
def test_a_line_is_written_anew_where_it_is_simple(line, anew):
    assert without_inplace(line) == anew


def test_an_optimizer_step_between_two_backwards_is_named_as_such(failing):
    (problem,) = changed_in_place(failing(), change("addcdiv_", "opt_d.step()"))
    assert "an optimizer step changes the weights" in problem.hint
    assert "D(fake.detach())" in problem.hint
