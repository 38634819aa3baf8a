"""Canaries planted in a file of records: a file in, a file out, so that any tool can be tested with them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from sfumato.attacks.canaries import Canary
from sfumato.errors import ConfigurationError, OutputError
from sfumato.files import Chunk, FileOptions, open_source
from sfumato.files.assembly import assemble
from sfumato.files.suffixes import check_same_kind
from sfumato.storage import writing
from sfumato.text.document import Release


def planted(
    source: Path, output: Path, canaries: Sequence[Canary], options: FileOptions | None = None, seed: int = 0
) -> list[int]:
    """Write the records of ``source`` to ``output``, each canary at the beginning of as many texts as it is repeated.

    There every synthesizer reads it, however few words of a text it reads. Return the records that bear one (from 0),
    canary by canary; a record bears one at most, and one without a text bears none. PRIVATE: the output holds
    the records, so only its owner can read it. Fields, order and format stay. Raise ConfigurationError if there are
    fewer records with a text than texts to plant, and OutputError where ``output`` exists or has another format.
    """
    opened = open_source(source, options or FileOptions())
    check_same_kind(opened, output)
    if output.exists():
        raise OutputError(f"{output.name} exists; name a new file.")
    records = list(_with_text(opened.chunks()))
    wanted = [canary for canary in canaries for _ in range(canary.repeats)]
    if len(wanted) > len(records):
        raise ConfigurationError(
            f"{source.name} holds {len(records):,} records with a text, too few for {len(wanted):,} canaries with "
            "their repeats."
        )
    hosts = [int(host) for host in np.random.default_rng([seed, 3]).choice(records, len(wanted), replace=False)]
    borne = dict(zip(hosts, wanted, strict=True))
    with writing(output), tempfile.TemporaryDirectory(dir=output.parent, prefix=".canaries-") as folder:
        parts: list[Path] = []
        for body in _bodies(opened.chunks(), borne):
            parts.append(Path(folder) / f"{len(parts):08d}.part")
            parts[-1].write_bytes(body)
        ready = Path(folder) / "ready"
        assemble(opened.kind, parts, ready, output.name.lower().endswith(".gz"), private=True)
        ready.rename(output)
    return hosts


def _with_text(chunks: Iterator[Chunk]) -> Iterator[int]:
    """Yield the numbers of the records that have a text."""
    first = 0
    for chunk in chunks:
        yield from (first + record for record, (start, end) in enumerate(pairwise(chunk.edges)) if end > start)
        first += len(chunk.texts)


def _bodies(chunks: Iterator[Chunk], borne: Mapping[int, Canary]) -> Iterator[bytes]:
    first = 0
    for chunk in chunks:
        texts = [document.text for document in chunk.documents]
        for record, (start, end) in enumerate(pairwise(chunk.edges)):
            if (canary := borne.get(first + record)) is not None and end > start:
                texts[start] = f"{canary.text} {texts[start].lstrip()}".rstrip()
        first += len(chunk.texts)
        released = [Release(each.id, text, (), "", 0) for each, text in zip(chunk.documents, texts, strict=True)]
        yield chunk.head + chunk.render(released)
