"""Costs added up over a person's records: exact, in bounded memory, without a name, refused where one is missing."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato
from command_line import call, write_jsonl, write_vectors
from releasing import release_file
from scripted_models import ScriptedMasked
from sfumato.engines.engine import Engine
from sfumato.errors import ConfigurationError, InputError
from sfumato.files.keyed_rows import check_people, rows_of, totals
from sfumato.files.options import FileOptions
from sfumato.privacy.composition import DELTA, delta_for
from sfumato.release import chunks
from sfumato.release.job import RunOptions
from sfumato.text.document import Document

NAME = "Zaphodperson"
OPTIONS = {"mechanism": "custext", "set_size": 5}


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    return write_vectors(tmp_path)


def people_of(count: int) -> list[dict[str, Any]]:
    """Records of 1 to 4 words of four people, one of whom has a number for a name and one a name beyond ASCII."""
    names = [NAME, "Åse Ødegård", 17, "b"]
    return [{"n": n, "who": names[n % 4 if n % 7 else 3], "text": "cat " * (1 + n % 4)} for n in range(count)]


def spent_by(records: list[dict[str, Any]]) -> list[int]:
    found: Counter[str] = Counter()
    for record in records:
        found[str(record["who"])] += len(record["text"].split())
    return sorted(found.values())


def released(source: Path, vectors: Path, **more: Any) -> dict[str, Any]:
    output = source.with_name(f"out{source.suffix}")
    found = sfumato.sanitize_file(
        "custext", source, output, 1.0, set_size=5, vocabulary=vectors, subject_field="who", overwrite=True, **more
    )
    return found.statement


@pytest.mark.parametrize("workers", [1, 2])
def test_the_totals_are_those_of_all_records_of_a_person(tmp_path: Path, vectors: Path, workers: int) -> None:
    records = people_of(60)
    source = write_jsonl(tmp_path / "in.jsonl", records)
    people = released(source, vectors, chunk_records=7, workers=workers)["people"]
    spent = spent_by(records)
    assert people["count"] == len(spent)
    assert people["cost_per_person"]["maximum"]["draws"] == spent[-1]
    assert people["cost_per_person"]["maximum"]["epsilon"] == float(spent[-1])
    assert people["cost_per_person"]["median"]["draws"] == spent[(len(spent) - 1) // 2]
    assert people["cost_per_person"]["maximum"]["epsilon_by_renyi"] < spent[-1]
    assert NAME not in json.dumps(people)
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_the_statement_says_that_the_totals_are_visible(tmp_path: Path, vectors: Path) -> None:
    source = write_jsonl(tmp_path / "in.jsonl", people_of(10))
    with_people = released(source, vectors)
    plain = sfumato.sanitize_file(
        "custext", source, tmp_path / "o.jsonl", 1.0, set_size=5, vocabulary=vectors
    ).statement
    assert [line for line in with_people["visible"] if line not in plain["visible"]] == [
        "how many people the records are about, and the largest and the median total of a person"
    ]
    assert "people" not in plain
    assert "this run" in with_people["people"]["adds_up"]


def test_other_formats_and_a_field_that_does_not_stay(tmp_path: Path, vectors: Path) -> None:
    records = people_of(12)
    table = tmp_path / "in.csv"
    table.write_text("n,who,text\n" + "".join(f"{r['n']},{r['who']},{r['text']}\n" for r in records), "utf-8")
    stated = released(table, vectors, keep=("n",))
    assert stated["people"]["cost_per_person"]["maximum"]["draws"] == spent_by(records)[-1]
    assert NAME not in table.with_name("out.csv").read_text("utf-8")
    columns = {name: [str(record[name]) for record in records] for name in ("who", "text")}
    pq.write_table(pa.table(columns), tmp_path / "in.parquet")
    stated = released(tmp_path / "in.parquet", vectors)
    assert stated["people"]["cost_per_person"]["maximum"]["draws"] == spent_by(records)[-1]


def test_a_resumed_run_counts_everybody_once(tmp_path: Path, vectors: Path) -> None:
    """The second record of the third chunk stops the run; it is corrected without changing the file's state."""
    records = people_of(30)
    source = write_jsonl(tmp_path / "in.jsonl", records)
    made = sfumato.build("custext", 1.0, set_size=5, vocabulary=vectors)
    options = RunOptions(FileOptions(chunk_records=5, subject_field="who"), resume=True)
    seen: list[int] = []

    def stop(done: int, total: int, count: int) -> None:
        seen.append(count)
        if len(seen) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        release_file(made, source, tmp_path / "out.jsonl", options, progress=stop)
    assert list((tmp_path / ".out.jsonl.parts").glob("*.people"))
    for path in (tmp_path / ".out.jsonl.parts").glob("*.people"):
        assert NAME.encode() not in path.read_bytes()
        assert path.stat().st_mode & 0o077 == 0
    stated = release_file(made, source, tmp_path / "out.jsonl", options).statement
    assert stated["people"]["cost_per_person"]["maximum"]["draws"] == spent_by(records)[-1]


