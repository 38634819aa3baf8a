"""The zoo of mistakes that systems for dates, codes and amounts have made, each built again, small and wrong.

Every mistake must be caught, by its exact loss or by the auditor; its honest twin from this package must pass.
"""

from __future__ import annotations

import hashlib
import math
import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from brute_force import pairwise_loss
from marked_spans import Marked
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.attacks.distinguishing import Distinguishing
from sfumato.engines.engine import Engine
from sfumato.engines.replaced import Kept
from sfumato.engines.shift import Shifted
from sfumato.kinds.codes import Code
from sfumato.kinds.dates.date import Date
from sfumato.kinds.numbers.money import Money
from sfumato.mechanisms.geometric import Geometric
from sfumato.privacy.discrete_noise import discrete_laplace
from sfumato.privacy.line_law import LineLaw
from sfumato.privacy.randomness import RandomDraws, SystemRandomness
from sfumato.text.document import Document

pytestmark = pytest.mark.law

AUDITOR = Distinguishing(confidence=1 - 1e-6, samples=20_000)
EPSILON = 0.5
Sampler = Callable[[int], Any]


def offsets(count: int, epsilon: Fraction = Fraction(1, 2)) -> Any:
    """Return honest offsets, drawn as a shift draws them."""
    words = SystemRandomness().words()
    return np.array([discrete_laplace(1 / epsilon, words) for _ in range(count)])


def shown(first: Sampler, second: Sampler, distance: float = 1.0) -> float:
    return AUDITOR.audit(first, second, distance).epsilon


# --- shifts ---


def test_a_shift_that_is_never_zero() -> None:
    """Shifts of 1 to 30 days in either direction, as many de-identified databases have: the true date never shows."""

    def wrong(day: int) -> Sampler:
        rng = np.random.default_rng(day)
        return lambda n: day + rng.integers(1, 31, size=n) * rng.choice([-1, 1], size=n)

    def redrawn(day: int) -> Sampler:
        def sampler(n: int) -> Any:
            drawn = offsets(2 * n + 400)
            return day + drawn[drawn != 0][:n]

        return sampler

    assert shown(wrong(10), wrong(11)) > 2.0  # no epsilon holds: day 10 comes out of 11 and never of 10
    assert shown(redrawn(10), redrawn(11)) > 2 * EPSILON
    assert shown(lambda n: 10 + offsets(n), lambda n: 11 + offsets(n)) <= EPSILON


def test_a_shift_whose_seed_comes_from_the_record() -> None:
    """A hash of the record's id, or of its text, seeds the shift: who knows it undoes the shift of the release."""

    def hashed(record: str, day: int) -> int:
        return day + random.Random(hashlib.sha256(record.encode()).digest()).randint(-365, 365)

    released = hashed("MRN 0048-2217", 17_000)
    guessed = [record for record in ("MRN 0048-2216", "MRN 0048-2217") if released - hashed(record, 0) == 17_000]
    assert guessed == ["MRN 0048-2217"]
    assert shown(lambda n: [hashed("a", 10)] * n, lambda n: [hashed("a", 11)] * n) > 5.0
    honest = Shifted(Date(), Fraction(1, 2), "subject", bytes(range(4, 36)))
    others = [Shifted(Date(), Fraction(1, 2), "subject", bytes(range(k, k + 32))) for k in range(30)]
    made = {offset_of(treatment, "MRN 0048-2217") for treatment in (honest, *others)}
    assert len(made) > 3  # a secret key decides, and no fact of the record alone
    assert offset_of(honest, "MRN 0048-2217") == offset_of(honest, "MRN 0048-2217")


def offset_of(treatment: Shifted, who: str) -> int:
    """Return the offset of a person in days, as a release shows it of a date that is known."""
    [output] = outputs_of(treatment, "15 June 1975", who=who)
    read, days = treatment.kind.read, treatment.kind.vocabulary("day")
    values = [reading.value for text in ("15 June 1975", output) if (reading := read(text))]
    before, after = (float(days.vectors[days.tokens.index(value), 0]) for value in values)
    return int(after - before)


def test_a_surrogate_that_is_shifted_with_the_rest() -> None:
    """A date that cannot be read becomes 1 January 2000 and moves with the others: it tells the offset of all."""
    surrogate = 100

    def wrong(day: int) -> Sampler:
        def sampler(n: int) -> Any:
            drawn = offsets(n)
            return np.stack([day + drawn, surrogate + drawn], axis=1)

        return sampler

    released = wrong(10)(50)
    assert set(released[:, 0] - (released[:, 1] - surrogate)) == {10}  # undone
    assert shown(wrong(10), wrong(11)) > 2 * EPSILON
    treatment = Shifted(Date(), Fraction(1, 2))
    assert treatment.described()["unreadable"].endswith("which is not shifted")
    seen = {outputs_of(treatment, "15 June 1975", "Ramadan")[1] for _ in range(30)}
    assert seen == {"[DATE]"}


