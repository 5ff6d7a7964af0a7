"""What layers take, against what they were given: linear, convolution, norm, recurrent layers."""

from math import prod

from ..facts import ModelFacts
from ..facts.tensors import TensorFact
from ..facts.training import FailureFact
from .failures import module_name, module_sizes, tensor_name
from .image_fit import ImageFit, find_image_fit
from .mismatch import Mismatch
from .wording import shape_text

TWO = 2
RGB = 3
TOO_SMALL = (
    "the images are too small for so many strides and poolings: enlarge them, drop a pooling, or "
    "add padding."
)


def linear(failure: FailureFact, model: ModelFacts | None) -> Mismatch | None:
    """The last dimension of the input against the columns of the weight."""
    if len(failure.operands) < TWO or not failure.operands[0].shape:
        return None
    given, weight = failure.operands[:2]
    got, expected = given.shape[-1], weight.shape[-1]
    if got == expected:
        return None
    fit = find_image_fit(got, expected, failure, model)
    return Mismatch(
        f"{module_name(failure)} takes {expected} features but gets {got}: its input is "
        f"{shape_text(given.shape)}{_fit_text(got, expected, fit)}.",
        _linear_hint(given, expected, failure, fit),
        {"expected": expected, "got": got, "input": list(given.shape), **_fit_values(fit)},
    )


def _fit_text(got: int, expected: int, fit: ImageFit | None) -> str:
    if fit is None:
        return ""
    here = f", {got} = {fit.channels}x{fit.side}x{fit.side} from {fit.image}x{fit.image} images"
    there = f"; {expected} = {fit.channels}x{fit.expected_side}x{fit.expected_side}"
    if fit.expected_image is None:
        return here + there
    return f"{here}{there} would come from {fit.expected_image}x{fit.expected_image} images"


def _fit_values(fit: ImageFit | None) -> dict[str, int | None]:
    return {} if fit is None else {"image": fit.image, "expected_image": fit.expected_image}


def _linear_hint(
    given: TensorFact, expected: int, failure: FailureFact, fit: ImageFit | None
) -> str:
    got = given.shape[-1]
    name = failure.module or "the layer"
    if prod(given.shape[1:]) == expected:
        return f"flatten first: x.flatten(1) makes {shape_text(given.shape)} {expected} wide."
    if fit is not None and fit.expected_image is not None:
        size = fit.expected_image
        return f"resize the images to {size}x{size}, or build {name} with in_features={got}."
    if given.field is not None:
        return f"the samples have {got} features: build {name} with in_features={got}."
    return f"build {name} with in_features={got}, or make what feeds it {expected} wide."


def convolution(failure: FailureFact, _model: ModelFacts | None) -> Mismatch | None:
    """Dimensions and channels of the input against the kernel."""
    if len(failure.operands) < TWO:
        return None
    given, weight = failure.operands[:2]
    spatial = len(weight.shape) - TWO
    is_transposed = "transpose" in failure.function
    groups = int(failure.module_sizes.get("groups", 1))
    expected = weight.shape[0] if is_transposed else weight.shape[1] * groups
    if len(given.shape) not in {spatial + 1, spatial + TWO}:
        return _wrong_dims(failure, given, expected, spatial)
    got = given.shape[-spatial - 1]
    if got != expected:
        return _wrong_channels(failure, given, got, expected)
    kernel = weight.shape[2:]
    if any(size < side for size, side in zip(given.shape[-spatial:], kernel, strict=True)):
        return _too_small(failure, given, kernel)
    return None


def _wrong_dims(failure: FailureFact, given: TensorFact, expected: int, spatial: int) -> Mismatch:
    sides = ", ".join(("length",) if spatial == 1 else ("depth", "height", "width")[-spatial:])
    usual = (
        f"reshape the input to [batch, {expected}, {sides}], for example with x.unsqueeze(1) for "
        "one channel."
    )
    cause, hint = _too_many_dims(given.shape, expected, spatial) or ("", usual)
    return Mismatch(
        f"{module_name(failure)} takes [batch, {expected}, {sides}] but gets "
        f"{shape_text(given.shape)}{cause}.",
        hint,
        {"input": list(given.shape), "expected_channels": expected},
    )


def _too_many_dims(shape: tuple[int, ...], expected: int, spatial: int) -> tuple[str, str] | None:
    """Samples that are batches themselves, or hold several images each."""
    if len(shape) != spatial + TWO + 1 or shape[2] != expected:
        return None
    merged = shape_text((shape[0] * shape[1], *shape[2:]))
    if shape[0] == 1:
        return f": the only sample is a batch of {shape[1]} already", (
            "build the loader with batch_size=None, which puts nothing together, or let the "
            "dataset give single samples."
        )
    return f": each of the {shape[0]} samples holds {shape[1]} of them", (
        f"x.flatten(0, 1) makes {merged}; where a sample is meant to be a batch already, build the "
        "loader with batch_size=None."
    )


