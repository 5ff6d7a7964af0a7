import torch
from torch.utils.data import Dataset
from transformers import T5Config, T5ForConditionalGeneration

CONFIG = {"batch_size": 4}


class Pairs(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        labels = torch.randint(2, 40, (6,), generator=g)
        return {
            "input_ids": torch.randint(2, 40, (8,), generator=g),
            "decoder_input_ids": labels.clone(),
            "labels": labels,
        }


def build_dataset():
    return Pairs()


def build_model():
    config = T5Config(
        vocab_size=40,
        d_model=16,
        d_kv=8,
        d_ff=32,
        num_layers=1,
        num_heads=2,
        decoder_start_token_id=0,
        dropout_rate=0.0,
    )
    return T5ForConditionalGeneration(config)
