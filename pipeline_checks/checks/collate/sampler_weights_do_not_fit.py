"""TD214: a weighted sampler that was not given one weight a sample."""

from collections.abc import Iterator

from ...facts import CallFacts, LoaderFacts, SampleFacts
from ...report import Problem, Severity
from ..labels import find_classes
from ..registry import check
from ..wording import count


@check("TD214", Severity.ERROR)
def sampler_weights_do_not_fit(
    loader: LoaderFacts, samples: SampleFacts | None, calls: CallFacts | None
) -> Iterator[Problem]:
    """A WeightedRandomSampler has fewer weights than the dataset has samples.

    Why it matters: the sampler draws places in its list of weights. With one weight a class, or
    those of another split, the samples beyond the last weight are never drawn, and nothing raises.

    How to fix it: give one weight a sample, by its class: `class_weights[labels]`.
    """
    num_weights, length = loader.num_weights, loader.num_samples
    if num_weights is None or length is None or not num_weights < length or loader.is_iterable:
        return
    is_of_classes = num_weights == _num_classes(samples, calls)
    whose = ", one a class instead of one a sample" if is_of_classes else ""
    drawn = "only sample 0 is" if num_weights == 1 else f"only the first {num_weights} samples are"
    yield Problem(
        f"the {loader.sampler} has {count(num_weights, 'weight')} for {length} samples{whose}: "
        f"{drawn} ever drawn, the other {length - num_weights} never.",
        where=f"the train loader ({loader.sampler})",
        hint="give one weight a sample, in the order of this very dataset: "
        "WeightedRandomSampler(class_weights[labels], num_samples=len(labels)).",
        values={"num_weights": num_weights, "num_samples": length},
    )


def _num_classes(samples: SampleFacts | None, calls: CallFacts | None) -> int:
    label = find_classes(samples, calls) if samples is not None else None
    return len(label.values) if label is not None and label.is_scalar else 0
