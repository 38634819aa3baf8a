"""The runs of a comparison: which there are, and a name for each by the content of everything that decides it."""

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
from sfumato.evaluation.comparison.methods import Method, detector_files, files
from sfumato.evaluation.comparison.plan import Comparison, Finished
from sfumato.files import SUFFIXES
from sfumato.privacy import certificates
from sfumato.storage.digests import digest_of_everything
from sfumato.storage.keys import check_value

_SLUG = re.compile(r"[^a-z0-9+]+")


@dataclass(frozen=True, eq=False)
class Run:
    """One release to be evaluated: of a method at a budget with a seed, a baseline, or another tool's file.

    ``title`` names it for people, ``name`` in the folder: that ends with a hash of whatever decides the release.
    """

    source: Method | Finished
    budget: float | None
    seed: int | None
    title: str
    name: str

    @property
    def kind(self) -> str:
        """ "method", "baseline" or "file"."""
        if isinstance(self.source, Finished):
            return "file"
        return "baseline" if self.source.baseline else "method"


@dataclass(frozen=True, eq=False)
class Runs:
    """The runs of ``comparison`` and where they are kept below ``folder``."""

    comparison: Comparison
    folder: Path

    def __iter__(self) -> Iterator[Run]:
        """In the order of the plan."""
        for method in self.comparison.methods:
            decided = _decides(method)
            for budget in method.budgets:
                seeds: Sequence[int | None] = (None,) if method.baseline else self.comparison.seeds
                for seed in seeds:
                    yield self._run(method, budget, seed, [*decided, budget, seed])
        for one in self.comparison.finished:
            yield self._run(one, None, None, [one.name, one.file.name])

    def _run(self, source: Method | Finished, budget: float | None, seed: int | None, facts: list[Any]) -> Run:
        short = [_SLUG.sub("-", source.name.lower()).strip("-")[:40] or "release"]
        short += [f"{one:g}" for one in (budget, seed) if one is not None]
        word = source.budget.replace("_", " ") if isinstance(source, Method) else ""
        told = [source.name] + ([f"{word} {budget:g}"] if budget is not None else [])
        told += [f"seed {seed}"] if seed is not None else []
        if isinstance(source, Method):
            facts = [*facts, self.original, self._read]
        return Run(source, budget, seed, ", ".join(told), "-".join([*short, _hash(facts)]))

    @cached_property
    def original(self) -> str:
        """SHA-256 of the input."""
        return digest(self.comparison.file)

    @property
    def _read(self) -> list[str | None]:
        """How the input is read, which decides a release too."""
        plan = self.comparison.evaluation
        return [plan.id_field, plan.field, self.comparison.spans]

    def release(self, run: Run) -> Path | None:
        """The file or folder of the release; None for a baseline, whose text is never written."""
        if isinstance(run.source, Finished):
            return run.source.file
        if run.source.baseline:
            return None
        file = self.comparison.file
        end = "" if file.is_dir() else next((one for one in reversed(_SUFFIXES) if _ends(file, one)), file.suffix)
        return self.folder / "releases" / f"{run.name}{end}"

    def released(self, run: Run) -> bool:
        """Whether the release is there, with its statement where we made it."""
        place = self.release(run)
        if place is None:
            return True
        return place.exists() and (run.kind == "file" or statement_of(place).exists())

    def results(self, run: Run) -> Path:
        """Where the results stand, or will stand. Raises InputError where another tool's file is missing."""
        place = self.release(run)
        if place is not None and not place.exists():
            raise InputError(f"The release {place.name} does not exist; correct file in [[release]], or make it.")
        content = run.name if place is None else digest(place)
        field = getattr(run.source, "field", None), getattr(run.source, "id_field", None)
        facts = [version.VERSION, self.comparison.evaluation.setting, self.original, self._read, content, field]
        return self.folder / "evaluations" / run.name / f"results-{_hash(facts)}.json"

    def state(self, run: Run) -> str:
        """ "there", "to evaluate", "to make", or "missing" (another tool's file)."""
        if not self.released(run):
            return "missing" if run.kind == "file" else "to make"
        return "there" if self.results(run).exists() else "to evaluate"


_SUFFIXES = sorted(SUFFIXES, key=len)


def statement_of(release: Path) -> Path:
    """The statement beside a release."""
    return release.with_name(f"{release.name}.privacy.json")


def digest(place: Path) -> str:
    """SHA-256 of a file, or of names and contents of all files of a folder. Raises InputError."""
    try:
        return digest_of_everything(place)
    except OSError as error:
        raise InputError(f"{place} cannot be read ({error.strerror}); check the path.") from None


def option_files(options: Mapping[str, Any]) -> list[Path]:
    """The files and folders that the options of a method name: vocabularies, phrases, models. All are public."""
    named = [one for key in sorted(files()) if key in options for one in _texts(options[key])]
    named += [one for name, one in _detecting(options).items() if name in detector_files() and isinstance(one, str)]
    found = [Path(one) for one in named if Path(one).exists()]
    beside = [one.with_suffix(".txt") for one in found if one.suffix.lower() in (".npy", ".safetensors")]
    return [*found, *(one for one in beside if one.exists())]


def paths_of(options: Mapping[str, Any]) -> list[Path]:
    """Whatever in the options of a method may be the path of a file, whether it is there or not."""
    every = [one for value in options.values() for one in _texts(value)]
    return [Path(one.removeprefix("list:")) for one in every if one.removeprefix("list:")]


def _texts(value: Any) -> list[str]:
    return [one for one in (value.values() if isinstance(value, Mapping) else [value]) if isinstance(one, str)]


def _decides(method: Method) -> list[Any]:
    """What decides a release beside its input, budget and seed: the program, the options, the files they name."""
    listed = str(method.options.get("detect", "")).removeprefix("list:")
    named = [*option_files(method.options), *([Path(listed)] if Path(listed).is_file() else [])]
    facts = {name: value for name, value in asdict(method).items() if name not in ("name", "budgets", "options")}
    own = (*files(), "detect", "detect_options")
    options = {key: value for key, value in method.options.items() if key not in own}
    if finding := _detecting(method.options):
        options["detect_options"] = {
            key: _name(str(one)) if key in detector_files() else one for key, one in finding.items()
        }
    if (secret := method.secret) is not None:
        options["key"] = check_value(secret)
    names = {
        key: [_name(one) for one in _texts(method.options[key])] for key in sorted(files()) if key in method.options
    }
    return [
        version.VERSION, certificates.ANALYSIS, facts, options, names, Path(listed).name,
        [digest(one) for one in named],
    ]  # fmt: skip


def _detecting(options: Mapping[str, Any]) -> Mapping[str, Any]:
    found = options.get("detect_options")
    return found if isinstance(found, Mapping) else {}


def _name(given: str) -> str:
    """A file by its own name, as its content is looked at too; what is no file here by all that was said."""
    return Path(given).name if Path(given).exists() else given


def _hash(facts: Any) -> str:
    try:
        text = json.dumps(facts, sort_keys=True, default=repr)
    except (TypeError, ValueError):
        raise ConfigurationError("An option of the plan cannot be compared with others; write it as text.") from None
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _ends(file: Path, suffix: str) -> bool:
    return file.name.lower().endswith(suffix)
