import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Copy(Dataset):
    def __len__(self):
        return 48

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        return torch.randint(3, 20, (3 + i % 5,), generator=g)


def collate(b):
    src = nn.utils.rnn.pad_sequence(b, batch_first=True)
    tgt = nn.utils.rnn.pad_sequence(
        [torch.cat([torch.tensor([1]), x, torch.tensor([2])]) for x in b], batch_first=True
    )
    return {"src": src, "tgt": tgt, "src_pad": src == 0, "tgt_pad": (tgt == 0)[:, :-1]}


class T(nn.Module):
    def __init__(self, d=32):
        super().__init__()
        self.e = nn.Embedding(20, d, padding_idx=0)
        self.pos = nn.Parameter(torch.zeros(1, 32, d))
        self.t = nn.Transformer(d, 4, 1, 1, 64, 0.1, batch_first=True)
        self.o = nn.Linear(d, 20)

    def forward(self, src, tgt, src_pad, tgt_pad):
        m = nn.Transformer.generate_square_subsequent_mask(tgt.shape[1])
        f = lambda x: self.e(x) * 5.6 + self.pos[:, : x.shape[1]]
        tp = torch.zeros_like(tgt_pad, dtype=torch.float).masked_fill(tgt_pad, float("-inf"))
        sp = torch.zeros_like(src_pad, dtype=torch.float).masked_fill(src_pad, float("-inf"))
        return self.o(
            self.t(
                f(src),
                f(tgt),
                tgt_mask=m,
                src_key_padding_mask=sp,
                memory_key_padding_mask=sp,
                tgt_key_padding_mask=tp,
            )
        )


def build_dataset():
    return Copy()


def build_dataloader():
    return DataLoader(Copy(), 8, shuffle=True, collate_fn=collate)


def build_model():
    return T()


def compute_loss(model, b):
    out = model(b["src"], b["tgt"][:, :-1], b["src_pad"], b["tgt_pad"])
    return nn.CrossEntropyLoss(ignore_index=0)(out.transpose(1, 2), b["tgt"][:, 1:])


def build_optimizer(m):
    return torch.optim.Adam(m.parameters(), 1e-3, betas=(0.9, 0.98), eps=1e-9)


def build_scheduler(o):
    return torch.optim.lr_scheduler.LambdaLR(
        o, lambda s: min((s + 1) ** -0.5, (s + 1) * 400**-1.5) * 5
    )
