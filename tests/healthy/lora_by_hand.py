import math
import tempfile

import torch
from datasets import Dataset
from torch import nn
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments


class LoRA(nn.Module):
    def __init__(self, base, r=4, alpha=8):
        super().__init__()
        self.base = base
        base.requires_grad_(False)
        self.scale = alpha / r
        self.A, self.B = (
            nn.Linear(base.in_features, r, bias=False),
            nn.Linear(r, base.out_features, bias=False),
        )
        nn.init.kaiming_uniform_(self.A.weight, a=math.sqrt(5))
        nn.init.zeros_(self.B.weight)

    def forward(self, x):
        return self.base(x) + self.scale * self.B(self.A(x))


def build_trainer():
    m = BertForSequenceClassification(
        BertConfig(
            vocab_size=50,
            hidden_size=16,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=32,
        )
    )
    m.bert.requires_grad_(False)
    for l in m.bert.encoder.layer:
        l.attention.self.query = LoRA(l.attention.self.query)
        l.attention.self.value = LoRA(l.attention.self.value)
    g = torch.Generator().manual_seed(0)
    ds = Dataset.from_list(
        [
            {"input_ids": torch.randint(3, 50, (8,), generator=g).tolist(), "label": i % 2}
            for i in range(40)
        ]
    )
    return Trainer(
        model=m,
        args=TrainingArguments(
            tempfile.mkdtemp(),
            use_cpu=True,
            report_to="none",
            max_steps=10,
            per_device_train_batch_size=8,
            disable_tqdm=True,
            save_strategy="no",
            learning_rate=1e-3,
        ),
        train_dataset=ds,
    )
