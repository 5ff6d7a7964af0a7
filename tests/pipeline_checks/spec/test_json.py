"""A spec as plain data: nothing is lost on the way to the worker."""

import json

from hypothesis import given
from hypothesis import strategies as st

from tdebug.pipeline_checks.spec import Call, Reference, Spec, WorkerSpec, load_spec
from tdebug.pipeline_checks.spec.parts import PART_NAMES, decode_value, encode_value

from .test_load import WHOLE

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
references = st.builds(Reference, st.just("a:b"), st.none() | st.integers(1, 9))
values = st.recursive(
    scalars | references,
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(scalars, inner)
        | st.builds(
            Call, references, st.dictionaries(st.text(), inner), st.tuples(inner), st.integers(1, 9)
        )
    ),
    max_leaves=10,
)


@given(values)
def test_values_and_parts_come_back_as_they_were(value):
    assert decode_value(json.loads(json.dumps(encode_value(value)))) == value


def test_a_spec_comes_back_as_it_was(tmp_path):
    (tmp_path / "tdebug.yaml").write_text(WHOLE)
    spec = load_spec(None, folder=tmp_path)

    back = Spec.from_json(json.loads(json.dumps(spec.to_json())))

    assert back == spec
    assert back.given == spec.given
    assert back.line_of("model.num_classes") == 4


def test_the_worker_gets_the_spec_as_it_was(tmp_path):
    (tmp_path / "tdebug.yaml").write_text(WHOLE)
    spec = load_spec(None, folder=tmp_path)
    worker = spec.for_worker()

    back = WorkerSpec.from_json(json.loads(json.dumps(worker.to_json())))

    assert back == worker
    assert back.parts == spec.parts
    assert back.line_of("seed") == spec.line_of("seed")
    assert set(back.parts) <= set(PART_NAMES)


def test_the_defaults_of_the_worker_are_those_of_the_spec(tmp_path):
    (tmp_path / "a.py").touch()
    worker = load_spec("a.py", folder=tmp_path).for_worker()

    assert worker == WorkerSpec(
        "a.py", tmp_path.resolve(), Reference("a.py"), given=frozenset({"pipeline"})
    )
