import pytest

from tdebug.pipeline_checks.checks import Undecided
from tdebug.pipeline_checks.checks.dataset.images_not_scaled import images_not_scaled
from tdebug.pipeline_checks.facts import CallFacts, SampleFacts
from tdebug.pipeline_checks.facts.calls import ConvolutionCall
from tdebug.pipeline_checks.facts.samples import FieldFact
from tdebug.pipeline_checks.facts.tensors import TensorFact


def samples(low, high, *, is_whole=True):
    field = FieldFact("[0]", min=low, max=high, max_index=3, is_whole=is_whole, mean=121.04)
    return SampleFacts("Photos", 16, 16, fields=(field,))


def calls(field="[0]", shape=(4, 3, 32, 32), dtype="float32"):
    image = TensorFact(shape, dtype, field=field)
    return CallFacts(first_convolution=ConvolutionCall("stem.conv", "conv2d", image))


def test_raw_pixels_at_the_first_convolution_are_found():
    [problem] = images_not_scaled(samples(0, 255), calls())

    assert "'stem.conv' with pixels of 0 to 255, mean 121" in problem.message
    assert "divide by 255" in problem.hint


@pytest.mark.parametrize(
    ("given", "called"),
    [
        (samples(0, 1), calls()),
        (samples(-2.1, 2.6, is_whole=False), calls()),
        (samples(0, 255), calls(None)),
        (samples(0, 255), calls(shape=(4, 12, 32, 32))),
        (samples(0, 4000), calls()),
        (samples(0, 255), CallFacts()),
    ],
)
def test_scaled_images_and_other_inputs_are_no_problem(given, called):
    assert not list(images_not_scaled(given, called))


def test_the_check_waits_for_the_forward():
    with pytest.raises(Undecided):
        list(images_not_scaled(samples(0, 255), None))
