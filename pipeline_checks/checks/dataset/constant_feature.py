"""TD119: an input that never changes."""

from collections.abc import Iterator

from ...facts import SampleFacts
from ...facts.samples import FieldFact
from ...report import Problem, Severity
from ..inputs import key_of
from ..labels import is_label_name
from ..registry import check
from ..wording import number

FEWEST_SAMPLES = 10
FEWEST_NUMBERS = 4
# Fields whose values are often alike on purpose.
MAY_BE_CONSTANT = (
    *("mask", "weight", "scale", "mean", "std", "bias", "pad", "type", "length"),
    *("hidden", "state", "init", "h0", "c0", "h_0", "c_0"),
)


@check("TD119", Severity.WARNING)
def constant_feature(samples: SampleFacts) -> Iterator[Problem]:
    """An input field holds the same number everywhere, in every sample.

    Why it matters: nothing can be learned from it. Images that are all 0 mostly mean that a file
    could not be read, or that a normalisation went wrong, and that nobody noticed.

    How to fix it: look at one sample (`dataset[0]`) and at what fills the field.
    """
    if samples.num_read - samples.num_failed < FEWEST_SAMPLES:
        return
    for field in samples.fields:
        if key_of(field.path) not in samples.removed and _is_constant(field):
            yield Problem(
                f"{field.path or 'the sample'} is {number(field.min)} in all of its entries, in "
                f"{samples.read_text}.",
                where=f"dataset[0]{field.path}",
                hint="look at what fills the field: a read that failed without a word, or a "
                "division that made everything 0.",
                location=samples.location,
                values={"field": field.path, "value": field.min, "num_read": samples.num_read},
            )


def _is_constant(field: FieldFact) -> bool:
    if field.min is None or field.min != field.max or field.bad or is_label_name(field.name):
        return False
    if any(word in field.name.lower() for word in MAY_BE_CONSTANT):
        return False
    is_float = all("float" in kind.kind for kind in field.kinds)
    is_large = all(_numel(shape.shape) >= FEWEST_NUMBERS for shape in field.shapes)
    is_input = field.name == "0" or not field.name.isdigit()
    return is_float and is_large and is_input and bool(field.shapes)


def _numel(shape: tuple[int, ...]) -> int:
    product = 1
    for size in shape:
        product *= size
    return product
