"""`CONFIG` of a pipeline file."""

from pathlib import Path

import pytest

from tdebug.pipeline_checks.spec import LoaderSpec, WorkerSpec, validate_config


def test_settings_and_sizes_are_read():
    values, mistakes = validate_config(
        {
            "batch_size": 4,
            "num_workers": 2,
            "loader": {"shuffle": True},
            "device": "cuda",
            "precision": "bf16",
            "seed": 1,
            "samples": "all",
            "budget": 3,
            "timeout": 4.5,
        }
    )

    assert mistakes == []
    assert values == {
        "loader": {"batch_size": 4, "num_workers": 2, "shuffle": True},
        "device": "cuda",
        "precision": "bf16",
        "seed": 1,
        "samples": "all",
        "budget": 3.0,
        "timeout": 4.5,
    }


def test_keys_of_the_users_own_are_left_alone():
    own = {"lr": 1e-3, "epochs": 3, 4: "x", "model": "bert", "devices": 2, "eval_batch_size": 8}

    assert validate_config(own) == ({}, [])


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ([1], "CONFIG is a list; expected a dict."),
        ({"batch_size": 0}, "CONFIG['batch_size'] is 0; expected a whole number of at least 1."),
        (
            {"num_workers": "2"},
            "CONFIG['num_workers'] is '2'; expected a whole number of at least 0.",
        ),
        (
            {"precision": "float16"},
            "CONFIG['precision'] is 'float16'; expected fp32, bf16 or fp16. Did you mean 'fp16'?",
        ),
        (
            {"presicion": "fp16"},
            "CONFIG['presicion'] is no setting of tdebug. Did you mean 'precision'?",
        ),
        ({"loader": 3}, "CONFIG['loader'] is 3; expected a dict."),
        (
            {"loader": {"batch_size": -1}},
            "CONFIG['loader']['batch_size'] is -1; expected a whole number of at least 1.",
        ),
        (
            {"loader": {"bach_size": 1}},
            "CONFIG['loader']['bach_size'] is no setting of a loader. Did you mean 'batch_size'?",
        ),
        (
            {"loader": {"x": 1}},
            (
                "CONFIG['loader']['x'] is no setting of a loader. "
                "There are batch_size, shuffle, num_workers, drop_last."
            ),
        ),
    ],
)
def test_a_mistake_is_told_in_one_sentence(config, sentence):
    _, mistakes = validate_config(config, file="train.py")

    assert [str(mistake) for mistake in mistakes] == [f"train.py: {sentence}"]


@pytest.mark.parametrize(
    "text",
    [
        "import x\n\nCONFIG = {\n  'seed': 1,\n  'batch_size': 0}\n",
        "CONFIG = dict()\n\nCONFIG: dict = dict(\n  seed=1,\n  batch_size=0)\n",
        "\n\n\n\nCONFIG = make()\n",
    ],
)
def test_a_mistake_has_its_line_in_the_source(text, tmp_path):
    (tmp_path / "train.py").write_text(text)

    _, mistakes = validate_config({"batch_size": 0}, source=tmp_path / "train.py")

    assert [mistake.line for mistake in mistakes] == [5]


@pytest.mark.parametrize("content", [b"CONFIG = (", b"\0", b"x = '\\d'\n"])
def test_a_source_that_cannot_be_read_gives_no_line(content, tmp_path):
    (tmp_path / "train.py").write_bytes(content)

    _, mistakes = validate_config({"batch_size": 0}, source=tmp_path / "train.py")

    assert [mistake.line for mistake in mistakes] == [None]


def test_what_the_spec_says_goes_before_config():
    spec = WorkerSpec(
        "s.yaml",
        Path(),
        seed=7,
        loader=LoaderSpec(batch_size=2),
        given=frozenset({"seed", "loader.batch_size"}),
    )

    filled = spec.filled_from(
        {"seed": 1, "device": "cuda", "loader": {"batch_size": 4, "shuffle": True}}
    )

    assert (filled.seed, filled.device) == (7, "cuda")
    assert filled.loader == LoaderSpec(batch_size=2, shuffle=True)
    assert {"device", "loader.shuffle"} <= filled.given
