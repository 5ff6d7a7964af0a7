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


def test_help_imports_nothing_but_what_typer_needs():
    assert imported("--version") == "[]"


def test_the_command_modules_import_nothing_heavy():
    code = (
        "import sys, tdebug.cli.app;"
        "print([m for m in sys.modules if m.split('.')[0] in ('torch', 'pydantic', 'rich', 'yaml')"
        " or m.startswith('tdebug.pipeline_checks')])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_the_first_line_of_progress_comes_before_the_imports():
    code = (
        "import sys, io; from tdebug.cli import first_line;"
        "first_line.is_live = lambda: True; first_line.show_first_line('a.yaml');"
        "print([m for m in sys.modules if m.split('.')[0] in ('torch', 'pydantic', 'rich', 'yaml')"
        " or m.startswith('tdebug.pipeline_checks')])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (out.stdout.strip(), out.stderr) == ("[]", "tdebug: reading a.yaml ...")
