"""Odd input: whatever is given, one true sentence and no wait; one odd record does not stop the others."""

from __future__ import annotations

import json
import os
import re
import signal
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from command_line import call, write_jsonl, write_key
from sfumato.detectors.noun_phrases import NounPhrases
from sfumato.detectors.tagger import Entities
from sfumato.errors import InputError
from sfumato.evaluation.pairs import read_pairs
from sfumato.files import FileOptions, open_source
from sfumato.metrics.estimates import Estimate
from sfumato.report import plots
from sfumato.text.document import Document, readable

PRIVATE = "Quillfeather"


def redact(folder: Path, source: object, output: str = "out.jsonl", *more: object) -> tuple[object, ...]:
    (folder / "names").write_text(f"{PRIVATE}\n")
    return (
        "sanitize",
        source,
        "-o",
        folder / output,
        "-m",
        "redaction",
        "--detect",
        f"list:{folder / 'names'}",
        *more,
    )


def sentence(told: Any) -> str:
    """What is said of an error: one sentence, and nothing private."""
    assert told.code == 2, told
    assert re.fullmatch(r"Error: [^\n]+\.\n", told.err), told.err
    assert PRIVATE.lower() not in (told.out + told.err).lower()
    assert "Internal error" not in told.err
    return str(told.err)


# --- lone surrogates ---

LONE = "Anna \\ud800 Larsen met \\udfffBob Hansen in Oslo."


@pytest.mark.models
def test_a_lone_surrogate_keeps_a_tagger_from_nothing() -> None:
    text = json.loads(f'"{LONE}"')
    assert readable(text) == text.replace("\ud800", "\ufffd").replace("\udfff", "\ufffd")
    plain = "Anna Larsen met Bob Hansen in Oslo."
    for detector in (Entities(), NounPhrases()):
        odd, usual = detector.detect([Document(text, "0", {}), Document(plain, "1", {})])
        assert [span.label for span in usual]
        found = " ".join(text[span.start : span.end] for span in odd)
        assert "Hansen" in found
        assert "Oslo" in found


@pytest.mark.models
def test_a_lone_surrogate_does_not_stop_an_evaluation(tmp_path: Path) -> None:
    before, after = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    before.write_text(f'{{"text": "{LONE}"}}\n{{"text": "Bob left."}}\n')
    after.write_text('{"text": "X \\ud800 met Y."}\n{"text": "X left."}\n')
    pairs = read_pairs(before, after, FileOptions())
    assert len(pairs) == 2
    assert "\ud800" not in "".join([*pairs.originals, *pairs.texts])
    told = call("evaluate", before, after, "-o", tmp_path / "found", "--json", "--sample", 2)
    assert told.code == 0, told.err
    assert json.loads((tmp_path / "found" / "results.json").read_text())["missing"] == 0
    assert (tmp_path / "found" / "report.html").exists()


# --- names in plots ---

NAMES = ["$x^", "a$b$c", "a_b", r"\frac{1}", "_hidden", "<b>&", "\ud800", "\x00\x1b", "姓名", "x" * 300, "%d {0}"]


ONE = Estimate(0.5, 0.4, 0.6, 10)


def shown(name: str, picture: str) -> bool:
    """Whether ``picture`` shows the beginning of ``name`` as it is written, but for what nobody can print."""
    parts = "".join(part for part in re.split(r"[\x00-\x1f\ud800-\udfff]", name[:39]) if part)
    picture.encode()
    return parts.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") in picture


def test_a_plot_takes_any_names() -> None:
    pictures = [
        plots.bars(NAMES, [ONE] * len(NAMES), line=0.3, line_name="x"),
        plots.signed(NAMES, [ONE] * len(NAMES)),
        plots.frontier([(name, [plots.Spot(ONE, ONE, "x")]) for name in NAMES], [], "x", "y"),
        plots.frontier([("x", [plots.Spot(ONE, ONE, name) for name in NAMES])], [], "x", "y"),
        plots.frontier([], [plots.Spot(ONE, ONE, name) for name in NAMES], "x", "y"),
    ]
    unread = [(name, number) for number, picture in enumerate(pictures) for name in NAMES if not shown(name, picture)]
    assert not unread, "a name is read as something else"


