"""What a release still shows is counted for the owner, exactly, and neither a release nor its statement has it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from command_line import CANARY, call, write_jsonl, write_vectors
from sfumato.building.policies import build_policy
from sfumato.detectors.given import Given
from sfumato.engines.engine import Engine
from sfumato.engines.laws import often_unchanged
from sfumato.errors import OutputError
from sfumato.files.counts import NOTHING, Counts
from sfumato.models.calibration import PublicText
from sfumato.policy import Policy
from sfumato.privacy.integer_law import TOTAL
from sfumato.privacy.randomness import Randomness, SeededRandomness
from sfumato.privacy.rank_law import RankLaw
from sfumato.privacy.rank_profile import RankGains
from sfumato.release.chunks import Releasing
from sfumato.release.remains import (
    DRAWN,
    LEFT,
    NAMES,
    NUMBERS,
    SAME,
    UNREAD,
    Remains,
    remains,
    told,
    unchanged,
    unmarked_numbers,
)
from sfumato.text.document import Document, Release
from sfumato.text.marks import Marks, Spans
from sfumato.text.sentences import words

PIECES = st.lists(
    st.tuples(st.text("aA1 éÉﬀ\n", max_size=4), st.text("abAB éÉß1", min_size=1, max_size=3)), max_size=4
)
AGES = '[find]\ndetect = ["given"]\n[[treat]]\nkinds = ["AGE"]\nmechanism = "geometric"\nepsilon = 0.5\n'


def of_pieces(pieces: Sequence[tuple[str, str]], outputs: Sequence[str]) -> tuple[str, Spans, Release]:
    """A text of gaps and marked texts, its spans, and a release with ``outputs`` in their places."""
    text, bounds, parts = "", [], list[str]()
    for (gap, marked), output in zip(pieces, outputs, strict=True):
        bounds.append((len(text) + len(gap), len(text) + len(gap) + len(marked)))
        text += gap + marked
        parts += [gap, output]
    return text, Spans(bounds, "PERSON"), Release.joined("", [*parts, ""], "PERSON", len(bounds))


@given(st.lists(PIECES, min_size=1, max_size=3), st.data())
def test_what_reads_as_before_and_numbers_between_marks_are_counted(
    texts: list[list[tuple[str, str]]], data: st.DataObject
) -> None:
    documents, spans, releases, same, numbers = [], [], [], [], 0
    for pieces in texts:
        outputs = [data.draw(st.sampled_from([own, own.swapcase(), "ab", "x"])) for _, own in pieces]
        text, own, release = of_pieces(pieces, outputs)
        documents.append(Document(text))
        spans.append(own)
        releases.append(release)
        rows = zip(pieces, outputs, strict=True)
        same += [len(a) == len(b) and all(map(_alike, a, b)) for (_, a), b in rows]
        numbers += sum(len(re.findall(r"\S*\d\S*", gap)) for gap, _ in pieces)
    marks = Marks.of(documents, spans)
    assert unchanged(marks, releases).tolist() == same
    assert unmarked_numbers(marks) == numbers


def _alike(one: str, other: str) -> bool:
    return (one.lower() if len(one.lower()) == 1 else one) == (other.lower() if len(other.lower()) == 1 else other)


def test_a_release_with_another_number_of_replacements_is_never_compared() -> None:
    text, spans, release = of_pieces([("", "ann"), (" ", "bob")], ["x", "y"])
    marks = Marks.of([Document(text)], [spans])
    fewer = Release.joined("", ["", "x", " bob"], "PERSON", 1)
    assert not unchanged(marks, [release]).any()
    with pytest.raises(OutputError, match="more or fewer replacements"):
        unchanged(marks, [fewer])


def given_names(folder: Path) -> Path:
    """Records in which every name is marked, and a number that is not."""
    names = ["cat", "dog", "house", "river"] * 6
    rows = [
        {"id": str(number), "text": f"{name} has 3 and {other}", "spans": _spans(name, other)}
        for number, (name, other) in enumerate(pairwise(names))
    ]
    return write_jsonl(folder / "in.jsonl", rows)


def _spans(name: str, other: str) -> list[dict[str, Any]]:
    end = len(name) + len(" has 3 and ")
    bounds = [(0, len(name)), (end, end + len(other))]
    return [{"start": start, "end": last, "label": "PERSON"} for start, last in bounds]


def run(folder: Path, *more: str) -> Any:
    """Sanitize the records by custext over a small vocabulary; return how the command ended."""
    vectors = write_vectors(folder)
    options = ("-m", "custext", "-e", "3", "--set", f"vocabulary={vectors}", "--set", "set_size=4", *more)
    return call("sanitize", str(given_names(folder)), "-o", str(folder / "out.jsonl"), "--force", *options)


def test_the_closing_lines_count_what_came_back_and_what_is_still_there(tmp_path: Path) -> None:
    ran = run(tmp_path, "--detect", "given", "--id-field", "id", "--keep-field", "id")
    assert ran.code == 0, ran.err
    before = [json.loads(line) for line in (tmp_path / "in.jsonl").read_text().splitlines()]
    after = [json.loads(line)["text"] for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    pairs = [
        (old["text"][span["start"] : span["end"]], new, place)
        for old, new in zip(before, after, strict=True)
        for place, span in enumerate(old["spans"])
    ]
    same = sum(new.lower().split()[0 if place == 0 else -1] == name for name, new, place in pairs)
    left = sum(f" {name} " in f" {new.lower()} " for name, new, _ in pairs)
    line = next(line for line in ran.out.splitlines() if line.startswith("For you alone"))
    assert f"{same} of 46 replaced spans read as before" in line
    assert f"{left} of 46 marked names and codes are still there" in line
    assert "23 words with a digit are not marked, and stay" in line
    assert 0 < same < 46


def test_a_statement_has_the_law_and_no_count_of_the_originals(tmp_path: Path) -> None:
    """Two inputs whose draws came back differently have one statement but for the hash of the release."""
    statements = []
    for _ in range(2):
        ran = run(tmp_path, "--detect", "given", "--json")
        counts = ran.json["for_you_alone"]
        statement = json.loads((tmp_path / "out.jsonl.privacy.json").read_text())
        del statement["release"]
        statements.append((statement, counts["returned"][""][SAME]))
    assert statements[0][0] == statements[1][0]
    assert not re.search("returned|remains|still there|read as before", json.dumps(statements[0][0]))
    [entry] = statements[0][0]["vocabularies"].values()
    assert 0 < entry["unchanged"]["expected"] <= entry["unchanged"]["at_most"] < 1


def test_a_statement_says_what_the_costliest_record_pays_in_all(tmp_path: Path) -> None:
    run(tmp_path, "--id-field", "id", "--keep-field", "id")
    summary = json.loads((tmp_path / "out.jsonl.privacy.json").read_text())["summary"]
    assert "epsilon 3, for one token" in summary
    assert summary.endswith("This is for one draw. The record with most draws took 5 and pays epsilon 15 in all.")


def test_the_expected_share_is_that_of_the_law_over_public_words(tmp_path: Path) -> None:
    public = [word for sentence in PublicText.shipped().sentences for word in words(sentence)]
    own = sorted(set(public))[:40]
    vectors = write_vectors(tmp_path, [*own, "zyzzyva"])
    for method in ("santext", "custext"):
        made = sfumato.build(method, 4.0, vocabulary=str(vectors)).others.method
        stays = {word: made.law(place)[place] for place, word in enumerate(made.vocabulary.tokens)}
        often = often_unchanged(made)
        assert often["expected"] == pytest.approx(np.mean([stays[word] for word in public if word in own]))
        assert often["at_most"] == pytest.approx(max(stays.values()))
        assert often_unchanged(made) == often  # from the cache


def test_noise_has_no_law_to_say_it(tmp_path: Path) -> None:
    made = sfumato.build("mahalanobis", 4.0, vocabulary=str(write_vectors(tmp_path)))
    assert often_unchanged(made.others.method) == {}


def test_a_law_by_rank_gives_a_word_back_as_often_as_its_ranks_are_drawn() -> None:
    """By brute force: over words whose ranks are known, the mean probability of their own rank."""
    ranks = [0, 0, 0, 1, 3, 5]
    firsts = (1, 2, 4, 6)
    own = tuple(sum(rank < first for rank in ranks) / len(ranks) for first in firsts)
    gains = RankGains(firsts, (0.2, 0.9, 0.4, 0.1), "a gain, over public words", own=own)
    law = RankLaw(gains, 6)
    probabilities = law.profile(2.0).probabilities
    often = law.unchanged(2.0)
    assert gains.best(2.0) == 2
    assert often["expected"] == pytest.approx(np.mean(probabilities[ranks]))
    assert often["at_most"] == law.profile(2.0).weights[0] / TOTAL == max(probabilities)
    assert often["over"] == "public words"
    assert "expected" not in RankLaw(RankGains(firsts, gains.gains, "a gain, over public words"), 6).unchanged(2.0)


def test_of_a_policy_each_kind_is_counted_and_what_could_not_be_read() -> None:
    made = build_policy(Policy.parse(AGES))
    texts = ["Ann is 40 years old, or aged forty-many", "Bob is 41"]
    spans = [[(7, 19), (24, 39)], [(7, 9)]]
    documents = [
        Document(text, str(number), {"spans": [{"start": a, "end": b, "label": "AGE"} for a, b in own]})
        for number, (text, own) in enumerate(zip(texts, spans, strict=True))
    ]
    releases, marks = made.sanitize_marked(documents, SeededRandomness(1))
    counted = remains(made, documents, releases, marks)
    same = sum(
        release.text[start:end] == text[first:last]
        for text, own, release in zip(texts, spans, releases, strict=True)
        for (first, last), (start, end) in zip(
            own, zip(release.bounds[::2], release.bounds[1::2], strict=True), strict=True
        )
    )
    assert counted.draws == {"AGE": {DRAWN: 3, SAME: same, UNREAD: 1}}
    [line, *_] = list(told(counted.draws, counted.counts))[1:]
    assert line == "1 could not be read, and a public stand-in was replaced (AGE 1)"


def test_rewritten_texts_are_read_for_names() -> None:
    class Rewrites:
        treatments = ()
        guarantee = True
        names = Given()

    documents = [Document("Ann met Bob", "", {"spans": [{"start": 0, "end": 3, "label": "PERSON"}]})]
    releases = [Release.joined("", ["", "Somebody met ann", ""], "TEXT", 3)]
    counted = remains(Rewrites(), documents, releases, None)  # type: ignore[arg-type]
    assert counted == Remains({}, {NAMES: 1, LEFT: 1, "records read for names": 1})
    [line] = told(counted.draws, counted.counts)
    assert line == "1 of 1 found names and codes are still there, in 1 texts that were read for them"


def test_another_way_of_asking_has_the_bound_of_the_law_alone() -> None:
    """The share over public text was measured with the original beside the copy, one word at a time."""
    plain = sfumato.build("dp-mlm", 8.0).statement_fields()["unchanged"]
    for options in ({"block": 4}, {"context": "none"}, {"similarity": 0.003}):
        often = sfumato.build("dp-mlm", 8.0, **options).statement_fields()["unchanged"]
        assert often.keys() == {"at_most"}
    assert plain.keys() == {"at_most", "expected", "over"}
    assert "unchanged" not in sfumato.build("dp-mlm", 8.0, law="softmax").statement_fields()


def test_words_that_a_model_adds_belong_to_no_mark() -> None:
    added = sfumato.build("dp-mlm", 8.0, addition=0.5)
    plain = sfumato.build("dp-mlm", 8.0)
    assert [made.others.mark_by_mark for made in (added, plain)] == [False, True]
    assert plain.names is not None
    assert sfumato.build("dp-mlm", 8.0, detect="given", spans_field="spans").names is None


def test_counts_of_chunks_add_up_and_survive_a_stop() -> None:
    one = Counts(1, 2, 0, {}, 3, returned={"": {DRAWN: 2, SAME: 1}}, remains={NUMBERS: 4})
    assert Counts.from_json((one + one + NOTHING).as_json()).returned == {"": {DRAWN: 4, SAME: 2}}
    assert (one + one).remains == {NUMBERS: 8}


def test_a_sanitizer_with_a_way_of_its_own_is_asked_for_its_releases() -> None:
    """Nothing goes around it: what an engine of another class draws is what is written."""

    class Own(Engine):
        def sanitize_batch(
            self, documents: Sequence[Document], randomness: Randomness | None = None
        ) -> list[Release]:
            raise OutputError("asked")

    built = build_policy(Policy.parse(AGES))
    own = Own(built.detector, built.others, built.treated, built.kind_of)
    with pytest.raises(OutputError, match="asked"):
        Releasing(own, None)._sanitized([Document("x")], [], False)


@pytest.mark.parametrize(("content", "what"), [("", "record"), ('{"text": ""}\n', "text")])
def test_an_empty_input_is_told(content: str, what: str, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text(content)
    vectors = write_vectors(tmp_path)
    options = ("-m", "custext", "-e", "3", "--set", f"vocabulary={vectors}", "--set", "set_size=4")
    ran = call("sanitize", str(tmp_path / "in.jsonl"), "-o", str(tmp_path / "out.jsonl"), *options)
    assert f"The input holds no {what}, so the release is empty." in ran.out
    assert CANARY not in ran.out
