import pytest

from tdebug.pipeline_checks.checks import Undecided
from tdebug.pipeline_checks.checks.forward.future_visible import future_visible
from tdebug.pipeline_checks.checks.forward.samples_mixed import samples_mixed
from tdebug.pipeline_checks.facts import MixingFacts, ModelFacts
from tdebug.pipeline_checks.facts.mixing import Leak
from tdebug.pipeline_checks.facts.model import LayerFact

LEAK = Leak('["logits"]', (8, 2), 0.073, 0.29)


def test_samples_that_leak_into_each_other_are_told_with_how_much():
    model = ModelFacts("Net", layers=(LayerFact("lstm", "LSTM"),))
    (problem,) = samples_mixed(MixingFacts(8, LEAK), model)
    assert "changes by up to 0.073" in problem.message
    assert "only the other 7 samples" in problem.message
    assert "LSTM 'lstm' needs batch_first=True" in problem.hint
    assert problem.where == 'output["logits"] [8, 2], batch 0, in eval mode'


def test_a_model_that_sees_the_next_token_is_told_of_the_mask():
    (problem,) = future_visible(MixingFacts(8, None, LEAK), None)
    assert "looks into the future" in problem.message
    assert "causal mask" in problem.hint


@pytest.mark.parametrize("look", [samples_mixed, future_visible])
def test_what_does_not_leak_is_fine_and_what_was_not_asked_is_skipped(look):
    assert not list(look(MixingFacts(8), None))
    with pytest.raises(Undecided, match="known rows"):
        list(look(MixingFacts(not_asked_because="it has no known rows"), None))


def test_a_sample_s_place_in_the_batch_is_told_with_where_it_comes_from():
    (problem,) = samples_mixed(MixingFacts(8, place=LEAK), None)
    assert "when the 8 samples of the batch only change places" in problem.message
    assert "pe[:x.size(0)] is for time first" in problem.hint
