"""A release of synthetic records: judged by attacks that need nobody's record, and signed."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from scripted_synthesizers import PUBLIC, registered
from sfumato.errors import BudgetError, ConfigurationError
from sfumato.files import FileOptions
from sfumato.ledger import Ledger, made_key
from sfumato.policy import Policy
from sfumato.protection import synthesizing
from sfumato.protection.originals import read_originals
from sfumato.protection.outcome import Outcome
from sfumato.protection.protect import protect
from sfumato.protection.request import Request
from sfumato.protection.synthesizing import Synthesizing
from sfumato.protection.verifying import verify
from sfumato.run.synthesize_file import planned_by

pytestmark = pytest.mark.models
RECORDS = Path(__file__).parents[2] / "examples" / "records.jsonl"
POLICY = """
[find]
detect = ["given"]

[synthesize]
method = "{}"
epsilon = 4.0
units = 240
records = 200
codes = {{ kind = ["clinic", "support", "court"] }}

[against]
outsiders = 0.1
acquaintances = 0.1
insiders = 0.1

[accept]
membership_upper = 0.7
copied_upper = 0.1
utility_lower = 0.01
"""


@pytest.fixture(autouse=True)
def synthesizers(monkeypatch: pytest.MonkeyPatch) -> None:
    registered(monkeypatch)


def attempt(folder: Path, method: str) -> Outcome:
    policy = Policy.parse(POLICY.format(method))
    return protect(RECORDS, folder / "notes", policy, key=folder / "key", id_field="id", spans_field="spans")


@pytest.fixture
def coins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Coins that fall alike in each run, so that no test fails by chance."""
    seeded = random.Random(7)
    monkeypatch.setattr(synthesizing.secrets, "SystemRandom", lambda: seeded)


@pytest.mark.usefixtures("coins")
def test_records_that_tell_of_nobody_are_accepted_and_signed(tmp_path: Path) -> None:
    outcome = attempt(tmp_path, "inventing")
    assert not list(tmp_path.glob("**/.members"))
    assert outcome.accepted, [judgement.sentence for judgement in outcome.judgements]
    assert outcome.folder is not None
    assert verify(outcome.folder).holds
    data = next(outcome.folder.glob("data.jsonl"))
    rows = [json.loads(line) for line in data.read_text().splitlines()]
    assert len(rows) == 200
    assert {frozenset(row) for row in rows} == {frozenset({"text", "kind"})}
    statement = json.loads((outcome.folder / "data.jsonl.privacy.json").read_text())
    assert (statement["definition"], statement["epsilon"]) == ("DP", 4.0)
    assert [limit["state"] for limit in statement["accepted"]["limits"][:3]] == ["safe"] * 3
    originals = [json.loads(line)["text"] for line in RECORDS.read_text().splitlines()]
    released = "".join(path.read_text() for path in outcome.folder.iterdir())
    assert not any(text in released for text in originals)
    assert not list(tmp_path.glob("**/.members*"))


@pytest.mark.usefixtures("coins")
def test_copied_records_are_refused_by_every_attack(tmp_path: Path) -> None:
    outcome = attempt(tmp_path, "copying")
    assert not outcome.accepted
    assert outcome.folder is None
    assert not list(tmp_path.glob("*.release"))
    states = {judgement.name: judgement.holds for judgement in outcome.judgements}
    assert not any(states[name] for name in ("acquaintances", "insiders", "membership_upper", "copied_upper"))
    assert not list(tmp_path.glob("**/.members*"))


