"""What is not needed is not imported: the packages are quick to import."""

import subprocess
import sys

import pytest

HEAVY = ("torch", "numpy", "pydantic", "rich", "typer", "yaml", "transformers", "lightning")


def heavy_modules_after(code):
    program = f"import sys\n{code}\nprint(*[name for name in {HEAVY!r} if name in sys.modules])"
    command = [sys.executable, "-c", program]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.parametrize(
    "code",
    [
        "import tdebug.pipeline_checks",
        "import tdebug.pipeline_checks.checks as checks; checks.all_checks()",
        "import tdebug.pipeline_checks.report, tdebug.pipeline_checks.facts.codec",
        "from tdebug.pipeline_checks import Severity, check_pipeline",
    ],
)
def test_nothing_heavy_is_imported(code):
    assert heavy_modules_after(code) == []


def test_transformers_and_lightning_are_imported_only_if_the_users_code_did():
    code = (
        "import torch\n"
        "from tdebug.pipeline_checks import Pipeline, check_pipeline\n"
        "data = [(torch.randn(3), number % 2) for number in range(8)]\n"
        "loss = torch.nn.functional.cross_entropy\n"
        "check_pipeline(Pipeline(model=torch.nn.Linear(3, 2), dataset=data, loss=loss))"
    )

    assert not {"transformers", "lightning"} & set(heavy_modules_after(code))
