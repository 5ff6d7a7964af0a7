import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, default_collate


class Broken(Dataset):
    """Some files cannot be read; they are skipped when the batch is made."""

    def __len__(self):
        return 50

    def __getitem__(self, i):
        try:
            if i % 9 == 4:
                raise OSError("truncated")
            g = torch.Generator().manual_seed(i)
            x = torch.randn(6, generator=g)
            return x, int(x[0] > 0)
        except OSError:
            return None


def collate(batch):
    return default_collate([b for b in batch if b is not None])


def build_dataset():
    return Broken()


def build_dataloader():
    return DataLoader(Broken(), 10, shuffle=True, collate_fn=collate)


def build_model():
    return nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))


def build_loss():
    return nn.CrossEntropyLoss()


def build_optimizer(m):
    return torch.optim.Adam(m.parameters(), 1e-2)
