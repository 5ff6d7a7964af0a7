"""Why a loss has no gradient."""

from ..facts import GradientFacts, GraphFacts, ModelFacts
from ..facts.gradient_ends import GradientEnd
from ..facts.training import LossFact
from .gradient_end_words import end_hint, end_text
from .parameter_names import by_module
from .wording import count, name_list

CUTS = {
    "item": ".item() makes a plain number of it",
    "detach": ".detach() takes it off the graph",
    "tensor": "torch.tensor(...) copies the value and leaves the graph behind",
    "numpy": ".numpy() leaves torch, and with it the graph",
    "data": ".data leaves the graph behind",
    "float": "float(...) makes a plain number of it",
    "tolist": ".tolist() leaves torch, and with it the graph",
}


def why_and_what(loss: LossFact, graph: GraphFacts, model: ModelFacts | None) -> tuple[str, str]:
    """The cause, as a sentence, and the remedy."""
    end = end_before(graph)
    if end is not None:
        known = CUTS.get(end.operator.strip("_"))
        return f"{known or end_text(end)}.", end_hint(end)
    return _why_without_trace(loss, graph, model)


def _why_without_trace(
    loss: LossFact, graph: GraphFacts, model: ModelFacts | None
) -> tuple[str, str]:
    trainable = count(len(model.trainable), "parameter") if model is not None else "parameters"
    checkpointed = [off for off in graph.grad_off if off.cause == "checkpoint"]
    if checkpointed:
        return _of_checkpoint([off.module for off in checkpointed], trainable, model)
    if model is not None and not model.trainable:
        return "all parameters are frozen.", "unfreeze what is to be trained."
    if graph.grad_off:
        return _of_no_grad([off.module for off in graph.grad_off], trainable)
    cut = graph.detached_by.strip("_")
    if cut in CUTS:
        return f"{CUTS[cut]}.", "hand on the tensor itself; use .item() only for logging."
    if loss.type != "Tensor":
        return f"it is a plain {loss.type}, no tensor.", "return the loss tensor, not loss.item()."
    return _of_unknown(list(graph.ends.unused), trainable, model)


def reaches_nothing(gradients: GradientFacts, model: ModelFacts | None) -> bool:
    """Whether backward ended in some batch and no trainable parameter ever had a gradient."""
    has_trainable = model is not None and bool(model.trainable)
    return has_trainable and bool(gradients.never) and not gradients.reached


def end_before(graph: GraphFacts) -> GradientEnd | None:
    """The first place where a gradient ends that the loss hangs on, but that of a module's own."""
    reasons = {"cut", "left"} if graph.grad_off else {"cut", "left", "off"}
    known = [end for end in graph.ends.lost if end.reason in reasons]
    return known[0] if known else None


def _of_unknown(unused: list[str], trainable: str, model: ModelFacts | None) -> tuple[str, str]:
    if model is not None and unused and len(unused) == len(model.trainable):
        return _of_unused(unused, model)
    cause = (
        f"{trainable} require a gradient, but the loss does not depend on them: it was detached, "
        "rounded (argmax, comparison), or made from numbers alone."
    )
    return cause, "look for .detach(), .data, argmax or torch.tensor(...) on the way to the loss."


def _of_unused(names: list[str], model: ModelFacts) -> tuple[str, str]:
    parts = by_module(names)
    shown = name_list([part or "the model" for part in parts])
    frozen = len(model.parameters) - len(model.trainable)
    verb = "is" if len(parts) == 1 else "are"
    cause = (
        f"only {shown} ({name_list(names)}) {verb} trainable, and {verb} never used in forward; "
        f"the other {count(frozen, 'parameter')} that the output comes from are frozen."
    )
    return cause, (
        "look whether a layer was put under a name that forward does not use (model.fc where it "
        "calls self.classifier): assign it to the attribute that forward calls."
    )


def _of_no_grad(modules: list[str], trainable: str) -> tuple[str, str]:
    names = name_list([repr(name) if name else "the model" for name in modules])
    cause = f"{names} ran under no_grad or inference_mode, although {trainable} require a gradient."
    return cause, "take torch.no_grad() away from the training forward."


def _of_checkpoint(modules: list[str], trainable: str, model: ModelFacts | None) -> tuple[str, str]:
    names = name_list([repr(name) for name in modules])
    cause = (
        f"re-entrant checkpointing of {names}: no input of the checkpoint requires a gradient "
        f"(what comes before is frozen), so no graph is built, although {trainable} are trainable."
    )
    if model is not None and model.is_transformers:
        return cause, "call model.enable_input_require_grads(), or use use_reentrant=False."
    return cause, (
        "use checkpoint(..., use_reentrant=False), or make its inputs require a gradient (in "
        "transformers: enable_input_require_grads())."
    )
