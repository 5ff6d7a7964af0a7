"""The spec to start from, and the schema for editors."""

import json
import re
from pathlib import Path

import pytest

from tdebug.pipeline_checks.spec import (
    TEMPLATE,
    LoaderSpec,
    SpecError,
    load_spec,
    spec_schema,
    write_template,
)
from tdebug.pipeline_checks.spec.model import list_keys

SCHEMA = Path(__file__).parent / "tdebug.schema.json"


def test_the_template_is_a_right_spec_of_defaults(tmp_path):
    write_template(tmp_path / "tdebug.yaml")

    spec = load_spec(None, folder=tmp_path)

    assert (tmp_path / "tdebug.yaml").read_text() == TEMPLATE
    assert spec.given == {"pipeline"}


def test_every_example_of_the_template_is_right_and_every_key_has_one(tmp_path):
    examples = re.findall(r"^# (\w+: .*)$", TEMPLATE, re.MULTILINE)
    keys = {example.partition(":")[0] for example in examples}

    for example in examples:
        besides = "arguments: a:A" if example.startswith("with:") else ""
        (tmp_path / "s.yaml").write_text(f"pipeline: a.py\n{besides}\n{example}\n")
        assert load_spec("s.yaml", folder=tmp_path)
    assert keys >= set(list_keys()) - {"pipeline"}


def test_the_defaults_that_the_template_shows_are_true(tmp_path):
    shown = ["device", "precision", "seed", "samples", "budget", "timeout", "loader"]
    examples = [line[2:] for line in TEMPLATE.splitlines() if line[2:].split(":")[0] in shown]
    (tmp_path / "s.yaml").write_text("pipeline: a.py\n" + "\n".join(examples))
    (tmp_path / "a.py").touch()

    spec, default = (load_spec(name, folder=tmp_path) for name in ("s.yaml", "a.py"))

    assert len(examples) == len(shown)
    assert spec.loader == LoaderSpec()
    for name in shown:
        assert getattr(spec, name) == getattr(default, name)


def test_a_file_that_is_there_is_replaced_only_by_force(tmp_path):
    path = tmp_path / "tdebug.yaml"
    path.write_text("mine")

    with pytest.raises(SpecError) as raised:
        write_template(path)
    assert str(raised.value) == f"{path}: is there already. --force replaces it."
    assert path.read_text() == "mine"

    write_template(path, force=True)
    assert path.read_text() == TEMPLATE


def test_where_nothing_can_be_written(tmp_path):
    with pytest.raises(SpecError, match="cannot be written: No such file or directory"):
        write_template(tmp_path / "nowhere" / "tdebug.yaml")
    with pytest.raises(SpecError, match="cannot be written: Is a directory"):
        write_template(tmp_path, force=True)


def test_the_schema_names_every_key_and_no_other():
    schema = spec_schema()

    assert list(schema["properties"]) == list_keys()
    assert "with" in schema["properties"]
    assert schema["additionalProperties"] is False
    assert schema["$defs"]["LoaderSpec"]["additionalProperties"] is False
    assert all("description" in entry or "$ref" in entry for entry in schema["properties"].values())


def test_the_schema_on_disk_is_the_one_of_today():
    command = (
        "python -c 'import json; from tdebug.pipeline_checks.spec import spec_schema; "
        f"print(json.dumps(spec_schema(), indent=2))' > {SCHEMA.name}"
    )

    assert json.loads(SCHEMA.read_text()) == spec_schema(), command
