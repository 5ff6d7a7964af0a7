"""Calls a list of callbacks, in order, for every event."""

from __future__ import annotations

import functools
import inspect
import warnings
from typing import TYPE_CHECKING, Any

from .default_flow import is_default_flow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .trainer_state import TrainerControl

    CallbackOrClass = Any
    """A callback, or a class that makes one without arguments; transformers' own will do."""

_CLEARED = {
    "on_train_begin": ["should_training_stop"],
    "on_epoch_begin": ["should_epoch_stop"],
    "on_step_begin": ["should_log", "should_evaluate", "should_save"],
    "on_evaluate": ["should_evaluate"],
    "on_save": ["should_save"],
    "on_log": ["should_log"],
}


def _event(name: str) -> Callable[..., TrainerControl]:
    def fire(
        self: CallbackHandler, args: Any, state: Any, control: TrainerControl, **kwargs: Any
    ) -> TrainerControl:
        return self.call_event(name, args, state, control, **kwargs)

    fire.__name__, fire.__doc__ = name, f"Fire `{name}`; gives the control that counts from there."
    return fire


class CallbackHandler:
    """Calls callbacks in the order in which they were added, and passes the control on.

    Before an event is fired, the switches that it answers are cleared (`should_log` before
    `on_log`). A callback that returns a control replaces the one that the next callbacks get. One
    that takes no `**kwargs` gets those it names. Exceptions end the event and go on to the caller.

    Args:
        callbacks: Callbacks, or classes of such. A second one of a class, and the lack of a
            `DefaultFlowCallback`, are warned of.
        model: Given to every callback, as are the three that follow.
        processing_class: A tokenizer or the like.
        optimizer: One, or a list.
        lr_scheduler: One, or a list.

    Raises:
        TypeError: What is added has no events, or a callback returns something else than a control.
    """

    on_init_end = _event("on_init_end")
    on_train_begin = _event("on_train_begin")
    on_train_end = _event("on_train_end")
    on_epoch_begin = _event("on_epoch_begin")
    on_epoch_end = _event("on_epoch_end")
    on_step_begin = _event("on_step_begin")
    on_substep_end = _event("on_substep_end")
    on_pre_optimizer_step = _event("on_pre_optimizer_step")
    on_optimizer_step = _event("on_optimizer_step")
    on_step_end = _event("on_step_end")
    on_evaluate = _event("on_evaluate")
    on_predict = _event("on_predict")
    on_save = _event("on_save")
    on_log = _event("on_log")
    on_prediction_step = _event("on_prediction_step")

    def __init__(
        self,
        callbacks: Iterable[CallbackOrClass] = (),
        model: Any = None,
        processing_class: Any = None,
        optimizer: Any = None,
        lr_scheduler: Any = None,
    ) -> None:
        self.callbacks: list[Any] = []
        self.model = model
        self.processing_class = processing_class
        self.optimizer = optimizer
        self.lr_scheduler = lr_scheduler
        self.train_dataloader: Any = None
        self.eval_dataloader: Any = None
        for callback in callbacks:
            self.add_callback(callback)
        if not any(is_default_flow(callback) for callback in self.callbacks):
            warnings.warn(
                "there is no DefaultFlowCallback among the callbacks "
                f"({self.callback_list or 'none'}): nothing is logged, evaluated or saved unless "
                "one of them asks for it",
                stacklevel=2,
            )

    @property
    def callback_list(self) -> str:
        """The class names of the callbacks, in order."""
        return ", ".join(type(callback).__name__ for callback in self.callbacks)

    def add_callback(self, callback: CallbackOrClass) -> None:
        """Add a callback, or one made of the class given, after the others."""
        made = callback() if isinstance(callback, type) else callback
        if not callable(getattr(made, "on_step_end", None)):
            raise TypeError(f"a TrainerCallback, or a class of such, is needed, not {callback!r}")
        if any(type(other) is type(made) for other in self.callbacks):
            warnings.warn(
                f"there is already a {type(made).__name__} among the callbacks "
                f"({self.callback_list}): each will be called",
                stacklevel=2,
            )
        self.callbacks.append(made)

    def pop_callback(self, callback: CallbackOrClass) -> Any:
        """Take out a callback, or the first instance of a class, and give it; None without one."""
        for found in self.callbacks:
            if isinstance(found, callback) if isinstance(callback, type) else found == callback:
                self.callbacks.remove(found)
                return found
        return None

    def remove_callback(self, callback: CallbackOrClass) -> None:
        """Take out a callback, or the first instance of a class, if there is one.

        Raises:
            ValueError: A callback, which is no class, is not there.
        """
        if self.pop_callback(callback) is None and not isinstance(callback, type):
            raise ValueError(f"{callback!r} is not among the callbacks ({self.callback_list})")

    def call_event(
        self, event: str, args: Any, state: Any, control: TrainerControl, **kwargs: Any
    ) -> TrainerControl:
        """Fire an event, `on_step_end` for example, and give the control that counts from there."""
        for switch in _CLEARED.get(event, []):
            setattr(control, switch, False)
        named = {
            "model": self.model,
            "processing_class": self.processing_class,
            "optimizer": self.optimizer,
            "lr_scheduler": self.lr_scheduler,
            "train_dataloader": self.train_dataloader,
            "eval_dataloader": self.eval_dataloader,
            **kwargs,
        }
        for callback in self.callbacks:
            method = getattr(callback, event, None)
            if method is None:  # an event that the class did not know yet when it was written
                continue
            returned = method(args, state, control, **_accepted(method, named))
            control = control if returned is None else _require_control(returned, callback, event)
        return control


def _accepted(method: Callable[..., Any], named: dict[str, Any]) -> dict[str, Any]:
    names = _names_taken(getattr(method, "__func__", method))
    return named if names is None else {name: named[name] for name in named if name in names}


@functools.lru_cache(maxsize=512)
def _names_taken(function: Callable[..., Any]) -> frozenset[str] | None:
    """The names that a function takes, None where it takes all."""
    parameters = inspect.signature(function).parameters.values()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return None
    return frozenset(parameter.name for parameter in parameters)


def _require_control(returned: Any, callback: object, event: str) -> TrainerControl:
    if not hasattr(returned, "should_training_stop"):
        raise TypeError(
            f"{type(callback).__name__}.{event} returned {returned!r}: "
            "a TrainerControl or None is needed"
        )
    control: TrainerControl = returned
    return control
