"""One callable for all engines: a table in, its release out, and no second draw of a text."""

from __future__ import annotations

import copy
import os
import pickle
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato
from command_line import CANARY, write_key, write_vectors
from sfumato.batch import Sanitize
from sfumato.errors import ConfigurationError, InputError, OutputError, SfumatoError
from sfumato.privacy.randomness import PinnedRandomness
from worker_calls import called_in_a_worker

KEY = bytes(range(32))


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Sanitize]:
    vectors = write_vectors(tmp_path)

    def made(epsilon: float = 4.0, **more: Any) -> Sanitize:
        given = {"detect": "words", "vocabulary": vectors, "pin": KEY, "id_field": "id", **more}
        return Sanitize("santext", epsilon, **given)

    return made


def notes(count: int = 5, first: int = 0) -> pa.Table:
    rows = range(first, first + count)
    return pa.table(
        {
            "id": pa.array([f"r{n}" for n in rows], pa.string()),
            "text": pa.array(["cat dog river"[: 3 + 4 * (n % 3)] for n in rows], pa.string()),
            "ward": pa.array([CANARY for _ in rows], pa.string()),
        }
    )


def test_a_table_becomes_what_a_file_of_it_becomes(tmp_path: Path, make: Callable[..., Sanitize]) -> None:
    pq.write_table(notes(), tmp_path / "in.parquet")
    sfumato.sanitize_file(
        "santext", tmp_path / "in.parquet", tmp_path / "out.parquet", 4.0, id_field="id", keep=("ward",),
        randomness=PinnedRandomness(KEY), detect="words", vocabulary=tmp_path / "words.vec.txt",
    )  # fmt: skip
    assert make(keep=["ward"])(notes()).equals(pq.read_table(tmp_path / "out.parquet"))


def test_only_what_is_named_stays(make: Callable[..., Sanitize]) -> None:
    table = notes().replace_schema_metadata({"pandas": CANARY})
    assert make()(table).column_names == ["id", "text"]
    assert CANARY not in str(make()(table).schema)
    assert make(keep=["ward"])(table).column_names == ["id", "text", "ward"]
    with pytest.raises(ConfigurationError, match="no field 'wrad'"):
        make(keep=["wrad"])(table)
    with pytest.raises(ConfigurationError, match="keep must be a list, each text, not str"):
        make(keep="ward")


