"""A run with a ledger: reserved before the first draw, published after the name, refused whole, never underpaid."""

from __future__ import annotations

import json
import re
import shutil
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from ledger_runs import FILES, NAME, PIN, STEPS, begin, release, sanitizer, write_records
from scripted_methods import dp_mlm
from sfumato.abstract.detector import Detector
from sfumato.detectors.words import Words
from sfumato.engines.contextual import Contextual
from sfumato.engines.engine import Engine
from sfumato.errors import BudgetError, ConfigurationError, LedgerError, OutputError, SfumatoError
from sfumato.files import FileOptions, Parts
from sfumato.ledger import Ledger, Level
from sfumato.ledger.showing import shown
from sfumato.privacy.randomness import PinnedRandomness, SeededRandomness
from sfumato.release.account import void_left
from sfumato.release.job import RunOptions
from sfumato.release.kept_marks import KeptMarks, watched
from sfumato.text.document import Document
from sfumato.text.marks import Spans
from warm_command import run as run_warm

CANARY = "ZEBRAFINCH"
TEXTS = ["cat dog", "river", "", f"stone {CANARY} green winter", "friend"]  # 2, 1, 0, 4 and 1 draws


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_records(tmp_path / "in.jsonl", TEXTS)  # p0 has r0, r2, r4, and p1 has r1, r3
    return tmp_path


@pytest.fixture
def ledger(folder: Path) -> Iterator[Ledger]:
    with begin(folder) as ledger:
        yield ledger


def spent(ledger: Ledger) -> dict[str, str]:
    """Return the largest amount of each level; 0 where there is none."""
    rows = {row["account"]: row["spent_at_most"] for row in shown(ledger)["accounts"]}
    return {level.word: rows.get(level.word, "0") for level in Level}


def test_a_release_costs_what_its_statement_says(folder: Path, ledger: Ledger) -> None:
    done = release(folder, ledger)
    assert spent(ledger) == {"record": "4", "subject": "5", "dataset": "5"}
    stated = done.statement["ledger"]
    assert stated["charged"] == {
        NAME: {
            "record": {"accounts": 4, "at_most": "4"},
            "subject": {"accounts": 2, "at_most": "5"},
            "dataset": {"accounts": 1, "at_most": "5"},
        }
    }
    assert done.statement["records"]["cost_per_record"]["maximum"]["epsilon"] == 4
    assert done.statement["people"]["cost_per_person"]["maximum"]["epsilon"] == 5
    assert ledger.state.states == {1: "published"}
    assert stated["head"].startswith("1:")
    assert CANARY not in json.dumps(done.statement)


