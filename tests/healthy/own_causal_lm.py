import tempfile

import torch
from torch import nn
from torch.utils.data import Dataset
from transformers import PretrainedConfig, PreTrainedModel, Trainer, TrainingArguments
from transformers.modeling_outputs import CausalLMOutput


class Conf(PretrainedConfig):
    model_type = "mine"

    def __init__(self, vocab_size=37, width=16, **kw):
        self.vocab_size, self.width = vocab_size, width
        super().__init__(**kw)


class MineForCausalLM(PreTrainedModel):
    """Takes labels that are shifted already."""

    config_class = Conf

    def __init__(self, c):
        super().__init__(c)
        self.e, self.r, self.o = (
            nn.Embedding(c.vocab_size, c.width),
            nn.GRU(c.width, c.width, batch_first=True),
            nn.Linear(c.width, c.vocab_size),
        )
        self.post_init()

    def forward(self, input_ids, labels=None):
        logits = self.o(self.r(self.e(input_ids))[0])
        loss = (
            None
            if labels is None
            else nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten())
        )
        return CausalLMOutput(loss=loss, logits=logits)


class Text(Dataset):
    def __len__(self):
        return 32

    def __getitem__(self, i):
        x = torch.tensor([(i * 3 + k * (1 + i % 4)) % 37 for k in range(13)])
        return {"input_ids": x[:-1], "labels": x[1:]}


def build_trainer():
    return Trainer(
        model=MineForCausalLM(Conf()),
        args=TrainingArguments(
            tempfile.mkdtemp(),
            use_cpu=True,
            report_to="none",
            max_steps=10,
            per_device_train_batch_size=4,
            disable_tqdm=True,
            save_strategy="no",
            learning_rate=1e-2,
        ),
        train_dataset=Text(),
    )
