"""Bring the results of all ranks to one place, in dataset order. Usable alone.

`DistributedTensorGatherer` with `SequentialDistributedSampler` gives the predictions of N
processes as one process would have given them; `gather_uneven` gathers what differs in size;
`torch_distributed_zero_first` lets local main processes go first; `RollCall`, `named_barrier` and
`require_same_shapes` find out which rank is dead, stuck, or holds something else, before a
collective hangs.
"""

from .absence import Absence, AbsenceReason
from .agreement import require_same_shapes
from .conversion import nested_detach, nested_numpify
from .current_roll_call import get_roll_call
from .errors import LocalMainFailedError, RankError, RanksDisagreeError, RanksMissingError
from .eval_prediction import EvalPrediction
from .gatherer import DistributedTensorGatherer
from .named_barrier import named_barrier
from .nested import nested_leaves
from .padding import nested_concat, nested_pad
from .roll_call import RollCall
from .rows import find_batch_size, nested_truncate
from .sampler import SequentialDistributedSampler
from .uneven import gather_uneven
from .zero_first import torch_distributed_zero_first

__all__ = [
    "Absence",
    "AbsenceReason",
    "DistributedTensorGatherer",
    "EvalPrediction",
    "LocalMainFailedError",
    "RankError",
    "RanksDisagreeError",
    "RanksMissingError",
    "RollCall",
    "SequentialDistributedSampler",
    "find_batch_size",
    "gather_uneven",
    "get_roll_call",
    "named_barrier",
    "nested_concat",
    "nested_detach",
    "nested_leaves",
    "nested_numpify",
    "nested_pad",
    "nested_truncate",
    "require_same_shapes",
    "torch_distributed_zero_first",
]
