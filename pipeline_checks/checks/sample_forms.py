"""How the samples of one field differ in form."""

from dataclasses import dataclass

from ..facts.samples import FieldFact, KindCount, SampleFacts
from .wording import count, shape_text

IMAGE_DIMS = 3
CHANNELS = frozenset({1, 2, 3, 4})
GREY, RGB, RGBA = 1, 3, 4


@dataclass(frozen=True)
class Difference:
    """A difference in form between samples.

    Attributes:
        forms: Each form with its number, most frequent first.
        odd: The rarer form.
        odd_indices: Samples that have it.
        num_odd: How many do.
        remedy: What to do about it, a sentence.
        is_there: Whether the field exists in the odd samples.
    """

    forms: tuple[str, ...]
    odd: str
    odd_indices: tuple[int, ...]
    num_odd: int
    remedy: str
    is_there: bool = True


def missing_in(field: FieldFact, samples: SampleFacts) -> Difference | None:
    """A field that some samples do not have."""
    total = sum(kind.count for kind in samples.containers)
    lacking = total - field.count
    if field.first_missing is None or lacking <= 0 or len(samples.containers) > 1:
        return None
    return Difference(
        forms=(f"{count(field.count, 'sample')} have it", f"{lacking} do not"),
        odd="missing",
        odd_indices=(field.first_missing,),
        num_odd=lacking,
        remedy="give every sample the same fields.",
        is_there=False,
    )


def kinds_that_clash(field: FieldFact) -> Difference | None:
    """Values of kinds that cannot be stacked: None or text among numbers, other dimensions."""
    usual = field.kinds[0] if field.kinds else None
    odd = next((kind for kind in field.kinds[1:] if usual and _clash(usual, kind)), None)
    if usual is None or odd is None:
        return None
    return Difference(
        forms=tuple(
            f"{_described(kind)} in {count(kind.count, 'sample')}" for kind in (usual, odd)
        ),
        odd=_described(odd),
        odd_indices=(odd.first,),
        num_odd=odd.count,
        remedy=_remedy(usual, odd),
    )


def _clash(usual: KindCount, odd: KindCount) -> bool:
    if "None" in {usual.kind, odd.kind}:
        return True
    if ("str" in usual.kind) != ("str" in odd.kind):
        return True
    return usual.num_dims != odd.num_dims and None not in {usual.num_dims, odd.num_dims}


def _described(kind: KindCount) -> str:
    dims = "" if kind.num_dims in {None, 0} else f" with {count(kind.num_dims or 0, 'dimension')}"
    return f"{kind.kind}{dims}"


def _remedy(usual: KindCount, odd: KindCount) -> str:
    if odd.kind == "None":
        return "give every sample a value there, or leave such samples out."
    if {usual.num_dims, odd.num_dims} == {IMAGE_DIMS - 1, IMAGE_DIMS}:
        return 'convert every image alike, for example with image.convert("RGB").'
    return "bring every sample to one form in __getitem__."


def channel_counts(field: FieldFact) -> Difference | None:
    """Images with different numbers of channels."""
    shapes = [shape for shape in field.shapes if len(shape.shape) == IMAGE_DIMS]
    if len(shapes) < 2 or len(shapes) < len(field.shapes):  # noqa: PLR2004 - two to differ
        return None
    axis = next((axis for axis in (0, 2) if _are_channels([s.shape[axis] for s in shapes])), None)
    if axis is None:
        return None
    usual = shapes[0].shape[axis]
    odd = [shape for shape in shapes if shape.shape[axis] != usual]
    channels = {shape.shape[axis] for shape in shapes}
    return Difference(
        forms=tuple(f"{shape_text(s.shape)} in {count(s.count, 'sample')}" for s in shapes[:4]),
        odd=f"{count(odd[0].shape[axis], 'channel')} instead of {usual}",
        odd_indices=tuple(sorted(index for shape in odd for index in shape.indices)),
        num_odd=sum(shape.count for shape in odd),
        remedy='convert every image to one mode, for example image.convert("RGB").'
        if channels <= {GREY, RGB, RGBA}
        else "bring every sample to the same number of channels.",
    )


def _are_channels(sizes: list[int]) -> bool:
    return len(set(sizes)) > 1 and set(sizes) <= CHANNELS
