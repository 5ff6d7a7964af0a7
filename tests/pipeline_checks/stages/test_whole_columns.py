"""A bad value far from the samples that are read, in all kinds of datasets."""

import datasets
import numpy as np
import pandas as pd
import pytest
import torch
from torch import nn
from torch.utils.data import (
    ConcatDataset,
    DataLoader,
    Dataset,
    SubsetRandomSampler,
    TensorDataset,
    WeightedRandomSampler,
    random_split,
)
from transformers import BertConfig, BertForSequenceClassification, default_data_collator

from tdebug.pipeline_checks import Pipeline, check_pipeline
from tdebug.pipeline_checks.events import Observed
from tdebug.pipeline_checks.facts import BatchFacts
from tdebug.pipeline_checks.session import Settings
from tdebug.pipeline_checks.stages import check_live

NUM, BAD = 3000, 1234
FEATURES = torch.randn(NUM, 4, generator=torch.Generator().manual_seed(0))
LABELS = torch.arange(NUM) * 7 % 3


class Held(Dataset):
    """A dataset of the user's around what it holds."""

    def __init__(self, features, labels, change=None):
        self.features, self.labels, self.change = features, labels, change

    def __len__(self):
        return NUM

    def __getitem__(self, index):
        feature, label = torch.as_tensor(self.features[index]), int(self.labels[index])
        return self.change(feature, label) if self.change else (feature, label)


class Frame(Dataset):
    def __init__(self, features, labels):
        self.df = pd.DataFrame(features.numpy()).assign(label=labels.numpy())

    def __len__(self):
        return len(self.df)

    def __getitem__(self, index):
        row = self.df.iloc[index]
        return torch.tensor(row[:4].to_numpy(), dtype=torch.float32), int(row["label"])


class Classifier(nn.Module):
    def __init__(self, *, fill=False):
        super().__init__()
        self.head, self.fill = nn.Linear(4, 3), fill

    def forward(self, x):
        return self.head(x.nan_to_num() if self.fill else x)


KINDS = {
    "tensors": TensorDataset,
    "split": lambda x, y: random_split(TensorDataset(x, y), [NUM - 1, 1])[0],
    "concatenated": lambda x, y: ConcatDataset([TensorDataset(x, y), TensorDataset(x[:1], y[:1])]),
    "list": lambda x, y: list(zip(x, y.tolist(), strict=True)),
    "arrays": lambda x, y: Held(x.numpy(), y.numpy()),
    "lists": lambda x, y: Held(x, y.tolist()),
    "frame": Frame,
    "wrapped": lambda x, y: Held(x, y, lambda *pair: pair),
}


def with_label(value):
    labels = LABELS.clone()
    labels[BAD] = value
    return labels


def with_nan():
    features = FEATURES.clone()
    features[BAD, 2] = torch.nan
    return features


def findings(dataset, model=None, **parts):
    parts = parts if "compute_loss" in parts else {"loss": nn.CrossEntropyLoss(), **parts}
    torch.manual_seed(0)
    report = check_pipeline(Pipeline(model=model or Classifier(), dataset=dataset, **parts))
    return {finding.code: finding for finding in report.findings}


@pytest.mark.parametrize("kind", KINDS)
def test_a_label_out_of_range_is_found_wherever_it_is(kind):
    found = findings(KINDS[kind](FEATURES, with_label(3)))["TD104"]

    assert "labels run from 0 to 3" in found.message
    assert "= 3 (1 of " in found.where
    assert kind == "split" or f"dataset[{BAD}][1] = 3" in found.where


@pytest.mark.parametrize("kind", KINDS)
def test_nan_is_found_wherever_it_is(kind):
    found = findings(KINDS[kind](with_nan(), LABELS))["TD108"]

    assert str(found.severity) == "error"
    assert kind == "split" or f"dataset[{BAD}][0][2] = nan" in found.where


@pytest.mark.parametrize("kind", KINDS)
def test_correct_data_of_every_kind_gives_no_finding(kind):
    assert findings(KINDS[kind](FEATURES, LABELS)) == {}


def test_the_report_says_what_was_looked_at_whole():
    def summary(dataset):
        parts = Pipeline(Classifier(), dataset, loss=nn.CrossEntropyLoss())
        return check_pipeline(parts).stages[1].summary

    one, both = "256 of 3000 samples read, and the whole ", TensorDataset(FEATURES, LABELS)
    assert summary(both) == f"{one}columns [0], [1]"
    assert summary(Held(-FEATURES, LABELS, lambda x, y: (-x, y))) == f"{one}column [1]"


def test_all_rows_of_the_column_are_counted():
    labels = LABELS.clone()
    labels[1000:1100] = 5

    assert "(100 of 3000 samples)" in findings(TensorDataset(FEATURES, labels))["TD104"].where


def test_a_table_of_hugging_face_is_looked_at_whole():
    rows = datasets.Dataset.from_dict({"x": FEATURES.tolist(), "label": with_label(3).tolist()})

    def compute_loss(model, batch):
        return nn.functional.cross_entropy(model(batch["x"]), batch["label"])

    found = findings(rows.with_format("torch"), compute_loss=compute_loss)["TD104"]

    assert f'dataset[{BAD}]["label"] = 3 (1 of 3000 samples)' in found.where


def test_the_imbalance_of_all_labels_is_told():
    labels = torch.zeros(NUM, dtype=torch.int64)
    labels[2000:2020], labels[2500:2502] = 1, 2

    found = findings(TensorDataset(FEATURES, labels))["TD118"]

    assert "class 0 has 2978 samples, class 2 has 2: 1489 to 1" in found.message
    assert found.where == "[1] of all 3000 samples"


