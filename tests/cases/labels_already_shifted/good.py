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


class Blocks(Dataset):
    def __len__(self):
        return 12

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        text = torch.randint(2, 50, (17,), generator=g)
        return {"input_ids": text[:-1], "labels": text[1:]}


def build_dataset():
    return Blocks()


def compute_loss(model, batch):
    logits = model(input_ids=batch["input_ids"]).logits
    return torch.nn.functional.cross_entropy(logits.flatten(0, 1), batch["labels"].flatten())
