import tempfile

from datasets import Dataset
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    EarlyStoppingCallback,
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
        report_to=[],
        use_cpu=True,
    )
    return Trainer(
        BertForSequenceClassification(config),
        args,
        train_dataset=rows(0, 16),
        eval_dataset=rows(5, 8),
        callbacks=[EarlyStoppingCallback(2)],
    )
