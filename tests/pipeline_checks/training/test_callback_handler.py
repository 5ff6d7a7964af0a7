"""The events, in order; compared with transformers' handler where that has the same ones."""

import warnings

import pytest

from tdebug.pipeline_checks.training import (
    CallbackHandler,
    DefaultFlowCallback,
    LoopArguments,
    TrainerCallback,
    TrainerControl,
    TrainerState,
)

EVENTS = [name for name in vars(TrainerCallback) if name.startswith("on_")]
FLAGS = list(vars(TrainerControl()))


class Recorder(TrainerCallback):
    def __init__(self, name="", calls=None):
        self.name, self.calls = name, [] if calls is None else calls

    def __getattribute__(self, name):
        if not name.startswith("on_"):
            return super().__getattribute__(name)
        return lambda args, state, control, **kwargs: self.calls.append((self.name, name, kwargs))


def make_handler(*callbacks, **parts):
    return CallbackHandler([DefaultFlowCallback, *callbacks], **parts)


def fire(handler, event, control=None, **kwargs):
    return getattr(handler, event)(
        LoopArguments(), TrainerState(max_steps=100), control or TrainerControl(), **kwargs
    )


@pytest.mark.parametrize("event", EVENTS)
def test_every_event_reaches_every_callback_in_order_with_all_parts(event):
    calls = []
    handler = make_handler(Recorder("first", calls), model="model", lr_scheduler="scheduler")
    with pytest.warns(UserWarning, match="there is already a Recorder among the callbacks"):
        handler.add_callback(Recorder("second", calls))
    fire(handler, event, extra=1)
    assert [(name, seen) for name, seen, _ in calls] == [("first", event), ("second", event)]
    assert calls[0][2] == {
        "model": "model",
        "processing_class": None,
        "optimizer": None,
        "lr_scheduler": "scheduler",
        "train_dataloader": None,
        "eval_dataloader": None,
        "extra": 1,
    }


def test_a_control_that_is_returned_counts_from_there():
    other = TrainerControl(should_save=True)

    class Replacing(TrainerCallback):
        def on_substep_end(self, args, state, control, **kwargs):
            return other

    class Seeing(TrainerCallback):
        def on_substep_end(self, args, state, control, **kwargs):
            self.seen = control

    seeing = Seeing()
    assert fire(make_handler(Replacing, seeing), "on_substep_end") is other
    assert seeing.seen is other


def test_what_is_no_control_is_refused_with_the_callback_named():
    class Wrong(TrainerCallback):
        def on_log(self, args, state, control, **kwargs):
            return True

    with pytest.raises(TypeError, match=r"Wrong\.on_log returned True: a TrainerControl or None"):
        fire(make_handler(Wrong), "on_log", logs={})


def test_a_callback_without_kwargs_gets_what_it_names():
    class Plain(TrainerCallback):
        def on_log(self, args, state, control, logs):
            self.logs = logs

        def on_save(self, args, state, control):
            self.saved = True

    plain = Plain()
    handler = make_handler(plain)
    fire(handler, "on_log", logs={"loss": 1})
    fire(handler, "on_save")
    assert (plain.logs, plain.saved) == ({"loss": 1}, True)


def test_an_exception_goes_on_to_the_caller_and_later_callbacks_are_not_called():
    class Failing(TrainerCallback):
        def on_save(self, args, state, control, **kwargs):
            raise KeyError("mine")

    later = Recorder()
    with pytest.raises(KeyError, match="mine"):
        fire(make_handler(Failing, later), "on_save")
    assert later.calls == []


def test_a_callback_that_is_none_is_refused():
    with pytest.raises(TypeError, match="a TrainerCallback, or a class of such, is needed, not 5"):
        make_handler(5)


def test_callbacks_are_taken_out_by_instance_and_by_class():
    first, second = Recorder("a"), TrainerCallback()
    handler = make_handler(first, second)
    assert handler.pop_callback(Recorder) is first
    assert handler.pop_callback(Recorder) is None
    handler.remove_callback(Recorder)
    handler.remove_callback(second)
    with pytest.raises(ValueError, match=r"is not among the callbacks \(DefaultFlowCallback\)"):
        handler.remove_callback(second)


def test_the_lack_of_a_default_flow_is_warned_of():
    with pytest.warns(UserWarning, match=r"there is no DefaultFlowCallback .* \(TrainerCallback\)"):
        CallbackHandler([TrainerCallback])


class TestAgainstTransformers:
    """Both handlers get the same callbacks, controls and events."""

    theirs = pytest.importorskip("transformers.trainer_callback")

    def make_both(self, make_callbacks):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = self.theirs.CallbackHandler(
                [self.theirs.DefaultFlowCallback, *make_callbacks()], None, None, None, None
            )
            return theirs, make_handler(*make_callbacks())

    def test_the_events_are_theirs_but_pushing_to_a_hub(self):
        their_events = {e for e in vars(self.theirs.TrainerCallback) if e.startswith("on_")}
        assert their_events - set(EVENTS) == {"on_push_begin"}
        assert set(EVENTS) <= their_events

    @pytest.mark.parametrize("event", EVENTS)
    def test_the_same_switches_are_cleared(self, event):
        kwargs = {"on_evaluate": {"metrics": {}}, "on_predict": {"metrics": {}}}.get(event, {})
        kwargs |= {"logs": {}} if event == "on_log" else {}
        found = []
        for handler, module in zip(self.make_both(list), (self.theirs, None), strict=True):
            make = module.TrainerControl if module else TrainerControl
            control = make(**dict.fromkeys(FLAGS, True))
            args = LoopArguments()
            state = TrainerState(max_steps=100, global_step=1)
            control = getattr(handler, event)(args, state, control, **kwargs)
            found.append([getattr(control, flag) for flag in FLAGS])
        assert found[0] == found[1]

    def test_the_same_callback_is_popped(self):
        class Child(self.theirs.TrainerCallback):
            pass

        class GrandChild(Child):
            pass

        for handler in self.make_both(lambda: [GrandChild(), Child()]):
            assert type(handler.pop_callback(Child)) is GrandChild
            assert handler.pop_callback(GrandChild) is None

    @pytest.mark.parametrize("strategy", ["no", "steps", "epoch"])
    @pytest.mark.parametrize("step", [1, 2, 3, 4, 5, 10])
    @pytest.mark.parametrize("event", ["on_step_end", "on_epoch_end"])
    def test_the_default_flow_decides_alike(self, strategy, step, event):
        args = LoopArguments(
            logging_strategy=strategy,
            eval_strategy=strategy,
            save_strategy=strategy,
            logging_first_step=True,
            eval_delay=3,
            output_dir="x",
        )
        state = TrainerState(
            epoch=step, global_step=step, max_steps=10, logging_steps=2, eval_steps=2, save_steps=4
        )
        ours, theirs = TrainerControl(), self.theirs.TrainerControl()
        getattr(DefaultFlowCallback(), event)(args, state, ours)
        getattr(self.theirs.DefaultFlowCallback(), event)(args, state, theirs)
        assert vars(ours) == vars(theirs)