def _wrong_channels(failure: FailureFact, given: TensorFact, got: int, expected: int) -> Mismatch:
    name = failure.module or "the layer"
    hint = f"build {name} with in_channels={got}, or make what feeds it {expected} channels."
    spatial = len(failure.operands[1].shape) - TWO
    if len(given.shape) == spatial + 1 and got == len(failure.indices) and expected == 1:
        with_channel = shape_text((got, 1, *given.shape[1:]))
        hint = (
            f"the images have no channel dimension, so the batch of {got} is taken for channels: "
            f"x.unsqueeze(1) makes {with_channel}."
        )
    elif given.shape[-1] == expected:
        order = ", ".join(map(str, (0, len(given.shape) - 1, *range(1, len(given.shape) - 1))))
        hint = f"the channels stand last: x.permute({order}) puts them first."
    elif (got, expected) == (1, RGB):
        hint = f'load the images with .convert("RGB"), or build {name} with in_channels=1.'
    elif (got, expected) == (RGB, 1):
        hint = f'load the images with .convert("L"), or build {name} with in_channels=3.'
    return Mismatch(
        f"{module_name(failure)} takes {expected} channels but gets {got}: its input is "
        f"{shape_text(given.shape)}.",
        hint,
        {"expected": expected, "got": got, "input": list(given.shape)},
    )


def _too_small(failure: FailureFact, given: TensorFact, kernel: tuple[int, ...]) -> Mismatch:
    kernel_text = "x".join(map(str, kernel))
    return Mismatch(
        f"{module_name(failure)} has a kernel of {kernel_text} but its input is only "
        f"{shape_text(given.shape)}.",
        TOO_SMALL,
        {"input": list(given.shape), "kernel": list(kernel)},
    )


def pooling(failure: FailureFact, _model: ModelFacts | None) -> Mismatch | None:
    """A feature map that is too small to be pooled."""
    spatial = int(failure.function.rstrip("d")[-1])
    given = next(iter(failure.operands), None)
    if given is None or len(given.shape) < spatial or min(given.shape[-spatial:]) > 1:
        return None
    return Mismatch(
        f"{module_name(failure)} pools a feature map that is only {shape_text(given.shape)}.",
        TOO_SMALL,
        {"input": list(given.shape)},
    )


def norm(failure: FailureFact, _model: ModelFacts | None) -> Mismatch | None:
    """The normalized dimension against the layer's own size."""
    if not failure.operands:
        return None
    given = failure.operands[0]
    is_layer_norm = failure.function in {"layer_norm", "rms_norm"}
    sizes = failure.module_sizes
    expected = int(sizes.get("normalized_shape" if is_layer_norm else "num_features", 0))
    if not expected:
        expected = next((o.shape[-1] for o in failure.operands[1:] if o.shape), 0)
    place = -1 if is_layer_norm else 1
    if len(given.shape) < TWO or not expected or given.shape[place] == expected:
        return None
    got = given.shape[place]
    what = "features" if is_layer_norm else "channels"
    size = "normalized_shape" if is_layer_norm else "num_features"
    return Mismatch(
        f"{module_name(failure)} normalizes {expected} {what} but gets {got}: its input is "
        f"{shape_text(given.shape)}.",
        f"build {failure.module or 'the layer'} with {size}={got}, or transpose the input if its "
        f"{what} stand elsewhere.",
        {"expected": expected, "got": got, "input": list(given.shape)},
    )


# Layers that look at their input in Python, before any torch function: class prefix to the size
# that their last dimension must have, and the dimensions that they take.
OWN_TESTS = {
    "LSTM": ("input_size", None),
    "GRU": ("input_size", None),
    "RNN": ("input_size", None),
    "MultiheadAttention": ("embed_dim", None),
    "BatchNorm1d": ("", (2, 3)),
    "BatchNorm2d": ("", (4,)),
    "BatchNorm3d": ("", (5,)),
}


def own_test(failure: FailureFact, _model: ModelFacts | None) -> Mismatch | None:
    """A layer that refused its input itself."""
    size, dims = OWN_TESTS.get(failure.module_type, ("", None))
    given = next(iter(failure.module_inputs or failure.operands), None)
    if given is None or not given.shape:
        return None
    expected = int(failure.module_sizes.get(size, 0))
    if expected and given.shape[-1] != expected:
        got = given.shape[-1]
        return Mismatch(
            f"{module_name(failure)} takes {expected} features ({module_sizes(failure)}) but gets "
            f"{got}: {tensor_name(given, 'its input')} is {shape_text(given.shape)}.",
            _width_hint(given.shape, expected, size),
            {"expected": expected, "got": got, "input": list(given.shape)},
        )
    if dims and len(given.shape) not in dims:
        return Mismatch(
            f"{module_name(failure)} takes {' or '.join(map(str, dims))} dimensions but gets "
            f"{len(given.shape)}: its input is {shape_text(given.shape)}.",
            "use the layer of the right dimension, or do not flatten before it.",
            {"input": list(given.shape), "dims": list(dims)},
        )
    return None


def _width_hint(shape: tuple[int, ...], expected: int, size: str) -> str:
    if expected in shape[1:-1]:
        return f"the features stand in dimension {shape.index(expected, 1)}: transpose it with -1."
    return f"build it with {size}={shape[-1]}, or make what feeds it {expected} wide."
