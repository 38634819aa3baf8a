"""``sfumato policy``: show, check and new."""

from __future__ import annotations

from pathlib import Path

import pytest

from command_line import CANARY, call
from sfumato.policy import Policy
from sfumato.policy.tables import shipped_content, shipped_names

pytestmark = pytest.mark.usefixtures("short_lists")


def test_a_policy_is_shown() -> None:
    shown = call("policy", "show", "clinical", "--set", "treat.AGE.within=4 years").out
    assert "DATE: shift, epsilon 1 within 30 days (0.03333 per day), one draw for each record" in shown
    assert "AGE: geometric, epsilon 1 within 4 years (0.25 per year)" in shown
    assert "HEALTH, DURATION, QUANTITY, NUMBER: keep, no formal guarantee" in shown
    facts = call("policy", "show", "clinical", "--json").json
    assert facts["policy"] == Policy.load("clinical").as_tables()
    assert facts["kinds"]["DATE"] == {
        "by": "shift", "guarantee": True, "epsilon": 1 / 30, "drawn_once": "subject", "unit": "day"
    }  # fmt: skip
    assert facts["kinds"]["CODE"]["epsilon"] == 0.0
    assert facts["kinds"]["WORD"] == {"by": "label", "guarantee": False}
    assert set(call("policy", "show", "--json").json["policies"]) == set(shipped_names())
    assert "court" in call("policy", "show").out


def test_a_policy_is_shown_and_checked_in_a_language(tmp_path: Path) -> None:
    assert "reads English; a record whose words show another" in call("policy", "show", "clinical").out
    assert "reads German" in call("policy", "show", "clinical", "--language", "de").out
    refusing = ("--set", "find.other_languages=refuse")
    several = call("policy", "show", "clinical", "--language", "de fr", *refusing)
    assert "show (German, French); one that shows none of them is refused" in several.out
    facts = call("policy", "show", "clinical", "--language", "auto", "--json").json
    assert {"en", "de", "pt"} <= set(facts["languages"])
    path = tmp_path / "own.toml"
    path.write_text('[find]\ndetect = ["words"]\n[treat_others]\nmethod = "label"\n', encoding="utf-8")
    fingerprints = {call("policy", "check", path, "--json", *more).json["fingerprint"] for more in (
        (), ("--language", "de"), ("--language", "de fr"))}  # fmt: skip
    assert len(fingerprints) == 3
    wrong = call("policy", "check", path, "--language", "xx")
    assert (wrong.code, "'xx' is not known" in wrong.err) == (2, True)


def test_a_file_is_begun_and_checked(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    assert call("policy", "new", "court", "-o", path).code == 0
    assert path.read_text(encoding="utf-8") == shipped_content("court")
    assert "11 treatments" in call("policy", "check", path).out
    assert call("policy", "check", path, "--json").json["fingerprint"] == Policy.load("court").fingerprint
    again = call("policy", "new", "chat", "-o", path)
    assert again.code == 2
    assert "--force" in again.err
    assert call("policy", "new", "chat", "-o", path, "--force").code == 0
    assert Policy.load(path).name == "chat"


@pytest.mark.parametrize("group", ["policy", "models", "vocabulary"])
def test_a_group_alone_shows_its_help(group: str) -> None:
    ran = call(group)
    assert (ran.code, ran.err) == (0, "")
    assert f"sfumato {group} [OPTIONS] COMMAND" in ran.out
    assert "Commands:" in ran.out


@pytest.mark.parametrize(("label", "meant"), [("DATEE", "DATE"), ("PERSNO", "PERSON"), ("hospitl", "HOSPITAL")])
def test_a_misspelt_label_is_met_with_the_nearest(label: str, meant: str) -> None:
    ran = call("explain", "--policy", "clinical", "--label", label, "--token", CANARY)
    assert ran.code == 2
    assert f"did you mean {meant}? Kinds: DATE, TIME," in ran.err
    assert CANARY not in ran.err


def test_a_label_without_a_guarantee_says_so() -> None:
    for label in ("HEALTH", "DRUG"):
        ran = call("explain", "--policy", "clinical", "--label", label, "--token", "ergot")
        assert "has no formal guarantee under this policy" in ran.err


def test_a_list_that_is_not_there_is_named_before_the_input_is_opened(tmp_path: Path) -> None:
    asked = ("sanitize", tmp_path / "no.jsonl", "-o", tmp_path / "out.jsonl", "--policy", "clinical")
    ran = call(*asked, "--set", 'find.allow=["none.txt"]')
    assert "[find] allow names a file that does not exist (none.txt)" in ran.err


def test_mistakes_are_one_sentence_without_content(tmp_path: Path) -> None:
    path = tmp_path / "records.csv"
    path.write_text(f"id,text\n1,{CANARY}\n", encoding="utf-8")
    for command in (("check", path), ("show", path), ("show", "cort"), ("new", "x", "-o", tmp_path / "y")):
        ran = call("policy", *command)
        assert ran.code == 2
        assert CANARY not in ran.out + ran.err
    assert "did you mean court?" in call("policy", "show", "cort").err
    missing = tmp_path / "p.toml"
    missing.write_text('[find]\nallow = ["none.txt"]\n[treat_others]\nmethod = "label"\n', encoding="utf-8")
    assert "does not exist (none.txt)" in call("policy", "check", missing).err


def test_a_shipped_policy_is_checked_by_its_name() -> None:
    done = call("policy", "check", "support")
    assert done.code == 0, done.err
    assert done.out.startswith("support can be used")
