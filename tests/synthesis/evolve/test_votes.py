"""One unit moves the votes by one at most, and the noise on them is the one that is claimed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from evolving import THINGS, Words, people
from sfumato.abstract.models import Encoder
from sfumato.abstract.synthesizer import Order, Unit, Workspace
from sfumato.errors import ConfigurationError, GuaranteeError, InputError
from sfumato.privacy.accounting import Concentrated, GaussianNoise, epsilon_of
from sfumato.privacy.discrete_noise import discrete_gaussian
from sfumato.privacy.randomness import PinnedRandomness, SystemRandomness
from sfumato.synthesis.evolve.votes import WHOLE, Ballot, EvolveSchedule, Pool, Voter, noisy, scheduled, voters

ORDER = Order(("a", "b"), 500, 5, 10, 4.0, 1e-5)
POOL = Pool(
    (0,) * 6 + (1,) * 4, tuple(f"{one} {other}" for one, other in zip(THINGS[:10], THINGS[3:13], strict=True))
)


def summed(units: Sequence[Unit], encoder: Any = None, order: Order = ORDER) -> Any:
    reader: Encoder = encoder or Words()
    return Ballot(POOL, reader.encode(POOL.texts)).votes(voters(units, order, reader))


def shift(votes: Callable[[Sequence[Unit]], Any], units: Sequence[Unit]) -> float:
    """The most that leaving out one unit moves the sum of all votes, in the Euclidean norm, in whole votes."""
    everybody = votes(units)
    others = [votes([*units[:left], *units[left + 1 :]]) for left in range(len(units))]
    return float(max(np.linalg.norm(everybody - other) for other in others)) / WHOLE


def crowd() -> list[Unit]:
    many = Unit(tuple(f"{THINGS[k]} {THINGS[(k * 5) % 16]}" for k in range(16)), tuple(k % 2 for k in range(16)))
    copies = Unit(("apple door",) * 5, (0,) * 5)
    return [
        *people(12, codes=2, texts=1),
        *people(9, codes=2, texts=4),
        many,
        copies,
        Unit((), ()),
        Unit(("",), (0,)),
    ]


def test_one_unit_more_or_less_moves_the_votes_by_one_vote_at_most() -> None:
    assert 0.9 < shift(summed, crowd()) <= 1.0


def test_a_person_shares_one_vote_among_its_texts() -> None:
    ballot = Ballot(POOL, Words().encode(POOL.texts))
    for counts in product(range(4), repeat=3):
        texts = [text for text, count in zip(POOL.texts, counts, strict=False) for _ in range(count)]
        unit = Unit(tuple(texts), (0,) * len(texts))
        order = Order(("a",), 500, 9, 10, 4.0, 1e-5)
        vote = ballot.vote(voters([unit], order, Words())[0])
        assert sum(parts**2 for parts in vote.values()) <= WHOLE**2
        assert all(abs(vote[k] - WHOLE * counts[k] / np.linalg.norm(counts)) < 1 for k in vote)
    single = ballot.vote(voters([Unit(("apple door",), (0,))], ORDER, Words())[0])
    assert single == {0: WHOLE}


def test_a_text_votes_within_its_code_and_only_so_many_do() -> None:
    ballot = Ballot(POOL, Words().encode(POOL.texts))
    voter = voters([Unit((POOL.texts[0],) * 9, (1,) * 9)], ORDER, Words())[0]
    assert len(voter.codes) == ORDER.texts_per_unit
    assert all(index >= 6 for index in ballot.vote(voter))


# --- mistakes that the measure of a shift must see ------------------------------------------------------------------


def two_candidates(units: Sequence[Unit]) -> Any:
    """Every text votes for the two nearest."""
    total = np.zeros(len(POOL.texts), dtype=np.int64)
    for voter in voters(units, ORDER, Words()):
        for vector in voter.vectors[:1]:
            total[np.argsort(((Words().encode(POOL.texts) - vector) ** 2).sum(axis=1))[:2]] += WHOLE
    return total


def a_vote_for_each_text(units: Sequence[Unit]) -> Any:
    ballot, total = Ballot(POOL, Words().encode(POOL.texts)), np.zeros(len(POOL.texts), dtype=np.int64)
    for voter in voters(units, ORDER, Words()):
        for vector, code in zip(voter.vectors, voter.codes, strict=True):
            for index, parts in ballot.vote(Voter(vector[None], (code,))).items():
                total[index] += parts
    return total


def shares_of_the_actual_number(units: Sequence[Unit]) -> Any:
    votes = summed(units)
    return votes * 50 * len(units) // max(1, int(votes.sum()) // WHOLE)


@pytest.mark.parametrize("mistake", [two_candidates, a_vote_for_each_text, shares_of_the_actual_number])
def test_mistakes_move_the_votes_further(mistake: Callable[[Sequence[Unit]], Any]) -> None:
    assert shift(mistake, crowd()) > 1.2


@dataclass(frozen=True)
class Beside(Words):
    """Rounds by what else is in a call, as a network does, and far more: the vectors depend on the batch."""

    def encode(self, phrases: Sequence[str], progress: Any = None) -> Any:
        vectors = super().encode(phrases)
        return vectors + 0.4 * np.roll(vectors.sum(axis=0), len(phrases)) if len(phrases) > 1 else vectors


def test_the_vote_of_a_unit_does_not_depend_on_who_is_read_beside_it() -> None:
    assert shift(lambda units: summed(units, Beside()), crowd()) <= 1.0

    def read_together(units: Sequence[Unit]) -> Any:
        texts = [text for unit in units for text in unit.texts[:1]]
        vectors = Beside().encode(texts)
        ballot = Ballot(POOL, Words().encode(POOL.texts))
        return ballot.votes([Voter(vector[None], (0,)) for vector in vectors])

    assert shift(read_together, people(20)) > 1.2


# --- noise ----------------------------------------------------------------------------------------------------------

EMPTY = Pool((0,) * 8000, tuple(map(str, range(8000))))
SIGMA = 1.5


def plan(sigma: float | None) -> EvolveSchedule:
    return EvolveSchedule((), 5, 8000, 1, 100, sigma)


def honest(votes: Any, workspace: Workspace) -> Any:
    return noisy(votes, EMPTY, plan(SIGMA), 0, workspace)


def left_out(votes: Any, workspace: Workspace) -> Any:
    return noisy(votes, EMPTY, plan(None), 0, workspace)


def of_one_part(votes: Any, workspace: Workspace) -> Any:
    """Noise for a sensitivity of one part of a vote, where it is WHOLE."""
    return votes + discrete_gaussian(plan(SIGMA).variance / WHOLE**2, len(votes), workspace.words("x", 0))  # type: ignore[operator]


def too_small(votes: Any, workspace: Workspace) -> Any:
    return noisy(votes, EMPTY, plan(0.9 * SIGMA), 0, workspace)


def before_the_noise(votes: Any, workspace: Workspace) -> Any:
    """A threshold before the noise, and only what passes it gets noise."""
    return np.where(votes > 0, honest(votes, workspace), 0)


def from_a_seed(votes: Any, workspace: Workspace) -> Any:
    drawn = np.random.default_rng(0).normal(0.0, SIGMA * WHOLE, len(votes))
    return votes + np.rint(drawn).astype(np.int64)


def follows(release: Callable[[Any, Workspace], Any], folder: Path) -> bool:
    """Whether a release adds the claimed noise to every count, those without a vote as well, and fresh each time."""
    votes = np.zeros(8000, dtype=np.int64)
    votes[::4] = 3 * WHOLE
    workspace = Workspace(folder, SystemRandomness())
    first, second = (release(votes, workspace) - votes for _ in range(2))
    apart = abs(np.corrcoef(first, second)[0, 1]) < 0.1
    parts = [stats.kstest(part / (SIGMA * WHOLE), "norm").pvalue for part in (first[votes == 0], first[votes > 0])]
    sizes = (first / (SIGMA * WHOLE)).std()
    return bool(apart and min(parts) > 1e-9 and abs(sizes - 1) < 0.05)  # 6.3 standard errors


def test_every_count_has_the_claimed_noise(tmp_path: Path) -> None:
    assert follows(honest, tmp_path)


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("mistake", [left_out, of_one_part, too_small, before_the_noise, from_a_seed])
def test_mistakes_with_the_noise_are_seen(mistake: Any, tmp_path: Path) -> None:
    assert not follows(mistake, tmp_path)


def test_a_key_draws_other_noise_for_other_votes_rounds_and_candidates(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, PinnedRandomness(bytes(range(32))))
    votes = np.zeros(8000, dtype=np.int64)
    drawn = noisy(votes, EMPTY, plan(SIGMA), 0, workspace)
    np.testing.assert_array_equal(drawn, noisy(votes, EMPTY, plan(SIGMA), 0, workspace))
    more = votes.copy()
    more[7] += WHOLE
    renamed = Pool(EMPTY.codes, ("another", *EMPTY.texts[1:]))
    for other in (
        noisy(votes, EMPTY, plan(SIGMA), 1, workspace),
        noisy(more, EMPTY, plan(SIGMA), 0, workspace) - more,
        noisy(votes, renamed, plan(SIGMA), 0, workspace),
        noisy(votes, EMPTY, plan(SIGMA), 0, Workspace(tmp_path, workspace.randomness, "another setting")),
    ):
        assert abs(np.corrcoef(drawn, other)[0, 1]) < 0.1


# --- what it costs --------------------------------------------------------------------------------------------------


def test_the_schedule_spends_what_was_asked_for_and_no_more() -> None:
    for spent in ((), (GaussianNoise(30.0),), (Concentrated(0.01),)):
        order = Order(("a",), 2000, 1, 100, 4.0, 1e-5, spent)
        made = scheduled(order, 5, 100)
        assert 3.98 < epsilon_of((*spent, *made.events), 1e-5) <= 4.0
        assert made.sigma is not None
        assert made.events[0].rho >= 0.5 / made.sigma**2  # type: ignore[union-attr]
        assert made.events[0].count == made.rounds == 5
    plenty = scheduled(Order(("a",), 2000, 1, 100, None, 1e-5), 5, 100)
    assert (plenty.events, plenty.sigma, plenty.variance) == ((), None, None)
    assert plenty.as_dict()["noise_multiplier"] is None


def test_a_schedule_that_makes_no_sense_is_refused_or_warned_of() -> None:
    with pytest.raises(GuaranteeError, match="No noise"):
        scheduled(Order(("a",), 2000, 1, 100, 1.0, 1e-5, (Concentrated(3.0),)), 5, 100)
    with pytest.raises(ConfigurationError, match="number of people"):
        scheduled(Order(("a",), 2000, 1, 100, 1.0, 1e-3), 5, 100)
    assert "fewer candidates" in scheduled(Order(("a",), 50, 1, 100, 4.0, 1e-5), 5, 100).warnings[0]
    assert "fewer candidates" in scheduled(Order(("a",), 50, 1, 100, None, 1e-5), 5, 100).warnings[0]
    assert scheduled(Order(("a",), 5000, 1, 100, 4.0, 1e-5), 5, 100).warnings == ()


# --- odd input ------------------------------------------------------------------------------------------------------


def test_units_that_cannot_vote_do_not() -> None:
    lone = Pool((0, 0), ("apple", "bread"))
    ballot = Ballot(lone, Words().encode(lone.texts))
    odd = [Unit(("", " \n", "…!"), (0, 0, 0)), Unit((), ()), Unit(("apple",), (1,))]
    np.testing.assert_array_equal(ballot.votes(voters(odd, ORDER, Words())), [0, 0])
    np.testing.assert_array_equal(ballot.votes([]), [0, 0])
    np.testing.assert_array_equal(ballot.votes(voters([Unit(("apple \ud800",), (0,))], ORDER, Words())), [WHOLE, 0])


def test_errors_name_a_place_and_no_text() -> None:
    @dataclass(frozen=True)
    class Failing(Words):
        def encode(self, phrases: Sequence[str], progress: Any = None) -> Any:
            raise RuntimeError(f"cannot read {phrases}")

    with pytest.raises(InputError, match=r"unit 2 \(RuntimeError\)") as caught:
        voters([Unit((), ()), Unit(("canary",), (0,))], ORDER, Failing())
    assert "canary" not in str(caught.value)
    assert caught.value.__suppress_context__
    with pytest.raises(InputError, match="Unit 1 has a control code that was not declared"):
        voters([Unit(("canary",), (2,))], ORDER, Words())
    assert "canary" not in repr(Unit(("canary",), (0,))) + repr(voters([Unit(("canary",), (0,))], ORDER, Words())[0])