def test_how_a_table_is_cut_does_not_show(make: Callable[..., Sanitize]) -> None:
    sanitize, whole = make(), notes(9)
    expected = sanitize(whole)
    assert pa.concat_tables([sanitize(whole.slice(0, 2)), sanitize(whole.slice(2))]).equals(expected)
    batches = list(sanitize.batches(whole.to_batches(max_chunksize=4)))
    assert pa.Table.from_batches(batches).equals(expected)
    assert sanitize(whole.slice(0, 0)).schema == expected.schema == sanitize.schema(whole.schema)
    assert sanitize.schema(whole.schema).names == ["id", "text"]


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[ProcessPoolExecutor]:
    """Another process, which began with nothing of this one."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        yield pool


def test_a_copy_in_another_process_gives_the_same_bytes(
    make: Callable[..., Sanitize], elsewhere: ProcessPoolExecutor
) -> None:
    sanitize = make()
    assert elsewhere.submit(sanitize, notes()).result().equals(sanitize(notes()))
    assert pickle.loads(pickle.dumps(sanitize))(notes()).equals(sanitize(notes()))


def test_it_is_built_once_in_a_process(make: Callable[..., Sanitize], monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[int] = []

    def noted(*given: Any, **more: Any) -> Any:
        built.append(1)
        return sfumato.build(*given, **more)

    monkeypatch.setattr("sfumato.batch.worker_sanitizer.build", noted)
    sanitize = make(pin=bytes(range(1, 33)))
    for _ in range(3):
        pickle.loads(pickle.dumps(sanitize))(notes())
    assert built == [1]
    make(pin=bytes(range(2, 34)))(notes())
    assert built == [1, 1]


def test_one_key_for_two_settings_shares_no_draw(make: Callable[..., Sanitize]) -> None:
    """Releases at two epsilons under one key agree as often as releases under two keys."""
    table = notes(600)

    def words(sanitize: Sanitize) -> list[str]:
        return " ".join(sanitize(table).column("text").to_pylist()).split()

    one, more, apart = words(make(0.5)), words(make(0.51)), words(make(0.51, pin=bytes(range(9, 41))))
    same = sum(a == b for a, b in zip(one, more, strict=True)) / len(one)
    independent = sum(a == b for a, b in zip(one, apart, strict=True)) / len(one)
    assert abs(same - independent) < 0.06
    assert same < 0.5  # were uniforms shared, nearly all words would agree


# --- keys ---


def test_without_a_key_it_stays_in_its_process(make: Callable[..., Sanitize], elsewhere: ProcessPoolExecutor) -> None:
    free = make(pin=None)
    assert free(notes()).num_rows == 5
    for way in (pickle.dumps, copy.copy):
        with pytest.raises(ConfigurationError, match="second draw of the same text"):
            way(free)
    options = {**free.options, "id_field": "id"}
    with pytest.raises(ConfigurationError, match="run key"):
        elsewhere.submit(called_in_a_worker, options, notes()).result()


def test_without_a_key_a_forked_process_cannot_call_it(
    make: Callable[..., Sanitize], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever engine forked it: no list of engines is asked."""
    free = make(pin=None)
    free(notes())
    monkeypatch.setattr("sfumato.batch.parent_process", lambda: None)
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            free(notes())
            os.write(writing, b"drawn")
        except ConfigurationError as error:
            os.write(writing, str(error).encode())
        finally:
            os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading, "rb") as said:
        assert b"second draw of the same text" in said.read()


def test_a_task_of_dask_needs_a_key(make: Callable[..., Sanitize], monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere() -> None:
        raise ValueError("No worker found")

    free = make(pin=None)
    monkeypatch.setitem(sys.modules, "distributed.worker", SimpleNamespace(get_worker=nowhere))
    free(notes())
    monkeypatch.setitem(sys.modules, "distributed.worker", SimpleNamespace(get_worker=object))
    with pytest.raises(ConfigurationError, match="second draw of the same text"):
        free(notes())
    make()(notes())


def test_a_key_needs_ids_and_is_not_shown(tmp_path: Path, make: Callable[..., Sanitize]) -> None:
    with pytest.raises(ConfigurationError, match="needs id_field"):
        make(id_field=None)
    assert str(KEY) not in repr(make())
    path = tmp_path / "run.key"
    write_key(path, KEY)
    by_file = make(pin=path)
    assert KEY not in pickle.dumps(by_file)  # the secret stays in its file
    assert by_file(notes()).equals(make()(notes()))
    write_key(path, b"short")
    with pytest.raises(ConfigurationError, match="at least 32 random bytes"):
        make(pin=str(path), lower=False)(notes())
    with pytest.raises(ConfigurationError, match=r"other\.key cannot be read on this machine"):
        make(pin=tmp_path / "other.key")(notes())


# --- bad input ---


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (notes().drop_columns("text"), "no column 'text'"),
        (notes().set_column(1, "text", pa.array(range(5))), "'text' is int64, not string"),
        (pa.concat_tables([notes(2), notes(2)]), "row 3: the value of the id field 'id' was used"),
        (notes().set_column(0, "id", pa.nulls(5, pa.string())), "row 1: the id field 'id' is neither"),
        ({"text": ["cat"]}, "batch_format"),
    ],
)
def test_what_cannot_be_read_is_named_without_content(make: Callable[..., Sanitize], table: Any, said: str) -> None:
    with pytest.raises(SfumatoError, match=said) as error:
        make()(table)
    assert CANARY not in str(error.value)
    assert "r0" not in str(error.value)


