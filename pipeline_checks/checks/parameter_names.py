"""Names of parameters: the modules that they belong to, and what their names tell."""

import re

# Parts that library models hold and use only for some tasks or at random: the pooler of an encoder
# whose token states are used, mask embeddings, experts that no token was sent to, and what
# stands in for a condition that is dropped at random (classifier-free guidance).
OPTIONAL_PARTS = re.compile(
    r"(^|\.)(pooler|mask_(token|emb\w*)|masked_spec_embed|experts?|(null|uncond)[a-z]*(_\w+)?)(\.|$)"
)
HEADS = re.compile(
    r"(^|[._])(head|heads|classifier|fc|out|output|score|lm_head|proj_out|decoder|predictor|logits)"
    r"\d*([._]|$)"
)


def by_module(names: list[str]) -> dict[str, list[str]]:
    """The parameters grouped by the module that owns them.

    >>> by_module(["a.b.weight", "a.b.bias", "scale"])
    {'a.b': ['weight', 'bias'], '': ['scale']}
    """
    found: dict[str, list[str]] = {}
    for name in names:
        part, _, own = name.rpartition(".")
        found.setdefault(part, []).append(own)
    return found


def is_under(name: str, module: str) -> bool:
    """Whether the parameter lies in this module.

    >>> is_under("enc.0.weight", "enc"), is_under("encoder.weight", "enc"), is_under("w", "")
    (True, False, True)
    """
    return not module or name.startswith(f"{module}.")


def is_optional_part(name: str) -> bool:
    """Whether it belongs to a part that is not used in every task.

    >>> is_optional_part("bert.pooler.dense.weight"), is_optional_part("aux_head.weight")
    (True, False)
    >>> is_optional_part("null_embedding")
    True
    """
    return OPTIONAL_PARTS.search(name) is not None


def is_head(name: str) -> bool:
    """Whether its name is that of a last layer.

    >>> is_head("head.weight"), is_head("model.fc2.bias"), is_head("layer4.conv1.weight")
    (True, True, False)
    """
    return HEADS.search(name.rpartition(".")[0]) is not None


def top_parts(names: list[str]) -> list[str]:
    """The outermost parts of the names, in order.

    >>> top_parts(["enc.0.weight", "enc.1.weight", "head.bias"])
    ['enc', 'head']
    """
    return list(dict.fromkeys(name.split(".")[0] for name in names))
