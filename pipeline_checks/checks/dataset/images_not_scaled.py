"""TD122: pixels of 0 to 255 go into the first convolution."""

from collections.abc import Iterator

from ...facts import CallFacts, SampleFacts
from ...report import Problem, Severity
from ..labels import find_field_of_batch
from ..registry import Undecided, check
from ..wording import number

# Above this a float image is no picture in [0, 1] and no standardised one.
LEAST_MAX = 100
MOST_MAX = 255
CHANNELS = frozenset({1, 3, 4})
BATCH_DIMS = 4


@check("TD122", Severity.WARNING)
def images_not_scaled(samples: SampleFacts, calls: CallFacts | None) -> Iterator[Problem]:
    """Images reach the first convolution with pixels of 0 to 255.

    Why it matters: weights are initialised for inputs of about unit size. Values a hundred times as
    large make the first steps explode; a pretrained model sees what it never saw.

    How to fix it: divide by 255 (`transforms.ToTensor()` does) and normalise with the mean and
    standard deviation that the model was trained with.
    """
    if calls is None:
        raise Undecided("whether the model scales its inputs shows only in the forward")
    first = calls.first_convolution
    if first is None or first.input.field is None:
        return
    field, image = find_field_of_batch(samples, first.input.field), first.input
    if len(image.shape) != BATCH_DIMS or image.shape[1] not in CHANNELS or not image.is_floating:
        return
    if field is None or field.min is None or field.max is None or not field.is_whole:
        return
    if field.min < 0 or not LEAST_MAX < field.max <= MOST_MAX:
        return
    mean = f", mean {number(round(field.mean, 1))}" if field.mean is not None else ""
    yield Problem(
        f"the images go into {first.module!r} with pixels of {number(field.min)} to "
        f"{number(field.max)}{mean}: nothing scales them.",
        where=f"dataset[{field.max_index or 0}]{field.path}, batch {image.shape_text}",
        hint="divide by 255 in the dataset, then normalise with the mean and standard deviation "
        "that the model expects.",
        location=samples.location,
        values={"field": field.path, "min": field.min, "max": field.max, "mean": field.mean},
    )
