"""What is imported for what: a command that is slow to start is not used."""

import subprocess
import sys

import pytest

PROGRAM = """
import sys
from tdebug.cli.main import main
code = main(sys.argv[1:])
print([name for name in ("torch", "pydantic", "rich", "yaml") if name in sys.modules],
      file=sys.stderr)
"""


def imported(*arguments, cwd=None):
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        capture_output=True,
        text=True,
        check=True,
        cwd=cwd,
    )
    return result.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["check", "--help"],
        ["explain", "TD001"],
        ["explain", "nonsense"],
        ["checks"],
        ["checks", "--markdown"],
        ["schema"],
        ["check", "missing.yaml"],
        ["check", "bad.yaml"],
        ["check", "bad.yaml", "--select", "nonsense"],
        ["check", "good.yaml", "--select", "nonsense"],
        ["check", "good.yaml", "--device", "abacus"],
        ["check", "good.yaml", "--output", "report.nonsense"],
    ],
    ids=" ".join,
)
def test_torch_is_not_imported(arguments, tmp_path):
    (tmp_path / "bad.yaml").write_text("modle: a:b\nseed: x\n")
    (tmp_path / "good.yaml").write_text("pipeline: setup.py\n")
    assert "torch" not in imported(*arguments, cwd=tmp_path)


HEAVY = """
import sys, typer
before = set(sys.modules)
{code}
print([name for name in set(sys.modules) - before
       if name.split(".")[0] in ("torch", "pydantic", "rich", "yaml", "junitparser")
       or name.startswith("tdebug.pipeline_checks")])
"""


def heavy_of(code):
    """What the code imports of what takes time; old versions of typer import rich themselves."""
    command = [sys.executable, "-c", HEAVY.format(code=code)]
    return subprocess.run(command, capture_output=True, text=True, check=True)


def test_the_modules_of_the_commands_import_nothing_heavy():
    assert heavy_of("import tdebug.cli.main, tdebug.cli.app").stdout.strip() == "[]"


def test_the_first_line_of_progress_comes_before_the_imports():
    done = heavy_of(
        "from tdebug.cli import first_line\n"
        "first_line.is_live = lambda: True\n"
        "first_line.show_first_line('a.yaml')"
    )
    assert (done.stdout.strip(), done.stderr) == ("[]", "tdebug: reading a.yaml ...")
