"""Texts that nobody wrote for a detector: no error, little time, and marks that are whole words."""

from __future__ import annotations

import base64
import random
import time

import pytest

from sfumato.detectors.identifiers import Identifiers
from sfumato.detectors.scripts import OTHER_SCRIPT
from sfumato.text.document import Document
from sfumato.text.marks import Spans

pytestmark = pytest.mark.models

DRAW = random.Random(7)
CODE = (
    "def total(rows):\n    result = 0\n    for row in rows:\n        if row.price > 10:  # too much\n"
    "            result += row.price * 1.19\n    return result\n\n"
)
NOTE = "Mr Kwame Okafor of Leeds, 41, wrote to k.okafor@example.org on 3 May 2021 about order 550-88213"
TEXTS = {
    "no space": "x" * 1_000_000,
    "no space in capitals": "Okafor" * 20_000,
    "digits": "7" * 100_000,
    "emoji": "😀" * 100_000,
    "emoji apart": "😀 " * 3_000,
    "signs": "!?.,;:()[]" * 500,
    "signs of no width": "\u200b\u200d\ufeff" * 10_000,
    "accents": "a" + "\u0301" * 10_000,
    "right to left": "דוד כהן, רחוב הרצל 12 " * 300,
    "base64": base64.b64encode(DRAW.randbytes(6_000)).decode(),
    "lines of base64": "\n".join(base64.b64encode(DRAW.randbytes(57)).decode() for _ in range(80)),
    "hexadecimal": DRAW.randbytes(8_000).hex(),
    "source code": CODE * 40,
    "no end of a sentence": " and then we went there again" * 400,
    "lines": "\n" * 100_000,
    "blanks": " " * 100_000,
    "tabs": "Anna\tLarsen\t41\n" * 300,
    "controls": "\x00\x01\x1f\x7f Anna Larsen " * 200,
    "half a pair": "Anna Larsen \ud800 left \udfff",
    "nothing": "",
    "scanned": "M r K w a m e 0kaf0r 0f L eeds , b0rn 3 rd M ay 1 98O, l1ves in 0slo " * 40,
    "one word": "Okafor",
}  # fmt: skip


def checked(text: str) -> Spans:
    """The marks of ``text``, which are disjoint, hold more than blanks, and part no word of letters."""
    [spans] = Identifiers().detect([Document(text)])
    Spans.checked(list(spans), len(text), "here")
    for start, end in spans.bounds:
        assert text[start:end].strip()
        for bound in (start, end):
            around = text[max(0, bound - 1) : bound + 1]
            assert not (len(around) == 2 and around.isascii() and around.isalpha() and around.islower()), (start, end)
    return spans


@pytest.mark.parametrize("name", TEXTS)
def test_any_text_is_read_in_little_time(name: str) -> None:
    Identifiers().detect([Document("so that the network is loaded")])
    started = time.process_time()
    checked(TEXTS[name])
    assert time.process_time() - started < 60


def test_a_text_costs_no_more_than_its_length() -> None:
    def seconds(text: str) -> float:
        started = time.process_time()
        checked(text)
        return time.process_time() - started

    seconds(NOTE)
    short, long = seconds(f"{NOTE}. " * 40), seconds(f"{NOTE}. " * 160)
    assert long < 4 + 12 * short


def test_many_emoji_and_much_source_code_hold_nearly_nobody() -> None:
    for name in ("emoji apart", "signs", "no end of a sentence", "source code"):
        text = TEXTS[name]
        marked = sum(end - start for start, end in checked(text).bounds)
        assert marked < 0.1 * len(text), name


def covered(text: str, value: str) -> bool:
    start, bounds = text.index(value), checked(text).bounds
    places = [at for at in range(start, start + len(value)) if text[at].isalnum()]
    return all(any(first <= at < last for first, last in bounds) for at in places)


@pytest.mark.parametrize("name", ["Kwame Ok\u200bafor", "Kwa\u00adme Okafor", "Kw\u200dame Oka\ufefffor"])
def test_a_sign_of_no_width_hides_no_name(name: str) -> None:
    for text in (f"Mr {name} left.", f"Name: {name}\nAge: 41", f"Dr {name} of Leeds wrote to Mr {name}."):
        assert covered(text, name), text


@pytest.mark.parametrize("name", ["Kw\u0430me Okafor", "\u041awame Okafor", "Kwame \u041ek\u0430for"])
def test_a_letter_of_another_alphabet_in_a_name_is_marked_with_its_word(name: str) -> None:
    text = f"Mr {name} left."
    assert covered(text, name)
    labels = {text[one.start : one.end]: one.label for one in checked(text)}
    assert OTHER_SCRIPT in labels.values()


def test_scripts_side_by_side_are_marked() -> None:
    text = "Mr Kwame Okafor met דוד כהן and Иван Петров, 山田太郎, in Leeds."
    for name in ("Kwame Okafor", "דוד כהן", "Иван Петров", "山田太郎"):
        assert covered(text, name), name


@pytest.mark.parametrize("case", [str, str.upper, str.lower], ids=["usual", "capitals", "small"])
def test_patterns_find_the_same_in_any_case(case: type[str]) -> None:
    text = case(f"{NOTE}.")
    for value in ("k.okafor@example.org", "3 May 2021", "550-88213"):
        assert covered(text, case(value)), value


def test_names_that_were_scanned_badly_are_carried_where_they_are_whole() -> None:
    text = "Name: Kwame Okafor\n" + TEXTS["scanned"] + "\nokafor again, and OKAFOR"
    bounds = checked(text).bounds
    for place in (text.rindex("okafor"), text.rindex("OKAFOR")):
        assert any(first <= place and place + 6 <= last for first, last in bounds)
