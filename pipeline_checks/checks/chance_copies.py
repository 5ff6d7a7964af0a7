"""Whether samples may well be alike by chance."""

from math import inf, log

from ..facts import SampleFacts
from ..facts.samples import FieldFact


def repeat_by_chance(samples: SampleFacts, num_pairs: int) -> bool:
    """Whether the samples can hold so few different values that some of this many pairs are alike.

    The number of different samples is at most e to the entropy of their values. Drawn at random
    from N, two of `num_pairs` pairs are alike about `num_pairs` / N times (the birthday problem):
    bits, boards and one-hot categories repeat, token ids and measurements do not.
    """
    most = sum(_most_entropy(field) for field in samples.fields)
    return bool(samples.fields) and num_pairs > 1 and most < log(num_pairs)


def _most_entropy(field: FieldFact) -> float:
    """The largest entropy in nats that its values allow; infinite for other than whole numbers."""
    if field.min is None or field.max is None or not field.is_whole or field.holds_text:
        return inf
    numel = max((_numel(shape.shape) for shape in field.shapes), default=1)
    if field.min == 0 and field.max == 1 and field.mean is not None:
        return numel * _entropy_of_bit(field.mean)
    return numel * log(field.max - field.min + 1)


def _entropy_of_bit(share: float) -> float:
    """Entropy in nats of a bit that is 1 with this share.

    >>> round(_entropy_of_bit(0.5), 3), _entropy_of_bit(0.0)
    (0.693, 0.0)
    """
    return -sum(p * log(p) for p in (share, 1 - share) if p > 0) + 0.0


def _numel(shape: tuple[int, ...]) -> int:
    product = 1
    for size in shape:
        product *= size
    return product
