"""Give synthetic records and their statement both their names, or neither."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sfumato.files import Parts, writing
from sfumato.storage import created, publish
from sfumato.storage.digests import digest_of_everything
from sfumato.synthesis.writing import write_records
from sfumato.text import notebook


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
