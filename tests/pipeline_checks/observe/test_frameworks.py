"""Which libraries for distributed training a file of the user's is found to name."""

import sys
from types import ModuleType

import pytest

from tdebug.pipeline_checks.observe.frameworks import frameworks_mentioned
from tdebug.pipeline_checks.observe.user_code import UserCode


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import torch", ()),
        ("def main():\n    from accelerate import Accelerator\n", ("accelerate",)),
        ("import lightning.pytorch as pl\nimport ray.train\n", ("Lightning", "ray")),
        ("model = nn.parallel.DistributedDataParallel(model)\n", ("DistributedDataParallel",)),
        ("# see https://github.com/Lightning-AI/pytorch-lightning\n", ()),
        ("from torch.distributed.fsdp import fully_shard\n", ("FSDP",)),
    ],
)
def test_imports_anywhere_and_wrappers_by_name_count(tmp_path, monkeypatch, text, expected):
    file = tmp_path / "users_train.py"
    file.write_text(text)
    module = ModuleType("users_train")
    module.__file__ = str(file)
    monkeypatch.setitem(sys.modules, "users_train", module)

    assert frameworks_mentioned(UserCode((str(tmp_path.resolve()),))) == expected
