"""More records from a model that was tuned and kept: post-processing, which costs nothing more."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.abstract.synthesizer import Synthesizer
from sfumato.errors import InputError, OutputError
from sfumato.files import Parts, kind_of
from sfumato.privacy.randomness import Randomness
from sfumato.storage import owned
from sfumato.synthesis.codes import codes_wanted
from sfumato.synthesis.publishing import Synthesized, check_kind, published
from sfumato.synthesis.workspace import check_randomness
from sfumato.types import Progress


@dataclass(frozen=True)
class KeptRecipe:
    """What is kept beside a tuned model, so that it can write records again.

    ``rows`` holds the fields of each code, ``shares`` how many records have it (None: one each, of public fields).
    """

    text_field: str
    rows: Sequence[Mapping[str, str]]
    shares: Sequence[float] | None
    statement: Mapping[str, Any]

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
    check_kind(kind, True, [name for name in recipe.rows[0] if name != recipe.text_field])
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
