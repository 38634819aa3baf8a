"""``sfumato ledger``: begin, show, raise, void, verify what was spent on a data set."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.cli import options as choices
from sfumato.cli.commands import group
from sfumato.cli.printing import named, tell
from sfumato.errors import ConfigurationError, InputError
from sfumato.ledger import Budget, Head, Ledger, Level, made_key
from sfumato.ledger.accounts import EVERY, LEVELS
from sfumato.ledger.ledger import key_beside, open_ledger
from sfumato.ledger.showing import NEAR, near, shown
from sfumato.storage.atomic import undone

app = group("Ledgers: what was spent on a data set, and caps that refuse.")

_URL = "The ledger: a file, or postgresql://..."
Url = Annotated[str, typer.Argument(help=_URL)]
_WIDE = 160  # columns of a table that goes into a pipe or a file
_NUMBERS = ("accounts", "largest spent", "cap", "near cap", "at cap")
Name = Annotated[str, typer.Option("--name", help="Who answers for it; kept in the ledger.")]
Reason = Annotated[str, typer.Option("--reason", help="Why; kept in the ledger.")]


@app.command()
def init(
    url: Annotated[str, typer.Argument(callback=named, help=_URL)],
    policy: Annotated[str | None, typer.Option(help="The policy whose [budget] has the caps.")] = None,
    dataset: Annotated[str | None, typer.Option(help="The data set, if no policy names it.")] = None,
    cap: Annotated[
        list[str] | None,
        typer.Option(help="A cap in nats, e.g. subject:LDP=8 or 'record:DATE per day=0.5' (repeatable)."),
    ] = None,
    ledger_key: choices.LedgerKey = None,
    as_json: choices.Json = False,
) -> None:
    """Begin a ledger for a data set and its caps, with a key in a file of its own."""
    budget, key = _budget(policy, dataset, cap), key_beside(url, ledger_key)
    made = [] if key.exists() else [key]
    for path in made:
        made_key(path)
    with undone(*made), Ledger.begin(url, key, budget) as begun:
        facts = {"id": begun.id, "head": str(begun.head), "key": str(key)}
    tell(facts, [f"Ledger {facts['id'][:8]} begun; its key is in {key} (keep it apart, and secret)."], as_json)


@app.command()
def show(
    url: Url,
    ids: Annotated[
        Path | None, typer.Option(help="Names to look up, one a line (private): who is near a cap.")
    ] = None,
    account: Annotated[str, typer.Option(help="Whose names they are: record or subject.")] = "subject",
    ledger_key: choices.LedgerKey = None,
    as_json: choices.Json = False,
) -> None:
    """Show what was spent, and with --ids who is near a cap and by how much."""
    with open_ledger(url, ledger_key) as held:
        facts = shown(held)
        if ids is not None:
            facts["near"] = near(held, _level(account), _lines(ids))
    if as_json:
        tell(facts, (), as_json)
    else:
        _print(facts)


@app.command("raise")
def raise_(
    url: Url,
    name: Name,
    reason: Reason,
    account: Annotated[str, typer.Option(help="record, subject or dataset.")] = "",
    currency: Annotated[str, typer.Option(help='The currency, e.g. LDP or "DATE per day".')] = "",
    cap: Annotated[str, typer.Option(help="The new cap in nats, or unlimited.")] = "",
    admit: Annotated[str, typer.Option(help="Admit a further currency, by the digits of a refusal.")] = "",
    ledger_key: choices.LedgerKey = None,
    as_json: choices.Json = False,
) -> None:
    """Raise a cap for all accounts of a kind, or admit a further currency: by a person, for a reason."""
    if bool(admit) == bool(account or currency or cap) or not (admit or (account and currency and cap)):
        raise ConfigurationError("Name --account, --currency and --cap, or else what to --admit.")
    with open_ledger(url, ledger_key) as held:
        if admit:
            head = held.admit(admit, name, reason)
        else:
            head = held.raise_cap(_level(account), currency, cap, name, reason)
    done = "Admitted" if admit else f"The cap of {currency} for each {account} is now {cap}"
    tell({"head": str(head)}, [f"{done}; entry {head.seq}."], as_json)


@app.command()
def void(
    url: Url,
    name: Name,
    reason: Reason,
    output: Annotated[Path, typer.Option("--output", "-o", help="The output that the stopped run was to write.")],
    ledger_key: choices.LedgerKey = None,
    as_json: choices.Json = False,
) -> None:
    """Take back what a stopped run reserved, if its hidden folder proves that no output ever had its name."""
    from sfumato.release.account import void_left

    with open_ledger(url, ledger_key) as held:
        head = void_left(held, output, name, reason)
    line = f"The reservation is void, and the run's parts are removed; entry {head.seq}."
    tell({"head": str(head)}, [line], as_json)


@app.command()
def verify(
    url: Url,
    expect_head: Annotated[list[str] | None, typer.Option(help="A head the ledger must hold (repeatable).")] = None,
    statement: Annotated[
        list[Path] | None, typer.Option(help="A statement whose head it must hold (repeatable).")
    ] = None,
    ledger_key: choices.LedgerKey = None,
    as_json: choices.Json = False,
) -> None:
    """Check the whole chain, all charges and all balances, and that the ledger holds the heads given."""
    expected = [*map(Head.parse, expect_head or ()), *map(_stated, statement or ())]
    with open_ledger(url, ledger_key, expected) as held:
        facts = {"id": held.id, "head": str(held.head), "entries": held.head.seq + 1, "expected": len(expected)}
    more = f", and holds {choices.counted(len(expected), 'expected head')}" if expected else ""
    tell(facts, [f"The ledger is whole: {facts['entries']:,} entries{more}. Head {facts['head']}"], as_json)


def _budget(policy: str | None, dataset: str | None, caps: list[str] | None) -> Budget:
    """Return the budget of a policy, or of the caps given."""
    if policy is not None:
        from sfumato.policy import Policy  # the kinds of value take a while to import

        budget = Policy.load(policy).budget.budget
        if dataset or caps or budget is None:
            raise ConfigurationError("Name a policy with caps in its [budget], or else --dataset and --cap.")
        return budget
    levels: dict[str, dict[str, str]] = {}
    for text in caps or ():
        where, equals, value = text.rpartition("=")
        level, colon, currency = where.partition(":")
        if not (equals and colon and currency.strip()):
            raise ConfigurationError("A cap is written as ACCOUNT:CURRENCY=NATS, such as subject:LDP=8.")
        level, currency = level.strip(), currency.strip()
        named = levels.setdefault(level, {})
        if currency in named:
            raise ConfigurationError(f"There are two caps for {level}:{currency}; name the one that holds.")
        named[currency] = value
    from sfumato.policy.sections import check_currencies

    for of_level in levels.values():
        check_currencies(of_level)
    return Budget.of(dataset or "", levels)


def _level(word: str) -> Level:
    if word not in LEVELS:
        raise ConfigurationError(f"An account is one of {', '.join(LEVELS)}.")
    return LEVELS[word]


def _lines(path: Path) -> list[str]:
    try:
        return [line.strip() for line in path.read_text(encoding="utf-8-sig").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError):
        raise InputError(f"{path.name} cannot be read as UTF-8 text with a name in each line.") from None


def _stated(path: Path) -> Head:
    """Return the head that a statement holds."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(
            f"{path.name} cannot be read ({error.strerror}); name the statement of a run, OUTPUT.privacy.json."
        ) from None
    except ValueError:
        content = None
    if not isinstance(content, dict) or "summary" not in content:
        raise InputError(f"{path.name} is no statement; name that of a run with a ledger, OUTPUT.privacy.json.")
    try:
        return Head.parse(content["ledger"]["head"])
    except (KeyError, TypeError):
        raise InputError(f"{path.name} is the statement of a run without a ledger; it holds no head.") from None


