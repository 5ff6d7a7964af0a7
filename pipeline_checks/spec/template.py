"""The tdebug.yaml that `tdebug init` writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .mistakes import Mistake, SpecError

if TYPE_CHECKING:
    from pathlib import Path

TEMPLATE = """\
# What tdebug checks and how. `tdebug check` reads this file; every line that is
# commented out shows an example or the default. An object is named as module:attribute,
# module.attribute or file.py:attribute; files are relative to this one.

# A file (or module) whose factories are found by name: build_model(), build_dataset(),
# build_collate_fn(), build_loss(), build_optimizer(model), build_trainer() and the like.
# Or module:factory, returning a dict of parts, a Trainer or a LightningModule.
pipeline: train_setup.py

# Parts, each instead of the one that the pipeline gives. A class is instantiated; with
# _target_ it receives the arguments beside it.
# model: {_target_: "my_project.models:Classifier", num_classes: 3}
# dataset: my_project.data:train_set
# eval_dataset: my_project.data:validation_set
# collate_fn: my_project.data:collate
# dataloader: my_project.data:train_loader   # instead of dataset, collate_fn and loader
# loss: torch.nn:CrossEntropyLoss            # called with (output, target); or
# compute_loss: my_project.train:compute_loss   # called with (model, batch); or
# train_step: my_project.train:train_step    # (model, batch, optimizer, state) -> loss
# optimizer: {_target_: "torch.optim:AdamW", lr: 1e-3}
# scheduler: {_target_: "torch.optim.lr_scheduler:StepLR", step_size: 10}
# scaler: torch.amp:GradScaler
# tokenizer: my_project.data:tokenizer       # lets tdebug show decoded samples
# metrics: my_project.metrics:compute_metrics

# The loader that is made from dataset and collate_fn where the pipeline has none.
# loader: {batch_size: 8, shuffle: false, num_workers: 0, drop_last: false}

# device: cpu          # cpu, cuda, cuda:1, mps or auto
# precision: fp32      # fp32, bf16 or fp16
# seed: 42
# samples: 256         # how many samples the dataset stage reads; all reads every one
# budget: 20           # seconds after which a stage stops reading more
# timeout: 600         # seconds after which a stage is ended

# Dataclasses, filled from `with` and from options after -- (`tdebug check -- --lr 1e-4`). A
# factory gets one by asking for it: def build_model(args: Arguments), or by a parameter named
# arguments or args, or named after it in snake_case.
# arguments: my_project.args:Arguments
# with: {lr: 1e-3, hidden_size: 64}

# Which checks count, by code prefix or name, and how bad their findings are.
# checks: {select: [TD1, TD2], ignore: [labels-out-of-range], severity: {TD207: info}}

# The batches that `tdebug trace` records, counted from 0.
# trace: {batches: [1, 3], abort_after: 3}
"""


def write_template(path: Path, *, force: bool = False) -> None:
    """Write `TEMPLATE` as UTF-8.

    Args:
        path: The file to write.
        force: Whether a file that is there is replaced.

    Raises:
        SpecError: The file is there and `force` is False, or it cannot be written.
    """
    try:
        with path.open("w" if force else "x", encoding="utf-8", newline="\n") as file:
            file.write(TEMPLATE)
    except FileExistsError:
        mistake = Mistake(str(path), None, "is there already.", "--force replaces it.")
        raise SpecError([mistake]) from None
    except OSError as error:
        raise SpecError(
            [Mistake(str(path), None, f"cannot be written: {error.strerror}.")]
        ) from None
