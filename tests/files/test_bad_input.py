"""Bad input: exit code 2, one sentence that names the place, no private text anywhere, nothing under the final name.

Every case runs what the command runs, and some the installed command in a process of its own. A canary stands
wherever private text can stand.
"""

from __future__ import annotations

import base64
import contextlib
import gzip
import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from command_line import (
    CANARY,
    WORDS,
    Ran,
    call,
    everything_below,
    run,
    write_key,
    write_vectors,
)
from warm_command import Process, finish, start
from warm_command import run as run_warm

SECRET = CANARY.encode()
GOOD = {"id": "one", "text": f"the cat saw {CANARY}", "spans": []}


def lines(*records: Any) -> bytes:
    """Lines of JSON; bytes stand for themselves."""
    return b"".join((one if isinstance(one, bytes) else json.dumps(one).encode()) + b"\n" for one in records)


def spanned(*spans: Any) -> bytes:
    """A good record, and one with these spans."""
    return lines(GOOD, {"id": f"Mr {CANARY}", "text": f"{CANARY} sat", "spans": list(spans)})


def parquet(**columns: list[Any]) -> Callable[[Path], None]:
    return lambda folder: pq.write_table(pa.table(columns), folder / "in.parquet")


@dataclass(frozen=True)
class Case:
    """One bad run: the bytes of its input, other files, arguments beside the usual ones, and what must be told."""

    told: str
    content: bytes = lines(GOOD, {**GOOD, "id": "two"})
    input: str = "in.jsonl"
    more: tuple[str, ...] = ()
    output: str = ""
    epsilon: str = "4"
    mechanism: str = "santext"
    vocabulary: str = "words.vec.txt"
    files: Callable[[Path], object] | None = None
    kept: tuple[str, ...] = ()

    @property
    def final(self) -> str:
        return self.output or self.input.replace("in", "out", 1)

    def prepare(self, folder: Path) -> tuple[str, ...]:
        """Write the files of the case; returns the arguments of the command."""
        folder.mkdir()
        write_vectors(folder)
        if "/" not in self.input:
            (folder / self.input).write_bytes(self.content)
        if self.files is not None:
            self.files(folder)
        given = (self.input, "-o", self.final, "-m", self.mechanism, "-e", self.epsilon)
        return ("sanitize", *given, "--set", f"vocabulary={self.vocabulary}", *self.more)


def made(told: str, vocabulary: str, write: Callable[[Path], object]) -> Case:
    """A run with a vocabulary file that ``write`` makes in the folder."""
    return Case(told, vocabulary=vocabulary, files=write)


def bad_vectors(told: str, change: Callable[[list[str]], list[str]]) -> Case:
    """A run with a vocabulary file whose lines were changed."""

    def write(folder: Path) -> None:
        path = write_vectors(folder, name="bad.txt")
        path.write_text("\n".join(change(path.read_text().splitlines())) + "\n")

    return made(told, "bad.txt", write)


def listed(told: str, write: Callable[[Path], object]) -> Case:
    """A run with a list of words that ``write`` makes."""
    return Case(told, more=("--detect", "list:l"), files=write)


def copied(name: str) -> Callable[[Path], object]:
    """Writes a copy of the input under another name."""
    return lambda folder: (folder / name).write_bytes((folder / "in.jsonl").read_bytes())


