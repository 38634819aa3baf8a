"""Whole runs over every kind of file: all words are exchanged, everything else comes back byte for byte."""

from __future__ import annotations

import csv
import gzip
import json
import pickle
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato
from command_line import CANARY, WORDS, call, vectors_of, write_vectors

TEXTS = (
    f"The cat saw {CANARY}; it was raining.",
    "",
    '  two  spaces, "quotes", a, comma\tand a tab  ',
    "naïve café — ✓ 3.14 £5",
    "Line one.\nLine two: cat's dog.",
)
FLAT = tuple(text.replace("\n", " ").replace("\t", " ") for text in TEXTS)


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    return write_vectors(tmp_path)


def _text(path: Path) -> None:
    path.write_bytes(TEXTS[4].encode())


def _lines(path: Path) -> None:
    path.write_bytes(b"\xef\xbb\xbf" + "\r\n".join(FLAT).encode())


def _folder(path: Path) -> None:
    (path / "deep").mkdir(parents=True)
    for number, text in enumerate(TEXTS):
        name = f"deep/{number}.txt" if number % 2 else f"{number}.txt"
        (path / name).write_bytes(text.encode())
    (path / "notes.dat").write_text(CANARY)


def _jsonl(path: Path) -> None:
    rows = [{"n": n, "text": text, "other": [1.0, {"a": None}]} for n, text in enumerate(TEXTS)]
    body = "\n".join(json.dumps(row, ensure_ascii=bool(row["n"] % 2)) for row in rows) + '\n\n {"text" : "x"} \n'
    path.write_bytes(body.encode())


