"""Small files of a user's, and the session that reads them."""

import sys

import pytest

from tdebug.pipeline_checks.observe.user_code import UserCode
from tdebug.pipeline_checks.session import Session


@pytest.fixture
def session(tmp_path):
    return Session(code=UserCode((str(tmp_path),)))


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write a file of the user's; what it imports from its folder is forgotten afterwards."""
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)

    def write_file(name, text):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    yield write_file
    for name in set(sys.modules) - before:
        origin = getattr(sys.modules[name], "__file__", None) or ""
        if origin.startswith(str(tmp_path)):
            del sys.modules[name]
