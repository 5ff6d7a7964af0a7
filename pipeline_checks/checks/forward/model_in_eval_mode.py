"""TD314: the model, or a part that is trained, runs in eval mode."""

from collections.abc import Iterator

from ...facts import ModelFacts, TrainingFacts
from ...facts.model import LayerFact, ParameterFact
from ...report import Problem, Severity
from ..registry import check
from ..wording import name_list

DROPOUTS = ("Dropout", "AlphaDropout", "FeatureAlphaDropout")
NORMS = ("BatchNorm", "SyncBatchNorm", "LazyBatchNorm")


@check("TD314", Severity.WARNING)
def model_in_eval_mode(training: TrainingFacts, model: ModelFacts) -> Iterator[Problem]:
    """Dropout and batch norm are off although the model is being trained.

    Why it matters: `model.eval()` left on from an evaluation, or called in `forward`, switches
    dropout off and freezes the running statistics of batch norm: training overfits, or drifts from
    what evaluation then sees.

    How to fix it: call `model.train()` at the start of every epoch, after every evaluation. Parts
    that are frozen on purpose may stay in eval mode.
    """
    in_eval = set(training.eval_modules)
    is_whole = "" in in_eval
    switching = [layer for layer in model.layers if layer.type.startswith((*DROPOUTS, *NORMS))]
    affected = [
        layer
        for layer in switching
        if (layer.name in in_eval or is_whole) and not _is_harmless(layer, model)
    ]
    # Batch norms alone in eval mode, inside a model in train mode, are frozen on purpose.
    has_dropout = any(layer.type.startswith(DROPOUTS) for layer in affected)
    if not affected or not (has_dropout or is_whole):
        return
    yield Problem(
        f"{name_list([f'{layer.name} ({layer.type})' for layer in affected])} ran in eval mode: "
        "dropout is off, and batch norm keeps its running statistics.",
        where="the whole model" if is_whole else "a part of the model",
        hint="call model.train() before the training step; look for an eval() in forward, in the "
        "training step, in what builds the model or in an overridden train().",
        location=model.location,
        values={"layers": [layer.name for layer in affected], "whole_model": is_whole},
    )


def _is_harmless(layer: LayerFact, model: ModelFacts) -> bool:
    """A dropout of 0, or a layer in a part whose parameters are all frozen."""
    if layer.type.startswith(DROPOUTS) and layer.sizes.get("p", 0.5) == 0:
        return True
    own = [p for p in model.parameters if p.name.startswith(f"{layer.name}.")]
    around = own or _around(layer, model)
    return bool(around) and not any(p.requires_grad for p in around)


def _around(layer: LayerFact, model: ModelFacts) -> list[ParameterFact]:
    """The parameters of the nearest part around the layer that has any."""
    part = layer.name
    while "." in part:
        part = part.rpartition(".")[0]
        found = [p for p in model.parameters if p.name.startswith(f"{part}.")]
        if found:
            return found
    return list(model.parameters)
