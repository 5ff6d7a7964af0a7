"""From a bad tensor back through the operators that carried it to those where it began."""

from __future__ import annotations

from dataclasses import dataclass, field

from .op_record import External, OpRecord

_HOLD_MASKS = ("buffer", "input", "outside")


@dataclass(frozen=True)
class Root:
    """Where a chain of non-finite tensors ends.

    Attributes:
        record: The operator that made the first one, or the first to read it.
        external: Where the tensor came from, if no operator made it.
        operand_name: The argument that was bad already, if no operator made it.
        fill: What put the -inf of a mask there, if the record is where it became something else.
    """

    record: OpRecord
    external: External | None = None
    operand_name: str = ""
    fill: Root | None = None

    @property
    def is_deliberate(self) -> bool:
        """Whether it is a mask or a constant, put there on purpose."""
        if self.fill is not None:
            return False
        if self.external is not None:
            operand = next(o for o in self.record.operands if o.name == self.operand_name)
            return not operand.has_nan and operand.high != float("inf")
        return self.record.is_deliberate

    @property
    def is_mask(self) -> bool:
        """Whether it is the -inf of a mask."""
        if self.external is None:
            return self.record.is_mask
        return self.is_deliberate and self.external.what in _HOLD_MASKS


@dataclass
class Walk:
    """What a walk back met.

    Attributes:
        roots: The beginnings, in the order of the run.
        nan_makers: Operators that read inf and wrote nan.
        outlets: Operators in which the -inf of a mask became nan, inf, or the -inf of a whole row.
    """

    roots: list[Root] = field(default_factory=list)
    nan_makers: list[OpRecord] = field(default_factory=list)
    outlets: list[OpRecord] = field(default_factory=list)

    @property
    def is_deliberate(self) -> bool:
        """Whether there is nothing in it but masks and constants, and no nan came of them."""
        return not self.nan_makers and all(root.is_deliberate for root in self.roots)

    def first_root(self) -> Root | None:
        """Give the first beginning that nobody intended, else the first of all.

        A mask is meant: where there is nothing else, it begins where its -inf gets out.
        """
        unintended = [root for root in self.roots if not root.is_deliberate]
        return self._outlet() or next(iter(unintended or self.roots), None)

    def _outlet(self) -> Root | None:
        if not self.outlets or not all(root.is_mask for root in self.roots):
            return None
        record = self.outlets[0]
        fill = next((root for root in self.roots if root.record.index <= record.index), None)
        if fill is None or fill.record is record:
            return None  # it reads what came from outside: that is named with it
        return Root(record, fill=fill)


def walk_back(starts: list[OpRecord]) -> Walk:
    """Follow each record's bad operands to what wrote them, until the operands are finite.

    Args:
        starts: The operators that wrote the tensors that were detected.
    """
    walk = Walk()
    open_records, seen = list(starts), {record.index for record in starts}
    while open_records:
        record = open_records.pop()
        _note(walk, record)
        for operand in record.bad_operands:
            source = operand.source
            if isinstance(source, OpRecord) and source.index not in seen:
                seen.add(source.index)
                open_records.append(source)
    walk.roots.sort(key=lambda root: root.record.index)
    walk.nan_makers.sort(key=lambda record: record.index)
    walk.outlets.sort(key=lambda record: record.index)
    return walk


def _note(walk: Walk, record: OpRecord) -> None:
    bad = record.bad_operands
    if not bad:
        walk.roots.append(Root(record))
        return
    if record.makes_nan:
        walk.nan_makers.append(record)
    if record.lets_mask_out:
        walk.outlets.append(record)
    for operand in bad:
        if isinstance(operand.source, External):
            walk.roots.append(Root(record, operand.source, operand.name))