def _legend(facts: dict[str, Any]) -> Iterator[str]:
    """Yield what the columns mean, as far as they say something."""
    yield (
        f"Amounts are nats. Near cap: accounts that have spent {NEAR:.0%} of it or more. At cap: those that have "
        "nothing left."
    )
    if any("delta" in row for row in facts["accounts"]):
        yield "(ε, δ): what the largest amount means if a probability of δ is left out (zero-concentrated DP)."
    if any(row["currency"] == EVERY for row in facts["unspent"]):
        yield f"{EVERY} is every currency without a cap of its own."


def _print(facts: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Column, Table

    console = Console(highlight=False, width=None if sys.stdout is not None and sys.stdout.isatty() else _WIDE)
    runs = ", ".join(f"{count:,} {what}" for what, count in facts["reservations"].items()) or "none yet"
    console.print(
        f"Ledger {facts['id'][:8]}; reservations: {runs}. Head {facts['head']}", soft_wrap=True, markup=False
    )
    pairs = ["(ε, δ)"] if any("delta" in row for row in facts["accounts"]) else []
    folded = [Column(name, overflow="fold") for name in (*_NUMBERS, *pairs)]  # an amount is never cut
    table = Table("account", Column("currency", no_wrap=True), *folded)
    for row in facts["accounts"]:
        pair = f"({row['epsilon_by_zcdp']:.4g}, {row['delta']:g})" if "delta" in row else ""
        near, full = f"{row['near']:,}", f"{row['full']:,}"
        numbers = [f"{row['accounts']:,}", row["spent_at_most"], row["cap"], near, full, *([pair] if pairs else [])]
        table.add_row(row["account"], row["currency"], *numbers)
    for row in facts["unspent"]:
        nothing = ("", "") if row["currency"] == EVERY else ("0", "0")
        table.add_row(row["account"], row["currency"], *nothing, row["cap"])
    console.print(table)
    for line in _legend(facts):
        console.print(line, soft_wrap=True, markup=False)
    for row in facts.get("near", ()):
        line = f"{row['id']}: {row['currency']}, {row['spent']} of {row['cap']} spent, {row['left']} left"
        console.print(line, soft_wrap=True, markup=False)
