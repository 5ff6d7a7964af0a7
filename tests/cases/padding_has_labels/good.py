import torch
from torch.utils.data import Dataset
from transformers import GPT2Config, GPT2LMHeadModel

CONFIG = {"batch_size": 4}


def build_model():
    return GPT2LMHeadModel(
        GPT2Config(
            vocab_size=50,
            n_embd=16,
            n_layer=1,
            n_head=2,
            n_positions=32,
            bos_token_id=1,
            eos_token_id=1,
        )
    )


class Lines(Dataset):
    def __len__(self):
        return 12

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        length = 5 + i % 8
        ids = torch.zeros(14, dtype=torch.long)
        ids[:length] = torch.randint(2, 50, (length,), generator=g)
        mask = (torch.arange(14) < length).long()
        labels = ids.masked_fill(mask == 0, -100)
        return {"input_ids": ids, "attention_mask": mask, "labels": labels}


def build_dataset():
    return Lines()
