"""What the arguments of torch's losses are called, in their order."""

from __future__ import annotations

from typing import Any

OVER_CLASSES = frozenset({"cross_entropy", "nll_loss", "nll_loss_nd"})
# Losses whose targets are -1 and 1.
OVER_SIGNS = frozenset(
    {"cosine_embedding_loss", "margin_ranking_loss", "hinge_embedding_loss", "soft_margin_loss"}
)
PAIR = ("input", "target")
TWO_INPUTS = ("input", "input2", "target")
OLD = ("size_average", "reduce", "reduction")
SIGNATURES: dict[str, tuple[str, ...]] = {
    "cross_entropy": (
        *PAIR,
        "weight",
        "size_average",
        "ignore_index",
        "reduce",
        "reduction",
        "label_smoothing",
    ),
    "nll_loss": (*PAIR, "weight", "size_average", "ignore_index", "reduce", "reduction"),
    "nll_loss_nd": PAIR,
    "binary_cross_entropy": (*PAIR, "weight", *OLD),
    "binary_cross_entropy_with_logits": (*PAIR, "weight", *OLD, "pos_weight"),
    "mse_loss": (*PAIR, *OLD),
    "l1_loss": (*PAIR, *OLD),
    "smooth_l1_loss": (*PAIR, *OLD),
    "huber_loss": (*PAIR, "reduction"),
    "kl_div": (*PAIR, *OLD),
    "poisson_nll_loss": PAIR,
    "gaussian_nll_loss": (*PAIR, "var"),
    "soft_margin_loss": (*PAIR, *OLD),
    "multilabel_soft_margin_loss": (*PAIR, "weight", *OLD),
    "multi_margin_loss": (*PAIR, "p", "margin", "weight", *OLD),
    "hinge_embedding_loss": (*PAIR, "margin", *OLD),
    "margin_ranking_loss": (*TWO_INPUTS, "margin", *OLD),
    "cosine_embedding_loss": (*TWO_INPUTS, "margin", *OLD),
    "ctc_loss": (*PAIR, "input_lengths", "target_lengths", "blank", "reduction"),
}
OTHER_NAMES = {"input1": "input", "log_probs": "input", "targets": "target"}
LOSSES = frozenset(SIGNATURES)


def name_arguments(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call by name; what is compared is `input` and `target` in all of them."""
    named = {OTHER_NAMES.get(key, key): value for key, value in kwargs.items()}
    return {**dict(zip(SIGNATURES[name], args, strict=False)), **named}
