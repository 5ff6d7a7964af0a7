import pytest
import torch
from torch import nn
from torch.nn import functional

LOGITS = torch.randn(4, 3, requires_grad=True)
UNIT = torch.rand(4, 3)
LABELS = torch.tensor([0, 2, 1, 2])


def look(watch_forward, loss, output, target, indices=(10, 11, 12, 13)):
    """The one call of a loss that was seen, and what was raised."""
    model = nn.Identity()
    batch = {"x": output, "labels": target}
    seen = watch_forward(model, batch, lambda b: loss(model(b["x"]), b["labels"]), indices)
    [call] = seen.record.losses
    return call, seen.error


@pytest.mark.parametrize(
    ("loss", "output", "target", "names"),
    [
        (nn.CrossEntropyLoss(), LOGITS, LABELS, ("cross_entropy", "CrossEntropyLoss")),
        (functional.cross_entropy, LOGITS, LABELS, ("cross_entropy", "cross_entropy")),
        (nn.NLLLoss(), LOGITS, LABELS, ("nll_loss", "NLLLoss")),
        (nn.MSELoss(), LOGITS, UNIT, ("mse_loss", "MSELoss")),
        (nn.L1Loss(), LOGITS, UNIT, ("l1_loss", "L1Loss")),
        (nn.SmoothL1Loss(), LOGITS, UNIT, ("smooth_l1_loss", "SmoothL1Loss")),
        (nn.HuberLoss(), LOGITS, UNIT, ("huber_loss", "HuberLoss")),
        (nn.BCELoss(), UNIT, UNIT, ("binary_cross_entropy", "BCELoss")),
        (
            nn.BCEWithLogitsLoss(),
            LOGITS,
            UNIT,
            ("binary_cross_entropy_with_logits", "BCEWithLogitsLoss"),
        ),
        (nn.KLDivLoss(reduction="batchmean"), LOGITS, UNIT, ("kl_div", "KLDivLoss")),
        (nn.PoissonNLLLoss(), LOGITS, UNIT, ("poisson_nll_loss", "PoissonNLLLoss")),
        (nn.SoftMarginLoss(), LOGITS, UNIT, ("soft_margin_loss", "SoftMarginLoss")),
        (
            nn.MultiLabelSoftMarginLoss(),
            LOGITS,
            UNIT,
            ("multilabel_soft_margin_loss", "MultiLabelSoftMarginLoss"),
        ),
        (nn.MultiMarginLoss(), LOGITS, LABELS, ("multi_margin_loss", "MultiMarginLoss")),
        (nn.HingeEmbeddingLoss(), LOGITS, UNIT, ("hinge_embedding_loss", "HingeEmbeddingLoss")),
    ],
)
def test_every_loss_is_seen_once_with_its_name_and_value(
    watch_forward, loss, output, target, names
):
    call, error = look(watch_forward, loss, output, target)

    assert ((call.function, call.name), error) == (names, None)
    assert call.value == pytest.approx(float(loss(output, target).detach()))
    assert (call.input.shape, call.target.shape) == (tuple(output.shape), tuple(target.shape))


@pytest.mark.parametrize(
    ("target", "value", "index"),
    [
        ([0, 3, 1, 2], 3, 11),
        ([0, 1, 2, 7], 7, 13),
        ([-1, 1, 2, 1], -1, 10),
    ],
)
def test_a_target_that_is_no_class_is_noted_with_its_sample(watch_forward, target, value, index):
    call, error = look(watch_forward, nn.CrossEntropyLoss(), LOGITS, torch.tensor(target))

    assert isinstance(error, IndexError)
    assert (call.num_classes, call.value) == (3, None)
    assert (call.bad_target.value, call.bad_target.index) == (value, index)
    assert (call.target_min, call.target_max) == (min(target), max(target))


def test_ignored_targets_are_counted_and_are_not_bad(watch_forward):
    call, _ = look(watch_forward, nn.CrossEntropyLoss(), LOGITS, torch.tensor([-100, 0, -100, 2]))

    assert (call.num_ignored, call.bad_target, call.target_min) == (2, None, 0)


def test_an_own_ignore_index_is_heeded(watch_forward):
    loss = nn.CrossEntropyLoss(ignore_index=255, label_smoothing=0.1)

    call, _ = look(watch_forward, loss, LOGITS, torch.tensor([255, 0, 1, 2]))

    assert (call.num_ignored, call.bad_target) == (1, None)
    assert call.options["ignore_index"] == 255
    assert call.options["label_smoothing"] == 0.1


def test_targets_that_are_all_ignored_have_no_range(watch_forward):
    call, _ = look(watch_forward, nn.CrossEntropyLoss(), LOGITS, torch.full((4,), -100))

    assert (call.num_ignored, call.target_max, call.bad_target) == (4, None, None)


def test_class_probabilities_are_no_bad_targets(watch_forward):
    call, _ = look(watch_forward, nn.CrossEntropyLoss(), LOGITS, LOGITS.detach().softmax(1))

    assert (call.num_classes, call.bad_target) == (3, None)