@pytest.mark.parametrize("value", [None, "", "  ", True, 1.5, ["a"], {"a": 1}], ids=repr)
def test_a_record_that_names_nobody_is_refused_with_its_place(tmp_path: Path, vectors: Path, value: Any) -> None:
    records = [*people_of(3), {"n": 3, "who": value, "text": f"cat {NAME}"}]
    source = write_jsonl(tmp_path / "in.jsonl", records)
    with pytest.raises(InputError, match=r"in\.jsonl, line 4: the field 'who', which names the person") as caught:
        released(source, vectors)
    assert NAME not in str(caught.value)
    assert not (tmp_path / "out.jsonl").exists()
    stated = released(source, vectors, on_error="quarantine")
    assert stated["records"]["quarantined"] == 1
    assert stated["people"]["cost_per_person"]["maximum"]["draws"] == spent_by(records[:3])[-1]


def test_a_record_without_the_field_is_refused(tmp_path: Path, vectors: Path) -> None:
    with pytest.raises(InputError, match=r"line 1: the field 'who'"):
        released(write_jsonl(tmp_path / "in.jsonl", [{"text": "cat"}]), vectors)
    table = tmp_path / "in.csv"
    table.write_text("n,text\n1,cat\n", "utf-8")
    with pytest.raises(InputError, match="has no column 'who'"):
        released(table, vectors)
    table.write_text("who,who,text\na,b,cat\n", "utf-8")
    with pytest.raises(InputError, match="twice"):
        released(table, vectors)


def test_what_has_no_person_is_refused(tmp_path: Path, vectors: Path) -> None:
    for wrong in ("text", "", "spans"):
        with pytest.raises(ConfigurationError, match="field of its own"):
            FileOptions(subject_field=wrong, spans_field="spans")
    (tmp_path / "in.txt").write_text("cat", "utf-8")
    with pytest.raises(ConfigurationError, match="no fields"):
        released(tmp_path / "in.txt", vectors)
    source = write_jsonl(tmp_path / "in.jsonl", people_of(3))
    with pytest.raises(ConfigurationError, match="no costs to add up"):
        sfumato.sanitize_file("redaction", source, tmp_path / "o.jsonl", subject_field="who", detect="words")


def test_null_texts_belong_to_nobody(tmp_path: Path, vectors: Path) -> None:
    records = [{"who": "a", "text": None}, {"who": None, "text": None}, {"who": "b", "text": "cat dog"}]
    stated = released(write_jsonl(tmp_path / "in.jsonl", records), vectors)
    assert stated["people"]["count"] == 1
    assert stated["people"]["cost_per_person"]["maximum"]["draws"] == 2


def test_the_command_tells_the_largest_total(tmp_path: Path, vectors: Path) -> None:
    records = people_of(200)
    source = write_jsonl(tmp_path / "in.jsonl", records)
    asked = ("sanitize", source, "-m", "custext", "-e", 1, "--set", "set_size=5", "--set", f"vocabulary={vectors}")
    told = call(*asked, "-o", tmp_path / "a.jsonl", "--subject-field", "who").out
    most = spent_by(records)[-1]
    assert f"The largest total of 4 people: {most} draws, epsilon {most} (pure), or " in told
    assert "(not pure; independent draws)" in told
    assert "The largest record: 4 draws, epsilon 4.\n" in told
    assert "The largest record" not in call(*asked, "-o", tmp_path / "b.jsonl", "--seed", 1).out
    people = call(*asked, "-o", tmp_path / "c.jsonl", "--subject-field", "who", "--json").json["privacy"]["people"]
    assert people["cost_per_person"]["maximum"]["delta"] == DELTA


