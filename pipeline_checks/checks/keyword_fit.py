"""A batch against the parameters of the model's forward."""

from dataclasses import dataclass

from ..facts import BatchFacts, LoaderFacts, ModelFacts, SampleFacts
from ..facts.batches import BatchFact
from ..spec.near import find_near
from .inputs import key_of, missing_inputs, unexpected_inputs
from .labels import is_label_name
from .wording import batch, join_words, quoted_list, sample

TAKEN_BY_TRAINER = frozenset({"num_items_in_batch", "return_loss"})


@dataclass(frozen=True)
class Clash:
    """Why a batch does not fit: what to say, where, and what to do."""

    message: str
    where: str
    hint: str


def near_parameter(name: str, model: ModelFacts, given: set[str]) -> str | None:
    """The parameter of forward that was meant by this name, if one is near and not given."""
    free = [parameter for parameter in model.signature.names if parameter not in given]
    if is_label_name(name):
        labels = [parameter for parameter in free if is_label_name(parameter)]
        if labels:
            return labels[0]
    return find_near(name, free)


def removed_label(samples: SampleFacts, model: ModelFacts) -> Clash | None:
    """A column that the Trainer removes though it was meant for a parameter of forward."""
    given = {key_of(field.path) for field in samples.fields} - set(samples.removed)
    for name in samples.removed:
        near = near_parameter(name, model, given)
        if near is not None and (is_label_name(name) or near == find_near(name, [near], 0.8)):
            return Clash(
                f"the Trainer removes the column {name!r}, because {model.type}.forward does not "
                f"take it; {near!r} never reaches the model, and no loss comes of it.",
                f"{sample(0)}[{name!r}] (remove_unused_columns)",
                f"rename {name!r} to {near!r} in the dataset (dataset.rename_column({name!r}, "
                f"{near!r}) for a datasets.Dataset).",
            )
    return None


def tuples_for_keywords(
    samples: SampleFacts, model: ModelFacts, loader: LoaderFacts, batches: BatchFacts
) -> Clash | None:
    """Samples that are tuples where a Trainer or a transformers collator needs dicts."""
    if samples.container not in {"tuple", "list", "Tensor"}:
        return None
    if loader.collate_kind != "transformers" or not batches.failed:
        return None
    size = len({key_of(field.path) for field in samples.fields})
    wanted = join_words([*missing_inputs(model, ())[:1], "labels"])
    what = f"a {samples.container} of {size}" if size else f"a {samples.container}"
    return Clash(
        f"the samples are {what} values ({samples.dataset}), but {loader.collate} and "
        f"{model.type} need dicts keyed by the parameters of forward ({wanted}).",
        f"{sample(0)} is a {samples.container}",
        'return dicts from the dataset: {"input_ids": ..., "labels": ...}, or give a collate_fn '
        "that makes them.",
    )


def keywords(one: BatchFact, model: ModelFacts) -> Clash | None:
    """Keys of the batch that forward does not take, or parameters that the batch lacks."""
    given = [key for key in dict.fromkeys(key_of(leaf.path) for leaf in one.leaves) if key]
    unexpected = [n for n in unexpected_inputs(model, given) if n not in TAKEN_BY_TRAINER]
    missing = missing_inputs(model, given)
    if not unexpected and not missing:
        return None
    parts, remedy = [], ""
    if unexpected:
        parts.append(f"{model.type}.forward does not take {quoted_list(unexpected)}")
        near = near_parameter(unexpected[0], model, set(given))
        remedy = f"rename {unexpected[0]!r} to {near!r}." if near else ""
    if missing:
        parts.append(f"the batch has no {quoted_list(missing)}, which forward needs")
        near = find_near(missing[0], given)
        remedy = remedy or (f"rename {near!r} to {missing[0]!r}." if near else "")
    if not remedy:
        takes = join_words(model.signature.names[:6])
        remedy = f"forward takes {takes}: drop what it does not know, or write a compute_loss."
    keys = quoted_list(given, most=8)
    return Clash("; ".join(parts) + ".", f"{batch(one.number, one.indices)} holds {keys}", remedy)


def positional(one: BatchFact, model: ModelFacts) -> Clash | None:
    """A pair `(x, y)` for a model that needs more than one input."""
    required = model.signature.required
    if one.container not in {"tuple", "list"} or len(required) <= 1:
        return None
    return Clash(
        f"{model.type}.forward needs {len(required)} inputs ({join_words(required)}), but a batch "
        "(x, y) gives it only x.",
        batch(one.number, one.indices),
        "write compute_loss(model, batch), which says how the batch goes into the model.",
    )
