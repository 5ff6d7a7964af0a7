"""The public names, and what the package imports, are kept."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tdebug import gather

FOLDER = Path(gather.__file__).parent


def test_the_public_names_are_these():
    assert gather.__all__ == [
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


@pytest.mark.parametrize("name", gather.__all__)
def test_every_public_name_is_documented_in_a_full_sentence(name):
    first_line = getattr(gather, name).__doc__.strip().splitlines()[0]

    assert first_line.endswith((".", ","))


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.py")), ids=lambda file: file.name)
def test_only_torch_and_the_standard_library_are_imported(file):
    names = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level <= 1, "nothing of tdebug outside this folder"
            if node.level == 0:
                names.add(node.module.partition(".")[0])

    for_types_only = {"numpy", "typing_extensions"}
    assert names <= {"torch", *sys.stdlib_module_names, *for_types_only}


def test_it_works_where_numpy_was_never_imported():
    # A finder that refuses numpy stands for an environment that lacks it.
    program = """
import sys
class NoNumpy:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "numpy":
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, NoNumpy())
import warnings
warnings.simplefilter("ignore")
import torch
from tdebug.gather import DistributedTensorGatherer, nested_concat
gatherer = DistributedTensorGatherer(1, 2)
gatherer.add_arrays([torch.tensor([[1], [2]])])
assert gatherer.finalize()[0].tolist() == [[1], [2]]
assert "numpy" not in sys.modules
"""

    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False
    )

    assert done.returncode == 0, done.stderr
