"""Write synthetic records and their privacy statement; give both their names, or neither.

More records from a model that was tuned and kept: post-processing, which costs nothing more.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from sfumato.abstract.synthesizer import Synthesizer
from sfumato.errors import ConfigurationError, InputError, OutputError
from sfumato.files import Parts, kind_of, writing
from sfumato.privacy.randomness import Randomness
from sfumato.release.statement import NO_GUARANTEE, versions
from sfumato.storage import created, owned, publish
from sfumato.storage.digests import digest_of_everything
from sfumato.synthesis.codes import CodeField, codes_wanted
from sfumato.synthesis.request import Planned
from sfumato.synthesis.topics import TOPIC, described
from sfumato.synthesis.workspace import check_randomness
from sfumato.text import notebook
from sfumato.types import Progress
from sfumato.version import is_own, maker, origin, packages_of

ONE_COPY = (
    "that no copy of the hidden folder of the run was resumed too: each writes records of its own, "
    "whose cost adds to this"
)


def check_kind(kind: str, lines: bool, fields: Sequence[str]) -> None:
    """Refuse a ``kind`` of file that cannot hold the records, or not their ``fields`` beside the text."""
    if kind == "shards":
        raise ConfigurationError("Synthetic records go into one file; join the files of the input.")
    if kind == "txt" and not lines:
        raise ConfigurationError("A .txt holds one document; say --lines for one in each line, or give a folder.")
    if kind in ("txt", "folder") and fields:
        raise ConfigurationError(f"Plain text has no fields ({', '.join(fields)}); give .jsonl, .csv or .parquet.")


def write_records(
    path: Path, name: str, kind: str, records: Sequence[Mapping[str, str]], text_field: str, private: bool
) -> None:
    """Write ``records`` to ``path``, which is to be called ``name``; each has its text and the same fields."""
    if kind == "folder":
        path.mkdir(mode=0o700 if private else 0o777)
        width = len(str(len(records)))
        for number, record in enumerate(records, 1):
            with created(path / f"{number:0{width}}.txt", private) as file:
                file.write(record[text_field].encode("utf-8", "replace"))
        return
    content = (
        _parquet(records) if kind == "parquet" else _text(name, kind, records, text_field).encode("utf-8", "replace")
    )
    with created(path, private) as file:
        file.write(gzip.compress(content, mtime=0) if name.lower().endswith(".gz") else content)


def _text(name: str, kind: str, records: Sequence[Mapping[str, str]], text_field: str) -> str:
    if kind == "txt":
        return "".join(" ".join(record[text_field].split()) + "\n" for record in records)
    if kind == "jsonl":
        return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    sink = io.StringIO()
    delimiter = "\t" if ".tsv" in name.lower() else ","
    writer = csv.DictWriter(sink, list(records[0]), delimiter=delimiter, lineterminator="\n")
    writer.writeheader()
    writer.writerows([{key: _cell(value, delimiter) for key, value in record.items()} for record in records])
    return sink.getvalue()


def _cell(value: str, delimiter: str) -> str:
    return " ".join(value.split()) if delimiter == "\t" else value  # a .tsv is read without quotation marks


def _parquet(records: Sequence[Mapping[str, str]]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist([dict(record) for record in records]), sink)
    return sink.getvalue()


def statement(
    made: Planned, randomness: Randomness, codes: Mapping[str, Sequence[str]], written: int
) -> dict[str, Any]:
    """Return the statement as JSON types. ``codes`` holds the values of each field; ``written`` counts records."""
    request, guarantee, kind = made.request, made.guarantee, type(made.synthesizer)
    declared = {
        code.name: {
            "values": list(codes.get(code.name, code.values or ())),
            "source": _source(code, guarantee is not None),
        }
        for code in request.codes
    }
    about = {} if made.topics is None else {TOPIC: described(made.topics, codes[TOPIC], guarantee is not None)}
    method = {
        "method": made.synthesizer.name,
        "origin": origin(kind),
        "parameters": dict(made.synthesizer.parameters),
        "schedule": made.schedule.as_dict(),
    }
    common = {
        "records": {"written": written, "units_declared": request.units},
        "codes": {**about, **declared},
        "public_fields": list(request.public_fields),
        "visible": visible(made),
        "versions": {**versions(), **packages_of(kind)},
    }
    if guarantee is None:
        unproved = {"summary": NO_GUARANTEE, "guarantee": None, "randomness": randomness.stamp_without_guarantee()}
        return {**unproved, **method, **common}
    told = f"The synthetic records together satisfy {guarantee}."
    if not is_own(kind):
        told += f" Its proof and its certificate are not sfumato's, but those of {maker(kind)}."
    return {
        "summary": told if randomness.private else f"NOT PRIVATE (a seeded run, for tests): {told}",
        "private": randomness.private,
        **method,
        "definition": guarantee.definition,
        "epsilon": guarantee.epsilon,
        "delta": guarantee.delta,
        "unit": guarantee.unit,
        "adjacency": guarantee.adjacency,
        "proof": guarantee.proof,
        "assumes": [*guarantee.assumes, ONE_COPY],
        "certificate": made.certificate().as_dict(),
        **common,
        "randomness": randomness.stamp,
        "resolution": made.synthesizer.resolution,
    }


def _source(code: CodeField, noisy: bool) -> str:
    if code.values is not None:
        return "declared"
    return "found in the input by a noisy threshold" if noisy else "found in the input, exactly"


def visible(made: Planned) -> list[str]:
    """Return what anyone sees of the release, whatever the guarantee."""
    request = made.request
    seen = list(made.synthesizer.visible)
    if request.public_fields:
        seen.insert(
            0, f"the fields {', '.join(request.public_fields)} of every record, as they are, and how many there are"
        )
    if request.counts_codes and request.epsilon is None:
        seen.append("the values of the codes that are not declared, the topics, and the shares of all, exactly")
    return seen or ["nothing of the input but the synthetic records themselves"]


class Synthesized(NamedTuple):
    """What a synthesis wrote, what it guarantees, and where both are.

    Attributes:
        records: How many records it wrote.
        statement: The privacy statement, as JSON types.
        output: Where the records are.
        statement_path: Where the statement is.
    """

    records: int
    statement: dict[str, Any]
    output: Path
    statement_path: Path

    def __repr__(self) -> str:
        return f"Synthesized({self.output.name}: {self.records:,} records)"

    def _repr_html_(self) -> str:
        rows: list[tuple[str, object]] = [("records", f"{self.records:,}"), ("statement", self.statement_path.name)]
        told = f"<p>{notebook.escaped(self.statement.get('summary', ''))}</p>"
        return notebook.caption(self.output.name) + told + notebook.table(rows)


def published(
    parts: Parts, text_field: str, stated: Mapping[str, Any], records: Sequence[Mapping[str, str]]
) -> Synthesized:
    """Write ``records`` and their statement to the output of ``parts``. Raise OutputError for a failing disk."""
    output, release = parts.output, parts.release
    with writing(output):
        release.forget()
        write_records(release.ready, output.name, parts.kind, records, text_field, parts.private)
        named = {"name": output.name, "sha256": digest_of_everything(release.ready)}
        told = {**stated, "release": named}
        with created(parts.statement.ready) as file:
            file.write((json.dumps(told, indent=2, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace"))
        publish([parts.statement, release])
        for place in parts.places:
            place.forget()
    return Synthesized(len(records), told, output, parts.statement.path)


@dataclass(frozen=True)
class KeptRecipe:
    """What is kept beside a tuned model, so that it can write records again.

    ``rows`` holds the fields of each code, ``shares`` how many records have it (None: one each, of public fields).
    """

    text_field: str
    rows: Sequence[Mapping[str, str]]
    shares: Sequence[float] | None
    statement: Mapping[str, Any]

    @property
    def fields(self) -> list[str]:
        """Return the fields that a file of records must hold: not a topic that was read off the texts."""
        read_off = TOPIC if "list_sha256" in self.statement["codes"].get(TOPIC, {}) else None
        return [name for name in self.rows[0] if name != read_off]

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON types."""
        return {
            "text_field": self.text_field,
            "rows": [dict(row) for row in self.rows],
            "shares": None if self.shares is None else list(self.shares),
            "statement": dict(self.statement),
        }

    @classmethod
    def of(cls, facts: Mapping[str, Any], name: str) -> KeptRecipe:
        """Return what ``facts`` of the model called ``name`` hold. Raise InputError where something is missing."""
        try:
            return cls(facts["text_field"], facts["rows"], facts["shares"], facts["statement"])
        except KeyError:
            raise InputError(f"The model {name} was not kept by `sfumato synthesize`; tune it again.") from None


