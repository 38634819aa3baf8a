"""Attribute inference: bracketed by releases that keep all and nothing, and fed with what cannot be inferred."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats

from sfumato.attacks.attribute_inference import (
    ADAPTIVE,
    BEFORE,
    STATIC,
    TRANSFERRED,
    EmbeddingClassifier,
    WordClassifier,
    parts,
)
from sfumato.errors import ConfigurationError, InputError
from sfumato.evaluation.pairs import Pairs, read_pairs
from sfumato.evaluation.results import Study
from sfumato.evaluation.studies._labels import labels_of
from sfumato.evaluation.studies.attributes import (
    ACCURACY,
    ADVANTAGE,
    DISTRIBUTION,
    F1,
    GAIN,
    PEARSON,
    SPEARMAN,
    AttributeStudy,
)  # fmt: skip
from sfumato.evaluation.studies.files import Memory, RememberingEncoder
from sfumato.files import FileOptions
from sfumato.metrics.guesses import _correlated, _Ranks, chi_squared, distribution_kept, macro_f1, pearson, spearman
from sfumato.types import Progress

pytest.importorskip("sklearn")
SECRET = "Zaphodsecret"
COUNT = 120
DRAW = np.random.default_rng(3)
WOMAN, GLAD = DRAW.integers(0, 2, COUNT), DRAW.integers(0, 4, COUNT) > 0
AGE = DRAW.integers(20, 60, COUNT)
FIELDS = [
    {"gender": "mf"[woman], "mood": ("sad", "glad")[int(glad)], "age": int(age)}
    for woman, glad, age in zip(WOMAN, GLAD, AGE, strict=True)
]
PLACES = ("school", "office", "garden", "hospital")  # of the young and the old
TEXTS = [
    f"my {('wife', 'husband')[woman]} was {('cross', 'happy')[int(glad)]} there in {PLACES[age // 10 - 2]}"
    for woman, glad, age in zip(WOMAN, GLAD, AGE, strict=True)
]
IDS = [str(number) for number in range(COUNT)]


def paired(released: Sequence[str | None], fields: Sequence[dict[str, Any]] = FIELDS) -> Pairs:
    kept = [None if text is None else record for text, record in zip(released, fields, strict=True)]
    return Pairs(IDS, TEXTS, released, (), fields, kept)


def studied(pairs: Pairs, *targets: str, tasks: Sequence[str] = (), **more: Any) -> Study:
    return AttributeStudy((WordClassifier(),), targets, tasks, **more).run(pairs)


def value(study: Study, name: str, **setting: Any) -> float:
    figure = study.figure(name, **setting)
    assert figure is not None
    assert figure.estimate.low <= figure.estimate.value <= figure.estimate.high
    return figure.estimate.value


def test_identity_redaction_and_random_text() -> None:
    words = " ".join(TEXTS).split()
    random = [" ".join(np.random.default_rng(number).choice(words, 10)) for number in range(COUNT)]
    for name, released in {"same": TEXTS, "redacted": ["[GONE]"] * COUNT, "random": random}.items():
        found = studied(paired(released), "gender", "age", tasks=["mood"])
        assert value(found, ACCURACY, field="gender", attacker=BEFORE) == 1.0
        assert value(found, PEARSON, field="age", attacker=BEFORE) > 0.8
        for attacker in (STATIC, ADAPTIVE):
            right = value(found, ACCURACY, field="gender", attacker=attacker)
            above = value(found, ADVANTAGE, field="gender", attacker=attacker)
            follows = [value(found, one, field="age", attacker=attacker) for one in (PEARSON, SPEARMAN)]
            if name == "same":
                assert (right, min(follows) > 0.8) == (1.0, True)
            else:
                assert right < 0.68
                assert above < 0.15
                assert max(follows) < 0.35
            gain = value(found, GAIN, task="mood", target="gender", attacker=attacker)
            assert gain == 0.0 if name == "same" else abs(gain) < 0.5
        learned = value(found, ACCURACY, field="mood", attacker=TRANSFERRED)
        assert learned == 1.0 if name == "same" else learned < 0.9
    assert found.figure(ACCURACY, field="gender", attacker=TRANSFERRED) is None


def test_a_release_that_hides_the_target_and_keeps_the_task_gains() -> None:
    hidden = [text.replace("wife", "partner").replace("husband", "partner") for text in TEXTS]
    found = studied(paired(hidden), "gender", tasks=["mood"])
    before = {name: value(found, F1, field=name, attacker=BEFORE) for name in ("gender", "mood")}
    after = value(found, F1, field="mood", attacker=ADAPTIVE), value(found, F1, field="gender", attacker=STATIC)
    gain = value(found, GAIN, attacker=STATIC, task="mood", target="gender", classifier="tfidf")
    assert gain == pytest.approx(after[0] / before["mood"] - after[1] / before["gender"])
    assert gain > 0.3
    assert sum(one.name == GAIN for one in found.figures) == 2


def test_a_release_without_records_of_its_own() -> None:
    hidden = [None] * COUNT
    own = studied(Pairs(IDS, TEXTS, hidden, TEXTS[:90], FIELDS, hidden, FIELDS[:90]), "gender", "age", tasks=["mood"])
    assert value(own, ACCURACY, field="mood", attacker=TRANSFERRED) == 1.0
    figure = own.figure(ACCURACY, field="mood", attacker=ADAPTIVE)
    assert figure is not None
    assert figure.estimate.n == 90
    assert value(own, PEARSON, field="age", attacker=STATIC) > 0.8
    assert value(own, DISTRIBUTION, field="mood", of="their own labels") > 0.8
    wrong = [{**one, "mood": "sad"} for one in FIELDS]
    told = studied(Pairs(IDS, TEXTS, hidden, TEXTS, FIELDS, hidden, wrong), tasks=["mood"])
    assert value(told, DISTRIBUTION, of="their own labels") < 0
    assert value(told, DISTRIBUTION, of="guessed labels", attacker=STATIC) == 1.0

    bare = studied(Pairs(IDS, TEXTS, hidden, TEXTS[:90], FIELDS, hidden), "gender", tasks=["mood"])
    assert {one.setting["attacker"] for one in bare.figures if one.name == ACCURACY} == {BEFORE}
    assert value(bare, DISTRIBUTION, field="mood", attacker=STATIC) > 0.8
    assert any("static inference of gender" in one.what for one in bare.skipped)
    empty = studied(Pairs(IDS, TEXTS, hidden, (), FIELDS, hidden), "gender", tasks=["mood"])
    assert value(empty, ACCURACY, field="gender", attacker=BEFORE) == 1.0


def test_what_cannot_be_inferred_is_skipped_with_a_reason() -> None:
    def why(field: str, values: Sequence[Any], **more: Any) -> str:
        fields = [{**record, field: value} for record, value in zip(FIELDS, values, strict=True)]
        found = studied(paired(TEXTS, fields), field, "gender", **more)
        assert value(found, ACCURACY, field="gender", attacker=BEFORE) == 1.0  # the others go on
        assert SECRET not in repr(found)
        return " ".join(one.why for one in found.skipped if field in one.what)

    assert "same label" in why("x", [SECRET] * COUNT)
    assert "same label" in why("x", [SECRET, *[None] * (COUNT - 1)])
    assert "Fewer than two labels" in why("x", [f"{SECRET}{number}" for number in range(COUNT)])
    assert "lists or objects" in why("x", [[SECRET]] * COUNT)
    assert "not numbers" in why("x", [SECRET] * COUNT, kinds={"x": "numbers"})
    assert "not 'figures'" in why("x", ["a", "b"] * 60, kinds={"x": "figures"})
    assert "same number" in why("x", [3] * COUNT, kinds={"x": "numbers"})
    assert "No record of the original" in why("y", [None] * COUNT)
    assert "1 originals have a label that no other" in why("x", [SECRET, *"abc" * 39, "a", "b"])
    assert "40 originals have no value" in why("x", [None, "a", "b"] * 40)
    assert "60 originals have no value" in why("x", [math.nan, *range(59)] + ["nan", ""] * 29 + [None, 3.0])
    only_there = Pairs(IDS, TEXTS, TEXTS, (), [{}] * COUNT, FIELDS)
    [skipped] = studied(only_there, "gender").skipped
    assert "No record of the original has a value in the field 'gender'" in skipped.why


def test_records_without_a_label_do_not_take_part() -> None:
    fields = [{**record, "gender": None if number < 20 else record["gender"]} for number, record in enumerate(FIELDS)]
    figure = studied(paired(TEXTS, fields), "gender").figure(ACCURACY, attacker=STATIC)
    assert figure is not None
    assert figure.estimate.n == COUNT - 20


def test_fewer_records_than_folds() -> None:
    fields = [{"x": "a" if number < 2 else "b"} for number in range(4)]
    pairs = Pairs(IDS[:4], TEXTS[:4], TEXTS[:4], (), fields, fields)
    figure = studied(pairs, "x").figure(ACCURACY, attacker=BEFORE)
    assert figure is not None
    assert figure.estimate.n == 4


def test_missing_records_are_guessed_from_nothing() -> None:
    released = [None if number % 2 else text for number, text in enumerate(TEXTS)]
    assert 0.5 < value(studied(paired(released), "gender"), ACCURACY, attacker=STATIC) < 0.9


def test_numbers_or_labels() -> None:
    def kind(values: Sequence[Any], asked: Any = None) -> bool:
        fields = [{"x": one} for one in values]
        texts = ["a"] * len(fields)
        return labels_of("x", Pairs(texts, texts, texts, (), fields, fields), asked).numeric

    assert kind(range(11))
    assert kind([f"{number}.5" for number in range(11)])  # as CSV has them
    assert not kind(range(10))
    assert not kind([*range(20), "other"])
    assert kind(range(5), "numbers")
    assert not kind(range(50), "labels")
    whole = [{"x": 1.0}, {"x": 2}]
    assert labels_of("x", Pairs("ab", "ab", "ab", (), whole, whole)).names == ["1", "2"]


def test_folds_hold_every_label_in_training_and_every_record_once() -> None:
    values = np.array([0, 0, 1, 1, 1, *[2] * 30])
    folds = parts(values, False, 5, 0)
    assert sorted(np.concatenate([test for _, test in folds])) == list(range(len(values)))
    for train, test in folds:
        assert set(values[train]) == {0, 1, 2}
        assert not set(train) & set(test)


class Counting:
    """An encoder that counts what it is asked for."""

    id, dimensions = "counting", 3

    def __init__(self) -> None:
        self.asked: list[int] = []

    def encode(self, phrases: Sequence[str], progress: Progress | None = None) -> Any:
        self.asked.append(len(phrases))
        for done in (0.5, 1.0):
            assert progress is not None
            progress(done)
        return np.array([["wife" in text, "happy" in text, "hospital" in text] for text in phrases], dtype=float)


def test_vectors_are_made_once_of_a_sample_and_progress_is_told() -> None:
    encoder, told = Counting(), list[float]()
    classifiers = (WordClassifier(), EmbeddingClassifier(encoder))
    study = AttributeStudy(classifiers, ["gender", "age"], ["mood"], sampled=80)
    found = study.run(paired(TEXTS), told.append)
    assert encoder.asked == [160]
    assert told == sorted(told)
    assert told[-1] == pytest.approx(1.0)
    assert len(told) > 10
    sizes = {one.setting["classifier"]: one.estimate.n for one in found.figures if one.name == F1}
    assert sizes == {"tfidf": COUNT, "embeddings": 80}
    assert found.facts == {"sampled": 80}
    assert value(found, PEARSON, field="age", classifier="embeddings", attacker=STATIC) > 0.5
    assert study.run(paired(TEXTS)).as_json() == found.as_json()


def test_a_text_is_encoded_once() -> None:
    encoder = Counting()
    shared = RememberingEncoder(encoder, Memory(2))
    first = shared.encode(["wife", "happy", "wife"], lambda _: None)
    assert (first == encoder.encode(["wife", "happy", "wife"], lambda _: None)).all()
    assert shared.encode(["happy", "hospital", "wife"], lambda _: None).tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    assert encoder.asked == [2, 3, 1]
    shared.encode(["hospital"], lambda _: None)
    shared.encode(["happy"], lambda _: None)  # there was no room for what was asked for longest ago
    assert encoder.asked == [2, 3, 1, 1]
    assert shared.encode([]).shape == (0, 3)


def test_correlations_are_those_of_scipy() -> None:
    draw = np.random.default_rng(0)
    one = draw.integers(0, 9, 80).astype(float)
    other = one + draw.normal(0, 4, 80).round()
    assert pearson(one, other, 0).value == pytest.approx(scipy.stats.pearsonr(one, other)[0])
    assert spearman(one, other, 0).value == pytest.approx(scipy.stats.spearmanr(one, other)[0])
    places = draw.integers(0, 80, 80)
    weights = np.bincount(places, minlength=80)[None].astype(float)
    again = scipy.stats.spearmanr(one[places], other[places])[0]
    assert _correlated(weights, _Ranks(one).of(weights), _Ranks(other).of(weights))[0] == pytest.approx(again)
    assert spearman(np.full(80, 0.1), other, 0).value == 0.0
    assert pearson(np.full(80, 0.1), other, 0).value == 0.0


def test_f1_is_that_of_sklearn() -> None:
    from sklearn.metrics import f1_score

    draw = np.random.default_rng(0)
    labels, guesses = draw.integers(0, 4, 100), draw.integers(1, 5, 100)
    assert macro_f1(guesses, labels, 0).value == pytest.approx(f1_score(labels, guesses, average="macro"))


def test_distances_of_distributions_by_hand() -> None:
    assert chi_squared(np.array([0.5, 0.5, 0.0]), np.array([0.25, 0.25, 0.5])) == pytest.approx(
        2 * 0.0625 / 0.75 + 0.5
    )
    before = ["a"] * 6 + ["b"] * 2
    assert distribution_kept(before, ["a", "a", "a", "b"], 0).value == pytest.approx(1.0)
    assert distribution_kept(before, ["a", "b"], 0).value == pytest.approx(0.0)
    assert distribution_kept(before, ["b"], 0).value < -1
    assert distribution_kept(before, ["c"], 0).value < -1
    with pytest.raises(ConfigurationError, match="spread evenly"):
        distribution_kept(["a", "b", "c"] * 2, ["a"], 0)


def test_labels_out_of_parquet_and_csv(tmp_path: Path) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = pa.table({"text": ["a", "b"], "age": [31.0, None], "other": ["x", "y"]})
    pq.write_table(table, tmp_path / "a.parquet")
    (tmp_path / "b.csv").write_text("text,age\na,31\nb,\n", encoding="utf-8")
    options = FileOptions(labels=("age", "other"))
    found = read_pairs(tmp_path / "a.parquet", tmp_path / "b.csv", options)
    assert found.values("age") == [31.0, None]
    assert found.values("other") == ["x", "y"]
    assert found.values("elsewhere") == [None, None]
    labels = labels_of("age", found)
    assert (labels.before, labels.after) == (["31", None], ["31", None])
    apart = read_pairs(tmp_path / "a.parquet", tmp_path / "b.csv", options, one_to_one=False)
    assert apart.candidate_values("age") == ["31", ""]
    with pytest.raises(InputError, match="has the field 'nothing'"):
        read_pairs(tmp_path / "a.parquet", tmp_path / "b.csv", FileOptions(labels=("age", "nothing")))


@pytest.mark.models
def test_a_tuned_transformer(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    from sfumato.attacks.transformer_classifier import TransformerClassifier
    from sfumato.models.encoders.tunable import TunableModel
    from tiny_models import tiny_bert

    folder = tiny_bert(tmp_path / "model")
    some = 60
    texts = [f"the {('cat', 'dog')[number % 2]} sat on the mat {'far ' * (number % 7)}" for number in range(some)]
    labels, numbers = np.arange(some) % 2 + 3, (np.arange(some) % 2) * 10.0 + 100
    classifier = TransformerClassifier(TunableModel(str(folder), "cpu"), epochs=12, rate=2e-3, batch=8)
    before = torch.random.get_rng_state()
    rows = classifier.prepare(texts)
    guess = classifier.fitted(rows[:40], labels[:40])
    assert (guess(rows[40:]) == labels[40:]).mean() > 0.9
    assert (guess(np.array(["", "cat " * 500], dtype=object)) > 2).all()
    assert (classifier.fitted(rows[:40], labels[:40])(rows) == guess(rows)).all()
    assert torch.equal(torch.random.get_rng_state(), before)
    number = classifier.regressed(rows[:40], numbers[:40])(rows[40:])
    assert np.corrcoef(number, numbers[40:])[0, 1] > 0.9
    assert 95 < number.mean() < 115
    assert classifier.source.id.startswith("model@")
    with pytest.raises(ConfigurationError, match="epoch"):
        TransformerClassifier(TunableModel(str(folder)), epochs=0)
    with pytest.raises(ConfigurationError, match="out of bounds"):
        TransformerClassifier(TunableModel(str(folder), "cpu"), epochs=1).regressed(rows[:8], np.full(8, np.nan))


@pytest.mark.models
def test_a_body_that_is_not_there_is_refused(tmp_path: Path) -> None:
    torch, safetensors = pytest.importorskip("torch"), pytest.importorskip("safetensors.torch")
    from sfumato.errors import MissingExtraError
    from sfumato.models.encoders.tunable import TunableModel
    from tiny_models import tiny_bert

    with pytest.raises(MissingExtraError, match="no folder"):
        TunableModel("./nothing").load(2)
    folder = tiny_bert(tmp_path / "model")
    weights = safetensors.load_file(folder / "model.safetensors")
    for change, reason in ((lambda one: one * torch.nan, "not numbers"), (None, "lacks weights")):
        name = next(one for one in weights if "layer.0.attention" in one)
        changed = {one: weight for one, weight in weights.items() if change or one != name}
        changed |= {name: change(weights[name])} if change else {}
        safetensors.save_file(changed, folder / "model.safetensors", {"format": "pt"})
        with pytest.raises(ConfigurationError, match=reason):
            TunableModel(str(folder)).load(2)
    (folder / "model.safetensors").unlink()
    torch.save({}, folder / "pytorch_model.bin")
    with pytest.raises(ConfigurationError, match="pickled"):
        TunableModel(str(folder)).load(2)
