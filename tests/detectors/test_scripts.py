"""Words in scripts that are not read: all of them are marked, and looking for them costs little."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.detectors import scripts
from sfumato.detectors.identifiers import Identifiers
from sfumato.text.document import Document


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("Patient דוד כהן, רחוב הרצל 12, תל אביב came.", ["דוד כהן, רחוב הרצל 12, תל אביב"]),
        ("on 5 مايو 2020 he", ["5 مايو 2020"]),
        ("小英 met Ann\n北京市 5月3日", ["小英", "北京市 5月3日"]),
        ("Аlice wrote", ["Аlice"]),  # a Cyrillic capital
        ("Ａｌｉｃｅ wrote", ["Ａｌｉｃｅ"]),
        ("𝐀𝐥𝐢𝐜𝐞 wrote", ["𝐀𝐥𝐢𝐜𝐞"]),
        ("étude in Đorđevićs Łódź, ʃaː, Ⅳ, ª", []),
        ("TNF-α, TNFα, NF-κB, Δt, 5 µg, 𝑝 < 0.05, kΩ, №5, ™, 😀", []),
        ("by ⼭⽥⼤⼈ and 〇〇 or ⠚⠕⠓⠝", ["⼭⽥⼤⼈", "〇〇", "⠚⠕⠓⠝"]),  # radicals, a figure, Braille: no letters
        ("Ⓐⓛⓘⓒⓔ or 🇯🇴🇭🇳 or ㋐㋑ or a\ue000b", ["Ⓐⓛⓘⓒⓔ", "🇯🇴🇭🇳", "㋐㋑", "a\ue000b"]),
        ("ᴀʟɪᴄᴇ or ˢᵐⁱᵗʰ or \u0391lice or Al𝐢ce", ["ᴀʟɪᴄᴇ", "ˢᵐⁱᵗʰ", "\u0391lice", "Al𝐢ce"]),
        ("\u0399\u0301\u03c9 and 𝐀̲𝐥̲", ["\u0399\u0301\u03c9", "𝐀̲𝐥̲"]),
        ("\u0410li\u200bce or И1van or Иван_petrov", ["\u0410li\u200bce", "И1van", "Иван_petrov"]),
        ("at רחוב הרצל, 12, (3) or", ["רחוב הרצל, 12, (3"]),
        ("12 345 דוד", ["12 345 דוד"]),
        ("(«Иван»), who", ["Иван"]),
        ("no letter: 12 + 34 = 46 €", []),
    ],
)
def test_words_that_no_english_pipeline_reads(text: str, marked: list[str]) -> None:
    assert [text[one.start : one.end] for one in scripts.unread(text, "en")] == marked


def test_a_pipeline_reads_the_scripts_of_its_language() -> None:
    text = "Иван Петров и דוד כהן"
    assert [text[one.start : one.end] for one in scripts.unread(text, "ru")] == ["דוד כהן"]
    assert list(scripts.unread("Ελένη", "el")) == []
    assert [one.label for one in scripts.unread("Ελένη", "de")] == [scripts.OTHER_SCRIPT]


@given(st.text(st.sampled_from("aéשД中αβ5 ,\ńー")))
def test_every_letter_of_another_script_is_marked(text: str) -> None:
    spans = [(one.start, one.end) for one in scripts.unread(text, "en")]
    for at, letter in enumerate(text):
        if letter in "שД中":
            assert any(start <= at < end for start, end in spans)


def test_looking_for_scripts_takes_no_longer_than_the_text() -> None:
    for text in (
        ("1, " * 13 + "д x ") * 3_000,
        "'" * 100_000 + "д" + "'" * 100_000,
        "д " + "5 " * 100_000,
        "5" * 100_000 + "д",
        ("д" + " " * 30) * 10_000,
        "é" * 300_000 + "д",
    ):
        started = time.process_time()
        assert len(list(scripts.unread(text, "en"))) >= 1
        assert time.process_time() - started < 5


@pytest.mark.models
def test_what_cannot_be_read_never_stays() -> None:
    whole = Identifiers()
    text = "Mr Lee and דוד כהן of تل أبيب."
    [spans] = whole.detect([Document(text)])
    assert {text[one.start : one.end] for one in spans} >= {"דוד כהן", "تل أبيب"}
    beside = "Patient иван петров 12 kg loss, 35 mg."
    [spans] = whole.detect([Document(beside)])
    labels = {beside[one.start : one.end]: one.label for one in spans}
    assert next(label for part, label in labels.items() if "иван" in part) == scripts.OTHER_SCRIPT  # no QUANTITY=keep
    assert scripts.OTHER_SCRIPT in whole.known_labels
