import tempfile

from datasets import Dataset
from torch import nn
from torch.nn.functional import mse_loss
from transformers import PretrainedConfig, PreTrainedModel, Trainer, TrainingArguments


class Config(PretrainedConfig):
    model_type = "mine"


class Regression(PreTrainedModel):
    config_class = Config

    def __init__(self, config):
        super().__init__(config)
        self.layer = nn.Linear(4, 1)
        self.post_init()

    def forward(self, features, labels=None):
        values = self.layer(features).squeeze(-1)
        return {"loss": mse_loss(values, labels), "logits": values}


def row(i):
    return {"features": [float((i * k) % 5) for k in range(4)], "labels": float(i % 3)}


def build_trainer():
    args = TrainingArguments(
        tempfile.mkdtemp(),
        max_steps=4,
        per_device_train_batch_size=4,
        gradient_checkpointing=False,
        report_to=[],
        use_cpu=True,
    )
    return Trainer(
        Regression(Config()), args, train_dataset=Dataset.from_list([row(i) for i in range(16)])
    )
