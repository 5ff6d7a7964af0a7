import pytest

from tdebug.pipeline_checks.checks import Undecided
from tdebug.pipeline_checks.checks.collate.collator_drops_labels import collator_drops_labels
from tdebug.pipeline_checks.facts import BatchFacts, LoaderFacts, SampleFacts, TrainingFacts
from tdebug.pipeline_checks.facts.batches import BatchFact, LeafFact
from tdebug.pipeline_checks.facts.samples import FieldFact, KindCount
from tdebug.pipeline_checks.facts.training import LossFact

FIELDS = (FieldFact('["input_ids"]'), FieldFact('["label"]'))
SAMPLES = SampleFacts("Rows", 8, 8, (KindCount("dict", None, 8, 0),), FIELDS)
USER = LoaderFacts(collate="collate", collate_kind="user")
NO_LOSS = TrainingFacts("model_loss", losses=(LossFact(0, "NoneType"),))


def batch(*names):
    leaves = tuple(LeafFact(f'["{name}"]', "Tensor", (4,), "int64") for name in names)
    return BatchFacts((BatchFact(0, (0, 1, 2, 3), 4, "dict", leaves),))


def test_labels_that_the_batch_lacks_are_missed_by_the_loss():
    [problem] = collator_drops_labels(SAMPLES, batch("input_ids"), USER, NO_LOSS)

    assert problem.message.startswith("collate drops the labels: the samples have 'label'")
    assert 'batch["labels"]' in problem.hint


def test_a_loss_that_needs_no_labels_is_no_problem():
    training = TrainingFacts("compute_loss", losses=(LossFact(0, "Tensor", (), value=0.3),))

    assert not list(collator_drops_labels(SAMPLES, batch("input_ids"), USER, training))


@pytest.mark.parametrize("name", ["labels", "label", "label_ids", "target"])
def test_labels_of_any_name_in_the_batch_are_no_problem(name):
    assert not list(collator_drops_labels(SAMPLES, batch("input_ids", name), USER, NO_LOSS))


def test_the_check_waits_for_the_forward():
    with pytest.raises(Undecided):
        list(collator_drops_labels(SAMPLES, batch("input_ids"), USER, None))