def test_everything_is_on_disk_before_the_first_draw(
    folder: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    method, seen = sanitizer(folder), []
    draw = type(method).sanitize_batch

    def watched(self: Any, *arguments: Any) -> Any:
        with Ledger.open(str(folder / "ledger"), folder / "key") as other:
            seen.append((dict(other.state.states), spent(other)["subject"]))
        return draw(self, *arguments)

    monkeypatch.setattr(type(method), "sanitize_batch", watched)
    release(folder, ledger, method=method)
    assert seen
    assert set(map(str, seen)) == {str(({1: "reserved"}, "5"))}


@pytest.mark.parametrize("workers", [1, 2])
def test_several_processes_cost_the_same(folder: Path, ledger: Ledger, workers: int) -> None:
    release(folder, ledger, workers=workers)
    assert spent(ledger) == {"record": "4", "subject": "5", "dataset": "5"}


def test_who_cannot_pay_is_listed_for_the_owner_and_nothing_is_drawn(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    method = sanitizer(folder)
    monkeypatch.setattr(type(method), "sanitize_batch", None)  # a draw would fail
    with begin(folder, subject={"*": 4}) as ledger:
        with pytest.raises(BudgetError, match=r"out.jsonl.refused.jsonl \(private\)") as told:
            release(folder, ledger, method=method)
        assert "p1" not in str(told.value)
        assert ledger.head.seq == 0
    path = folder / "out.jsonl.refused.jsonl"
    assert path.stat().st_mode & 0o777 == 0o600
    assert [json.loads(line) for line in path.read_text().splitlines()] == [
        {"account": "subject", "id": "p1", "currency": NAME, "cap": "4", "spent": "0", "asked": "5", "left": "4"}
    ]
    names = {path.name for path in folder.iterdir()}
    assert names == {
        "in.jsonl",
        "key",
        *[n for n in names if n.startswith("key.")],
        "words.vec.txt",
        "ledger",
        path.name,
    }


def test_repeats_cost_again_and_pinned_repeats_do_not(folder: Path, ledger: Ledger) -> None:
    release(folder, ledger, "a.jsonl")
    release(folder, ledger, "b.jsonl")
    assert spent(ledger)["subject"] == "10"
    for name in ("c.jsonl", "d.jsonl", "e.jsonl"):
        release(folder, ledger, name, PIN)
        assert spent(ledger) == {"record": "12", "subject": "15", "dataset": "15"}
    assert (folder / "c.jsonl").read_bytes() == (folder / "d.jsonl").read_bytes()


@pytest.mark.parametrize("change", ["text", "id", "epsilon", "pin"])
def test_a_pinned_draw_that_is_another_costs(folder: Path, ledger: Ledger, change: str) -> None:
    release(folder, ledger, "a.jsonl", PIN)
    method, pin = sanitizer(folder), PIN
    if change == "text":
        write_records(folder / "in.jsonl", ["cat dog", "river", "", "stone green winter friend", "friend"])
    elif change == "id":
        content = (folder / "in.jsonl").read_text()
        (folder / "in.jsonl").write_text(content.replace('"r3"', '"s3"'))
    elif change == "epsilon":
        method = sanitizer(folder, 0.5)
    else:
        pin = replace(PIN, key=bytes(range(3, 35)))
    release(folder, ledger, "b.jsonl", pin, method)
    more = {"text": 4, "id": 4, "epsilon": 2.5, "pin": 5}[change]
    assert float(spent(ledger)["subject"]) == 5 + more


def test_another_unit_is_another_currency_that_a_person_admits(folder: Path, ledger: Ledger) -> None:
    release(folder, ledger, "a.jsonl")
    with pytest.raises(LedgerError, match="another domain, unit or adjacency") as told:
        release(folder, ledger, "b.jsonl", method=sanitizer(folder, consistency="document"))
    digest = str(told.value).partition("--admit ")[2][:32]
    ledger.admit(digest, "Kim", "one draw for each word of a note")
    release(folder, ledger, "b.jsonl", method=sanitizer(folder, consistency="document"))


def killed_at(step: str, folder: Path) -> None:
    """Release in a process that ends itself at ``step``."""
    program = Path(__file__).parents[1] / "support" / "ledger_runs.py"
    ended = run_warm(folder, step, program=program)
    assert ended.code == -signal.SIGKILL, ended.err[-800:]
    assert CANARY not in ended.err


@pytest.mark.parametrize("step", STEPS)
def test_a_run_killed_at_any_step_has_not_published_more_than_it_paid(folder: Path, step: str) -> None:
    begin(folder).close()
    killed_at(step, folder)
    with Ledger.open(str(folder / "ledger"), folder / "key") as ledger:
        exists, paid = (folder / "out.jsonl").exists(), spent(ledger)["subject"]
        assert paid == "5" or not exists
        reserved = step not in ("before the claim", "before the reservation")
        assert paid == ("5" if reserved else "0")
        if exists:
            stated = json.loads((folder / "out.jsonl.privacy.json").read_text())["ledger"]
            assert stated["charged"][NAME]["subject"]["at_most"] == paid
        release(folder, ledger, resume=True)  # finishes it, and pays no second time
        assert spent(ledger)["subject"] == "5"
        assert set(ledger.state.states.values()) == {"published"}
        assert (folder / "out.jsonl").exists()


@pytest.mark.parametrize("step", STEPS)
def test_only_a_run_that_provably_gave_no_name_is_void(folder: Path, step: str) -> None:
    begin(folder).close()
    killed_at(step, folder)
    nothing = ("before the claim", "before the reservation")
    named = ("after it is published", "before the names", "after the names", "before the parts are removed")
    with Ledger.open(str(folder / "ledger"), folder / "key") as ledger:
        if step in nothing or step in named:
            with pytest.raises(LedgerError, match="Nothing proves"):
                void_left(ledger, folder / "out.jsonl", "Kim", "the run was stopped")
            assert spent(ledger)["subject"] == ("5" if step in named else "0")
        else:
            assert not (folder / "out.jsonl").exists()
            void_left(ledger, folder / "out.jsonl", "Kim", "the run was stopped")
            assert spent(ledger)["subject"] == "0"
            release(folder, ledger, resume=True)  # the parts are gone, so that it begins afresh, and pays
            assert spent(ledger)["subject"] == "5"


def test_a_stopped_run_that_is_begun_afresh_gets_its_cost_back(folder: Path) -> None:
    begin(folder, subject={"*": 5}).close()
    killed_at("after the first part", folder)
    with Ledger.open(str(folder / "ledger"), folder / "key") as ledger:
        release(folder, ledger)
        assert spent(ledger)["subject"] == "5"
        assert sorted(ledger.state.states.values()) == ["published", "void"]


def test_a_run_that_fails_before_its_first_part_gets_its_cost_back(
    folder: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    method = sanitizer(folder)

    def failing(*_: Any) -> Any:
        raise OutputError("the disk is full")

    monkeypatch.setattr(type(method), "sanitize_batch", failing)
    with pytest.raises(OutputError):
        release(folder, ledger, method=method)
    assert ledger.state.states == {1: "void"}
    assert spent(ledger)["subject"] == "0"


def test_a_detector_that_finds_more_the_second_time_is_stopped(
    folder: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    method = sanitizer(folder)
    planned = type(method).planned
    monkeypatch.setattr(
        type(method), "planned", lambda self, documents: [
            tuple(replace(draws, count=draws.count - 1) for draws in own) for own in planned(self, documents)
        ],
    )  # fmt: skip
    with pytest.raises(OutputError, match="drew more than was reserved"):
        release(folder, ledger, method=method)
    assert not (folder / "out.jsonl").exists()


@dataclass(frozen=True)
class _Moving(Detector):
    """Marks one word of each text: another one in the second pass, or in none if it ``stays``."""

    stays: bool = False
    seen: list[str] = field(default_factory=list, compare=False)
    description = unprotected = "-"

    def detect(self, documents: Sequence[Document]) -> list[Spans]:
        found = []
        for document in documents:
            words = [(match.start(), match.end()) for match in re.finditer(r"\S+", document.text)]
            later = 0 if self.stays else self.seen.count(document.id)
            self.seen.append(document.id)
            found.append(Spans(words[later : later + 1]))
        return found


def test_a_detector_that_marks_as_many_other_places_the_second_time_is_stopped(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under a key its draws would be others than those that were paid for, though there are as many of them.

    It marks a second time only if what it marked first was lost.
    """
    monkeypatch.setattr(KeptMarks, "turn", lambda _: None)
    write_records(folder / "in.jsonl", ["cat dog", "river stone"])
    method: Any = sanitizer(folder)
    with begin(folder) as ledger:
        release(folder, ledger, "paid.jsonl", PIN, replace(method, detector=_Moving(stays=True)))
        before = spent(ledger)
        moving = replace(method, detector=_Moving())
        assert [len(own) for own in moving.planned([Document("cat dog", "x"), Document("cat dog", "x")])] == [1, 1]
        with pytest.raises(OutputError, match="marked otherwise than when its cost was reserved"):
            release(folder, ledger, "out.jsonl", PIN, moving)
        assert not (folder / "out.jsonl").exists()
        assert not [path for path in folder.rglob("*") if path.suffix == ".plan"]
        assert spent(ledger) == before


def test_a_method_that_hides_its_detector_has_no_plan() -> None:
    with pytest.raises(ConfigurationError, match="hides its detector"):
        watched(object())


def test_a_void_reservation_cannot_be_published(
    folder: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    assemble = Parts.assemble

    def meanwhile(self: Parts, *arguments: Any, **more: Any) -> Any:
        held = ledger.claimed(next(iter(ledger.state.claims)))
        assert held is not None
        ledger.void(held, "Kim", "in the middle of the run")
        return assemble(self, *arguments, **more)

    monkeypatch.setattr(Parts, "assemble", meanwhile)
    with pytest.raises(LedgerError, match="is void there"):
        release(folder, ledger)
    assert not (folder / "out.jsonl").exists()


def test_a_ledger_lost_before_the_names_lets_nothing_out(
    folder: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    assemble = Parts.assemble

    def lost(self: Parts, *arguments: Any, **more: Any) -> Any:
        ledger.store.do("DROP TABLE sfumato_entries")
        return assemble(self, *arguments, **more)

    monkeypatch.setattr(Parts, "assemble", lost)
    with pytest.raises(LedgerError, match="nothing goes out"):
        release(folder, ledger)
    assert not (folder / "out.jsonl").exists()


def test_a_ledger_that_does_not_publish_lets_nothing_out_until_a_resumed_run_does(
    folder: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(*_: Any) -> Any:
        raise LedgerError("no answer")

    with monkeypatch.context() as patched:
        patched.setattr(Ledger, "publish", lost)
        with pytest.raises(LedgerError, match="no answer"):
            release(folder, ledger)
    assert not list(folder.glob("out.jsonl*"))
    assert ledger.state.states == {1: "reserved"}
    release(folder, ledger, resume=True)
    assert ledger.state.states == {1: "published"}
    assert spent(ledger)["subject"] == "5"


def test_what_a_ledger_cannot_hold_is_refused(folder: Path, ledger: Ledger) -> None:
    with pytest.raises(ConfigurationError, match="by its id"):
        release(folder, ledger, files=replace(FILES, id_field=None))
    with pytest.raises(ConfigurationError, match="caps for subjects"):
        release(folder, ledger, files=replace(FILES, subject_field=None))
    with pytest.raises(ConfigurationError, match="seeded run"):
        release(folder, ledger, randomness=SeededRandomness(1))
    from sfumato.building.build import build

    with pytest.raises(SfumatoError, match="without a guarantee"):
        release(folder, ledger, method=build("redaction", detect="words"))
    assert ledger.head.seq == 0
    assert FileOptions().id_field is None
    assert RunOptions().resume is False


@pytest.mark.parametrize("level", ["subject", "dataset"])
def test_a_cap_over_people_needs_the_field_that_names_them(folder: Path, level: str) -> None:
    """The costliest record bounds no person with several records."""
    alone, own = replace(FILES, subject_field=None), replace(FILES, subject_field="id")
    with begin(folder, **{level: {"*": 4}}) as ledger:
        with pytest.raises(ConfigurationError, match="--subject-field"):
            release(folder, ledger, files=alone)
        assert ledger.head.seq == 0
        release(folder, ledger, files=own)
        assert spent(ledger)["dataset"] == "4"


def test_only_a_price_of_nothing_is_free(folder: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    method = sanitizer(folder)
    planned = type(method).planned
    monkeypatch.setattr(
        type(method), "planned", lambda self, documents: [
            tuple(replace(draws, treatment="OTHER") for draws in own) for own in planned(self, documents)
        ],
    )  # fmt: skip
    with pytest.raises(LedgerError, match="no price"):
        release(folder, ledger, method=method)
    assert ledger.head.seq == 0
    assert not (folder / "out.jsonl").exists()


def test_long_keys_that_begin_alike_share_no_paid_draw(folder: Path, ledger: Ledger) -> None:
    for name, end in (("a.jsonl", b"a"), ("b.jsonl", b"b")):
        release(folder, ledger, name, PinnedRandomness(bytes(range(64)) + end))
    assert spent(ledger)["subject"] == "10"


def test_a_finished_run_that_is_resumed_draws_and_pays_nothing(folder: Path, ledger: Ledger) -> None:
    release(folder, ledger)
    before, head = (folder / "out.jsonl").read_bytes(), ledger.head
    assert release(folder, ledger, resume=True).summary is None
    assert (folder / "out.jsonl").read_bytes() == before
    assert ledger.head == head


def left_at(step: str, folder: Path, copies: Sequence[Path]) -> None:
    """Leave a run that was killed at ``step``, and copies of all that it left, as a sync or a snapshot makes them."""
    begin(folder).close()
    killed_at(step, folder)
    for copy in copies:
        for path in (*folder.glob("in.jsonl"), *folder.glob(".out.jsonl*")):
            copied = copy / path.relative_to(folder)
            copied.parent.mkdir(exist_ok=True)
            shutil.copytree(path, copied) if path.is_dir() else shutil.copy2(path, copied)


PARTIAL, WHOLE = "after the first part", "before it is published"


@pytest.mark.parametrize("step", [PARTIAL, WHOLE])
@pytest.mark.parametrize("first", [True, False])
def test_a_copy_of_the_parts_in_another_folder_is_no_second_release(folder: Path, step: str, first: bool) -> None:
    """Both went on from the parts, which drew the rest twice: two releases for one payment."""
    left_at(step, folder, [folder / "copy"])
    with Ledger.open(str(folder / "ledger"), folder / "key") as ledger:
        if first:
            release(folder, ledger, resume=True)
        with pytest.raises(
            LedgerError, match="is published there" if first and step == PARTIAL else "another folder"
        ):
            release(folder / "copy", ledger, resume=True, method=sanitizer(folder))
        assert not list((folder / "copy").glob("out.jsonl*"))
        if not first:
            release(folder, ledger, resume=True)
        assert list(ledger.state.states.values()) == ["published"]
        assert spent(ledger)["subject"] == "5"


@pytest.mark.parametrize("step", [PARTIAL, WHOLE, "after it is published"])
def test_a_snapshot_restored_after_publication_is_no_second_release(folder: Path, step: str) -> None:
    """In the same place: what was published once is not drawn again, and nothing else gets the name."""
    left_at(step, folder, [folder / "snapshot"])
    with Ledger.open(str(folder / "ledger"), folder / "key") as ledger:
        release(folder, ledger, resume=True)
        public = (folder / "out.jsonl").read_bytes()
        for path in folder.glob("out.jsonl*"):
            path.rename(folder / f"released-{path.name}")
        for path in (folder / "snapshot").glob(".out.jsonl*"):
            path.rename(folder / path.name)
        if step == PARTIAL:
            with pytest.raises(LedgerError, match="is published there"):
                release(folder, ledger, resume=True)
            assert not (folder / "out.jsonl").exists()
        else:  # nothing is left to draw: the very same release gets its name once more
            release(folder, ledger, resume=True)
            assert (folder / "out.jsonl").read_bytes() == public
        assert spent(ledger)["subject"] == "5"


def test_of_two_machines_that_go_on_at_one_path_one_gets_a_name(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A synced folder has one path on two machines: both may draw the rest, and the ledger publishes one."""
    left_at(PARTIAL, folder, [folder / "other"])
    mark = Ledger.mark
    here, there = str(folder / "out.jsonl"), str(folder / "other" / "out.jsonl")
    monkeypatch.setattr(
        Ledger, "mark", lambda self, kind, content: mark(self, kind, here if content == there else content)
    )
    publish, raced = Ledger.publish, []

    def both(self: Ledger, *arguments: Any) -> Any:
        if not raced:  # the other machine has drawn as well, and publishes first
            raced.append(True)
            with Ledger.open(str(folder / "ledger"), folder / "key") as other:
                release(folder / "other", other, resume=True, method=sanitizer(folder))
        return publish(self, *arguments)

    monkeypatch.setattr(Ledger, "publish", both)
    with Ledger.open(str(folder / "ledger"), folder / "key") as ledger:
        with pytest.raises(LedgerError, match="paid for another output"):
            release(folder, ledger, resume=True)
        assert (folder / "other" / "out.jsonl").exists()
        assert not (folder / "out.jsonl").exists()
        assert spent(ledger)["subject"] == "5"


def test_a_copy_begun_afresh_takes_nothing_back_from_the_run_that_paid(folder: Path) -> None:
    left_at(PARTIAL, folder, [folder / "copy"])
    with Ledger.open(str(folder / "ledger"), folder / "key") as ledger:
        release(folder / "copy", ledger, method=sanitizer(folder))
        assert spent(ledger)["subject"] == "10"
        release(folder, ledger, resume=True)
        assert sorted(ledger.state.states.values()) == ["published", "published"]


def test_a_stopped_run_whose_folder_was_moved_can_be_taken_back(folder: Path) -> None:
    left_at(PARTIAL, folder, [folder / "moved"])
    with Ledger.open(str(folder / "ledger"), folder / "key") as ledger:
        void_left(ledger, folder / "moved" / "out.jsonl", "Kim", "the folder was moved")
        assert spent(ledger)["subject"] == "0"
        with pytest.raises(LedgerError, match="is void there"):
            release(folder, ledger, resume=True)


def test_another_way_to_the_folder_is_the_same_place(folder: Path) -> None:
    left_at(PARTIAL, folder, [])
    (folder / "link").symlink_to(folder, target_is_directory=True)
    with Ledger.open(str(folder / "ledger"), folder / "key") as ledger:
        release(folder / "link", ledger, resume=True, method=sanitizer(folder))
        assert list(ledger.state.states.values()) == ["published"]


def test_what_an_earlier_version_reserved_is_neither_resumed_nor_taken_back(folder: Path) -> None:
    """Its entries name no place, and it gave names before it published."""
    begin(folder).close()
    killed_at("after the reservation", folder)
    with Ledger.open(str(folder / "ledger"), folder / "key") as ledger:
        ledger.state.places.clear()
        with pytest.raises(LedgerError, match="another folder"):
            release(folder, ledger, resume=True)
        with pytest.raises(LedgerError, match="Nothing proves"):
            void_left(ledger, folder / "out.jsonl", "Kim", "the run was stopped")


def test_a_mechanism_that_sees_the_document_is_paid_each_time(folder: Path) -> None:
    """Its scores round as device, versions and batch do, so that a pinned repeat may be another draw."""
    method = Engine(Words(), Contextual(dp_mlm()))
    with begin(folder, record={"*": 10_000}) as ledger:
        release(folder, ledger, "a.jsonl", PIN, method)
        once = float(spent(ledger)["record"])
        release(folder, ledger, "b.jsonl", PIN, method)
        assert float(spent(ledger)["record"]) == 2 * once > 0


def test_parts_of_a_run_without_a_ledger_are_not_resumed_with_one(
    folder: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(Parts, "assemble", _interrupted)
        with pytest.raises(KeyboardInterrupt):
            release(folder, None)
    with pytest.raises(OutputError, match="parts of another run"):
        release(folder, ledger, resume=True)


def _interrupted(*_: Any, **_more: Any) -> Any:
    raise KeyboardInterrupt


def test_nothing_private_is_in_the_ledger_or_beside_it(folder: Path, ledger: Ledger) -> None:
    release(folder, ledger)
    for path in [folder / "ledger", folder / "ledger-wal", *folder.glob("key*")]:
        content = path.read_bytes()
        assert CANARY.encode() not in content
        assert b"in.jsonl" not in content
        assert b'"p1"' not in content
    assert not [path for path in folder.rglob("*") if path.suffix == ".plan"]
