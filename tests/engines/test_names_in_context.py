"""The text beside a name says whether it is a woman's or a man's; another mark says nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sfumato.abstract.batch import Batch
from sfumato.building.policies import build_policy
from sfumato.detectors.given import Given
from sfumato.engines.engine import Engine
from sfumato.engines.replaced import Replaced
from sfumato.heuristics.redaction import Redaction
from sfumato.kinds.people.names import first_names_of
from sfumato.kinds.people.person import Person
from sfumato.language.letter_case import case_key
from sfumato.policy import Policy
from sfumato.privacy.randomness import SystemRandomness
from sfumato.text.document import Document
from short_lists import short_lists

POLICY = """
[find]
detect = ["given"]
[[treat]]
kinds = ["PERSON"]
mechanism = "independent"
consistency = "document"
[treat_others]
method = "label"
"""


@pytest.fixture(scope="module")
def made() -> Iterator[Engine]:
    with short_lists():  # until the end: domains are made when something is drawn
        yield build_policy(Policy.parse(POLICY))


def document(text: str, *names: str) -> Document:
    spans = [{"start": (at := text.index(name)), "end": at + len(name), "label": "PERSON"} for name in names]
    return Document(text, "1", {"spans": sorted(spans, key=lambda span: span["start"])})


WOMEN = (
    "his wife {}",
    "her daughter, {}",
    "my mum {}",
    "{}, his sister,",
    "{} (her mother)",
    "her husband's mother {}",
)
MEN = ("her husband {}", "my dad {}", "his son, {}", "{}, her brother", "his wife's father {}")
NEITHER = (
    "{} came",
    "the wife of {}",
    "his partner {}",
    "{} and his wife",
    "his wife met {}",
    "his wife. {}",
    "{}'s son",
)


@pytest.mark.parametrize(("gender", "texts"), [("woman", WOMEN), ("man", MEN), ("person", NEITHER)])
def test_the_text_beside_a_name_says_its_domain(gender: str, texts: tuple[str, ...]) -> None:
    kind = Person()
    reading = kind.read("Robin")
    assert reading is not None
    for text in texts:
        assert kind.placed(reading, *text.split("{}")).form.grain == gender, text


def test_a_title_is_stronger() -> None:
    kind = Person()
    reading = kind.read("Mr Robin Hall")
    assert reading is not None
    assert kind.placed(reading, "his wife ", "") == reading


def test_his_wife_is_a_woman_wherever_she_is_named(made: Engine) -> None:
    own = document("Elena Moss came. His wife Elena met her father John.", "Elena Moss", "John")
    own.metadata["spans"].append({"start": 26, "end": 31, "label": "PERSON"})
    own.metadata["spans"].sort(key=lambda span: span["start"])
    for _ in range(30):
        first, wife, father = made.sanitize_batch([own])[0].replacements
        assert case_key(wife.output) in first_names_of("woman")
        assert case_key(father.output) in first_names_of("man")
        assert first.output.split()[0] == wife.output


def test_another_mark_says_nothing_of_a_name() -> None:
    """A rule that read the original beside a name would show what a mark there hid."""
    text = "He met Anna-wife Robin there."
    spans = [{"start": 7, "end": 16, "label": "ORG"}, {"start": 17, "end": 22, "label": "PERSON"}]
    engine = Engine(Given(), Replaced(Redaction("label")))
    batch = Batch(engine, [Document(text, "1", {"spans": spans})], SystemRandomness())
    assert batch.around(1) == (" ", " there.")
    assert batch.around(0) == ("He met ", " ")
