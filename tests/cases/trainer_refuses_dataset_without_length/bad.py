import tempfile

import torch
from torch.utils.data import Dataset, IterableDataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments


def build_model():
    return BertForSequenceClassification(
        BertConfig(
            vocab_size=40,
            hidden_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=32,
            max_position_embeddings=24,
            num_labels=3,
        )
    )


class Stream(IterableDataset):
    def __iter__(self):
        for i in range(24):
            g = torch.Generator().manual_seed(i)
            yield {"input_ids": torch.randint(1, 40, (7,), generator=g), "labels": i % 3}


def build_trainer():
    args = TrainingArguments(
        output_dir=tempfile.mkdtemp(), num_train_epochs=3, report_to=[], use_cpu=True
    )
    return Trainer(model=build_model(), args=args, train_dataset=Stream())


def build_dataset():
    return Stream()
