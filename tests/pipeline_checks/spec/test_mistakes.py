"""Every sentence about a mistake of a well-formed spec."""

import pytest

from tdebug.pipeline_checks.spec import SpecError, load_spec

FORMS = "module:attribute, module.attribute or file.py:attribute"
PATTERN = "a code prefix like TD1 or TD104, or the name of a check like labels-out-of-range"
NUMBERS = "numbers of batches counted from 0, like 1,3 or 0-5 or 10-100:10"

# What stands below `pipeline: train.py`, and what is said about it without `tdebug.yaml:`.
SENTENCES = [
    # keys
    ("optimiser: a:b", "2: there is no key 'optimiser'. Did you mean 'optimizer'?"),
    ("xyzzy: 3", "2: there is no key 'xyzzy'."),
    ("1: 3", "2: there is no key '1'."),
    ('"a\\u001b[31m": 3', r"2: there is no key 'a\x1b[31m'."),
    ("batch_size: 3", "2: batch_size stands at the top. It goes below loader."),
    ("select: [TD1]", "2: select stands at the top. It goes below checks."),
    (
        "loader:\n  bach_size: 3",
        "3: there is no key 'bach_size' in loader. Did you mean 'batch_size'?",
    ),
    (
        "loader: {workers: 3}",
        "2: there is no key 'workers' in loader. Did you mean 'num_workers'?",
    ),
    ("trace: {x: 3}", "2: there is no key 'x' in trace. There are batches, abort_after."),
    ("seed: 3\nseed: 4", "3: the key seed is there twice, first on line 2."),
    (
        "model:\n  _target_: a:b\n  x: 1\n  x: 2",
        "5: the key model.x is there twice, first on line 4.",
    ),
    ("with_: {a: 3}", "2: there is no key 'with_'. Did you mean 'with'?"),
    ("seed:", "2: seed is empty. Remove it."),
    ("model: ~", "2: model is empty. Remove it."),
    # single values
    ("samples: many", "2: samples is 'many'; expected a whole number of at least 1, or all."),
    (
        "samples: ALL",
        "2: samples is 'ALL'; expected a whole number of at least 1, or all. Did you mean 'all'?",
    ),
    (
        f"loader: {{batch_size: {10**30}}}",
        f"2: loader.batch_size is {10**30}; expected a whole number of at least 1. "  # noqa: ISC004 - one sentence
        "It does not fit into 64 bits.",
    ),
    ("samples: 0", "2: samples is 0; expected a whole number of at least 1, or all."),
    ("samples: 1.5", "2: samples is 1.5; expected a whole number of at least 1, or all."),
    ("samples: true", "2: samples is true; expected a whole number of at least 1, or all."),
    ("seed: -1", "2: seed is -1; expected a whole number from 0 to 4294967295."),
    ("seed: 4294967296", "2: seed is 4294967296; expected a whole number from 0 to 4294967295."),
    ("seed: [1]", "2: seed is a list; expected a whole number from 0 to 4294967295."),
    ("seed: {a: 1}", "2: seed is a mapping; expected a whole number from 0 to 4294967295."),
    ("budget: 0", "2: budget is 0; expected a number of seconds above 0."),
    ("budget: 20s", "2: budget is '20s'; expected a number of seconds above 0."),
    ("timeout: .inf", "2: timeout is inf; expected a number of seconds above 0."),
    ("timeout: .nan", "2: timeout is nan; expected a number of seconds above 0."),
    ("timeout: true", "2: timeout is true; expected a number of seconds above 0."),
    (
        "precision: float16",
        "2: precision is 'float16'; expected fp32, bf16 or fp16. Did you mean 'fp16'?",
    ),
    ("precision: 16", "2: precision is 16; expected fp32, bf16 or fp16. Did you mean 'fp16'?"),
    ("precision: [fp16]", "2: precision is a list; expected fp32, bf16 or fp16."),
    (
        "device: gpu1",
        "2: device is 'gpu1'; expected cpu, cuda, cuda:N, mps or auto. Did you mean 'cuda:1'?",
    ),
    (
        "device: gpu",
        "2: device is 'gpu'; expected cpu, cuda, cuda:N, mps or auto. Did you mean 'cuda'?",
    ),
    (
        "device: CPU",
        "2: device is 'CPU'; expected cpu, cuda, cuda:N, mps or auto. Did you mean 'cpu'?",
    ),
    (
        "device: tpu_pod",
        "2: device is 'tpu_pod'; expected cpu, cuda, cuda:N, mps or auto.",
    ),
    ("device: 0", "2: device is 0; expected cpu, cuda, cuda:N, mps or auto."),
    (
        "device: ${dev}",
        "2: device is '${dev}'; interpolations are not read. Write the value itself.",
    ),
    # sections
    ("loader: 3", "2: loader is 3; expected a mapping."),
    ("checks: [TD1]", "2: checks is a list; expected a mapping."),
    (
        "loader: {batch_size: 0}",
        "2: loader.batch_size is 0; expected a whole number of at least 1.",
    ),
    (
        "loader:\n  num_workers: '2'",
        "3: loader.num_workers is '2'; expected a whole number of at least 0.",
    ),
    (
        "loader: {shuffle: no}",
        "2: loader.shuffle is 'no'; expected true or false. In YAML 1.2 that is text: write false.",
    ),
    ("loader: {drop_last: 1}", "2: loader.drop_last is 1; expected true or false."),
    (
        "loader: {batch_size: }",
        "2: loader.batch_size is empty; expected a whole number of at least 1.",
    ),
    ("checks: {select: 3}", f"2: checks.select is 3; expected a list; each {PATTERN}."),
    (
        "checks:\n  ignore:\n  - TD1\n  - 'TD1234'",
        f"5: checks.ignore[1] is 'TD1234'; expected {PATTERN}.",
    ),
    ("checks: {select: 'TD1, x!'}", f"2: checks.select is ' x!'; expected {PATTERN}."),
    (
        "checks: {severity: TD1}",
        "2: checks.severity is 'TD1'; expected a mapping like {TD207: info}.",
    ),
    (
        "checks: {severity: {TD207: warn}}",
        (
            "2: checks.severity.TD207 is 'warn'; expected info, warning or error. "
            "Did you mean 'warning'?"
        ),
    ),
    (
        "checks: {severity: {TD207: off}}",
        (
            "2: checks.severity.TD207 is 'off'; expected info, warning or error. "
            "To silence a check, put it in checks.ignore."
        ),
    ),
    (
        "checks: {severity: {'?': info}}",
        f"2: checks.severity.? is no check; expected {PATTERN}.",
    ),
    (
        "trace: {batches: 5-1}",
        "2: trace.batches holds '5-1', which runs from 5 down to 1. Did you mean '1-5'?",
    ),
    ("trace: {batches: '0-9:0'}", "2: trace.batches holds '0-9:0', which steps by 0."),
    ("trace: {batches: first}", f"2: trace.batches is 'first'; expected {NUMBERS}."),
    ("trace: {batches: [1, -3]}", f"2: trace.batches is -3; expected {NUMBERS}."),
    ("trace: {batches: []}", f"2: trace.batches is a list; expected {NUMBERS}."),
    (
        "trace: {batches: 0-999999999}",
        "2: trace.batches is '0-999999999': more than 100000 batches.",
    ),
    (
        "trace: {abort_after: -1}",
        "2: trace.abort_after is -1; expected a whole number of at least 0.",
    ),
    # parts
    (
        "model: 3",
        "2: model is 3; expected an object reference, or a mapping with _target_ or class_path.",
    ),
    (
        "model: {torch.nn: ReLU}",
        (
            "2: model is a mapping; expected an object reference, or a mapping with _target_ or "
            "class_path. Did you mean 'torch.nn:ReLU', without a space after the colon?"
        ),
    ),
    (
        "model: {_traget_: a:b, x: 1}",
        (
            "2: model is a mapping; expected an object reference, or a mapping with _target_ or "
            "class_path. Did you mean '_target_'?"
        ),
    ),
    ("model: a b", f"2: model is 'a b'; expected an object reference: {FORMS}."),
    ("model: ''", f"2: model is ''; expected an object reference: {FORMS}."),
    (
        "model: a::b",
        f"2: model is 'a::b'; expected an object reference: {FORMS}. Did you mean 'a:b'?",
    ),
    (
        "model: 'a : b'",
        f"2: model is 'a : b'; expected an object reference: {FORMS}. Did you mean 'a:b'?",
    ),
    (
        "model: pkg/train:build",
        (
            f"2: model is 'pkg/train:build'; expected an object reference: {FORMS}. "
            "The name of a file ends in .py."
        ),
    ),
    (
        "model: a:B(3)",
        (
            f"2: model is 'a:B(3)'; expected an object reference: {FORMS}. "
            "Write 'a:B' as _target_, and the arguments beside it."
        ),
    ),
    ("model: train.py", "2: model is 'train.py', a whole file. Write 'train.py:NAME'."),
    (
        "loss: CrossEntropyLoss",
        (
            "2: loss is 'CrossEntropyLoss', which names no module to find it in. "
            "Write 'my_module:CrossEntropyLoss'."
        ),
    ),
    ("model: ${m}", "2: model is '${m}'; interpolations are not read. Write the value itself."),
    ("model: {_target_: 3}", "2: model._target_ is 3; expected an object reference."),
    (
        "model: {_target_: a:b, class_path: a:b}",
        "2: model has both _target_ and class_path; expected one of them.",
    ),
    (
        "model:\n  _target_: a:b\n  _partial_: true",
        (
            "4: model._partial_ is not read: tdebug itself passes the model's parameters or the "
            "optimizer. Remove it, or name a function of your own."
        ),
    ),
    (
        "model: {_target_: a:b, _recursive_: false}",
        "2: model._recursive_ is not read: nested targets are always built first. Remove it.",
    ),
    (
        "model: {_target_: a:b, _convert_: all}",
        "2: model._convert_ is not read: arguments are always plain lists and dicts. Remove it.",
    ),
    ("model: {_target_: a:b, _args_: 3}", "2: model._args_ is 3; expected a list."),
    ("model: {_target_: a:b, 3: 4}", "2: model.3 is no name of an argument."),
    (
        "model:\n  _target_: a:b\n  x:\n  - 1\n  - y: '${z}'",
        "6: model.x[1].y is '${z}'; interpolations are not read. Write the value itself.",
    ),
    (
        "model: {_target_: a:b, inner: {_target_: nowhere}}",
        (
            "2: model.inner._target_ is 'nowhere', which names no module to find it in. "
            "Write 'my_module:nowhere'."
        ),
    ),
    (
        "model: {class_path: a:b, init_arg: {x: 1}}",
        "2: model.init_arg is not read beside class_path. Did you mean 'init_args'?",
    ),
    (
        "model: {class_path: a:b, lr: 1}",
        "2: model.lr is not read beside class_path. Arguments go below init_args.",
    ),
    (
        "model: {class_path: a:b, init_args: 3}",
        "2: model.init_args is 3; expected a mapping of arguments.",
    ),
    (
        "arguments: {a: b}",
        "2: arguments is a mapping; expected the object reference of a dataclass.",
    ),
    (
        "arguments: [a:b, 3]",
        "2: arguments[1] is 3; expected the object reference of a dataclass.",
    ),
    (
        "arguments: a:b\nwith: 3",
        "3: with is 3; expected a mapping of names to values.",
    ),
    (
        "arguments: a:b\nwith: {x: '${y}'}",
        "3: with.x is '${y}'; interpolations are not read. Write the value itself.",
    ),
    # keys that do not go together
    (
        "dataloader: a:b\ndataset: a:b\ncollate_fn: a:b",
        (
            "2: dataloader leaves no use for dataset and collate_fn. "
            "Give a dataloader, or dataset, collate_fn and loader to make one from."
        ),
    ),
    (
        "dataloader: a:b\nloader: {batch_size: 3}",
        (
            "2: dataloader leaves no use for loader. "
            "Give a dataloader, or dataset, collate_fn and loader to make one from."
        ),
    ),
    (
        "loss: a:b\ncompute_loss: a:b",
        "3: compute_loss leaves no use for loss. Give train_step, compute_loss or loss.",
    ),
    (
        "loss: a:b\ntrain_step: a:b",
        "3: train_step leaves no use for loss. Give train_step, compute_loss or loss.",
    ),
    (
        "with: {a: 3}",
        "2: with has values for the dataclasses that arguments names, and it names none.",
    ),
    # YAML that only YAML itself loves
    (
        "model: !!python/object/apply:os.system [ls]",
        "2: model has the tag '!!python/object/apply:os.system'; tdebug reads plain data alone.",
    ),
    ("model: !my {a: 3}", "2: model has the tag '!my'; tdebug reads plain data alone."),
    ("seed: !!int 3", "2: seed has the tag '!!int'; tdebug reads plain data alone."),
    ("? [a, b]\n: 3", "2: the spec has a list or a mapping for a key."),
    ("loader: {? {a: 1} : 3}", "2: loader has a list or a mapping for a key."),
    (
        "loader: &a {batch_size: 3}\nchecks:\n  <<: *a",
        "4: '<<' merges mappings in YAML 1.1 alone. Write the keys out, or alias the whole value.",
    ),
    (
        "arguments: a:b\nwith:\n  a: &a [1]\n  b: &b [*a]\n  c: *b",
        (
            "5: *a is an alias inside a value that an alias stands for. "
            "Aliases are followed once: write the value out."
        ),
    ),
    (
        "arguments: a:b\nwith:\n  a: &a [*a]",
        (
            "4: *a is an alias inside a value that an alias stands for. "
            "Aliases are followed once: write the value out."
        ),
    ),
]


