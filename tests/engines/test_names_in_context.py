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
from sfumato.kinds.people.layouts import FAMILY, GIVEN, INSTITUTION
from sfumato.kinds.people.names import first_names_of
from sfumato.kinds.people.person import Person
from sfumato.language.letter_case import case_key
from sfumato.language.people import OTHER_MARK, OTHER_NAME
from sfumato.policy import Policy
from sfumato.privacy.randomness import SystemRandomness
from sfumato.text.document import Document
from sfumato.text.marks import Layout
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
    "{} is my fiancée",
    "her husband's mother {}",
    "the actress {}",
    "{}, a retired waitress",
    "{} is a well-built woman",
    "{}, a @ woman,",
    "{}, @ girl, fell",
    "the baby girl, {}",
    "a woman called {}",
    "{} (F), seen",
    "{}, @F, seen",
    "Patient: {}\nBorn: @\nSex: F\n",
    "{} told us that she is well",
    "{} came on @ with her son",
    "Admitted: {}. She was well.",
    "{} was seen on @ in @. Her pain is worse.",
    "{} hurt herself",
)
MEN = (
    "her husband {}",
    "my dad {}",
    "my boyfriend {}",
    "his son, {}",
    "{}, her brother",
    "his wife's father {}",
    "{}, a @ boy",
    "{} was a policeman",
    "newborn boy {}",
    "the infant, a boy named {},",
    "Name: {}, gender: male",
    "{}, her husband, came",
    "{} and his wife",
    "{} said he left",
    "Thank you for seeing {}. He came on @.",
)
NEITHER = (
    "{} came",
    "the wife of {}",
    "his partner {}",
    "his wife met {}",
    "his wife. {}",
    "{}'s son",
    "{} met her",
    "{} saw her in hospital",
    "{} and # came. She left.",
    "# met {}. He left.",
    "{} met #. He left.",
    "seen by {}. She is well.",
    "{}'s wife came. She is well.",
    "{}, @ wife",
    "{}, who saw the woman",
    "{}, a friend of the woman",
    "{} told the nurse that she left",
    "{}, F. Lowe",
    "Dear {}, she is well",
)
SIGNS = str.maketrans({"@": OTHER_MARK, "#": OTHER_NAME})
LAST_NAMES = ("the {} family", "at the {} household", "née {}", "maiden name: {}", "{} brothers")
INSTITUTIONS = ("at {} Hospital", "{} Cancer Pavilion", "{} & Sons", "{} Street", "{} Memorial Library of Law")


@pytest.mark.parametrize(("gender", "texts"), [("woman", WOMEN), ("man", MEN), ("person", NEITHER)])
def test_the_text_beside_a_name_says_its_domain(gender: str, texts: tuple[str, ...]) -> None:
    kind = Person()
    reading = kind.read("Robin")
    assert reading is not None
    for text in texts:
        assert kind.placed(reading, *text.translate(SIGNS).split("{}")).form.grain == gender, text


def test_the_text_beside_a_lone_name_says_that_it_is_a_last_name() -> None:
    kind = Person()
    reading = kind.read("Robin")
    assert reading is not None
    assert {kind.placed(reading, *text.split("{}")).form.style[1] for text in LAST_NAMES} == {FAMILY}
    assert {kind.placed(reading, *text.split("{}")).form.style[1] for text in (*WOMEN, *MEN, *NEITHER)} == {GIVEN}


def test_a_name_before_an_institution_is_a_part_of_its_name() -> None:
    kind = Person()
    reading = kind.read("Robin")
    assert reading is not None
    for text in INSTITUTIONS:
        assert kind.placed(reading, *text.split("{}")).form.style[-1] == INSTITUTION, text
    for text in ("{} came to hospital", "{} and Ann", "{} The Hospital"):
        assert kind.placed(reading, *text.split("{}")) == reading, text


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
    text = "Ann met Anna-wife Robin there."
    spans = [
        {"start": 0, "end": 3, "label": "PERSON"},
        {"start": 8, "end": 17, "label": "ORG"},
        {"start": 18, "end": 23, "label": "PERSON"},
    ]
    engine = Engine(Given(), Replaced(Redaction("label")))
    batch = Batch(
        engine, [Document("", "0", {"spans": []}), Document(text, "1", {"spans": spans})], SystemRandomness()
    )
    assert batch.around(2) == (f"{OTHER_NAME} met {OTHER_MARK} ", " there.")
    assert batch.around(0) == ("", f" met {OTHER_MARK} {OTHER_NAME} there.")
    assert batch.around(1) == (f"{OTHER_MARK} met ", f" {OTHER_MARK} there.")


def test_what_another_mark_hides_changes_nothing_around_a_name() -> None:
    """All texts of one shape give one text around each mark, of bounded length, however long the others are."""
    around = set()
    for hidden in ("wife", "x", "his wife " * 100):
        text = f"{'a' * 500} {hidden} Robin {hidden} {'b' * 500}"
        spans = [(501, 501 + len(hidden)), (502 + len(hidden), 507 + len(hidden))]
        spans.append((508 + len(hidden), 508 + 2 * len(hidden)))
        around.add(Layout(text, spans, ["ORG", "PERSON", "ORG"]).around(1))
    [(before, after)] = around
    assert before[-3:] == after[:3] == f" {OTHER_MARK} "
    assert len(before) == len(after) == 200
