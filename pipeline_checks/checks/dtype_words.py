"""Words about dtypes that a pipeline cannot take."""

from collections.abc import Sequence

from .wording import join_words

IDS = ("an embedding takes int64 or int32", "keep ids in int64: ids.long(), or dtype=np.int64.")
IMAGES = (
    "its weights are floats",
    "turn the images into floats in the dataset: image.float() / 255.",
)
# (torch function, dtype of its input): why it cannot be, what to do.
NARROW = {
    **{("embedding", dtype): IDS for dtype in ("int16", "int8", "uint8", "float32", "float64")},
    **{(f"conv{dims}d", "uint8"): IMAGES for dims in (1, 2, 3)},
}
NUMBERS = frozenset({"int", "float", "bool"})


def types_text(types: Sequence[tuple[str, str]]) -> str:
    """The types with an example each.

    >>> types_text([("float", "31.0"), ("str", "'a'")])
    "float (31.0) and str ('a')"
    """
    return join_words(f"{name} ({example})" for name, example in types) or "python objects"


def object_hint(types: Sequence[tuple[str, str]]) -> str:
    """What to do about an object array that holds these types."""
    names = [name for name, _ in types]
    others = [name for name in names if name not in NUMBERS]
    if "str" in others:
        return (
            "encode the text columns (one-hot, category codes) or drop them, then "
            'df.to_numpy(dtype="float32").'
        )
    if "NoneType" in others:
        return 'fill the missing values, then df.to_numpy(dtype="float32").'
    if {"ndarray", "list", "Tensor"} & set(others):
        return "the rows have different lengths: pad them, or keep them as a list of arrays."
    return 'cast it: array.astype("float32"), or df.to_numpy(dtype="float32").'
