import tempfile

import torch
from datasets import Dataset
from transformers import LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments

EOS = 2


def build_dataset():
    rows = []
    for i in range(32):
        ids = [3 + (i + k) % 40 for k in range(4 + i % 6)] + [EOS]
        rows.append({"input_ids": ids, "prompt_len": 2})
    return Dataset.from_list(rows)


def collate(rows):
    n = max(len(r["input_ids"]) for r in rows)
    out = {"input_ids": [], "attention_mask": [], "labels": []}
    for r in rows:
        k = n - len(r["input_ids"])
        out["input_ids"].append(r["input_ids"] + [EOS] * k)
        out["attention_mask"].append([1] * (n - k) + [0] * k)
        out["labels"].append(
            [-100] * r["prompt_len"] + r["input_ids"][r["prompt_len"] :] + [-100] * k
        )
    return {k: torch.tensor(v) for k, v in out.items()}


def build_trainer():
    m = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=50,
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=2,
            max_position_embeddings=64,
            pad_token_id=EOS,
            eos_token_id=EOS,
            bos_token_id=1,
        )
    )
    return Trainer(
        model=m,
        args=TrainingArguments(
            tempfile.mkdtemp(),
            use_cpu=True,
            report_to="none",
            max_steps=10,
            per_device_train_batch_size=4,
            bf16=True,
            remove_unused_columns=False,
            disable_tqdm=True,
            save_strategy="no",
        ),
        train_dataset=build_dataset(),
        data_collator=collate,
    )
