from datasets import Dataset
from tokenizers import Tokenizer, models
from transformers import (
    DataCollatorForLanguageModeling,
    GPT2Config,
    GPT2LMHeadModel,
    PreTrainedTokenizerFast,
)

CONFIG = {"batch_size": 4}
VOCAB = {"<end>": 0, "<unk>": 1, "<pad>": 2, **{f"t{i}": i for i in range(3, 50)}}


def build_tokenizer():
    tok = PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer(models.WordLevel(VOCAB, unk_token="<unk>")),
        eos_token="<end>",
        unk_token="<unk>",
    )
    tok.pad_token = tok.eos_token
    return tok


def build_dataset():
    rows = [[3 + (i * 5 + k * 3) % 47 for k in range(5 + i % 4)] + [0] for i in range(16)]
    return Dataset.from_list([{"input_ids": r, "attention_mask": [1] * len(r)} for r in rows])


def build_collate_fn():
    return DataCollatorForLanguageModeling(build_tokenizer(), mlm=False)


def build_model():
    return GPT2LMHeadModel(
        GPT2Config(
            vocab_size=50,
            n_embd=16,
            n_layer=1,
            n_head=2,
            n_positions=32,
            bos_token_id=0,
            eos_token_id=0,
        )
    )
