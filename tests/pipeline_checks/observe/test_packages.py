"""What packages need of each other, read from metadata that lie on the path."""

import sys
from types import SimpleNamespace

import pytest

from tdebug.pipeline_checks.observe import packages
from tdebug.pipeline_checks.observe.packages import look_at_packages


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Only these packages are imported; what they need stands in their metadata."""
    monkeypatch.syspath_prepend(tmp_path)
    for name in packages.PACKAGES:
        monkeypatch.delitem(sys.modules, name, raising=False)

    def do(name, version, *needs):
        folder = tmp_path / f"{name}-{version}.dist-info"
        folder.mkdir()
        lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
        lines += [f"Requires-Dist: {need}" for need in needs]
        (folder / "METADATA").write_text("\n".join(lines) + "\n")
        monkeypatch.setitem(sys.modules, name, SimpleNamespace(__version__=version))

    return do


def unmet():
    return [(one.package, one.needs, one.found) for one in look_at_packages().unmet]


def test_a_package_that_is_too_old_is_found(install):
    install("accelerate", "0.9.0")
    install("transformers", "5.1.0", "accelerate>=1.1.0; extra == 'torch'")

    assert unmet() == [("transformers", "accelerate>=1.1.0", "0.9.0")]


def test_a_package_of_another_name_than_its_module_is_found(install):
    install("huggingface_hub", "3.0.0")
    install("transformers", "5.1.0", "huggingface-hub<3.0,>=1.3")

    assert unmet() == [("transformers", "huggingface-hub<3.0,>=1.3", "3.0.0")]


@pytest.mark.parametrize(
    ("version", "need"),
    [
        ("2.9.0", "torch>=2.6; extra == 'torch'"),
        ("2.9.0+cu128", "torch==2.9.0"),
        ("2.10.0.dev20260101", "torch>=2.6"),
        ("2.9.0", "torch"),
        ("2.9.0", "torch<2; extra == 'testing'"),
        ("2.9.0", "torch<2; python_version < '3'"),
        ("a build of mine", "torch>=2.6"),
        ("2.9.0", "torch not a need"),
        ("2.9.0", "torchmetrics>=99"),
    ],
)
def test_what_fits_or_cannot_be_read_is_no_problem(install, version, need):
    install("torch", "1.0", need)
    sys.modules["torch"].__version__ = version
    install("transformers", "5.1.0", need)

    assert not unmet()


def test_a_package_that_was_not_imported_needs_nothing(install, monkeypatch):
    install("torch", "1.0")
    install("torchvision", "0.20", "torch==2.5")
    monkeypatch.delitem(sys.modules, "torchvision")

    assert not unmet()


def test_a_package_without_metadata_needs_nothing(install, monkeypatch):
    install("torch", "1.0")
    monkeypatch.setitem(sys.modules, "lightning", SimpleNamespace(__version__="2"))
    monkeypatch.setattr(packages, "_needs", lambda name: [] if name == "lightning" else ["torch>9"])

    assert not unmet()


def test_without_packaging_it_is_said_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "packaging.requirements", None)

    assert "packaging" in look_at_packages().unknown_because


def test_what_is_installed_here_fits():
    assert not look_at_packages().unmet
