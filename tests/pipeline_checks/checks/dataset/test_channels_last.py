import pytest

from tdebug.pipeline_checks.checks.dataset.channels_last import channels_last
from tdebug.pipeline_checks.facts import ExceptionFact, ModelFacts, SampleFacts, TrainingFacts
from tdebug.pipeline_checks.facts.model import LayerFact
from tdebug.pipeline_checks.facts.samples import FieldFact
from tdebug.pipeline_checks.facts.tensors import TensorFact
from tdebug.pipeline_checks.facts.training import FailureFact
from tdebug.pipeline_checks.report import Stage

SAMPLES = SampleFacts("Photos", 16, 16, fields=(FieldFact("[0]"),))


def failing(shape, function="conv2d", field="[0]"):
    failure = FailureFact(
        Stage.FORWARD,
        0,
        ExceptionFact("RuntimeError", "x"),
        module="conv1",
        module_type="Conv2d",
        module_sizes={"in_channels": 3},
        function=function,
        operands=(TensorFact(shape, "float32", field=field),),
    )
    return TrainingFacts("pair", failures=(failure,))


def test_channels_at_the_end_are_found():
    [problem] = channels_last(SAMPLES, failing((4, 32, 40, 3)))

    assert "a sample is [32, 40, 3], and Conv2d 'conv1' takes 3 channels first" in problem.message
    assert "image.permute(2, 0, 1)" in problem.hint


@pytest.mark.parametrize(
    "training",
    [
        failing((4, 1, 32, 40)),
        failing((4, 3, 32, 3)),
        failing((4, 32, 40, 3), field=None),
        failing((4, 3), "linear"),
        TrainingFacts("pair"),
    ],
)
def test_other_failures_are_left_alone(training):
    assert not list(channels_last(SAMPLES, training))


def test_a_patch_embedding_that_looks_at_the_channels_itself_is_named():
    failure = FailureFact(
        Stage.FORWARD,
        0,
        ExceptionFact("ValueError", "x", ("ValueError", "Exception")),
        module="vit.patches",
        module_type="Patches",
        module_inputs=(TensorFact((4, 16, 16, 3), "float32", field="[0]"),),
    )
    model = ModelFacts("Vit", layers=(LayerFact("vit.patches.proj", "Conv2d", {"in_channels": 3}),))
    training = TrainingFacts("model_loss", failures=(failure,))
    [problem] = channels_last(SAMPLES, training, model)

    assert "[16, 16, 3], and Patches 'vit.patches' takes 3 channels first" in problem.message
    assert not list(channels_last(SAMPLES, training, ModelFacts("Vit")))