def test_a_word_for_today_that_is_shifted_with_the_dates() -> None:
    """Records are written "today" whenever that is: of two timelines a day apart, both say so.

    If the offset moves the word, the date beside it names the offset, and the original of both.
    """
    treatment, seen = Shifted(Date(), Fraction(1, 2)), Counter[str]()
    by_offset: dict[str, set[str]] = {}
    for _ in range(600):
        day, number, word = outputs_of(treatment, "15 June 1975", "the 17th", "since yesterday")
        by_offset.setdefault(day, set()).add(number)
        seen.update([number, word])
    assert len(by_offset["15 June 1975"]) > 20  # of 31 days, whatever the offset is
    words = [f"since {word}" for word in Date().vocabulary("past day").tokens]
    assert chisquare([seen[word] for word in words]).pvalue > 1e-9
    assert sum(seen[f"the {number}th"] for number in range(4, 21)) == pytest.approx(600 * 17 / 31, abs=90)
    assert "day-of-month" in treatment.described()["undated"]
    assert "may be any of their grain" in treatment.guarantee.adjacency


def outputs_of(treatment: Any, *texts: str, who: str = "") -> list[str]:
    """Return what a treatment puts in place of the mentions of one record, which is about ``who``."""
    whole = " | ".join(texts)
    starts = [sum(len(text) + 3 for text in texts[:number]) for number in range(len(texts))]
    spans = [(start, start + len(text), treatment.kinds[0]) for start, text in zip(starts, texts, strict=True)]
    engine = Engine(Marked(), Kept(), [treatment], subject_field="who")
    return list(engine.sanitize(Document(whole, metadata={"who": who, "spans": spans})).parts[1::2])


def test_every_date_shifted_by_itself_and_paid_for_once() -> None:
    """Two dates of one person, each with an offset of its own, while one offset is claimed for the timeline.

    The auditor is told only how many of the two came out after what day 10 would be. Its few outcomes give it power:
    with the dates themselves it needs far more draws.
    """

    def wrong(day: int) -> Sampler:
        return lambda n: late(day + offsets(n), day + 7 + offsets(n))

    def honest(day: int) -> Sampler:
        def sampler(n: int) -> Any:
            drawn = offsets(n)
            return late(day + drawn, day + 7 + drawn)

        return sampler

    def late(first: Any, second: Any) -> Any:
        return (first > 10).astype(int) + (second > 17)

    assert shown(wrong(10), wrong(11)) > 1.4 * EPSILON  # the loss of both together is 2 ε
    assert shown(honest(10), honest(11)) <= EPSILON


# --- written forms ---


def test_a_form_drawn_from_the_private_value() -> None:
    """The drawn code has as many digits as the private one, or the drawn amount its separators: the form tells."""
    rng = np.random.default_rng(3)

    def as_long(code: str) -> Sampler:
        return lambda n: ["".join(map(str, rng.integers(0, 10, size=len(code)))) for _ in range(n)]

    assert shown(as_long("4471"), as_long("447123")) > 5.0
    kind = Code()
    assert len({kind.read(code) or kind.surrogate for code in ("4471", "447123", "QX-4471", "", "9" * 400)}) == 1
    domain, money = Money().vocabulary, Money()
    cheap, dear = (money.read(text) for text in ("$950", "$9,500"))
    assert cheap is not None
    assert dear is not None
    assert cheap.form == dear.form  # whether thousands are set apart is written of the drawn amount
    tokens = domain(cheap.form.grain).tokens
    assert cheap.value in tokens
    assert all(money.write(token, cheap.form) == money.write(token, dear.form) for token in tokens[::50])


def test_forms_say_nothing_of_a_date() -> None:
    """ "5 January" has one digit and "15 January" two: a form that kept their number would tell the tenths."""
    kind = Date()
    forms = {kind.read(f"{day} {month} 2019").form for day in range(1, 32) for month in ("January", "May")}  # type: ignore[union-attr]
    assert len(forms) == 1


# --- laws on a line ---

LINE = np.arange(8.0)
APART = np.abs(LINE[:, None] - LINE)


def exponential(scale: float) -> Any:
    """Return log P(y|x) of the exponential law with equal weights and a normaliser for each input."""
    scores = -scale * APART
    return scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))


