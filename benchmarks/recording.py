"""Where benchmark scripts put what they saw: their own section of a page in docs/, never typed by hand."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

DOCS = Path(__file__).parents[1] / "docs"
DATA = Path(__file__).parents[2] / "shared" / "data"
SFUMATO = Path(sys.executable).with_name("sfumato")


class Run(NamedTuple):
    """One finished process: seconds on the clock, peak memory in MB, CPU seconds with those of its children."""

    seconds: float
    peak_mb: float
    cpu: float = 0.0


def machine() -> str:
    """The machine in a few words."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "?")
    return f"{os.cpu_count()} cores ({model}), Python {platform.python_version()}, {date.today().isoformat()}"


def run(*command: str | Path) -> Run:
    """Run a command to its end; its output is thrown away, a failure is an error."""
    started = time.perf_counter()
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    complaint = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command[1]} failed: {complaint}")
    return Run(time.perf_counter() - started, usage.ru_maxrss / 1000, usage.ru_utime + usage.ru_stime)


def table(header: list[str], rows: list[list[object]]) -> str:
    """A markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def record(section: str, text: str, page: str = "benchmarks.md") -> None:
    """Replace the part of docs/``page`` between the marks of ``section`` and show it."""
    begin, end = f"<!-- begin {section} -->", f"<!-- end {section} -->"
    place = DOCS / page
    head, _, rest = place.read_text(encoding="utf-8").partition(begin)
    _, found, tail = rest.partition(end)
    if not found:
        raise SystemExit(f"docs/{page} has no marks for {section}.")
    body = f"{text}\n\nMeasured on {machine()}."
    place.write_text(f"{head}{begin}\n{body}\n{end}{tail}", encoding="utf-8")
    print(body)


def written(
    section: str, text: str, recorded: bool, page: str = "benchmarks.md", used: Mapping[str, str] | None = None
) -> None:
    """Show ``text`` and the models ``used``; where ``recorded``, write both down as well."""
    told = text if used is None else f"{text}\n\n{named(used)}"
    if recorded:
        record(section, told, page)
    else:
        print(told)


def named(used: Mapping[str, str]) -> str:
    """The sentence by which a section names its models. A test compares it with the models that ship."""
    return f"Models: {'; '.join(f'{part}: {name}' for part, name in used.items()) or 'none'}."


def models(*parts: str, **files: Path) -> dict[str, str]:
    """The names of models, with 16 digits of their SHA-256, by what they do.

    ``parts`` ship with sfumato: "masked", "encoder", "detector" (by its card, which holds the hashes of its weights
    and of its calibration) and "causal" (in a package of its own). ``files`` are others, such as word vectors.
    """
    from sfumato.models.causal.gguf import SMOLLM2
    from sfumato.models.encoders.files import ENCODER_DIGEST
    from sfumato.models.masked.embedded import EmbeddedSource
    from sfumato.models.token_classifier.card import CARD, OTHERS
    from sfumato.storage.digests import digest_of_everything

    shipped = {
        "masked": EmbeddedSource().id,
        "encoder": f"all-MiniLM-L6-v2@{ENCODER_DIGEST[:16]}",
        "detector": f"identifiers@{CARD[:16]}",
        "others": f"identifiers-others@{OTHERS[:16]}",
        "causal": SMOLLM2.id,
    }
    others = {part: f"{path.name}@{digest_of_everything(path)[:16]}" for part, path in files.items()}
    return {part: shipped[part] for part in parts} | others


@dataclass(frozen=True)
class Cells:
    """The results of an experiment, a file for each cell of its table, so that a stopped run resumes.

    A file's name is a hash of the cell and of the models, so that a result of another model is computed again.
    Values are what JSON can hold: figures, never text of a person.
    """

    folder: Path
    name: str
    models: Mapping[str, str] = field(default_factory=dict)
    _seconds: dict[str, float] = field(default_factory=dict, init=False, repr=False, compare=False)

    def get(self, compute: Callable[[], Any], **cell: Any) -> Any:
        """The value of ``cell``: kept by an earlier run, or computed now and kept before anything else happens."""
        from sfumato.storage.atomic import put

        key = json.dumps({"cell": cell, "models": self.models}, sort_keys=True)
        path = self.folder / self.name / f"{hashlib.sha256(key.encode()).hexdigest()[:24]}.json"
        if not path.exists():
            started = time.process_time()
            value = compute()
            kept = {**json.loads(key), "seconds": round(time.process_time() - started, 1), "value": value}
            path.parent.mkdir(parents=True, exist_ok=True)
            put(path, json.dumps(kept).encode())
            print(f"{self.name} {cell}: {kept['seconds']:.0f} CPU s", file=sys.stderr, flush=True)
        kept = json.loads(path.read_text(encoding="utf-8"))
        self._seconds[path.stem] = kept["seconds"]
        return kept["value"]

    @property
    def described(self) -> str:
        """What was used: the models, and the CPU time of the cells read so far, also by earlier runs."""
        minutes = max(1, round(sum(self._seconds.values()) / 60))
        return f"{named(self.models)} {minutes} CPU minute{'s' if minutes > 1 else ''}."
