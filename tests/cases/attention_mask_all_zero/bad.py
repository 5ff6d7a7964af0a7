import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification

CONFIG = {"batch_size": 4}


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


class Notes(Dataset):
    lengths = [5, 3, 8, 0, 6, 2, 7, 4]

    def __len__(self):
        return len(self.lengths)

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        real = (torch.arange(8) < self.lengths[i]).long()
        return {
            "input_ids": torch.randint(1, 40, (8,), generator=g) * real,
            "attention_mask": real,
            "labels": i % 3,
        }


def build_dataset():
    return Notes()
