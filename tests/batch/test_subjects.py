"""People in tables: one draw of a value for a person, and what a person pays, as for files."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato
from command_line import CANARY, write_vectors
from policies import policy_of_people
from scripted_models import ScriptedMasked
from sfumato.batch import Sanitize
from sfumato.batch.worker_sanitizer import Columns, Drawn, WorkerSanitizer
from sfumato.errors import ConfigurationError, InputError
from sfumato.files import FileOptions
from sfumato.privacy.randomness import PinnedRandomness, SystemRandomness
from sfumato.run.checks import suiting

KEY = bytes(range(32))


def of_people(count: int = 40) -> pa.Table:
    """Notes of four people, one of whom has a name in two spellings of its accents."""
    names = [CANARY, "Åse", "A\u030ase", " b "]
    return pa.table(
        {
            "id": [f"r{number}" for number in range(count)],
            "text": [
                "cat dog river stone"[: 3 + 4 * (number % 3)] if number % 9 else None for number in range(count)
            ],
            "who": [names[number % 4] if number % 9 else None for number in range(count)],
        }
    )


def dated(count: int = 40) -> pa.Table:
    """Notes with a date each: the same one of each of four people."""
    days = [f"2021-0{1 + number % 4}-17" for number in range(count)]
    spans = [[{"start": 5, "end": 15, "label": "DATE"}]] * count
    rows = {"id": [f"r{number}" for number in range(count)], "text": [f"Seen {day}." for day in days]}
    return pa.table({**rows, "who": [f"p{number % 4}" for number in range(count)], "spans": spans})


def policy(folder: Path, scope: str = "subject", detect: str = "given") -> sfumato.Policy:
    return policy_of_people(folder, detect, "geometric", 0.01, scope)


def written(sanitize: Sanitize, table: pa.Table) -> dict[str, set[str]]:
    """What the notes of each person became, over calls with a few rows each."""
    parts = [sanitize(table.slice(first, 7)) for first in range(0, table.num_rows, 7)]
    texts = pa.concat_tables(parts).column("text").to_pylist()
    found: dict[str, set[str]] = {}
    for person, text in zip(table.column("who").to_pylist(), texts, strict=True):
        found.setdefault(person, set()).add(text)
    return found


@pytest.mark.parametrize("pin", [KEY, None])
def test_a_value_is_drawn_once_for_a_person_over_all_tables(tmp_path: Path, pin: bytes | None) -> None:
    of_person = written(Sanitize(policy(tmp_path), pin=pin), dated())
    assert [len(texts) for texts in of_person.values()] == [1, 1, 1, 1]
    of_record = written(Sanitize(policy(tmp_path, "record"), pin=pin), dated())
    assert min(len(texts) for texts in of_record.values()) > 1


def test_another_machine_draws_the_same_for_a_person(tmp_path: Path) -> None:
    sanitize = Sanitize(policy(tmp_path), pin=KEY, person_field="mark", draws_field="draws")
    copied = pickle.loads(pickle.dumps(sanitize))
    object.__setattr__(copied, "_mark", "built once more, as on another machine")
    assert copied(dated()).equals(sanitize(dated()))


def test_the_people_of_tables_pay_what_those_of_a_file_pay(tmp_path: Path) -> None:
    given: dict[str, Any] = {"detect": "words", "vocabulary": write_vectors(tmp_path), "id_field": "id"}
    table = of_people()
    pq.write_table(table, tmp_path / "in.parquet")
    filed = sfumato.sanitize_file(
        "santext", tmp_path / "in.parquet", tmp_path / "out.parquet", 4.0, keep=(), subject_field="who",
        randomness=PinnedRandomness(KEY), **given,
    )  # fmt: skip
    sanitize = Sanitize(
        "santext", 4.0, subject_field="who", person_field="mark", draws_field="draws", pin=KEY, **given
    )
    tables = [sanitize(table.slice(first, 7)) for first in range(0, table.num_rows, 7)]
    stated = sanitize.statement(tables)
    assert stated["people"] == filed.statement["people"]
    assert stated["people"]["count"] == 3
    assert tables[0].schema == sanitize.schema(table.schema)
    assert pa.concat_tables(tables).drop_columns(["mark", "draws"]).equals(pq.read_table(tmp_path / "out.parquet"))


def test_each_treatment_has_the_cost_of_a_person(tmp_path: Path) -> None:
    table = dated()
    pq.write_table(table, tmp_path / "in.parquet")
    filed = sfumato.sanitize_file(
        policy(tmp_path), tmp_path / "in.parquet", tmp_path / "out.parquet", randomness=PinnedRandomness(KEY)
    )
    sanitize = Sanitize(policy(tmp_path), person_field="mark", draws_field="draws", pin=KEY)
    stated = sanitize.statement([sanitize(table.slice(0, 9)), sanitize(table.slice(9))])
    assert stated["people"] == filed.statement["people"]
    costs = [row.get("cost_per_person") for row in stated["treatments"]]
    assert costs == [row.get("cost_per_person") for row in filed.statement["treatments"]]
    assert any(costs)


def test_where_a_text_has_a_budget_people_pay_by_texts() -> None:
    made = sfumato.build("dp-mlm", document_epsilon=9.0, clip=(-5.0, 0.0), model=ScriptedMasked())
    columns = Columns("draws", "mark")
    files = FileOptions(fields=("text", "more"), subject_field="who", keep=())
    table = pa.table({"text": ["One elm fell."] * 3, "more": ["Two elms.", "Two elms.", ""], "who": ["a", "a", "b"]})
    ready = WorkerSanitizer(made, SystemRandomness(), suiting(made, files), KEY)
    people = ready.statement(Drawn.of([ready.released(table, columns)], columns), columns)["people"]
    assert people["count"] == 2
    assert people["cost_per_person"]["maximum"]["documents"] == 4
    assert people["cost_per_person"]["maximum"]["epsilon"] == 36.0


def test_the_mark_of_a_person_hides_the_name_and_depends_on_the_key(tmp_path: Path) -> None:
    given: dict[str, Any] = {"detect": "words", "vocabulary": write_vectors(tmp_path), "id_field": "id"}
    given |= {"subject_field": "who", "person_field": "mark", "draws_field": "draws"}
    first, other = (Sanitize("santext", 4.0, pin=pin, **given) for pin in (KEY, bytes(range(1, 33))))
    marks = first(of_people()).column("mark").to_pylist()
    assert len(set(marks)) == 4  # three people, and nobody where there is no text
    assert marks[1] == marks[2]
    assert CANARY not in str(marks)
    assert not set(marks) & set(other(of_people()).column("mark").to_pylist()) - {None}
    lines = [line for line in first.statement()["visible"] if "'mark'" in line]
    assert lines == ["which records are about one person, unless the column 'mark' is removed"]


def test_what_cannot_be_about_people_is_refused(tmp_path: Path) -> None:
    given: dict[str, Any] = {"detect": "words", "vocabulary": write_vectors(tmp_path), "id_field": "id"}
    with pytest.raises(ConfigurationError, match=r"person_field.*subject_field"):
        Sanitize("santext", 4.0, person_field="mark", draws_field="draws", **given)
    with pytest.raises(ConfigurationError, match=r"person_field.*draws_field"):
        Sanitize("santext", 4.0, person_field="mark", subject_field="who", **given)
    with pytest.raises(ConfigurationError, match="two columns"):
        Sanitize("santext", 4.0, person_field="mark", draws_field="mark", subject_field="who", **given)
    taken = Sanitize("santext", 4.0, person_field="text", draws_field="draws", subject_field="who", **given)
    with pytest.raises(ConfigurationError, match="there already"):
        taken(of_people())
    own = Sanitize("santext", 4.0, person_field="mark", draws_field="draws", subject_field="who", **given)
    with pytest.raises(ConfigurationError, match="person_field"):
        own.statement([own(of_people()).drop_columns(["mark"])])
    nobody = of_people().set_column(2, "who", pa.nulls(40, pa.string()))
    with pytest.raises(InputError, match="row 2: the field 'who', which names the person"):
        own(nobody)
    without = Sanitize("redaction", subject_field="who", detect="words", id_field="id", pin=KEY)
    with pytest.raises(ConfigurationError, match="no costs to add up over a person"):
        without(of_people())
