"""TD123: images come as height, width, channels."""

from collections.abc import Iterator

from ...facts import SampleFacts, TrainingFacts
from ...report import Problem, Severity
from ..evidence import forward_failure
from ..labels import find_field_of_batch
from ..registry import check
from ..wording import shape_text

CONVOLUTIONS = frozenset({"conv1d", "conv2d", "conv3d"})


@check("TD123", Severity.ERROR)
def channels_last(samples: SampleFacts, training: TrainingFacts) -> Iterator[Problem]:
    """The channels stand last in the images, and a convolution takes them first.

    Why it matters: the convolution fails with words about sizes; where the sizes happen to fit it
    takes rows for channels and learns nothing.

    How to fix it: PIL, numpy and matplotlib keep (height, width, channels), torch (channels,
    height, width): `torch.from_numpy(image).permute(2, 0, 1)`, or `transforms.ToTensor()`.
    """
    failure = forward_failure(training)
    if failure is None or failure.function not in CONVOLUTIONS or not failure.operands:
        return
    image, channels = failure.operands[0], failure.module_sizes.get("in_channels")
    field = find_field_of_batch(samples, image.field)
    dims = int(failure.function[4]) + 2
    if field is None or channels is None or len(image.shape) != dims:
        return
    if image.shape[-1] != channels or image.shape[1] == channels:
        return
    last = len(image.shape) - 2
    order = ", ".join(map(str, (last, *range(last))))
    yield Problem(
        f"the images have their channels last: a sample is {shape_text(image.shape[1:])}, and "
        f"{failure.module_type} {failure.module!r} takes {channels:g} channels first.",
        where=f"dataset[0]{field.path}, batch {image.shape_text}",
        hint=f"move the channels to the front in the dataset: image.permute({order}).",
        location=samples.location or failure.error.location,
        values={"shape": list(image.shape), "in_channels": channels, "module": failure.module},
    )
