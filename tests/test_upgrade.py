"""What another version of sfumato does with what an earlier one left, as docs/operating.md says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import ledger_runs
import short_lists
from sfumato import version
from sfumato.building.policies import build_policy
from sfumato.engines import known
from sfumato.errors import GuaranteeError, OutputError
from sfumato.ledger import Head, Ledger
from sfumato.policy import Policy
from sfumato.privacy.randomness import SeededRandomness
from sfumato.text.document import Document


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    ledger_runs.write_records(tmp_path / "in.jsonl", ["cat dog", "river", "stone green winter"] * 9)
    return tmp_path


def texts(path: Path) -> list[str]:
    return [json.loads(line)["text"] for line in path.read_text().splitlines()]


def largest(ledger: Ledger) -> int:
    [(amount,)] = ledger.store.run("SELECT MAX(amount) FROM sfumato_balances")
    return int(amount)


def test_pinned_draws_are_made_and_charged_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ledger_runs.begin(folder) as ledger:
        for name in ("a.jsonl", "b.jsonl"):
            ledger_runs.release(folder, ledger, name, ledger_runs.PIN)
        once = largest(ledger)
        monkeypatch.setattr(version, "VERSION", "99.0")
        ledger_runs.release(folder, ledger, "c.jsonl", ledger_runs.PIN)
        assert largest(ledger) == 2 * once
    first, repeated, upgraded = (texts(folder / f"{name}.jsonl") for name in "abc")
    assert first == repeated != upgraded


def test_an_old_head_is_still_in_the_ledger(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ledger_runs.begin(folder) as ledger:
        old = Head.parse(ledger_runs.release(folder, ledger).statement["ledger"]["head"])
    monkeypatch.setattr(version, "VERSION", "99.0")
    with Ledger.open(str(folder / "ledger"), folder / "key", [old]) as ledger:
        ledger_runs.release(folder, ledger, "later.jsonl")


def test_a_stopped_run_is_not_resumed_by_another_version(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as stopped:
        stopped.setattr("sfumato.release.run.publish", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            ledger_runs.release(folder, None)
    monkeypatch.setattr(version, "VERSION", "99.0")
    with pytest.raises(OutputError, match="changed since"):
        ledger_runs.release(folder, None, resume=True)


ENTITIES = """
[find]
detect = ["given"]
[[treat]]
kinds = ["OCCUPATION", "AGE"]
mechanism = "independent"
[treat_others]
method = "label"
"""


def drawn() -> tuple[str, Any]:
    """Return what a run draws for a nurse of 34 by a seed, and what its statement says of the domains."""
    made = build_policy(Policy.parse(ENTITIES))
    made.prepare()
    marks = [{"start": 0, "end": 5, "label": "OCCUPATION"}, {"start": 7, "end": 9, "label": "AGE"}]
    [release] = made.sanitize_batch([Document("nurse, 34", "1", {"spans": marks})], SeededRandomness(1))
    return release.text, [treatment.described() for treatment in made.treatments]


def entries(cache: Path) -> set[str]:
    return {path.name for path in cache.glob("*.json")}


def drawn_with_short_lists(monkeypatch: pytest.MonkeyPatch, **digests: str) -> tuple[str, Any]:
    """Return the same of a version with shorter lists, whose ``digests`` differ from those of today."""
    present = {name: getattr(known, name)() for name in ("digest_of_program", "digest_of_networks")}
    with short_lists.short_lists(), monkeypatch.context() as earlier:
        for name, digest in {**present, **digests}.items():
            earlier.setattr(known, name, lambda digest=digest: digest)
        return drawn()


@pytest.mark.parametrize("part", ["digest_of_program", "digest_of_networks"])
def test_a_cache_of_an_earlier_version_does_not_stop_a_run(
    part: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SFUMATO_CACHE", str(tmp_path / "new"))
    anew = drawn()
    monkeypatch.setenv("SFUMATO_CACHE", str(tmp_path / "old"))
    assert drawn_with_short_lists(monkeypatch, **{part: "earlier"})[1] != anew[1]
    kept = entries(tmp_path / "old")
    for _ in range(2):  # the first makes what the second reads
        assert drawn() == anew
    assert kept < entries(tmp_path / "old")


def test_other_lists_under_the_digests_of_today_stop_a_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without a digest that differs, the run above would have been refused."""
    monkeypatch.setenv("SFUMATO_CACHE", str(tmp_path))
    drawn_with_short_lists(monkeypatch)
    with pytest.raises(GuaranteeError, match=r"OCCUPATION: .*nothing was drawn from them"):
        drawn()
