"""``training/detector`` on two tiny corpora: partial labels, the same batches again, a run resumed, and export."""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from sfumato.models.token_classifier.calibration import Calibration
from sfumato.models.token_classifier.card import packaged
from sfumato.models.token_classifier.labels import CLASSES, KINDS
from sfumato.models.token_classifier.network import TokenClassifier, load_tokenizer

torch = pytest.importorskip("torch")

SCRIPTS = Path(__file__).parents[2] / "training" / "detector"
NAMES = ("Anna Larsen", "Kwame Okafor", "Li Wei", "Maria Rossi", "Jan Novak", "Zoë Müller")
PERSON, DATE = KINDS.index("PERSON"), KINDS.index("DATE")


@pytest.fixture(scope="module")
def scripts() -> Iterator[SimpleNamespace]:
    """The modules of the training, which import each other by their bare names."""
    if not SCRIPTS.is_dir():
        pytest.skip("the training scripts are not part of this copy")
    names = ("corpora", "batching", "network", "exporting", "measuring", "train", "calibrating")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(SCRIPTS)
        for name in names:
            patch.delitem(sys.modules, name, raising=False)
        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        yield SimpleNamespace(**{name: import_module(name) for name in names})
        torch.set_num_threads(threads)
        for name in names:
            sys.modules.pop(name, None)


def entity(text: str, words: str, label: str, **more: Any) -> dict[str, Any]:
    start = text.index(words)
    return {"start": start, "end": start + len(words), "label": label, **more}


