"""Secret groups: public shapes, secret and independent memberships."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chisquare

from sfumato.abstract.synthesizer import Unit, Workspace
from sfumato.privacy.randomness import SeededRandomness, SystemRandomness
from sfumato.synthesis.predict.groups import NOWHERE, Groups, formed, joined

UNITS = [Unit((f"text {n}",), (n % 2,)) for n in range(4000)]


def workspace(seed: int | None = 1) -> Workspace:
    return Workspace(Path("unused"), SystemRandomness() if seed is None else SeededRandomness(seed))


@pytest.mark.parametrize("seed", range(30))
def test_every_text_is_written_once_and_no_group_writes_too_many(seed: int) -> None:
    generator = np.random.default_rng(seed)
    count, groups = int(generator.integers(1, 400)), int(generator.integers(1, 50))
    wanted = generator.zipf(1.5, count).clip(max=60).tolist()
    most, least = -(-count // groups), int(generator.integers(1, groups + 1))
    made = formed(wanted, groups, most, least)
    assert sorted(index for texts in made.texts for index in texts) == list(range(count))
    assert max(map(len, made.texts)) <= most
    for code, own in made.own.items():
        assert all(wanted[index] == code for group in own for index in made.texts[group])
        assert len(own) >= least
    assert made.least >= least
    assert all(wanted[index] not in made.own for group in made.shared for index in made.texts[group])


def test_groups_are_shared_out_in_proportion() -> None:
    made = formed([0] * 300 + [1] * 100, 40, 10, 5)
    assert (len(made.of(0)), len(made.of(1)), len(made.of(2))) == (30, 10, 0)


def test_fewer_texts_than_groups_leave_groups_of_the_same_size() -> None:
    made = formed([0] * 5, 100, 1, 100)
    assert len(made.texts) == 100
    assert sum(map(len, made.texts)) == 5


def test_codes_of_one_record_each_share_groups() -> None:
    """A public field gives every record a code of its own; also those that nobody wants are examples then."""
    made = formed(range(64), 8, 8, 8)
    assert made.own == {}
    assert all(len(made.of(code)) == 8 for code in (0, 63, 64, 999))


def test_a_code_with_too_few_groups_of_its_own_shares_them() -> None:
    """Whom few groups could have as a member would be hidden among few."""
    wanted = [0] * 60 + [1] * 30 + [2] * 8 + [3] * 2
    assert {code: len(own) for code, own in formed(wanted, 50, 2, 15).own.items()} == {0: 30}
    assert {code: len(own) for code, own in formed(wanted, 50, 2, 5).own.items()} == {0: 30, 1: 15}
    made = formed(wanted, 50, 2, 6)
    assert (len(made.own), made.least) == (1, 20), "4 and 1 groups of the rare ones were too few: code 1 joins them"
    assert formed(wanted, 50, 2, 50).own == {}


def test_groups_are_drawn_uniformly_and_afresh() -> None:
    groups = formed([0, 1] * 40, 20, 4, 10)
    for source in (1, None):
        drawn = np.array(joined(UNITS, groups, workspace(source)).groups)
        assert chisquare(np.bincount(drawn, minlength=20)).pvalue > 1e-9
        assert all((group in groups.of(unit.codes[0])) for unit, group in zip(UNITS, drawn, strict=True))
    assert joined(UNITS, groups, workspace(None)) != joined(UNITS, groups, workspace(None))


def test_a_unit_never_moves_another() -> None:
    """Whatever one unit holds, and whether later ones exist, all others are in the groups they were in."""
    groups = formed([0, 1] * 40, 20, 4, 10)
    before = joined(UNITS[:100], groups, workspace()).groups
    for other in (Unit(("a", "b", "c"), (1, 0, 1)), Unit((), ()), Unit(("",), (7,))):
        units = [*UNITS[:40], other, *UNITS[41:100]]
        after = joined(units, groups, workspace()).groups
        assert after[:40] == before[:40]
        assert after[41:] == before[41:]
    assert joined(UNITS[:60], groups, workspace()).groups == before[:60]


def test_a_person_with_most_texts_has_one_example() -> None:
    person = Unit(tuple(f"note {n}" for n in range(50)), (0,) * 50)
    groups = formed([0] * 4, 4, 1, 4)
    shown = [
        joined([person, *UNITS[:2]], groups, workspace(seed)).examples([person, *UNITS[:2]]) for seed in range(60)
    ]
    notes = [[text for texts in each.values() for text in texts if text.startswith("note")] for each in shown]
    assert all(len(own) == 1 for own in notes)
    assert len({own[0] for own in notes}) > 20, "which one is drawn"


def test_units_without_a_text_or_a_wanted_code_are_nowhere() -> None:
    groups = formed([0] * 4, 4, 1, 4)
    member = joined([Unit((), ()), Unit(("x",), (3,))], groups, workspace())
    assert member.groups == (NOWHERE, NOWHERE)
    assert member.examples([Unit((), ()), Unit(("x",), (3,))]) == {}
    assert joined([], groups, workspace()).groups == ()


def test_nothing_private_is_shown_by_repr() -> None:
    assert "3" not in repr(joined(UNITS[:9], Groups(((0,),) * 40, {0: range(3, 40)}, range(0)), workspace()))
