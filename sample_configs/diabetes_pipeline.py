"""Regression on a table: how far did diabetes progress within a year, for 442 patients?

Ten features of each patient from scikit-learn, standardized, and so is the target.
``python diabetes_pipeline.py`` trains for twenty epochs and prints the R squared for the patients
who were held out.
"""

import torch
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class ProgressionRegressor(nn.Module):
    """Features ``(batch, 10)`` in, one standardized prediction ``(batch, 1)`` out."""

    def __init__(self, num_hidden=32, dropout=0.1):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(10, num_hidden),
            nn.ReLU(),
            nn.Dropout(dropout),
            nn.Linear(num_hidden, 1),
        )

    def forward(self, features):
        return self.layers(features)


def train_set():
    return split_patients()[0]


def validation_set():
    return split_patients()[1]


def split_patients():
    """Return the training and the validation set; each sample is ``(features, target)``."""
    features, target = load_diabetes(return_X_y=True, scaled=False)
    parts = train_test_split(features, target[:, None], test_size=90, random_state=0)
    train_features, eval_features, train_target, eval_target = parts
    feature_scaler = StandardScaler().fit(train_features)
    target_scaler = StandardScaler().fit(train_target)
    return (
        as_dataset(feature_scaler.transform(train_features), target_scaler.transform(train_target)),
        as_dataset(feature_scaler.transform(eval_features), target_scaler.transform(eval_target)),
    )


def as_dataset(features, target):
    return TensorDataset(
        torch.tensor(features, dtype=torch.float32), torch.tensor(target, dtype=torch.float32)
    )


def train(model, num_epochs=20):
    loss_function = nn.MSELoss()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    loader = DataLoader(train_set(), batch_size=8, shuffle=True)
    model.train()
    for _ in range(num_epochs):
        for features, target in loader:
            optimizer.zero_grad()
            loss_function(model(features), target).backward()
            optimizer.step()


@torch.no_grad()
def r_squared(model):
    features, target = validation_set().tensors
    model.eval()
    residual = target - model(features)
    return 1 - (residual.square().mean() / target.var(correction=0)).item()


if __name__ == "__main__":
    torch.manual_seed(42)
    regressor = ProgressionRegressor()
    train(regressor)
    print(f"R squared on the validation set: {r_squared(regressor):.2f}")
