"""The whole job on real records: accepted or not, what is released, what stays with the owner."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from command_line import write_key
from sfumato.building.detectors import detector
from sfumato.errors import BudgetError, ConfigurationError, InputError, LedgerError, OutputError, SfumatoError
from sfumato.evaluation.results import Figure, Skipped, Study
from sfumato.evaluation.studies.guarantee import BAYES
from sfumato.files import FileOptions, Parts, open_source
from sfumato.ledger import Ledger, made_key
from sfumato.metrics.estimates import Estimate
from sfumato.policy import Policy
from sfumato.policy.limits import Accept, Against
from sfumato.protection import completing, protecting
from sfumato.protection import costs as protect_costs
from sfumato.protection.attacking import Left
from sfumato.protection.attempts import Attempts, hidden
from sfumato.protection.costs import costs
from sfumato.protection.judging import Loosened, coarse, failing
from sfumato.protection.originals import read_originals, read_release
from sfumato.protection.outcome import Outcome
from sfumato.protection.protecting import protect_request
from sfumato.protection.request import Request, check_input, public
from sfumato.protection.signing import Signer
from sfumato.protection.verifying import verify
from sfumato.review import texts_of
from sfumato.review.journal import journal
from sfumato.review.session import Session
from sfumato.review.texts import hits_from
from sfumato.storage.atomic import leaving_nothing

pytestmark = pytest.mark.models
RECORDS = Path(__file__).parents[2] / "examples" / "records.jsonl"
CANARY = "Zwiebelfisch"
POLICY = """
name = "small"

[find]
detect = ["given"]

[[treat]]
kinds = ["AGE"]
mechanism = "geometric"
epsilon = 0.2

[[treat]]
kinds = ["PERSON", "CODE", "PHONE", "EMAIL"]
mechanism = "independent"
consistency = "document"

[treat_others]
method = "label"

[against]
acquaintances = 0.9

