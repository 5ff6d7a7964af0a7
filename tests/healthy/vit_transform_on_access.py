import tempfile

import numpy as np
import torch
from datasets import ClassLabel, Dataset, Features
from datasets import Image as HFImage
from PIL import Image
from transformers import Trainer, TrainingArguments, ViTConfig, ViTForImageClassification


def build_dataset():
    r = np.random.RandomState(0)
    ims = []
    for i in range(24):
        a = r.randint(0, 256, (20, 20, 3)).astype(np.uint8)
        a[..., i % 3] //= 4
        ims.append(Image.fromarray(a))
    ds = Dataset.from_dict(
        {"image": ims, "label": [i % 3 for i in range(24)]},
        features=Features({"image": HFImage(), "label": ClassLabel(names=["a", "b", "c"])}),
    )

    def tf(b):
        b["pixel_values"] = [
            torch.tensor(np.array(im.convert("RGB").resize((16, 16)))).permute(2, 0, 1).float()
            / 127.5
            - 1
            for im in b["image"]
        ]
        return b

    return ds.with_transform(tf)


def collate(rows):
    return {
        "pixel_values": torch.stack([r["pixel_values"] for r in rows]),
        "labels": torch.tensor([r["label"] for r in rows]),
    }


def build_trainer():
    m = ViTForImageClassification(
        ViTConfig(
            image_size=16,
            patch_size=4,
            hidden_size=16,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=32,
            num_labels=3,
        )
    )
    return Trainer(
        model=m,
        args=TrainingArguments(
            tempfile.mkdtemp(),
            use_cpu=True,
            report_to="none",
            max_steps=10,
            per_device_train_batch_size=6,
            remove_unused_columns=False,
            disable_tqdm=True,
            save_strategy="no",
        ),
        train_dataset=build_dataset(),
        data_collator=collate,
    )
