import tempfile

from datasets import Dataset
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    Trainer,
    TrainingArguments,
)


def rows(first, number):
    return Dataset.from_list(
        [
            {"input_ids": [1 + (first + i + k) % 29 for k in range(6)], "labels": i % 2}
            for i in range(number)
        ]
    )


def compute_metrics(prediction):
    hits = prediction.predictions.argmax(-1) == prediction.label_ids
    return {"f1_macro": float(hits.mean())}


def build_trainer():
    config = BertConfig(
        vocab_size=30,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
    )
    args = TrainingArguments(
        tempfile.mkdtemp(),
        max_steps=4,
        per_device_train_batch_size=4,
        eval_strategy="steps",
        eval_steps=2,
        save_strategy="steps",
        save_steps=2,
        load_best_model_at_end=True,
        metric_for_best_model="f1_macro",
        report_to=[],
        use_cpu=True,
    )
    return Trainer(
        BertForSequenceClassification(config),
        args,
        train_dataset=rows(0, 16),
        eval_dataset=rows(5, 8),
        compute_metrics=compute_metrics,
    )
