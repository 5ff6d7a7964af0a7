"""What looking at the loader and the collate function showed."""

from dataclasses import dataclass

from ..report import Location


@dataclass(frozen=True)
class LoaderFacts:
    """What looking at the loader showed.

    Attributes:
        type: Class name; `DataLoader`.
        is_made_up: True if tdebug made it around the dataset.
        batch_size: Samples a batch, None where the loader does not say.
        drop_last: Whether a smaller last batch is dropped.
        is_shuffled: Whether the order changes, None where that is unknown.
        sampler: Class name of the sampler.
        num_weights: Weights of a WeightedRandomSampler, None for other samplers.
        masks_tokens: Whether a collator of transformers masks tokens to be guessed (`mlm=True`).
        num_workers: Worker processes.
        start_method: `fork`, `spawn`, `forkserver`, or "" without workers.
        collate: What the collate function is called: `default_collate`, `DataCollatorWithPadding`.
        collate_kind: `default`, `transformers`, `user`.
        pads: Fields that a transformers collator pads, () for others.
        num_batches: Batches of one pass, None if unknown.
        num_samples: Samples of one pass, None if unknown.
        is_iterable: Whether its dataset is iterable.
        yields_batches: True if batches had to be drawn by iterating the loader itself.
        has_tokenizer: Whether the collate function or the Trainer was given a tokenizer; one may
            be known that was not.
        tokenizer: Class name of the tokenizer that is known, "" without one.
        tokenizer_length: `len(tokenizer)`.
        pad_token: Its pad token, None without one.
        pad_token_id: The id.
        eos_token_id: The id of the end token.
        needs_padding: Whether the collator asks the tokenizer to pad.
        trainer: Whether a Hugging Face Trainer made it.
        collate_location: Where the collate function is defined, where that is the user's code.
    """

    type: str = "DataLoader"
    is_made_up: bool = False
    batch_size: int | None = None
    drop_last: bool = False
    is_shuffled: bool | None = None
    sampler: str = ""
    num_weights: int | None = None
    masks_tokens: bool = False
    num_workers: int = 0
    start_method: str = ""
    collate: str = ""
    collate_kind: str = "default"
    pads: tuple[str, ...] = ()
    num_batches: int | None = None
    num_samples: int | None = None
    is_iterable: bool = False
    yields_batches: bool = False
    has_tokenizer: bool = False
    tokenizer: str = ""
    tokenizer_length: int | None = None
    pad_token: str | None = None
    pad_token_id: int | None = None
    eos_token_id: int | None = None
    needs_padding: bool = False
    trainer: bool = False
    collate_location: Location | None = None
