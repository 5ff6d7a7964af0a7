import tempfile

import torch
from datasets import Dataset
from torch.nn.functional import cross_entropy
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


class WeightedTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        labels = inputs.pop("labels")
        outputs = model(**inputs)
        loss = cross_entropy(outputs.logits, labels, weight=torch.tensor([1.0, 2.0]))
        return (loss, outputs) if return_outputs else loss


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
        report_to=[],
        use_cpu=True,
    )
    return WeightedTrainer(
        BertForSequenceClassification(config),
        args,
        train_dataset=rows(0, 16),
        eval_dataset=rows(5, 8),
    )
