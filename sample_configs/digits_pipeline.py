"""A small CNN that reads handwritten digits: 1797 images of 8x8 pixels from scikit-learn.

tdebug finds the ``build_...`` functions by their names. ``python digits_pipeline.py`` trains for
three epochs and prints the accuracy on the images that were held out.
"""

import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

CONFIG = {"batch_size": 8, "seed": 42}


class DigitClassifier(nn.Module):
    """Images ``(batch, 1, 8, 8)`` in, logits ``(batch, 10)`` out."""

    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 16, kernel_size=3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(16, 32, kernel_size=3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
        )
        self.classifier = nn.Linear(32 * 2 * 2, 10)

    def forward(self, images):
        return self.classifier(self.features(images).flatten(start_dim=1))


def build_model():
    return DigitClassifier()


def build_dataset():
    return split_digits()[0]


def build_eval_dataset():
    return split_digits()[1]


def build_loss():
    return nn.CrossEntropyLoss()


def build_optimizer(model):
    return torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)


def split_digits():
    """Return the training and the validation set; each sample is ``(image, digit)``."""
    digits = load_digits()
    train_images, eval_images, train_digits, eval_digits = train_test_split(
        digits.images, digits.target, test_size=0.2, stratify=digits.target, random_state=0
    )
    mean, std = train_images.mean(), train_images.std()  # of pixels that run from 0 to 16
    return (
        as_dataset((train_images - mean) / std, train_digits),
        as_dataset((eval_images - mean) / std, eval_digits),
    )


def as_dataset(images, digits):
    return TensorDataset(
        torch.tensor(images, dtype=torch.float32).unsqueeze(1),  # one channel
        torch.tensor(digits, dtype=torch.int64),
    )


def train(model, num_epochs=3):
    loss_function, optimizer = build_loss(), build_optimizer(model)
    loader = DataLoader(build_dataset(), batch_size=CONFIG["batch_size"], shuffle=True)
    model.train()
    for _ in range(num_epochs):
        for images, digits in loader:
            optimizer.zero_grad()
            loss_function(model(images), digits).backward()
            optimizer.step()


@torch.no_grad()
def measure_accuracy(model):
    images, digits = build_eval_dataset().tensors
    model.eval()
    return (model(images).argmax(dim=1) == digits).float().mean().item()


if __name__ == "__main__":
    torch.manual_seed(CONFIG["seed"])
    classifier = build_model()
    train(classifier)
    print(f"accuracy on the validation set: {measure_accuracy(classifier):.1%}")
