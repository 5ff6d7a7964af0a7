import torch
from torch import nn
from transformers import Trainer, TrainingArguments

EPOCHS, BATCH_SIZE, NUM_SAMPLES = 3, 4, 64


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2))

    def forward(self, x, labels=None):
        logits = self.layers(x)
        return {"loss": nn.functional.cross_entropy(logits, labels), "logits": logits}


def build_trainer():
    g = torch.Generator().manual_seed(0)
    x = torch.randn(NUM_SAMPLES, 6, generator=g)
    data = [{"x": row, "labels": int(row[0] > 0)} for row in x]
    model = Classifier()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    steps = EPOCHS * NUM_SAMPLES // BATCH_SIZE
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=steps)
    arguments = TrainingArguments(
        num_train_epochs=EPOCHS, per_device_train_batch_size=BATCH_SIZE, use_cpu=True, report_to=[]
    )
    return Trainer(model, arguments, train_dataset=data, optimizers=(optimizer, scheduler))
