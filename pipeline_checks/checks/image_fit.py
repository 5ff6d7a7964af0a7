"""For which image size a linear layer behind a convolutional network was built."""

from dataclasses import dataclass
from math import isqrt

from ..facts import ModelFacts
from ..facts.training import FailureFact

IMAGE_DIMS = 4


@dataclass(frozen=True)
class ImageFit:
    """Image sizes that give the features there are and the features asked for.

    Attributes:
        channels: Channels of the last feature map.
        side: Its height and width with the images at hand.
        expected_side: Its height and width that the layer was built for.
        image: Height and width of the images at hand.
        expected_image: Height and width that would fit, None where that is no whole factor.
    """

    channels: int
    side: int
    expected_side: int
    image: int
    expected_image: int | None


def find_image_fit(
    got: int, expected: int, failure: FailureFact, model: ModelFacts | None
) -> ImageFit | None:
    """The sizes, where the features are a flattened square feature map of a square image."""
    image, channels = _image_side(failure), _last_channels(failure, model)
    if image is None or not channels or got % channels or expected % channels:
        return None
    side, expected_side = isqrt(got // channels), isqrt(expected // channels)
    if side * side * channels != got or expected_side * expected_side * channels != expected:
        return None
    if not side or not expected_side:
        return None
    factor = image // side if image % side == 0 else None
    fits = None if factor is None else factor * expected_side
    return ImageFit(channels, side, expected_side, image, fits)


def _image_side(failure: FailureFact) -> int | None:
    for leaf in failure.inputs:
        if leaf.shape is not None and len(leaf.shape) == IMAGE_DIMS:
            height, width = leaf.shape[2:]
            return height if height == width else None
    return None


def _last_channels(failure: FailureFact, model: ModelFacts | None) -> int | None:
    """Channels of the last convolution that stands before the layer."""
    found = None
    for layer in model.layers if model is not None else ():
        if layer.name == failure.module:
            break
        if layer.type.startswith("Conv"):
            found = int(layer.sizes.get("out_channels", 0))
    return found
