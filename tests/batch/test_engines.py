"""The callable in the engines that are installed here: the same bytes, no column more, and no run without a key."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from command_line import CANARY, write_vectors
from sfumato.batch import Sanitize

pytestmark = pytest.mark.filterwarnings("ignore")  # warnings of the engines

KEY = bytes(range(32))
NOTES = pa.table({"id": ["a", "b", "c"], "text": ["cat dog", "river", "stone"], "ward": [CANARY] * 3})


@pytest.fixture
def given(tmp_path: Path) -> dict[str, Any]:
    return {"detect": "words", "vocabulary": write_vectors(tmp_path), "id_field": "id"}


def test_datasets(tmp_path: Path, given: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    datasets = pytest.importorskip("datasets")
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path)
    datasets.disable_progress_bars()
    sanitize = Sanitize("santext", 4.0, pin=KEY, **given)
    notes = datasets.Dataset(NOTES).with_format("arrow")
    safe = notes.map(sanitize, batched=True, batch_size=2, remove_columns=notes.column_names)
    assert safe.column_names == ["id", "text"]
    assert safe[:].to_pylist() == sanitize(NOTES).to_pylist()
    several = notes.map(sanitize, batched=True, num_proc=2, remove_columns=notes.column_names)
    assert several[:].to_pylist() == safe[:].to_pylist()
    with pytest.raises(Exception, match="run key"):
        notes.map(Sanitize("santext", 4.0, **given), batched=True, num_proc=2, remove_columns=notes.column_names)


def test_frames(given: dict[str, Any]) -> None:
    sanitize = Sanitize("santext", 4.0, pin=KEY, **given)
    expected = sanitize(NOTES).to_pylist()
    polars = pytest.importorskip("polars")
    frame = polars.from_arrow(NOTES)
    assert polars.from_arrow(sanitize(frame.to_arrow())).to_dicts() == expected
    pandas = pytest.importorskip("pandas")
    private = pandas.DataFrame(NOTES.to_pydict(), index=[CANARY, CANARY, CANARY])
    released = sanitize(pa.Table.from_pandas(private))  # the index would be a column
    assert released.to_pylist() == expected
    assert CANARY not in str(released.schema.metadata)


def test_spark(given: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    sql = pytest.importorskip("pyspark.sql")
    sanitize = Sanitize("santext", 4.0, pin=KEY, **given)
    made = sql.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    spark = made.config("spark.log.level", "OFF").getOrCreate()
    try:
        notes = spark.createDataFrame(NOTES.to_pylist(), "id string, text string, ward string")
        rows = notes.mapInArrow(sanitize.batches, "id string, text string").collect()
        assert [row.asDict() for row in rows] == sanitize(NOTES).to_pylist()
        free = Sanitize("santext", 4.0, **given)
        with pytest.raises(Exception, match="run key"):
            notes.mapInArrow(free.batches, "id string, text string").collect()
    finally:
        spark.stop()
        context = importlib.import_module("pyspark").SparkContext
        context._gateway.shutdown()  # the next test begins in another folder, where Java could not follow
        context._gateway = context._jvm = None
