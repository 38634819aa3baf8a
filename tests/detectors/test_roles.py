"""Words for people beside names: relatives, parties and offices are no part of a name, and no occupation."""

from __future__ import annotations

import pytest

from sfumato.detectors.borders import within_borders
from sfumato.detectors.roles import names_alone
from sfumato.language.languages import LANGUAGES
from sfumato.text.marks import Finding


def marked(code: str, text: str) -> list[str]:
    """The marks that are left of those in ``text``, which stand in brackets and begin with their label."""
    plain, findings = "", []
    for number, piece in enumerate(text.replace("]", "[").split("[")):
        if number % 2:
            label, _, words = piece.partition(" ")
            findings.append(Finding(len(plain), len(plain) + len(words), label, 0.9, "network"))
            piece = words
        plain += piece
    return [plain[own.start : own.end] for own in names_alone(plain, findings, LANGUAGES[code])]


@pytest.mark.parametrize(
    ("code", "text", "names"),
    [
        ("de", "[PERSON Ihr Bruder Mehmet] kam.", ["Mehmet"]),
        ("de", "[PERSON Scholze, Bl. 44 d. A.]", ["Scholze"]),
        (
            "de",
            "[PERSON Anna Ott, Bahnhofstr. 5a, 83059 Kolbermoor]",
            ["Anna Ott", "Bahnhofstr. 5a, 83059 Kolbermoor"],
        ),
        ("fr", "[PERSON Odette Morel, 5 bis av. de la Gare]", ["Odette Morel", "5 bis av. de la Gare"]),
        ("de", "[PERSON Frau Dietrichs Schwester Ute] lebt hier.", ["Frau Dietrichs", "Ute"]),
        ("de", "Sehr geehrter [PERSON Herr Kollege Bergner],", ["Herr Kollege Bergner"]),
        ("de", "mit der [PERSON Physiotherapeutin Annette Kraus] geübt", ["Annette Kraus"]),
        ("de", "durch Oberarzt [PERSON Dr. Klaus Petersen].", ["Oberarzt Dr. Klaus Petersen"]),
        ("de", "[PERSON Dr. K. Petersen        M. Öztürk]", ["Dr. K. Petersen", "M. Öztürk"]),
        ("de", "[PERSON Juan\nRodríguez] kam", ["Juan\nRodríguez"]),
        ("es", "[PERSON Su hermano Carlos] vino", ["Carlos"]),
        ("fr", "avec [PERSON Sa sœur Claire]", ["Claire"]),
        ("it", "[PERSON Sua sorella Giulia] e lui", ["Giulia"]),
        ("nl", "[PERSON Haar broer Piet] kwam", ["Piet"]),
        ("pt", "[PERSON Seu irmão João] veio", ["João"]),
    ],
)
def test_a_name_is_marked_without_the_words_for_people_beside_it(code: str, text: str, names: list[str]) -> None:
    assert marked(code, text) == names


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("de", "[PERSON Frau Koch Anna]"),
        ("de", "[PERSON Vetter]"),
        ("de", "[PERSON Frau Vetter-Klein]"),
        ("de", "[PERSON Frau von Freund]"),
        ("de", "[PERSON Freund, Anna]"),
        ("de", "[PERSON Anna Mü11er]"),
        ("nl", "[PERSON mevrouw de Vriend]"),
        ("pt", "[PERSON Sr. Filho]"),
        ("de", "[PERSON Anna Bruder]"),
        ("de", "[PERSON Koch Anna]"),
        ("de", "[PERSON Anna Richter Bruder]"),
        ("de", "[PERSON Peter Vater Meier]"),
        ("es", "[PERSON María Hermano Díaz]"),
        ("it", "[PERSON Mia Fratello]"),
        ("fr", "[PERSON Claire Lefrère Dupont]"),
        ("pt", "[PERSON Ana Padre Silva]"),
    ],
)
def test_a_last_name_that_is_also_a_word_for_people_stays_marked(code: str, text: str) -> None:
    name = text.removeprefix("[PERSON ").removesuffix("]")
    assert marked(code, text) == [name]


@pytest.mark.parametrize("before", ["Sehr geehrte Frau ", "Patient: ", "Name\t"])
def test_behind_a_title_or_a_key_every_word_is_a_name(before: str) -> None:
    left = marked("de", f"{before}[PERSON Vetter], der Bruder")
    assert [name.removeprefix("Frau ") for name in left] == ["Vetter"]
    assert marked("de", "Da kam ihr [PERSON Vetter] herein.") == []


def test_no_two_marks_overlap() -> None:
    text = "Klinik Oberarzt Dr. Koch"
    found = [Finding(0, 15, "ORGANIZATION", 0.9, "network"), Finding(16, 24, "PERSON", 0.9, "network")]
    first, second = within_borders(text, found, LANGUAGES["de"])
    assert first.end <= second.start < second.end
    assert text[second.start : second.end].endswith("Koch")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("[OCCUPATION Chefarzt] [PERSON Prof. Meier]", ["Chefarzt Prof. Meier"]),
        (
            "[PERSON Dr. A. Meier]      [PERSON B. Lang]\n[OCCUPATION Chefarzt          Oberärztin]\n",
            ["Dr. A. Meier", "B. Lang"],
        ),
        ("Die [OCCUPATION Patientin] kam als [OCCUPATION Verkäuferin].", ["Verkäuferin"]),
        ("Er arbeitet als [OCCUPATION Oberarzt] in Ulm.", ["Oberarzt"]),
        ("Der [OCCUPATION Bäckermeister] [PERSON Hans Meier]", ["Bäckermeister", "Hans Meier"]),
    ],
)
def test_what_somebody_does_is_marked_where_it_tells_something(text: str, left: list[str]) -> None:
    assert marked("de", text) == left
