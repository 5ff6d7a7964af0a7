"""TD102: text reaches a place that needs numbers."""

from collections.abc import Iterator

from ...facts import BatchFacts, LoaderFacts, ModelFacts, SampleFacts, TrainingFacts
from ...facts.samples import FieldFact
from ...report import Problem, Severity
from ..evidence import calls_by_keyword, forward_failure
from ..inputs import field_keys, key_of, missing_inputs, text_fields
from ..registry import Undecided, check
from ..wording import sample


@check("TD102", Severity.ERROR)
def text_instead_of_numbers(
    samples: SampleFacts,
    model: ModelFacts,
    loader: LoaderFacts | None,
    batches: BatchFacts | None,
    training: TrainingFacts | None,
) -> Iterator[Problem]:
    """A field that holds text is collated into a tensor, or handed to the model.

    Why it matters: text cannot become a tensor. The padding collators complain about "excessive
    nesting" or advise padding and truncation, which do not help; a model fails in its first layer.

    How to fix it: remove the column once it is tokenized (`dataset.remove_columns(["text"])`, or
    `remove_columns=dataset.column_names` in `map`), or tokenize it if it is the input.
    """
    fields = text_fields(samples)
    if not fields:
        return
    if loader is None or batches is None:
        raise Undecided("where the text goes shows only when batches are made")
    if model.main_input in missing_inputs(model, field_keys(samples)):
        return  # the text is the input that was not tokenized: missing-model-inputs says so
    if loader.collate_kind == "transformers" and loader.needs_padding and batches.failed:
        for field in fields:
            yield _problem(field, f"{loader.collate} cannot make a tensor of it", samples, model)
    elif forward_failure(training) is not None:
        for field in fields:
            if _is_model_input(field, model, training):
                yield _problem(field, f"it is handed to {model.type} as it is", samples, model)


def _is_model_input(field: FieldFact, model: ModelFacts, training: TrainingFacts | None) -> bool:
    if calls_by_keyword(training):
        return key_of(field.path) in model.signature.names
    return training is not None and training.style == "pair" and field.path == "[0]"


def _problem(field: FieldFact, what: str, samples: SampleFacts, model: ModelFacts) -> Problem:
    index = next((kind.first for kind in field.kinds if "str" in kind.kind), 0)
    kind = next((kind.kind for kind in field.kinds if "str" in kind.kind), "str")
    name = key_of(field.path)
    shown = repr(name) if not name.isdigit() else "the input"
    is_input = name in model.signature.names or name == "0"
    unused = "" if is_input else f"; {model.type}.forward does not take {name!r} anyway"
    return Problem(
        f"{field.path or 'the sample'} holds text ({kind}): {what}{unused}.",
        where=f"{sample(index, field.path)} = {_short(field.text)}",
        hint=f"tokenize {shown}, or turn it into numbers, in the dataset."
        if is_input
        else f"drop the column {name!r} (dataset.remove_columns([{name!r}])) after tokenizing.",
        location=samples.location,
        values={"field": field.path, "kind": kind, "index": index},
    )


def _short(text: str | None) -> str:
    shown = text or ""
    return repr(shown if len(shown) <= 40 else shown[:40] + "...")  # noqa: PLR2004 - one line