GIVEN = ("--detect", "given")
BY_ID = ("--id-field", "id")
CASES = {
    # epsilon and names
    "epsilon-zero": Case("greater than 0", epsilon="0"),
    "epsilon-negative": Case("greater than 0", epsilon="-1.5"),
    "epsilon-nan": Case("finite", epsilon="nan"),
    "epsilon-infinite": Case("finite", epsilon="inf"),
    "epsilon-text": Case("--epsilon", epsilon="many"),
    "epsilon-huge": Case("smaller epsilon", epsilon="1e6"),
    "unknown-mechanism": Case("did you mean santext", mechanism="santex"),
    "unknown-detector": Case("did you mean words", more=("--detect", "wrds")),
    "unknown-option": Case("--bogus", more=("--bogus",)),
    "wrong-option": Case("set_size.*custext", more=("--set", "set_size=4")),
    "option-without-value": Case("NAME=VALUE", more=("--set", "p")),
    "calibration": Case("exact or paper", more=("--set", "calibration=loose")),
    "consistency": Case("mention", more=("--set", "consistency=always")),
    "unknown-rule": Case("surrogate", more=("--set", "unknown=keep")),
    "projection-without-encoder": Case("surrogate", more=("--set", "unknown=nearest")),
    "surrogate": Case("surrogate must be a token", more=("--set", "surrogate=qwerty")),
    "on-error": Case("quarantine", more=("--on-error", "ignore")),
    "workers": Case("workers", more=("--workers", "0")),
    "k": Case("at least 1", mechanism="clusant", more=("--set", "k=0.5")),
    "k-nan": Case("k is a number", mechanism="clusant", more=("--set", "k=nan")),
    "k-text": Case("k is a number", mechanism="clusant", more=("--set", "k=far")),
    "clusters": Case("JSON file", mechanism="clusant", more=("--set", "clusters=nowhere.json")),
    "too-many-clusters": Case("1 to 20 clusters", mechanism="clusant", more=("--set", "clusters=21")),
    "set-size": Case("at least 2", mechanism="custext", more=("--set", "set_size=1")),
    "seed-and-key": Case("exclude", more=("--id-field", "id", "--seed", "1", "--pin", "k")),
    "key-without-ids": Case("--id-field", more=("--pin", "k"), files=lambda f: write_key(f / "k")),
    "no-key": Case("key file", more=("--id-field", "id", "--pin", "nowhere")),
    "short-key": Case("32 random bytes", more=(*BY_ID, "--pin", "k"), files=lambda f: write_key(f / "k", SECRET)),
    "open-key": Case("Others can", more=(*BY_ID, "--pin", "k"), files=lambda f: write_key(f / "k").chmod(0o644)),
    # records
    "no-input": Case("nowhere.jsonl does not exist", input="x/nowhere.jsonl", output="out.jsonl"),
    "suffix": Case("suffix", input="in.odt"),
    "missing-field": Case("in.jsonl, line 2: the field 'text' is missing", lines(GOOD, {"note": CANARY})),
    "other-field": Case("'body' is missing", more=("--field", "body")),
    "broken-line": Case("in.jsonl, line 3: .*not valid JSON", lines(GOOD, GOOD) + b'{"text": "' + SECRET),
    "not-an-object": Case("line 2: .*not a JSON object", lines(GOOD, [CANARY])),
    "two-objects": Case("line 1: something follows", lines(json.dumps(GOOD).encode() * 2)),
    "number-for-text": Case("line 1: .*not a string", lines({"text": 7, "note": CANARY})),
    "field-twice": Case("line 1: .*twice", b'{"text": "%b", "text": "%b"}\n' % (SECRET, SECRET)),
    "deep": Case("line 1: .*more than 100 deep", b'{"text": "%b", "x": %b}\n' % (SECRET, b"[" * 200_000)),
    "id-misspelt": Case("misspelt.*'id'", lines({**GOOD, "id": "1"}), more=("--id-field", "idd")),
    "id-twice": Case("line 2: .*earlier record", lines(GOOD, GOOD), more=("--id-field", "id")),
    "id-of-another-kind": Case("line 1: .*id field", lines({**GOOD, "id": [CANARY]}), more=("--id-field", "id")),
    "not-utf8-jsonl": Case("line 2: .*UTF-8", lines(GOOD) + b'{"text": "' + SECRET + b' \xff"}\n'),
    "not-utf8-txt": Case("line 3: .*UTF-8", b"one\ntwo\n" + SECRET + b"\xfe\n", "in.txt"),
    "not-utf8-lines": Case("line 2: .*UTF-8", b"one\n" + SECRET + b"\xfe\n", "in.txt", ("--lines",)),
    "not-utf8-csv": Case("line 2: .*UTF-8", b"text,n\n" + SECRET + b"\xff,1\n", "in.csv"),
    "csv-without-header": Case("in.csv has no column 'text'", SECRET + b" of 12 Elm Road,1\na,b\n", "in.csv"),
    "csv-uneven": Case("line 3: .*3 cells", b"text,n\na,1\n" + SECRET + b",2,3\n", "in.csv"),
    "csv-open-quote": Case("line 2: a quotation mark", b'text,n\n"' + SECRET + b",1\n", "in.csv"),
    "csv-empty": Case("no header", b"", "in.csv"),
    "tsv-missing-column": Case("no column 'text'.*'note'", b"note\tn\n" + SECRET + b"\t1\n", "in.tsv"),
    "parquet-column": Case("no column 'text'", files=parquet(note=[CANARY]), input="in.parquet"),
    "parquet-numbers": Case("not string", files=parquet(text=[1], note=[CANARY]), input="in.parquet"),
    "parquet-broken": Case("not a complete Parquet file", SECRET * 9, "in.parquet"),
    "gzip-cut": Case("complete gzip", gzip.compress(lines(GOOD) * 99, mtime=0)[:-9], "in.jsonl.gz"),
    "gzip-not": Case("complete gzip", lines(GOOD), "in.jsonl.gz"),
    # given spans
    "overlap": Case(
        "in.jsonl, line 2: field 'spans': span 1 .*overlaps", spanned([0, 5, "A"], [3, 10, CANARY]), more=GIVEN
    ),
    "outside": Case("line 2: .*span 0 .*outside", spanned([0, 99, "A"]), more=GIVEN),
    "negative": Case("line 2: .*outside", spanned([-3, 2, "A"]), more=GIVEN),
    "reversed": Case("line 2: .*outside", spanned([5, 2, "A"]), more=GIVEN),
    "empty-span": Case("line 2: .*empty", spanned([2, 2, "A"]), more=GIVEN),
    "float": Case("line 2: .*whole number", spanned([0.0, 2, "A"]), more=GIVEN),
    "boolean": Case("line 2: .*whole number", spanned([True, 2, "A"]), more=GIVEN),
    "text-offset": Case("line 2: .*whole number", spanned([0, CANARY, "A"]), more=GIVEN),
    "label": Case("line 2: .*label", spanned([0, 2, [CANARY]]), more=GIVEN),
    "no-end": Case("line 2: .*no 'end'", spanned({"start": 1, "label": CANARY}), more=GIVEN),
    "not-a-span": Case("line 2: .*span 0 is neither", spanned(CANARY), more=GIVEN),
    "not-a-list": Case("line 2: .*not a list", lines(GOOD, {**GOOD, "spans": {"start": CANARY}}), more=GIVEN),
    "null-spans": Case("line 2: .*null", lines(GOOD, {**GOOD, "spans": None}), more=GIVEN),
    "spans-not-json": Case("line 2: .*not JSON", lines(GOOD, {**GOOD, "spans": CANARY}), more=GIVEN),
    "no-spans": Case("line 2: .*'spans' is missing", lines(GOOD, {"text": CANARY}), more=GIVEN),
    "spans-by-id": Case("line 2: .*outside", spanned([0, 99, "A"]), more=(*GIVEN, "--id-field", "id")),
    "empty-match": Case(
        "l, line 1: .*empty piece of a text", lines(GOOD, {"id": f"Mr {CANARY}", "text": "yy"}),
        more=(*BY_ID, "--detect", "list:l"),
        files=lambda f: (f / "l").write_text("/(?=yy)/\n"),
    ),
    "spans-in-parquet": Case(
        "row 1: .*outside", input="in.parquet", more=GIVEN,
        files=parquet(text=[CANARY], spans=[[{"start": 3, "end": 99, "label": CANARY}]]),
    ),
    # vocabularies
    "vector-nan": bad_vectors("bad.txt, line 3.*NaN", lambda v: [*v[:2], "x 1.5 nan 2.5", *v[2:]]),
    "vector-infinite": bad_vectors("bad.txt, line 1.*infinity", lambda v: ["x 1.5 inf 2.5", *v]),
    "vector-repeat": bad_vectors("bad.txt, line 21.*repeats.*line 4", lambda v: [*v, v[3]]),
    "vector-short": bad_vectors("bad.txt, line 2.*2 numbers where 3", lambda v: [v[0], "x 1.5 2.5", *v[1:]]),
    "vector-long": bad_vectors("bad.txt, line 2.*4 numbers where 3", lambda v: [v[0], "x 1.5 2.5 3.5 4.5", *v[1:]]),
    "vector-text": bad_vectors("bad.txt, line 2.*field 3", lambda v: [v[0], "x 1.5 two 3.5", *v[1:]]),
    "one-word": bad_vectors("at least 2 tokens", lambda v: v[:1]),
    "no-word": made("bad.txt is empty", "bad.txt", lambda f: (f / "bad.txt").touch()),
    "no-vocabulary": Case("nowhere.txt does not exist", vocabulary="nowhere.txt"),
    "pickle": made("kind of file is not read", "bad.pkl", lambda f: (f / "bad.pkl").write_bytes(b"x")),
    "the-input": Case("private input itself", vocabulary="in.jsonl"),
    "a-copy-of-the-input": made("private input", "c.txt", copied("c.txt")),
    "the-input-by-option": Case("vocabulary twice", more=("--set", "vocabulary=in.jsonl")),
    "the-input-as-clusters": Case("private input", mechanism="clusant", more=("--set", "clusters=in.jsonl")),
    "a-copy-as-clusters": Case(
        "private input", mechanism="clusant", more=("--set", "clusters=c.json"),
        files=copied("c.json"),
    ),
    "the-input-as-word-list": Case(
        "private input", SECRET + b"\ncat\n", "in.txt", vocabulary="in.npy",
        files=lambda f: np.save(f / "in.npy", np.eye(2)),
    ),
    "the-input-by-label": Case("private input itself", more=("--set", "vocabulary.LOC=in.jsonl")),
    "the-input-by-link": made("private input", "l.txt", lambda f: (f / "l.txt").symlink_to("in.jsonl")),
    "the-input-by-hard-link": made("private input", "l.txt", lambda f: (f / "l.txt").hardlink_to(f / "in.jsonl")),
    "two-vocabularies": Case("vocabulary twice", more=("--set", "vocabulary=other.txt")),
    # detectors
    "no-list": Case("nowhere cannot be read", more=("--detect", "list:nowhere")),
    "empty-list": listed("no entry", lambda f: (f / "l").touch()),
    "broken-pattern": listed("l, line 1: .*compile", lambda f: (f / "l").write_text(f"/({CANARY}/")),
    "detector-twice": Case("each once", more=("--detect", "words", "--detect", "words")),
    "no-allow-list": Case("nowhere cannot be read", more=("--set", "detect.allow=nowhere")),
    "empty-deny-list": Case("no entry", more=("--set", "detect.deny=l"), files=lambda f: (f / "l").touch()),
    "broken-allow-list": Case(
        "l, line 1: .*compile", more=("--set", "detect.allow=l"), files=lambda f: (f / "l").write_text(f"/({CANARY}/")
    ),
    "broken-findings": Case(
        "l, line 1 is not a JSON object", more=("--detect", "given:l"),
        files=lambda f: (f / "l").write_text(f'{{"id": "{CANARY}'),
    ),
    "findings-of-another-file": Case(
        "in.jsonl, line 2: l has no line for it", more=("--detect", "given:l"),
        files=lambda f: (f / "l").write_text('{"id": "0", "spans": []}'),
    ),
    "findings-of-another-text": Case(
        "in.jsonl, line 1: l, line 1 is about a text of 3 characters", more=("--detect", "given:l"),
        files=lambda f: (f / "l").write_text('{"id": "0", "spans": [], "characters": 3}'),
    ),
    # places and encodings of texts
    "path": Case("is not a path", more=("--field", "a..b")),
    "text-for-an-object": Case(
        "line 1: 'patient' is not an object", lines({"patient": CANARY}), more=("--field", "patient.note")
    ),
    "text-for-a-list": Case("line 1: 'm' is not a list", lines({"m": CANARY}), more=("--field", "m[].note")),
    "element-without-text": Case(
        r"line 1: the field 'm\[1\].t' is missing", lines({"m": [{"t": "a"}, {}]}), more=("--field", "m[].t")
    ),
    "nested-twice": Case(
        "line 1: .*twice", b'{"p": {"t": "%b", "t": "%b"}}\n' % (SECRET, SECRET), more=("--field", "p.t")
    ),
    "missing-rule": Case("missing must be", more=("--missing", "sometimes")),
    "missing-everywhere": Case(
        "no record has the field 'txet'", more=("--field", "txet", "--missing", "pass")
    ),
    "encoding": Case("no encoding", more=("--encoding", "klingon")),
    "not-cp1252": Case(
        "line 2: .*not valid cp1252", b"one\n" + SECRET + b"\x81\n", "in.txt", ("--lines", "--encoding", "cp1252")
    ),
    "half-utf16": Case(
        "line 1: .*not valid utf-16", f"one {CANARY}".encode("utf-16")[:-1], "in.txt", ("--encoding", "utf-16")
    ),
    "encoding-of-parquet": Case(
        "Parquet says itself", input="in.parquet", files=parquet(text=[CANARY]), more=("--encoding", "cp1252")
    ),
    # streams
    "format-of-a-file": Case("leave it out", more=("--format", "csv")),
    "statement-of-a-file": Case("lies beside it", more=("--statement", "s")),
    # outputs
    "output-exists": Case("out.jsonl exists", files=lambda f: (f / "out.jsonl").touch(), kept=("out.jsonl",)),
    "output-of-another-kind": Case("format of the input", output="out.csv"),
    "output-is-input": Case("input itself", output="in.jsonl", more=("--force",), kept=("in.jsonl",)),
    "no-output-folder": Case("create it first", output="nowhere/out.jsonl"),
    "unwritable-folder": Case("cannot be written", output="/proc/out.jsonl"),
}  # fmt: skip


