from tdebug.pipeline_checks.checks.load.automatic_with_several_optimizers import (
    automatic_with_several_optimizers,
)
from tdebug.pipeline_checks.checks.load.no_optimizer_configured import no_optimizer_configured
from tdebug.pipeline_checks.checks.load.plateau_without_monitor import plateau_without_monitor
from tdebug.pipeline_checks.facts import FittingFacts, ModelFacts
from tdebug.pipeline_checks.facts.fitting import ConfiguredScheduler
from tdebug.pipeline_checks.facts.model import ParameterFact

WEIGHT = ParameterFact("layer.weight", (2, 4), "float32", "cpu", requires_grad=True)
MODEL = ModelFacts("Net", parameters=(WEIGHT,))
PLATEAU = ConfiguredScheduler("ReduceLROnPlateau", is_plateau=True)


def test_a_lost_optimizer_is_told_with_what_stays_untrained():
    [problem] = no_optimizer_configured(FittingFacts("Net", has_lost_optimizers=True), MODEL)

    assert problem.message == (
        "configure_optimizers of Net returned None, so Lightning trains without an optimizer: none "
        "of its 1 parameter is ever updated."
    )


def test_a_module_that_steps_by_itself_or_has_nothing_to_train_needs_no_optimizer():
    by_hand = FittingFacts("Net", has_lost_optimizers=True, is_automatic=False)
    automatic = FittingFacts("Net", has_lost_optimizers=True)

    assert not list(no_optimizer_configured(by_hand, MODEL))
    assert not list(no_optimizer_configured(automatic, ModelFacts("Net")))


def test_several_optimizers_are_told_by_their_names():
    [problem] = automatic_with_several_optimizers(FittingFacts("Net", optimizers=("Adam", "SGD")))

    assert "returns 2 optimizers (Adam and SGD) with automatic optimization" in problem.message
    assert "manual_backward" in problem.hint


def test_several_optimizers_that_are_stepped_by_hand_are_no_problem():
    facts = FittingFacts("Net", is_automatic=False, optimizers=("Adam", "SGD"))

    assert not list(automatic_with_several_optimizers(facts))


def test_the_number_of_the_optimizer_is_no_argument_of_lightning_2():
    [problem] = automatic_with_several_optimizers(
        FittingFacts("Net", optimizers=("Adam",), takes_optimizer_index=True)
    )

    assert problem.message.startswith("training_step of Net takes optimizer_idx")
    assert problem.hint == "remove the argument optimizer_idx: there is one optimizer."


def test_a_scheduler_that_goes_by_a_metric_must_name_it():
    [problem] = plateau_without_monitor(FittingFacts("Net", schedulers=(PLATEAU,)))

    assert "returns ReduceLROnPlateau without a 'monitor'" in problem.message


def test_other_schedulers_and_steps_by_hand_need_no_metric():
    by_hand = FittingFacts("Net", is_automatic=False, schedulers=(PLATEAU,))
    other = FittingFacts("Net", schedulers=(ConfiguredScheduler("StepLR"),))

    assert not list(plateau_without_monitor(by_hand))
    assert not list(plateau_without_monitor(other))
