"""Studies one after the other, each kept as soon as it is done, so that a stopped evaluation goes on where it was."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from sfumato import version
from sfumato.abstract.chat import unfinished
from sfumato.errors import OutputError, SfumatoError
from sfumato.evaluation.pairs import Pairs
from sfumato.evaluation.results import Skipped, Study, as_text
from sfumato.storage import whole
from sfumato.types import Progress

Named = Callable[[str], Progress | None]
"""Given the name of a study, what is to be told its progress."""


class Measured(Protocol):
    """A study that can be run on pairs."""

    def run(self, pairs: Pairs, progress: Progress | None = None) -> Study:
        """The study of these pairs."""


@dataclass(frozen=True)
class Results:
    """All that an evaluation found, and what it was about."""

    facts: Mapping[str, Any]
    studies: Sequence[Study]

    def as_text(self) -> str:
        """``results.json``."""
        return as_text({**self.facts, "studies": [study.as_json() for study in self.studies]})


def evaluate(
    pairs: Pairs, studies: Mapping[str, Measured], folder: Path, setting: Mapping[str, Any],
    progress: Named | None = None, made_with: Sequence[str] = (),
) -> Results:  # fmt: skip
    """Run ``studies`` on ``pairs``, keep each in ``folder``, take those that are there already.

    ``setting`` and ``made_with`` are everything that decides a study beside the files; only the first is told in the
    results. A study that fails for a reason that can be told is left out, and the reason stands in the results. What
    could not be measured for a reason that can be mended is not kept, so that it is tried again. Raises OutputError
    where ``folder`` cannot be written.
    """
    facts: list[Any] = [version.VERSION, dict(setting), list(made_with), dict(pairs.sources)]
    made_by = json.dumps(facts, sort_keys=True, default=repr)
    key = hashlib.sha256(made_by.encode()).hexdigest()[:16]
    found = []
    for name, study in studies.items():
        place = folder / "studies" / f"{name}-{key}.json"
        done = _kept(place)
        if done is None:
            started = time.perf_counter()
            try:
                done = study.run(pairs, progress(name) if progress else None)
            except SfumatoError as error:
                found.append(Study(name, skipped=[Skipped(name, str(error), again=True)]))
                continue
            done = replace(done, seconds=time.perf_counter() - started)
            if not unfinished(done.facts) and not any(left.again for left in done.skipped):
                write(place, as_text(done.as_json()))
        found.append(done)
    told = {
        **_forwardable(pairs.sources),
        "version": version.VERSION, "missing": pairs.missing, "strays": len(pairs.strays), **setting,
    }  # fmt: skip
    return Results(told, found)


def _forwardable(sources: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Facts about the files without the hash of the original, by which a guess of what stands in it is confirmed."""
    private = sources.get("original", {}).get("sha256")
    return {
        name: {key: value for key, value in one.items() if key != "sha256" or value != private}
        for name, one in sources.items()
    }


def _kept(place: Path) -> Study | None:
    try:
        return Study.from_json(json.loads(place.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write(place: Path, text: str, private: bool = False) -> None:
    """Write ``text`` at ``place``, whole or not at all; for its owner only where it is ``private``.

    Raises OutputError.
    """
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with whole(place, private) as file:
            file.write(text.encode("utf-8", "backslashreplace"))  # the name of a file may be no text
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise OutputError(f"{place} cannot be written ({reason}); choose another folder for -o.") from None
