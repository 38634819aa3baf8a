"""Runs on Ray: the same bytes as here, whatever dies, and every shard counted once. Skipped without Ray."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato
from command_line import CANARY, WORDS, call, everything_below, write_key, write_vectors
from releasing import sanitize_file
from scripted_sanitizer import KILLER, DiesOnce, Echo, NumberedWords
from sfumato.batch import Sanitize
from sfumato.errors import ConfigurationError, OutputError
from sfumato.files import FileOptions
from sfumato.privacy.randomness import PinnedRandomness
from sfumato.release.job import RunOptions
from sfumato.release.on_ray import _sentence

ray = pytest.importorskip("ray", reason="the tests on Ray need the package ray: pip install 'sfumato[ray]'")
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.ray]

KEY = PinnedRandomness(bytes(range(32)))


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    """One cluster for all of these tests: it takes seconds to start."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    before = os.environ.get("PYTHONPATH", "")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parents[1] / "support"), before])  # of the actors
    try:
        ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
        yield
    finally:
        ray.shutdown()
        os.environ["PYTHONPATH"] = before


def write_shards(folder: Path, texts: dict[str, list[str]]) -> Path:
    folder.mkdir()
    for name, own in texts.items():
        ids = pa.array([f"{name}{number}" for number in range(len(own))], pa.string())
        pq.write_table(pa.table({"id": ids, "text": pa.array(own, pa.string())}), folder / f"{name}.parquet")
    return folder


def options(workers: int, engine: Any, **more: Any) -> RunOptions:
    return RunOptions(FileOptions(id_field="id"), workers, engine=engine, **more)


def test_the_bytes_are_the_same_although_an_actor_is_killed(tmp_path: Path) -> None:
    texts = {f"s{n}": [" ".join(WORDS[m % 20] for m in range(n, n + 6))] * (3 * n) for n in range(6)}
    texts["s4"][1] += f" {KILLER}"
    notes = write_shards(tmp_path / "notes", texts)
    inner = sfumato.build("santext", 4.0, detect="words", vocabulary=write_vectors(tmp_path))
    once = DiesOnce(inner, tmp_path / "died")
    one = sanitize_file(inner, notes, tmp_path / "one", options(1, "processes"), KEY)
    on_ray = sanitize_file(once, notes, tmp_path / "ray", options(2, "ray"), KEY)
    assert once.marker.exists()  # an actor did die
    assert everything_below(tmp_path / "one") == everything_below(tmp_path / "ray")
    assert on_ray.records == one.records == 3 * sum(range(6))
    assert on_ray.draws == one.draws


def test_what_no_actor_survives_is_named_and_the_rest_is_kept(tmp_path: Path) -> None:
    notes = write_shards(tmp_path / "notes", {"a": ["one two"], "b": [f"{CANARY} {KILLER}"], "c": ["three"]})
    deadly = DiesOnce(Echo(), tmp_path / "mended" / "marker")
    with pytest.raises(OutputError, match=r"b\.parquet: 3 actors died while they had it") as error:
        sanitize_file(deadly, notes, tmp_path / "out", options(1, "ray"), KEY)
    assert CANARY not in str(error.value)
    assert not (tmp_path / "out").exists()
    deadly.marker.parent.mkdir()
    deadly.marker.touch()
    (part,) = (tmp_path / ".out.parts").glob("00000000*.part")
    made = part.stat().st_mtime_ns
    kept: list[int] = []
    done = sanitize_file(
        deadly, notes, tmp_path / "out", options(1, "processes", resume=True), KEY,
        lambda *_: kept.append(part.stat().st_mtime_ns),
    )  # fmt: skip
    assert kept[0] == made  # what Ray had finished was not done again
    assert done.records == 3
    assert pq.read_table(tmp_path / "out" / "b.parquet").column("text").to_pylist() == [f"{CANARY} {KILLER}"]


def test_the_command_names_a_broken_shard_and_leaves_nothing(tmp_path: Path) -> None:
    notes = write_shards(tmp_path / "notes", {"a": ["cat"], "b": ["dog"]})
    whole = (notes / "b.parquet").read_bytes()
    (notes / "b.parquet").write_bytes(whole[: len(whole) // 2] + CANARY.encode())
    write_key(tmp_path / "run.key", KEY.key)
    method = ["-m", "santext", "-e", 4, "--detect", "words", "--set", f"vocabulary={write_vectors(tmp_path)}"]
    keyed = ["--id-field", "id", "--pin", tmp_path / "run.key", "--engine", "ray"]
    done = call("sanitize", notes, "-o", tmp_path / "out", *method, *keyed)
    assert done.code == 2
    assert "b.parquet is not a complete Parquet file" in done.err
    assert CANARY not in done.err + done.out
    assert sorted(path.name for path in tmp_path.iterdir() if "out" in path.name) in ([], [".out.parts"])


def test_one_file_is_for_processes(tmp_path: Path) -> None:
    notes = write_shards(tmp_path / "notes", {"a": ["one"]})
    with pytest.raises(ConfigurationError, match="takes a folder of Parquet"):
        sanitize_file(NumberedWords(), notes / "a.parquet", tmp_path / "out.parquet", options(1, "ray"), KEY)


def test_errors_of_ray_become_sentences() -> None:
    from ray.exceptions import ActorDiedError, ObjectStoreFullError, OutOfMemoryError, RayTaskError

    full = RayTaskError("part", CANARY, ObjectStoreFullError(CANARY))
    for error, said in (
        (ObjectStoreFullError(CANARY), "the object store of a node is full"),
        (full, "the object store of a node is full"),
        (OutOfMemoryError(CANARY), "a node ran out of memory"),
        (ActorDiedError(), "an actor died"),
        (ValueError(CANARY), "ValueError, whose message is not shown"),
    ):
        assert said in _sentence(error)
        assert CANARY not in _sentence(error)


def test_the_callable_runs_on_ray_data_as_a_function_and_as_a_class(tmp_path: Path) -> None:
    given: dict[str, Any] = {"detect": "words", "vocabulary": write_vectors(tmp_path), "id_field": "id"}
    sanitize = Sanitize("santext", 4.0, pin=KEY.key, **given)
    table = pa.table({"id": ["a", "b", "c"], "text": ["cat dog", "river", "stone"], "ward": [CANARY] * 3})
    expected = sanitize(table)
    notes = ray.data.from_arrow(table)
    ray.data.DataContext.get_current().enable_progress_bars = False
    by_function = notes.map_batches(sanitize, batch_format="pyarrow")
    assert pa.table(by_function.to_pandas()).to_pylist() == expected.to_pylist()
    by_class = notes.map_batches(
        Sanitize, fn_constructor_args=("santext", 4.0), fn_constructor_kwargs={**given, "pin": KEY.key},
        batch_format="pyarrow", batch_size=2, compute=ray.data.ActorPoolStrategy(size=1),
    )  # fmt: skip
    assert pa.table(by_class.to_pandas()).to_pylist() == expected.to_pylist()
    with pytest.raises(ConfigurationError, match="run key"):
        pickle.dumps(Sanitize("santext", 4.0, **given))
    called = ray.remote(lambda: Sanitize("santext", 4.0, **given)(table))
    with pytest.raises(ConfigurationError, match="run key"):
        ray.get(called.remote())
