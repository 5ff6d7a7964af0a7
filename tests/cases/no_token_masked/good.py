import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForMaskedLM

CONFIG = {"batch_size": 4}
MASK = 2


class Texts(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, i):
        ids = torch.randint(3, 30, (8,), generator=torch.Generator().manual_seed(i))
        hidden = torch.arange(8) % 3 == i % 3
        labels = ids.masked_fill(~hidden, -100)
        ids = ids.masked_fill(hidden, MASK)
        return {"input_ids": ids, "attention_mask": torch.ones_like(ids), "labels": labels}


def build_dataset():
    return Texts()


def build_model():
    config = BertConfig(
        vocab_size=30,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
    )
    return BertForMaskedLM(config)