@pytest.mark.parametrize(("text", "sentence"), SENTENCES, ids=[text for text, _ in SENTENCES])
def test_a_mistake_is_told_once_in_one_sentence_with_its_line(text, sentence, tmp_path):
    (tmp_path / "tdebug.yaml").write_text(f"pipeline: train.py\n{text}\n")

    with pytest.raises(SpecError) as raised:
        load_spec(None, folder=tmp_path)

    assert str(raised.value) == f"tdebug.yaml:{sentence}"


LACKS = [
    ("seed: 3", "1: the spec names no pipeline and no model and no dataset."),
    ("# c\nmodel: a:b", "2: the spec names no pipeline and no dataset."),
    ("dataloader: a:b", "1: the spec names no pipeline and no model."),
]


@pytest.mark.parametrize(("text", "sentence"), LACKS)
def test_a_spec_of_nothing_to_check_is_refused(text, sentence, tmp_path):
    (tmp_path / "s.yaml").write_text(text)

    with pytest.raises(SpecError) as raised:
        load_spec("s.yaml", folder=tmp_path)

    assert str(raised.value) == f"s.yaml:{sentence} Give pipeline, or model and dataset."


def test_ten_mistakes_are_all_listed_each_with_its_line(tmp_path):
    (tmp_path / "tdebug.yaml").write_text(
        "pipelin: train.py\n"  # 1
        "model: {_target_: 'my.models:Net', _partial_: true}\n"  # 2
        "optimizer:\n"
        "  _target_: torch.optim:AdamW\n"
        "  lr: ${lr}\n"  # 5
        "loss: torch.nn:CrossEntropyLoss\n"
        "compute_loss: my.train:loss\n"  # 7
        "loader:\n"
        "  batch_size: none\n"  # 9
        "  shuffle: yes\n"  # 10
        "device: tpu9\n"  # 11
        "precision: fp8\n"  # 12
        "seed: 1\n"
        "seed: 2\n"  # 14
        "samples: -1\n"  # 15
    )

    with pytest.raises(SpecError) as raised:
        load_spec(None, folder=tmp_path)

    mistakes = raised.value.mistakes
    assert [mistake.line for mistake in mistakes] == [1, 2, 5, 7, 9, 10, 11, 12, 14, 15]
    assert str(raised.value).count("\n") == len(mistakes) - 1
    assert {mistake.file for mistake in mistakes} == {"tdebug.yaml"}
    assert isinstance(raised.value, ValueError)


def test_a_long_value_is_shortened(tmp_path):
    (tmp_path / "s.yaml").write_text(f"pipeline: a.py\ndevice: {'x' * 5000}\n")

    with pytest.raises(SpecError) as raised:
        load_spec("s.yaml", folder=tmp_path)

    assert len(str(raised.value)) < 150
    assert "xxx...'" in str(raised.value)
