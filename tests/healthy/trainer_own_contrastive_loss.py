import tempfile

import torch
from datasets import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments


class Contrast(Trainer):
    """Labels are ids of groups, not classes: a contrastive loss over the pooled output."""

    def compute_loss(self, model, inputs, return_outputs=False, **kwargs):
        y = inputs.pop("labels")
        out = model(**inputs)
        z = torch.nn.functional.normalize(out.logits, dim=-1)
        s = (z @ z.T / 0.1).masked_fill(torch.eye(len(z), dtype=torch.bool), -1e9)
        same = (y[:, None] == y) & ~torch.eye(len(z), dtype=torch.bool)
        loss = -(s.log_softmax(-1) * same).sum() / same.sum().clamp(min=1)
        return (loss, out) if return_outputs else loss


def build_trainer():
    g = torch.Generator().manual_seed(0)
    ds = Dataset.from_list(
        [
            {"input_ids": torch.randint(3, 50, (8,), generator=g).tolist(), "label": 100 + i % 6}
            for i in range(48)
        ]
    )
    m = BertForSequenceClassification(
        BertConfig(
            vocab_size=50,
            hidden_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=32,
            num_labels=8,
        )
    )
    return Contrast(
        model=m,
        args=TrainingArguments(
            tempfile.mkdtemp(),
            use_cpu=True,
            report_to="none",
            max_steps=10,
            per_device_train_batch_size=12,
            disable_tqdm=True,
            save_strategy="no",
        ),
        train_dataset=ds,
    )
