"""Marks that no kind reads are counted on a sample, by kind, and no text of it is shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from command_line import CANARY, call, write_jsonl

POLICY = """
[find]
detect = ["given"]
keep_measures = true
[kinds.DATE]
day_first = true
[[treat]]
kinds = ["DATE"]
mechanism = "shift"
epsilon = 1.0
within = "30 days"
[[treat]]
kinds = ["AGE"]
mechanism = "geometric"
epsilon = 1.0
[[treat]]
kinds = ["GROUP"]
method = "pseudonym"
[treat_others]
method = "label"
"""
PARTS = [
    [("12/05/2021", "DATE"), ("05/25/2021", "DATE"), ("aged", "AGE"), ("41", "AGE")],
    [(CANARY, "MISC"), ("Dane", "GROUP"), ("9.1", "QUANTITY")],
]


def sample(folder: Path) -> Path:
    (folder / "mine.toml").write_text(POLICY, encoding="utf-8")
    rows: list[dict[str, Any]] = []
    for parts in PARTS:
        text, spans = "", []
        for part, label in parts:
            text += "Hb " if label == "QUANTITY" else "so "
            spans.append({"start": len(text), "end": len(text) + len(part), "label": label})
            text += f"{part} g, "
        rows.append({"note": text, "spans": spans})
    return write_jsonl(folder / "sample.jsonl", rows)


def test_a_check_counts_the_fallbacks_of_each_kind(tmp_path: Path) -> None:
    path = sample(tmp_path)
    ran = call("policy", "check", str(tmp_path / "mine.toml"), "--sample", str(path), "--field", "note", "--json")
    counted = ran.json["sample"]
    assert (counted["records"], counted["marks"]) == (2, 6)  # a dose stays, and is not replaced
    assert {(row["kind"], row["becomes"], row["unread"], row["marks"]) for row in counted["fallbacks"]} == {
        ("DATE", "[DATE]", 1, 2),  # the other order of day and month
        ("AGE", "40 years old", 1, 2),
        ("WORD", "[WORD]", 1, 1),
    }
    assert CANARY not in ran.out
    told = call("policy", "check", str(tmp_path / "mine.toml"), "--sample", str(path), "--field", "note").out
    assert "In 2 records 6 marks are replaced, 3 of them (50 %) by a fallback" in told
    assert "AGE: 1 of 2 marks are drawn as if they said '40 years old'." in told
    assert CANARY not in told


def test_a_field_is_for_a_sample(tmp_path: Path) -> None:
    sample(tmp_path)
    ran = call("policy", "check", str(tmp_path / "mine.toml"), "--field", "note")
    assert ran.code == 2
    assert "name its file with --sample" in ran.err


def test_a_broken_sample_is_named_and_not_quoted(tmp_path: Path) -> None:
    sample(tmp_path)
    (tmp_path / "broken.jsonl").write_text(f"{CANARY}\n", encoding="utf-8")
    ran = call("policy", "check", str(tmp_path / "mine.toml"), "--sample", str(tmp_path / "broken.jsonl"))
    assert ran.code == 2
    assert "broken.jsonl, line 1" in ran.err
    assert CANARY not in ran.err
