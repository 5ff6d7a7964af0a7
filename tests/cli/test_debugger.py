import subprocess
import sys

PROGRAM = """
import sys
sys.path.insert(0, ".")
from pathlib import Path
import user_code
from tdebug.cli.debugger import stop_in_debugger
try:
    user_code.load(3)
except Exception as error:
    stop_in_debugger(error, Path("."))
print("went on")
"""


def debug(folder, source, keys):
    (folder / "user_code.py").write_text(source)
    return subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=keys,
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
    ).stdout


def test_it_stops_at_the_users_line_and_q_goes_on(tmp_path):
    source = "def load(n):\n    mine = n + 1\n    raise ValueError(mine)\n"
    out = debug(tmp_path, source, "p mine\nq\n")
    assert "ValueError: 4" in out
    assert "user_code.py(3)load()" in out
    assert "(Pdb) 4\n" in out
    assert out.endswith("went on\n")


def test_it_goes_up_from_a_library_to_the_users_frame(tmp_path):
    source = "import json\n\ndef load(n):\n    mine = n * 7\n    return json.loads('{')\n"
    out = debug(tmp_path, source, "p mine\nq\n")
    assert "user_code.py(5)load()" in out
    assert "(Pdb) 21\n" in out
