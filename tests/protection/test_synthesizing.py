"""A release of synthetic records: judged by attacks that need nobody's record, and signed."""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from scripted_synthesizers import PUBLIC, registered
from sfumato.attacks.canary_planting import new_key
from sfumato.errors import BudgetError, ConfigurationError, OutputError
from sfumato.evaluation.results import Figure, Study
from sfumato.evaluation.studies.membership import AREA
from sfumato.files import FileOptions
from sfumato.ledger import Ledger, made_key
from sfumato.metrics.estimates import Estimate
from sfumato.policy import Policy
from sfumato.protection import sides
from sfumato.protection.attempts import MEMBERS
from sfumato.protection.judging import Judged
from sfumato.protection.needs import Available, needs
from sfumato.protection.originals import read_originals
from sfumato.protection.outcome import Outcome
from sfumato.protection.paying import Payment
from sfumato.protection.protect import protect
from sfumato.protection.request import Request
from sfumato.protection.synthesizing import Synthesizing, _worst
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


@pytest.fixture(scope="module", autouse=True)
def short_records(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The records without what follows their first 110 characters, which models read six times as fast."""
    path = tmp_path_factory.mktemp("short") / "records.jsonl"
    rows = [json.loads(line) for line in RECORDS.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        row["text"] = row["text"][:110]
        row["spans"] = [span for span in row["spans"] if span["end"] <= 110]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.modules[__name__], "RECORDS", path)
        yield


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
    monkeypatch.setattr(sides.secrets, "SystemRandom", lambda: seeded)


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


def test_planted_secrets_are_read_and_looked_for(tmp_path: Path) -> None:
    def attempt(method: str) -> Outcome:
        text = POLICY.format(method).replace("records = 200", "records = 260\ncanaries = 20")
        policy = Policy.parse(text.replace("[accept]", "[accept]\ncanaries_upper = 0.2"))
        folder = tmp_path / method
        folder.mkdir()
        return protect(RECORDS, folder / "notes", policy, key=folder / "key", id_field="id", spans_field="spans")

    def canaries(outcome: Outcome) -> Judged:
        return next(each for each in outcome.judgements if each.name == "canaries_upper")

    clean = attempt("inventing")
    assert clean.accepted
    measured = canaries(clean).measured
    assert measured is not None
    assert (measured.value, measured.n) == (0.0, 20)
    assert any("20 records with made-up secrets" in note for note in clean.notes)
    assert not list((tmp_path / "inventing").rglob("canaries.json"))
    assert "canaries" in {study.name for study in clean.attack.studies}
    told = canaries(attempt("copying"))
    assert told.state == "does not hold"
    assert told.measured is not None
    assert told.measured.value == 1.0


@pytest.mark.parametrize("subject", [None, "id"])
def test_a_canary_is_a_record_of_nobody_and_a_person_more_moves_none(subject: str | None) -> None:
    files = FileOptions(id_field="id", subject_field=subject)
    originals = read_originals(RECORDS, files)
    planted = new_key("phone", 3, seed=1).canaries
    few, more = (
        [*sides.Sides.of(originals, 1, range(count)).records("text", ["kind"], planted)] for count in (100, 101)
    )
    assert [record["text"] for record in few[-3:]] == [canary.text for canary in planted]
    assert len(more) - len(few) == 1
    texts = [record["text"] for record in more]
    assert [text for text in texts if text not in {record["text"] for record in few}] == [
        originals.documents[100].text
    ]
    if subject is not None:
        people = [record[subject] for record in more]
        assert len({*people}) == len(people)


def test_planted_secrets_count_among_the_units_and_a_limit_without_them_is_refused() -> None:
    policy = Policy.load("synthetic").with_changes({"synthesize.units": "400"})
    assert planned_by(policy).request.units == 320
    with pytest.raises(ConfigurationError, match="none is planted; set canaries"):
        policy.with_changes({"synthesize.canaries": "0"})
    [need] = [need for need in needs(policy, Available.of_synthesis(400, policy.synthesize)) if "canar" in need.of]
    assert (need.least, need.there, need.enough) == (17, 20, True)


def test_what_a_killed_run_kept_of_members_goes_with_the_next_run(tmp_path: Path) -> None:
    policy = Policy.parse(POLICY.format("inventing"))
    outcome = protect(RECORDS, tmp_path / "notes", policy, key=tmp_path / "key", id_field="id", spans_field="spans")
    assert outcome.accepted
    left = tmp_path / "notes.private" / MEMBERS / "members.jsonl"
    left.parent.mkdir()
    left.write_text("{}")  # as SIGKILL leaves it between the release's name and the end
    with pytest.raises(OutputError, match="exists"):
        protect(RECORDS, tmp_path / "notes", policy, key=tmp_path / "key", id_field="id", spans_field="spans")
    assert not left.parent.exists()


def test_a_coin_depends_on_no_other_person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One person more moves nobody between members and people held out, or the guarantee would not hold."""
    policy = Policy.parse(POLICY.format("inventing"))
    found = []
    for count in (200, 240):
        path = tmp_path / f"{count}.jsonl"
        path.write_text("".join(RECORDS.read_text().splitlines(keepends=True)[:count]))
        seeded = random.Random(3)
        monkeypatch.setattr(sides.secrets, "SystemRandom", lambda seeded=seeded: seeded)
        files = FileOptions(id_field="id", spans_field="spans")
        request = Request(path, policy, tmp_path / "out", files, tmp_path / "key")
        made = Synthesizing.of(request, read_originals(path, request.files))
        found.append([person for person in made.sides.members if person < 200])
        assert sorted([*made.sides.members, *made.sides.others]) == list(range(count))
    assert found[0] == found[1]


def test_units_are_named_in_public(tmp_path: Path) -> None:
    policy = Policy.load("synthetic")
    with pytest.raises(ConfigurationError, match=r"--set synthesize\.units=5000"):
        planned_by(policy)
    made = planned_by(policy.with_changes({"synthesize.units": "400", "synthesize.held_out": "0.5"}))
    assert made.request.units == 220  # with 20 canaries
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


def paying(folder: Path, budget: str = BUDGET, method: str = "inventing", **named: object) -> Outcome:
    policy = Policy.parse(POLICY.format(method) + budget)
    policy = policy.with_changes(named.pop("changes", {}))  # type: ignore[arg-type]
    ledger = folder / "ledger.db"
    if not ledger.exists():
        made_key(folder / "ledger.db.key")
        Ledger.begin(str(ledger), folder / "ledger.db.key", policy.budget.budget).close()
    given = {"id_field": "id", "spans_field": "spans", "trials": False, **named}
    path = given.pop("path", RECORDS)
    return protect(path, folder / "notes", policy, key=folder / "key", ledger=ledger, **given)  # type: ignore[arg-type]


def spent(folder: Path) -> list[str]:
    with Ledger.open(str(folder / "ledger.db"), folder / "ledger.db.key") as ledger:
        return list(ledger.state.states.values())


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
    note = tmp_path / "notes.private" / ".members" / "people.json"
    members = json.loads(note.read_text())["members"]
    seen: list[Sequence[int]] = []
    attacked = Synthesizing.attacked
    monkeypatch.setattr(
        Synthesizing, "attacked", lambda *given: (seen.append(given[0].sides.members), attacked(*given))[1]
    )
    outcome = paying(tmp_path, resume=True)
    assert seen == [members]
    assert outcome.accepted
    assert outcome.folder is not None
    charged = json.loads((outcome.folder / "ledger.json").read_text())["charged"]
    assert charged["DP"] == {"record": {"at_most": "4"}, "dataset": {"at_most": "4"}}
    assert charged["DP delta"]["record"]["at_most"] == "0.000001"
    assert not list(tmp_path.glob("**/.members*"))
    with pytest.raises(BudgetError):
        paying(tmp_path, overwrite=True)
    assert verify(outcome.folder).holds  # what was released before stays


@pytest.mark.usefixtures("coins")
def test_an_attempt_that_is_given_up_is_taken_back_and_another_one_pays_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stopped run reserved little for some; what comes after --force must not draw for others on that."""
    with monkeypatch.context() as stopping:
        stopping.setattr(Synthesizing, "attacked", _stopped)
        stopping.setattr(Payment, "publish", _stopped)
        with pytest.raises(KeyboardInterrupt):
            paying(tmp_path, changes={"synthesize.epsilon": "1.0"})
    assert spent(tmp_path) == ["reserved"]
    with pytest.raises(OutputError, match="changed since"):
        paying(tmp_path, resume=True)
    outcome = paying(tmp_path, overwrite=True)
    assert spent(tmp_path) == ["void", "published"]
    assert outcome.statement["ledger"]["charged"]["DP"]["record"] == {"at_most": "4"}


@pytest.mark.usefixtures("coins")
def test_who_cannot_pay_is_listed_and_nothing_is_left(tmp_path: Path) -> None:
    with pytest.raises(BudgetError, match=r"refused\.jsonl \(private\)"):
        paying(tmp_path, BUDGET.replace("6.0", "3.0"))
    refused = (tmp_path / "notes.private" / "data.jsonl.refused.jsonl").read_text().splitlines()
    assert len(refused) == 240
    assert not list(tmp_path.glob("**/.members*"))
    assert spent(tmp_path) == []


@pytest.mark.usefixtures("coins")
def test_a_code_that_no_record_has_is_refused_before_anybody_pays(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="No record has"):
        paying(tmp_path, changes={"synthesize.codes.nope": "yes,no"})
    assert spent(tmp_path) == []


def test_caps_over_people_need_the_field_that_names_them(tmp_path: Path) -> None:
    budget = '[budget]\nname = "notes"\nsubject = { DP = 1.0, "*" = 100 }\n'
    with pytest.raises(ConfigurationError, match="--subject-field"):
        paying(tmp_path, budget)
    assert not list(tmp_path.glob("notes*"))


@pytest.mark.usefixtures("coins")
def test_records_and_people_pay(tmp_path: Path) -> None:
    budget = '[budget]\nname = "notes"\nrecord = { DP = 1.0, "*" = 100 }\n'
    with pytest.raises(BudgetError):
        paying(tmp_path, budget, subject_field="id")


@pytest.mark.usefixtures("coins")
def test_no_count_of_people_leaves(tmp_path: Path) -> None:
    """One person more or less is what the guarantee is about, and an exact number tells it outright."""
    path = tmp_path / "in.jsonl"
    path.write_text("".join(RECORDS.read_text().splitlines(keepends=True)[:237]))
    outcome = paying(tmp_path, path=path)
    assert outcome.folder is not None
    members = outcome.attack.facts["missing"]
    assert 150 < members < 200
    for file in outcome.folder.iterdir():
        text = re.sub(r"<svg.*?</svg>", "", file.read_text(), flags=re.DOTALL)
        assert not re.search(rf"\b(237|{members}|{237 - members})\b(?! *(?:<|%))", text), file.name
    assert {path.name for path in outcome.folder.iterdir()} >= {"data.jsonl", "ledger.json"}
    assert not list(outcome.folder.glob(".*"))


@pytest.mark.usefixtures("coins")
def test_what_is_read_of_a_person_is_what_is_looked_for(tmp_path: Path) -> None:
    """Somebody's second record is copied, and the first one is of no help."""
    rows = [json.loads(line) for line in RECORDS.read_text().splitlines()]
    path = tmp_path / "two.jsonl"
    told = [
        {"id": f"{number}-{part}", "who": f"p{number}", "kind": row["kind"], "text": text}
        for number, row in enumerate(rows)
        for part, text in enumerate((f"Came on day {number}.", row["text"]))
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in told))
    policy = Policy.parse(POLICY.format("copying-last").replace('detect = ["given"]', 'detect = ["words"]'))
    policy = policy.with_changes({"synthesize.texts_per_unit": "2"})
    outcome = protect(path, tmp_path / "out", policy, key=tmp_path / "key", subject_field="who", id_field="id")
    assert not outcome.accepted
    held = {judgement.name: judgement.holds for judgement in outcome.judgements}
    assert not any((held["insiders"], held["copied_upper"], held["membership_upper"]))


