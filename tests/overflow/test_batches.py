"""What counts as a batch."""

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from tdebug.overflow import BatchLimitReachedError, DebugUnderflowOverflow, parse_batches


class Checkpointed(nn.Module):
    def __init__(self, *, reentrant):
        super().__init__()
        self.block, self.head, self.reentrant = nn.Linear(3, 3), nn.Linear(3, 1), reentrant

    def forward(self, x):
        return self.head(checkpoint(self.block, x, use_reentrant=self.reentrant))


def frames_of(model, step, batches, **options):
    frames = []
    with DebugUnderflowOverflow(
        model, trace_batch_nums=batches, on_frame=frames.append, **options
    ) as debugger:
        step(debugger)
    return [(frame.batch_number, frame.module) for frame in frames]


@pytest.mark.parametrize("reentrant", [True, False])
def test_the_second_forward_of_checkpointing_belongs_to_its_batch(reentrant, capsys):
    model = Checkpointed(reentrant=reentrant)

    def step(_):
        for _ in range(2):
            model(torch.ones(2, 3, requires_grad=True)).sum().backward()

    once = ["block", "head", ""]
    if reentrant:  # the other kind stops its second forward inside the last module
        once.append("block")
    assert frames_of(model, step, range(5)) == [(n, name) for n in (0, 1) for name in once]


@pytest.mark.parametrize("reentrant", [True, False])
def test_inf_in_a_checkpointed_block_is_found_and_backward_still_works_without(reentrant):
    model = Checkpointed(reentrant=reentrant)
    with DebugUnderflowOverflow(model) as debugger:
        model(torch.ones(2, 3, requires_grad=True)).sum().backward()
        with torch.no_grad():
            model.block.weight[0, 0] = float("inf")
        with pytest.raises(ValueError, match="weight, output of 'block'"):
            model(torch.ones(2, 3, requires_grad=True))

    assert debugger.report.batch_number == 1


@pytest.mark.parametrize("reentrant", [True, False])
def test_a_mask_inside_a_checkpointed_block_does_not_disturb_the_second_forward(reentrant):
    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.score, self.fill = nn.Linear(3, 3), Fill()

        def forward(self, x):
            return checkpoint(self.attend, x, use_reentrant=reentrant)

        def attend(self, x):
            return self.fill(self.score(x)).softmax(-1).pow(2)

    class Fill(nn.Module):
        def forward(self, x):
            return x.masked_fill(torch.eye(3) > 0, -torch.inf)

    model = Attention()
    with DebugUnderflowOverflow(model) as debugger:
        for _ in range(2):
            model(torch.randn(3, 3, requires_grad=True)).sum().backward()

    assert debugger.report is None


def test_evaluation_between_batches_is_not_counted(capsys):
    model = nn.Linear(2, 2)

    def step(_):
        model(torch.ones(1, 2))
        with torch.no_grad():
            model.eval()(torch.ones(1, 2))
            model.train()
        model(torch.ones(1, 2))

    assert frames_of(model, step, [0, 1]) == [(0, ""), (1, "")]


def test_eval_mode_with_gradients_counts(capsys):
    model = nn.Linear(2, 2).eval()

    assert frames_of(model, lambda _: model(torch.ones(1, 2)), [0]) == [(0, "")]


def test_a_block_makes_several_forwards_one_batch(capsys):
    model = nn.ModuleDict({"generator": nn.Linear(2, 2), "critic": nn.Linear(2, 1)})

    def step(debugger):
        for n in range(3):
            with debugger.batch(n):
                fake = model["generator"](torch.ones(1, 2))
                model["critic"](fake.detach())
                model["critic"](fake)

    assert frames_of(model, step, [1]) == [(1, "generator"), (1, "critic"), (1, "critic")]


def test_a_block_without_a_number_is_the_next_batch_and_aborts_at_its_end():
    model = nn.Linear(2, 2)
    done = []
    with DebugUnderflowOverflow(model, abort_after_batch_num=1) as debugger:
        model(torch.ones(1, 2))
        block = debugger.batch()
        done.append(block.__enter__())
        model(torch.ones(1, 2))
        model(torch.ones(1, 2))
        with pytest.raises(BatchLimitReachedError):
            block.__exit__(None, None, None)

    assert done == [1]


def test_a_block_inside_a_block_is_refused():
    with (
        DebugUnderflowOverflow(nn.Linear(1, 1)) as debugger,
        debugger.batch(0),
        pytest.raises(RuntimeError, match=r"batch\(1\) was opened inside batch\(0\)"),
        debugger.batch(1),
    ):
        pass


def test_a_module_called_several_times_gives_a_frame_each_time(capsys):
    class Twice(nn.Module):
        def __init__(self):
            super().__init__()
            self.shared = self.again = nn.Linear(2, 2)

        def forward(self, x):
            return self.again(self.shared(x))

    model = Twice()
    names = frames_of(model, lambda _: model(torch.ones(1, 2)), [0])

    assert names == [(0, "shared"), (0, "shared"), (0, "")]


def test_a_forward_that_calls_itself_is_one_batch(capsys):
    class Deep(nn.Module):
        def forward(self, x, depth=2):
            return self(x, depth - 1) if depth else x

    model = Deep()

    assert frames_of(model, lambda _: model(torch.ones(1)), [0]) == [(0, "")] * 3


def test_a_user_who_catches_an_exception_gets_the_next_batch_right(capsys):
    class Fails(nn.Module):
        def forward(self, x):
            if x.sum() == 0:
                raise RuntimeError("out of memory")
            return x

    model = nn.Sequential(nn.Identity(), Fails())

    def step(_):
        with pytest.raises(RuntimeError, match="memory"):
            model(torch.zeros(1))
        model(torch.ones(1))

    assert frames_of(model, step, [1]) == [(1, "0"), (1, "1"), (1, "")]


def test_ctrl_c_in_a_forward_leaves_nothing_behind(capsys):
    class Interrupted(nn.Module):
        def forward(self, x):
            if x.sum() == 0:
                raise KeyboardInterrupt
            return x

    model = nn.Sequential(nn.Identity(), Interrupted())

    def step(_):
        with pytest.raises(KeyboardInterrupt):
            model(torch.zeros(1))
        model(torch.ones(1))

    assert frames_of(model, step, [1]) == [(1, "0"), (1, "1"), (1, "")]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("1,3", [1, 3]), ("0-5", [0, 1, 2, 3, 4, 5]), ("10-40:10", [10, 20, 30, 40]), ("7", [7])],
)
def test_batches_are_read_as_people_write_them(text, numbers):
    assert [n for part in parse_batches(text) for n in part] == numbers


@pytest.mark.parametrize("text", ["", "a", "3-1", "1-5:0", "1,,2", "-1"])
def test_what_is_no_batch_is_refused_and_repeated(text):
    with pytest.raises(ValueError, match="batch"):
        parse_batches(text)
