"""Write a grown vocabulary and its provenance, both whole or not at all.

A .json file holds the phrases by label, a .txt file a phrase a line. An encoder embeds them when they are read, and
maps unknown words to the nearest one. A .safetensors file holds the vectors too, so reading it needs no encoder.
"""

from __future__ import annotations

import datetime
import errno
import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato import __version__
from sfumato.abstract.models import Encoder
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.errors import OutputError, VocabularyError
from sfumato.storage import Place, created, owned, publish
from sfumato.storage.digests import digest_of
from sfumato.types import Progress
from sfumato.vocabularies.growing.growth import Growth
from sfumato.vocabularies.growing.seeds import Seeds
from sfumato.vocabularies.load import distinct, embed, load_vocabulary

KINDS = (".json", ".txt", ".safetensors")


@dataclass(frozen=True)
class Destination:
    """The file ``output`` that a vocabulary is written to. ``replace`` allows an earlier file to be replaced.

    Raises OutputError, before any question, if it cannot be written.
    """

    output: Path
    replace: bool = False

    @property
    def provenance(self) -> Path:
        """Return the file beside it that records its provenance."""
        return Path(f"{self.output}.provenance.json")

    @property
    def asked(self) -> Path:
        """Return the folder beside it that keeps the model's answers."""
        return Path(f"{self.output}.asked")

    def check(self, seeds: Seeds) -> None:
        """Refuse a file that cannot hold a vocabulary of these labels, or cannot be written. Raise OutputError."""
        if self.output.suffix.lower() not in KINDS:
            raise OutputError(
                f"{self.output.name}: a vocabulary is written as .json, .txt or .safetensors; choose one of them."
            )
        if self.output.suffix.lower() != ".json" and len(seeds.phrases) > 1:
            raise OutputError(f"{self.output.name} can hold one label; write .json, or pick one with --label.")
        for path in (self.output, self.provenance):
            if path.is_dir() or (seeds.path is not None and path.exists() and path.samefile(seeds.path)):
                raise OutputError(f"{path.name} is a folder or holds the seeds; choose another name.")
        self._refuse_to_replace()
        if not self.output.parent.is_dir():
            raise _unwritable(self.output, FileNotFoundError(errno.ENOENT, "No such folder"))
        with owned(self._places):  # refuses names without room for hidden files, and another run's
            pass

    def write(
        self, phrases: Mapping[str, tuple[str, ...]], facts: Mapping[str, Any], encoder: Encoder,
        progress: Progress | None = None,
    ) -> Vocabulary:  # fmt: skip
        """Write ``phrases`` by label and ``facts`` beside them; return the vocabulary as it is read back.

        Raise OutputError if there are fewer than 2 phrases, or if a file exists or cannot be written.
        """
        tokens = [phrase for listed in phrases.values() for phrase in listed]
        tokens = [tokens[number] for number in distinct(tokens)]
        if len(tokens) < 2:
            raise OutputError(
                "A vocabulary needs at least 2 phrases, because one alone cannot hide; give more seeds."
            )
        try:
            with owned(self._places):
                self._refuse_to_replace()
                return self._published(phrases, tokens, facts, encoder, progress)
        except OSError as error:
            if isinstance(error, OutputError):
                raise
            raise _unwritable(self.output, error) from None

    def _published(
        self, phrases: Mapping[str, tuple[str, ...]], tokens: list[str], facts: Mapping[str, Any], encoder: Encoder,
        progress: Progress | None,
    ) -> Vocabulary:  # fmt: skip
        """Write both under hidden names, read the vocabulary back, and give both their names."""
        vocabulary, provenance = self._places
        unfinished = self._unfinished()
        try:
            self._fill(unfinished, phrases, tokens, encoder, progress)
            read = self._read_back(unfinished, tokens, encoder, progress)
            written = {"file": self.output.name, "sha256": digest_of(unfinished), "phrases": len(tokens)}
            text = json.dumps({"output": written, **facts}, indent=2, ensure_ascii=False) + "\n"
            with created(provenance.ready) as file:
                file.write(text.encode("utf-8", "backslashreplace"))
            os.replace(unfinished, vocabulary.ready)
            publish((provenance, vocabulary))
        finally:
            unfinished.unlink(missing_ok=True)
            for place in self._places:
                place.forget()
        return read

    def _fill(
        self, path: Path, phrases: Mapping[str, tuple[str, ...]], tokens: list[str], encoder: Encoder,
        progress: Progress | None,
    ) -> None:  # fmt: skip
        kind = path.suffix.lower()
        if kind == ".safetensors":
            import numpy as np
            from safetensors.numpy import save_file

            vectors = np.ascontiguousarray(embed(tokens, encoder, progress), dtype=np.float64)
            save_file({"vectors": vectors}, path, {"tokens": json.dumps(tokens)})
            return
        text = "".join(f"{token}\n" for token in tokens)
        if kind == ".json":
            text = json.dumps(phrases, ensure_ascii=False, indent=1) + "\n"
        path.write_text(text, encoding="utf-8", newline="\n")

    def _read_back(
        self, path: Path, tokens: list[str], encoder: Encoder, progress: Progress | None
    ) -> Vocabulary:  # fmt: skip
        """Return the vocabulary in ``path``, which must hold ``tokens``: a list of phrases may look like vectors."""
        try:
            read = load_vocabulary(path, encoder=encoder, progress=progress)
        except VocabularyError:
            read = None
        if read is None or read.tokens != tuple(tokens):
            raise OutputError(f"{self.output.name} would be read as something else; write .json instead.")
        return read

    def _refuse_to_replace(self) -> None:
        for place in self._places:
            if place.path.exists() and not self.replace:
                raise OutputError(f"{place.path.name} exists; choose another name, or replace it with --force.")

    @property
    def _places(self) -> tuple[Place, Place]:
        return Place(self.output), Place(self.provenance)

    def _unfinished(self) -> Path:
        """Return a hidden name with the suffix that decides how the file is read back."""
        return self.output.with_name(f".sfumato-{secrets.token_hex(8)}{self.output.suffix.lower()}")


def facts_of(
    growth: Growth, seeds: Seeds, asked: Mapping[str, Any], encoder: Encoder, plan: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the content of the provenance: no path, no phrase. ``asked`` names the model and its place."""
    return {
        "sfumato": __version__,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "seeds": {**seeds.origin, "phrases": {label: len(phrases) for label, phrases in seeds.phrases.items()}},
        "model": {**asked, "prompt_sha256": growth.prompt, "questions_sha256": growth.questions},
        "plan": dict(plan),
        "labels": {label: grown.as_json() for label, grown in growth.labels.items()},
        "questions": growth.spent.as_json(),
        "encoder": encoder.id,
    }


def _unwritable(path: Path, error: OSError) -> OutputError:
    return OutputError(f"{path.name} cannot be written there ({error.strerror}); choose another place.")
