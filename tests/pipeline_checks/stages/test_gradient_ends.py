"""The operator at which gradients end is named, with the user's line; a faulty pipeline each."""

from textwrap import dedent, indent

import pytest

from tdebug.pipeline_checks import check_pipeline

pytestmark = pytest.mark.filterwarnings("default")  # the pipelines are the user's

PARTS = """
import torch
import torch.nn.functional as F
from torch import nn

CONFIG = {"batch_size": 4}
ZERO = 1 // 2

class Quant(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return torch.round(x * 8) / 8
    @staticmethod
    def backward(ctx, gradient):
        return None

def build_dataset():
    x = torch.randn(24, 6, generator=torch.Generator().manual_seed(0))
    return torch.utils.data.TensorDataset(x, (x[:, 0] > 0).long())

def build_model():
    torch.manual_seed(0)
    return Net()

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc, self.emb, self.head = nn.Linear(6, 5), nn.Embedding(5, 5), nn.Linear(5, 2)
        self.emb.requires_grad_(False)
"""
FORWARD = """
    def forward(self, x):
        h = self.enc(x)
"""
LOSS = """
def compute_loss(model, batch):
    x, y = batch
    out = model(x)
"""


@pytest.fixture
def check(tmp_path, monkeypatch):
    """Check a pipeline with this forward and loss; gives the findings of backward by code."""
    monkeypatch.chdir(tmp_path)

    def run(forward="return self.head(h)", loss="return F.cross_entropy(out, y)", step=""):
        text = PARTS + FORWARD + indent(dedent(forward).strip(), " " * 8) + "\n"
        text += dedent(step) if step else LOSS + indent(dedent(loss).strip(), " " * 4) + "\n"
        (tmp_path / "ends.py").write_text(text)
        report = check_pipeline("ends.py")
        assert not [c.traceback for c in report.checks if c.traceback]
        return {f.code: f for f in report.findings if str(f.stage) == "backward"}

    return run


@pytest.mark.parametrize(
    ("forward", "words"),
    [
        ("return self.head(self.emb(h.argmax(-1)))", "argmax()"),
        ("return self.head(self.emb(h.max(-1)[1]))", "max()"),
        ("return self.head(self.emb(h.sort(-1).indices[:, 0]))", "sort()"),
        ("return self.head(h.data)", ".data"),
        ("return self.head((h > 0.5).float())", "gt()"),
        ("return self.head(torch.tensor([row.tolist() for row in h]))", ".tolist()"),
        ("return self.head(torch.tensor([[v.item() for v in row] for row in h]))", ".item()"),
        ("return self.head(torch.from_numpy(h.detach().numpy()))", ".detach()"),
        ("return self.head(torch.FloatTensor((h.detach().numpy() * 2).tolist()))", ".detach()"),
        ("return self.head(h.long().float())", "long()"),
        ("return self.head(Quant.apply(h))", "the backward of Quant"),
        ("return self.head(torch.zeros_like(h))", "nothing that is computed from them"),
    ],
)
def test_the_operator_that_ends_the_gradient_of_a_layer_is_named(check, forward, words):
    found = check(forward)["TD405"]
    assert "enc (weight and bias); " + words in found.message
    assert "freeze them; Distributed" not in found.hint


def test_a_cut_that_only_feeds_a_log_is_not_blamed(check):
    found = check(
        """
        self.seen = h.argmax(-1)
        self.level = h.mean().item()
        return self.head((h > 0.5).float())
        """
    )["TD405"]
    assert "gt() at ends.py" in found.message


@pytest.mark.parametrize(
    ("forward", "loss", "words"),
    [
        ("return torch.round(self.head(h))", "return F.mse_loss(out[:, 0], y.float())", "round()"),
        ("return (self.head(h) * 255 + 2000).clamp(0, 1)", "return out.sum() + 3", "clamp()"),
        ("return self.head(h - 1000 * h.abs()).relu()", "return out.mean() * 0", "mul()"),
        ("return self.head(h)", "return ZERO * F.cross_entropy(out, y)", "multiplies by the num"),
        (
            "return self.head(h)[:, :1].softmax(-1)",
            "return (out[:, 0] - y).pow(2).mean()",
            "size 1",
        ),
        (
            "return self.head(h)",
            "return F.triplet_margin_loss(out, model(x + 1), model(x + 1))",
            "the same values as positive and negative",
        ),
        ("return self.head(h)", "return (out - out).pow(2).mean() + 1", "zeros"),
    ],
)
def test_a_gradient_that_is_0_everywhere_is_an_error_at_its_operator(check, forward, loss, words):
    found = check(forward, loss)["TD408"]
    assert words in found.message
    if words != "zeros":
        assert str(found.severity) == "error"
        assert found.location.file == "ends.py"


def test_a_hinge_that_is_satisfied_is_no_error(check):
    found = check(loss="return (0.001 * out.mean() - 10).relu()")["TD408"]
    assert str(found.severity) == "warning"


def test_a_loss_that_goes_back_from_under_no_grad_is_told_at_its_line(check):
    found = check(
        step="""
        def train_step(model, batch, optimizer, state):
            x, y = batch
            optimizer.zero_grad()
            with torch.no_grad():
                out = model(x)
            loss = F.cross_entropy(out, y)
            loss.backward()
            optimizer.step()
            return loss
        """
    )
    assert "ran under no_grad" in found["TD401"].message
    assert found["TD401"].location.code == "out = model(x)"
    assert "TD404" not in found


def test_a_loop_of_the_user_s_own_is_followed_without_a_step(check):
    found = check(
        "return self.head(self.emb(h.argmax(-1)))",
        step="""
        def train_step(model, batch, optimizer, state):
            x, y = batch
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            return loss.item()
        """,
    )["TD405"]
    assert "argmax()" in found.message


def test_a_head_under_a_name_that_forward_does_not_use_is_told(check):
    found = check(
        step="""
        def build_model():
            model = Net().requires_grad_(False)
            model.fc = nn.Linear(5, 2)
            return model

        def build_loss():
            return nn.CrossEntropyLoss()
        """
    )["TD401"]
    assert "only fc (fc.weight and fc.bias) is trainable, and is never used" in found.message


@pytest.mark.parametrize("how", ["* 0.1", "+ 1"])
def test_what_the_constructor_computed_from_a_parameter_is_no_parameter(check, how):
    found = check(
        "return self.head(h @ self.w)",
        step=f"""
        def build_model():
            model = Net()
            model.w = nn.Parameter(torch.randn(5, 5)) {how}
            return model

        def build_loss():
            return nn.CrossEntropyLoss()
        """,
    )
    assert "w [5, 5] is no parameter: it was computed from one" in found["TD406"].message
    assert "TD403" not in found
