"""A run with a ledger looks for marks once; what was kept of them is drawn with only if it is what was paid for."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from ledger_runs import PIN, begin, release, sanitizer, write_records
from sfumato.abstract.detector import Detector
from sfumato.detectors.words import Words
from sfumato.errors import OutputError
from sfumato.files import Parts
from sfumato.ledger import Ledger
from sfumato.release import plans
from sfumato.release.kept_marks import KeptMarks
from sfumato.text.document import Document
from sfumato.text.marks import Spans

TEXTS = ["cat dog", "river stone", "", "green winter friend"]


@dataclass(frozen=True)
class Counting(Detector):
    """Marks every word, or from its second look at a text on the last one alone, and notes what it looked at."""

    steady: bool = field(default=True, compare=False)
    labels: bool = False
    looked: list[str] = field(default_factory=list, compare=False)
    description = unprotected = "-"

    def detect(self, documents: Sequence[Document]) -> list[Spans]:
        found = []
        for document in documents:
            words = [(word.start(), word.end()) for word in re.finditer(r"\S+", document.text)]
            if not self.steady and document.id in self.looked:
                words = words[-1:]
            self.looked.append(document.id)
            found.append(Spans(words, [f"L{n}" for n, _ in enumerate(words)] if self.labels else "WORD"))
        return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_records(tmp_path / "in.jsonl", TEXTS)
    return tmp_path


def counting(folder: Path, **options: Any) -> Any:
    method: Any = sanitizer(folder)
    return replace(method, detector=Counting(**options))


@pytest.mark.parametrize("labels", [False, True])
def test_marks_are_found_once_and_the_draws_are_the_same(folder: Path, labels: bool) -> None:
    alone = release(folder, None, "alone.jsonl", PIN, counting(folder, labels=labels))
    method = counting(folder, labels=labels)
    with begin(folder) as ledger:
        paid = release(folder, ledger, "paid.jsonl", PIN, method)
    assert sorted(method.detector.looked) == [f"r{n}" for n in range(len(TEXTS))]
    assert paid.output.read_bytes() == alone.output.read_bytes()
    assert paid.summary is not None
    assert alone.summary is not None
    assert paid.summary.labels == alone.summary.labels
    assert not list(folder.rglob("*.marks"))
    assert not list(folder.glob(".paid*"))


def kept_by(folder: Path, ledger: Ledger, method: Any, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Return where the marks are of a run that was stopped when it had paid."""

    def stopped(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Parts, "add", stopped)
        with pytest.raises(KeyboardInterrupt):
            release(folder, ledger, randomness=PIN, method=method)
    paths = sorted(folder.rglob("*.marks"))
    assert len(paths) == 2  # chunks
    return paths


def altered(content: bytes) -> bytes:
    """Return segments whose spans end one character sooner."""
    size = int.from_bytes(content[:8], "little")
    told, _, columns = zlib.decompress(content[8 : 8 + size]).partition(b"\n")
    bounds = bytearray(columns)
    bounds[4] -= 1
    packed = zlib.compress(told + b"\n" + bytes(bounds))
    return len(packed).to_bytes(8, "little") + packed + content[8 + size :]


WAYS = {
    "gone": lambda content: None,
    "empty": lambda content: b"",
    "cut off": lambda content: content[:20],
    "altered": altered,
    "no marks": lambda content: b"\xff" * 40,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("steady", [True, False])
def test_marks_that_were_lost_or_altered_are_found_again(
    folder: Path, way: str, steady: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    with begin(folder) as ledger:
        method = counting(folder, steady=steady)
        for path in kept_by(folder, ledger, method, monkeypatch):
            assert path.stat().st_mode & 0o077 == 0
            assert path.parent.stat().st_mode & 0o077 == 0
            content = WAYS[way](path.read_bytes())
            path.unlink() if content is None else path.write_bytes(content)
        if steady:
            done = release(folder, ledger, randomness=PIN, method=method, resume=True)
            alone = release(folder, None, "alone.jsonl", PIN, counting(folder))
            assert done.output.read_bytes() == alone.output.read_bytes()
        else:
            with pytest.raises(OutputError, match="marked otherwise than when its cost was reserved"):
                release(folder, ledger, randomness=PIN, method=method, resume=True)
            assert not (folder / "out.jsonl").exists()


def test_a_resumed_run_draws_with_the_marks_that_it_paid_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with begin(folder) as ledger:
        method = counting(folder, steady=False)
        kept_by(folder, ledger, method, monkeypatch)
        looked = len(method.detector.looked)
        done = release(folder, ledger, randomness=PIN, method=method, resume=True)
        assert len(method.detector.looked) == looked
    alone = release(folder, None, "alone.jsonl", PIN, counting(folder))
    assert done.output.read_bytes() == alone.output.read_bytes()


def test_a_plan_that_is_lost_and_comes_out_otherwise_is_not_drawn(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The plan of another marking would have been compared with itself, and nobody would have paid for it."""
    with begin(folder) as ledger:
        for steady in (False, True):
            method = counting(folder, steady=steady)
            kept_by(folder, ledger, method, monkeypatch)
            for path in folder.rglob(f"*.{plans.SUFFIX}"):
                path.unlink()
            if steady:
                release(folder, ledger, randomness=PIN, method=method, resume=True)
                continue
            with pytest.raises(OutputError, match="marked otherwise"):
                release(folder, ledger, randomness=PIN, method=method, resume=True)
            assert not (folder / "out.jsonl").exists()


def test_marks_of_another_text_are_never_taken() -> None:
    """Not even of one that has its name: they would leave a part of it unmarked."""
    document, other = Document("cat dog", "x"), Document("caterpillar", "x")
    planning = KeptMarks(Words())
    planning.detect([document])
    segment = planning.segment([document])
    drawing = KeptMarks(Words())
    drawing.begin(segment, {"x": planning.taken([document])})
    drawing.turn()
    [spans] = drawing.detect([other])
    assert list(spans.bounds) == [(0, 11)]
    assert drawing.taken([other]) != planning.taken([document])


def test_columns_of_kept_marks_are_those_of_the_detector() -> None:
    documents = [Document(text, str(n)) for n, text in enumerate(["Anna came.", "", "a cat, a dog", "\ud83d x"])]
    planning = KeptMarks(Words())
    first = planning.mark(documents)
    segment = planning.segment(documents)
    planned = {document.id: planning.taken([document]) for document in documents}
    drawing = KeptMarks(Words())
    drawing.begin(segment, planned)
    drawing.turn()
    again = drawing.mark(documents)
    for name in ("codes", "origins", "lengths", "starts", "ends", "counts"):
        assert getattr(first, name).tolist() == getattr(again, name).tolist()
    assert json.dumps(first.labels) == json.dumps(again.labels)
    assert planned == {document.id: drawing.taken([document]) for document in documents}