@pytest.mark.parametrize("name", NAMES)
def test_an_axis_and_a_line_take_any_name(name: str) -> None:
    assert shown(name, plots.curve([0, 1], [ONE, ONE], name, name))
    assert shown(name, plots.histogram([0.0, 1.0], [1, 2], name, name))
    assert shown(name, plots.frontier([("x", [plots.Spot(ONE, ONE, "x")])], [], name, name))
    assert shown(name, plots.bars(["b"], [ONE], line=0.3, line_name=name))


# --- what is no file ---


@pytest.fixture
def alarm() -> Iterator[None]:
    """Let a wait that would be for ever fail after half a minute."""

    def waited(*_: object) -> None:
        raise AssertionError("it waits for a pipe")

    before = signal.signal(signal.SIGALRM, waited)
    signal.alarm(30)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("alarm")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    pipe, source = tmp_path / "pipe", write_jsonl(tmp_path / "in.jsonl", [{"text": PRIVATE}])
    os.mkfifo(pipe)
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "folder" / "a.txt")
    write_key(tmp_path / "key")
    beside = ("--map", pipe, "--map-key", tmp_path / "key")
    for asked in (
        redact(tmp_path, tmp_path / "pipe.jsonl"),
        redact(tmp_path, tmp_path / "folder", "out"),
        (*redact(tmp_path, source)[:-1], f"list:{pipe}"),
        ("restore", source, "-o", tmp_path / "back", *beside),
        ("evaluate", source, tmp_path / "pipe.jsonl", "-o", tmp_path / "found"),
        ("compare", pipe),
    ):
        assert "not a regular file" in sentence(call(*asked)), asked
    told = redact(tmp_path, tmp_path / "folder", "out", "--on-error", "quarantine")
    assert call(*told).code == 5  # the only file is set aside


def test_a_path_that_is_none(tmp_path: Path) -> None:
    source, loop = write_jsonl(tmp_path / "in.jsonl", [{"text": PRIVATE}]), tmp_path / "loop.jsonl"
    loop.symlink_to(loop.name)
    long = "x" * 300
    for asked in (
        redact(tmp_path, loop), redact(tmp_path, f"{long}.jsonl"), redact(tmp_path, "x/" * 3000 + "a.jsonl"),
        ("evaluate", source, source, "-o", tmp_path / long), ("key", tmp_path / long),
        ("restore", source, "-o", tmp_path / long, "--map", source, "--map-key", source),
        (*redact(tmp_path, source)[:-1], f"list:{long}"),
    ):  # fmt: skip
        sentence(call(*asked))


