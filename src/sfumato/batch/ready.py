"""What a callable needs to release a table, made once in each process."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import Any

import pyarrow as pa

from sfumato.abstract.sanitizer import Sanitizer
from sfumato.batch.counts import ALL, Drawn
from sfumato.building.build import build
from sfumato.building.policies import build_policy
from sfumato.files.options import FileOptions
from sfumato.files.tables import TableSource
from sfumato.policy import Policy
from sfumato.privacy.randomness import PinnedRandomness, Randomness, SystemRandomness
from sfumato.release.chunks import Releasing
from sfumato.release.files import suiting
from sfumato.release.statement import statement
from sfumato.storage.keys import read_secret


@dataclass(frozen=True)
class Ready:
    """A sanitizer that is loaded and certified, with its randomness and how it reads a table."""

    sanitizer: Sanitizer
    randomness: Randomness
    files: FileOptions

    def released(self, table: pa.Table) -> tuple[pa.Table, list[Mapping[str, int]]]:
        """Return the release of ``table``, and the draws of each of its records."""
        releasing = Releasing(self.sanitizer, self.randomness, subject_field=self.files.subject_field)
        tables, draws = list[pa.Table](), list[Mapping[str, int]]()
        for chunk in TableSource(table, self.files).chunks():
            good, releases, _ = releasing.sanitized(chunk)
            tables.append(good.table(releases))  # type: ignore[attr-defined]
            draws += [_drawn(releases[start:end]) for start, end in pairwise(good.edges)]
        # in one chunk: the length of chunks follows from the length of private records
        return pa.concat_tables(tables).combine_chunks(), draws

    def statement(self, drawn: Drawn) -> dict[str, Any]:
        """Return the statement of a release with the draws ``drawn``."""
        return statement(
            self.sanitizer, self.randomness, drawn.draws, keep=self.files.others_kept, draws_by=drawn.draws_by
        )


def _drawn(releases: Any) -> Mapping[str, int]:
    """Return the draws of a record with these ``releases``."""
    found: Counter[str] = Counter({ALL: sum(release.draws for release in releases)})
    for release in releases:
        found.update(release.draws_by)
    return found


_MADE: dict[str, Ready] = {}
_LOCK = Lock()


def ready(
    mark: str, method: Policy | str, epsilon: float | None, options: Mapping[str, Any], files: FileOptions,
    pin: bytes | Path | None,
) -> Ready:  # fmt: skip
    """Return what releases tables so; every call of this process with the same ``mark`` returns the same.

    The mark is a callable's own, and travels with it. What a callable chose would not do: files that a policy names
    may have changed since another one read them.
    """
    with _LOCK:
        if mark not in _MADE:
            _MADE[mark] = _made(method, epsilon, options, files, pin)
        return _MADE[mark]


def _made(
    method: Policy | str, epsilon: float | None, options: Mapping[str, Any], files: FileOptions,
    pin: bytes | Path | None,
) -> Ready:  # fmt: skip
    """Build the sanitizer, and certify it before a text is read."""
    key = read_secret(pin, "the key file") if isinstance(pin, Path) else pin
    randomness = SystemRandomness() if key is None else PinnedRandomness(key)
    sanitizer = build_policy(method) if isinstance(method, Policy) else build(method, epsilon, **options)
    sanitizer = sanitizer.suited_to(randomness)
    sanitizer.check_fields(files)
    files = suiting(sanitizer, files)
    sanitizer.prepare()
    statement(sanitizer, randomness, {1: 1})  # what cannot be stated must not be released
    return Ready(sanitizer, randomness, files)
