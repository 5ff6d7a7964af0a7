from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    DataCollatorWithPadding,
    PreTrainedTokenizerFast,
)

CONFIG = {"batch_size": 4}
WORDS = ["[PAD]", "[UNK]", "ship", "was", "late", "early", "very", "the", "broken", "fine"]
TEXTS = [
    f"the ship was {'very ' * (i % 3)}{WORDS[4 + i % 2]} {WORDS[2 + i % 8]}" for i in range(16)
]


def build_tokenizer():
    t = Tokenizer(models.WordLevel({w: i for i, w in enumerate(WORDS)}, unk_token="[UNK]"))
    t.pre_tokenizer = pre_tokenizers.Whitespace()
    return PreTrainedTokenizerFast(tokenizer_object=t, pad_token="[PAD]", unk_token="[UNK]")


def build_model():
    return BertForSequenceClassification(
        BertConfig(
            vocab_size=len(WORDS),
            hidden_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=32,
            num_labels=2,
        )
    )


def build_collate_fn():
    return DataCollatorWithPadding(build_tokenizer())


def build_dataset():
    tok = build_tokenizer()
    data = Dataset.from_dict({"review": TEXTS, "label": [i % 2 for i in range(16)]})
    return data.map(lambda row: dict(tok(row["review"])))
