"""The same random numbers in every run."""

from __future__ import annotations

import importlib.util
import operator
import os
import random
import sys
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_SEED = 2**32 - 1  # numpy's limit
# The two that https://docs.nvidia.com/cuda/cublas/#results-reproducibility allows
_CUBLAS_WORKSPACES = (":16:8", ":4096:8")


def set_seed(seed: int, deterministic: bool = False) -> None:  # noqa: FBT001, FBT002 - as known
    """Seed `random`, numpy, torch (CPU, CUDA, MPS, XPU) and, where it is imported, tensorflow.

    A `torch.Generator`, a `numpy.random.default_rng` and the hashes of texts are not reached.

    Args:
        seed: 0 to 2**32 - 1.
        deterministic: Let torch use deterministic algorithms only, and raise where there is none.

    Raises:
        TypeError: The seed is no integer.
        ValueError: The seed is out of range. Nothing has been seeded then.
    """
    seed = _check_seed(seed)
    random.seed(seed)
    if importlib.util.find_spec("numpy"):
        import numpy as np  # noqa: PLC0415 - importing this module imports neither

        np.random.seed(seed)  # noqa: NPY002 - it is the global generator that is to be seeded
    import torch  # noqa: PLC0415 - as above

    torch.manual_seed(seed)  # of all kinds of devices, also of those not yet initialised
    if deterministic:
        torch.use_deterministic_algorithms(mode=True)
    if "tensorflow" in sys.modules:  # importing it takes seconds, and GPU memory
        sys.modules["tensorflow"].random.set_seed(seed)


def enable_full_determinism(seed: int, warn_only: bool = False) -> Callable[[], None]:  # noqa: FBT001, FBT002 - as known
    """Seed everything, and let every operator give the same bits in every run.

    CUDA reads its environment variables once, when it starts: call this before. A workspace for
    cuBLAS that the user chose is kept if it is a deterministic one.

    Args:
        seed: 0 to 2**32 - 1.
        warn_only: Warn of operators that cannot be deterministic, instead of raising.

    Returns:
        A function that puts the settings back (not the seeds; see `preserved_rng_state`).

    Raises:
        TypeError: The seed is no integer.
        ValueError: The seed is out of range. Nothing has been changed then.
    """
    seed = _check_seed(seed)
    undo = _remember_settings()
    set_seed(seed)
    workspace = os.environ.get("CUBLAS_WORKSPACE_CONFIG", "")
    _set_variables(
        CUDA_LAUNCH_BLOCKING="1",
        CUBLAS_WORKSPACE_CONFIG=workspace if workspace in _CUBLAS_WORKSPACES else ":16:8",
        FLASH_ATTENTION_DETERMINISTIC="1",
    )
    import torch  # noqa: PLC0415 - importing this module does not import it

    torch.use_deterministic_algorithms(mode=True, warn_only=warn_only)
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.benchmark = False
    if "tensorflow" in sys.modules:
        sys.modules["tensorflow"].config.experimental.enable_op_determinism()
    return undo


def _check_seed(seed: Any) -> int:
    try:
        number = operator.index(seed)  # numpy's integers are integers too
    except TypeError as error:
        raise TypeError(f"a seed is an integer from 0 to {MAX_SEED}, not {seed!r}") from error
    if not 0 <= number <= MAX_SEED:
        raise ValueError(f"a seed is an integer from 0 to {MAX_SEED}, not {number}")
    return number


def _set_variables(**variables: str) -> None:
    import torch  # noqa: PLC0415 - importing this module does not import it

    late = [name for name, value in variables.items() if os.environ.get(name) != value]
    os.environ.update(variables)
    if late and torch.cuda.is_initialized():  # type: ignore[no-untyped-call]  # torch's own
        warnings.warn(
            f"CUDA has already started and will not see {', '.join(late)}: "
            "call enable_full_determinism before anything is put on the device",
            stacklevel=3,
        )


def _remember_settings() -> Callable[[], None]:
    import torch  # noqa: PLC0415 - importing this module does not import it

    cudnn = torch.backends.cudnn
    names = ("CUDA_LAUNCH_BLOCKING", "CUBLAS_WORKSPACE_CONFIG", "FLASH_ATTENTION_DETERMINISTIC")
    variables = {name: os.environ.get(name) for name in names}
    mode = torch.are_deterministic_algorithms_enabled()
    warn_only = torch.is_deterministic_algorithms_warn_only_enabled()
    flags = cudnn.deterministic, cudnn.benchmark

    def undo() -> None:
        for name, value in variables.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
        torch.use_deterministic_algorithms(mode, warn_only=warn_only)
        cudnn.deterministic, cudnn.benchmark = flags

    return undo