def test_a_coin_depends_on_no_other_person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One person more moves nobody between members and people held out, or the guarantee would not hold."""
    policy = Policy.parse(POLICY.format("inventing"))
    sides = []
    for count in (200, 240):
        path = tmp_path / f"{count}.jsonl"
        path.write_text("".join(RECORDS.read_text().splitlines(keepends=True)[:count]))
        seeded = random.Random(3)
        monkeypatch.setattr(synthesizing.secrets, "SystemRandom", lambda seeded=seeded: seeded)
        files = FileOptions(id_field="id", spans_field="spans")
        request = Request(path, policy, tmp_path / "out", files, tmp_path / "key")
        made = Synthesizing.of(request, read_originals(path, request.files))
        sides.append([person for person in made.members if person < 200])
        assert sorted([*made.members, *made.others]) == list(range(count))
    assert sides[0] == sides[1]


def test_units_are_named_in_public(tmp_path: Path) -> None:
    policy = Policy.load("synthetic")
    with pytest.raises(ConfigurationError, match=r"--set synthesize\.units=5000"):
        planned_by(policy)
    made = planned_by(policy.with_changes({"synthesize.units": "400", "synthesize.held_out": "0.5"}))
    assert made.request.units == 200
    assert made.certificate().certified <= 8.0


@pytest.mark.parametrize(
    ("named", "why"),
    [
        ({"labels": ["topic"]}, "no fields to infer"),
        ({"keep": ["topic"]}, "keeps no field"),
        ({"fields": ["text", "topic"]}, "one text"),
        ({"decisions": "made.jsonl"}, "leave it out"),
    ],
)
def test_what_a_synthesis_has_no_place_for_is_refused(tmp_path: Path, named: dict[str, object], why: str) -> None:
    (tmp_path / "made.jsonl").write_text("")
    if "decisions" in named:
        named = {"decisions": tmp_path / "made.jsonl"}
    policy = Policy.parse(POLICY.format("inventing"))
    with pytest.raises(ConfigurationError, match=why):
        protect(RECORDS, tmp_path / "notes", policy, key=tmp_path / "key", id_field="id", **named)  # type: ignore[arg-type]
    assert not list(tmp_path.glob("notes*"))


def test_too_few_people_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "few.jsonl"
    path.write_text("".join(RECORDS.read_text().splitlines(keepends=True)[:30]))
    policy = replace(Policy.parse(POLICY.format("inventing")))
    with pytest.raises(ConfigurationError, match="No release of this input can be accepted"):
        protect(path, tmp_path / "notes", policy, key=tmp_path / "key", id_field="id")
    with pytest.raises(ConfigurationError, match="Of so few people"):
        protect(path, tmp_path / "notes", policy, key=tmp_path / "key", id_field="id", anyway=True)
    assert not list(tmp_path.glob("notes*"))


def test_the_public_sentence_is_no_original() -> None:
    """What the inventing synthesizer writes is in no record, or its test would prove nothing."""
    assert PUBLIC.split("{}")[1].strip() not in RECORDS.read_text()


BUDGET = """
[budget]
name = "notes"
record = { DP = 6.0, "DP delta" = 1.0 }
"""


def paying(folder: Path, **named: object) -> Outcome:
    policy = Policy.parse(POLICY.format("inventing") + BUDGET)
    ledger = folder / "ledger.db"
    if not ledger.exists():
        made_key(folder / "ledger.db.key")
        Ledger.begin(str(ledger), folder / "ledger.db.key", policy.budget.budget).close()
    return protect(
        RECORDS, folder / "notes", policy, key=folder / "key", id_field="id", spans_field="spans", trials=False,
        ledger=ledger, **named,  # type: ignore[arg-type]
    )  # fmt: skip


def _stopped(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.usefixtures("coins")
def test_a_synthesis_is_charged_once_and_a_second_one_is_too_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped between the synthesis and the attacks, it continues with the same people and pays nothing again."""
    with monkeypatch.context() as stopping:
        stopping.setattr(Synthesizing, "attacked", _stopped)
        with pytest.raises(KeyboardInterrupt):
            paying(tmp_path)
    members = json.loads((tmp_path / "notes.private" / ".members" / "people.json").read_text())
    seen: list[Sequence[int]] = []
    attacked = Synthesizing.attacked
    monkeypatch.setattr(Synthesizing, "attacked", lambda *given: (seen.append(given[0].members), attacked(*given))[1])
    outcome = paying(tmp_path, resume=True)
    assert seen == [members]
    assert outcome.accepted
    assert outcome.folder is not None
    charged = json.loads((outcome.folder / "ledger.json").read_text())["charged"]
    assert charged["DP"] == {"record": {"accounts": 240, "at_most": "4"}, "dataset": {"accounts": 1, "at_most": "4"}}
    assert charged["DP delta"]["record"]["at_most"] == "0.000001"
    assert not list(tmp_path.glob("**/.members*"))
    with pytest.raises(BudgetError):
        paying(tmp_path, overwrite=True)
    assert verify(outcome.folder).holds  # what was released before stays