def corpus(folder: Path, name: str, exhaustive: list[str], *, dates: bool) -> None:
    """Write a corpus of names, with dates that are marked or not."""
    (folder / name).mkdir(parents=True)
    about = {"name": name, "language": "en", "licence": "CC0 1.0", "exhaustive": exhaustive}
    (folder / name / "about.json").write_text(json.dumps(about), "utf-8")
    for part, turns in (("train", 4), ("dev", 1)):
        lines = []
        for number, who in enumerate(NAMES * turns):
            text = f"{who} came on {number + 1} May and left her red bag."
            marks = [entity(text, who, "PERSON", identifier_type="DIRECT" if number % 2 else "NO_MASK")]
            marks += [entity(text, f"{number + 1} May", "DATE")] if dates else []
            lines.append(json.dumps({"text": text, "entities": marks}))
        (folder / name / f"{part}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("corpora")
    corpus(made, "en_whole", ["PERSON", "DATE"], dates=True)
    corpus(made, "en_names", ["PERSON"], dates=False)  # its dates are marked nowhere
    return made


@pytest.fixture
def asked(scripts: SimpleNamespace, folder: Path, tmp_path: Path) -> argparse.Namespace:
    (tmp_path / "state").mkdir()
    words = ["--corpora", folder, "--state", tmp_path / "state", "--layers", 1, "--length", 24, "--pieces", 200]
    given: argparse.Namespace = scripts.train.arguments([*map(str, words), "--threads", "1"])
    return given


def begun(scripts: SimpleNamespace, asked: argparse.Namespace) -> Any:
    """An untrained run in float32, so that its sums are those of every machine."""
    training = scripts.train.prepared(asked)
    training.half = False
    training.network.train()
    return training


def steps(training: Any, count: int) -> list[float]:
    """The losses of so many steps."""
    last = training.steps + count
    losses = []
    for rows in training.batches():
        if training.steps == last:
            break
        before = list(training.losses)
        training.step(rows, 1e-3)
        losses.append(before[0] + (training.losses[0] - before[0]) / 0.2)
    return losses


def test_a_corpus_leaves_open_what_it_does_not_mark(scripts: SimpleNamespace, folder: Path) -> None:
    names, whole = scripts.corpora.corpora(folder, "train")
    assert (names.name, whole.name, names.exhaustive) == ("en_names", "en_whole", {"PERSON"})
    tokenizer = load_tokenizer()
    for own, dates in ((names, True), (whole, False)):
        record = own.records(tokenizer, 1)[0]
        assert record.open[0]
        assert not record.open[1 + 2 * PERSON : 3 + 2 * PERSON].any()
        assert record.open[1 + 2 * DATE : 3 + 2 * DATE].tolist() == [dates, dates]
        assert not record.open[1 + 2 * KINDS.index("EMAIL")]  # a text without an @ holds none
        assert record.classes[0] == 1 + 2 * PERSON
        assert record.classes[1] == 2 + 2 * PERSON
    assert set(np.unique(names.records(tokenizer)[0].classes)) == {0, 1 + 2 * PERSON, 2 + 2 * PERSON}
    told = [record.telling.max() for record in names.records(tokenizer, 2)]
    assert told == [0, 1]  # NO_MASK and DIRECT


def test_a_mark_outside_the_kinds_is_left_out_of_the_loss(scripts: SimpleNamespace, tmp_path: Path) -> None:
    text = "The Titanic sank; Anna swam."
    (tmp_path / "own.jsonl").write_text(
        json.dumps({"text": text, "entities": [entity(text, "Titanic", "OTHER"), entity(text, "Anna", "PERSON")]})
    )
    [record] = scripts.corpora.made(tmp_path / "own.jsonl").records(load_tokenizer())
    words = {text[start:end]: label for start, end, label in zip(
        record.pieces.starts, record.pieces.ends, record.classes, strict=True)}  # fmt: skip
    assert (words["Titanic"], words["Anna"], words["swam"]) == (scripts.corpora.UNKNOWN, 1 + 2 * PERSON, 0)
    assert record.open.sum() == 1


def test_the_loss_with_partial_labels_is_that_of_a_plain_computation(scripts: SimpleNamespace) -> None:
    draw = np.random.default_rng(3)
    logits, told = draw.normal(size=(2, 5, CLASSES)), draw.normal(size=(2, 5))
    classes = np.array([[0, 1, 2, -1, 0], [0, 0, 7, 8, -1]])
    telling = np.array([[-1, 1, 0, -1, -1], [-1, -1, 1, -1, -1]])
    allowed = np.zeros((2, CLASSES), dtype=bool)
    allowed[:, 0] = True
    allowed[1, [7, 8]] = True
    losses, answers = [], []
    for row in range(2):
        for place in range(5):
            shares = np.exp(logits[row, place]) / np.exp(logits[row, place]).sum()
            label = classes[row, place]
            if label == 0:
                losses.append(-np.log(shares[allowed[row]].sum()))
            elif label > 0:
                losses.append(-np.log(shares[label]))
            if telling[row, place] >= 0:
                share = 1 / (1 + np.exp(-told[row, place]))
                answers.append(-np.log(share if telling[row, place] else 1 - share))
    given = [torch.from_numpy(each) for each in (logits, told, classes, telling, allowed)]
    loss, answer = scripts.network.loss_of(*given)
    assert loss.item() == pytest.approx(np.mean(losses), rel=1e-5)
    assert answer.item() == pytest.approx(np.mean(answers), rel=1e-5)
    closed = torch.zeros_like(given[4])
    closed[:, 0] = True
    assert scripts.network.loss_of(*given[:4], closed)[0].item() > loss.item() + 1e-4  # so the test can fail
    nothing = scripts.network.loss_of(*given[:3], torch.full((2, 5), -1), given[4])[1]
    assert nothing.item() == 0


def test_a_padded_row_has_the_answers_of_the_row_alone(scripts: SimpleNamespace, asked: argparse.Namespace) -> None:
    training = begun(scripts, asked)
    training.network.eval()
    rows = [row for batch in scripts.batching.round_of(training.records, 0, asked) for row in batch]
    rows = sorted(rows, key=lambda row: row[2] - row[1])
    short, long = rows[0], rows[-1]
    for name, tensor in training.network.named_parameters():
        if "classes" in name:
            torch.nn.init.normal_(tensor, generator=torch.Generator().manual_seed(1))
    with torch.inference_mode():
        alone, beside = (scripts.batching.batch_of(each) for each in ([short], [short, long]))
        one, two = (
            training.network(batch.ids, batch.shapes, batch.gaps, batch.mask)[0][0] for batch in (alone, beside)
        )
    assert two.shape[0] > one.shape[0]
    assert torch.allclose(one, two[: one.shape[0]], atol=1e-4)


def test_batches_repeat_with_the_same_seed(scripts: SimpleNamespace, asked: argparse.Namespace) -> None:
    records = scripts.train.prepared(asked).records

    def texts(number: int, seed: int) -> list[list[tuple[str, int, int]]]:
        given = argparse.Namespace(**{**vars(asked), "seed": seed})
        return [
            [(record.text, start, stop) for record, start, stop in batch]
            for batch in scripts.batching.round_of(records, number, given)
        ]

    assert texts(0, 1) == texts(0, 1)
    assert texts(0, 1) != texts(1, 1)
    assert texts(0, 1) != texts(0, 2)
    covered = {row[0] for batch in texts(0, 1) for row in batch}
    assert covered == {record.text for own in records.values() for record in own}
    [plain, other, again] = [
        scripts.batching.batch_of(scripts.batching.round_of(records, 0, asked)[0], draw)
        for draw in (None, np.random.default_rng(4), np.random.default_rng(4))
    ]
    assert torch.equal(other.shapes, again.shapes)
    assert torch.equal(plain.ids, other.ids)


def test_a_run_that_stopped_and_resumed_ends_as_one_that_did_not(
    scripts: SimpleNamespace, asked: argparse.Namespace
) -> None:
    """The resumed run passed over the batch that it had stopped before, and dropped other states out."""
    whole = begun(scripts, asked)
    count = 2 * len(scripts.batching.round_of(whole.records, 0, asked)) - 1  # over the end of a round
    losses = steps(whole, count)
    assert len(losses) == count
    assert np.mean(losses[-3:]) < 0.7 * np.mean(losses[:3])
    assert not list(asked.state.iterdir())
    first = begun(scripts, asked)
    steps(first, 3)
    first.keep()
    torch.rand(9)  # something else draws meanwhile
    resumed = begun(scripts, asked)
    resumed.resume()
    assert resumed.steps == 3
    steps(resumed, count - 3)
    assert (resumed.steps, resumed.pieces, resumed.round) == (whole.steps, whole.pieces, whole.round)
    ended = dict(resumed.network.named_parameters())
    for name, tensor in whole.network.named_parameters():
        assert torch.equal(tensor, ended[name]), name


def test_exported_weights_answer_as_the_network(
    scripts: SimpleNamespace, asked: argparse.Namespace, tmp_path: Path
) -> None:
    training = begun(scripts, asked)
    steps(training, 12)
    training.network.eval()
    path = tmp_path / "own.safetensors"
    scripts.exporting.export(training.network, path, {"steps": training.steps})
    records = training.records["en_whole"][:8]
    answers = TokenClassifier(path).answers([record.text for record in records])
    rounded = scripts.network.Network(1)
    scripts.exporting.begin_with(rounded, path)
    rounded.eval()
    for made, most in ((rounded, 5e-3), (training.network, 0.08)):
        with torch.inference_mode(), pytest.MonkeyPatch.context() as patch:
            patch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)
            for answer, (_, classes, telling) in zip(
                answers, scripts.measuring.probabilities(made, records), strict=True
            ):
                assert np.abs(answer.classes - classes).max() < most
                assert np.abs(answer.telling - telling).max() < most
    assert max(answer.classes[:, 1:].max() for answer in answers) > 0.2  # it has learned something


