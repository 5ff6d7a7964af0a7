import numpy as np
import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments


class Pairs(torch.utils.data.Dataset):
    def __init__(self, size, seed):
        self.ids = torch.randint(5, 40, (size, 7), generator=torch.Generator().manual_seed(seed))

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        return {"input_ids": self.ids[i], "labels": int(self.ids[i, 0] > 20)}


def build_trainer():
    config = BertConfig(
        vocab_size=40,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        num_labels=2,
        output_hidden_states=True,
    )
    return Trainer(
        BertForSequenceClassification(config),
        TrainingArguments("unused", use_cpu=True, report_to=[], per_device_train_batch_size=4),
        train_dataset=Pairs(22, 0),
        eval_dataset=Pairs(10, 1),
        compute_metrics=compute_metrics,
    )


def compute_metrics(prediction):
    logits, *_ = prediction.predictions
    return {"accuracy": float((logits.argmax(-1) == prediction.label_ids).mean())}
