"""TD121: evaluation samples that are in the training set."""

from collections.abc import Iterator

from ...facts import LoadFacts, SampleFacts
from ...report import Problem, Severity, Stage
from ..chance_copies import repeat_by_chance
from ..registry import Undecided, check
from ..wording import count_of, percent, sample

SHARE = 0.01
FEWEST_VALUES = 8
PARTS = ("eval_dataset", "dataset", "trainer", "pipeline")


@check("TD121", Severity.WARNING)
def train_validation_overlap(
    samples: SampleFacts, load: LoadFacts | None = None
) -> Iterator[Problem]:
    """Evaluation samples are exact copies of training samples: an error over 1 %.

    Why it matters: the metric says how well the model remembers, not how well it generalises; early
    stopping and model choice follow it. Only exact copies are seen.

    How to fix it: drop copies before splitting, split by group (patient, document, user) instead of
    by row, and never split a set that was augmented before.
    """
    if samples.is_eval_same:
        yield Problem(
            "the evaluation set is the training set itself.",
            where="dataset and eval_dataset are one object",
            hint="hold some samples out, unless this is meant (a test of overfitting).",
            severity=Severity.INFO,
        )
        return
    leaked = samples.leaked
    if leaked is None or not leaked.num_compared:
        raise Undecided("there is no evaluation set whose samples could be compared")
    share = leaked.num_repeated / leaked.num_compared
    if not leaked.num_repeated or leaked.num_values < FEWEST_VALUES:
        return
    severity = Severity.ERROR if share > SHARE else Severity.WARNING
    if share == 1 or repeat_by_chance(samples, samples.num_read * leaked.num_compared):
        severity = Severity.INFO
    where = ""
    if leaked.first is not None and leaked.same_as is not None:
        where = f"eval_{sample(leaked.first)} equals {sample(leaked.same_as)}"
    yield Problem(
        f"{count_of(leaked.num_repeated, leaked.num_compared, 'evaluation sample')} "
        f"({percent(leaked.num_repeated, leaked.num_compared)}) are exact copies of training "
        "samples.",
        where=where,
        hint="drop duplicates before splitting, and split by group rather than by row.",
        location=load.place_of(PARTS) if load is not None else None,
        severity=severity,
        # What comes before the evaluation is not broken by it.
        stage=Stage.EVALUATE if severity is Severity.ERROR else None,
        values={"num_repeated": leaked.num_repeated, "num_compared": leaked.num_compared},
    )