def _csv(path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\r\n")
        writer.writerows([("n", "text", "note"), *((n, text, 'kept, "so"') for n, text in enumerate(TEXTS))])


def _tsv(path: Path) -> None:
    path.write_bytes(b"text\tlabel\n" + "".join(f'{text}\t"{n}\n' for n, text in enumerate(FLAT)).encode())


def _parquet(path: Path) -> None:
    columns = {"text": list(TEXTS), "n": pa.array(range(len(TEXTS)), pa.int8()), "tags": [["a"], [], None, ["b"], []]}
    pq.write_table(pa.table(columns), path, compression="zstd")


def _unpacked(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def _whole(path: Path) -> list[str]:
    return [_unpacked(path).decode()]


def _files(path: Path) -> list[str]:
    found = sorted(one for one in path.rglob("*") if one.is_file())
    return [f"{one.relative_to(path).as_posix()!r}: {one.read_bytes().decode()}" for one in found]


def _fields(path: Path) -> list[str]:
    rows = [json.loads(line) for line in _unpacked(path).decode().splitlines() if line.strip()]
    return [row["text"] for row in rows]


KINDS: dict[str, tuple[Callable[[Path], None], tuple[str, ...], int]] = {
    "in.txt": (_text, (), 1),
    "lines.txt": (_lines, ("--lines",), len(FLAT)),
    "in.jsonl": (_jsonl, (), len(TEXTS) + 1),
    "in.csv": (_csv, (), len(TEXTS)),
    "in.tsv": (_tsv, (), len(FLAT)),
    "in.parquet": (_parquet, (), len(TEXTS)),
    "in": (_folder, (), len(TEXTS)),
}


def check_text(private: str, released: str) -> int:
    """Every word became a token of the vocabulary, everything between words stayed; returns how many words."""
    word = r"[^\W_](?:[\w'’]*[^\W_])?"
    assert re.sub(word, "#", released) == re.sub(word, "#", private)
    found = re.findall(word, released)
    assert {one.lower() for one in found} <= set(WORDS)
    return len(found)


@pytest.mark.parametrize("zipped", [False, True], ids=["plain", "gz"])
@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_file(tmp_path: Path, vectors: Path, name: str, zipped: bool) -> None:
    if zipped and name == "in":
        pytest.skip("a folder is not zipped")
    write, more, records = KINDS[name]
    source = tmp_path / name
    write(source)
    if zipped:
        packed = tmp_path / f"{name}.gz"
        packed.write_bytes(gzip.compress(source.read_bytes()))
        source.unlink()
        source = packed
    output = tmp_path / f"out_{source.name}"
    told = call(
        "sanitize", source, "-o", output, "-m", "santext", "-e", 3, "--set", f"vocabulary={vectors}", "--json", *more
    ).json
    assert told["privacy"]["records"]["count"] == records
    total = told["privacy"]["records"]["draws_per_record"]["total"]
    assert COMPARE[name.rpartition(".")[2]](source, output) == total
    assert CANARY.lower().encode() not in (b"" if name == "in" else _unpacked(output).lower())


def _compare_whole(source: Path, output: Path) -> int:
    (private,), (released,) = _whole(source), _whole(output)
    return check_text(private, released)


def _compare_jsonl(source: Path, output: Path) -> int:
    frames = [re.sub(r'("text" ?: )"(?:[^"\\]|\\.)*"', r"\1@", _whole(path)[0]) for path in (source, output)]
    assert frames[0] == frames[1]
    return sum(map(check_text, _fields(source), _fields(output)))


def _compare_csv(source: Path, output: Path) -> int:
    tables = []
    for path in (source, output):
        tables.append(list(csv.DictReader(_unpacked(path).decode().splitlines(keepends=True))))
    for private, released in zip(*tables, strict=True):
        assert {**private, "text": ""} == {**released, "text": ""}
    return sum(check_text(a["text"], b["text"]) for a, b in zip(*tables, strict=True))


def _compare_tsv(source: Path, output: Path) -> int:
    rows = [[line.split("\t") for line in _unpacked(path).decode().split("\n")] for path in (source, output)]
    assert [row[1:] for row in rows[0]] == [row[1:] for row in rows[1]]
    assert rows[0][0] == rows[1][0]
    return sum(check_text(a[0], b[0]) for a, b in zip(rows[0][1:], rows[1][1:], strict=True))


def _compare_parquet(source: Path, output: Path) -> int:
    tables = [pq.read_table(pa.BufferReader(_unpacked(path))) for path in (source, output)]
    assert tables[0].schema == tables[1].schema
    assert tables[0].drop_columns(["text"]) == tables[1].drop_columns(["text"])
    columns = [table.column("text").to_pylist() for table in tables]
    return sum(map(check_text, *columns))


def _compare_folder(source: Path, output: Path) -> int:
    names = sorted(path.relative_to(source) for path in source.rglob("*.txt"))
    assert sorted(path.relative_to(output) for path in output.rglob("*") if path.is_file()) == names
    return sum(check_text((source / n).read_bytes().decode(), (output / n).read_bytes().decode()) for n in names)


COMPARE: dict[str, Callable[[Path, Path], int]] = {
    "txt": _compare_whole,
    "jsonl": _compare_jsonl,
    "csv": _compare_csv,
    "tsv": _compare_tsv,
    "parquet": _compare_parquet,
    "in": _compare_folder,
}


def test_several_fields_and_ids(tmp_path: Path, vectors: Path) -> None:
    source, output = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text('{"id": "p7", "title": "one two", "age": 81, "body": "three"}\n')
    told = call(
        "sanitize", source, "-o", output, "-m", "santext", "-e", 3, "--set", f"vocabulary={vectors}",
        "--field", "title", "--field", "body", "--id-field", "id", "--json",
    ).json  # fmt: skip
    record = json.loads(output.read_text())
    assert (record["id"], record["age"]) == ("p7", 81)
    assert check_text("one two", record["title"]) + check_text("three", record["body"]) == 3
    assert told["privacy"]["records"]["draws_per_record"] == {"minimum": 3, "median": 3, "maximum": 3, "total": 3}


@pytest.mark.parametrize(
    ("mechanism", "more"),
    [
        ("santext", ()),
        ("santext+", ("--set", "sensitive_share=0.9", "--set", "replace_probability=1")),
        ("custext", ("--set", "set_size=5")),
        ("custext+", ("--set", "set_size=5")),
        ("clusant", ("--set", "k=4", "--set", "clusters=5")),
        ("fbdd", ()),
        ("mahalanobis", ()),
        ("vickrey", ()),
        ("tem", ()),
    ],
)
def test_every_mechanism_through_the_command(
    tmp_path: Path, vectors: Path, mechanism: str, more: tuple[str, ...]
) -> None:
    """What comes out of a file is drawn from the law that `explain` shows for the word that went in."""
    source, output = tmp_path / "in.txt", tmp_path / "out.txt"
    count = 6_000
    source.write_text("river\n" * count)
    options = ("-m", mechanism, "--set", f"vocabulary={vectors}", *more)
    told = call("sanitize", source, "-o", output, "--lines", *options, "-e", 3, "--json").json
    assert told["privacy"]["mechanism"] == mechanism
    assert told["privacy"]["certificate"]["certified"] <= 3.0
    drawn = Counter(output.read_text().lower().split())

    def apart(epsilon: float) -> float:
        """Total variation distance between what was drawn and the law at ``epsilon``."""
        shown = call("explain", *options, "-e", epsilon, "--token", "river", "--all", "--json").json
        law = {row["token"]: row["probability"] for row in shown["law"]}
        assert set(drawn) <= set(law) or shown["law_kind"] != "exact"
        return 0.5 * sum(abs(drawn[token] / count - law.get(token, 0.0)) for token in set(law) | set(drawn))

    # Samples of 6,000 and 20,000 over 20 outcomes differ by some 0.03.
    assert apart(3) < 0.06
    assert apart(3 * 1.6) > 0.06
    assert apart(3 * 0.4) > 0.06


def test_the_exact_calibration_keeps_words_nearer(tmp_path: Path) -> None:
    """At one certified epsilon the expected distance of the replacement is smaller than at the paper's scale."""
    path = write_vectors(tmp_path, [f"w{n}" for n in range(60)])
    tokens, points = vectors_of(path)
    place = {token: number for number, token in enumerate(tokens)}
    expected = {}
    for calibration in ("exact", "paper"):
        options = (
            "-m",
            "santext",
            "-e",
            3,
            "--set",
            f"vocabulary={path}",
            "--set",
            f"calibration={calibration}",
            "--json",
        )
        law = call("explain", *options, "--token", "w7", "--all").json["law"]
        expected[calibration] = sum(
            row["probability"] * float(np.linalg.norm(points[place[row["token"]]] - points[7])) for row in law
        )
    assert expected["exact"] < 0.9 * expected["paper"]


def test_the_library_does_what_the_command_does(tmp_path: Path, vectors: Path) -> None:
    """The same seed gives the same text, also from a pickled sanitizer."""
    source, output = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS))
    asked = ("sanitize", source, "-o", output, "-m", "santext", "-e", 3, "--set", f"vocabulary={vectors}")
    assert call(*asked, "--seed", 11).code == 0
    sanitizer: Any = sfumato.build("santext", 3.0, vocabulary=str(vectors))
    documents = [
        sfumato.Document(text, str(number), origin=("text", str(number))) for number, text in enumerate(TEXTS)
    ]
    for one in (sanitizer, pickle.loads(pickle.dumps(sanitizer))):
        releases = one.sanitize_batch(documents, sfumato.SeededRandomness(11))
        assert [release.text for release in releases] == _fields(output)


@pytest.mark.models
def test_entities_through_the_command(tmp_path: Path, vectors: Path) -> None:
    source, output = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_text("Yesterday Barack Obama flew from Paris to Berlin with a small red suitcase.")
    told = call(
        "sanitize", source, "-o", output, "-m", "santext", "-e", 3, "--set", f"vocabulary={vectors}",
        "--detect", "entities",
        "--json",
    ).json  # fmt: skip
    released = output.read_text()
    assert not re.search("Obama|Paris|Berlin", released)
    assert released.endswith("with a small red suitcase.")
    assert "misse" in told["privacy"]["detector"]["leaves_unprotected"]
