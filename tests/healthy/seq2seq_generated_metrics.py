import tempfile

import numpy as np
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import (
    DataCollatorForSeq2Seq,
    PreTrainedTokenizerFast,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    T5Config,
    T5ForConditionalGeneration,
)

V = {"<pad>": 0, "</s>": 1, "<unk>": 2, **{f"w{i}": i for i in range(3, 40)}}
t = Tokenizer(models.WordLevel(V, unk_token="<unk>"))
t.pre_tokenizer = pre_tokenizers.Whitespace()
tok = PreTrainedTokenizerFast(
    tokenizer_object=t, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
)


def data(s, n):
    return Dataset.from_list(
        [
            {
                "input_ids": (
                    src := [
                        3 + (s * 5 + i * 7 + k * (1 + i % 5)) % 37 for k in range(4 + (i + s) % 4)
                    ]
                )
                + [1],
                "attention_mask": [1] * (len(src) + 1),
                "labels": src[:2] + [1],
            }
            for i in range(n)
        ]
    )


def compute_metrics(p):
    preds, labels = p
    preds = np.where(preds != -100, preds, tok.pad_token_id)
    labels = np.where(labels != -100, labels, tok.pad_token_id)
    a, b = (
        tok.batch_decode(preds, skip_special_tokens=True),
        tok.batch_decode(labels, skip_special_tokens=True),
    )
    return {
        "exact": float(np.mean([x == y for x, y in zip(a, b)])),
        "gen_len": float(np.mean([np.count_nonzero(q != tok.pad_token_id) for q in preds])),
    }


def build_trainer():
    m = T5ForConditionalGeneration(
        T5Config(
            vocab_size=40,
            d_model=16,
            d_kv=8,
            d_ff=32,
            num_layers=1,
            num_heads=2,
            decoder_start_token_id=0,
            pad_token_id=0,
            eos_token_id=1,
        )
    )
    return Seq2SeqTrainer(
        model=m,
        args=Seq2SeqTrainingArguments(
            tempfile.mkdtemp(),
            use_cpu=True,
            report_to="none",
            max_steps=10,
            per_device_train_batch_size=4,
            disable_tqdm=True,
            save_strategy="no",
            predict_with_generate=True,
            eval_strategy="steps",
            eval_steps=5,
            generation_max_length=8,
        ),
        train_dataset=data(0, 24),
        eval_dataset=data(1, 12),
        data_collator=DataCollatorForSeq2Seq(tok, model=m),
        processing_class=tok,
        compute_metrics=compute_metrics,
    )
