"""Whether a synthetic record tells about somebody, beyond what it tells about people who took no part."""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

import numpy as np

from sfumato.attacks.linkage import Held
from sfumato.attacks.linkers import BM25
from sfumato.protection.telling import Telling, group

PLACES = ("Bergen", "Oslo", "Narva", "Tartu", "Riga", "Vilnius", "Gdansk", "Kiel", "Malmo", "Turku")
WORK = ("welder", "baker", "pilot", "tailor", "miner", "farmer", "drummer", "plumber", "judge", "smith")


class Words:
    """An encoder: a direction for each word, so that texts of other words are far apart."""

    id = "words"
    dimensions = 4096

    def encode(self, phrases: Sequence[str], progress: object = None) -> np.ndarray:
        rows = np.zeros((len(phrases), self.dimensions))
        for row, phrase in zip(rows, phrases, strict=True):
            for word in phrase.lower().split():
                row[crc32(word.encode()) % self.dimensions] += 1.0
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


class Sentences:
    """A splitter at full stops."""

    description = "sentences"

    def split(self, texts: Sequence[str], progress: object = None) -> list[tuple[str, ...]]:
        return [tuple(part.strip() for part in text.split(".") if part.strip()) for text in texts]


def story(place: str, work: str) -> str:
    return " ".join(f"{place}{number} {work}{number}." for number in range(5))


PEOPLE = [story(place, work) for place, work in zip(PLACES, WORK, strict=True)]
OTHERS = [story(f"New{place.lower()}", f"senior{work}") for place, work in zip(PLACES, WORK, strict=True)]
GENERIC = ["Somebody came yesterday. Nothing was asked. All went home."] * 5


def rate(texts: Sequence[str]) -> float:
    telling = Telling(texts, Words(), Sentences())  # type: ignore[arg-type]
    members, others = (group([{}] * len(own), own, Sentences()) for own in (PEOPLE, OTHERS))  # type: ignore[arg-type]
    by_words, _ = telling.rates(members.knowing_claims(2, 0), others.knowing_claims(2, 0)).values()
    return by_words.value


def test_who_is_copied_is_found_and_nobody_in_what_tells_of_nobody() -> None:
    assert rate(PEOPLE) == 1.0
    assert rate(PEOPLE[:5]) == 0.5
    assert rate(GENERIC) == 0.0


def test_what_is_found_of_people_held_out_counts_against_it() -> None:
    assert rate([*PEOPLE, *OTHERS]) == 0.0
    assert rate(OTHERS) < 0.0


def test_who_holds_nothing_or_of_whom_nothing_is_left_counts_nowhere() -> None:
    telling = Telling(PEOPLE, Words(), Sentences())  # type: ignore[arg-type]
    able = [Held(("Born in Bergen",), ("Works as welder",))]
    empty = [Held((), ("Works as welder",)), Held(("Born in Bergen",), ())]
    assert all(each.n == 2 and each.value == 0.0 for each in telling.rates([*able, *empty], able).values())
    assert all(each.n == 0 for each in telling.rates(empty, able).values())


def test_a_record_tells_from_half_of_the_claims_on() -> None:
    telling = Telling(["Born in Bergen. Works as welder."], Words(), Sentences())  # type: ignore[arg-type]
    half, less = (Held(("Bergen",), ("Born in Bergen", *["Keeps seven brown hens"] * strange)) for strange in (1, 2))
    assert telling.told([half, less], BM25(telling.texts)) == [True, False]
