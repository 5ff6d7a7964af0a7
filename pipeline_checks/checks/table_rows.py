"""What to do about an embedding that lacks the row it is asked for."""

from ..facts.calls import EmbeddingCall

POSITIONS = ("position", "wpe", "embed_positions", "pos_emb")
SEGMENTS = ("token_type", "segment")


def rows_hint(call: EmbeddingCall) -> str:
    """By what the table is for: positions, segments, or tokens and categories.

    >>> from ..facts.calls import BadEntry
    >>> from ..facts.tensors import TensorFact
    >>> ids = TensorFact((4,), "int64")
    >>> rows_hint(EmbeddingCall(0, "emb", 30, BadEntry(31), 0, 31, ids))
    'give the embedding at least 32 rows, or map ids above 29 to an unknown id.'
    """
    name = call.module.lower()
    if call.min < 0:
        return (
            f"ids below 0 are no rows: {call.min} may be an ignore or padding value (-100, -1) "
            "that went into the inputs, or an overflow of a small integer dtype."
        )
    if any(part in name for part in POSITIONS):
        return f"the sequences are too long: cut them so that positions stay below {call.rows}."
    if any(part in name for part in SEGMENTS):
        return f"segment ids must be below {call.rows}: leave token_type_ids out, or set them to 0."
    return (
        f"give the embedding at least {call.max + 1} rows, or map ids above {call.rows - 1} to an "
        "unknown id."
    )
