import re

import pytest

from tdebug.pipeline_checks.training import IntervalStrategy, LoopArguments, TrainerState


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"precision": "tf32"}, "precision is one of fp32, bf16, fp16, not 'tf32'"),
        ({"gradient_accumulation_steps": 0}, "gradient_accumulation_steps must be above 0, not 0"),
        ({"logging_steps": 0}, "logging_steps must be above 0, not 0"),
        ({"num_train_epochs": 0}, "num_train_epochs must be above 0, not 0"),
        ({"max_grad_norm": -1}, "max_grad_norm is 0 or a norm, not -1"),
        ({"max_grad_norm": float("nan")}, "max_grad_norm is 0 or a norm, not nan"),
        ({"save_strategy": "steps"}, "save_strategy='steps' needs an output_dir"),
        ({"eval_strategy": "step"}, "step is not a valid IntervalStrategy"),
    ],
)
def test_what_cannot_be_meant_is_refused(values, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        LoopArguments(**values)


def test_texts_become_strategies_and_evaluation_follows_logging():
    args = LoopArguments(logging_strategy="epoch", logging_steps=7)
    assert args.logging_strategy is IntervalStrategy.EPOCH
    assert args.eval_steps == 7


def test_shares_become_steps_as_the_trainer_counts_them():
    state = TrainerState()
    args = LoopArguments(logging_steps=0.1, eval_steps=0.2, save_steps=0.5)
    state.compute_steps(args, max_steps=100)
    assert (state.logging_steps, state.eval_steps, state.save_steps) == (10, 20, 50)
    with pytest.raises(ValueError, match=r"logging_steps=0\.1 is a share of max_steps, which is"):
        state.compute_steps(args, max_steps=0)


def test_a_state_is_read_back_from_its_file(tmp_path):
    state = TrainerState(epoch=1.5, global_step=3, log_history=[{"loss": 0.5, "step": 3}])
    state.save_to_json(tmp_path / "state.json")
    assert TrainerState.load_from_json(tmp_path / "state.json") == state


def test_a_state_knows_its_place_among_processes(monkeypatch):
    monkeypatch.setenv("RANK", "2")
    monkeypatch.setenv("LOCAL_RANK", "0")
    state = TrainerState.of_this_process()
    assert (state.is_local_process_zero, state.is_world_process_zero) == (True, False)