def more_records(
    synthesizer: Synthesizer,
    folder: Path,
    output: Path,
    records: int | None,
    randomness: Randomness,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> Synthesized:
    """Write ``records`` with the model that was kept in ``folder``, under the guarantee that was paid for it.

    Raise InputError for a folder that holds no such model, ConfigurationError for another base model or a kind of
    file that cannot hold the records, OutputError for an output that exists.
    """
    check_randomness(randomness)
    kind = "folder" if output.suffix == "" else kind_of(output)
    if kind is None:
        raise OutputError(f"{output.name} has no known suffix; use .jsonl, .csv, .tsv or .parquet.")
    seed = int(randomness.uniforms(1, 1, [b"more records"] if randomness.keyed else None)[0, 0] * 2.0**53)
    facts, write = synthesizer.kept_model(folder, seed)
    recipe = KeptRecipe.of(facts, folder.name)
    wanted = codes_wanted(len(recipe.rows), recipe.shares, records)
    check_kind(kind, True, recipe.fields)
    parts = Parts(output, kind, "")
    with owned(parts.places):
        for place in () if overwrite else (parts.release, parts.statement):
            if os.path.lexists(place.path):
                raise OutputError(
                    f"{place.path} exists; choose another output, or allow it to be replaced (--force)."
                )
        texts = write(wanted, progress)
        made = [{**recipe.rows[code], recipe.text_field: text} for code, text in zip(wanted, texts, strict=True)]
        stated = {**recipe.statement, "records": {**recipe.statement["records"], "written": len(made)},
                  "model_kept": "more records of a model that was tuned before; they cost nothing more"}  # fmt: skip
        if not randomness.private:
            stated |= {"summary": f"NOT PRIVATE (a seeded run, for tests): {stated['summary']}", "private": False}
        return published(parts, recipe.text_field, stated, made)
