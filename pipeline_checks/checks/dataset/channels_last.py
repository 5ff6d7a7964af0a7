"""TD123: images come as height, width, channels."""

from collections.abc import Iterator

from ...facts import ModelFacts, SampleFacts, TrainingFacts
from ...facts.tensors import TensorFact
from ...facts.training import FailureFact
from ...report import Problem, Severity
from ..evidence import forward_failure
from ..labels import find_field_of_batch
from ..registry import check
from ..wording import shape_text

CONVOLUTIONS = frozenset({"conv1d", "conv2d", "conv3d"})
IMAGES = 4


@check("TD123", Severity.ERROR)
def channels_last(
    samples: SampleFacts, training: TrainingFacts, model: ModelFacts | None = None
) -> Iterator[Problem]:
    """The channels stand last in the images, and a convolution takes them first.

    Why it matters: the convolution fails with words about sizes; where the sizes happen to fit it
    takes rows for channels and learns nothing.

    How to fix it: PIL, numpy and matplotlib keep (height, width, channels), torch (channels,
    height, width): `torch.from_numpy(image).permute(2, 0, 1)`, or `transforms.ToTensor()`.
    """
    failure = forward_failure(training)
    taker = _find_taker(failure, model) if failure is not None else None
    if failure is None or taker is None:
        return
    image, channels, name = taker
    field = find_field_of_batch(samples, image.field)
    if field is None or image.shape[-1] != channels or image.shape[1] == channels:
        return
    last = len(image.shape) - 2
    order = ", ".join(map(str, (last, *range(last))))
    yield Problem(
        f"the images have their channels last: a sample is {shape_text(image.shape[1:])}, and "
        f"{name} takes {channels:g} channels first.",
        where=f"dataset[0]{field.path}, batch {image.shape_text}",
        hint=f"move the channels to the front in the dataset: image.permute({order}).",
        location=samples.location or failure.error.location,
        values={"shape": list(image.shape), "in_channels": channels, "module": failure.module},
    )


def _find_taker(
    failure: FailureFact, model: ModelFacts | None
) -> tuple[TensorFact, float, str] | None:
    """The images, the channels that are asked for, and who asks: a convolution or around one."""
    if failure.function in CONVOLUTIONS and failure.operands:
        image, channels = failure.operands[0], failure.module_sizes.get("in_channels")
        dims = int(failure.function[4]) + 2
        name = f"{failure.module_type} {failure.module!r}"
        return (image, channels, name) if channels and len(image.shape) == dims else None
    # A patch embedding of transformers looks at the channels itself and raises before it calls it.
    layers = model.layers if model is not None and failure.module else ()
    below = (one for one in layers if one.name.startswith(f"{failure.module}."))
    inner = next((one for one in below if "in_channels" in one.sizes), None)
    given = next(iter(failure.module_inputs), None)
    if inner is None or given is None or failure.function or not failure.error.is_a("ValueError"):
        return None
    name = f"{failure.module_type} {failure.module!r}"
    return (given, inner.sizes["in_channels"], name) if len(given.shape) == IMAGES else None