def test_the_script_trains_measures_and_exports(
    scripts: SimpleNamespace, asked: argparse.Namespace, folder: Path, tmp_path: Path
) -> None:
    path = tmp_path / "out.safetensors"
    words = ["--corpora", folder, "--state", asked.state, "--export", path, "--minutes", 0.02, "--layers", 1]
    scripts.train.main([*map(str, words), "--threads", "1", "--pieces", "300", "--leave-out", "en_whole"])
    card = json.loads(path.with_suffix(".json").read_text("utf-8"))
    assert card["steps"] > 0
    assert card["layers"] == 1
    assert card["settings"]["seed"] == 1
    assert set(card["data"]) == {"en_names"}
    [names, _] = scripts.corpora.corpora(folder, "train")
    assert card["data"]["en_names"] == {"sha256": names.digest, "licence": names.licence}
    assert set(card["figures"]) == {"en_whole", "en_names"}
    assert all(card["figures"][name]["recall"] < scripts.train.WEAK for name in card["weak"])
    [line] = (asked.state / "curve.jsonl").read_text("utf-8").splitlines()
    assert {"en_whole", "en_names"} <= set(json.loads(line))  # what is left out is measured all the same
    digest = hashlib.sha256(path.with_suffix(".json").read_bytes()).hexdigest()
    assert TokenClassifier(path).id == f"identifiers@{digest[:16]}"
    assert len(TokenClassifier(path).answers(["Anna Larsen came."])[0].pieces) >= 3