def test_bytes_that_are_no_text_are_refused(make: Callable[..., Sanitize]) -> None:
    broken = pa.array([b"cat", CANARY.encode() + b"\xff"]).view(pa.string())
    with pytest.raises(InputError, match="row 2: the column 'text' is not valid UTF-8") as error:
        make()(pa.table({"id": ["a", "b"], "text": broken}))
    assert CANARY not in str(error.value)


def test_a_foreign_error_says_its_place_alone(make: Callable[..., Sanitize], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise ValueError(CANARY)

    monkeypatch.setattr("sfumato.batch.worker_sanitizer.WorkerSanitizer.released", fail)
    with pytest.raises(OutputError, match=r"ValueError at test_sanitize\.py") as error:
        make()(notes())
    assert CANARY not in str(error.value)
    assert error.value.__context__ is None


def test_null_texts_stay_null(make: Callable[..., Sanitize]) -> None:
    table = pa.table({"id": ["a", "b"], "text": pa.array([None, "cat"], pa.string())})
    assert [text is None for text in make()(table).column("text").to_pylist()] == [True, False]


# --- the statement ---


def test_the_statement_counts_what_is_in_the_output(make: Callable[..., Sanitize]) -> None:
    sanitize = make(draws_field="draws")
    released = [sanitize(notes(4)), sanitize(notes(3, first=4))]
    stated = sanitize.statement(released)
    assert stated["records"]["count"] == 7
    assert stated["records"]["draws_per_record"]["total"] == sum([1, 2, 3, 1, 2, 3, 1])
    assert stated["randomness"].startswith("pinned")
    assert "the other fields of a record that are named (none), its id" in " ".join(stated["visible"])
    assert released[0].schema == sanitize.schema(notes().schema)
    with pytest.raises(ConfigurationError, match="draws_field"):
        sanitize.statement([make()(notes())])
    with pytest.raises(ConfigurationError, match="there already"):
        make(draws_field="text")(notes())
    assert make().statement()["records"]["count"] == 0


def test_a_policy_is_taken_with_its_fields_and_key(tmp_path: Path) -> None:
    write_key(tmp_path / "run.key", KEY)
    text = """
        [find]
        detect = ["words"]
        [[treat]]
        kinds = ["DATE"]
        mechanism = "shift"
        epsilon = 1.0
        [treat_others]
        method = "label"
        [fields]
        text = ["note"]
        id = "id"
        [randomness]
        pin = "run.key"
    """
    (tmp_path / "mine.toml").write_text(text)
    policy = sfumato.Policy.load(tmp_path / "mine.toml")
    table = pa.table({"id": ["a"], "note": ["cat"], "text": [CANARY]})
    released = Sanitize(policy, draws_field="draws")(table)
    assert released.column_names == ["id", "note", "draws"]
    assert released.column("note").to_pylist() != ["cat"]
    assert Sanitize(policy, draws_field="draws").statement([released])["treatments"]
    pickle.dumps(Sanitize(policy))  # by the key that the policy names
    with pytest.raises(ConfigurationError, match="has its epsilons"):
        Sanitize(policy, 3.0)


def test_the_name_of_a_policy_is_met_with_how_it_is_opened() -> None:
    with pytest.raises(ConfigurationError, match=r'Policy\.load\("clinical"\)'):
        Sanitize("clinical", id_field="id")


def test_an_error_of_a_table_brings_along_no_other_that_may_quote_it(
    make: Callable[..., Sanitize], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> object:
        try:
            raise ValueError(CANARY)
        except ValueError:
            raise InputError("a record cannot be read.", 0)  # noqa: B904

    monkeypatch.setattr("sfumato.batch.worker_sanitizer.WorkerSanitizer.released", broken)
    with pytest.raises(InputError) as caught:
        make()(notes())
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None
