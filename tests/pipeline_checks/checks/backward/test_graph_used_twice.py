from tdebug.pipeline_checks.checks.backward.graph_used_twice import graph_used_twice
from tdebug.pipeline_checks.facts import GraphFacts
from tdebug.pipeline_checks.facts.training import CarriedGraph, InplaceFact, LeafParameter

FREED = "Trying to backward through the graph a second time. Specify retain_graph=True if ..."
STATE = GraphFacts(carried=(CarriedGraph("rnn.state", (1, 4, 8), "GruBackward0"),))


def test_a_state_kept_with_its_graph_is_named_with_the_line_to_write(failing):
    (problem,) = graph_used_twice(failing(FREED, batch=1), STATE)
    assert "rnn.state [1, 4, 8]" in problem.message
    assert "the backward of batch 1 runs into the graph of the batch before" in problem.message
    assert "self.state = state.detach()" in problem.hint
    assert "retain_graph=True would only let the graph grow" in problem.hint


def test_what_a_training_step_keeps_in_its_state_is_named(failing):
    graph = GraphFacts(carried=(CarriedGraph('state["h"]', (1, 8, 6), "GruBackward0"),))
    (problem,) = graph_used_twice(failing(FREED, batch=1, style="train_step"), graph)
    assert 'train_step keeps state["h"] [1, 8, 6]' in problem.message
    assert "state['h'] = h.detach()" in problem.hint


def test_a_second_backward_in_one_batch_is_told_apart(failing):
    (problem,) = graph_used_twice(failing(FREED, style="train_step"), GraphFacts())
    assert "a second time" in problem.message
    assert "D(fake.detach())" in problem.hint


def test_an_in_place_change_is_left_to_its_own_check(failing):
    graph = GraphFacts(inplace=(InplaceFact("relu", "__iadd__", (4,)),))
    assert not list(graph_used_twice(failing("modified by an inplace operation"), graph))


def test_a_kept_state_is_no_finding_where_backward_went_well(with_loss):
    assert not list(graph_used_twice(with_loss(requires_grad=True), STATE))


def test_a_failure_in_the_first_batch_is_not_the_kept_state_s(failing):
    assert not list(graph_used_twice(failing("shapes differ"), STATE))


def test_what_the_constructor_computed_is_told_from_what_a_batch_left(failing):
    older = CarriedGraph("w", (8, 16), "MulBackward0", is_older=True)
    (problem,) = graph_used_twice(failing("retain_graph", batch=1), GraphFacts(carried=(older,)))
    assert "computed once, in the constructor" in problem.message
    assert "keep the nn.Parameter itself" in problem.hint
    leaf = LeafParameter("", "", (8, 16), attribute="w", is_computed_from=True)
    told = GraphFacts(carried=(older,), unregistered=(leaf,))  # by unregistered-parameters
    assert not list(graph_used_twice(failing("retain_graph", batch=1), told))
