"""Words that are not marked and may be identifiers: their chances, what is counted, and that no text is quoted."""

from __future__ import annotations

from typing import Any

import pytest

from sfumato.detectors import doubting
from sfumato.detectors.identifiers import Identifiers
from sfumato.detectors.rules import Listed
from sfumato.detectors.sampled import Sampled
from sfumato.detectors.uniting import Combined
from sfumato.errors import InputError
from sfumato.text.document import Document
from sfumato.text.marks import Doubts, Finding

TEXT = "Mr John Okafor lives in Munich. Perhaps may asked reading for the swift report, 12 of them."


@pytest.fixture(scope="module")
def whole() -> Identifiers:
    return Identifiers()


def words_of(doubts: Doubts, text: str = TEXT) -> dict[str, float]:
    return {text[word.start : word.end]: word.score or 0.0 for word in doubts.words}


def test_a_mark_takes_the_words_that_it_overlaps() -> None:
    words = [Finding(0, 4, "A", 0.5), Finding(5, 9, "A", 0.25), Finding(10, 12, "A", 0.1)]
    doubts = Doubts(words, 0.05)
    assert doubts.expected == pytest.approx(0.9)
    assert doubts.outside([Finding(3, 5)]).words == words[1:]
    assert doubts.outside([Finding(4, 5), Finding(8, 20)]).words == words[:1]
    assert doubts.outside([]).words == words
    assert doubts.outside([Finding(0, 99)]).expected == pytest.approx(0.05)
    assert Doubts().expected == 0


def test_a_detector_without_chances_has_no_doubts() -> None:
    listed = Listed.from_lines(["Anna"])
    assert listed.doubts([Document("Anna")] * 2) == [Doubts(), Doubts()]


@pytest.mark.models
def test_every_word_has_its_calibrated_chance_once(whole: Identifiers, monkeypatch: pytest.MonkeyPatch) -> None:
    [usual] = whole.doubts([Document(TEXT)])
    assert words_of(usual)["Munich"] > 0.9
    assert all(word.score >= doubting.LEAST and word.finder == "network" for word in usual.words if word.score)
    [empty, signs] = whole.doubts([Document(""), Document("-- ?")])
    assert (empty.expected, signs.expected) == (0, 0)
    monkeypatch.setattr(doubting, "LEAST", 0.0)
    [every] = whole.doubts([Document(TEXT)])
    assert list(words_of(every)) == TEXT.replace(".", "").replace(",", "").split()
    assert (every.others, every.expected) == (0, pytest.approx(usual.expected))
    monkeypatch.setattr(doubting, "_WINDOW", 400)
    monkeypatch.setattr(doubting, "_OVERLAP", 100)
    long = " ".join([TEXT] * 20)
    [cut] = whole.doubts([Document(long)])
    assert [long[word.start : word.end] for word in cut.words] == [*words_of(every)] * 20


@pytest.mark.models
def test_only_the_labels_that_are_looked_for_count(whole: Identifiers) -> None:
    names, all_kinds = (
        {*words_of(made.doubts([Document(TEXT)])[0])} for made in (Identifiers(labels={"DATE"}), whole)
    )
    assert "Munich" in all_kinds - names


@pytest.mark.models
def test_detectors_around_it_hand_its_doubts_on(whole: Identifiers) -> None:
    own = whole.doubts([Document(TEXT)])
    assert Sampled(whole, 0.5).doubts([Document(TEXT)]) == own
    assert Combined((Listed.from_lines(["Anna"]), whole)).doubts([Document(TEXT)]) == own


@pytest.mark.models
def test_a_network_that_fails_is_told_without_the_text(whole: Identifiers, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Any, texts: Any) -> Any:
        raise ValueError(texts[0])

    monkeypatch.setattr(type(whole._finder._network), "answers", fail)
    with pytest.raises(InputError, match=r"the network failed \(ValueError\)") as caught:
        whole.doubts([Document(TEXT)])
    assert "Okafor" not in str(caught.value)
    assert caught.value.__context__ is None