def test_labels_that_a_transform_brings_into_range_are_right():
    found = findings(Held(FEATURES, with_label(255), lambda x, y: (x, 0 if y == 255 else y)))

    assert found == {}


def test_labels_that_a_transform_spoils_are_counted_as_they_were_read():
    found = findings(Held(FEATURES, with_label(2), lambda x, y: (x, y + 1)))["TD104"]

    assert "of 256 samples" in found.where


def test_nan_that_the_dataset_fills_is_right():
    assert findings(Held(with_nan(), LABELS, lambda x, y: (x.nan_to_num(), y))) == {}


def test_nan_that_the_model_fills_is_an_info():
    found = findings(TensorDataset(with_nan(), LABELS), Classifier(fill=True))

    assert [str(one.severity) for one in found.values()] == ["info"]


def test_labels_that_the_loss_leaves_out_are_right():
    def compute_loss(model, batch):
        features, labels = batch
        has_label = labels >= 0
        return nn.functional.cross_entropy(model(features)[has_label], labels[has_label])

    assert findings(TensorDataset(FEATURES, with_label(-1)), compute_loss=compute_loss) == {}


@pytest.mark.parametrize(
    "sampler",
    [
        SubsetRandomSampler([row for row in range(NUM) if row != BAD]),
        WeightedRandomSampler((torch.arange(NUM) != BAD).double(), NUM),
    ],
    ids=["subset", "weights"],
)
def test_rows_that_the_sampler_never_draws_are_not_looked_at(sampler):
    dataset = TensorDataset(with_nan(), with_label(-1))

    assert findings(dataset, dataloader=DataLoader(dataset, 8, sampler=sampler)) == {}


def test_a_row_that_a_sampler_of_part_of_the_rows_draws_is_looked_at():
    dataset = TensorDataset(FEATURES, with_label(3))
    sampler = SubsetRandomSampler(range(1000, 2000))

    found = findings(dataset, dataloader=DataLoader(dataset, 8, sampler=sampler))["TD104"]

    assert f"dataset[{BAD}][1] = 3" in found.where


def test_a_row_that_cannot_be_read_is_found_by_what_it_holds():
    texts = ["a text"] * NUM
    texts[BAD] = np.nan

    class Texts(Dataset):
        def __init__(self):
            self.texts = texts

        def __len__(self):
            return NUM

        def __getitem__(self, index):
            return torch.full((4,), float(len(self.texts[index].split()))), index % 3

    found = findings(Texts())["TD106"]

    assert f"dataset[{BAD}]" in found.where


@pytest.mark.parametrize("strange", [object(), {1: 2}, np.float64(1), None, iter(())])
def test_strange_attributes_do_no_harm(strange):
    dataset = Held(FEATURES, LABELS)
    dataset.strange = strange
    dataset.odd = [strange] * NUM

    assert findings(dataset) == {}


def text_classifier(**columns):
    ids = torch.randint(1, 40, (NUM, 4), generator=torch.Generator().manual_seed(0)).tolist()
    given = {"input_ids": ids, "label": LABELS.tolist(), **columns}
    config = BertConfig(
        vocab_size=40,
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=8,
        max_position_embeddings=8,
        num_labels=3,
    )
    return Pipeline(
        model=BertForSequenceClassification(config),
        dataset=datasets.Dataset.from_dict(given),
        collate_fn=default_data_collator,
    )


def changed(values, value):
    return [*values[:BAD], value, *values[BAD + 1 :]]


@pytest.mark.parametrize(
    ("column", "value", "code"),
    [
        ("label", 3, "TD104"),
        ("label", None, "TD107"),
        ("input_ids", [1, 2, 99, 3], "TD111"),
        ("input_ids", [1] * 20, "TD112"),
    ],
)
def test_what_is_odd_in_a_table_is_found_by_the_check_that_knows_it(column, value, code):
    ids = [[1 + row % 7, 2, 3, 4] for row in range(NUM)]
    columns = {"label": LABELS.tolist(), "input_ids": ids}

    report = check_pipeline(text_classifier(**{column: changed(columns[column], value)}))

    assert code in {finding.code for finding in report.findings}
    assert str(BAD) in next(f for f in report.findings if f.code == code).where


class Embedded(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.head = nn.Embedding(50, 4), nn.Linear(4, 3)

    def forward(self, ids):
        return self.head(self.embed(ids).mean(1))


def ids_with(value):
    ids = torch.randint(0, 40, (NUM, 6), generator=torch.Generator().manual_seed(0))
    ids[BAD, 3] = value
    return TensorDataset(ids, LABELS)


def test_an_id_that_an_embedding_has_no_row_for_is_found_wherever_it_is():
    found = findings(ids_with(50), Embedded())["TD111"]

    assert f"dataset[{BAD}][0] holds 50" in found.where


@pytest.mark.parametrize("num_labels", [3, 1000])
def test_no_batch_more_is_run_where_nothing_is_too_large(num_labels):
    labels = torch.arange(NUM) * 7919 % num_labels
    head = nn.Linear(4, num_labels)
    events = list(check_live(Pipeline(head, TensorDataset(FEATURES, labels)), Settings()))

    [facts] = [e.fact for e in events if isinstance(e, Observed) and isinstance(e.fact, BatchFacts)]
    assert [batch.number for batch in facts.batches] == [*range(8), NUM // 8 - 1]


def test_a_small_dataset_has_the_batch_of_its_nan_run_too():
    features = torch.ones(200, 4).cumsum(0) / 200
    features[150, 1] = torch.nan
    dataset = TensorDataset(features, LABELS[:200])

    unfilled, filled = findings(dataset), findings(dataset, Classifier(fill=True))

    assert str(unfilled["TD108"].severity) == "error"
    assert str(filled["TD108"].severity) == "info"
