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


class Chats(Dataset):
    def __len__(self):
        return 12

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        ids = torch.randint(2, 50, (14,), generator=g)
        ids[6] = 7
        return {"input_ids": ids, "attention_mask": torch.ones_like(ids)}


def answers_only(samples):
    ids = torch.stack([s["input_ids"] for s in samples])
    labels = ids.clone()
    for row in labels:
        start = (row == 7).nonzero()
        row[: start[0, 0] + 1 if len(start) else None] = -100
    return {"input_ids": ids, "attention_mask": torch.ones_like(ids), "labels": labels}


def build_dataset():
    return Chats()


def build_collate_fn():
    return answers_only
