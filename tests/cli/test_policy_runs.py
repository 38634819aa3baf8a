"""Runs by a policy: what is released and stated, what the flags override, and what is refused before anything."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import sys
from pathlib import Path
from typing import Any, NoReturn

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from command_line import CANARY, Ran, call, everything_below, write_jsonl, write_key
from sfumato.cli import main
from sfumato.engines.engine import Engine

POLICY = """
name = "tiny"
[find]
detect = ["given"]
[find.options]
field = "spans"
[[treat]]
kinds = ["DATE"]
mechanism = "shift"
epsilon = 1.0
within = "20 days"
[[treat]]
kinds = ["AGE"]
mechanism = "geometric"
epsilon = 0.25
[[treat]]
kinds = ["CODE"]
mechanism = "independent"
consistency = "document"
[[treat]]
kinds = ["HEALTH"]
method = "keep"
[treat_others]
method = "label"
"""
FIELDS = '[fields]\nid = "id"\nsubject = "patient"\nkeep = ["ward"]\n'
TEXT = f"<PERSON:{CANARY}>, <AGE:62>, seen <DATE:3 May 2019> and <DATE:10 May 2019>, file <ID:QX-4471>, <DRUG:ergot>."
PRIVATE = (CANARY, "62", "3 May 2019", "10 May 2019", "QX-4471")
_MARK = re.compile(r"<(\w+):([^>]*)>")


def marked(text: str, **fields: Any) -> dict[str, Any]:
    """Return the record of a text in which <LABEL:words> marks words."""
    plain, spans, last = "", [], 0
    for mark in _MARK.finditer(text):
        plain += text[last : mark.start()]
        spans.append({"start": len(plain), "end": len(plain) + len(mark[2]), "label": mark[1]})
        plain, last = plain + mark[2], mark.end()
    return {"text": plain + text[last:], "spans": spans, **fields}


def patients(count: int, text: str = TEXT) -> list[dict[str, Any]]:
    """Return records of patients with two each."""
    return [marked(text, id=f"r{n}", patient=f"patient {n // 2}", ward="W3", phone=CANARY) for n in range(count)]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with a policy, two keys and records of three patients."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny.toml").write_text(POLICY, encoding="utf-8")
    (tmp_path / "fields.toml").write_text(POLICY + FIELDS, encoding="utf-8")
    write_key(tmp_path / "key")
    write_key(tmp_path / "other-key", bytes(range(2, 34)))
    write_jsonl(tmp_path / "in.jsonl", patients(6))
    return tmp_path


def sanitized(*more: object, policy: str = "fields.toml", source: str = "in.jsonl", output: str = "out.jsonl") -> Ran:
    return call("sanitize", source, "-o", output, "--policy", policy, *more)


def rows(path: str = "out.jsonl") -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


def stated(path: str = "out.jsonl") -> dict[str, Any]:
    statement: dict[str, Any] = json.loads(Path(f"{path}.privacy.json").read_text(encoding="utf-8"))
    return statement


def by_kind(statement: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {kind: treatment for treatment in statement["treatments"] for kind in treatment["kinds"]}


def refused(ran: Ran, *parts: str) -> None:
    """One sentence with these parts, and nothing was made."""
    assert ran.code == 2, ran
    assert ran.out == ""
    assert len(ran.err.strip().splitlines()) == 1, ran.err
    assert "Internal error" not in ran.err
    for part in parts:
        assert part in " ".join(ran.err.split())
    assert CANARY not in ran.err
    assert not Path("out.jsonl").exists()


# --- one release with several treatments ---


def test_every_treatment_is_stated_with_its_own_guarantee_and_cost(desk: Path) -> None:
    ran = sanitized()
    assert ran.code == 0, ran.err
    statement = stated()
    treatments = by_kind(statement)
    date, age, code, drug, person = (treatments[kind] for kind in ("DATE", "AGE", "CODE", "HEALTH", "PERSON"))
    assert (date["definition"], date["epsilon_per_draw"], date["per"]) == ("metric-LDP", 0.05, "day")
    assert date["adjacency"].startswith(
        "two versions of the records of a subject in which the same places are marked as the same kinds and the text "
        "between is equal; where they differ, DATE values of the same domain and of the same written form, all moved "
        "by the same number of days"
    )
    assert (age["epsilon_per_draw"], age["per"], age["unit"]) == (0.25, "year", "one mention")
    assert "the same places are marked as the same kinds" in age["adjacency"]
    assert (code["definition"], code["epsilon_per_draw"]) == ("LDP", 0.0)
    for treatment in (date, age, code):
        assert treatment["certificate"]["certified"] <= treatment["certificate"]["claimed"]
        assert (treatment["records_with_draws"], treatment["draws"]) == (6, 6)
        assert treatment["largest_cost_of_a_record"]["epsilon"] == pytest.approx(treatment["epsilon_per_draw"])
    for treatment in (drug, person):
        assert treatment["guarantee"] == "no formal guarantee"
        assert not {"epsilon_per_draw", "certificate", "definition"} & treatment.keys()
    assert statement["added_up"]["kinds"] == ["CODE"]
    assert statement["added_up"]["kept_apart"] == ["DATE", "AGE"]
    assert "epsilon" not in {key for key in statement if key != "treatments"}
    assert statement["people"]["count"] == 3
    assert statement["records"]["count"] == 6
    said = " ".join(ran.out.split())
    assert "No formal guarantee: HEALTH (keep)" in said
    assert "DATE: shift, metric-LDP, epsilon 0.05" in said


def test_nothing_private_is_in_the_statement_or_said(desk: Path) -> None:
    ran = sanitized()
    everywhere = Path("out.jsonl.privacy.json").read_text(encoding="utf-8") + ran.out + ran.err
    assert not [word for word in (*PRIVATE, "ergot", "patient 0", "W3") if re.search(rf"\b{word}\b", everywhere)]
    released = Path("out.jsonl").read_text(encoding="utf-8")
    assert CANARY not in released
    assert "QX-4471" not in released


def test_the_release_is_what_the_policy_says(desk: Path) -> None:
    write_jsonl(desk / "in.jsonl", patients(16))
    sanitized()
    released = rows()
    dates = [re.findall(r"\d+ [A-Z][a-z]+ \d{4}", row["text"]) for row in released]
    for row in released:
        assert row["text"].startswith("[PERSON], ")
        assert row["text"].endswith(", ergot.")
        assert row.keys() == {"id", "patient", "ward", "text", "spans"} - {"patient"}
    assert dates[::2] == dates[1::2]
    assert (
        len({tuple(pair) for pair in dates}) > 1
    )  # eight shifts that agree, of a scale of 20 days: once in 10^12 runs


def test_the_largest_certificate_is_that_of_the_widest_domain(desk: Path) -> None:
    """All domains lose ε for each unit; what is said of the treatment is true of the domain that reaches farthest."""
    sanitized()
    conditions = by_kind(stated())["AGE"]["certificate"]["conditions"]
    assert conditions["largest_distance"] == 109.0
    assert conditions["ldp_epsilon_at_most"] == 0.25 * 109.0


def test_the_largest_cost_is_that_of_the_record_with_most_draws(desk: Path) -> None:
    texts = ("<AGE:62>", "<AGE:62>, <AGE:63>, <AGE:64>", "nothing")
    records = [marked(text, id=f"r{n}", patient="a", ward="W3") for n, text in enumerate(texts)]
    write_jsonl(desk / "in.jsonl", records)
    policy = POLICY.replace('mechanism = "geometric"', 'mechanism = "custext"')
    (desk / "sets.toml").write_text(policy + FIELDS, encoding="utf-8")
    for name, each in (("fields.toml", 0.25), ("sets.toml", 0.25)):
        ran = sanitized("--force", policy=name)
        assert ran.code == 0, ran.err
        age, added = by_kind(stated())["AGE"], stated()["added_up"]
        assert (age["draws"], age["records_with_draws"]) == (4, 2)
        assert age["largest_cost_of_a_record"]["draws"] == 3
        assert age["largest_cost_of_a_record"]["epsilon"] == pytest.approx(3 * each)
        if name == "sets.toml":  # an epsilon of LDP
            assert (added["kinds"], added["epsilon_of_ldp_at_most"]) == (["AGE"], pytest.approx(0.75))
        else:
            assert (added["kinds"], added["epsilon_of_ldp_at_most"]) == ([], 0.0)


def test_costs_are_added_up_over_a_person_for_each_treatment(desk: Path) -> None:
    """A shift is paid once for a person, draws of records add up, and no epsilon meets one of another unit."""
    texts = {
        "a": ["<AGE:62>, <AGE:63>, <DATE:3 May 2019>, <ID:Q-1>", "<AGE:62>, <DATE:4 May 2019>"],
        "b": ["<AGE:7>"],
    }
    records = [
        marked(text, id=f"{who}{number}", patient=who, ward="W3")
        for who, own in texts.items() for number, text in enumerate([*own, "nothing"])
    ]  # fmt: skip
    write_jsonl(desk / "in.jsonl", records)
    ran = sanitized("--pin", "key")
    assert ran.code == 0, ran.err
    statement = stated()
    date, age, code = (by_kind(statement)[kind] for kind in ("DATE", "AGE", "CODE"))
    assert (age["people_with_draws"], date["people_with_draws"], code["people_with_draws"]) == (2, 1, 1)
    most, middle = age["cost_per_person"]["maximum"], age["cost_per_person"]["median"]
    assert (most["draws"], most["epsilon"]) == (3, pytest.approx(0.75))
    assert (middle["draws"], middle["epsilon"]) == (1, pytest.approx(0.25))
    assert age["largest_cost_of_a_record"]["draws"] == 2
    assert date["cost_per_person"]["maximum"] == {"draws": 1, "epsilon": pytest.approx(0.05)}
    assert "pays once" in date["cost_per_person"]["adds_up"]
    assert date["draws"] == 2
    people = statement["people"]
    assert (people["count"], people["kinds"], people["kept_apart"]) == (2, ["CODE"], ["DATE", "AGE"])
    assert people["epsilon_of_ldp_at_most"] == 0.0
    assert "the largest total of 2 people: 3 draws, epsilon 0.75" in " ".join(ran.out.split())
    assert "the largest total of 1 person: 1 draw, epsilon 0.05" in " ".join(ran.out.split())
    assert [line for line in statement["visible"] if "median total of a person for each treatment" in line]
    assert sanitized("--force", policy="tiny.toml").code == 0  # nobody says whose records they are
    assert "people" not in stated()
    assert not [row for row in stated()["treatments"] if {"cost_per_person", "people_with_draws"} & row.keys()]


def test_epsilon_of_ldp_is_added_up_over_the_treatments_of_a_person(desk: Path) -> None:
    policy = POLICY.replace('mechanism = "geometric"\nepsilon = 0.25', 'mechanism = "custext"\nepsilon = 0.5')
    times = '[[treat]]\nkinds = ["TIME"]\nmechanism = "custext"\nepsilon = 2.0\nconsistency = "subject"\n'
    (desk / "sets.toml").write_text(policy.replace("[treat_others]", times + "[treat_others]") + FIELDS, "utf-8")
    texts = ["<AGE:62> <TIME:10:30>", "<AGE:62> <AGE:63> <TIME:10:30>", "<AGE:9>"]
    write_jsonl(desk / "in.jsonl", [marked(text, id=n, patient="a", ward="-") for n, text in enumerate(texts)])
    assert sanitized(policy="sets.toml").code == 0
    statement = stated()
    age, clock = by_kind(statement)["AGE"], by_kind(statement)["TIME"]
    assert age["cost_per_person"]["maximum"]["epsilon"] == pytest.approx(4 * 0.5)
    assert clock["cost_per_person"]["maximum"]["epsilon"] == pytest.approx(2 * 2.0)
    assert "at most this" in clock["cost_per_person"]["adds_up"]  # 10:30 was drawn once
    assert statement["people"]["epsilon_of_ldp_at_most"] == pytest.approx(4 * 0.5 + 2 * 2.0)
    assert statement["added_up"]["epsilon_of_ldp_at_most"] == pytest.approx(2 * 0.5 + 2.0)


def test_a_person_is_counted_over_chunks_and_processes(desk: Path) -> None:
    write_jsonl(
        desk / "in.jsonl", [{**row, "patient": "one"} for row in patients(1100, "<AGE:62> <DATE:3 May 2019>")]
    )
    assert sanitized("--workers", "2").code == 0
    age, date = by_kind(stated())["AGE"], by_kind(stated())["DATE"]
    assert age["cost_per_person"]["maximum"]["draws"] == 1100
    assert date["cost_per_person"]["maximum"]["draws"] == 1
    assert date["draws"] == 1100


def test_a_seeded_run_of_a_policy_is_not_private(desk: Path) -> None:
    sanitized("--seed", "1")
    assert stated()["private"] is False
    assert stated()["summary"].startswith("NOT PRIVATE")
    sanitized("--force")
    assert stated()["private"] is True
    assert not stated()["summary"].startswith("NOT PRIVATE")


def test_a_policy_with_public_forms_shows_none(desk: Path) -> None:
    write_jsonl(desk / "in.jsonl", patients(4, "<AGE:sixty-two> <AGE:62-year-old>"))
    for form, shown in (("keep", {True}), ("public", {False})):
        sanitized("--set", f"treat.AGE.form={form}", "--force")
        assert {"-year-old" in row["text"] for row in rows()} == shown


# --- what the command line changes ---


def test_set_changes_one_treatment(desk: Path) -> None:
    assert sanitized("--set", "treat.DATE.epsilon=0.5", "--set", "treat.DATE.within=1 day").code == 0
    treatments = by_kind(stated())
    assert treatments["DATE"]["epsilon_per_draw"] == 0.5
    assert treatments["AGE"]["epsilon_per_draw"] == 0.25
    assert stated()["policy"]["name"] == "tiny"
    before = stated()["policy"]["sha256"]
    assert sanitized("--force").code == 0
    assert stated()["policy"]["sha256"] != before


def test_flags_go_before_the_fields_of_a_policy(desk: Path) -> None:
    sanitized("--seed", "1")
    assert "phone" not in rows()[0]
    sanitized("--seed", "1", "--keep-field", "phone", "--force")
    assert "ward" not in rows()[0]
    assert rows()[0]["phone"] == CANARY
    records = [
        {**marked(TEXT, number=n, whom=str(n)), "id": "same", "patient": "same", "note": "-"} for n in range(3)
    ]
    write_jsonl(desk / "in.jsonl", [{**record, "note": record["text"], "text": "left"} for record in records])
    flags = ("--field", "note", "--id-field", "number", "--subject-field", "whom", "--keep-field", "text")
    ran = sanitized("--seed", "1", "--force", *flags)
    assert ran.code == 0, ran.err
    released = rows()
    assert [row["text"] for row in released] == ["left"] * 3
    assert len({row["note"] for row in released}) == 3  # three people, where the policy's field says one
    assert stated()["people"]["count"] == 3


def test_the_pin_is_the_policys_or_the_flags(desk: Path) -> None:
    pinned = POLICY + FIELDS + '[randomness]\npin = "key"\n'
    (desk / "pinned.toml").write_text(pinned, encoding="utf-8")
    sanitized(policy="pinned.toml", output="a.jsonl")
    sanitized("--pin", "key", output="b.jsonl")
    sanitized("--pin", "other-key", policy="pinned.toml", output="c.jsonl")
    assert Path("a.jsonl").read_bytes() == Path("b.jsonl").read_bytes()
    assert rows("a.jsonl") != rows("c.jsonl")
    assert stated("a.jsonl")["randomness"].startswith("pinned")
    assert stated("a.jsonl")["policy"]["sha256"] == stated("b.jsonl")["policy"]["sha256"]  # a key is no part of it
    refused(sanitized("--pin", "key", policy="tiny.toml"), "needs --id-field")


def test_a_pin_that_the_policy_reads_is_no_key(desk: Path) -> None:
    (desk / "words.txt").write_text("ergot\n" * 10, encoding="utf-8")
    listed = POLICY.replace('detect = ["given"]', 'detect = ["given"]\nallow = ["words.txt"]')
    (desk / "listed.toml").write_text(listed + FIELDS, encoding="utf-8")
    refused(sanitized("--pin", "words.txt", policy="listed.toml"), "no secret key")


@pytest.mark.parametrize(
    "more",
    [
        ("-m", "redaction"),
        ("-e", "1"),
        ("--detect", "names"),
        ("--map", "map.bin"),
        ("--map-key", "key"),
    ],
    ids=lambda more: more[0],
)
def test_what_belongs_to_one_method_is_refused_beside_a_policy(desk: Path, more: tuple[str, ...]) -> None:
    ran = sanitized(*more)
    refused(ran, "--policy says what is looked for and how it is treated; leave out --")
    assert more[0] in ("-m", "-e") or f"leave out {more[0]}" in " ".join(ran.err.split())


def test_a_change_without_a_policy_is_refused(desk: Path) -> None:
    ran = call("sanitize", "in.jsonl", "-o", "out.jsonl", "-m", "redaction", "--set", "treat.DATE.epsilon=1")
    refused(ran, "treat.DATE.epsilon is an option of a policy; name one with --policy")


@pytest.mark.parametrize("option", ["set_size=3", "operator=mask", "vocabulary=words.txt", "k=2"])
def test_an_option_of_a_method_is_none_of_a_policy(desk: Path, option: str) -> None:
    refused(sanitized("--set", option), f"--set {option.partition('=')[0]}: There is nothing of this name to set")


def test_an_option_of_a_detector_is_set_in_a_policy_too(desk: Path) -> None:
    (desk / "words.txt").write_text("ergot\n", encoding="utf-8")
    assert sanitized("--set", "detect.allow=words.txt").code == 0


# --- processes, stops, streams, formats ---


def test_processes_do_not_change_a_pinned_release(desk: Path) -> None:
    write_jsonl(desk / "in.jsonl", patients(1100, "<AGE:62> <DATE:3 May 2019> <ID:QX-4471>"))
    for workers in ("1", "2"):
        ran = sanitized("--pin", "key", "--workers", workers, output=f"out{workers}.jsonl")
        assert ran.code == 0, ran.err
    assert Path("out1.jsonl").read_bytes() == Path("out2.jsonl").read_bytes()
    first, second = stated("out1.jsonl"), stated("out2.jsonl")
    assert first["treatments"] == second["treatments"]
    assert sanitized("--workers", "2", output="out3.jsonl").code == 0
    released = [row["text"] for row in rows("out3.jsonl")]
    assert released != [row["text"] for row in rows("out1.jsonl")]
    dates = [re.findall(r"\d+ [A-Z][a-z]+ \d{4}", text) for text in released]
    assert dates[::2] == dates[1::2]  # both records of a patient, whichever process had them


def stopped(desk: Path, *more: str) -> Ran:
    """Stop a run in its second chunk, mend the record that stopped it, and return how the resumed run ends."""
    records = patients(1100, "<AGE:62> <DATE:3 May 2019>")
    source = write_jsonl(desk / "in.jsonl", [*records[:1060], {**records[1060], "patient": " "}, *records[1061:]])
    before = source.stat()
    ran = sanitized(*more)
    assert "names the person of a record" in " ".join(ran.err.split())
    assert list((desk / ".out.jsonl.parts").glob("*.json"))
    content = source.read_bytes()
    source.write_bytes(content.replace(b'"patient": " "', b'"patient": "x"'))
    os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns))
    return sanitized(*more, "--resume")


def test_a_stopped_run_never_mixes_two_keys(desk: Path) -> None:
    """Draws for subjects come from a key of the run, which is gone when it stops."""
    refused(stopped(desk), "parts of another run", "draws for subjects", "nothing of it can be resumed", "pinned key")
    assert sanitized().code == 0
    dates = [re.findall(r"\d+ [A-Z][a-z]+ \d{4}", row["text"])[0] for row in rows()]
    assert [first == second for first, second in zip(dates[::2], dates[1::2], strict=True)].count(False) <= 1


def test_a_stopped_run_with_a_pin_goes_on(desk: Path) -> None:
    ran = stopped(desk, "--pin", "key")
    assert ran.code == 0, ran.err
    sanitized("--pin", "key", output="whole.jsonl")
    assert Path("out.jsonl").read_bytes() == Path("whole.jsonl").read_bytes()


def test_a_stopped_run_without_subjects_goes_on(desk: Path) -> None:
    once = POLICY.replace('mechanism = "shift"\nepsilon = 1.0', 'mechanism = "geometric"\nepsilon = 1.0')
    (desk / "fields.toml").write_text(once + FIELDS, encoding="utf-8")
    ran = stopped(desk)
    assert ran.code == 0, ran.err
    assert stated()["records"]["count"] == 1100
    assert by_kind(stated())["DATE"]["draws"] == 1100


def interrupted(monkeypatch: pytest.MonkeyPatch, *more: object, policy: str = "fields.toml") -> Ran:
    """Interrupt a run while its first chunk is sanitized."""
    with monkeypatch.context() as patched:
        patched.setattr(Engine, "sanitize_batch", _interrupt)
        return sanitized(*more, policy=policy)


def _interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt


def test_an_interrupted_run_says_what_can_be_resumed(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one sentence: a run with draws for subjects can go on only with a key that does not end with it."""
    gone = interrupted(monkeypatch)
    assert gone.code == 130
    assert "nothing of this run can be resumed" in gone.err
    assert "--pin" in gone.err
    once = POLICY.replace('mechanism = "shift"\nepsilon = 1.0', 'mechanism = "geometric"\nepsilon = 1.0')
    (desk / "once.toml").write_text(once + FIELDS, encoding="utf-8")
    pinned, without = interrupted(monkeypatch, "--pin", "key"), interrupted(monkeypatch, policy="once.toml")
    for ran in (pinned, without):
        assert ran.code == 130
        assert "what was finished is kept" in ran.err
        assert "--resume" in ran.err
    for ran in (gone, pinned, without):
        assert len(ran.err.strip().splitlines()) == 1


