"""What a ledger holds, in SQLite and in PostgreSQL: caps, draws paid once, refunds, currencies, who answers."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from sfumato.errors import BudgetError, ConfigurationError, LedgerError
from sfumato.ledger import Budget, Head, Ledger, Level, made_key
from sfumato.ledger.accounts import NAMING
from sfumato.ledger.showing import near, shown

from .conftest import AT, LDP, charge, metric

Make = Callable[..., Ledger]


def spent(ledger: Ledger, level: Level = Level.SUBJECT) -> dict[str, str]:
    """Return the largest amount of a level by currency."""
    rows = shown(ledger)["accounts"]
    return {row["currency"]: row["spent_at_most"] for row in rows if row["account"] == level.word}


def test_charges_add_up_to_the_cap_and_not_beyond(begun: Make) -> None:
    ledger = begun()
    for _ in range(10):
        ledger.reserve([charge("ada", 0.1)])
    before = ledger.head
    with pytest.raises(BudgetError, match="spent for 1 subject") as refused:
        ledger.reserve([charge("ada", 0.000000001), charge("ben", 1)])
    assert [row.as_dict() for row in refused.value.refused] == [
        {
            "account": "subject",
            "id": "ada",
            "currency": "LDP",
            "cap": "1",
            "spent": "1",
            "asked": "0.000000001",
            "left": "0",
        }
    ]
    assert "ada" not in str(refused.value)
    assert ledger.head == before
    ledger.reserve([charge("ben", 1)])  # nothing of the refused reservation was kept
    assert spent(ledger) == {"LDP": "1"}


def test_one_charge_is_refused_with_all_others_however_many(begun: Make) -> None:
    ledger = begun()
    with pytest.raises(BudgetError) as refused:
        ledger.reserve([*(charge(f"p{n}", 0.5) for n in range(300)), charge("p7", 0.6)])
    assert [row.owner for row in refused.value.refused] == [("p7",)]
    assert shown(ledger)["accounts"] == []


def test_the_data_set_pays_what_the_costliest_subject_pays(begun: Make) -> None:
    ledger = begun(dataset={"LDP": 1})
    ledger.reserve([charge("r1", 0.7, Level.RECORD), charge("ada", 0.3), charge("ben", 0.4)])
    assert spent(ledger, Level.DATASET) == {"LDP": "0.4"}
    many = [charge(f"p{n}", 0.1) for n in range(150)] + [charge("p3", 0.5)]
    ledger.reserve(many)
    assert spent(ledger, Level.DATASET) == {"LDP": "1"}
    with pytest.raises(BudgetError, match="the data set"):
        ledger.reserve([charge("new", 0.1)])


@pytest.mark.parametrize("others", [0, 200])
def test_a_keyed_draw_is_paid_once(begun: Make, others: int) -> None:
    ledger = begun()
    more = [charge(f"o{n}", 0.001) for n in range(others)]
    ledger.reserve(
        [charge("ada", 0.6, draw=b"d1"), charge("ada", 0.3, draw=b"d2"), charge("ada", 0.3, draw=b"d2"), *more]
    )
    assert spent(ledger) == {"LDP": "0.9"}
    ledger.reserve([charge("ada", 0.6, draw=b"d1"), charge("ada", 0.1, draw=b"d3")])
    assert spent(ledger) == {"LDP": "1"}
    ledger.reserve([charge("ada", 0.6, draw=b"d1")])  # free, though the cap is reached
    with pytest.raises(BudgetError):
        ledger.reserve([charge("ada", 0.6, draw=b"d4")])
    with pytest.raises(BudgetError):
        ledger.reserve([charge("ada", 0.6)])


def test_a_void_reservation_costs_nothing_and_its_draws_are_unpaid_again(begun: Make, url: str, key: Path) -> None:
    ledger = begun()
    first = ledger.reserve([charge("ada", 0.6, draw=b"d1"), charge("ben", 0.5)])
    ledger.void(first, "Kim", "the run was stopped")
    assert spent(ledger) == {"LDP": "0"} == spent(ledger, Level.DATASET)
    ledger.reserve([charge("ada", 0.6, draw=b"d1")])
    assert spent(ledger) == {"LDP": "0.6"}
    with pytest.raises(LedgerError, match="is void there"):
        ledger.publish(first, "here", "out")
    Ledger.open(url, key).close()


def test_a_draw_that_another_run_repeats_stays_paid(begun: Make, url: str, key: Path) -> None:
    ledger = begun()
    first = ledger.reserve([charge("ada", 0.6, draw=b"d1"), charge("ada", 0.2, draw=b"d2")])
    second = ledger.reserve([charge("ada", 0.6, draw=b"d1")], AT)
    ledger.void(first, "Kim", "the run was stopped")
    assert spent(ledger) == {"LDP": "0.6"}
    ledger.publish(second, "here", "out")
    with pytest.raises(BudgetError):
        ledger.reserve([charge("ada", 0.5)])
    Ledger.open(url, key).close()


def test_what_is_published_stays_so(begun: Make) -> None:
    ledger = begun()
    done = ledger.reserve([charge("ada", 0.6)], AT)
    head = ledger.publish(done, "here", "out")
    assert ledger.publish(done, "here", "out") == head
    with pytest.raises(LedgerError, match="is published there"):
        ledger.void(done, "Kim", "I changed my mind")
    assert shown(ledger)["reservations"] == {"published": 1}


def test_one_output_at_one_place_is_published_of_a_reservation(begun: Make, url: str, key: Path) -> None:
    """Two runs that go on from copies of one folder draw apart, and one of them at most gets its name."""
    ledger = begun()
    held = ledger.reserve([charge("ada", 0.6)], AT)
    with Ledger.open(url, key) as other:
        for place in ("elsewhere", ""):
            with pytest.raises(LedgerError, match="another folder or of another name"):
                other.publish(held, place, "out")
            with pytest.raises(LedgerError, match="another folder or of another name"):
                other.check_open(held, place)
        other.check_open(held, "here")
        ledger.publish(held, "here", "out")
        with pytest.raises(LedgerError, match="paid for another output, which was published"):
            other.publish(held, "here", "another")
        with pytest.raises(LedgerError, match="another folder or of another name"):
            other.publish(held, "elsewhere", "out")
        with pytest.raises(LedgerError, match="is published there"):
            other.check_open(held, "here")
        assert other.open_at(held) is None
    with Ledger.open(url, key) as again:  # it is in the chain, and not in a process
        with pytest.raises(LedgerError, match="paid for another output"):
            again.publish(held, "here", "another")
        nowhere = again.reserve([charge("ada", 0.1)])
        with pytest.raises(LedgerError, match="another folder or of another name"):
            again.publish(nowhere, "", "out")


SPELLINGS = ["Ada Li", "ADA LI", " ada  li\t", "Ada\u00a0Li", "A\u200bda\ufeff Li", "Ａｄａ\u3000Ｌｉ"]


@pytest.mark.parametrize("level", [Level.RECORD, Level.SUBJECT])
def test_all_spellings_of_a_name_are_one_account(begun: Make, level: Level) -> None:
    """As several, the data set paid once for all of them, and nobody was bounded."""
    ledger = begun(**{level.word: {"LDP": 1}})
    ledger.reserve([charge(name, 0.1, level) for name in SPELLINGS])
    assert spent(ledger, level) == {"LDP": "0.6"} == spent(ledger, Level.DATASET)
    for name in SPELLINGS[:4]:
        ledger.reserve([charge(name, 0.1, level)])
    with pytest.raises(BudgetError):
        ledger.reserve([charge("aDa lI", 0.1, level)])
    assert [row["spent"] for row in near(ledger, level, ["\u2060ADA LI"])] == ["1"]


def test_a_ledger_whose_accounts_follow_another_rule_takes_no_charge(begun: Make) -> None:
    """Who had spent something under a spelling would begin at nothing."""
    ledger = begun()
    assert ledger.state.naming == NAMING
    ledger.state.naming = 1  # as an entry without it is read
    with pytest.raises(LedgerError, match="two spellings of a name for two people"):
        ledger.reserve([charge("ada", 0.1)])
    assert ledger.head.seq == 0


def test_currencies_are_not_added(begun: Make) -> None:
    ledger = begun(subject={"LDP": 1, "DATE per day": 1})
    ledger.reserve([charge("ada", 1), charge("ada", 1, currency=metric())])
    assert spent(ledger) == {"LDP": "1", "DATE per day": "1"}


def test_other_words_begin_no_fresh_budget(begun: Make, url: str, key: Path) -> None:
    ledger = begun(subject={"*": 1})
    ledger.reserve([charge("ada", 1, currency=metric())])
    other = metric("any two dates of one month")
    with pytest.raises(LedgerError, match="of another domain, unit or adjacency"):
        ledger.reserve([charge("ada", 1, currency=other)])
    ledger.admit(other.digest, "Kim", "the detector was replaced")
    ledger.reserve([charge("ada", 1, currency=other)])
    with pytest.raises(ConfigurationError):
        ledger.admit("abc", "Kim", "why not")
    Ledger.open(url, key).close()


def test_a_currency_without_a_cap_is_refused(begun: Make) -> None:
    with pytest.raises(ConfigurationError, match="no cap for the currency"):
        begun().reserve([charge("ada", 0.1, currency=metric())])


def test_a_cap_is_raised_by_somebody_for_a_reason(begun: Make, url: str, key: Path) -> None:
    ledger = begun(subject={"LDP": 1, "*": 3})
    ledger.reserve([charge("ada", 1)])
    for name, reason in (("", "why"), ("Kim", " "), ("K" * 501, "why")):
        with pytest.raises(ConfigurationError, match="Say who"):
            ledger.raise_cap(Level.SUBJECT, "LDP", 2, name, reason)
    for cap in (1, 0.5):
        with pytest.raises(ConfigurationError, match="only be raised"):
            ledger.raise_cap(Level.SUBJECT, "LDP", cap, "Kim", "the study goes on")
    with pytest.raises(ConfigurationError, match="is not limited"):
        ledger.raise_cap(Level.RECORD, "LDP", 5, "Kim", "the study goes on")
    ledger.raise_cap(Level.SUBJECT, "LDP", 1.5, "Kim", "the study goes on")
    ledger.reserve([charge("ada", 0.5)])
    ledger.raise_cap(Level.SUBJECT, "*", "unlimited", "Kim", "dates are public now")
    ledger.reserve([charge("ada", 9, currency=metric())])
    with Ledger.open(url, key) as again:
        assert again.budget.limits("LDP")[Level.SUBJECT] == 1_500_000_000
        again.check_budget(Budget.of("notes", {"subject": {"LDP": 1, "*": 3}}))
        with pytest.raises(LedgerError, match="another budget"):
            again.check_budget(Budget.of("notes", {"subject": {"LDP": 2, "*": 3}}))
        with pytest.raises(LedgerError, match="another budget"):
            again.check_budget(Budget.of("letters", {"subject": {"LDP": 1, "*": 3}}))


def test_names_are_looked_up_and_not_held(begun: Make) -> None:
    ledger = begun()
    ledger.reserve([charge("ada", 0.9), charge("ben", 0.2)])
    assert near(ledger, Level.SUBJECT, ["ben", "ada", "cid"]) == [
        {"id": "ada", "currency": "LDP", "spent": "0.9", "cap": "1", "left": "0.1"}
    ]


def test_an_account_never_wraps_around(begun: Make) -> None:
    ledger = begun(subject={"LDP": "unlimited"})
    accepted = 0
    for _ in range(10):
        with suppress(LedgerError, BudgetError):
            ledger.reserve([charge("ada", 999_999) for _ in range(1000)])
            accepted += 1
    assert accepted == 4
    assert float(spent(ledger)["LDP"]) <= 4e9


def test_another_key_and_another_head_are_refused(begun: Make, url: str, key: Path, tmp_path: Path) -> None:
    ledger = begun()
    ledger.reserve([charge("ada", 0.1)])
    other = tmp_path / "other"
    made_key(other)
    with pytest.raises(LedgerError, match="not the ledger's key"):
        Ledger.open(url, other)
    key.chmod(0o644)
    with pytest.raises(LedgerError, match="Others can read"):
        Ledger.open(url, key)
    key.chmod(0o600)
    Ledger.open(url, key, [ledger.head]).close()
    with pytest.raises(LedgerError, match="does not hold entry"):
        Ledger.open(url, key, [Head(ledger.head.seq, "0" * 64)])
    with pytest.raises(LedgerError, match="does not hold entry"):
        Ledger.open(url, key, [Head(9, ledger.head.hash)])


def test_a_ledger_is_not_begun_twice(begun: Make, url: str, key: Path) -> None:
    begun()
    with pytest.raises(LedgerError, match="never replaced"):
        Ledger.begin(url, key, Budget.of("notes", {"subject": {"LDP": 9}}))


def test_rho_is_added_beside(begun: Make) -> None:
    from dataclasses import replace

    ledger = begun(subject={"LDP": 100})
    ledger.reserve([replace(charge("ada", 0.1), rho=5_000)])
    assert "delta" not in shown(ledger)["accounts"][0]  # one draw alone is cheaper without δ
    for _ in range(99):
        ledger.reserve([replace(charge("ada", 0.1), rho=5_000)])
    row = next(row for row in shown(ledger)["accounts"] if row["account"] == "subject")
    from sfumato.privacy.composition import compose
    from sfumato.privacy.guarantee import Guarantee

    exact = compose(Guarantee("LDP", 0.1, "one token", "any two", None, "proof"), 100, row["delta"]).approximate
    assert row["epsilon_by_zcdp"] == pytest.approx(exact, rel=1e-9)
    assert row["spent_at_most"] == "10"
    assert LDP.name == row["currency"]
