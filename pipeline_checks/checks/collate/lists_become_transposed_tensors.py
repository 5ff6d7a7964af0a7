"""TD213: the default collate turns lists into a list of tensors."""

from collections.abc import Iterator

from ...facts import BatchFacts, LoaderFacts, ModelFacts, SampleFacts, TrainingFacts
from ...facts.samples import FieldFact
from ...report import Problem, Severity
from ..evidence import calls_by_keyword, forward_failure
from ..inputs import key_of
from ..registry import Undecided, check
from ..wording import count, quoted_list


@check("TD213", Severity.ERROR)
def lists_become_transposed_tensors(
    samples: SampleFacts,
    loader: LoaderFacts,
    batches: BatchFacts,
    model: ModelFacts,
    training: TrainingFacts | None,
) -> Iterator[Problem]:
    """Samples hold Python lists, which torch's default collate transposes.

    Why it matters: a list of 6 numbers in each of 4 samples becomes 6 tensors of 4, not a tensor
    [4, 6]. The model fails with "'list' object has no attribute 'size'".

    How to fix it: return tensors: `torch.tensor(ids)` in `__getitem__`, `with_format("torch")` for
    a `datasets.Dataset`, or a collator that makes tensors (DataCollatorWithPadding).
    """
    lists = [field for field in samples.fields if _is_list(field)]
    if loader.collate_kind != "default" or not lists or not batches.good:
        return
    if training is None:
        raise Undecided("whether your code takes lists shows only in the forward")
    if forward_failure(training) is None:
        return
    taken = [field for field in lists if _is_model_input(field, model, training)]
    if not taken:
        return
    first, size = taken[0], batches.good[0].size or loader.batch_size or 1
    length = first.shapes[0].shape[0] if first.shapes else 0
    name = first.path or "the sample"
    yield Problem(
        f"{name} is a {first.kinds[0].kind} in each sample: torch's default collate makes "
        f"{count(length, 'tensor')} of {size} of it, a list, instead of one tensor "
        f"[{size}, {length}].",
        where=f"batch{name} is a list; likewise {quoted_list([f.path for f in taken[1:]])}"
        if taken[1:]
        else f"batch{name} is a list",
        hint="return tensors: torch.tensor(...) in __getitem__, with_format('torch') for a "
        "datasets.Dataset, or a collator that makes tensors (DataCollatorWithPadding).",
        location=samples.location,
        values={"fields": [field.path for field in taken], "length": length, "batch_size": size},
    )


def _is_list(field: FieldFact) -> bool:
    return bool(field.kinds) and field.kinds[0].kind.startswith(("list of", "tuple of"))


def _is_model_input(field: FieldFact, model: ModelFacts, training: TrainingFacts) -> bool:
    if calls_by_keyword(training):
        return key_of(field.path) in model.signature.names
    return training.style == "pair"
