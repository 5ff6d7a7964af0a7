"""What changing rows, their order, or the last tokens of a batch did to the model's outputs."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Leak:
    """An output that moved although only what it must not depend on was changed.

    Attributes:
        output: The output's path, "" for the output itself.
        shape: Its shape.
        change: Largest change of a value.
        size: Largest absolute value.
    """

    output: str
    shape: tuple[int, ...]
    change: float
    size: float


@dataclass(frozen=True)
class CopiedTarget:
    """An output of a causal model whose target is the token that it is given at the same place.

    Attributes:
        output: The output's path, "" for the output itself.
        shape: Its shape.
        num_tokens: Tokens that were compared.
    """

    output: str
    shape: tuple[int, ...]
    num_tokens: int


@dataclass(frozen=True)
class AttendedPadding:
    """A sample whose output is another one without its padding.

    Attributes:
        row: Its row in the batch.
        length: Its tokens.
        padded_to: Tokens with padding.
        pad: The pad id.
        has_mask: Whether the model was given an attention mask, which is 1 at the padding.
        change: Largest change of a value of the output.
        size: Largest absolute value of the output.
    """

    row: int
    length: int
    padded_to: int
    pad: int
    has_mask: bool
    change: float
    size: float


@dataclass(frozen=True)
class MixingFacts:
    """Whether outputs in eval mode depend on other samples of the batch, or on later tokens.

    Attributes:
        num_rows: Rows of the batch that was used, 0 where nothing was asked.
        samples: The output of one row changed with the other rows.
        future: The output at earlier tokens changed with the last one, in a model whose target is
            the next token.
        place: The output of the samples changed when they only changed places.
        copied: The output that is to predict a token that the model is given at the same place.
        padding: A sample whose padding the model looks at.
        not_asked_because: Why it could not be asked; "" if it was.
    """

    num_rows: int = 0
    samples: Leak | None = None
    future: Leak | None = None
    not_asked_because: str = ""
    place: Leak | None = None
    copied: CopiedTarget | None = None
    padding: AttendedPadding | None = None
