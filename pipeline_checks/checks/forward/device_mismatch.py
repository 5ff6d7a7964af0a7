"""TD304: tensors that lie on different devices."""

from collections.abc import Iterator

from ...facts import TrainingFacts
from ...facts.tensors import TensorFact
from ...report import Problem, Severity, Stage
from ..failures import first_failure, module_name, place, tensor_name
from ..registry import check
from ..wording import join_words


@check("TD304", Severity.ERROR)
def device_mismatch(training: TrainingFacts) -> Iterator[Problem]:
    """An operator gets tensors that lie on different devices.

    Why it matters: torch never moves tensors by itself, so the batch cannot be computed.

    How to fix it: move the model once (`model.to(device)`, before the optimizer is built) and every
    tensor of each batch. Tensors made in `forward` need `device=x.device`; constants of a module
    belong in `register_buffer`, so that they move with it.
    """
    failure = first_failure(training, Stage.FORWARD)
    operands = failure.operands if failure is not None else ()
    # A single number on the CPU goes with tensors of any device.
    devices = {o.device: o for o in operands if o.shape or o.device != "cpu"}
    if failure is None or len(devices) < 2:  # noqa: PLR2004 - one device is none too many
        return
    shown = [f"{tensor_name(tensor, 'a tensor')} is on {name}" for name, tensor in devices.items()]
    yield Problem(
        f"{failure.function} in {module_name(failure)} gets tensors of {len(devices)} devices: "
        f"{join_words(shown)}.",
        where=place(failure, training),
        hint=_hint(devices),
        location=failure.error.location,
        values={"devices": sorted(devices), "module": failure.module},
        stack=failure.error.user_frames,
    )


def _hint(devices: dict[str, TensorFact]) -> str:
    lagging = devices.get("cpu")
    if lagging is not None and lagging.field is not None:
        return f"move the batch: batch{lagging.field} stayed on the CPU."
    if lagging is not None and "." in lagging.name:
        return f"{lagging.name} stayed on the CPU: register it, or call model.to(device)."
    return "make it with device=x.device, or keep it as a buffer (register_buffer)."
