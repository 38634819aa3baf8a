"""The law of whole releases by several treatments, on domains so small that every release is counted.

Two records differ as the adjacency of a treatment says. The bound that is stated for them must hold for the law of
both mentions together, and must be nearly reached: a test of a bound that nothing comes near shows nothing.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2_contingency, chisquare

from sfumato.abstract.detector import Detector
from sfumato.abstract.kind import Form, Kind, Reading
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.attacks.distinguishing import Distinguishing
from sfumato.engines.engine import Engine
from sfumato.engines.replaced import Replaced
from sfumato.engines.routes import Route
from sfumato.engines.shift import Shifted
from sfumato.engines.values import DrawnValues
from sfumato.heuristics.redaction import Redaction
from sfumato.mechanisms.geometric import Geometric
from sfumato.mechanisms.independent import Independent
from sfumato.privacy.randomness import SystemRandomness
from sfumato.text.document import Document
from sfumato.text.marks import Span, Spans

pytestmark = pytest.mark.law

SAMPLES = 3_000
NEAR = 5_000
"""For a bound that must be nearly reached: of :func:`low` places, by six standard deviations of what is found."""
ACCEPT = 1e-9
EPSILON = 0.8
Pair = tuple[str, str]


@dataclass(frozen=True)
class Steps(Kind):
    """The values v0 to v5, a day apart from each other, and in capitals; ``gaze`` says whether it looks."""

    gaze: bool = True
    name = "STEP"
    unit = "day"

    @property
    def looks(self) -> bool:  # type: ignore[override]
        return self.gaze

    @property
    def grains(self) -> Sequence[str]:
        return ("step",)

    @cache  # noqa: B019 (two kinds live as long as the tests)
    def vocabulary(self, grain: str) -> Vocabulary:
        return Vocabulary(tuple(f"v{n}" for n in range(6)), np.arange(6.0)[:, None], grain, unit="day")

    def read(self, text: str) -> Reading | None:
        if not self.gaze:
            return self.surrogate
        loud = ("loud",) if text.isupper() else ()
        return Reading(text.lower(), Form("step", loud)) if re.fullmatch("[vV][0-5]", text) else None

    def write(self, value: str, form: Form) -> str:
        return value.upper() if form.style else value

    @property
    def surrogate(self) -> Reading:
        return Reading("v2", Form("step"))

    def public_form(self, grain: str) -> Form:
        return Form(grain)


@dataclass(frozen=True)
class Marked(Detector):
    """Marks v0 to v9 and V0 to V9."""

    description = "what a test marks"
    unprotected = "the rest"
    pattern: Any = field(default=re.compile(r"\b[vV]\d\b"), compare=False)

    def detect(self, documents: Sequence[Document]) -> list[Spans]:
        return [
            Spans.of([Span(match.start(), match.end(), "STEP") for match in self.pattern.finditer(document.text)])
            for document in documents
        ]


@cache
def sanitizer(treatment: Any, subject: str | None = None) -> Engine:
    return Engine(Marked(), Replaced(Redaction("label"), ()), (treatment,), lambda label, _: label, subject)


@cache
def values(scope: Any, form: Any = "keep", independent: bool = False, gaze: bool = True) -> DrawnValues:
    kind = Steps(gaze)
    domain = kind.vocabulary("step")
    made = Independent(domain) if independent else Geometric(domain, EPSILON)
    return DrawnValues(kind, {"step": Route(made, "surrogate", 2)}, form, scope, bytes(range(32)))


def releases(made: Engine, first: str, second: str, apart: bool = False) -> Callable[[int], list[Pair]]:
    """Return what samples two released mentions: of a record, or ``apart`` in two records of a person."""
    asked = 0

    def sampler(count: int) -> list[Pair]:
        nonlocal asked
        documents = []
        for number in range(asked, asked + count):
            who = f"{first} {second} {number}"  # another person each time
            texts = (first, second) if apart else (f"{first} {second}",)
            documents += [Document(text, metadata={"who": who}) for text in texts]
        asked += count
        made_of = [release.text for release in made.sanitize_batch(documents, SystemRandomness())]
        words = [word for text in made_of for word in text.split()]
        return list(zip(words[::2], words[1::2], strict=True))

    return sampler


@cache
def drawn(made: Engine, pair: Pair, apart: bool = False, samples: int = SAMPLES) -> list[Pair]:
    """Return ``samples`` released mentions, the same for all that is asserted of one sanitizer and one pair.

    No assertion compares them with themselves, so each is wrong as rarely as with draws of its own.
    """
    return releases(made, *pair, apart)(samples)


def shown(
    made: Engine, first: Pair, second: Pair, apart: bool = False, samples: int = SAMPLES, by: Any = tuple
) -> float:
    """Return a lower bound on the privacy loss between two records, which is wrong once in a million runs.

    The auditor is told of each release what ``by`` makes of it.
    """
    assert first != second
    auditor = Distinguishing(confidence=1 - 1e-6, samples=samples)

    def told(pair: Pair) -> Callable[[int], list[Any]]:
        return lambda count: [by(release) for release in drawn(made, pair, apart, count)]

    return auditor.audit(told(first), told(second)).epsilon


def low(release: Pair) -> int:
    """Return how many of two values are v0 or v1; a move from v1 to v2 makes such a value as rare as epsilon allows.

    Of whole releases the auditor needs luck to choose those that tell most, and one choice in some thousand is poor.
    """
    return sum(value in ("v0", "v1") for value in release)


def nearly(made: Engine, first: Pair, second: Pair, apart: bool = False) -> float:
    """Return the bound by :func:`low` places."""
    return shown(made, first, second, apart, NEAR, low)


def loss(first: Any, second: Any) -> float:
    """Return the largest log ratio of two laws, given as arrays over the same releases."""
    return float(np.abs(np.log(first) - np.log(second)).max())


def counted(made: Engine, pair: Pair, apart: bool = False, samples: int = SAMPLES) -> Any:
    """Return how often each pair of values was released, shape (6, 6)."""
    counts = Counter(drawn(made, pair, apart, samples))
    return np.array([[counts[f"v{n}", f"v{m}"] for m in range(6)] for n in range(6)])


def fit(counts: Any, law: Any) -> float:
    """Return the p-value of the chi-squared test that ``counts`` follow ``law``; the rarest outcomes make one bin.

    Bins of two or three expected draws would make a p-value of 1e-6 ten times as likely as it says.
    """
    order = np.argsort(law, axis=None)
    seen, expected = counts.ravel()[order], law.ravel()[order] / law.sum() * counts.sum()
    rare = int(np.searchsorted(np.cumsum(expected), 12.0)) + 1
    binned = [np.append(row[rare:], row[:rare].sum()) for row in (seen, expected)]
    return float(chisquare(*binned, sum_check=False).pvalue)


LAW = np.array([*map(Geometric(Steps().vocabulary("step"), EPSILON).law, range(6))])


# --- geometric draws ---


def test_mentions_are_drawn_by_themselves_and_pay_each() -> None:
    """Two mentions of one value that both change pay twice; a release drawn once would show no such loss."""
    made = sanitizer(values("mention"))
    both = np.array([np.outer(LAW[value], LAW[value]) for value in (1, 2)])
    assert loss(*both) == pytest.approx(2 * EPSILON)
    assert fit(counted(made, ("v1", "v1"), samples=NEAR), both[0]) > ACCEPT
    assert shown(made, ("v1", "v1"), ("v2", "v2"), samples=NEAR) <= 2 * EPSILON
    assert 1.1 * EPSILON < nearly(made, ("v1", "v1"), ("v2", "v2")) <= 2 * EPSILON
    assert shown(made, ("v1", "v4"), ("v2", "v4"), samples=NEAR) <= EPSILON
    assert 0.4 * EPSILON < nearly(made, ("v1", "v4"), ("v2", "v4")) <= EPSILON
    [release] = made.sanitize_batch([Document("v1 v1")])
    assert release.draws_by == {"STEP": 2}


@pytest.mark.parametrize("scope", ["record", "subject"])
def test_a_value_is_drawn_once_for_all_its_places(scope: Any) -> None:
    """Both places change for the price of one draw, because they hold one draw."""
    made, apart = sanitizer(values(scope), "who"), scope == "subject"
    counts = counted(made, ("v1", "v1"), apart, NEAR)
    assert counts.sum() == np.trace(counts) == NEAR
    assert fit(np.diag(counts), LAW[1]) > ACCEPT
    assert shown(made, ("v1", "v1"), ("v2", "v2"), apart, NEAR) <= EPSILON
    assert 0.5 * EPSILON < nearly(made, ("v1", "v1"), ("v2", "v2"), apart) <= EPSILON
    different = counted(made, ("v1", "v4"), apart)
    assert fit(different, np.outer(LAW[1], LAW[4])) > ACCEPT


def test_equal_and_unequal_values_are_told_apart_as_the_statement_says() -> None:
    """(v1, v1) against (v1, v2): what is drawn once for a value shows that two places say the same."""
    made = values("record")
    assert "which mentions of STEP of a record say the same" in made.visible
    assert shown(sanitizer(made, "who"), ("v1", "v1"), ("v1", "v2"), samples=NEAR) > EPSILON
    assert not [line for line in values("mention").visible if "say the same" in line]
    assert shown(sanitizer(values("mention")), ("v1", "v1"), ("v1", "v2"), samples=NEAR) <= EPSILON


def test_distances_are_paid_for_each_unit_up_to_both_ends() -> None:
    made = sanitizer(values("mention"))
    assert loss(LAW[0], LAW[1]) == pytest.approx(EPSILON)
    assert shown(made, ("v0", "v4"), ("v1", "v4"), samples=NEAR) <= EPSILON
    assert EPSILON < shown(made, ("v3", "v0"), ("v3", "v2"), samples=NEAR) <= 2 * EPSILON


def test_a_kept_form_shows_nothing_of_the_value_and_a_public_one_hides_the_form() -> None:
    kept, public = sanitizer(values("mention")), sanitizer(values("mention", "public"))
    assert {(a.isupper(), b.isupper()) for a, b in drawn(kept, ("V1", "v3"))} == {(True, False)}
    assert shown(kept, ("V1", "v3"), ("V2", "v3")) <= EPSILON
    assert not [word for pair in drawn(public, ("V1", "v3")) for word in pair if word.isupper()]
    assert shown(public, ("V1", "v3"), ("v1", "v3")) == 0.0
    assert shown(public, ("V1", "v3"), ("v2", "v3")) <= EPSILON


def test_what_cannot_be_read_is_drawn_like_the_surrogate() -> None:
    made = sanitizer(values("mention"))
    assert shown(made, ("v9", "v4"), ("v2", "v4"), samples=NEAR) == 0.0
    assert shown(made, ("v9", "v4"), ("v3", "v4"), samples=NEAR) <= EPSILON


# --- draws that do not look ---


@pytest.mark.parametrize("gaze", [True, False])
@pytest.mark.parametrize("scope", ["mention", "record", "subject"])
def test_independent_draws_have_one_law_for_all_values(scope: Any, gaze: bool) -> None:
    made, apart = sanitizer(values(scope, independent=True, gaze=gaze), "who"), scope == "subject"
    first, second = (counted(made, pair, apart) for pair in (("v0", "v4"), ("v5", "v1")))
    table = np.array([first.ravel(), second.ravel()])
    assert chi2_contingency(table).pvalue > ACCEPT
    assert fit(first, np.ones((6, 6))) > ACCEPT
    same = counted(made, ("v1", "v1"), apart)
    assert (np.trace(same) == SAMPLES) == (scope != "mention")


# --- shifts ---


def shift_law(dates: Sequence[int], epsilon: float) -> Any:
    """Return the law of two shifted dates by the definition: offsets by their weights, cut off at both ends."""
    law = np.zeros((6, 6))
    for offset in range(-200, 201):
        place = tuple(min(5, max(0, date + offset)) for date in dates)
        law[place] += math.exp(-epsilon * abs(offset)) * math.tanh(epsilon / 2)
    return law


@pytest.mark.parametrize("owner", ["record", "subject"])
def test_a_shift_has_its_law_and_its_bound(owner: Any) -> None:
    made = sanitizer(Shifted(Steps(), Fraction(4, 5), owner, bytes(range(32))), "who")
    apart = owner == "subject"
    laws = [shift_law(dates, EPSILON) for dates in ((1, 3), (2, 4))]
    possible = laws[0] > 0.0
    assert (possible == (laws[1] > 0.0)).all()
    assert loss(laws[0][possible], laws[1][possible]) <= EPSILON + 1e-12
    counts = counted(made, ("v1", "v3"), apart, NEAR)
    assert counts[~possible].sum() == 0
    assert fit(counts[possible], laws[0][possible]) > ACCEPT
    assert fit(counts[possible], shift_law((1, 3), 1.3 * EPSILON)[possible]) < ACCEPT
    assert shown(made, ("v1", "v3"), ("v2", "v4"), apart, NEAR) <= EPSILON
    assert 0.4 * EPSILON < nearly(made, ("v1", "v3"), ("v2", "v4"), apart) <= EPSILON


def test_a_shift_protects_no_interval_and_says_so() -> None:
    treatment = Shifted(Steps(), Fraction(1, 2))
    assert shown(sanitizer(treatment), ("v1", "v3"), ("v1", "v2")) > 2.0
    assert "the intervals between the dates of a record, exactly where days are given" in treatment.visible


def test_a_person_is_shifted_once_and_two_people_are_shifted_apart() -> None:
    """The records of one person move together in all batches; a second person's offset tells nothing of it."""
    made = sanitizer(Shifted(Steps(), Fraction(1, 3), "subject", bytes(range(32))), "who")
    people = [
        [Document("v2", metadata={"who": f"{name}{number}"}) for number in range(SAMPLES)] for name in ("a", "b")
    ]
    texts = [[release.text for release in made.sanitize_batch(documents)] for documents in people]
    assert texts[0] == [release.text for release in made.sanitize_batch(people[0][:500])] + texts[0][500:]
    table = np.zeros((6, 6))
    for first, second in zip(*texts, strict=True):
        table[int(first[1]), int(second[1])] += 1
    assert chi2_contingency(table).pvalue > 1e-6
    accents = [Document("v2", metadata={"who": name}) for name in ("Ren\u00e9", " Rene\u0301 ")]
    keys = [bytes(range(first, first + 32)) for first in range(40)]
    persons = [sanitizer(Shifted(Steps(), Fraction(1, 9), "subject", key), "who") for key in keys]
    pairs = [[release.text for release in made.sanitize_batch(accents)] for made in persons]
    assert all(first == second for first, second in pairs)
    assert len({first for first, _ in pairs}) > 1
