"""The runs of a comparison, each named by the content of everything that decides it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sfumato import version
from sfumato.errors import ConfigurationError, InputError
from sfumato.evaluation.comparison.methods import Method
from sfumato.evaluation.comparison.plan import Comparison, Finished
from sfumato.files import SUFFIXES
from sfumato.privacy import certificates
from sfumato.registry import detector_class
from sfumato.storage.digests import digest_of_everything
from sfumato.storage.keys import check_value

_SLUG = re.compile(r"[^a-z0-9+]+")


@dataclass(frozen=True, eq=False)
class Run:
    """One release to be evaluated: of a method at a budget with a seed, a baseline, or another tool's file.

    ``title`` names it for people, ``name`` in the folder: the name ends with a hash of everything that decides the
    release.
    """

    source: Method | Finished
    budget: float | None
    seed: int | None
    title: str
    name: str

    @property
    def kind(self) -> str:
        """Return "method", "baseline" or "file"."""
        if isinstance(self.source, Finished):
            return "file"
        return "baseline" if self.source.baseline else "method"


@dataclass(frozen=True, eq=False)
class Runs:
    """The runs of ``comparison`` and where they are kept below ``folder``."""

    comparison: Comparison
    folder: Path

    def __iter__(self) -> Iterator[Run]:
        """Yield the runs in the order of the plan."""
        for method in self.comparison.methods:
            facts = _decides(method)
            for budget in method.budgets:
                seeds: Sequence[int | None] = (None,) if method.baseline else self.comparison.seeds
                for seed in seeds:
                    yield self._run(method, budget, seed, [*facts, budget, seed])
        for release in self.comparison.finished:
            yield self._run(release, None, None, [release.name, release.file.name])

    def _run(self, source: Method | Finished, budget: float | None, seed: int | None, facts: list[Any]) -> Run:
        short = [_SLUG.sub("-", source.name.lower()).strip("-")[:40] or "release"]
        short += [f"{number:g}" for number in (budget, seed) if number is not None]
        word = source.budget.replace("_", " ") if isinstance(source, Method) else ""
        title = [source.name] + ([f"{word} {budget:g}"] if budget is not None else [])
        title += [f"seed {seed}"] if seed is not None else []
        if isinstance(source, Method):
            facts = [*facts, self.original, self._read]
        return Run(source, budget, seed, ", ".join(title), "-".join([*short, _hash(facts)]))

    @cached_property
    def original(self) -> str:
        """Return the SHA-256 of the input."""
        return digest(self.comparison.file)

    @property
    def _read(self) -> list[str | None]:
        """Return how the input is read, which decides a release too."""
        plan = self.comparison.evaluation
        return [plan.id_field, plan.field, self.comparison.spans]

    def release(self, run: Run) -> Path | None:
        """Return the file or folder of the release; None for a baseline, whose text is never written."""
        if isinstance(run.source, Finished):
            return run.source.file
        if run.source.baseline:
            return None
        file = self.comparison.file
        known = (suffix for suffix in reversed(_SUFFIXES) if file.name.lower().endswith(suffix))
        end = "" if file.is_dir() else next(known, file.suffix)
        return self.folder / "releases" / f"{run.name}{end}"

    def released(self, run: Run) -> bool:
        """Return whether the release is there, with its statement if sfumato made it."""
        path = self.release(run)
        if path is None:
            return True
        return path.exists() and (run.kind == "file" or statement_of(path).exists())

    def results(self, run: Run) -> Path:
        """Return the path of the results. Raise InputError if another tool's file is missing."""
        path = self.release(run)
        if path is not None and not path.exists():
            raise InputError(f"The release {path.name} does not exist; correct file in [[release]], or make it.")
        content = run.name if path is None else digest(path)
        field = getattr(run.source, "field", None), getattr(run.source, "id_field", None)
        facts = [version.VERSION, self.comparison.evaluation.setting, self.original, self._read, content, field]
        return self.folder / "evaluations" / run.name / f"results-{_hash(facts)}.json"

    def state(self, run: Run) -> str:
        """Return "there", "to evaluate", "to make", or "missing" (another tool's file)."""
        if not self.released(run):
            return "missing" if run.kind == "file" else "to make"
        return "there" if self.results(run).exists() else "to evaluate"


_SUFFIXES = sorted(SUFFIXES, key=len)


def statement_of(release: Path) -> Path:
    """Return the path of the statement beside a release."""
    return release.with_name(f"{release.name}.privacy.json")


def digest(path: Path) -> str:
    """Return the SHA-256 of a file, or of names and contents of all files of a folder.

    Raise InputError if it cannot be read.
    """
    try:
        return digest_of_everything(path)
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); check the path.") from None


def paths_of(options: Mapping[str, Any]) -> list[Path]:
    """Return every path that the options of a method may name, whether the file exists or not."""
    every = [text for value in options.values() for text in _texts(value)]
    return [Path(text.removeprefix("list:")) for text in every if text.removeprefix("list:")]


def _texts(value: Any) -> list[str]:
    return [text for text in (value.values() if isinstance(value, Mapping) else [value]) if isinstance(text, str)]


def _decides(method: Method) -> list[Any]:
    """Return what decides a release except its input, budget and seed: program, options, and the files they name."""
    facts = {name: value for name, value in asdict(method).items() if name not in ("name", "budgets", "options")}
    if method.baseline:
        return [version.VERSION, certificates.ANALYSIS, facts]
    offer, listed = method.offer, str(method.options.get("detect", "")).removeprefix("list:")
    files = [*offer.files(method.options), *([Path(listed)] if Path(listed).is_file() else [])]
    own = (*offer.file_options, "detect", "detect_options")
    options = {key: value for key, value in method.options.items() if key not in own}
    if finding := _detecting(method.options):
        options["detect_options"] = {
            key: _name(str(value)) if key in offer.detector_file_options else value for key, value in finding.items()
        }
    if (secret := method.secret) is not None:
        options["key"] = check_value(secret)
    naming = sorted(offer.file_options & method.options.keys())
    names = {key: [_name(text) for text in _texts(method.options[key])] for key in naming}
    return [
        version.VERSION, certificates.ANALYSIS, facts, options, names, Path(listed).name,
        [digest(file) for file in files],
        [version.origin(kind) for kind in (offer.method, *map(detector_class, offer.detectors))],
    ]  # fmt: skip


def _detecting(options: Mapping[str, Any]) -> Mapping[str, Any]:
    detecting = options.get("detect_options")
    return detecting if isinstance(detecting, Mapping) else {}


def _name(given: str) -> str:
    """Return a file's own name, as its content is hashed too; anything that is no file here stays whole."""
    return Path(given).name if Path(given).exists() else given


def _hash(facts: Any) -> str:
    try:
        text = json.dumps(facts, sort_keys=True, default=repr)
    except (TypeError, ValueError):
        raise ConfigurationError("An option of the plan cannot be compared with others; write it as text.") from None
    return hashlib.sha256(text.encode()).hexdigest()[:12]