INSTALLED = (
    *("epsilon-text", "unknown-mechanism", "missing-field", "broken-line", "not-utf8-txt"),
    *("csv-without-header", "spans-by-id", "vector-nan", "the-input", "output-exists"),
)
"""Cases that also run as the installed command; the others run the same ``main`` in this process, which is faster."""


def check(case: Case, told: Ran, folder: Path) -> None:
    assert told.code == 2, told
    assert told.out == ""
    assert re.fullmatch(r"Error: [^\n]*\.\n", told.err), told.err
    assert re.search(case.told, told.err), told.err
    assert CANARY.lower() not in told.err.lower()
    final = folder / case.final
    if case.final not in case.kept:
        assert not final.exists()
    assert not Path(f"{final}.privacy.json").exists()
    left = [path for path in folder.iterdir() if path.name.startswith(".")]
    assert SECRET.lower() not in everything_below(*left).lower()


@pytest.mark.parametrize("name", CASES)
def test_one_sentence(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    case, folder = CASES[name], tmp_path / "work"
    arguments = case.prepare(folder)
    monkeypatch.chdir(folder)
    check(case, call(*arguments), folder)
    assert SECRET.lower() not in everything_below(Path(os.environ["SFUMATO_CACHE"])).lower()


def test_one_sentence_of_the_installed_command(tmp_path: Path) -> None:
    """The first two cases begin an interpreter, the others begin where it has imported everything."""

    def go(name: str) -> Ran:
        begin = run if name in INSTALLED[:2] else run_warm
        return begin(*CASES[name].prepare(tmp_path / name), cwd=tmp_path / name)

    with ThreadPoolExecutor(3) as pool:
        for name, told in zip(INSTALLED, pool.map(go, INSTALLED), strict=True):
            check(CASES[name], told, tmp_path / name)


def test_nothing_to_do_is_no_error(tmp_path: Path) -> None:
    vectors = write_vectors(tmp_path)
    for name, content, records in (
        ("none.jsonl", b"", 0),
        ("none.txt", b"", 1),
        ("blank.jsonl", lines({"text": ""}, {"text": "  "}, {"text": " . "}), 3),
        ("header.csv", b"n,text\n", 0),
    ):
        source, output = tmp_path / name, tmp_path / f"out_{name}"
        source.write_bytes(content)
        told = call(
            "sanitize", source, "-o", output, "-m", "santext", "-e", 4, "--set", f"vocabulary={vectors}", "--json"
        ).json
        assert output.read_bytes() == content
        assert told["privacy"]["records"]["count"] == records
        assert told["privacy"]["records"].get("draws_per_record", {"total": 0})["total"] == 0


# --- quarantine ---


@pytest.mark.parametrize("kind", ["jsonl", "csv", "spans"])
def test_quarantine(tmp_path: Path, kind: str) -> None:
    vectors = write_vectors(tmp_path)
    content, more, bad = {
        "jsonl": (lines(GOOD, b'{"text": "' + SECRET, GOOD, b'{"text": "\xff' + SECRET + b'"}', GOOD), (), [2, 4]),
        "csv": (b"text,n\none,1\n" + SECRET + b",2,3\ntwo,2\n\xff" + SECRET + b",1\nsix,3\n", (), [3, 5]),
        "spans": (lines(GOOD, {**GOOD, "spans": [[0, 99]]}, GOOD, {**GOOD, "spans": 1}, GOOD), GIVEN, [2, 4]),
    }[kind]
    name = "csv" if kind == "csv" else "jsonl"
    source, output = tmp_path / f"in.{name}", tmp_path / f"out.{name}"
    source.write_bytes(content)
    told = call(
        "sanitize", source, "-o", output, "-m", "santext", "-e", 4, "--set", f"vocabulary={vectors}", *more,
        "--on-error", "quarantine", "--json",
    )  # fmt: skip
    records = told.json["privacy"]["records"]
    assert (records["count"], records["quarantined"]) == (3, 2)
    assert len(output.read_bytes().splitlines()) == 3 + (name == "csv")
    side = tmp_path / f"out.{name}.quarantine.jsonl"
    assert stat.S_IMODE(side.stat().st_mode) == 0o600
    aside = [json.loads(line) for line in side.read_text().splitlines()]
    assert [one["line"] for one in aside] == bad
    whole = content.splitlines()
    assert [base64.b64decode(one["raw_base64"]).rstrip(b"\r\n") for one in aside] == [whole[n - 1] for n in bad]
    assert all(CANARY not in one["reason"] for one in aside)
    released = (output, Path(f"{output}.privacy.json"))
    if kind != "spans":  # there the text outside the spans is released, the canary with it
        assert all(SECRET not in path.read_bytes() for path in released)
    assert CANARY not in told.out + told.err


# --- one enormous line ---


def test_a_line_of_50_megabytes(tmp_path: Path) -> None:
    """It ends, and costs about ten times what a tenth of it costs (a quadratic step would cost 100 times)."""
    vectors = write_vectors(tmp_path)
    seconds = []
    for share in (10, 1):
        source, output = tmp_path / "in.txt", tmp_path / "out.txt"
        text = f"{CANARY}fromtheforest cat " * (50_000_000 // share // 28 + 1)
        source.write_text(text)
        process = start(
            "sanitize", source, "-o", output, "--lines", "-m", "santext", "-e", 4,
            "--set", f"vocabulary={vectors}", "--force",
            "--json",
        )  # fmt: skip
        told = finish(process).json
        seconds.append(process.seconds)
        assert told["privacy"]["records"]["draws_per_record"]["maximum"] == len(text.split())
        assert CANARY.lower() not in output.read_text().lower()
    assert seconds[1] < 17.5 * seconds[0]


# --- a disk that fills up, Ctrl-C, kill -9 ---


IN_A_CHUNK = 500


def numbered(path: Path, count: int, in_a_chunk: int = 20_000) -> Path:
    """``count`` records of 3 words, the canary among them, in order; blanks fill a chunk with fewer than 20,000."""
    text = f"cat {CANARY} river"
    if in_a_chunk < 20_000:
        text = text.ljust(1_000_000 // in_a_chunk)
    rows = (f'{{"n": {n}, "text": "{text}"}}\n' for n in range(count))
    path.write_text("".join(rows))
    return path


def check_complete(output: Path, count: int) -> None:
    """Every record exactly once, in order, without the canary; the statement covers all of them."""
    records = [json.loads(line) for line in output.read_text().splitlines()]
    assert [record["n"] for record in records] == list(range(count))
    assert all(set(record["text"].lower().split()) <= set(WORDS) for record in records)
    statement = json.loads(Path(f"{output}.privacy.json").read_text())["records"]
    assert statement["count"] == count
    assert statement["draws_per_record"] == {"minimum": 3, "median": 3, "maximum": 3, "total": 3 * count}
    hidden = [path.name for path in output.parent.iterdir() if path.name.startswith(".")]
    assert hidden == []


def test_a_full_disk(tmp_path: Path) -> None:
    source, output, vectors = numbered(tmp_path / "in.jsonl", 5_000), tmp_path / "out.jsonl", write_vectors(tmp_path)
    asked = ("sanitize", source, "-o", output, "-m", "santext", "-e", 4, "--set", f"vocabulary={vectors}")
    assert (
        call("certify", "-m", "santext", "-e", 4, "--set", f"vocabulary={vectors}").code == 0
    )  # compiles the kernels
    told = run_warm(*asked, file_size=20_000)
    assert told.code == 2
    assert re.fullmatch(r"Error: [^\n]*out\.jsonl cannot be written \(File too large\)[^\n]*\.\n", told.err), told.err
    assert not output.exists()
    assert not Path(f"{output}.privacy.json").exists()
    assert call(*asked, "--resume").code == 0
    check_complete(output, 5_000)


def until_parts(folder: Path, count: int, process: Process) -> None:
    until = time.monotonic() + 60
    while len(list(folder.glob("*.json"))) < count and process.poll() is None:
        assert time.monotonic() < until, "no part was finished"
        time.sleep(0.002)


@pytest.mark.parametrize(
    ("blow", "workers"), [("kill", 1), ("kill", 2), ("interrupt", 2), ("end", 1), ("end", 2), ("end-all", 2)]
)
def test_stopped_in_the_middle_and_resumed(tmp_path: Path, blow: str, workers: int) -> None:
    chunks = 12
    source = numbered(tmp_path / "in.jsonl", chunks * IN_A_CHUNK, IN_A_CHUNK)
    output, vectors = tmp_path / "out.jsonl", write_vectors(tmp_path)
    law = ("-m", "santext", "-e", 4, "--set", f"vocabulary={vectors}")
    asked = ("sanitize", source, "-o", output, *law, "--workers", workers)
    parts = tmp_path / ".out.jsonl.parts"
    for _ in range(3):  # a test that is held up stops a run that is over, but not three times one after the other
        process = start(*asked, start_new_session=True)
        until_parts(parts, 2, process)
        if blow == "kill":
            process.kill()
        elif blow == "end":
            process.terminate()
        else:  # what a terminal does for Ctrl-C, and a manager of services for the end
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGINT if blow == "interrupt" else signal.SIGTERM)
        told = finish(process)
        if not output.exists():
            break
        output.unlink()
        Path(f"{output}.privacy.json").unlink()
    assert not output.exists()
    assert not Path(f"{output}.privacy.json").exists()
    assert SECRET not in everything_below(parts)
    assert stat.S_IMODE(parts.stat().st_mode) == 0o700
    if blow == "kill":
        assert told.code == -signal.SIGKILL
        assert CANARY not in told.out + told.err
    elif blow.startswith("end"):
        assert (told.code, told.out) == (128 + signal.SIGTERM, "")
    else:
        assert told.code == 130
    if blow != "kill":
        assert re.fullmatch(r"Error: Interrupted[^\n]*--resume\.\n", told.err), told.err
    if blow != "kill":
        assert not list(tmp_path.glob(".*.lock"))
    finished = {path.name: path.stat().st_mtime_ns for path in parts.glob("*.json")}
    again = asked if blow == "kill" else (*asked[:-1], 1)  # whose own advice is to resume with fewer processes
    assert call(*again, "--resume").code == 0
    assert len(finished) < chunks, "the run was over before it was stopped"
    check_complete(output, chunks * IN_A_CHUNK)


def started_by(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def all_below(pid: int) -> list[int]:
    """Return the processes that a process started, and those that they started."""
    try:
        children = started_by(pid)
    except OSError:  # it ended meanwhile
        return []
    return children + [further for child in children for further in all_below(child)]


def runs(pid: int) -> bool:
    """Whether a process has not ended; one that ended may wait a while until its entry is removed."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("processes", [2, 3, 4])  # what tracks resources, the server, and then the workers
def test_interrupted_while_the_processes_start(tmp_path: Path, number: signal.Signals, processes: int) -> None:
    """A process that had not begun yet would print where it was."""
    source, vectors = numbered(tmp_path / "in.jsonl", 3 * IN_A_CHUNK, IN_A_CHUNK), write_vectors(tmp_path)
    law = ("-m", "santext", "-e", 4, "--set", f"vocabulary={vectors}")
    process = start("sanitize", source, "-o", tmp_path / "out.jsonl", *law, "--workers", 2, start_new_session=True)
    until = time.monotonic() + 60
    while len(all_below(process.pid)) < processes and time.monotonic() < until:
        time.sleep(0.001)
    below = all_below(process.pid)
    os.killpg(process.pid, number)
    told = finish(process)
    assert told.code == 128 + number
    assert re.fullmatch(r"Error: Interrupted[^\n]*--resume\.\n", told.err), told.err
    assert len(below) >= processes
    until = time.monotonic() + 10
    while any(map(runs, below)) and time.monotonic() < until:
        time.sleep(0.001)
    assert not any(map(runs, below)), "a process stays behind"


def test_resume_refuses_another_list(tmp_path: Path) -> None:
    """Parts made with one list of words must not be joined with parts made with another."""
    vectors, words = write_vectors(tmp_path), tmp_path / "list.txt"
    source = tmp_path / "in.jsonl"
    filled = {**GOOD, "text": str(GOOD["text"]).ljust(1_000_000 // IN_A_CHUNK)}
    source.write_bytes(lines(*[filled] * IN_A_CHUNK) + b"broken\n")
    asked = (
        "sanitize",
        source,
        "-o",
        tmp_path / "out.jsonl",
        "-m",
        "santext",
        "-e",
        4,
        "--set",
        f"vocabulary={vectors}",
    )
    words.write_text("cat\n")
    assert f"line {IN_A_CHUNK + 1}" in call(*asked, "--detect", f"list:{words}").err
    words.write_text("saw\n")
    assert "another run" in call(*asked, "--detect", f"list:{words}", "--resume").err
    words.write_text("cat\n")
    assert f"line {IN_A_CHUNK + 1}" in call(*asked, "--detect", f"list:{words}", "--resume").err


# --- errors that nobody foresaw ---

PLUGIN = f"""
from dataclasses import dataclass
from sfumato.mechanisms.santext import SanText

@dataclass(frozen=True, eq=False)
class BrokenDraw(SanText):
    name = "broken-draw"
    def draw(self, tokens, uniforms):
        if len(tokens) == 1:  # the draw for a public token, before anything private is read
            return tokens
        raise ValueError("cannot draw for {CANARY}")

@dataclass(frozen=True, eq=False)
class BrokenCertificate(SanText):
    name = "broken-certificate"
    def certify(self, progress=None):
        raise KeyError("{CANARY}")

class NoDataclass:
    def __init__(self):
        raise OSError("{CANARY}")
"""


def python(script: str, *arguments: object, **options: Any) -> Ran:
    """``script`` in a process of its own, with these arguments."""
    environment = {**os.environ, **options.pop("env", {})}
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        env=environment,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize(
    ("mechanism", "told"),
    [
        ("broken-draw", r"failed with ValueError between in\.jsonl, line 1 and in\.jsonl, line 2"),
        ("broken-certificate", r"Internal error KeyError at brokenplugin\.py:\d+"),
        (
            "broken-class",
            r"brokenplugin:NoDataclass \(from the package brokenplugin 1\.0\) is no dataclass of the kind",
        ),
        ("broken-import", r"Internal error ModuleNotFoundError"),
    ],
)
def test_a_broken_plugin_says_nothing_private(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mechanism: str, told: str
) -> None:
    """A mechanism of another package, found through its entry point, whose errors quote what they were given."""
    site = tmp_path / "site"
    info = site / "brokenplugin-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: brokenplugin\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[sfumato.mechanisms]\nbroken-draw = brokenplugin:BrokenDraw\n"
        "broken-certificate = brokenplugin:BrokenCertificate\nbroken-class = brokenplugin:NoDataclass\n"
        f"broken-import = {CANARY}:Nothing\n"
    )
    (site / "brokenplugin.py").write_text(PLUGIN)
    source, output, vectors = tmp_path / "in.jsonl", tmp_path / "out.jsonl", write_vectors(tmp_path)
    source.write_bytes(lines(GOOD, GOOD))
    asked = ("sanitize", source, "-o", output, "-m", mechanism, "-e", 4, "--set", f"vocabulary={vectors}")
    if mechanism == "broken-draw":
        ran = run(*asked, env={"PYTHONPATH": os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")])})
    else:
        monkeypatch.syspath_prepend(site)
        ran = call(*asked)
        sys.modules.pop("brokenplugin", None)
    assert ran.code == 2
    assert ran.out == ""
    assert re.fullmatch(rf"Error: [^\n]*{told}[^\n]*\.\n", ran.err), ran.err
    assert CANARY not in ran.err
    assert not output.exists()
