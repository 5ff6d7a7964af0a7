"""Records of a run turned into the plain data of an origin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .op_record import MAX_ROWS, BadRows, OpRecord, find_bad_rows
from .origin import FirstBad, OperatorSite, Origin
from .reasons import explain_nan_maker, explain_record
from .stats import largest_finite

if TYPE_CHECKING:
    from .origin_watch import OriginWatch
    from .swallowed import SwallowedOverflow
    from .walk_back import Root, Walk


@dataclass(frozen=True)
class SiteContext:
    """What the rows of a batch are told by: module outputs, batch size, the caller's labels."""

    watch: OriginWatch
    labels: tuple[str, ...]

    @property
    def batch_size(self) -> int | None:
        """Number of samples in the batch, as the labels or the model's inputs tell it."""
        return len(self.labels) or self.watch.batch_size


def build_origin(  # noqa: PLR0913, PLR0917 - one argument for each thing that was found out
    context: SiteContext,
    root: Root,
    walk: Walk,
    first_bad: FirstBad,
    parameters: tuple[str, ...],
    swallowed: SwallowedOverflow | None = None,
) -> Origin:
    """Put together what the walk, the records and the comparison in float64 have shown."""
    record, external = root.record, root.external
    later = next((r for r in walk.nan_makers if r.index >= record.index), None)
    if later is record:
        later = None
    site = _build_site(context, record, _bad_rows_of(context, root, later))
    limit = largest_finite(record.output.dtype) if record.output else None
    return Origin(
        **vars(site),
        source=external.what if external else "operator",
        source_name=external.name if external else "",
        dtype_limit=limit,
        float64_abs_max=record.float64_abs_max,
        reason=_reason(root, later),
        became_nan_in=_build_site(context, later, None) if later else None,
        masked_by=_build_site(context, root.fill.record, None) if root.fill else None,
        first_bad=first_bad,
        parameters=parameters,
        is_swallowed=swallowed is not None,
        swallowed_in=swallowed.module if swallowed else "",
        became=swallowed.became if swallowed else None,
        should_be=swallowed.should_be if swallowed else None,
        num_wrong=swallowed.num_wrong if swallowed else 0,
        num_elements=swallowed.num_elements if swallowed else 0,
        num_not_recomputed=context.watch.recorder.shadows.num_not_recomputed,
    )


def _reason(root: Root, later: OpRecord | None) -> str:
    own = explain_record(root.record) if root.external is None else root.record.because
    nan = explain_nan_maker(later) if later is not None else ""
    if root.external is not None and root.record.makes_nan and not own:
        nan = nan or explain_nan_maker(root.record)
    return "; ".join(clause for clause in (own, nan) if clause)


def _bad_rows_of(context: SiteContext, root: Root, later: OpRecord | None) -> BadRows | None:
    """Give the rows of the batch that are at fault, None to take those of the operator's output.

    A mask holds -inf in nearly every row: what matters are the rows that became nan.
    """
    if root.external is not None and root.external.what == "input":
        tensor = context.watch.bad_inputs.get(root.external.name)
        return find_bad_rows(tensor.detach()) if tensor is not None else None
    if later is not None and root.is_deliberate:
        return _rows_in_batch(context, later)
    return None


def _build_site(context: SiteContext, record: OpRecord, rows: BadRows | None) -> OperatorSite:
    rows = rows or _rows_in_batch(context, record)
    measured = [operand for operand in record.operands if operand.stats is not None]
    return OperatorSite(
        operator=record.operator.name,
        overload=record.operator.overload,
        phase=record.phase,
        module=record.site.module,
        module_class=record.site.module_class,
        kind=record.kind,
        input_names=tuple(operand.name for operand in measured),
        inputs=tuple(o.stats for o in measured if o.stats is not None),
        output=record.output,
        rows=rows.rows,
        num_rows=rows.num_rows,
        row_labels=_labels(context, rows),
        positions=rows.positions,
        node=record.node,
        location=record.site.locations.outside_torch,
        user_location=record.site.locations.outside_site_packages,
    )


def _labels(context: SiteContext, rows: BadRows) -> tuple[str, ...]:
    if not context.labels or any(row >= len(context.labels) for row in rows.rows):
        return ()
    return tuple(context.labels[row] for row in rows.rows)


def _rows_in_batch(context: SiteContext, record: OpRecord) -> BadRows:
    """Give the bad rows of a record in terms of the batch, nothing where that cannot be told."""
    size = context.batch_size
    shape = record.output.shape if record.output else ()
    if size is None or not shape:
        return BadRows()
    if shape[0] == size:
        return BadRows(record.rows, record.num_rows, record.positions)
    for bad in context.watch.bad_outputs:
        enclosing = bad.time > record.index and bad.module == record.site.module
        if record.phase == "forward" and enclosing and bad.shape[:1] == (size,):
            return bad.rows
    if len(shape) > 1 and shape[0] % size == 0 and shape[0] > size:
        return _unflatten(record, shape[0] // size)
    return BadRows(positions=record.positions)


def _unflatten(record: OpRecord, rows_per_sample: int) -> BadRows:
    """Read (batch * length, ...) as torch.nn.Linear flattens it: the batch is the slow index."""
    rows = tuple(dict.fromkeys(row // rows_per_sample for row in record.rows))
    return BadRows(rows[:MAX_ROWS], len(rows), record.positions)
