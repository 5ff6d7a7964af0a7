import torch
import torch.nn.functional as F
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification

CONFIG = {"batch_size": 4}


class Texts(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        return {"input_ids": torch.randint(1, 20, (3 + i * 7 % 9,), generator=g), "labels": i % 2}


def collate(rows):
    length = max(len(row["input_ids"]) for row in rows)
    ids = [F.pad(row["input_ids"], (0, length - len(row["input_ids"]))) for row in rows]
    ids = torch.stack(ids)
    labels = torch.tensor([row["labels"] for row in rows])
    return {"input_ids": ids, "attention_mask": torch.ones_like(ids), "labels": labels}


def build_dataset():
    return Texts()


def build_collate_fn():
    return collate


def build_model():
    config = BertConfig(
        vocab_size=20,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
    )
    return BertForSequenceClassification(config)
