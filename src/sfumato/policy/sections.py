"""The short sections of a policy: what is found, fields, randomness, what follows the draws, what is accepted.

[against] says whom a release protects against, and [accept] what else is asked of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Annotated, Any

from sfumato import registry
from sfumato.abstract.options import OF_SPANS, Described, Option, options_of
from sfumato.errors import ConfigurationError
from sfumato.ledger.accounts import EVERY, Budget
from sfumato.ledger.amounts import DP, DP_DELTA, LDP
from sfumato.policy.refusing import check_known, check_options
from sfumato.policy.suitability import KINDS

_OF_METHODS = "metric-LDP"
"""What stands for the kind in the currency of a run with one method."""
ATTACKERS = {
    "outsiders": "who know names and dates",
    "acquaintances": "who know every replaced value",
    "insiders": "who know facts of the story",
}
"""Who looks for people in a release, and what they know."""


@dataclass(frozen=True)
class Fields:
    """Which fields of a record are what. Raises ConfigurationError if a field has two parts to play."""

    text: Annotated[tuple[str, ...], Option("fields with the texts")] = ("text",)
    id: Annotated[str | None, Option("field with the record's id")] = None
    subject: Annotated[str | None, Option("field that says whom a record is about; else it is about itself")] = None
    keep: Annotated[tuple[str, ...] | None, Option("other fields that stay; all others are left out")] = None

    def __post_init__(self) -> None:
        if not self.text:
            raise ConfigurationError("text names at least one field.")
        kept = self.keep or ()
        if len({*self.text, *kept}) < len(self.text) + len(kept):
            raise ConfigurationError("A field is named twice; a text is replaced or kept, and not both.")


@dataclass(frozen=True)
class Randomness:
    """Where random numbers come from."""

    pin: Annotated[str | None, Option("file with a secret key; else the operating system's randomness")] = None
    scope: Annotated[
        str, Option("record: draws depend on the record as it is marked; subject: a token is drawn once for a person")
    ] = "record"

    def __post_init__(self) -> None:
        if self.scope not in ("record", "subject"):
            raise ConfigurationError("scope is record or subject.")


@dataclass(frozen=True)
class Spending:
    """What may be spent, and where it is kept. Raises ConfigurationError for a budget without a name or a cap."""

    name: Annotated[str | None, Option("the data set, as its ledger calls it")] = None
    ledger: Annotated[str | None, Option("the ledger: a file, or postgresql://...")] = None
    key: Annotated[str | None, Option("file with the ledger's key; else the ledger's name and .key")] = None
    record: Annotated[Mapping[str, Any], Option("caps of a record, by currency")] = field(default_factory=dict)
    subject: Annotated[Mapping[str, Any], Option("caps of a person, by currency")] = field(default_factory=dict)
    dataset: Annotated[Mapping[str, Any], Option("caps of the data set, by currency")] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _ = self.budget
        for caps in self.caps.values():
            check_currencies(caps)

    @property
    def caps(self) -> dict[str, Mapping[str, Any]]:
        """Return the caps by account."""
        every = {"record": self.record, "subject": self.subject, "dataset": self.dataset}
        return {name: caps for name, caps in every.items() if caps}

    @property
    def budget(self) -> Budget | None:
        """Return the budget; None if there are no caps."""
        return Budget.of(self.name or "", self.caps) if self.caps else None


@dataclass(frozen=True)
class Mending:
    """What happens after the draws, from the released text alone."""

    repair: Annotated[bool, Option("mend articles, capitals and spaces at the edges of replacements")] = True


@dataclass(frozen=True)
class Against:
    """Whom a release protects against: the most people that each attacker may find again.

    Each limit is a share of all people, for the end of a 95 % interval. An attacker without a limit is measured all
    the same. Raises ConfigurationError for a limit that is no share, or facts that are no number from 1 to 5.
    """

    outsiders: Annotated[
        float | None, Option("most people that someone may find who knows their names and dates, as a register does")
    ] = None
    acquaintances: Annotated[
        float | None, Option("most people that someone may find who knows every value that was replaced")
    ] = None
    insiders: Annotated[float | None, Option("most people that someone may find who knows facts of their story")] = (
        None
    )
    facts: Annotated[int, Option("how many facts insiders know, 1 to 5")] = 3
    unlimited: Annotated[str, Option("why the other attackers have no limit")] = ""

    def __post_init__(self) -> None:
        _check_shares(self.limits)
        if not 1 <= self.facts <= 5:
            raise ConfigurationError("facts is a number from 1 to 5.")

    @property
    def limits(self) -> dict[str, float]:
        """Return the limits that are set, by attacker."""
        return {name: limit for name in ATTACKERS if (limit := getattr(self, name)) is not None}


_OF_TREATED = ("token_guess_upper", "identifiers_left_upper", "population_unique_upper", "missed_upper")
_OF_SYNTHETIC = ("membership_upper", "copied_upper")


@dataclass(frozen=True)
class Accept:
    """What else `sfumato protect` asks of a release. Each limit is for the end of a 95 % interval.

    Raises ConfigurationError for a limit that is no share, or a table of a population that no limit needs.
    """

    token_guess_upper: Annotated[
        float | None, Option("most replaced words that a masked model may guess from the words around them")
    ] = None
    identifiers_left_upper: Annotated[
        float | None,
        Option("most people of whom a name, code or number may stay that the detector marked"),
    ] = None
    population_unique_upper: Annotated[
        float | None, Option("most people whom nobody else in a public table shares what the release shows with")
    ] = None
    population: Annotated[
        str | None, Option("that table, .csv or .parquet; else the listed places alone", file=True)
    ] = None
    missed_upper: Annotated[
        float | None, Option("most records in which a person's review of a random sample may find a miss")
    ] = None
    membership_upper: Annotated[
        float | None,
        Option("synthetic records: most area under the curve by which members are told from people held out"),
    ] = None
    copied_upper: Annotated[
        float | None,
        Option("synthetic records: most people of whom 20 words in a row are copied, beyond people held out"),
    ] = None
    utility_lower: Annotated[
        float | None,
        Option("least cosine similarity, on average, of a record and its release, or the nearest synthetic record"),
    ] = None

    def __post_init__(self) -> None:
        _check_shares(self.limits)
        if self.population is not None and self.population_unique_upper is None:
            raise ConfigurationError("A table of a population needs its limit; set population_unique_upper.")

    def table(self, folder: Path) -> Path | None:
        """Return the table of a population, relative to ``folder``; None for the places that come with sfumato."""
        return None if self.population in (None, f"{SHIPPED}places") else folder / str(self.population)

    @property
    def limits(self) -> dict[str, float]:
        """Return the limits that are set, by name."""
        named = (*_OF_TREATED, *_OF_SYNTHETIC, "utility_lower")
        return {name: limit for name in named if (limit := getattr(self, name)) is not None}

    @property
    def only_of_treated(self) -> list[str]:
        """Return the limits that are set and that only a release of treated values has."""
        return [name for name in self.limits if name in _OF_TREATED]

    @property
    def only_of_synthetic(self) -> list[str]:
        """Return the limits that are set and that only synthetic records have."""
        return [name for name in self.limits if name in _OF_SYNTHETIC]


def _check_shares(limits: Mapping[str, float]) -> None:
    for name, limit in limits.items():
        if not (math.isfinite(limit) and 0 <= limit <= 1):
            raise ConfigurationError(f"{name} is a share from 0 to 1.")


def check_currencies(names: Iterable[str]) -> None:
    """Raise ConfigurationError if one of the ``names`` of caps is no currency. It repeats no name."""
    for name in names:
        if name not in (EVERY, LDP, DP, DP_DELTA) and not _is_of_a_distance(name):
            raise ConfigurationError(
                f'A cap is for a currency that does not exist; caps are for {LDP}, {DP}, for a kind as in "DATE per '
                f'day" or "PERSON by Euclidean" (`sfumato ledger show` lists them), or for "{EVERY}", all others.'
            )


def _is_of_a_distance(name: str) -> bool:
    """Return whether ``name`` is of a kind, per its unit or by the name of a distance."""
    kind, by, distance = name.partition(" by ")
    if by:
        return bool(distance.strip()) and kind in (*KINDS, _OF_METHODS)
    kind, _, unit = name.partition(" per ")
    return bool(unit) and unit in {traits.unit for known, traits in KINDS.items() if kind in (known, _OF_METHODS)}


SHIPPED = "shipped:"
"""What a list is called by that comes with the package: "shipped:clinical-terms"."""
_LISTS = Path(str(resources.files("sfumato") / "data" / "lists"))


@dataclass(frozen=True)
class Find:
    """The detectors of a policy. Raises ConfigurationError for a name or an option that does not exist."""

    detect: Annotated[tuple[str, ...], Option("what is looked for, as --detect")] = ("identifiers",)
    allow: Annotated[tuple[str, ...], Option("files of texts that stay, or shipped:NAME")] = ()
    deny: Annotated[tuple[str, ...], Option("files of texts that are always marked")] = ()
    options: Annotated[Mapping[str, Any], Option("options of the detectors, as detect.NAME of --set")] = field(
        default_factory=dict
    )
    keep_measures: Annotated[
        bool, Option("doses, laboratory values, scores, and names of genes and instruments stay")
    ] = False

    def __post_init__(self) -> None:
        if not self.detect or len(set(self.detect)) < len(self.detect):
            raise ConfigurationError("detect names at least one detector, and each once.")
        check_options(" ".join(map(_kind, self.detect)), self.options, options_of_detectors(self.detect))

    def files(self, folder: Path) -> tuple[Path, ...]:
        """Return the files that are read, relative to ``folder``."""
        return tuple(path for _, path in self.named_files(folder))

    def named_files(self, folder: Path) -> tuple[tuple[str, Path], ...]:
        """Return the files that are read, relative to ``folder``, each with the key that names it."""
        named = [("[find] detect", name.partition(":")[2]) for name in self.detect]
        named += [(f"[find] {key}", name) for key in ("allow", "deny") for name in getattr(self, key)]
        named += [(f"[find.options] {name}", self.options[name]) for name in self._of_files]
        return tuple((key, _path(folder, name)) for key, name in named if name)

    def arguments(self, folder: Path) -> dict[str, Any]:
        """Return keyword arguments for :func:`sfumato.building.detectors.detector`; files are below ``folder``."""
        own = {OF_SPANS[name]: value for name, value in self.options.items() if name in OF_SPANS}
        return {
            "name": tuple(_below(folder, name) for name in self.detect),
            "options": {
                name: str(folder / value) if name in self._of_files else value
                for name, value in self.options.items()
                if name not in OF_SPANS
            },
            "allow": tuple(_path(folder, name) for name in self.allow),
            "deny": tuple(_path(folder, name) for name in self.deny),
            **own,
        }

    @property
    def _of_files(self) -> list[str]:
        files = [option.name for option in options_of_detectors(self.detect) if option.option.file]
        return [name for name in files if isinstance(self.options.get(name), str)]


def options_of_detectors(names: Iterable[str]) -> list[Described]:
    """Return the options that detectors have. Raise ConfigurationError for a name that does not exist."""
    kinds = list(map(_kind, names))
    for kind in kinds:
        check_known(kind, registry.detectors(), "detect holds a name that is no detector")
    return [option for kind in kinds for option in options_of(registry.detector_class(kind))]


def _path(folder: Path, name: str) -> Path:
    """Return where the list ``name`` is: below ``folder``, or in the package. Raise ConfigurationError."""
    if not name.startswith(SHIPPED):
        return folder / name
    wanted = name.removeprefix(SHIPPED)
    lists = {path.stem: path for path in _LISTS.glob("*.txt")}
    check_known(wanted, lists, "There is no shipped list of this name")
    return lists[wanted]


def _kind(name: str) -> str:
    """Return a detector's name without its file, as the registry knows it."""
    kind, colon, _ = name.partition(":")
    return f"{kind}:FILE" if colon else name


def _below(folder: Path, name: str) -> str:
    kind, colon, file = name.partition(":")
    return f"{kind}:{folder / file}" if colon else name