@pytest.mark.usefixtures("coins")
def test_texts_on_both_sides_judge_nothing(tmp_path: Path) -> None:
    """Copies of one text among members and people held out would hide that it was copied."""
    rows = [json.loads(line) for line in RECORDS.read_text().splitlines()[:40]]
    path = tmp_path / "many.jsonl"
    path.write_text("".join(json.dumps({**row, "id": f"{row['id']}-{n}"}) + "\n" for n in range(6) for row in rows))
    policy = Policy.parse(POLICY.format("copying"))
    with pytest.raises(ConfigurationError, match="the other side does not have"):
        protect(path, tmp_path / "out", policy, key=tmp_path / "key", id_field="id", spans_field="spans")


@pytest.mark.parametrize(("low", "high", "most"), [(0.45, 0.6, 0.6), (0.0, 0.05, 1.0), (0.3, 0.52, 0.7)])
def test_an_area_below_a_half_tells_as_much_as_one_above(low: float, high: float, most: float) -> None:
    area = Figure(AREA, Estimate((low + high) / 2, low, high, 240), {})
    worst = _worst(Study("membership", figures=[area]))
    assert worst is not None
    assert worst.high == pytest.approx(most)


def test_an_input_that_changed_is_not_resumed(tmp_path: Path) -> None:
    originals = read_originals(RECORDS, FileOptions(id_field="id"))
    made = sides.Sides.of(originals, 1, range(0, 240, 2))
    made.save(tmp_path / "note")
    assert sides.stopped(tmp_path / "note", originals) == list(range(0, 240, 2))
    other = replace(originals, documents=[*originals.documents[:-1], replace(originals.documents[-1], text="New.")])
    with pytest.raises(OutputError, match="The input changed"):
        sides.stopped(tmp_path / "note", other)
    with pytest.raises(OutputError, match="not known"):
        sides.stopped(tmp_path / "none", originals)
