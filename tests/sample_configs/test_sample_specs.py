"""Every spec in the folder is told in the README and names what exists."""

import importlib
from pathlib import Path

import pytest
import yaml

SPECS = sorted((Path(__file__).parents[2] / "sample_configs").glob("*.yaml"))


def find_references(value):
    """Yield every ``module:attribute`` and ``file.py:attribute`` in a spec, however deep."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from find_references(inner)
    elif isinstance(value, str) and ":" in value:
        yield value


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_a_spec_opens_with_its_story(spec):
    lines = spec.read_text(encoding="utf-8").splitlines()

    assert lines[0].startswith("# ")
    assert len(lines) <= 12


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_a_spec_names_what_exists(spec):
    parts = yaml.safe_load(spec.read_text(encoding="utf-8"))

    for reference in find_references(parts):
        module, attribute = reference.split(":")
        assert hasattr(importlib.import_module(module.removesuffix(".py")), attribute), reference
    if parts.get("pipeline", "").endswith(".py"):
        assert (spec.parent / parts["pipeline"]).is_file()


def test_the_readme_lists_every_spec(samples):
    readme = (samples / "README.md").read_text(encoding="utf-8")

    assert len(SPECS) == 6
    assert all(f"[`{spec.name}`]({spec.name})" in readme for spec in SPECS)