def test_documents_with_budgets_add_up_as_documents(tmp_path: Path) -> None:
    """A person pays the budget of each document with a draw; a price at δ charges each as the costliest one."""
    texts = ["one two three", "one", "...", "one two"]
    records = [{"who": "a" if n < 3 else "b", "text": text} for n, text in enumerate(texts)]
    source = write_jsonl(tmp_path / "in.jsonl", records)
    made = sfumato.build("dp-mlm", document_epsilon=9.0, model=ScriptedMasked(), clip=(-5.0, 0.0))
    options = RunOptions(FileOptions(subject_field="who"))
    stated = release_file(made, source, tmp_path / "out.jsonl", options).statement["people"]
    most = stated["cost_per_person"]["maximum"]
    assert (most["documents"], most["epsilon"]) == (2, 18.0)
    assert "draws" not in most
    assert isinstance(made, Engine)
    worst = made.cost_of_person(2, [1], 2)
    assert most["epsilon_by_renyi"] == worst.renyi  # a document of one draw spends its budget at once


def test_a_document_budget_composes_its_parts() -> None:
    made = sfumato.build("dp-mlm", document_epsilon=40.0, model=ScriptedMasked(), clip=(-5.0, 0.0))
    whole = sfumato.build("dp-mlm", 0.5, model=ScriptedMasked(), clip=(-5.0, 0.0))
    one, split, alike = made.cost(1), made.cost(80), whole.cost(80)
    assert (one.pure, split.pure, split.draws) == (40.0, 40.0, 80)
    assert split.renyi == pytest.approx(alike.renyi, rel=1e-9)
    assert split.approximate == pytest.approx(alike.approximate, rel=2e-3)
    assert split.smallest in ("zcdp", "renyi")
    assert one.renyi is not None
    assert split.renyi is not None
    assert split.renyi < 0.8 * one.renyi
    assert made.cost(0).pure == 0.0


def test_delta_falls_with_the_number_of_people() -> None:
    made = sfumato.build("dp-mlm", 0.5, model=ScriptedMasked(), clip=(-5.0, 0.0))
    many = made.cost_of_person(80, [4], 10**8)
    assert many.delta == delta_for(10**8) == pytest.approx(1e-9)


# --- the tally itself ---


def test_the_tally_does_not_depend_on_memory_or_chunks(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    people, spent = rng.integers(0, 200, size=1500), rng.integers(0, 40, size=1500)
    truth: Counter[int] = Counter()
    for person, amount in zip(people.tolist(), spent.tolist(), strict=True):
        truth[person] += amount
    expected = dict(sorted(Counter(truth.values()).items()))
    paths = []
    for number, part in enumerate(np.array_split(np.arange(1500), 13)):
        pairs = [(f"p{people[place]}", int(spent[place])) for place in part]
        paths.append(tmp_path / f"{number}.people")
        paths[-1].write_bytes(rows_of(pairs, "run"))
    paths.append(tmp_path / "empty.people")
    paths[-1].write_bytes(rows_of([], "run"))
    for at_once in (1, 30, 150, 1 << 20):
        assert totals(paths, at_once) == expected
    assert totals([]) == totals(paths[-1:]) == {}


def test_the_digests_of_two_runs_share_nothing() -> None:
    one, other = (rows_of([("a", 1), ("b", 2)], run) for run in ("run 1", "run 2"))
    assert len(one) == len(other) == 48
    assert not {one[:16], one[24:40]} & {other[:16], other[24:40]}


def test_one_name_is_one_person_however_its_accents_are_encoded(tmp_path: Path) -> None:
    composed, combining = "Ren\u00e9e", "Rene\u0301e"
    assert composed != combining
    rows = rows_of([(composed, 1), (combining, 2), (f" {composed} ", 3), ("renee", 4)], "run")
    path = tmp_path / "rows"
    path.write_bytes(rows)
    assert totals([path]) == {4: 1, 6: 1}


def test_the_digests_of_a_part_need_the_key_of_the_user(tmp_path: Path, vectors: Path) -> None:
    """What stands beside the parts, the name of the run, confirms no guess at a person."""
    seen: list[str] = []
    real = chunks.rows_of

    def noted(spent: Any, key: str) -> bytes:
        seen.append(key)
        return real(spent, key)

    chunks.rows_of = noted  # type: ignore[assignment]
    try:
        source = write_jsonl(tmp_path / "in.jsonl", [{"who": NAME, "text": "A cat saw the doctor."}])
        made = sfumato.build(OPTIONS["mechanism"], 1.0, vocabulary=vectors, set_size=5)
        options = RunOptions(FileOptions(subject_field="who"))
        statement = release_file(made, source, tmp_path / "out.jsonl", options).statement
    finally:
        chunks.rows_of = real
    [key] = set(seen)
    assert key != statement["release"]["run"]
    assert len(key) == 32


def test_a_check_names_the_document() -> None:
    documents = [Document("x", metadata={"who": "a"}), Document("y", metadata={})]
    with pytest.raises(InputError) as caught:
        check_people(documents, "who")
    assert caught.value.document == 1
