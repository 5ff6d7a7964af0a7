"""A forward under watch, as the training loop runs one."""

from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from tdebug.pipeline_checks.observe.batch_context import BatchContext
from tdebug.pipeline_checks.observe.calls import CallRecord, CallWatch
from tdebug.pipeline_checks.observe.modules import ModuleWatch
from tdebug.pipeline_checks.observe.user_code import UserCode


@pytest.fixture
def code():
    return UserCode((str(Path(__file__).parent),))


@pytest.fixture
def watch_forward(code):
    """Run `forward(batch)` under the watches; what it raises is kept, not raised."""

    def watch(model, batch, forward, indices=(), number=0):
        modules, record = ModuleWatch(model, code), CallRecord()
        named = [*model.named_parameters(), *model.named_buffers()]
        context = BatchContext(number, indices, batch, {id(t): n for n, t in named})
        seen = SimpleNamespace(modules=modules, record=record, context=context, error=None)
        modules.begin_batch(number)
        with modules, CallWatch(context, modules, record):
            try:
                seen.loss = forward(batch)
            except (RuntimeError, LookupError, TypeError, ValueError, AttributeError) as error:
                seen.error = error
        return seen

    return watch


@pytest.fixture(autouse=True)
def _seeded():
    torch.manual_seed(0)