def test_weights_and_reduction_are_noted(watch_forward):
    loss = nn.CrossEntropyLoss(weight=torch.ones(3), reduction="sum")

    call, _ = look(watch_forward, loss, LOGITS, LABELS)

    assert (call.options["has_weight"], call.options["reduction"]) == (True, "sum")


def test_a_segmentation_target_is_told_by_its_sample(watch_forward):
    output, target = torch.randn(2, 3, 4, 4), torch.zeros(2, 4, 4, dtype=torch.long)
    target[1, 2, 2] = 5

    call, _ = look(watch_forward, nn.CrossEntropyLoss(), output, target, (6, 8))

    assert (call.num_classes, call.bad_target.value, call.bad_target.index) == (3, 5, 8)


def test_a_target_of_the_wrong_shape_is_noted_before_torch_refuses_it(watch_forward):
    call, error = look(watch_forward, nn.CrossEntropyLoss(), LOGITS, torch.zeros(5, 2))

    assert isinstance(error, (RuntimeError, ValueError))
    assert (call.target.shape, call.value) == ((5, 2), None)


def test_a_scalar_output_does_not_break_the_look(watch_forward):
    call, error = look(watch_forward, nn.CrossEntropyLoss(), torch.tensor(1.0), torch.tensor(0))

    assert (call.num_classes, error is not None) == (None, True)


@pytest.mark.parametrize(
    ("squash", "name"),
    [
        (lambda x: x.softmax(1), "Softmax"),
        (lambda x: x.log_softmax(1), "LogSoftmax"),
        (lambda x: x.sigmoid(), "Sigmoid"),
        (lambda x: x.softmax(1).view(-1, 3).squeeze().clone(), "Softmax"),
        (lambda x: x * 2, ""),
        (lambda x: x.detach(), ""),
    ],
)
def test_what_made_the_output_is_read_from_the_graph(watch_forward, squash, name):
    call, _ = look(watch_forward, lambda x, y: functional.cross_entropy(squash(x), y), LOGITS,
                   LABELS)  # fmt: skip

    assert call.last_function == name


def test_rows_that_sum_to_one_are_told(watch_forward):
    call, _ = look(watch_forward, nn.CrossEntropyLoss(), LOGITS.detach().softmax(1), LABELS)
    other, _ = look(watch_forward, nn.CrossEntropyLoss(), UNIT * 0.9, LABELS)

    assert (call.rows_sum_to_one, call.input_in_unit) == (True, True)
    assert (other.rows_sum_to_one, other.input_in_unit) == (False, True)


def test_a_loss_inside_the_model_is_told_apart(watch_forward):
    class WithLoss(nn.Module):
        def __init__(self):
            super().__init__()
            self.out = nn.Linear(3, 3)

        def forward(self, x, labels):
            return functional.cross_entropy(self.out(x), labels)

    model = WithLoss()
    batch = {"x": LOGITS.detach(), "labels": LABELS}

    [inside] = watch_forward(model, batch, lambda b: model(**b)).record.losses
    outside, _ = look(watch_forward, functional.cross_entropy, LOGITS, LABELS)

    assert (inside.in_model, outside.in_model) == (True, False)
    assert inside.location.function == "forward"


def test_the_field_that_the_target_came_from_is_told(watch_forward):
    flat = lambda x, y: functional.cross_entropy(x, y.view(-1))  # noqa: E731 - short

    call, _ = look(watch_forward, flat, LOGITS, LABELS.view(4, 1))

    assert call.target.field == '["labels"]'


def test_a_loss_that_is_given_no_tensors_is_left_to_torch(watch_forward):
    model = nn.Identity()

    seen = watch_forward(model, [], lambda _: functional.mse_loss(torch.ones(2), 1.0))

    assert seen.record.losses == []
    assert isinstance(seen.error, (TypeError, AttributeError, RuntimeError))


def test_the_signs_of_targets_are_counted_where_a_loss_takes_them(watch_forward):
    signs = torch.tensor([-1.0, 0.0, 1.0, 1.0])
    call, _ = look(watch_forward, nn.SoftMarginLoss(), torch.randn(4), signs)
    assert call.signs == (1, 1, 2)
    call, _ = look(watch_forward, nn.BCEWithLogitsLoss(), torch.randn(4), signs.abs())
    assert call.signs == (0, 0, 0)


@pytest.mark.parametrize("function", ["sigmoid", "tanh", "relu", "softplus"])
def test_the_activation_that_made_the_output_is_told(watch_forward, function):
    def loss(output, target):
        return functional.mse_loss(getattr(functional, function)(output), target)

    call, _ = look(watch_forward, loss, LOGITS, UNIT)
    assert call.last_function.lower() == function


def test_connectionist_losses_are_seen_with_their_log_probabilities(watch_forward):
    lengths = torch.tensor([9, 9, 9, 9]), torch.tensor([2, 2, 2, 2])

    def loss(output, target):
        return nn.CTCLoss()(output, target, *lengths)

    labels = torch.tensor([[1, 2], [2, 1], [1, 1], [2, 2]])
    call, _ = look(watch_forward, loss, torch.randn(9, 4, 3, requires_grad=True), labels)
    assert (call.name, call.input.shape, call.target.field) == (
        "CTCLoss",
        (9, 4, 3),
        '["labels"]',
    )
