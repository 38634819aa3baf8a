"""What an attempt leaves: the page and the list for the owner, and for readers the files that are signed."""

from __future__ import annotations

import json
from pathlib import Path

from sfumato.files.counts import NAMES
from sfumato.protection.attacking import Attacked
from sfumato.protection.bundle import seal
from sfumato.protection.originals import Originals
from sfumato.protection.outcome import Outcome
from sfumato.protection.request import Request, public
from sfumato.protection.signing import Signer
from sfumato.storage.atomic import put, writing


def write_page(request: Request, outcome: Outcome) -> Path:
    """Write the page for the owner, and return where it is."""
    path = request.private / "report.html"
    put(path, outcome.page_for_owner().encode(), private=True)
    return path


def complete(request: Request, folder: Path, data: Path, outcome: Outcome, signer: Signer) -> None:
    """Write what goes with the data, and sign everything."""
    statement = data.with_name(f"{data.name}.privacy.json")
    content = json.loads(statement.read_text(encoding="utf-8"))
    content["accepted"] = outcome.as_json()
    files = {
        statement.name: json.dumps(content, indent=2, ensure_ascii=False) + "\n",
        "policy.toml": public(request.policy).as_toml(),
        "report.html": outcome.page_for_readers(),
    }
    if ledger := content.get("ledger"):
        files["ledger.json"] = json.dumps(ledger, indent=2) + "\n"
    for name, text in files.items():
        put(folder / name, text.encode("utf-8", "backslashreplace"))
    with writing(folder):
        folder.chmod(0o755)
    seal(folder, {**request.facts(), **outcome.as_json()}, signer)


def write_hits(request: Request, originals: Originals, attack: Attacked) -> None:
    """Write the records of whom at least one attacker finds, and which, for a review to show them first."""
    people, records, finding = originals.people, originals.record_of, attack.finding
    hits = {
        records[place]: [f"replaced values, {way}" for way in finding.ways[person]]
        for person in finding.records
        for place in people[person]
    }
    lines = (json.dumps({"record": record, "by": ways}) + "\n" for record, ways in hits.items())
    put(request.private / "hits.jsonl", "".join(lines).encode(), private=True)


def keep_decisions(request: Request) -> None:
    """Copy the decisions of the review into the folder for the owner."""
    if request.decisions is None:
        return
    path = request.private / "decisions.jsonl"
    if not (path.exists() and path.samefile(request.decisions)):
        with writing(path):
            put(path, request.decisions.read_bytes(), private=True)


def move_private(folder: Path, private: Path) -> None:
    """Move what is for the owner alone: records that were set aside, who cannot pay, names that became numbers."""
    with writing(private):
        for path in (*folder.glob("*.quarantine.jsonl"), *folder.glob("*.refused.jsonl"), *folder.glob(f"*{NAMES}")):
            path.replace(private / path.name)
