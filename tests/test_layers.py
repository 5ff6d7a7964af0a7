"""Imports go one way: cli, pipeline_checks, then overflow and gather, which stand alone."""

import ast
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("cli", "pipeline_checks", "overflow", "gather")
MAY_IMPORT = {
    "cli": {"cli", "pipeline_checks", "overflow", "gather"},
    "pipeline_checks": {"pipeline_checks", "overflow", "gather"},
    "overflow": {"overflow"},
    "gather": {"gather"},
}
WITHOUT_TORCH = ("cli", *(f"pipeline_checks/{room}" for room in (
    "spec", "checks", "facts", "report", "reporters",
)))  # fmt: skip
# numpy where results are numpy's; torch itself needs typing_extensions.
WITH_TORCH = {*sys.stdlib_module_names, "torch", "numpy", "typing_extensions"}


def files_of(folder):
    return sorted((ROOT / folder).rglob("*.py"))


@cache
def nodes_of(file):
    return list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))


def imports_of(file):
    """Every module that an import statement of the file names, absolute, wherever it stands."""
    package = file.relative_to(ROOT).parent.parts
    for node in nodes_of(file):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = [] if not node.level else ["tdebug", *package][: len(package) + 2 - node.level]
            module = [*base, *([node.module] if node.module else [])]
            yield ".".join(module)
            if node.level and not node.module:
                yield from (".".join([*module, alias.name]) for alias in node.names)


def part_of(module):
    """The package of tdebug that a module belongs to, None for others."""
    names = module.split(".")
    return names[1] if names[0] == "tdebug" and len(names) > 1 else None


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_go_one_way(package):
    wrong = [
        f"{file.relative_to(ROOT)} imports {module}"
        for file in files_of(package)
        for module in imports_of(file)
        if part_of(module) not in MAY_IMPORT[package] | {None}
    ]

    assert not wrong


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_inside_tdebug_are_relative(package):
    wrong = [
        f"{file.relative_to(ROOT)}:{node.lineno}"
        for file in files_of(package)
        for node in nodes_of(file)
        if (isinstance(node, ast.ImportFrom) and not node.level and is_ours(node.module))
        or (isinstance(node, ast.Import) and any(is_ours(alias.name) for alias in node.names))
    ]

    assert not wrong


def is_ours(module):
    return module.split(".")[0] in {"tdebug", *PACKAGES}


@pytest.mark.parametrize("package", ["overflow", "gather"])
def test_what_is_usable_alone_takes_torch_and_the_standard_library(package):
    wrong = [
        f"{file.relative_to(ROOT)} imports {module}"
        for file in files_of(package)
        for module in imports_of(file)
        if module.split(".")[0] not in WITH_TORCH | {"tdebug"}
    ]

    assert not wrong


@pytest.mark.parametrize("folder", WITHOUT_TORCH)
def test_torch_is_never_imported_there(folder):
    wrong = [
        str(file.relative_to(ROOT))
        for file in files_of(folder)
        if any(module.split(".")[0] == "torch" for module in imports_of(file))
    ]

    assert not wrong


def test_a_relative_import_is_read_as_the_module_that_it_names(tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    file = tmp_path / "overflow" / "inner" / "probe.py"
    file.parent.mkdir(parents=True)
    file.write_text("from ...gather import nested\nfrom .. import stats\nimport os.path as p\n")

    found = list(imports_of(file))

    assert found == ["tdebug.gather", "tdebug.overflow", "tdebug.overflow.stats", "os.path"]
