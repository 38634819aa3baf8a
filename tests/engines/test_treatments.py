"""Several treatments in one release: laws by brute force, consistency, what is fixed, and what never comes back."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from sfumato.abstract.batch import Batch
from sfumato.abstract.detector import Detector
from sfumato.abstract.kind import Form, Kind, Reading
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.engines.engine import Engine
from sfumato.engines.replaced import Kept, Replaced
from sfumato.engines.routes import Route
from sfumato.engines.shift import Shifted
from sfumato.engines.values import DrawnValues
from sfumato.errors import ConfigurationError, InputError
from sfumato.heuristics.redaction import Redaction
from sfumato.kinds.codes import Code
from sfumato.kinds.dates.date import Date
from sfumato.mechanisms.geometric import Geometric
from sfumato.mechanisms.independent import Independent
from sfumato.privacy.randomness import PinnedRandomness, SeededRandomness, SystemRandomness
from sfumato.text.document import Document, Release
from sfumato.text.marks import Span, Spans

DIGITS = ("zero", "one", "two", "three", "four", "five", "six")
DAYS = 60


@dataclass(frozen=True)
class Small(Kind):
    """The numbers 0 to 6 in digits or in words."""

    name = "SMALL"
    unit = "step"

    @property
    def grains(self) -> Sequence[str]:
        return ("whole",)

    @cache  # noqa: B019 (two kinds live as long as the tests)
    def vocabulary(self, grain: str) -> Vocabulary:
        assert grain == "whole"
        return Vocabulary(tuple("0123456"), np.arange(7.0)[:, None], "0 to 6", unit="step")

    def read(self, text: str) -> Reading | None:
        if text in DIGITS:
            return Reading(str(DIGITS.index(text)), Form("whole", ("words",)))
        return Reading(text, Form("whole")) if text in tuple("0123456") else None

    def write(self, value: str, form: Form) -> str:
        return DIGITS[int(value)] if form.style else value

    @property
    def surrogate(self) -> Reading:
        return Reading("3", Form("whole"))

    def public_form(self, grain: str) -> Form:
        return Form(grain)


@dataclass(frozen=True)
class Day(Small):
    """Days "d0" to "d59" and weeks "w0" to "w8" of them."""

    name = "DATE"
    unit = "day"

    @property
    def grains(self) -> Sequence[str]:
        return ("day", "week")

    @cache  # noqa: B019 (two kinds live as long as the tests)
    def vocabulary(self, grain: str) -> Vocabulary:
        step = 1 if grain == "day" else 7
        tokens = tuple(f"{grain[0]}{number}" for number in range(-(-DAYS // step)))
        return Vocabulary(tokens, np.arange(len(tokens), dtype=float)[:, None] * step, grain, unit="day")

    def read(self, text: str) -> Reading | None:
        for grain in self.grains:
            if text in self.vocabulary(grain).tokens:
                return Reading(text, Form(grain))
        return None

    def write(self, value: str, form: Form) -> str:
        return value

    @property
    def surrogate(self) -> Reading:
        return Reading("d30", Form("day"))


@dataclass(frozen=True)
class Marked(Detector):
    """Marks <LABEL:text>, brackets included, so that a test says what is marked."""

    description = "what a test marks"
    unprotected = "the rest"
    pattern: Any = field(default=re.compile(r"\b(small|date|name|code|drug)-(\w+)\b"), compare=False)

    def detect(self, documents: Sequence[Document]) -> list[Spans]:
        return [
            Spans.of([Span(match.start(2), match.end(2), match[1].upper()) for match in self.pattern.finditer(text)])
            for text in (document.text for document in documents)
        ]


def kind_of(label: str, text: str) -> str:
    return {"NAME": "PERSON", "DRUG": "HEALTH"}.get(label, label)


def drawn(epsilon: float = 0.7, **options: Any) -> DrawnValues:
    kind = Small()
    return DrawnValues(kind, {"whole": Route(Geometric(kind.vocabulary("whole"), epsilon))}, **options)


def sanitizer(*treated: Any, **options: Any) -> Engine:
    others = Replaced(Redaction("label"), ())
    return Engine(Marked(), others, treated or (drawn(), Kept(("HEALTH",))), kind_of, **options)


def words(text: str) -> list[str]:
    return re.findall(r"(?:small|date|name|code|drug)-\[?(\w+)\]?", text)


def test_each_kind_has_its_treatment() -> None:
    made = sanitizer()
    release = made.sanitize("small-two of drug-aspirin for name-Priya, small-4.", SeededRandomness(1))
    number, drug, person, digit = words(release.text)
    assert number in DIGITS
    assert digit in "0123456"
    assert (drug, person) == ("aspirin", "PERSON")
    assert release.draws == 2
    assert release.draws_by == {"SMALL": 2}
    assert list(release.labels) == ["SMALL", "PERSON", "SMALL"]


def test_draws_follow_the_law_of_the_mechanism() -> None:
    made = sanitizer(drawn(scope="mention"))
    text = " ".join(["small-two"] * 60)
    counts: Counter[str] = Counter()
    documents = [Document(text, id=str(number)) for number in range(200)]
    for release in made.sanitize_batch(documents, SeededRandomness(2)):
        counts.update(words(release.text))
    law = Geometric(Small().vocabulary("whole"), 0.7).law(2)
    seen = [counts[word] for word in DIGITS]
    assert sum(seen) == 12_000
    assert chisquare(seen, law * 12_000).pvalue > 1e-4
    assert chisquare(seen, np.roll(law, 1) * 12_000).pvalue < 1e-9


def test_a_value_of_a_record_is_drawn_once_in_all_its_forms_and_fields() -> None:
    record = {"id": "r"}
    documents = [Document("small-2, small-two", "a", record), Document("small-2 and small-5", "b", record)]
    for seed in range(30):
        first, second = sanitizer().sanitize_batch(documents, SeededRandomness(seed))
        digit, word = words(first.text)
        assert word == DIGITS[int(digit)]
        assert words(second.text)[0] == digit
        assert (first.draws_by, second.draws_by) == ({"SMALL": 2}, {})


def test_an_unreadable_value_is_the_surrogate_and_pays_for_its_draw() -> None:
    made = sanitizer(drawn(80.0))
    release = made.sanitize("small-seven small-9 small-seven name-Bo", SeededRandomness(3))
    assert words(release.text) == ["3", "3", "3", "PERSON"]
    assert release.draws == 2  # one for each text that cannot be read, and none for its repetition


@pytest.mark.parametrize("scope", ["record", "subject"])
def test_two_texts_that_cannot_be_read_are_drawn_for_apart(scope: str) -> None:
    """Two villages that no list has are two places; each is drawn for as the surrogate, whatever it is."""
    seen = set()
    for seed in range(40):
        made = drawn(0.01, scope=scope, **({"run_key": bytes([seed]) * 32} if scope == "subject" else {}))
        record = Document("small-x small-y small-x", "1", {"who": "Ann"})
        [release] = sanitizer(made, subject_field="who").sanitize_batch([record], SeededRandomness(seed))
        first, second, again = words(release.text)
        assert first == again
        seen.add(first == second)
    assert seen == {True, False}


def test_public_forms_show_no_form() -> None:
    release = sanitizer(drawn(form="public")).sanitize("small-two small-4", SeededRandomness(4))
    assert all(word in "0123456" for word in words(release.text))


def test_no_statement_lists_a_form_that_is_always_the_public_one() -> None:
    """A kind that does not look at its text has one form, whatever the policy says."""
    code = Code()
    for asked in ("keep", "public"):
        routes = {grain: Route(Independent(code.vocabulary(grain))) for grain in code.grains}
        treatment = DrawnValues(code, routes, form=asked)  # type: ignore[arg-type]
        assert treatment.described()["form"] == "public"
        assert not any("form" in told for told in (*treatment.visible, treatment.guarantee.adjacency))
    assert drawn().described()["form"] == "keep"
    assert any("in which form" in line for line in drawn().visible)


def test_brackets_are_listed_only_where_they_can_appear() -> None:
    alone = Engine(Marked(), Kept(()), (drawn(),), kind_of)
    assert not any("brackets" in line for line in alone.visible)


def shifted(epsilon: Fraction = Fraction(1, 3), **options: Any) -> Shifted:
    return Shifted(Day(), epsilon, **options)


def test_a_shift_keeps_intervals_and_follows_the_laplace_law() -> None:
    made = sanitizer(shifted())
    documents = [Document("date-d20 date-d27 date-d22", id=str(number)) for number in range(6000)]
    offsets: Counter[int] = Counter()
    for release in made.sanitize_batch(documents, SeededRandomness(5)):
        first, second, third = (int(word[1:]) for word in words(release.text))
        if 0 < first < 50:
            assert (second - first, third - first) == (7, 2)
        offsets[first - 20] += 1
        assert release.draws_by == {"DATE": 1}
    reach = np.arange(-8, 9)
    expected = np.exp(-np.abs(reach) / 3.0) * math.tanh(1 / 6) * 6000
    seen = np.array([offsets[int(step)] for step in reach])
    assert abs(seen - expected).max() < 5 * math.sqrt(expected.max())
    assert seen[8] > 0.5 * expected[8]  # a shift of no days is as likely as the law says


def test_weeks_move_with_their_first_day_and_both_ends_hold() -> None:
    weeks = shifted()._domains["week"]
    moved = [weeks.moved("w2", offset) for offset in (-99, -8, -7, -1, 0, 6, 7, 99)]
    assert moved == ["w0", "w0", "w1", "w1", "w2", "w2", "w3", "w8"]


def test_days_of_a_week_and_of_a_year_come_round_again() -> None:
    made = Shifted(Date(), Fraction(1, 9))
    weekdays, days, months = (made._domains[grain] for grain in ("weekday", "day-of-year", "month-of-year"))
    assert [weekdays.moved("Monday", offset) for offset in (-1, 1, 6, 7, 15)] == [
        *("Sunday", "Tuesday", "Sunday", "Monday", "Tuesday")
    ]
    assert [days.moved("12-31", offset) for offset in (-1, 0, 1, 366)] == ["12-30", "12-31", "01-01", "12-31"]
    everywhere = {weekdays.moved(day, offset) for day in weekdays.tokens for offset in range(-400, 400)}
    assert everywhere == set(weekdays.tokens)
    assert all(days.moved(day, 0) == day for day in days.tokens)
    assert all(months.moved(month, 0) == month for month in months.tokens)


def test_what_cannot_be_read_is_not_shifted() -> None:
    """A public date that was shifted would give the offset, and with it every date, away."""
    made = sanitizer(shifted())
    documents = [Document("date-Tuesday date-d20", id=str(number)) for number in range(200)]
    pairs = [words(release.text) for release in made.sanitize_batch(documents, SeededRandomness(6))]
    assert {first for first, _ in pairs} == {"DATE"}
    assert len({second for _, second in pairs}) > 5


def test_a_subject_is_shifted_once_in_all_batches_and_an_unnamed_one_is_refused() -> None:
    made = sanitizer(shifted(owner="subject", run_key=bytes(range(32))), subject_field="patient")
    released = []
    for patient in ("anna", "anna", "bo", "cy"):
        document = Document("date-d20", metadata={"patient": patient})
        released.append(made.sanitize(document, SystemRandomness()).text)
    assert released[0] == released[1]
    others = {made.sanitize(Document("date-d20", metadata={"patient": str(n)})).text for n in range(40)}
    assert len(others) > 5
    with pytest.raises(InputError, match="names the person"):
        made.sanitize(Document("date-d20", metadata={"patient": " "}))
    with pytest.raises(ConfigurationError):
        shifted(owner="subject")


def test_another_run_key_shifts_afresh_and_is_another_run() -> None:
    first, second = (
        sanitizer(shifted(Fraction(1, 1000), owner="subject", run_key=key * 32), subject_field="patient")
        for key in (b"a", b"b")
    )
    assert first.run_digest != second.run_digest
    assert first.fingerprint() == second.fingerprint() == first.setting
    assert sanitizer().run_digest == ""


def test_pinned_draws_depend_on_every_marked_text_and_on_the_setting() -> None:
    pin = PinnedRandomness(bytes(range(1, 33)))
    made = sanitizer(drawn(0.05))

    def release(text: str, by: Engine = made) -> list[str]:
        return words(by.sanitize(Document(text, id="r1"), pin).text)

    text = "small-0 small-1 small-2 small-4 small-5 small-6 name-Bo"
    assert release(text) == release(text) == release(text + " More.")
    agreeing = sum(a == b for a, b in zip(release(text), release(text + " name-Cy"), strict=False))
    assert agreeing < 6
    assert release(text) != release(text, sanitizer(drawn(0.06)))


def test_operated_texts_never_come_back_and_draws_never_depend_on_them() -> None:
    """A draw that equals a redacted text of the record is replaced; one that equals a drawn text is not looked at."""
    made = sanitizer(drawn(80.0), Replaced(Redaction("pseudonym"), ("PERSON",)))
    release = made.sanitize("small-two name-two", SeededRandomness(7))
    assert "two" not in release.text
    assert "[SMALL]" in release.text
    assert any("its kind in brackets is there instead, such as [AGE]" in line for line in made.visible)
    for guarded in ("", " name-Priya"):
        release = made.sanitize(f"small-two small-three{guarded}", SeededRandomness(7))
        assert words(release.text)[:2] == ["two", "three"]


def test_a_kind_is_treated_once_and_the_rest_cannot_be_drawn() -> None:
    with pytest.raises(ConfigurationError, match="twice"):
        sanitizer(drawn(), Kept(("SMALL",)))
    with pytest.raises(ConfigurationError, match="cannot be drawn"):
        Engine(Marked(), drawn(), (), kind_of)
    with pytest.raises(ConfigurationError, match="moves dates"):
        Shifted(Small(), Fraction(1))


def test_repair_sees_the_release_alone() -> None:
    seen: list[Release] = []

    def mend(release: Release) -> Release:
        seen.append(release)
        return release

    sanitizer(mended=mend).sanitize("small-two name-Priya", SeededRandomness(8))
    assert "Priya" not in repr([(release.text, release.labels, release.draws_by) for release in seen])


def test_contexts_of_keyed_draws_set_records_and_parts_apart() -> None:
    made = sanitizer()
    documents = [Document("small-2", id="a"), Document("small-2", id="b")]
    batch = Batch(made, documents, PinnedRandomness(bytes(range(1, 33))))
    contexts = batch.contexts([0, 1, 0], [("SMALL", 1), ("SMALL", 1), ("SMALL", 2)])
    assert contexts is not None
    assert len(set(contexts)) == 3
    assert Batch(made, documents, SystemRandomness()).contexts([0], [("SMALL",)]) is None


def test_a_subject_has_one_draw_for_a_value_in_all_of_its_records() -> None:
    made = sanitizer(drawn(0.05, scope="subject", run_key=bytes(range(32))), subject_field="patient")

    def release(patient: str, text: str) -> list[str]:
        return words(made.sanitize(Document(text, metadata={"patient": patient}), SystemRandomness()).text)

    assert release("anna", "small-2 small-5")[::-1] == release("anna", "name-Bo small-5 small-2")[1:]
    assert len({release(str(number), "small-2")[0] for number in range(30)}) > 3
    with pytest.raises(ConfigurationError):
        drawn(scope="subject")


def test_draws_for_people_come_from_the_key_of_the_run() -> None:
    """Two runs draw for a person independently, and nobody without the key of a run can draw as it did."""
    document = Document("small-2", metadata={"patient": "anna"})
    made = [
        sanitizer(drawn(0.05, scope="subject", run_key=bytes(range(key, key + 32))), subject_field="patient")
        for key in range(40)
    ]
    assert len({one.sanitize(document, SystemRandomness()).text for one in made}) > 3


def test_domains_of_a_kind_promise_the_same() -> None:
    """One sentence states the guarantee of a kind; it must hold in all of its domains."""
    kind = Day()
    routes = {grain: Route(Geometric(kind.vocabulary(grain), 0.1)) for grain in kind.grains}
    assert DrawnValues(kind, routes).guarantee.epsilon == 0.1
    with pytest.raises(ConfigurationError, match="several guarantees"):
        DrawnValues(kind, {**routes, "week": Route(Geometric(kind.vocabulary("week"), 0.2))})


def test_a_marked_text_is_replaced_wherever_its_record_holds_it() -> None:
    made = sanitizer(drawn(80.0), Replaced(Redaction("label"), ("PERSON",)))
    record = {"id": "r"}
    documents = [Document("name-Priya saw two", "a", record), Document("Priya, small-two", "b", record)]
    first, second = made.sanitize_batch(documents, SeededRandomness(9))
    assert "Priya" not in first.text + second.text
    assert list(first.labels) == ["PERSON", "SMALL"]


@pytest.mark.parametrize("code", ["PERSON_1", "ZX-12345", "Person_1"])
def test_a_method_without_a_guarantee_does_not_see_what_draws_replaced(code: str) -> None:
    """Pseudonyms skip numbers that the text holds: they must see the text with the draws in it."""
    kind = Small()
    drawn_small = DrawnValues(kind, {"whole": Route(Geometric(kind.vocabulary("whole"), 0.7))})
    made = Engine(Marked(), Replaced(Redaction("pseudonym"), ("PERSON",)), (drawn_small,), kind_of)
    release = made.sanitize(f"small-{code} name-Anna", SeededRandomness(3))
    assert release.text.endswith("name-PERSON_1")


def test_a_method_without_a_guarantee_sees_its_own_marks_in_their_places() -> None:
    seen: list[Any] = []

    @dataclass(frozen=True)
    class Noting(Redaction):
        def replacements(self, records: Any, seeds: Any) -> list[list[str]]:
            seen.extend(records)
            return super().replacements(records, seeds)

    record = {"id": "r"}
    documents = [
        Document("name-Anna small-two name-Bo", "a", record),
        Document("small-three then name-Anna.", "b", record),
    ]
    made = Engine(Marked(), Replaced(Noting("label"), ()), (drawn(80.0),), kind_of)
    made.sanitize_batch(documents, SeededRandomness(4))
    [part] = seen
    assert part.texts == ["Anna", "Bo", "Anna"]
    assert [layout.text for layout in part.layouts] == [document.text for document in part.documents]
    assert part.layouts[0].text == "name-Anna small-two name-Bo"  # epsilon 80 draws what was there


TURNS = [
    ("small-two small-2 small-four date-d10 code-x1", "ada"),
    ("small-two date-d20 date-w3 name-Priya", "ada"),
    ("small-two small-six", "ben"),
    ("name-Priya", "ben"),
]


@pytest.mark.parametrize("scope", ["mention", "record", "subject"])
def test_what_is_planned_is_what_is_drawn(scope: Any) -> None:
    owner: Any = "record" if scope == "mention" else scope
    key = bytes(range(32)) if scope == "subject" else b""
    other = bytes(range(32)) if owner == "subject" else b""
    made = sanitizer(
        drawn(scope=scope, run_key=key), shifted(owner=owner, run_key=other),
        subject_field="patient",
    )  # fmt: skip
    documents = [Document(text, str(n), {"patient": who}) for n, (text, who) in enumerate(TURNS)]
    planned = made.planned(documents)
    releases = made.sanitize_batch(documents, SeededRandomness(2))
    counts = [{draws.treatment: draws.count for draws in own} for own in planned]
    assert counts == [dict(release.draws_by) for release in releases]
    shared = [[source for draws in own for source in draws.shared] for own in planned]
    if scope != "subject":
        assert not any(shared)
        return
    [first, second, third, fourth] = map(set, shared)
    assert len(first) == 3  # two values and the offset
    assert len(first & second) == 2  # "two" and the offset are the same draws
    assert not first & third
    assert fourth == set()
    edited = made.planned([Document("small-five small-two and more", "0", {"patient": "ada"})])
    assert len(set(edited[0][0].shared) & first) == 1  # whatever else the text says


def test_a_record_of_several_texts_plans_once() -> None:
    made = sanitizer(drawn(scope="record"))
    record = {"id": 1}
    documents = [Document("small-two", "a", record), Document("small-two small-one", "b", record)]
    planned = made.planned(documents)
    assert [sum(draws.count for draws in own) for own in planned] == [2, 0]
    assert [release.draws for release in made.sanitize_batch(documents, SeededRandomness(1))] == [2, 0]