def test_a_geometric_law_with_the_normaliser_of_the_exponential() -> None:
    """Run at the scale of the geometric law, equal weights lose up to twice the claim near the ends."""
    epsilon = 0.3
    assert 1.3 * epsilon < pairwise_loss(exponential(epsilon), APART) <= 2 * epsilon
    honest = np.array([LineLaw(LINE, epsilon).log_law(place) for place in range(8)])
    assert pairwise_loss(honest, APART) == pytest.approx(epsilon, rel=1e-9)
    assert pairwise_loss(honest, APART) <= epsilon * (1 + 1e-12)
    made = Geometric(Vocabulary(tuple("abcdefgh"), LINE[:, None], "a line"), epsilon)
    made.certify()

    def draws(token: int) -> Sampler:
        return lambda n: made.draw(np.full(n, token), RandomDraws(SystemRandomness(), n))

    def wrong(token: int) -> Sampler:
        rng, law = np.random.default_rng(token), np.exp(exponential(epsilon)[token])
        return lambda n: rng.choice(8, size=n, p=law / law.sum())

    thorough = Distinguishing(confidence=1 - 1e-6, samples=400_000)
    assert thorough.audit(wrong(0), wrong(1)).epsilon > 1.1 * epsilon
    assert thorough.audit(draws(0), draws(1)).epsilon <= epsilon


def test_laplace_noise_in_floating_point_shows_its_input() -> None:
    """Mironov, CCS 2012: sums of a value and noise are other doubles for other values; the ends gather the rest."""

    def noisy(value: float, rng: Any) -> Sampler:
        def sampler(n: int) -> Any:
            uniform = rng.random(n) - 0.5
            return np.clip(value - np.sign(uniform) * np.log1p(-2 * np.abs(uniform)) / EPSILON, 0.0, 7.0)

        return sampler

    coarse = (np.arange(1, 1 << 10) / (1 << 10) - 0.5).tolist()  # all noise of a generator with 10 bits
    outputs = [{value - math.copysign(math.log1p(-2 * abs(u)) / EPSILON, u) for u in coarse} for value in (1.0, 2.0)]
    alone = outputs[0] - outputs[1]
    assert len(alone) > 0.9 * len(outputs[0])  # most outputs tell which of two values it was
    clamped = noisy(0.0, np.random.default_rng(1))(20_000)
    assert (clamped == 0.0).mean() > 0.45
    law = LineLaw(LINE, EPSILON)
    supports = [np.isfinite(law.log_law(place)).all() for place in range(8)]
    assert all(supports)  # every value comes out of every other one, and at the ends with the same bound
    ends = [0, 1, 6, 7]
    laws = np.array([law.log_law(place) for place in ends])
    assert pairwise_loss(laws, APART[np.ix_(ends, ends)]) <= EPSILON + 1e-9


def test_noise_rounded_after_it_was_cut_off() -> None:
    """Noise cut off at ±3 days: a release 4 days away is impossible for one input, and the loss has no bound."""
    weights = np.exp(-EPSILON * APART) * (APART <= 3.0)
    with np.errstate(divide="ignore"):
        cut = np.log(weights / weights.sum(axis=1, keepdims=True))
    assert pairwise_loss(cut, APART) == math.inf

    def truncated(day: int) -> Sampler:
        def sampler(n: int) -> Any:
            drawn = offsets(3 * n + 100)
            return day + drawn[np.abs(drawn) <= 3][:n]

        return sampler

    assert shown(truncated(10), truncated(11)) > 2 * EPSILON


# --- consistency ---


def test_a_value_drawn_at_each_mention_and_paid_for_once() -> None:
    """Ten mentions of an age with a draw each, while one draw is stated: their mean tells the age."""
    made = Geometric(Vocabulary(tuple("abcdefgh"), LINE[:, None], "a line"), EPSILON)
    made.certify()

    def mentions(token: int, count: int, once: bool) -> Sampler:
        def sampler(n: int) -> Any:
            draws = n if once else n * count
            drawn = made.draw(np.full(draws, token), RandomDraws(SystemRandomness(), draws))
            return np.repeat(drawn[:, None], count, axis=1) if once else drawn.reshape(n, count)

        return sampler

    assert shown(mentions(3, 2, False), mentions(4, 2, False)) > EPSILON
    assert shown(mentions(3, 2, True), mentions(4, 2, True)) <= EPSILON
    wrong = mentions(3, 10, False)(2000).mean(axis=1)
    assert abs(np.median(np.round(wrong)) - 3.0) <= 0.5


def test_a_shift_names_all_that_counts_as_a_day() -> None:
    adjacency = Shifted(Date(), Fraction(1, 10)).guarantee.adjacency
    for grain in Date().grains:
        said = {"day-of-month": "days of a month", "weekday": "weekdays", "holiday": "days with a name"}
        word = said.get(grain, grain.partition("-")[0] if grain in _CALENDAR else "words for days")
        assert word in adjacency, grain
    assert "a circle of 366 days" in adjacency
    assert "on one of 7" in adjacency


_CALENDAR = (
    "day", "day-yy", "month", "season", "year", "decade", "day-of-year", "month-of-year", "season-of-year",
)  # fmt: skip
