"""``sfumato find``: spans of any detector and any format, no text unless asked for, a file that sanitize reads."""

from __future__ import annotations

import json
import os
import re
import stat
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato.cli.find
from command_line import CANARY, Ran, call, everything_below, run, write_jsonl
from sfumato.detectors.identifiers import Identifiers
from sfumato.errors import InputError, OutputError
from sfumato.files import FileOptions
from sfumato.release.find import FindSummary, find_file
from sfumato.storage import Place, owned
from sfumato.text.document import Document
from warm_command import run as run_warm

NAMES = ("--detect", "list:names.txt")


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with a list of names."""
    (tmp_path / "names.txt").write_text(f"{CANARY}\nPERSON\tAnn Lee\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def found(done: Ran) -> list[Any]:
    assert done.code == 0, done.err
    return [json.loads(line) for line in done.out.splitlines()]


def span(start: int, end: int, label: str = "LISTED", **more: Any) -> dict[str, Any]:
    return {"start": start, "end": end, "label": label, "score": None, "finder": "list:names.txt", **more}


TEXTS = [f"I saw {CANARY}.", "Nobody.", f"Ann Lee, {CANARY}"]
WANTED = [[span(6, 16)], [], [span(0, 7, "PERSON"), span(9, 19)]]


def write_all(folder: Path) -> dict[str, Path]:
    """The texts in every format."""
    write_jsonl(folder / "a.jsonl", [{"text": text, "n": 1} for text in TEXTS])
    (folder / "a.csv").write_text("text,n\n" + "".join(f'"{text}",1\n' for text in TEXTS))
    (folder / "a.tsv").write_text("text\tn\n" + "".join(f"{text}\t1\n" for text in TEXTS))
    (folder / "a.txt").write_text("".join(f"{text}\n" for text in TEXTS))
    pq.write_table(pa.table({"text": TEXTS}), folder / "a.parquet")
    (folder / "letters").mkdir()
    for number, text in enumerate(TEXTS):
        (folder / "letters" / f"{number}.txt").write_text(text)
    return {name: folder / name for name in ("a.jsonl", "a.csv", "a.tsv", "a.txt", "a.parquet", "letters")}


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.tsv", "a.txt", "a.parquet", "letters"])
def test_every_format_is_searched(desk: Path, name: str) -> None:
    path = write_all(desk)[name]
    more = ("--lines",) if name == "a.txt" else ()
    done = run_warm("find", path, *NAMES, *more)
    lines = found(done)
    ids = [f"{number}.txt" for number in range(3)] if name == "letters" else ["0", "1", "2"]
    assert [line["id"] for line in lines] == ids
    assert [line["spans"] for line in lines] == WANTED
    assert [line["characters"] for line in lines] == [len(text) for text in TEXTS]
    assert CANARY not in done.out + done.err
    assert "3 spans in 3 records" in done.err
    assert "Kinds: LISTED 2, other labels 1" in done.err
    assert "Finders: list:names.txt 3" in done.err
    assert "Nothing in 1 of 3 records." in done.err


def test_a_text_and_standard_input_are_searched(desk: Path) -> None:
    (line,) = found(run("find", "--text", TEXTS[0], *NAMES))
    assert line == {"id": "0", "characters": 17, "spans": WANTED[0]}
    (line,) = found(_piped(TEXTS[0], "find", "-", *NAMES))
    assert line["spans"] == WANTED[0]
    data = "".join(json.dumps({"text": text}) + "\n" for text in TEXTS)
    lines = found(_piped(data, "find", "-", "--format", "jsonl", *NAMES))
    assert [line["spans"] for line in lines] == WANTED


def _piped(data: str, *arguments: str) -> Ran:
    return run_warm(*arguments, given=data)


def test_a_file_of_findings_is_for_its_owner(desk: Path) -> None:
    write_all(desk)
    done = call("find", "a.jsonl", "-o", "found.jsonl", *NAMES)
    assert done.code == 0, done.err
    assert "3 spans in 3 records -> found.jsonl (private!)" in done.out
    assert stat.S_IMODE((desk / "found.jsonl").stat().st_mode) == 0o600
    assert CANARY not in (desk / "found.jsonl").read_text() + done.out + done.err
    assert call("find", "a.jsonl", "-o", "found.jsonl", *NAMES).code == 2
    done = call("find", "a.jsonl", "-o", "found.jsonl", *NAMES, "--force", "--show-text")
    lines = [json.loads(line) for line in (desk / "found.jsonl").read_text().splitlines()]
    assert [one["text"] for line in lines for one in line["spans"]] == [CANARY, "Ann Lee", CANARY]
    assert CANARY not in done.out + done.err
    assert stat.S_IMODE((desk / "found.jsonl").stat().st_mode) == 0o600


def test_facts_for_programs(desk: Path) -> None:
    write_all(desk)
    facts = call("find", "a.jsonl", *NAMES, "--json").json
    assert call("find", "a.jsonl", *NAMES, "--json", "-o", "-").json == facts
    assert [line["spans"] for line in facts["found"]] == WANTED
    assert (facts["records"], facts["spans"], facts["untouched"]) == (3, 3, 1)
    assert facts["labels"] == {"LISTED": 2, "other labels": 1}
    facts = call("find", "a.jsonl", *NAMES, "--json", "-o", "found.jsonl").json
    assert facts["output"] == "found.jsonl"
    assert "found" not in facts


def test_a_table_shows_kind_and_chance_and_no_text_unless_asked(desk: Path) -> None:
    write_all(desk)
    done = call("find", "a.jsonl", *NAMES, "--table")
    assert done.code == 0, done.err
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in done.out.splitlines() if "│" in line]
    spans = [(number, span) for number, own in enumerate(WANTED) for span in own]
    assert rows == [[str(number), str(span["start"]), str(span["end"]), span["label"], "",
                     span["finder"]] for number, span in spans]  # fmt: skip
    assert CANARY not in done.out + done.err
    assert "3 spans in 3 records" in done.err
    assert CANARY in call("find", "a.jsonl", *NAMES, "--table", "--show-text").out
    assert call("find", "a.jsonl", *NAMES, "--table", "--json").code == 2
    assert call("find", "a.jsonl", *NAMES, "--table", "-o", "found.jsonl").code == 2


@pytest.mark.models
def test_a_table_shows_the_chance_of_a_mark(desk: Path) -> None:
    sought = ("find", "--text", "Mr John Okafor of Munich wrote to [b]anna@example.org.", "--show-text")
    done, facts = call(*sought, "--table"), call(*sought, "--json").json
    finding = next(span for span in facts["found"][0]["spans"] if "Okafor" in span["text"])
    (row,) = [line for line in done.out.splitlines() if "Okafor" in line]
    assert "PERSON" in row
    assert f"{finding['score']:.0%}" in row
    assert "anna" in done.out


def test_what_was_found_can_be_given_to_sanitize(desk: Path) -> None:
    """For every format; and other texts than those that were searched are refused."""
    for name, path in write_all(desk).items():
        more = ("--lines",) if name == "a.txt" else ()
        assert call("find", path, "-o", "found.jsonl", "--force", *NAMES, *more).code == 0
        target = desk / f"out-{name}"
        given = ("-m", "redaction", "--set", "operator=label", *more)
        done = call("sanitize", path, "-o", target, *given, "--detect", "given:found.jsonl")
        assert done.code == 0, done.err
        assert CANARY.encode() not in everything_below(target) + (b"" if target.is_dir() else target.read_bytes())
        told = json.loads((desk / f"out-{name}.privacy.json").read_text())
        assert told["detector"]["protects"] == "the spans given in the file found.jsonl"
    assert call("find", "a.jsonl", "-o", "found.jsonl", "--force", *NAMES).code == 0
    write_jsonl(desk / "other.jsonl", [{"text": f"{text} {CANARY}"} for text in TEXTS])
    done = call("sanitize", "other.jsonl", "-o", "x.jsonl", "-m", "redaction", "--detect", "given:found.jsonl")
    assert done.code == 2
    assert "other.jsonl, line 1: found.jsonl, line 1 is about a text of 17 characters" in done.err
    assert CANARY not in done.err


@pytest.mark.parametrize("twice", ['"spans": [], "spans"', '"id": "0", "spans"'])
def test_findings_that_say_a_thing_twice_are_refused(desk: Path, twice: str) -> None:
    """The last would win, and the first protect nothing."""
    source = write_jsonl(desk / "one.jsonl", [{"text": "Anna slept"}])
    spans = '[{"start": 0, "end": 4}]'
    for line in (
        f'{{"id": "0", {twice}: {spans}}}',
        '{"id": "0", "spans": [{"start": 0, "end": 4, "end": 1}], "characters": 10}',
    ):
        (desk / "found.jsonl").write_text(line + "\n", encoding="utf-8")
        done = call(
            "sanitize", source, "-o", "x.jsonl", "-m", "redaction", "--detect", "given:found.jsonl", "--force"
        )
        assert done.code == 2
        assert "found.jsonl, line 1" in done.err


def test_several_fields_and_nested_ones_are_named_and_can_be_given_back(desk: Path) -> None:
    records = [{"key": "x", "a": TEXTS[0], "m": [{"t": TEXTS[1]}, {"t": None}, {"t": TEXTS[2]}]}]
    write_jsonl(desk / "a.jsonl", records)
    fields = ("--field", "a", "--field", "m[].t", "--id-field", "key")
    facts = call("find", "a.jsonl", *fields, *NAMES, "--json", "-o", "found.jsonl").json
    lines = [json.loads(line) for line in (desk / "found.jsonl").read_text().splitlines()]
    assert [(line["id"], line["field"]) for line in lines] == [
        ("x/a", "a"), ("x/m[0].t", "m[0].t"), ("x/m[2].t", "m[2].t"),
    ]  # fmt: skip
    assert [line["spans"] for line in lines] == WANTED
    assert (facts["records"], facts["texts"], facts["texts_absent"]) == (1, 3, 1)
    given = ("-m", "redaction", "--set", "operator=label", "--detect", "given:found.jsonl")
    assert call("sanitize", "a.jsonl", "-o", "b.jsonl", *fields, *given).code == 0
    made = json.loads((desk / "b.jsonl").read_text())
    assert made == {
        "key": "x", "a": "I saw [LISTED].",
        "m": [{"t": "Nobody."}, {"t": None}, {"t": "[PERSON], [LISTED]"}],
    }  # fmt: skip


def test_several_detectors_and_lists_are_searched_together(desk: Path) -> None:
    (desk / "allow.txt").write_text("ann lee\n")
    (desk / "deny.txt").write_text("CODE\tnobody\n")
    write_all(desk)
    more = ("--set", "detect.allow=allow.txt", "--set", "detect.deny=deny.txt", "--detect", "content-words")
    facts = call("find", "a.jsonl", *NAMES, *more, "--json").json
    labels = [[one["label"] for one in line["spans"]] for line in facts["found"]]
    assert labels[1] == ["CODE"]
    (last,) = [line["spans"] for line in facts["found"][2:]]
    assert [one["start"] for one in last] == [9]


def test_lone_surrogates_are_written(desk: Path) -> None:
    (desk / "a.jsonl").write_text('{"id": "\\ud800", "text": "\\ud800 ' + CANARY + '"}\n')
    call("find", "a.jsonl", "-o", "found.jsonl", "--id-field", "id", "--show-text", *NAMES)
    (line,) = [json.loads(line) for line in (desk / "found.jsonl").read_text().splitlines()]
    assert line["id"] == "\ud800"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "Name a file"),
        (("a.jsonl", "--text", CANARY), "one of them"),
        (("nowhere.jsonl",), "does not exist"),
        (("a.jsonl", "-o", "a.jsonl", "--force"), "apart from the input"),
        (("letters", "-o", "letters/x.jsonl"), "apart from the input"),
        (("a.jsonl", "-o", "nowhere/x.jsonl"), "folder that exists"),
        (("a.jsonl", "--field", "m[].t"), "line 1: the field 'm\\[\\].t' is missing"),
        (("a.jsonl", "--format", "csv"), "leave it out"),
        (("a.jsonl", "--encoding", "klingon"), "encoding"),
        (("a.jsonl", "--set", "detect.allow=nowhere"), "cannot be read"),
        (("a.jsonl", "--set", "detect.deny=empty"), "no entry"),
        (("a.jsonl", "--detect", "wrds"), "did you mean words"),
        (("a.jsonl", "--detect", "given:names.txt"), "names.txt, line 1"),
        (("a.jsonl", "--detect", "disclosures"), "--chat-model"),
        (("a.jsonl", "--chat-model", "x"), "disclosures"),
        (("a.jsonl", "--set", "detect.strict=low"), "belongs to identifiers"),
        (("broken.jsonl",), "broken.jsonl, line 2: .*not valid JSON"),
    ],
)
def test_what_cannot_be_searched_is_refused(desk: Path, arguments: tuple[str, ...], told: str) -> None:
    write_all(desk)
    (desk / "empty").touch()
    (desk / "broken.jsonl").write_text('{"text": "x"}\n{"text": "' + CANARY)
    before = everything_below(desk)
    detect = () if "--detect" in arguments else NAMES
    done = call("find", *arguments, *detect, "--json")
    assert done.code == 2
    assert json.loads(done.out)["error"]["message"]
    assert re.search(told, done.err)
    assert CANARY not in done.out + done.err
    assert everything_below(desk) == before


def test_a_detector_that_fails_is_told_without_the_text(desk: Path) -> None:
    class Failing(Identifiers):
        def findings(self, documents: Any) -> Any:
            raise ValueError(documents[0].text)

    class Wrong(Identifiers):
        def findings(self, documents: Any) -> Any:
            return [[sfumato.Finding(0, 99, "A")] for _ in documents]

    write_all(desk)
    with pytest.raises(OutputError, match=r"ValueError between a\.jsonl, line 1 and a\.jsonl, line 3") as one:
        find_file(Failing(), "a.jsonl", write=lambda line: None)
    with pytest.raises(InputError, match=r"a\.jsonl, line 1: the spans found do not lie inside") as other:
        find_file(Wrong(), "a.jsonl", write=lambda line: None)
    for caught in (one, other):
        assert CANARY not in str(caught.value)
        assert caught.value.__context__ is None


@pytest.mark.models
def test_identifiers_say_score_and_finder() -> None:
    text = "Dr Maria Larsen called from 10.0.0.7 on 3 May 2021; mail maria@example.org, Larsen."
    (made,) = Identifiers().findings([Document(text)])
    by_text = {text[one.start : one.end]: one for one in made}
    assert by_text["10.0.0.7"].finder == "rule:codes"
    assert by_text["maria@example.org"].finder == "rule:codes"
    assert next(one.finder for mark, one in by_text.items() if "Maria Larsen" in mark) == "network"
    assert {one.finder.partition(":")[0] for one in made} <= {"network", "rule"}
    assert all(one.score is not None and 0.0 <= one.score <= 1.0 for one in made)
    assert [(one.start, one.end) for one in made] == Identifiers().detect([Document(text)])[0].bounds


def test_in_python(desk: Path) -> None:
    write_all(desk)
    lines: list[str] = []
    done = sfumato.find_file(sfumato.detector("list:names.txt"), "a.jsonl", FileOptions(), lines.append)
    assert (done.records, done.spans, dict(done.labels)) == (3, 3, {"LISTED": 2, "PERSON": 1})
    assert len(lines) == 3


@pytest.mark.parametrize("link", [None, os.link, os.symlink])
@pytest.mark.parametrize("name", ["a.jsonl", "names.txt", "allowed.txt", "denied.txt", "given.jsonl"])
def test_findings_replace_nothing_that_the_run_reads(desk: Path, name: str, link: Any) -> None:
    write_all(desk)
    assert call("find", "a.jsonl", "-o", "given.jsonl", *NAMES).code == 0
    (desk / "allowed.txt").write_text("nobody\n")
    (desk / "denied.txt").write_text("saw\n")
    if link is not None:
        link(desk / name, desk / "x.jsonl")
    before = everything_below(desk)
    lists = (
        "--set",
        "detect.allow=allowed.txt",
        "--set",
        "detect.deny=denied.txt",
        "--detect",
        "given:given.jsonl",
        *NAMES,
    )
    done = call("find", "a.jsonl", "-o", name if link is None else "x.jsonl", "--force", *lists)
    assert done.code == 2
    assert "apart from the input" in done.err
    assert everything_below(desk) == before


def test_findings_replace_no_pipe(desk: Path) -> None:
    write_all(desk)
    os.mkfifo(desk / "fifo")
    done = call("find", "a.jsonl", "-o", "fifo", "--force", *NAMES)
    assert (done.code, (desk / "fifo").is_fifo()) == (2, True)
    assert "not a regular file" in done.err


def test_one_run_at_a_time_owns_the_findings(desk: Path) -> None:
    write_all(desk)
    with owned([Place(desk / "found.jsonl")]):
        done = call("find", "a.jsonl", "-o", "found.jsonl", *NAMES)
    assert done.code == 2
    assert "Another run is writing found.jsonl" in done.err
    assert not (desk / "found.jsonl").exists()


def test_findings_do_not_replace_what_came_meanwhile(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_all(desk)

    def slow(*_: Any) -> FindSummary:
        (desk / "found.jsonl").write_text("came meanwhile")
        return FindSummary()

    monkeypatch.setattr(sfumato.cli.find, "find_file", slow)
    done = call("find", "a.jsonl", "-o", "found.jsonl", *NAMES)
    assert done.code == 2
    assert "found.jsonl exists" in done.err
    assert (desk / "found.jsonl").read_text() == "came meanwhile"
    assert not [path for path in desk.iterdir() if path.name.startswith(".")]


def test_no_option_is_advised_that_find_does_not_have(desk: Path) -> None:
    (desk / "a.jsonl").write_text('{"text": "x"}\n{"text": \n')
    done = call("find", "a.jsonl", *NAMES)
    assert done.code == 2
    assert "a.jsonl, line 2" in done.err
    assert "--on-error" not in done.err


def test_only_an_error_of_writing_is_told_as_one(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_all(desk)

    def failing(*_: Any) -> FindSummary:
        raise PermissionError(13, CANARY)

    monkeypatch.setattr(sfumato.cli.find, "find_file", failing)
    done = call("find", "a.jsonl", "-o", "found.jsonl", *NAMES)
    assert done.code == 2
    assert "cannot be written" not in done.err
    assert CANARY not in done.err
    assert sorted(path.name for path in desk.iterdir() if "found" in path.name) == []


@pytest.mark.skipif(os.name == "nt", reason="limits of Unix")
def test_a_full_disk_is_told_as_an_error_of_writing(desk: Path) -> None:
    write_jsonl(desk / "a.jsonl", [{"text": "x"}] * 5000)
    done = run_warm("find", "a.jsonl", "-o", "found.jsonl", "--detect", "list:names.txt", file_size=16 * 1024)
    assert done.code == 2
    assert "found.jsonl cannot be written (File too large)" in done.err
    assert "--resume" not in done.err
    assert sorted(path.name for path in desk.iterdir() if "found" in path.name) == []


@pytest.mark.parametrize("name", ["found.csv", "found.tsv", "found.txt", "found.parquet", "found.jsonl.gz", "found"])
def test_findings_are_written_as_nothing_but_lines_of_json(desk: Path, name: str) -> None:
    write_all(desk)
    before = everything_below(desk)
    done = call("find", "a.csv", "-o", name, *NAMES)
    assert (done.code, "end the name of their file with .jsonl" in done.err) == (2, True)
    assert everything_below(desk) == before
    assert call("find", "a.csv", "-o", "found.JSONL", *NAMES).code == 0


@pytest.mark.models
def test_closing_lines_name_kinds_and_an_operator_takes_one(tmp_path: Path) -> None:
    """LOCATION of the detector and PLACE of the policies were told side by side."""
    path = write_jsonl(tmp_path / "a.jsonl", [{"text": "Anna Larsen lives in Boston; call +1 415-555-0100."}])
    done = call("sanitize", path, "-o", tmp_path / "b.jsonl", "-m", "redaction", "--set", "operators.PLACE=keep")
    assert done.code == 0, done.err
    assert "PERSON 1" in done.out
    assert "PHONE 1" in done.out
    assert "Boston" in (tmp_path / "b.jsonl").read_text()
    found = call("find", path, "-o", tmp_path / "f.jsonl")
    assert "PLACE 1" in found.out + found.err
    assert not {"LOCATION", "PHONE_NUMBER"} & set(f"{done.out} {found.out} {found.err}".replace("(", " ").split())
    assert call("find", path, "--json").json["labels"]["LOCATION"] == 1
