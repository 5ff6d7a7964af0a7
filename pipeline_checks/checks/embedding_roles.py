"""What an embedding embeds, by the field that it was given and by its name."""

from ..facts.calls import EmbeddingCall
from .inputs import key_of

POSITIONS, SEGMENTS, IDS = "positions", "segments", "ids"
SEGMENT_FIELDS = frozenset({"token_type_ids", "segment_ids", "segment_labels"})


def role_of(call: EmbeddingCall) -> str:
    """`positions`, `segments` or `ids`."""
    key = key_of(call.input.field or "")
    last = call.module.rsplit(".", 1)[-1].lower()
    if key in SEGMENT_FIELDS or "token_type" in last or "segment" in last:
        return SEGMENTS
    if key == "position_ids":
        return POSITIONS
    if not key and (last == "wpe" or "pos" in last):
        return POSITIONS
    return IDS
