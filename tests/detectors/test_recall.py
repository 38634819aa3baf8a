"""Shares of many values in short texts that are marked: what a network may miss once, and not often."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest

from sfumato.detectors.identifiers import Identifiers
from sfumato.text.document import Document

pytestmark = pytest.mark.models

NAMES = {
    "by Mr A. Demetriades, a lawyer": "Demetriades", "saw Dr. Ludwig van der Berg there": "Ludwig van der Berg",
    "Patient: Anna Lee\nWard 3": "Anna Lee", "signed J.P. Morgan-Smith": "Morgan-Smith",
    "Judge O’Brien The court": "O’Brien", "i know ms quinzia well": "quinzia", "told dr patel today": "patel",
    "nurse Oluwaseun Adeyemi gave it": "Oluwaseun Adeyemi", "Rosalind Ashdown, aged 45, was admitted": "Ashdown",
    "seen: Rosalind May Ashdown 72-year-old": "Rosalind May Ashdown", "his wife, Annika, was told": "Annika",
    "he met Capt. Lee today": "Lee", "Call Anna Berg": "Anna Berg", "Greet Anna Berg": "Anna Berg",
    "Email Anna Berg today. Tell Tom Okafor.": "Tom Okafor", "Call Dr Larsen on 555-0100.": "Larsen",
    "Priyanka Deshmukh, 22, veterinary student": "Priyanka Deshmukh", "Wife Annika rang.": "Annika",
    "spine. Rosalind Achterberg, 72, bell-ringer": "Rosalind Achterberg", "Son Gerald rang too.": "Gerald",
    "Verity Ashcombe-Lal (40) rang": "Verity Ashcombe-Lal", "regarding Baby Anouk, who": "Anouk",
    "Emeka O., clinic code 12": "Emeka", "The complaint was filed by Jordan Smith.": "Jordan Smith",
    "Afterwards the dispute with Mr Quillfeather ended.": "Quillfeather", "Mr Church met the doctor.": "Church",
    "Spoke to Nguyen Thi Lan on Monday.": "Nguyen Thi Lan", "Thanks, Siobhán": "Siobhán",
    "Maria del Carmen García López signed it": "Maria del Carmen García López", "A. Rahman came": "Rahman",
}  # fmt: skip
"""Texts with a name that is to be marked."""
OTHERS = {
    "the Istanbul Assize Court held": "Istanbul", "He studied at Klagenfurt University.": "Klagenfurt University",
    "paid by Blue Sky Trading Ltd. in full": "Blue Sky Trading", "the Court of Appeal of Poznań": "Poznań",
    "of Leeds BD8 7TT, or": "BD8 7TT", "in K1A 0B1 then": "K1A 0B1",
    "She moved to Salt Lake City, UT.": "Salt Lake City",
    "lives at 4 Station Road, Much Wenlock; seen": "4 Station Road", "bread from El Paso. Looks well": "El Paso",
    "a clinic in Exeter on 4 July": "Exeter", "sent to 44 Lindenweg, Kassel at once": "Lindenweg",
    "sent to Kanaalstraat 40, Utrecht at once": "Utrecht", "He paid about 120,000 euros for it": "120,000",
    "She works for Siemens in Munich.": "Siemens", "the DHKP-C met in Ankara": "Ankara",
    "a man of 34 from Oslo": "Oslo", "He was born in Kraków in 1987.": "Kraków",
    "the Immigration Appeals Board": "Immigration",
    "She was admitted to Ullevål Hospital.": "Ullevål Hospital", "for Norsk Hydro ASA since May": "Norsk Hydro",
}  # fmt: skip
"""Texts with a place, a firm or an amount that is to be marked."""
NOTHING = (
    "The cat sat on the mat.", "He was tired and went to bed early.", "Please wash your hands before you eat.",
    "The results were normal, and the pain is better.", "It was a long walk through the woods.",
    "Thank you for your help with this.", "The printer does not work again.", "We will look into it and call back.",
    "Water boils when it is hot enough.", "She read the book twice and liked it.", "Knee quieter. Slept well.",
    "the dr said so, and her husband left", "My password is lost and the screen is black.", "Take it with food.",
)  # fmt: skip
"""Texts that hold nobody and nothing to replace."""


def missed(rows: Mapping[str, str]) -> list[str]:
    """The texts of which a letter or digit of the value is not marked."""
    found = Identifiers().detect([Document(text) for text in rows])
    lost = []
    for (text, value), spans in zip(rows.items(), found, strict=True):
        start = text.index(value)
        places = [at for at in range(start, start + len(value)) if text[at].isalnum()]
        if not all(any(first <= at < last for first, last in spans.bounds) for at in places):
            lost.append(text)
    return lost


@pytest.mark.parametrize(
    ("case", "least"), [(str, 0.9), (str.upper, 0.85), (str.lower, 0.75)], ids=["usual", "capitals", "small"]
)
def test_nearly_all_names_are_marked(case: type[str], least: float) -> None:
    lost = missed({case(text): case(name) for text, name in NAMES.items()})
    assert len(lost) <= (1 - least) * len(NAMES), lost


def test_nearly_all_places_firms_and_amounts_are_marked() -> None:
    lost = missed(OTHERS)
    assert len(lost) <= 0.2 * len(OTHERS), lost


def test_the_highest_level_misses_no_more_names() -> None:
    high = [Identifiers(strict=strict).detect([Document(text) for text in NAMES]) for strict in ("low", "high")]
    marked = [sum(end - start for spans in every for start, end in spans.bounds) for every in high]
    assert marked[0] <= marked[1]


def words(texts: Iterable[str]) -> int:
    return sum(len(text.split()) for text in texts)


def test_few_words_of_texts_that_hold_nobody_are_marked() -> None:
    found = Identifiers().detect([Document(text) for text in NOTHING])
    marks = [text[start:end] for text, spans in zip(NOTHING, found, strict=True) for start, end in spans.bounds]
    assert words(marks) <= 0.1 * words(NOTHING), marks
