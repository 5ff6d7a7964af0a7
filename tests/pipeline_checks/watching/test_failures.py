"""A pipeline that fails is told as `tdebug check` tells it."""

import pytest

pytestmark = pytest.mark.filterwarnings("default")  # the pipelines are the user's


def names_of(outcome):
    return [finding.name for finding in outcome.report.findings]


def test_a_part_that_cannot_be_built(train):
    outcome, _ = train("def build_model():\n    return nn.Linear('three', 2)\n")

    assert (outcome.exit_code, outcome.has_failed) == (1, True)
    assert names_of(outcome) == ["factory-fails"]


def test_a_batch_that_raises_is_explained(train):
    outcome, _ = train("def build_model():\n    return nn.Linear(5, 2)\n")

    assert (outcome.exit_code, outcome.facts.ended_by) == (1, "failure")
    assert names_of(outcome) == ["shape-mismatch"]


def test_a_batch_that_raises_late_is_told_by_its_number(train):
    outcome, _ = train(
        """
        def compute_loss(model, batch):
            loss = nn.functional.cross_entropy(model(batch[0]), batch[1])
            compute_loss.calls = getattr(compute_loss, "calls", -1) + 1
            if compute_loss.calls >= 3:
                raise KeyError("a field")
            return loss
        """
    )

    assert (outcome.facts.num_batches, outcome.facts.num_steps) == (4, 3)
    assert names_of(outcome) == ["forward-fails"]
    assert "batch 3" in outcome.report.findings[0].where


def test_what_raises_once_and_not_again_is_told_with_a_note(train):
    outcome, _ = train(
        """
        def compute_loss(model, batch):
            compute_loss.calls = getattr(compute_loss, "calls", -1) + 1
            if compute_loss.calls == 2:
                raise OSError("the disk was away")
            return nn.functional.cross_entropy(model(batch[0]), batch[1])
        """
    )

    assert "the disk was away" in outcome.report.findings[0].message
    assert any("not when it was run again" in note for note in outcome.report.notes)


def test_a_sample_that_raises_is_told_with_its_number(train):
    outcome, _ = train(
        """
        class Samples(torch.utils.data.Dataset):
            def __len__(self):
                return 24
            def __getitem__(self, number):
                if number == 9:
                    raise ValueError("no such image")
                return torch.randn(3), number % 2
        def build_dataset():
            return Samples()
        """
    )

    assert (outcome.facts.num_batches, outcome.exit_code) == (2, 1)
    assert names_of(outcome) == ["sample-raises"]
    assert "dataset[9]" in outcome.report.findings[0].where


def test_a_loader_without_a_batch_is_no_success(train):
    outcome, _ = train("def build_dataset():\n    return []\n")

    assert (outcome.exit_code, outcome.has_failed, outcome.facts.num_batches) == (1, True, 0)
