"""What `tdebug overflow` sees while a pipeline trains."""

import pytest

pytestmark = pytest.mark.filterwarnings("default")  # the pipelines are the user's


def test_a_healthy_training_is_watched_to_its_end(train):
    outcome, frames = train()

    facts = outcome.facts
    assert (outcome.exit_code, outcome.has_failed, frames) == (0, False, [])
    assert (facts.num_batches, facts.num_steps, facts.num_skipped) == (6, 6, 0)
    assert (facts.ended_by, facts.precision, facts.num_modules) == ("limit", "fp32", 4)
    assert [batch for batch, _ in facts.losses] == list(range(6))


def test_several_epochs_count_their_batches_on(train):
    outcome, _ = train(epochs=2)

    assert outcome.facts.num_batches == 12
    assert outcome.facts.losses[-1][0] == 11


def test_the_limit_of_batches_ends_it(train):
    outcome, _ = train(max_batches=2)

    assert (outcome.facts.num_batches, outcome.facts.ended_by) == (2, "limit")


def test_the_first_nan_of_a_module_is_told_with_frames_and_origin(train):
    outcome, _ = train(
        """
        class Rooted(nn.Module):
            def __init__(self):
                super().__init__()
                self.mix, self.out = nn.Linear(3, 4), nn.Linear(4, 2)
            def forward(self, x):
                return self.out(torch.sqrt(self.mix(x)))

        def build_model():
            torch.manual_seed(0)
            return Rooted()
        """,
        max_frames=2,
    )

    found = outcome.facts.detection
    assert (outcome.exit_code, outcome.facts.ended_by) == (1, "detection")
    assert (found.batch, found.stage, found.origin.operator) == (0, "forward", "sqrt")
    assert found.origin.location.code == "return self.out(torch.sqrt(self.mix(x)))"
    assert len(found.frames) == 2
    assert "Detected inf/nan during batch_number=0" in found.classic


def test_a_bad_gradient_is_told_before_its_step(train):
    outcome, _ = train(
        """
        def compute_loss(model, batch):
            x, y = batch
            return (model(x) * 0).square().sum().sqrt()
        """
    )

    found = outcome.facts.detection
    assert (found.stage, outcome.facts.num_steps) == ("gradients", 0)
    assert {frame.module for frame in found.frames} >= {"0", "2"}
    assert found.origin.node == "SqrtBackward0"


def test_a_loss_that_is_not_finite_is_told_though_all_outputs_are(train):
    outcome, _ = train(
        """
        def compute_loss(model, batch):
            return torch.log(model(batch[0]).softmax(-1) * 0).mean()
        """
    )

    found = outcome.facts.detection
    assert (found.stage, found.batch, outcome.facts.num_steps) == ("loss", 0, 0)
    assert found.origin.operator == "log"
    assert found.origin.location.function == "compute_loss"


def test_weights_that_a_step_makes_bad_are_told(train):
    outcome, _ = train(
        """
        def build_optimizer(model):
            return torch.optim.SGD(model.parameters(), lr=float("inf"))
        """
    )

    assert outcome.facts.detection.stage == "weights after the step"


def test_the_first_skips_of_a_scaler_are_no_finding(train):
    outcome, _ = train(
        """
        def build_scaler():
            return torch.amp.GradScaler("cpu", init_scale=2.0**24)
        """,
        settings={"precision": "fp16"},
    )

    assert outcome.facts.detection is None
    assert outcome.facts.num_skipped + outcome.facts.num_steps == 6
    assert outcome.facts.num_skipped > 0


def test_a_scaler_that_skips_forever_is_told(train):
    outcome, _ = train(
        """
        def compute_loss(model, batch):
            return (model(batch[0]) * 0).square().sum().sqrt()
        """,
        settings={"precision": "fp16"},
        epochs=10,
    )

    found = outcome.facts.detection
    assert found.stage == "gradients"
    assert "the GradScaler skipped" in found.note


def test_what_float16_would_not_hold_is_told_once_for_each_value(train):
    outcome, _ = train(
        """
        class Inner(nn.Module):
            def forward(self, x):
                return x * 1e5
        class Outer(nn.Module):
            def __init__(self):
                super().__init__()
                self.out, self.inner = nn.Linear(3, 2), Inner()
            def forward(self, x):
                return self.out(self.inner(x) / 1e5)
        def build_model():
            return Outer()
        """
    )

    assert outcome.facts.num_forecasts == len(outcome.facts.forecasts) == 1
    assert outcome.facts.forecasts[0].startswith("output of 'inner' (Inner) reaches ")


def test_nothing_is_forecast_of_a_run_in_float16(train):
    outcome, _ = train(settings={"precision": "fp16"})

    assert outcome.facts.forecasts == ()


def test_weights_that_are_tiny_are_no_forecast(train):
    outcome, _ = train(
        """
        def build_model():
            model = nn.Sequential(nn.Linear(3, 2))
            model[0].bias.data.fill_(1e-12)
            return model
        """,
        max_batches=1,
    )

    assert outcome.facts.forecasts == ()