def test_probabilities_are_calibrated_and_the_card_is_pinned(
    scripts: SimpleNamespace, folder: Path, tmp_path: Path
) -> None:
    own = tmp_path / "own.safetensors"
    shutil.copy(packaged(), own)
    told = json.loads(packaged().with_suffix(".json").read_text("utf-8"))
    own.with_suffix(".json").write_text(json.dumps({"sha256": told["sha256"], "layers": told["layers"]}))
    source = tmp_path / "pinned.py"
    source.write_text('"""One."""\n\nCARD = "0"\nOTHER = "1"\n')
    scripts.calibrating.main(["--corpora", str(folder), "--weights", str(own), "--source", str(source)])
    digest = hashlib.sha256(own.with_suffix(".json").read_bytes()).hexdigest()
    assert source.read_text() == f'"""One."""\n\nCARD = "{digest}"\nOTHER = "1"\n'
    made = TokenClassifier(own)
    assert made.id == f"identifiers@{digest[:16]}"
    assert made.card.languages["en"]["words"] > 10
    assert made.card.languages["en"]["recall"] == 1
    assert made.card.calibration.chance(PERSON, 0.999) > 0.9


def test_a_table_is_monotone_and_has_the_share_of_each_bin(scripts: SimpleNamespace) -> None:
    draw = np.random.default_rng(2)
    odds = draw.normal(scale=5, size=40_000)
    truth = draw.random(40_000) < 1 / (1 + np.exp(-odds / 2))  # twice as sure as it should be
    told = scripts.calibrating.table_of(odds, truth)
    calibration = Calibration.of({"tables": {"names": told}})
    for share in (0.02, 0.2, 0.5, 0.8, 0.98):
        wanted = 1 / (1 + (1 / share - 1) ** 0.5)
        assert calibration.chance(PERSON, share) == pytest.approx(wanted, abs=0.05)
        assert share == 0.5 or abs(share - wanted) > 0.1
    falls = scripts.calibrating.table_of(np.array([-3.0, 0.1, 3.0]), np.array([False, True, False]))
    assert falls["shares"] == [0, 0.5, 0.5]


def test_a_word_is_judged_where_its_kind_is_marked_without_gaps(scripts: SimpleNamespace, folder: Path) -> None:
    names, whole = scripts.corpora.corpora(folder, "dev")
    for corpus, judged in ((names, 2), (whole, 4)):
        [record] = corpus.records(load_tokenizer(), 1)  # "Anna Larsen came on 1 May and left her red bag."
        classes = np.full((len(record.pieces), CLASSES), 1e-4, dtype=np.float32)
        classes[:, 0], classes[:2, 1 + 2 * PERSON], classes[2:, 1 + 2 * DATE] = 0.5, 0.4, 0.3
        given = scripts.calibrating.Answered(corpus, record, classes, classes[:, 0])
        groups, _, truth = scripts.calibrating.judged(given)
        assert truth.sum() == judged
        assert set(groups) == ({"names"} if corpus is names else {"names", "figures"})
