from tdebug.pipeline_checks.checks.backward.gradient_without_graph import gradient_without_graph
from tdebug.pipeline_checks.facts import CallFacts
from tdebug.pipeline_checks.facts.calls import GradientTerm
from tdebug.pipeline_checks.report import Location


def test_the_gradient_and_the_sum_are_named_with_their_lines():
    code = "du = torch.autograd.grad(u.sum(), x)[0]"
    taken, added = Location("pinn.py", 16, "loss", code), Location("pinn.py", 19)

    (problem,) = gradient_without_graph(CallFacts(gradient_term=GradientTerm(taken, added)))

    assert f"autograd.grad ({code}) gives without create_graph=True" in problem.message
    assert problem.where == "added to the loss at pinn.py:19"
    assert problem.location is taken


def test_no_such_gradient_is_fine():
    assert not list(gradient_without_graph(CallFacts()))
