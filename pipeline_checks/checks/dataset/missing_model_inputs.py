"""TD103: the samples lack what the model asks for."""

from collections.abc import Iterator

from ...facts import BatchFacts, LoaderFacts, ModelFacts, SampleFacts, TrainingFacts
from ...report import Problem, Severity
from ...spec.near import find_near
from ..evidence import calls_by_keyword, has_broken, keeps_values
from ..inputs import field_keys, key_of, missing_inputs
from ..registry import Undecided, check
from ..wording import join_words, quoted_list


@check("TD103", Severity.ERROR)
def missing_model_inputs(
    samples: SampleFacts,
    model: ModelFacts,
    loader: LoaderFacts | None,
    batches: BatchFacts | None,
    training: TrainingFacts | None,
) -> Iterator[Problem]:
    """The samples do not hold an input that the model's forward cannot do without.

    Why it matters: the model, or the collator before it, fails with words about itself
    ("You have to specify either input_ids or inputs_embeds"), not about the data.

    How to fix it: hand over the tokenized dataset instead of the raw one, or name the fields as the
    parameters of forward are named. A Trainer silently removes the columns that forward does not
    take.
    """
    if not samples.container.startswith("dict") or not samples.num_read:
        return
    missing = missing_inputs(model, field_keys(samples))
    if not missing or (model.main_input not in missing and not samples.removed):
        return
    if loader is None or batches is None:
        raise Undecided("how the model is called shows only when batches are made")
    by_keyword = loader.trainer if training is None else calls_by_keyword(training)
    is_padded = loader.needs_padding and bool(batches.failed)
    if not keeps_values(loader) or not (by_keyword or is_padded):
        return
    if has_broken(batches, training):
        yield _problem(missing, samples, model)


def _problem(missing: list[str], samples: SampleFacts, model: ModelFacts) -> Problem:
    given = field_keys(samples)
    removed = f"; the Trainer removed {quoted_list(samples.removed)}" if samples.removed else ""
    holds = quoted_list(given) if given else "nothing that it takes"
    return Problem(
        f"{model.type} needs {join_words(missing)}, but the samples hold {holds}{removed}.",
        where=f"dataset[0] has no {missing[0]!r}",
        hint=_hint(missing, samples),
        location=samples.location,
        values={"missing": missing, "fields": given, "removed": list(samples.removed)},
    )


def _hint(missing: list[str], samples: SampleFacts) -> str:
    keys = list(dict.fromkeys(key_of(field.path) for field in samples.fields))
    near = find_near(missing[0], keys)
    if near:
        return f"rename {near!r} to {missing[0]!r}."
    text = [key_of(field.path) for field in samples.fields if field.holds_text]
    if text and missing[0] in {"input_ids", "inputs_embeds"}:
        are, them = ("is", "it") if len(text) == 1 else ("are", "them")
        return (
            f"{quoted_list(text)} {are} still text: tokenize {them}, and pass the tokenized "
            "dataset, not the raw one."
        )
    return f"let the dataset return {missing[0]!r} (a dict keyed as forward's parameters)."