[accept]
token_guess_upper = 1.0
identifiers_left_upper = 0.45
utility_lower = 0.2
"""


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory, short_lists: None) -> Path:
    """Records of the example; one has a made-up word in a marked name."""
    lines = [json.loads(line) for line in RECORDS.read_text(encoding="utf-8").splitlines()[:24]]
    lines[3]["text"] = f"{CANARY} Larsen came. " + lines[3]["text"]
    shift = len(f"{CANARY} Larsen came. ")
    moved = [{**span, "start": span["start"] + shift, "end": span["end"] + shift} for span in lines[3]["spans"]]
    lines[3]["spans"] = [{"start": 0, "end": len(CANARY) + 7, "label": "PERSON"}, *moved]
    path = tmp_path_factory.mktemp("protect") / "records.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def request_of(records: Path, name: Path, changes: dict[str, str] | None = None, **options: object) -> Request:
    policy = Policy.parse(POLICY).with_changes(changes or {})
    files = FileOptions(fields=("text",), id_field="id", keep=("kind",))
    return Request(records, policy, name, files, name.parent / "signing.key", sample=10, **options)  # type: ignore[arg-type]


def pinned(folders: pytest.TempPathFactory) -> dict[str, str]:
    """A change of a policy that gives every test the same draws: by chance they may find nobody again."""
    return {"randomness.pin": str(write_key(folders.mktemp("pinned") / "draws.key"))}


@pytest.fixture(scope="module")
def accepted(records: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Outcome, Path]:
    """An accepted run, which names no field, where a run before it was killed. Its draws find somebody again."""
    name = tmp_path_factory.mktemp("accepted") / "notes"
    request = request_of(records, name, pinned(tmp_path_factory))
    with hidden(request) as place:
        folder = place.folder
    folder.mkdir()  # as SIGKILL leaves it
    (folder / "data.jsonl").write_text(CANARY)
    return protect_request(replace(request, files=FileOptions(id_field="id"))), name


@pytest.fixture(scope="module")
def refused(records: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Outcome, Path]:
    """A run on ten records that was told to go on: its limits can hold for no ten, and one needs a review."""
    few = tmp_path_factory.mktemp("few") / "records.jsonl"
    lines = records.read_text(encoding="utf-8").splitlines(keepends=True)
    few.write_text("".join(lines[:10]), encoding="utf-8")
    name = tmp_path_factory.mktemp("refused") / "notes"
    strict = {
        **pinned(tmp_path_factory),
        "accept.utility_lower": "0.99",
        "against.acquaintances": "0.01",
        "accept.missed_upper": "0.5",
    }
    return protect_request(request_of(few, name, strict, anyway=True)), name


@dataclass(frozen=True)
class Reviewed:
    """Three attempts for one name with a review: not accepted, not paid and so not drawn, accepted."""

    name: Path
    refused: Outcome
    left: list[Path]
    """What the folder of the release held after the first two."""
    accepted: Outcome


@pytest.fixture(scope="module")
def reviewed(records: Path, tmp_path_factory: pytest.TempPathFactory) -> Reviewed:
    """A person read a random sample, and marked a word everywhere that the given spans lack; a ledger pays."""
    home = tmp_path_factory.mktemp("reviewed")
    name = home / "notes"
    name.with_name("notes.release").mkdir()
    with pytest.raises(OutputError, match="exists"):
        protect_request(request_of(records, name))
    request = request_of(records, name, {"accept.missed_upper": "0.5"}, trials=False, overwrite=True)
    finder = detector(**request.policy.find.arguments(Path()))
    texts = texts_of(open_source(records, replace(request.files, spans_field=finder.spans_field, adjustable=False)))
    path = home / "decisions.jsonl"
    with journal(path) as kept:
        session = Session(texts, finder, kept, (), 24)
        sample = kept.decisions.sample
        assert sample is not None
        kept.append({"action": "always", "text": "the", "label": "PERSON"})
        for record in sample.facts["records"]:
            kept.append({"action": "read", "record": record, "sampled": True})
        assert session is not None
    request = replace(request, decisions=path)
    budget = '[budget]\nname = "notes"\nledger = "spent.sqlite"\n\n[budget.record]\n"AGE per year" = 0.3\n"*" = 100\n'
    paying = Policy.parse(POLICY + budget, home).with_changes({"accept.missed_upper": "0.5"})
    assert paying.budget.budget is not None
    made_key(home / "spent.sqlite.key")
    Ledger.begin(str(home / "spent.sqlite"), home / "spent.sqlite.key", paying.budget.budget).close()
    first = protect_request(replace(request, policy=paying, anyway=True))
    with pytest.raises(BudgetError):  # the attempt before was paid, though nothing was released
        protect_request(replace(request, policy=paying, anyway=True))
    left = list(name.with_name("notes.release").iterdir())
    looser = request.policy.with_changes({"accept.missed_upper": "1"})
    return Reviewed(name, first, left, protect_request(replace(request, policy=looser)))


def test_an_accepted_release_holds_everything_and_is_signed(accepted: tuple[Outcome, Path]) -> None:
    outcome, name = accepted
    folder = name.with_name("notes.release")
    assert outcome.accepted
    assert outcome.folder == folder
    names = {path.name for path in folder.iterdir()}
    assert names == {
        "data.jsonl", "data.jsonl.privacy.json", "policy.toml", "report.html", "release.dsse.json", "signer.pub",
        "SHA256SUMS",
    }  # fmt: skip
    found = verify(folder, name.with_name("signing.key.pub"))
    assert found.holds
    assert found.envelope is not None
    assert found.envelope.predicate["accepted"] is True
    assert len(found.envelope.predicate["limits"]) == 6
    assert len((folder / "data.jsonl").read_text().splitlines()) == 24
    assert Policy.load(folder / "policy.toml").fingerprint == Policy.parse(POLICY).fingerprint


def test_the_statement_says_that_the_verdict_depends_on_the_originals(accepted: tuple[Outcome, Path]) -> None:
    _, name = accepted
    stated = json.loads((name.with_name("notes.release") / "data.jsonl.privacy.json").read_text())
    assert any("computed from the originals" in note for note in stated["accepted"]["notes"])
    told = {each["limit"]: each for each in stated["accepted"]["limits"]}
    assert told["insiders"]["asked"] is None
    assert "the policy sets no limit" in told["insiders"]["sentence"]
    assert stated["accepted"]["attempt"] == 1


def test_no_private_word_is_in_a_release_and_no_id_of_who_is_found(accepted: tuple[Outcome, Path]) -> None:
    outcome, name = accepted
    for path in name.with_name("notes.release").iterdir():
        assert CANARY.encode() not in path.read_bytes(), path.name
    page = (name.with_name("notes.release") / "report.html").read_text()
    assert outcome.found  # so the next line can fail
    assert not any(identifier in page for identifier in outcome.found)


def test_the_folder_for_the_owner_is_for_the_owner(
    accepted: tuple[Outcome, Path], refused: tuple[Outcome, Path]
) -> None:
    for outcome, name in (accepted, refused):
        private = name.with_name("notes.private")
        assert private.stat().st_mode & 0o077 == 0
        assert (private / "report.html").stat().st_mode & 0o077 == 0
        assert any(identifier in (private / "report.html").read_text() for identifier in outcome.found)


def test_what_is_not_accepted_is_not_released(refused: tuple[Outcome, Path]) -> None:
    outcome, name = refused
    assert not outcome.accepted
    assert outcome.folder is None
    assert sorted(path.name for path in name.parent.iterdir()) == [
        "notes.private", "signing.key", "signing.key.attempts.jsonl", "signing.key.pub",
    ]  # fmt: skip
    assert not [path for path in name.parent.rglob("*") if path.name.startswith("data")]


def test_changes_were_tried_and_say_what_they_did(refused: tuple[Outcome, Path]) -> None:
    outcome, name = refused
    assert outcome.tried
    assert all("similarity to the original" in trial.limits for trial in outcome.tried)
    assert all(len(trial.before) == len(trial.after) == len(trial.limits) for trial in outcome.tried)
    assert any(trial.before != trial.after for trial in outcome.tried)
    hits = hits_from(name.with_name("notes.private") / "hits.jsonl", 10**6)
    found = list(outcome.attack.finding.records)
    assert list(hits) == found  # `sfumato review --hits` shows these first
    ways = outcome.attack.finding.ways
    assert hits == {record: tuple(f"replaced values, {way}" for way in ways[record]) for record in found}
    assert {way for own in ways.values() for way in own} == {"by words", "by meaning"}
    page = (name.with_name("notes.private") / "report.html").read_text()
    told = [trial.helps or trial.broad for trial in outcome.tried]
    assert told == [f"<li>{trial.words}: " in page for trial in outcome.tried]


def test_where_insiders_find_people_broad_changes_are_told(accepted: tuple[Outcome, Path]) -> None:
    outcome, name = accepted
    insiders = next(each for each in outcome.judgements if each.name == "insiders")
    assert insiders.state == "not safe"
    told = [line for line in outcome.advice() if "people found by insiders" in line]
    assert len(told) == 2
    assert all("similarity to the original" in line for line in told)
    readers = (name.with_name("notes.release") / "report.html").read_text(encoding="utf-8")
    assert "as its label alone" not in readers


def test_values_that_are_still_there_are_for_the_owner_alone(accepted: tuple[Outcome, Path]) -> None:
    """The label alone would leave none: so one is put back, as a draw that returns the value does."""
    outcome, _ = accepted
    left = {0: (Left(3, "PERSON", f"{CANARY} Larsen"),)}
    told = replace(outcome, attack=replace(outcome.attack, left=left))
    owner, readers = told.page_for_owner(), told.page_for_readers()
    assert f"<td>{outcome.ids[3]}</td><td>PERSON</td><td>{CANARY} Larsen</td>" in owner
    assert "This list shows private text" in owner
    assert CANARY not in readers
    assert CANARY not in repr(told)
    assert CANARY not in repr(told.attack)
    [counted, *_] = outcome.remains
    assert "replaced spans read as before" in counted
    assert counted in owner
    assert "read as before" not in readers + repr(told) + json.dumps(told.as_json())
    assert not [path for path in outcome.folder.iterdir() if b"read as before" in path.read_bytes()]  # type: ignore[union-attr]


def test_a_limit_that_was_loosened_is_beside_the_verdict_and_under_the_signature(
    accepted: tuple[Outcome, Path],
) -> None:
    outcome, name = accepted
    assert outcome.loosened == ()
    envelope = verify(name.with_name("notes.release")).envelope
    assert envelope is not None
    assert envelope.predicate["loosened"] == []
    looser = Loosened("utility_lower", "clinical", 0.6, 0.3)
    told = replace(outcome, loosened=(looser,))
    for page in (told.page_for_owner(), told.page_for_readers()):
        assert page.index("<h1") < page.index(looser.sentence) < page.index('<ul class="limits">')
    assert told.as_json()["loosened"] == [
        {"limit": "utility_lower", "policy": "clinical", "shipped": 0.6, "asked": 0.3, "sentence": looser.sentence}
    ]


def test_the_page_for_readers_holds_no_exact_figure(accepted: tuple[Outcome, Path]) -> None:
    """One person more who is found hardly changes it: ends lie on a coarse grid, with their middle between."""
    outcome, _ = accepted
    [linkage] = [study for study in outcome.attack.studies if study.name == "linkage"]
    owner, readers = outcome.page_for_owner(), outcome.page_for_readers()
    exact = 0
    for estimate in (figure.estimate for figure in linkage.figures if figure.estimate.low < figure.estimate.high):
        told = coarse(estimate)
        assert f"<td>{told.value:.4g}</td><td>{told.low:.4g} to {told.high:.4g}</td>" in readers
        ends = f"<td>{estimate.low:.4g} to {estimate.high:.4g}</td>"
        assert ends in owner
        if len(ends) == len("<td>0.1234 to 0.5678</td>"):  # others may be on the grid
            assert ends not in readers
            exact += 1
    assert exact
    assert "rounded outward" in readers
    for judgement in outcome.judgements:
        told, signed = judgement.for_readers.measured, judgement.as_json()["measured"]
        assert told is not None
        assert signed == {"low": told.low, "high": told.high, "of": told.of}
        assert told.value == pytest.approx((told.low + told.high) / 2)


def test_the_page_for_readers_counts_nothing_that_the_release_does_not_show(accepted: tuple[Outcome, Path]) -> None:
    """A count of words, claims or records with something differs between near inputs, as an exact share does."""
    outcome, _ = accepted
    alone = Figure("distance", Estimate(0.7312, 0.7312, 0.7312, 1), {"of": "own record"}, "high")
    many = Figure("distance", Estimate(0.5, 0.4123, 0.5987, 8191), {"claims_a_record": 4.17}, "high")
    law = Figure(BAYES, Estimate(0.2718, 0.2718, 0.2718, 7919, "tokens"), {"vocabulary": "AGE"}, "low")
    left = Skipped("words of 6,133 records", "4,219 originals have no value there")
    studies = [Study("surface", [alone, many], [left]), Study("guarantee", [law])]
    told = replace(outcome, attack=replace(outcome.attack, studies=studies))
    owners, readers = told.page_for_owner(), told.page_for_readers()
    for exact in ("0.7312", "0.4123", "8,191", "4.17", "6,133", "4,219"):
        assert exact in owners
        assert exact not in readers
    assert "words of some records" in readers
    for of_law in ("0.2718", "7,919"):  # which the statement describes
        assert of_law in readers
    assert "people tried" in outcome.page_for_owner()
    assert "people tried" not in outcome.page_for_readers()


def test_a_release_does_not_name_the_file_of_the_originals(accepted: tuple[Outcome, Path]) -> None:
    outcome, name = accepted
    assert "(records.jsonl)" in outcome.page_for_owner()
    for path in name.with_name("notes.release").iterdir():
        assert "records.jsonl" not in path.read_text(encoding="utf-8"), path.name


def test_a_limit_that_so_few_cannot_meet_stops_the_run_before_anything_is_built(
    records: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def built(*_: object, **__: object) -> None:
        raise AssertionError("this takes long")

    monkeypatch.setattr(protecting, "build_policy", built)
    heard: list[str] = []
    with pytest.raises(ConfigurationError, match=r"identifiers_left_upper = 5 % needs at least 72 people .*24 here"):
        protect_request(
            request_of(records, tmp_path / "notes", {"accept.identifiers_left_upper": "0.05"}), tell=heard.append
        )
    assert not list(tmp_path.iterdir())
    with pytest.raises(AssertionError, match="long"):
        protect_request(request_of(records, tmp_path / "notes"), tell=heard.append)
    assert len(heard) == 4
    assert heard[0] == "acquaintances = 90 % needs at least 2 people with a replaced value; at most 24 here."


def test_people_without_a_marked_name_do_not_count_and_nothing_is_drawn_for_so_few(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        {"id": str(n), "kind": "x", "text": f"62, {n}", "spans": [{"start": 0, "end": 2, "label": "AGE"}]}
        for n in range(24)
    ]
    path = tmp_path / "notes.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    monkeypatch.setattr(protecting, "execute", None)
    with pytest.raises(ConfigurationError, match=r"people with a marked name, code or number; 0 here: TOO FEW"):
        protect_request(request_of(path, tmp_path / "out"))
    assert not (tmp_path / "out.private").exists()
    assert not (tmp_path / "signing.key.attempts.jsonl").exists()
    missing = next(need for need in costs(request_of(path, tmp_path / "out")).needs if not need.enough)
    assert (missing.best.name, missing.there) == ("identifiers_left_upper", 0)


def test_a_limit_for_misses_needs_a_review(refused: tuple[Outcome, Path]) -> None:
    outcome, _ = refused
    assert any("not measured" in judgement.sentence for judgement in failing(outcome.judgements))


def test_attempts_are_counted_and_a_release_is_replaced_if_asked(reviewed: Reviewed, tmp_path: Path) -> None:
    assert not reviewed.refused.accepted
    assert not reviewed.left  # what was there stays: a folder without files
    assert reviewed.accepted.accepted
    assert reviewed.accepted.as_json()["attempt"] == 3
    assert verify(reviewed.name.with_name("notes.release")).holds
    path = reviewed.name.with_name("signing.key.attempts.jsonl")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line.get("accepted") for line in lines] == [None, False, None, None, True]  # begun before the draw
    assert path.stat().st_mode & 0o077 == 0
    damaged = Attempts.of(tmp_path / "key", Signer.of_file(tmp_path / "key"), ["Anna"])
    for content in ("cut\n", "[]\n", '{"begun": 1}\n'):
        damaged.path.write_text(content)
        with pytest.raises(InputError, match="cannot be counted"):
            damaged.count()


def test_attempts_are_counted_by_the_texts_whatever_the_release_is_called(tmp_path: Path) -> None:
    key = tmp_path / "key"
    signer, other = Signer.of_file(key), Signer.of_file(tmp_path / "other")
    first = Attempts.of(key, signer, ["Anna came.", "Bo left."])
    assert (first.begun("policy"), first.begun("another policy")) == (1, 2)
    assert Attempts.of(key, signer, ["Bo left.", "Anna came."]).begun("policy") == 3  # another order is no new input
    assert Attempts.of(key, signer, ["Anna came."]).begun("policy") == 1
    assert first.texts != Attempts.of(key, other, ["Anna came.", "Bo left."]).texts  # nobody can compare guesses
    assert "Anna" not in first.path.read_text()


def attempts_at(records: Path, request: Request) -> Attempts:
    originals = read_originals(records, request.files)
    return Attempts.of(request.key, Signer.of_file(request.key), (document.text for document in originals.documents))


def test_another_name_for_the_release_is_no_first_attempt(records: Path, tmp_path: Path) -> None:
    def broken(*_: object, begin: Callable[[], None], **__: object) -> None:
        begin()
        raise ConfigurationError("broken")

    attempts = attempts_at(records, request_of(records, tmp_path / "a"))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(protecting, "execute", broken)
        for name in ("a", "b"):
            with pytest.raises(ConfigurationError, match="broken"):
                protect_request(request_of(records, tmp_path / name))
    assert attempts.count() == 2


def test_a_failure_in_the_middle_leaves_nothing(
    records: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ConfigurationError("broken")

    monkeypatch.setattr(protecting, "attacked", broken)
    with pytest.raises(SfumatoError, match="broken"):
        protect_request(request_of(records, tmp_path / "notes"))
    assert [path.name for path in tmp_path.rglob("*.jsonl")] == ["signing.key.attempts.jsonl"]
    assert len((tmp_path / "signing.key.attempts.jsonl").read_text().splitlines()) == 1


REFUSED: dict[str, tuple[str, dict[str, str], dict[str, object], str]] = {
    "a label that no record has": ("", {}, {"labels": ("nope",)}, "--label nope cannot be inferred: No record"),
    "a label that all share": ("", {}, {"labels": ("same",)}, "--label same cannot be inferred: All records"),
    "a label that is a text": ("", {}, {"labels": ("text",)}, "--label text cannot be inferred: Fewer than two"),
    "a pin without an id": ('[randomness]\npin = "own.pin"\n', {}, {"files": FileOptions()}, "needs id_field"),
    "a pin that is a list": ('[randomness]\npin = "own.pin"\n', {"find.deny": "own.pin"}, {}, "no secret key"),
    "a budget without a ledger": ('[budget]\nname = "x"\n[budget.record]\n"*" = 1\n', {}, {}, "no ledger keeps it"),
    "a ledger that is not there": (
        '[budget]\nname = "x"\nledger = "none"\n[budget.record]\n"*" = 1\n', {}, {}, "There is no ledger"
    ),
    "a law that cannot be": ("", {"treat.AGE.epsilon": "100000"}, {}, "cannot be drawn faithfully"),
    "a list that is not there": ("", {"find.deny": "none.txt"}, {}, "does not exist"),
    "a review of other texts": ("", {}, {"decisions": "decisions.jsonl"}, "no such record"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_a_refusal_leaves_nothing(case: str, tmp_path: Path) -> None:
    """No key, no folder for the owner, no lock, no folder on the way there, and no attempt is counted."""
    more, changes, options, reason = REFUSED[case]
    lines = [{**json.loads(line), "same": "x"} for line in RECORDS.read_text(encoding="utf-8").splitlines()[:8]]
    path = tmp_path / "records.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    write_key(tmp_path / "own.pin")
    facts = {"format": 1, "record": 99, "action": "read", "sampled": False}
    (tmp_path / "decisions.jsonl").write_text(json.dumps(facts) + "\n")
    policy = Policy.parse(POLICY + more, tmp_path).with_changes(changes)
    if "decisions" in options:
        options = {"decisions": tmp_path / "decisions.jsonl"}
    name, before = tmp_path / "new" / "folder" / "notes", sorted(tmp_path.rglob("*"))
    files, key = FileOptions(id_field="id", keep=()), tmp_path / "keys" / "own.key"
    request = Request(path, policy, name, files, key, sample=5)
    with pytest.raises(SfumatoError, match=reason):
        protect_request(replace(request, **options))  # type: ignore[arg-type]
    assert sorted(tmp_path.rglob("*")) == before


def test_a_label_is_looked_for_before_anything_is_built(
    records: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (protecting, protect_costs):
        monkeypatch.setattr(module, "build_policy", lambda *_, **__: pytest.fail("something was built"))
    request = request_of(records, tmp_path / "notes", labels=("urgent", "nope"))
    for run in (protect_request, costs):
        with pytest.raises(ConfigurationError, match="--label nope"):
            run(request)


def test_a_label_of_a_table_is_read(records: Path, tmp_path: Path) -> None:
    """A column that is only a label was not read from Parquet, so that its study was empty."""
    rows = [json.loads(line) for line in records.read_text(encoding="utf-8").splitlines()]
    table = pa.Table.from_pylist([{"id": row["id"], "text": row["text"], "urgent": row["urgent"]} for row in rows])
    pq.write_table(table, tmp_path / "records.parquet")
    policy = Policy.parse(POLICY).with_changes({"find.detect": "words"})
    request = Request(tmp_path / "records.parquet", policy, tmp_path / "out", labels=("urgent",))
    check_input(request)
    originals = read_originals(request.input, request.files)
    assert {document.metadata.get("urgent") for document in originals.documents} == {row["urgent"] for row in rows}


@pytest.mark.parametrize("begins", [True, False])
def test_what_began_is_kept(tmp_path: Path, begins: bool) -> None:
    made = tmp_path / "a" / "b"

    def run() -> None:
        with leaving_nothing(made / "key", made / "private") as begin:
            (made / "private").mkdir(parents=True)
            (made / "key").write_text("x")
            if begins:
                begin()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run()
    assert ((made / "key").exists(), made.parent.exists()) == (begins, begins)


def test_what_was_there_before_a_refusal_stays(tmp_path: Path) -> None:
    (tmp_path / "private").mkdir()
    with pytest.raises(KeyboardInterrupt), leaving_nothing(tmp_path / "private"):
        raise KeyboardInterrupt
    assert (tmp_path / "private").exists()


def test_a_policy_without_limits_is_refused_with_an_example(records: Path, tmp_path: Path) -> None:
    policy = replace(Policy.parse(POLICY), against=Against(), accept=Accept())
    with pytest.raises(ConfigurationError, match=r"acquaintances = 0\.5"):
        Request(records, policy, tmp_path / "notes")


@pytest.mark.parametrize("name", ["notes.release", "notes.private", ".."])
def test_a_name_that_is_none_is_refused(records: Path, tmp_path: Path, name: str) -> None:
    with pytest.raises(OutputError, match="not a name"):
        request_of(records, tmp_path / name)


def test_a_shift_costs_one_draw_for_whoever_pays(tmp_path: Path) -> None:
    text = "3 May 2020, 4 May 2020 and 5 May 2020"
    spans = [{"start": place, "end": place + 10, "label": "DATE"} for place in (0, 12, 27)]
    rows = [{"id": str(n), "who": "Ana", "text": text, "spans": spans} for n in range(3)]
    path = tmp_path / "notes.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    shift = POLICY.replace('kinds = ["AGE"]\nmechanism = "geometric"', 'kinds = ["DATE"]\nmechanism = "shift"')
    for subject, payer in ((None, "record"), ("who", "person")):
        policy = Policy.parse(shift).with_changes({"fields.subject": subject} if subject else {})
        request = Request(path, policy, tmp_path / "out", FileOptions(id_field="id", subject_field=subject))
        [dates] = costs(request).kinds
        assert (dates.kind, dates.values, dates.draws, dates.payer) == ("DATE", 9, 1, payer)
        assert dates.sentence.endswith(
            f"one draw for each {'subject' if subject else 'record'}); 1 x 0.2 at most for one {payer}"
        )


def test_draws_of_a_person_add_up_over_records(tmp_path: Path) -> None:
    spans = [{"start": place, "end": place + 2, "label": "AGE"} for place in (0, 3)]
    rows = [{"id": str(n), "who": "Ana", "text": "62 63", "spans": spans} for n in range(3)]
    path = tmp_path / "notes.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for subject, draws in ((None, 2), ("who", 6)):
        policy = Policy.parse(POLICY).with_changes({"fields.subject": subject} if subject else {})
        [ages] = costs(
            Request(path, policy, tmp_path / "out", FileOptions(id_field="id", subject_field=subject))
        ).kinds
        assert (ages.kind, ages.draws) == ("AGE", draws)


def test_the_costs_are_told_before_anything_is_drawn(records: Path, tmp_path: Path) -> None:
    expected = costs(request_of(records, tmp_path / "notes"))
    ages = next(cost for cost in expected.kinds if cost.kind == "AGE")
    assert expected.records == 24
    assert ages.epsilon == 0.2
    assert f"AGE: {ages.values} values" in "\n".join(expected.lines())
    assert "identifiers_left_upper = 45 % needs at least 7 people" in "\n".join(expected.lines())
    assert (ages.payer, 0 < ages.draws < ages.values) == ("record", True)
    assert not list(tmp_path.iterdir())


def test_the_signing_key_is_made_where_it_was_named(accepted: tuple[Outcome, Path]) -> None:
    _, name = accepted
    key = Signer.of_file(name.with_name("signing.key")).public
    assert (name.with_name("notes.release") / "signer.pub").read_bytes() == key.pem


def test_a_budget_that_no_ledger_keeps_protects_nothing(records: Path, tmp_path: Path) -> None:
    request = request_of(records, tmp_path / "notes")
    policy = Policy.parse(POLICY + '\n[budget]\nname = "notes"\n[budget.record]\n"*" = 1\n')
    with pytest.raises(ConfigurationError, match="no ledger keeps it"):
        protect_request(replace(request, policy=policy))
    assert not (tmp_path / "notes.release").exists()


def test_every_attempt_is_charged_and_one_that_cannot_be_paid_draws_nothing(reviewed: Reviewed) -> None:
    assert not reviewed.refused.accepted
    assert reviewed.refused.statement["ledger"]
    assert not reviewed.left
    private = reviewed.name.with_name("notes.private")
    assert (private / "data.jsonl.refused.jsonl").stat().st_mode & 0o077 == 0


def test_a_review_corrects_the_release_and_its_sample_is_judged_and_signed(reviewed: Reviewed) -> None:
    assert not reviewed.refused.accepted  # 13 of the 24 records have "the"
    assert "misses in 24 records" in reviewed.refused.review
    assert reviewed.accepted.accepted
    folder = reviewed.name.with_name("notes.release")
    lines = (folder / "data.jsonl").read_text().splitlines()
    assert not any(" the " in json.loads(line)["text"] for line in lines)
    found = verify(folder)
    assert found.envelope is not None
    [told] = [note for note in found.envelope.predicate["notes"] if note.startswith("A person read a random sample")]
    assert re.search(r"at most \d+ % of records have a miss", told)
    private = reviewed.name.with_name("notes.private")
    owners = (private / "report.html").read_text(encoding="utf-8")
    assert reviewed.accepted.review in owners
    assert "in 24 records" in reviewed.accepted.review
    for path in folder.iterdir():  # two releases of near inputs would tell whether one record more has a miss
        assert "in 24 records" not in path.read_text(encoding="utf-8"), path.name
    assert "in 24 records" not in str(found.envelope.predicate)
    assert (private / "decisions.jsonl").stat().st_mode & 0o077 == 0


def test_records_that_may_be_set_aside_need_ids(records: Path, tmp_path: Path) -> None:
    """Places shift behind a record that is left out: each original was compared with the release of the next one."""
    broken = tmp_path / "records.jsonl"
    broken.write_text("{\n" + records.read_text(encoding="utf-8"), encoding="utf-8")
    files = FileOptions(on_error="quarantine")
    with pytest.raises(ConfigurationError, match="--id-field"):
        protect_request(replace(request_of(broken, tmp_path / "notes", trials=False), files=files))
    check_input(replace(request_of(broken, tmp_path / "notes"), files=replace(files, id_field="id")))
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.txt").write_text("Anna came.")
    texts = Policy.parse(POLICY.replace('["given"]', '["words"]'))
    check_input(Request(folder, texts, tmp_path / "out", files))  # names of files do not shift


def test_a_release_is_read_in_its_own_encoding(tmp_path: Path) -> None:
    """A release is UTF-8 whatever the input is; read as the input is, its names were not recognised."""
    files = FileOptions(id_field="id", encoding="latin-1")
    before, after = tmp_path / "records.jsonl", tmp_path / "data.jsonl"
    line = json.dumps({"id": "1", "text": "Zoë Müller came."}, ensure_ascii=False)
    before.write_text(line, encoding="latin-1")
    after.write_text(line, encoding="utf-8")
    assert read_release(after, before, files, read_originals(before, files), tmp_path) == ["Zoë Müller came."]


def test_a_review_of_other_texts_is_refused(records: Path, tmp_path: Path) -> None:
    path = tmp_path / "decisions.jsonl"
    facts = {"format": 1, "record": 99, "action": "read", "sampled": False}
    path.write_text(json.dumps(facts) + "\n")
    with pytest.raises(InputError, match="no such record"):
        protect_request(replace(request_of(records, tmp_path / "notes"), decisions=path))


def test_fields_that_nobody_names_go_and_those_that_stay_are_signed(accepted: tuple[Outcome, Path]) -> None:
    _, name = accepted
    folder = name.with_name("notes.release")
    released = [json.loads(line) for line in (folder / "data.jsonl").read_text().splitlines()]
    assert all(set(record) <= {"id", "text", "spans"} for record in released)
    envelope = verify(folder).envelope
    assert envelope is not None
    assert envelope.predicate["fields"] == ["text", "id"]


def test_the_published_policy_names_no_address_no_key_and_no_folder(tmp_path: Path) -> None:
    secret = (
        POLICY.replace('["given"]', '["presidio"]\ndeny = ["/home/ward/patients/names.txt"]')
        + '[find.options]\nrecognizers = "/home/ward/groups.yaml"\n'
        '[[treat]]\nkinds = ["ORGANIZATION"]\nmethod = "mask"\noptions = { mask = "/home/ward/x" }\n'
        + '[randomness]\npin = "/home/ward/run.key"\nscope = "subject"\n[fields]\nsubject = "who"\n'
        '[budget]\nname = "notes"\nledger = "postgresql://ledger:S3cret@db/x"\nkey = "/home/ward/l.key"\n'
        '[budget.record]\n"*" = 1\n'
    )
    shown = public(Policy.parse(secret)).as_toml()
    assert "names.txt" in shown
    assert 'recognizers = "groups.yaml"' in shown
    assert not [word for word in ("ward", "S3cret", "run.key", "l.key") if word in shown]
    assert Policy.parse(shown).randomness.scope == "subject"


def test_a_run_that_was_killed_leaves_what_the_next_one_removes(accepted: tuple[Outcome, Path]) -> None:
    outcome, name = accepted
    assert outcome.accepted
    files = [path for path in name.parent.rglob("*") if path.is_file()]
    assert not [path for path in files if CANARY.encode() in path.read_bytes()]


def test_two_runs_cannot_make_one_release(records: Path, tmp_path: Path) -> None:
    with hidden(request_of(records, tmp_path / "notes")), pytest.raises(OutputError, match="Another run"):
        protect_request(request_of(records, tmp_path / "notes", trials=False))


def test_texts_of_one_person_count_as_one_person(tmp_path: Path) -> None:
    path = tmp_path / "notes.jsonl"
    rows = [{"id": str(n), "who": f"p{n % 3}", "text": f"Person {n % 3} came."} for n in range(9)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    originals = read_originals(path, FileOptions(id_field="id", subject_field="who"))
    assert originals.people == [[0, 3, 6], [1, 4, 7], [2, 5, 8]]
    alone = read_originals(path, FileOptions(id_field="id"))
    assert alone.people == [[n] for n in range(9)]


def test_a_person_has_one_name_however_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "notes.jsonl"
    names = ("Zoë", "Zoe\u0308", " ZO\u200bË ", "Zoe")
    rows = [{"id": str(n), "who": name, "text": "Came."} for n, name in enumerate(names)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    originals = read_originals(path, FileOptions(id_field="id", subject_field="who"))
    assert originals.people == [[0, 1, 2], [3]]
    assert originals.owners == [0, 0, 0, 1]


def test_options_of_a_file_leave_the_fields_of_the_policy(tmp_path: Path) -> None:
    """Attacks look for people: a request that forgot who a record is about would count records instead."""
    fields = '[fields]\nid = "nr"\nsubject = "who"\ntext = ["note"]\nkeep = ["ward"]\n'
    policy = Policy.parse(POLICY + fields)
    name = tmp_path / "out"
    encoded = Request(tmp_path / "a.jsonl", policy, name, FileOptions(encoding="latin-1")).files
    assert (encoded.encoding, encoded.fields, encoded.id_field) == ("iso8859-1", ("note",), "nr")
    assert (encoded.subject_field, encoded.keep) == ("who", ("ward",))
    assert Request(tmp_path / "a.jsonl", policy, name).files == replace(encoded, encoding="utf-8")
    other = Request(tmp_path / "a.jsonl", policy, name, FileOptions(subject_field="patient", keep=()))
    assert (other.policy.fields.subject, other.files.subject_field, other.files.keep) == ("patient", "patient", ())


BUDGET = '[budget]\nname = "notes"\nledger = "spent.sqlite"\n\n[budget.record]\n"*" = 100\n'


def paying(records: Path, home: Path, **options: object) -> Request:
    """Return a request that a new ledger in ``home`` pays for."""
    policy = Policy.parse(POLICY + BUDGET, home)
    assert policy.budget.budget is not None
    made_key(home / "spent.sqlite.key")
    Ledger.begin(str(home / "spent.sqlite"), home / "spent.sqlite.key", policy.budget.budget).close()
    return replace(request_of(records, home / "notes", trials=False), policy=policy, **options)  # type: ignore[arg-type]


def states_in(home: Path) -> list[str]:
    with Ledger.open(str(home / "spent.sqlite"), home / "spent.sqlite.key") as ledger:
        return list(ledger.state.states.values())


STOPPED = [(Parts, "assemble"), (protecting, "attacked"), (completing, "seal")]


@pytest.mark.parametrize(("owner", "name"), STOPPED)
def test_a_paid_attempt_that_was_stopped_is_continued(
    records: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owner: object, name: str
) -> None:
    """In the middle of the draws, of the attacks, and of what is written after the verdict."""
    request = paying(records, tmp_path)
    with monkeypatch.context() as stopping:
        stopping.setattr(owner, name, _interrupted)
        with pytest.raises(KeyboardInterrupt):
            protect_request(request)
    assert not request.release.exists()
    with pytest.raises(OutputError, match="continue it with --resume"):
        protect_request(request)
    with pytest.raises(OutputError, match="changed since the attempt was stopped"):
        protect_request(replace(request, resume=True, sample=11))
    outcome = protect_request(replace(request, resume=True))
    assert outcome.accepted
    assert outcome.attempt == attempts_at(records, request).count() == 1
    assert states_in(tmp_path) == ["published"]
    assert verify(request.release).holds
    assert not list(tmp_path.rglob("*attempt.json"))
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".notes")]


def test_a_copy_of_a_paid_attempt_is_not_continued_elsewhere(
    records: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both copies would draw what is left: two releases for one payment."""
    request = paying(records, tmp_path)
    with monkeypatch.context() as stopping:
        stopping.setattr(Parts, "assemble", _interrupted)
        with pytest.raises(KeyboardInterrupt):
            protect_request(request)
    copy = tmp_path / "copy"
    for name in (".notes.release.ready", "notes.private"):
        shutil.copytree(tmp_path / name, copy / name)
    with pytest.raises(LedgerError, match="another folder"):
        protect_request(replace(request, name=copy / "notes", resume=True))
    assert not list(copy.rglob("data.jsonl"))
    assert protect_request(replace(request, resume=True)).accepted
    assert states_in(tmp_path) == ["published"]


def test_a_paid_attempt_that_is_given_up_is_taken_back_if_nothing_was_complete(
    records: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = paying(records, tmp_path)
    with monkeypatch.context() as stopping:
        stopping.setattr(Parts, "assemble", _interrupted)
        with pytest.raises(KeyboardInterrupt):
            protect_request(request)
    assert protect_request(replace(request, overwrite=True)).attempt == 2
    assert states_in(tmp_path) == ["void", "published"]
    with pytest.raises(OutputError, match="leave out --resume"):
        protect_request(replace(request, overwrite=True, resume=True))


def test_an_unpaid_attempt_that_was_stopped_leaves_nothing(
    records: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = request_of(records, tmp_path / "notes", trials=False)
    with monkeypatch.context() as stopping:
        stopping.setattr(protecting, "attacked", _interrupted)
        with pytest.raises(KeyboardInterrupt):
            protect_request(request)
    assert [path.name for path in tmp_path.rglob("*.jsonl")] == ["signing.key.attempts.jsonl"]
    with pytest.raises(OutputError, match="leave out --resume"):
        protect_request(replace(request, resume=True))


def _interrupted(*_: object, **__: object) -> None:
    raise KeyboardInterrupt
