"""What is known of a batch that could not be put together."""

import re
from collections.abc import Iterator

from ..facts import BatchFacts, LoaderFacts, SampleFacts
from ..facts.batches import BatchFact, FieldLengths
from .labels import HUGGING_FACE_NAMES, is_label_name
from .wording import count_of, join_words, name_list, shape_text

STACKING = re.compile(r"\b(stack|cat|tensor|array|asarray|as_tensor|LongTensor|FloatTensor)\s*\(")
TENSOR_KINDS = re.compile(r"(tensor|array|scalar|^int|^float|^bool|of (int|float|bool)|ragged)")
IMAGE_DIMS = 3
SHAPES_SHOWN = 8
USUAL = 0.8
# What a Trainer without a tokenizer collates with: it makes a tensor of every field and pads none.
TRANSFORMERS_DEFAULTS = frozenset({"default_data_collator", "DefaultDataCollator"})
PADDED_BY_TOKENIZERS = frozenset({"input_ids", "attention_mask", "token_type_ids"})


def ragged_fields(batch: BatchFact, loader: LoaderFacts | None) -> Iterator[FieldLengths]:
    """Fields whose sizes differ over the samples and that this collate function does not pad."""
    pads = loader.pads if loader else ()
    for field in batch.fields:
        numbers = all(TENSOR_KINDS.search(kind) for kind in field.kinds)
        if field.is_ragged and numbers and None not in field.shapes and field.name not in pads:
            yield field


def is_to_blame(field: FieldLengths, batch: BatchFact, loader: LoaderFacts) -> bool:
    """Whether the failure can be this field's.

    Torch's default collation stacks every field, and a padding collator makes a tensor of every
    field; in a function of the user's the line that raised must stack something, and must not name
    another field.
    """
    if loader.collate_kind == "default":
        return True
    if loader.collate_kind == "transformers":
        stacks_all = loader.collate in TRANSFORMERS_DEFAULTS
        return stacks_all or loader.needs_padding or is_label_name(field.name)
    code = _last_line(batch)
    if not STACKING.search(code):
        return False
    others = [other.name for other in batch.fields if other.name != field.name]
    named = [name for name in others if re.search(rf"""["']{re.escape(name)}["']""", code)]
    return not named


def _last_line(batch: BatchFact) -> str:
    frames = batch.error.user_frames if batch.error else ()
    return (frames[-1].code or "") if frames else ""


def field_name(field: FieldLengths) -> str:
    """`labels`, or `[0]` for one that has only a number.

    >>> field_name(FieldLengths("[0]", (), ())), field_name(FieldLengths('["x"]', (), ()))
    ('[0]', 'x')
    """
    return field.path if field.name.isdigit() else field.name or "the samples"


def sizes_text(field: FieldLengths) -> str:
    """`lengths 5, 9, 6 and 10`, or the distinct shapes where they are no vectors.

    >>> sizes_text(FieldLengths('["x"]', ("list of int",) * 3, ((5,), (9,), (5,))))
    'lengths 5, 9 and 5'
    """
    shapes = [shape or () for shape in field.shapes]
    lengths = [length for shape in shapes if len(shape) == 1 for length in shape]
    if len(lengths) == len(shapes):
        return "lengths " + name_list(lengths, SHAPES_SHOWN)
    distinct = dict.fromkeys(shape_text(shape) for shape in shapes)
    return "shapes " + name_list(list(distinct), SHAPES_SHOWN)


def odd_ones(field: FieldLengths, samples: SampleFacts | None) -> str:
    """Where most samples have one size, which, and the first sample that has another."""
    known = samples.field(field.path) if samples is not None else None
    if samples is None or known is None or not samples.num_read or len(known.shapes) < 2:  # noqa: PLR2004 - the usual one and another
        return ""
    usual, *others = known.shapes
    if usual.count < USUAL * samples.num_read:
        return ""
    first = min(index for shape in others for index in shape.indices)
    share = count_of(usual.count, samples.num_read, "sample")
    return f"; {share} have {shape_text(usual.shape)}, dataset[{first}] is the first other"


def padding_hint(field: FieldLengths, loader: LoaderFacts) -> str:
    """Which collator would make a tensor of the field, or what else would."""
    shape = next((shape for shape in field.shapes if shape), ())
    if len(shape) == IMAGE_DIMS:
        return "resize or crop every image to one size in the dataset."
    if is_label_name(field.name) and loader.collate_kind == "transformers":
        return (
            f"{loader.collate} does not pad labels: use DataCollatorForTokenClassification or "
            "DataCollatorForSeq2Seq, which pad them with -100, or drop the column if the collator "
            "makes the labels itself."
        )
    if field.name in PADDED_BY_TOKENIZERS and loader.trainer and not loader.has_tokenizer:
        return (
            "the Trainer was not given the tokenizer, without which it does not pad: hand it over "
            "(processing_class=tokenizer), or data_collator=DataCollatorWithPadding(tokenizer)."
        )
    if field.name in PADDED_BY_TOKENIZERS and loader.tokenizer:
        return (
            "collate with DataCollatorWithPadding(tokenizer), or tokenize with "
            'padding="max_length", truncation=True.'
        )
    if field.name == "input_ids":
        return (
            "pad them: DataCollatorWithPadding(tokenizer) as collate_fn, or "
            "torch.nn.utils.rnn.pad_sequence."
        )
    return (
        "bring every sample to one size in the dataset, or pad in a collate_fn "
        "(torch.nn.utils.rnn.pad_sequence, with -100 for labels)."
    )


def collator_text(loader: LoaderFacts) -> str:
    """What the user calls the collate function.

    >>> collator_text(LoaderFacts(collate="default_collate"))
    "torch's default collate"
    >>> collator_text(LoaderFacts(type="generator", yields_batches=True))
    'the loader (generator)'
    """
    if loader.yields_batches and loader.collate in {"", "none"}:
        return f"the loader ({loader.type})"  # it puts samples together itself, or has none
    return "torch's default collate" if loader.collate_kind == "default" else loader.collate


def first_failed(batches: BatchFacts) -> BatchFact | None:
    """The first batch that could not be put together."""
    return batches.failed[0] if batches.failed else None


def order_of(fields: list[FieldLengths]) -> list[FieldLengths]:
    """Inputs before labels, so that the cause is read first."""
    return sorted(fields, key=lambda field: field.name in HUGGING_FACE_NAMES)


def kinds_text(kinds: list[str]) -> str:
    """The distinct kinds, in order."""
    return join_words(dict.fromkeys(kinds))
