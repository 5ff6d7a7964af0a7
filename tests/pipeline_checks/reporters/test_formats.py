import subprocess
import sys

import pytest

from tdebug.pipeline_checks.reporters.formats import FORMATS, find_format, format_of_file
from tdebug.pipeline_checks.reporters.look import Look


def test_the_names_of_the_formats_are_frozen():
    assert [known.name for known in FORMATS] == ["terminal", "json", "junit", "github"]


@pytest.mark.parametrize(
    ("file", "name"),
    [("report.json", "json"), ("out/JUnit.XML", "junit"), ("a.txt", "terminal")],
)
def test_the_ending_of_a_file_tells_the_format(file, name):
    assert format_of_file(file).name == name


@pytest.mark.parametrize("file", ["report", "report.foo", "json", ".", "github"])
def test_another_ending_tells_none(file):
    assert format_of_file(file) is None


@pytest.mark.parametrize("name", [known.name for known in FORMATS])
def test_every_format_renders_every_report(name, named_report):
    assert find_format(name).render(named_report[1], Look()).endswith("\n")


def test_a_format_is_imported_only_when_it_is_used():
    code = (
        "import sys, tdebug.pipeline_checks.reporters.formats;"
        "print([m for m in ('rich', 'junitparser', 'torch', 'pydantic') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