@pytest.mark.parametrize("output", ["", ".", "..", "/"])
def test_an_output_that_is_no_name(tmp_path: Path, output: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text(PRIVATE)
    asked = redact(tmp_path, "in")
    for more in ((), ("--force",)):
        told = call(*("" if one == tmp_path / "out.jsonl" else one for one in asked[:3]), output, *asked[4:], *more)
        sentence(told)
    assert (tmp_path / "in" / "a.txt").exists()


def test_parts_that_are_none(tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "in.jsonl", [{"text": PRIVATE}])
    (tmp_path / ".out.jsonl.parts").mkdir()
    (tmp_path / ".out.jsonl.parts" / "manifest.json").write_text("{")
    assert "another run" in sentence(call(*redact(tmp_path, source, "out.jsonl", "--resume")))
    assert call(*redact(tmp_path, source)).code == 0


# --- formats ---


@pytest.mark.parametrize("ending", ["txt", "jsonl", "csv", "tsv", "parquet"])
def test_an_empty_file_is_no_gzip_file(tmp_path: Path, ending: str) -> None:
    """Of a file of no bytes gzip makes a text of no letters; it is one whose copying failed."""
    (tmp_path / f"in.{ending}.gz").touch()
    told = sentence(call(*redact(tmp_path, tmp_path / f"in.{ending}.gz", f"out.{ending}")))
    assert "not a complete" in told


@pytest.mark.parametrize("quoting", [(), ("--quoting", "none")])
@pytest.mark.parametrize(
    "content", [f"id,text\r1,{PRIVATE}\r2,b\r", f"id,text\r\n1,{PRIVATE}\r2,b\r\n", f"text,id\r{PRIVATE},1\n"]
)
def test_lines_that_end_with_carriage_returns_alone(tmp_path: Path, content: str, quoting: tuple[str, ...]) -> None:
    source = tmp_path / "in.csv"
    source.write_bytes(content.encode())
    told = call(*redact(tmp_path, source, "out.csv", *quoting))
    if quoting and "\r\n" in content:  # there it is a sign in a cell
        assert "cells and the header" in sentence(told)
        return
    assert "a carriage return stands alone" in sentence(told)


def test_names_of_columns_are_withheld_alike(tmp_path: Path) -> None:
    """The first row of a table without a header is private, in Parquet as in CSV."""
    columns = {PRIVATE: ["a"], "note": ["b"]}
    pq.write_table(pa.table(columns), tmp_path / "in.parquet")
    (tmp_path / "in.csv").write_text(f"{PRIVATE},note\na,b\n")
    told = [sentence(call(*redact(tmp_path, tmp_path / f"in.{kind}", f"out.{kind}"))) for kind in ("parquet", "csv")]
    assert told[0].replace("in.parquet", "in.csv") == told[1]
    assert "'note'" in told[0]
    pq.write_table(pa.table({"text": [{PRIVATE: "a"}]}), tmp_path / "in.parquet")
    assert "is struct, not string" in sentence(call(*redact(tmp_path, tmp_path / "in.parquet", "out.parquet")))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("in.jsonl", f'{{"text": "{PRIVATE}"}}\nbroken {PRIVATE}\n'), ("in.csv", f'id,text\n1,"{PRIVATE}\n'),
        ("in.tsv", f'id\ttext\n1\t{PRIVATE}\t"x"\n'), ("in.txt", b"\xff"),
    ],
)  # fmt: skip
def test_an_evaluation_advises_nothing_that_it_lacks(tmp_path: Path, name: str, content: str | bytes) -> None:
    source = tmp_path / name
    source.write_bytes(content if isinstance(content, bytes) else content.encode())
    told = sentence(call("evaluate", source, source, "-o", tmp_path / "found"))
    help = call("evaluate", "--help").out
    for option in re.findall(r"--[a-z-]+", told):
        assert option in help
    assert "quoting" not in told
    with pytest.raises(InputError) as raised:
        list(open_source(source, FileOptions()).chunks())
    if name != "in.txt":
        assert re.search("quarantine|quoting", str(raised.value)), "the advice is gone where it can be followed"


# --- who may read what ---


@pytest.mark.models
def test_what_holds_text_of_records_is_its_owners(tmp_path: Path) -> None:
    records = [{"id": str(n), "text": f"{PRIVATE} phoned {n} times."} for n in range(4)]
    before, after = write_jsonl(tmp_path / "in.jsonl", records), write_jsonl(tmp_path / "out.jsonl", records)
    old = os.umask(0)
    try:
        for more, mode in ((("--show-text",), 0o600), ((), 0o666)):
            asked = ("evaluate", before, after, "-o", tmp_path / "found", "--attacks", "", "--metrics", "surface")
            assert call(*asked, *more).code == 0
            assert stat.S_IMODE((tmp_path / "found" / "report.html").stat().st_mode) == mode
        plan = tmp_path / "plan.toml"
        plan.write_text(
            f'seeds = [1]\n[input]\nfile = "{before}"\n[evaluate]\nattacks = []\nmetrics = ["surface"]\n'
            '[[method]]\nmechanism = "redaction"\ndetect = "words"\n'
        )
        told = call("compare", plan, "-o", tmp_path / "compared")
        releases = tmp_path / "compared" / "releases"
        assert releases.is_dir(), told
    finally:
        os.umask(old)
    assert stat.S_IMODE(releases.stat().st_mode) == 0o700
    made = [path for path in releases.iterdir() if path.suffix == ".jsonl"]
    assert made
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in made)
