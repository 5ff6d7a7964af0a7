"""The origin of a nan or inf in plain English."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .origin import OperatorSite, Origin
    from .source_lines import Location

_SOURCES = {
    "input": "the {kind} was in {name} of the model already",
    "weight": "the {kind} was in the weight {name} already",
    "buffer": "the {kind} was in the buffer {name} already",
    "outside": "the {kind} came in with a tensor from outside (batch, labels or a constant)",
    "uninitialised": "it read memory that nothing had written (torch.empty)",
}


def summarize(origin: Origin) -> str:
    """Say what happened, where it began, why, and what came of it."""
    later = origin.became_nan_in
    sentences = [_beginning(origin), _reason(origin), _mask(origin)]
    if later is not None:
        sentences.insert(1, f"It became nan in {_place(later)}{_rows(later)}.")
    if origin.parameters:
        what = "value" if origin.first_bad == "weight" else "gradient"
        sentences.append(f"Non-finite {what} of {_some(origin.parameters)}.")
    sentences.append(_line(origin))
    return " ".join(sentence for sentence in sentences if sentence)


def describe_line(location: Location) -> str:
    """Write a line of source as `file:line in function: text`."""
    text = f": {location.source}" if location.source else ""
    return f"{location.file}:{location.line} in {location.function}{text}"


def _beginning(origin: Origin) -> str:
    if origin.is_swallowed:
        where = "the loss" if origin.swallowed_in == "loss" else _module(origin.swallowed_in)
        verb = f"overflowed unseen and made {where} wrong: first {origin.kind} in {_place(origin)}"
        return f"An operator {verb}{_rows(origin)}."
    if origin.source == "operator":
        return f"First {origin.kind} in {_place(origin)}{_rows(origin)}."
    said = _SOURCES[origin.source].format(kind=origin.kind, name=f"'{origin.source_name}'")
    if origin.source == "input" and origin.positions:
        said += f", first at {list(origin.positions[0])}"
    return f"First seen in {_place(origin)}{_rows(origin)}: {said}."


def _place(site: OperatorSite) -> str:
    if not site.module_class:
        where = "outside the model's modules"
    elif site.module:
        where = f"in module '{site.module}' ({site.module_class})"
    else:
        where = f"in the model itself ({site.module_class})"
    node = f" ({site.node})" if site.node else ""
    return f"the {site.phase} of '{site.operator}'{node} {where}"


def _module(name: str) -> str:
    return f"the output of '{name}'" if name else "the output of the model"


def _rows(site: OperatorSite) -> str:
    if not site.rows:
        return ""
    shown = site.row_labels or tuple(f"{row}" for row in site.rows)
    more = ", ..." if site.num_rows > len(site.rows) else ""
    word = "sample" if site.row_labels else "batch row"
    plural = "s" if site.num_rows > 1 else ""
    return f", {word}{plural} {', '.join(shown)}{more}"


def _reason(origin: Origin) -> str:
    return f"{origin.reason[:1].upper()}{origin.reason[1:]}." if origin.reason else ""


def _mask(origin: Origin) -> str:
    if origin.masked_by is None:
        return ""
    location = origin.masked_by.user_location or origin.masked_by.location
    where = f" at {describe_line(location)}" if location is not None else ""
    return f"The -inf is that of a mask, by '{origin.masked_by.operator}'{where}."


def _some(names: tuple[str, ...]) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:3])
    return f"{shown} and {len(names) - 3} more" if len(names) > 3 else shown  # noqa: PLR2004


def _line(origin: Origin) -> str:
    lines = [
        loc for loc in (origin.user_location or origin.location, origin.location) if loc is not None
    ]
    if not lines:
        return ""
    prefix = "Forward line" if origin.phase == "backward" else "Line"
    called = lines[0]
    if lines[-1] == called:
        return f"{prefix}: {describe_line(called)}"
    return f"{prefix}: {describe_line(lines[-1])}, reached from {describe_line(called)}"
