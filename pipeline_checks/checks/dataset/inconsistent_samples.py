"""TD107: samples are not all of one form."""

from collections.abc import Iterator

from ...facts import BatchFacts, LoaderFacts, SampleFacts
from ...facts.samples import FieldFact
from ...report import Problem, Severity
from ..evidence import keeps_values, mixes_samples
from ..inputs import key_of
from ..registry import Undecided, check
from ..sample_forms import Difference, channel_counts, kinds_that_clash, missing_in
from ..wording import count_of, join_words, sample, sample_list


@check("TD107", Severity.ERROR)
def inconsistent_samples(
    samples: SampleFacts, loader: LoaderFacts | None, batches: BatchFacts | None
) -> Iterator[Problem]:
    """Samples differ in their fields, their number of dimensions or their channels.

    Why it matters: two samples that differ so cannot be stacked. With shuffling the run stops at a
    random step, with words about entries of a stack and none about the samples.

    How to fix it: bring every sample to one form in `__getitem__`: convert images to RGB, give
    every field a value in every sample, and return None for none of them.
    """
    found = [(field, what) for field in samples.fields for what in _differences(field, samples)]
    if not found:
        return
    if loader is None:
        raise Undecided("whether the samples must be alike depends on the loader")
    breaks = bool(batches and batches.failed and keeps_values(loader))
    if not breaks and not mixes_samples(loader):
        return
    for field, what in found:
        yield _problem(field, what, samples)


def _differences(field: FieldFact, samples: SampleFacts) -> Iterator[Difference]:
    if key_of(field.path) in samples.removed:
        return
    for difference in (
        missing_in(field, samples),
        kinds_that_clash(field),
        channel_counts(field),
    ):
        if difference is not None:
            yield difference
            return


def _problem(field: FieldFact, found: Difference, samples: SampleFacts) -> Problem:
    name = field.path or "the sample"
    share = count_of(found.num_odd, samples.num_read, "sample")
    odd = found.odd_indices
    return Problem(
        f"{name} is not alike in all samples: {join_words(found.forms)}.",
        where=f"{found.odd} in {sample_list(odd, field.path if found.is_there else '')} ({share})",
        hint=f"{found.remedy} Look at {sample(odd[0])}." if odd else found.remedy,
        location=samples.location,
        values={
            "field": field.path,
            "forms": list(found.forms),
            "indices": list(odd),
            "num_samples": found.num_odd,
        },
    )
