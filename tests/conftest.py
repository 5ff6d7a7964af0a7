"""Snapshots: text as it was shown when somebody last looked at it.

`pytest --rewrite-snapshots` writes them anew; read the difference before it is committed.
"""

from pathlib import Path

import pytest


def pytest_addoption(parser):
    parser.addoption(
        "--rewrite-snapshots", action="store_true", help="write the snapshots of shown text anew"
    )


@pytest.fixture
def check_snapshot(request):
    """Compare text with the file of this name in the folder `snapshots` beside the test."""

    def check(text, name):
        file = Path(request.path).parent / "snapshots" / name
        if request.config.getoption("--rewrite-snapshots"):
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="")
        with file.open(encoding="utf-8", newline="") as kept:
            assert text == kept.read()

    return check