def test_streams_give_what_files_give(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sanitized("--pin", "key", output="file.jsonl")
    content, out = (desk / "in.jsonl").read_bytes(), io.BytesIO()
    more = ("--statement", "said.json", "--format", "jsonl", "--pin", "key", "--policy", "fields.toml")
    monkeypatch.setattr(sys, "argv", ["sfumato", "sanitize", "-", "-o", "-", *more])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(out, "utf-8"))
    main()
    sys.stdout.flush()
    assert out.getvalue() == Path("file.jsonl").read_bytes()
    said = json.loads(Path("said.json").read_text(encoding="utf-8"))
    assert said["treatments"] == stated("file.jsonl")["treatments"]


def listed(desk: Path) -> str:
    """Return the name of a policy that finds what a list names, in a file beside it."""
    (desk / "lists").mkdir()
    (desk / "lists" / "found.txt").write_text("3 May 2019\n10 May 2019\n", encoding="utf-8")
    _, _, treated = POLICY.partition("\n[[treat")
    text = f'[find]\ndetect = ["list:found.txt"]\n[[treat{treated}'
    (desk / "lists" / "listed.toml").write_text(text + '[fields]\nid = "id"\nsubject = "who"\n', encoding="utf-8")
    return "lists/listed.toml"


ROWS = [{"id": f"r{n}", "who": f"patient {n // 2}", "text": "62, on 3 May 2019 and on 10 May 2019"} for n in range(8)]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_tables_are_released_as_lines_are(desk: Path, kind: str) -> None:
    policy = listed(desk)
    if kind == "csv":
        with (desk / "in.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(ROWS[0]))
            writer.writeheader()
            writer.writerows(ROWS)
    else:
        pq.write_table(pa.Table.from_pylist(ROWS), desk / "in.parquet")
    write_jsonl(desk / "in.jsonl", ROWS)
    for form in (kind, "jsonl"):
        ran = sanitized("--pin", "key", policy=policy, source=f"in.{form}", output=f"out.{form}")
        assert ran.code == 0, ran.err
    if kind == "csv":
        table = list(csv.DictReader(io.StringIO((desk / "out.csv").read_text(encoding="utf-8"))))
    else:
        table = pq.read_table(desk / "out.parquet").to_pylist()
    assert [row["text"] for row in table] == [row["text"] for row in rows()]
    assert [row["text"] for row in table] != [row["text"] for row in ROWS]
    assert by_kind(stated(f"out.{kind}"))["DATE"]["draws"] == 8


@pytest.mark.parametrize("form", ["a file", "lines", "a folder"])
def test_plain_texts_are_released_by_a_policy(desk: Path, form: str) -> None:
    (desk / "names.txt").write_text(f"PERSON\t{CANARY}\n", encoding="utf-8")
    policy = desk / "list.toml"
    policy.write_text('name = "l"\n[find]\ndetect = ["list:names.txt"]\n[treat_others]\nmethod = "label"\n', "utf-8")
    folder, name = desk / "plain", "a.txt"
    folder.mkdir()
    (folder / name).write_text(f"{CANARY} came.\n", encoding="utf-8")
    source, output = (folder, desk / "out") if form == "a folder" else (folder / name, desk / "out.txt")
    more = ("--lines",) if form == "lines" else ()
    made = call("sanitize", source, "-o", output, "--policy", policy, *more)
    assert made.code == 0, made.err
    released = output / name if form == "a folder" else output
    assert released.read_text(encoding="utf-8") == "[PERSON] came.\n"
    assert (
        call("sanitize", source, "-o", desk / "other.txt", "--policy", policy, "--keep-field", "n", *more).code == 2
    )


def test_a_record_of_nobody_is_set_aside(desk: Path) -> None:
    records = patients(4)
    records[1]["patient"], records[3]["patient"] = " ", None
    write_jsonl(desk / "in.jsonl", records)
    ran = sanitized()
    assert ran.code != 0
    assert "names the person of a record" in " ".join(ran.err.split())
    assert CANARY not in ran.err
    assert not Path("out.jsonl").exists()
    assert sanitized("--on-error", "quarantine").code == 0
    assert [row["id"] for row in rows()] == ["r0", "r2"]
    assert stated()["records"]["quarantined"] == 2
    assert by_kind(stated())["DATE"]["draws"] == 2
    assert "that records are missing (quarantined)" in stated()["visible"]


# --- laws, certificates, advice ---


def test_explain_shows_the_law_of_a_kind(desk: Path) -> None:
    asked = ("explain", "--policy", "tiny.toml", "--json", "--token", "62")
    for label in ("AGE", "DEM"):  # a kind, or a label of which the value decides
        shown = call(*asked, "--label", label).json
        assert {row["token"]: row["probability"] for row in shown["law"]}["62"] == pytest.approx(0.124, abs=0.001)
        assert shown["cost_of_a_record"]["epsilon"] == pytest.approx(80 * 0.25)
    for label in ("PERSON", "HEALTH", "DATE"):
        ran = call(*asked[:3], "--token", "Anna", "--label", label)
        assert ran.code == 2
        assert "Anna" not in ran.err
    for missing in (("--token", "62"), ("--label", "AGE")):
        ran = call("explain", "--policy", "tiny.toml", *missing)
        assert "give --token VALUE and --label KIND" in " ".join(ran.err.split())


def test_certify_lists_every_treatment(desk: Path) -> None:
    certified = call("certify", "--policy", "tiny.toml", "--json").json["treatments"]
    rows = {kind: row for row in certified for kind in row["kinds"]}
    assert (rows["AGE"]["claimed"], rows["AGE"]["certified"], rows["AGE"]["per"]) == (0.25, 0.25, "year")
    assert rows["CODE"]["certified"] == 0.0
    assert rows["PERSON"]["guarantee"] is None
    assert "certified" not in rows["HEALTH"]
    plain = call("certify", "--policy", "tiny.toml").out
    assert "no formal" in plain
    assert "guarantee" in plain
    assert "geometric" in plain
    assert call("certify", "--policy", "tiny.toml", "-m", "santext").code == 2


def test_without_a_method_the_advice_is_three_lines(desk: Path) -> None:
    records = [{"id": 1, "mrn": CANARY, "text": f"{CANARY} and judge {CANARY}"}]
    write_jsonl(desk / "in.jsonl", records)
    ran = call("sanitize", "in.jsonl", "-o", "out.jsonl")
    assert ran.code == 2
    assert ran.out == ""
    lines = ran.err.strip().splitlines()
    assert len(lines) == 3
    assert lines[0].startswith("Nothing was done")
    assert "--policy clinical" in lines[1]
    assert CANARY not in ran.err
    assert sorted(path.name for path in desk.iterdir() if path.name.startswith("out")) == []


def test_the_advice_reads_names_of_fields_and_no_values(desk: Path) -> None:
    """A value that looks like a field, or a first line without names, decides nothing."""
    advised = {}
    for name, content in {
        "a.jsonl": '{"messages": [{"role": "user", "content": "x"}]}\n',
        "b.jsonl": '{"text": "patient mrn diagnosis"}\n',
        "c.csv": "docket,text\n1,patient\n",
        "d.csv": "id,text\n1,patient\n",
        "e.txt": "patient of the ward\n",
    }.items():
        (desk / name).write_text(content, encoding="utf-8")
        ran = call("sanitize", name, "-o", "out")
        advised[name] = re.findall(r"--policy (\w+),", ran.err)
    assert advised == {
        "a.jsonl": ["chat"], "b.jsonl": ["support"], "c.csv": ["court"], "d.csv": ["support"], "e.txt": ["support"]
    }  # fmt: skip


# --- policies that cannot be ---


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (b"", "treats nothing"),
        (b"\xff\xfe", ""),
        (f"{CANARY} = ".encode(), ""),
        (f'name = "{CANARY}"\nx{CANARY}y = 1\n'.lower().encode(), "no such key"),
        (POLICY.replace('"shift"', '"shiftt"').encode(), "did you mean shift?"),
        (POLICY.replace('"geometric"', '"shift"').encode(), "only dates can be shifted"),
        (POLICY.replace("epsilon = 0.25", "epsilon = -1").encode(), "greater than 0"),
        (POLICY.replace("epsilon = 0.25", "epsilon = 1e300").encode(), ""),
        (POLICY.replace("epsilon = 0.25", "epsilon = 1e-300").encode(), ""),
        (POLICY.replace('"20 days"', '"1e9 days"').encode(), ""),
        (POLICY.replace('detect = ["given"]', 'detect = ["given"]\nallow = ["none.txt"]').encode(), "none.txt"),
        ((POLICY + '[fields]\nsubject = "spans"\n').encode(), ""),
        (("[find]\n" * 2).encode(), ""),
        ((POLICY + '[[treat]]\nlabels = ["X"]\nmechanism = "independent"\n').encode(), "A label has no values"),
    ],
)
def test_hostile_policies_are_refused(desk: Path, content: bytes, part: str) -> None:
    (desk / "bad.toml").write_bytes(content)
    refused(sanitized(policy="bad.toml"), part)
    assert CANARY.encode() not in everything_below(desk).replace((desk / "bad.toml").read_bytes(), b"").replace(
        (desk / "in.jsonl").read_bytes(), b""
    )


def test_records_taken_for_a_policy_are_not_shown(desk: Path) -> None:
    refused(sanitized(policy="in.jsonl"))
    refused(sanitized(policy="."))
    refused(sanitized(policy="nowhere.toml"))
    refused(sanitized(policy="clinicl"), "did you mean clinical?")
