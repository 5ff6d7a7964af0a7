import torch
from torch.utils.data import Dataset
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments


class Ids(Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, index):
        ids = torch.randint(1, 50, (8,), generator=torch.Generator().manual_seed(index))
        return {"input_ids": ids, "labels": int(ids[0] > 25)}


class Own(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False, **_):  # noqa: FBT002 - as the Trainer has it
        outputs = self.model(**inputs)  # and not `model`, which is wrapped
        return (outputs.loss, outputs) if return_outputs else outputs.loss


def build_trainer(kind=Own):
    config = BertConfig(
        vocab_size=50,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=16,
    )
    arguments = TrainingArguments("unused", per_device_train_batch_size=4, report_to=[])
    return kind(BertForSequenceClassification(config), arguments, train_dataset=Ids())
