"""What looking at the model showed, before anything is run."""

from dataclasses import dataclass, field

from ..report import Location


@dataclass(frozen=True)
class ParameterFact:
    """A parameter: its qualified name, shape, dtype, device, and whether it is trained."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    device: str
    requires_grad: bool


@dataclass(frozen=True)
class Signature:
    """What a forward takes.

    Attributes:
        names: Its parameters in order, without self.
        required: Those without a default.
        takes_any: Whether it has `**kwargs`.
        takes_more: Whether it has `*args`.
    """

    names: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    takes_any: bool = False
    takes_more: bool = False


@dataclass(frozen=True)
class LayerFact:
    """A layer whose sizes limit what it can take.

    Attributes:
        name: Qualified name, "" for the model itself.
        type: Class name.
        sizes: Its own numbers: `num_embeddings`, `in_features`, `in_channels`, `num_features`,
            `padding_idx`, `p`, `eps`, `batch_first` as 0 or 1, ...
        is_training: Its train/eval flag.
    """

    name: str
    type: str
    sizes: dict[str, float] = field(default_factory=dict)
    is_training: bool = True


@dataclass(frozen=True)
class UnregisteredModules:
    """Modules held in a plain container, which `parameters()` does not see.

    Attributes:
        owner: Qualified name of the module that holds the container.
        attribute: The attribute's name.
        container: `list`, `dict`, `tuple`, ...
        num_entries: Modules in it.
        num_distinct: Distinct modules in it.
        types: Their class names.
        num_parameters: Parameter tensors in them.
    """

    owner: str
    attribute: str
    container: str
    num_entries: int
    num_distinct: int
    types: tuple[str, ...]
    num_parameters: int

    @property
    def path(self) -> str:
        """`encoder.hidden`."""
        return f"{self.owner}.{self.attribute}" if self.owner else self.attribute


@dataclass(frozen=True)
class ModelFacts:
    """What looking at the model showed.

    Attributes:
        type: Class name.
        location: Where the class is defined.
        parameters: Every parameter once (tied ones under their first name).
        signature: What its forward takes.
        is_transformers: Whether it is a `PreTrainedModel`.
        has_own_forward: Whether a transformers model's forward is not of transformers itself.
        main_input: `main_input_name` of a transformers model.
        config: Scalar entries of a transformers config that checks look at.
        layers: Layers whose sizes limit what they take: embeddings, linear, conv and norm layers,
            dropouts.
        unregistered: Modules in plain containers.
        num_modules: Number of submodules.
        num_classes: Classes that the model was built for, where that is known without a forward.
        num_classes_from: Where that number stands: `config.num_labels`.
        max_length: Longest sequence that the model can take, where known.
        max_length_from: Where that number stands, in words.
        token_rows: Rows of the token embedding of a transformers model.
        token_embedding: Its qualified name.
        has_head: False for a headless transformers model (`BertModel`).
        is_training: Whether it was handed over in train mode.
        same_memory: Pairs of trainable parameters that are two, but lie in the same memory.
    """

    type: str
    location: Location | None = None
    parameters: tuple[ParameterFact, ...] = ()
    signature: Signature = Signature()
    is_transformers: bool = False
    has_own_forward: bool = False
    main_input: str = ""
    config: dict[str, str | int | float | bool | None] = field(default_factory=dict)
    layers: tuple[LayerFact, ...] = ()
    unregistered: tuple[UnregisteredModules, ...] = ()
    num_modules: int = 0
    num_classes: int | None = None
    num_classes_from: str = ""
    max_length: int | None = None
    max_length_from: str = ""
    token_rows: int | None = None
    token_embedding: str = ""
    has_head: bool = True
    is_training: bool = True
    same_memory: tuple[tuple[str, str], ...] = ()

    @property
    def trainable(self) -> tuple[ParameterFact, ...]:
        """The parameters that require a gradient."""
        return tuple(p for p in self.parameters if p.requires_grad)

    def layers_of(self, *prefixes: str) -> tuple[LayerFact, ...]:
        """The layers whose class name starts with one of the prefixes."""
        return tuple(layer for layer in self.layers if layer.type.startswith(prefixes))
