import torch
from tokenizers import Tokenizer, models
from torch.utils.data import Dataset
from transformers import (
    DataCollatorForLanguageModeling,
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedTokenizerFast,
)

CONFIG = {"batch_size": 4}
WORDS = ["<pad>", "<unk>", "<mask>", "<end>", *(f"w{i}" for i in range(30))]


class Texts(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, i):
        ids = torch.randint(4, len(WORDS), (8,), generator=torch.Generator().manual_seed(i))
        return {"input_ids": ids.tolist()}


def build_dataset():
    return Texts()


def build_collate_fn():
    words = models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="<unk>")
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer(words), pad_token="<pad>", mask_token="<mask>"
    )
    return DataCollatorForLanguageModeling(tokenizer, mlm=False)


def build_model():
    config = GPT2Config(
        vocab_size=len(WORDS),
        n_embd=16,
        n_layer=1,
        n_head=2,
        n_positions=16,
        bos_token_id=3,
        eos_token_id=3,
    )
    return GPT2LMHeadModel(config)
