"""Three real processes give the predictions of one, bit for bit."""

import base64

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import BatchSampler

from tdebug.gather import (
    DistributedTensorGatherer,
    SequentialDistributedSampler,
    gather_uneven,
    nested_concat,
    nested_numpify,
)
from tdebug.gather.nested import nested_leaves

LENGTHS = [1, 2, 7, 16, 1000]
BATCH_SIZE = 4


class Tagger(nn.Module):
    """A small recurrent model: its output is as long as the sequence."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(50, 8)
        self.layer = nn.GRU(8, 8, batch_first=True)
        self.head = nn.Linear(8, 3)

    def forward(self, ids):
        hidden, last = self.layer(self.embedding(ids))
        return {"logits": self.head(hidden), "states": (hidden.bfloat16(), [last[0]]), "none": None}


def predict(model, samples):
    """Give nested outputs for a batch, sample by sample, so that no kernel sees another batch."""
    outputs = None
    for sample in samples:
        ids = torch.arange(1 + sample * 7 % 13)[None] * (sample + 1) % 50
        output = {
            "model": model(ids),
            "sample": torch.tensor([sample]),
            "is_odd": ids[:, :1] % 2 == 1,
        }
        output["special"] = torch.tensor([[-0.0, float("nan"), float("-inf"), 1e-45]])
        outputs = output if outputs is None else nested_concat(outputs, output)
    return outputs


def evaluate(num_samples, *, as_numpy):
    """Evaluate on this rank's block and gather after every batch."""
    torch.manual_seed(0)
    model = Tagger().eval()
    gatherer = DistributedTensorGatherer(dist.get_world_size(), num_samples)
    sampler = SequentialDistributedSampler(range(num_samples))
    with torch.no_grad():
        for batch in BatchSampler(sampler, BATCH_SIZE, drop_last=False):
            outputs = predict(model, batch)
            gatherer.add_arrays(gather_uneven(nested_numpify(outputs) if as_numpy else outputs))
    return gatherer.finalize()


def as_text(nested):
    """Give every bit of nested arrays as what JSON can hold."""
    return {
        path: None if leaf is None else [str(leaf.dtype), list(leaf.shape), as_bits(leaf)]
        for path, leaf in nested_leaves(nested)
    }


def as_bits(leaf):
    tensor = leaf if isinstance(leaf, torch.Tensor) else torch.from_numpy(leaf)
    return base64.b64encode(tensor.contiguous().view(torch.uint8).numpy().tobytes()).decode()


def evaluate_every_length(*, as_numpy):
    return {length: as_text(evaluate(length, as_numpy=as_numpy)) for length in LENGTHS}


def evaluate_in_one_process(num_samples):
    torch.manual_seed(0)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    with torch.no_grad():
        outputs = predict(Tagger().eval(), range(num_samples))
    torch.set_num_threads(threads)
    return outputs


def test_three_processes_equal_one_for_every_length(run_ranks):
    ranks = run_ranks(evaluate_every_length, as_numpy=False)

    assert [rank.code for rank in ranks] == [0, 0, 0], ranks[0].stderr
    for length in LENGTHS:
        expected = as_text(evaluate_in_one_process(length))
        for rank in ranks:
            assert rank.value[str(length)] == expected


def test_three_processes_equal_one_with_numpy_arrays(run_ranks):
    ranks = run_ranks(evaluate_every_length, as_numpy=True, store="tcp")

    assert [rank.code for rank in ranks] == [0, 0, 0], ranks[0].stderr
    for length in LENGTHS:
        expected = as_text(nested_numpify(evaluate_in_one_process(length)))
        assert ranks[1].value[str(length)] == expected
