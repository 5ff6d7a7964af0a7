import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForQuestionAnswering

CONFIG = {"batch_size": 4}
LENGTH = 24


def build_model():
    return BertForQuestionAnswering(
        BertConfig(
            vocab_size=50,
            hidden_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=32,
        )
    )


class Questions(Dataset):
    def __init__(self):
        g = torch.Generator().manual_seed(0)
        self.ids = torch.randint(1, 50, (16, 60), generator=g)
        self.starts = torch.randint(30, 50, (16,), generator=g)

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        start = int(self.starts[i])  # in the whole text, of which the answer's part is cut off
        return {
            "input_ids": self.ids[i, :LENGTH],
            "start_positions": start,
            "end_positions": start + 3,
        }


def build_dataset():
    return Questions()
