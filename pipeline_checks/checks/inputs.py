"""Which fields of a sample the model is given, and what it asks for."""

import re
from collections.abc import Iterable

from ..facts import ModelFacts, SampleFacts
from ..facts.samples import FieldFact
from .labels import is_label_name

FIRST_KEY = re.compile(r"""^(?:\["?([^"\]]*)"?\]|\.(\w+))""")
# Any of these can stand for the ids that a transformers model asks for first.
STAND_INS = ("inputs_embeds", "encoder_outputs")


def key_of(path: str) -> str:
    """The outermost key of a path.

    >>> key_of('["meta"]["id"]'), key_of("[0]"), key_of(".x"), key_of("")
    ('meta', '0', 'x', '')
    """
    found = FIRST_KEY.match(path)
    return (found.group(1) or found.group(2) or "") if found else ""


def field_keys(samples: SampleFacts) -> list[str]:
    """The outermost keys that reach the collate function, each once."""
    keys = dict.fromkeys(key_of(field.path) for field in samples.fields)
    return [key for key in keys if key not in samples.removed]


def text_fields(samples: SampleFacts) -> list[FieldFact]:
    """Fields that hold text and are neither labels nor removed by a Trainer."""
    return [
        field
        for field in samples.fields
        if field.holds_text
        and not is_label_name(field.name)
        and key_of(field.path) not in samples.removed
    ]


def missing_inputs(model: ModelFacts, given: Iterable[str]) -> list[str]:
    """What the model's forward cannot do without and is not among the given names.

    Required are parameters without a default and, for a transformers model, whose signature gives
    every input a default, its main input.
    """
    names = set(given)
    missing = [name for name in model.signature.required if name not in names]
    main = model.main_input
    if main and main not in names | set(missing) and not names & set(STAND_INS):
        missing.append(main)
    return missing


def unexpected_inputs(model: ModelFacts, given: Iterable[str]) -> list[str]:
    """The given names that the model's forward does not take."""
    if model.signature.takes_any:
        return []
    return [name for name in given if name not in model.signature.names]
