"""The short sections of a policy: what is found, fields, randomness, what may be spent, what follows the draws."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Annotated, Any

from sfumato import registry
from sfumato.errors import ConfigurationError
from sfumato.heuristics.redaction import RESTORED
from sfumato.language.languages import ENGLISH, LANGUAGES, language_of
from sfumato.language.lists import has_lists
from sfumato.ledger.accounts import EVERY, Budget
from sfumato.ledger.amounts import DP, DP_DELTA, LDP
from sfumato.options.option import OF_SPANS, Described, Option, options_of
from sfumato.policy.refusing import check_known, check_options
from sfumato.policy.suitability import KINDS

_LOCAL = "local:"
AUTO, LABEL, REFUSE = "auto", "label", "refuse"
_OF_METHODS = "metric-LDP"
"""What stands for the kind in the currency of a run with one method."""


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
class Polish:
    """The language model that rewrites a release after its draws, on this machine: nothing is accepted by then.

    Raises ConfigurationError for a model that is not on this machine.
    """

    chat_model: Annotated[
        str, Option("the model that rewrites the release, on this machine: local:smollm2 or local:FOLDER")
    ] = ""

    def __post_init__(self) -> None:
        if self.chat_model and not self.chat_model.removeprefix(_LOCAL).strip():
            raise ConfigurationError(f"Name the model: {_LOCAL}smollm2, or {_LOCAL} and a folder.")
        if self.chat_model and not self.chat_model.startswith(_LOCAL):
            raise ConfigurationError(
                "A model at an address would get the release before it is accepted; name one on this machine "
                f"({_LOCAL}smollm2 or {_LOCAL}FOLDER), or polish the accepted release with `sfumato polish`."
            )

    def __bool__(self) -> bool:
        return bool(self.chat_model)

    def check_beside(self, methods: Iterable[str]) -> None:
        """Raise ConfigurationError if what one of ``methods`` puts in place of a value has to stay as it is."""
        if self and (name := next((name for name in methods if name in RESTORED), None)):
            raise ConfigurationError(
                f"[polish]: Names are restored, or records joined, by what {name} puts in place of a value, and a "
                "rewriting would lose it; treat by another method, or leave out [polish]."
            )


@dataclass(frozen=True)
class Mending:
    """What happens after the draws, from the released text alone."""

    repair: Annotated[bool, Option("mend articles, capitals and spaces at the edges of replacements")] = True


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
    language: Annotated[
        str, Option(f"language of the texts: {', '.join(LANGUAGES)}; several with blanks, or auto: by record")
    ] = "en"
    other_languages: Annotated[
        str,
        Option(
            "records in another language: refuse; or label, by which marks become labels where none of several "
            "languages is shown, and records are warned of where one is set"
        ),
    ] = LABEL

    def __post_init__(self) -> None:
        if "language" in self.options:
            raise ConfigurationError("language is a key of [find] itself, because it is that of the kinds as well.")
        if self.other_languages not in (LABEL, REFUSE):
            raise ConfigurationError(f"other_languages is {LABEL} or {REFUSE}.")
        _ = self.languages
        if not self.detect or len(set(self.detect)) < len(self.detect):
            raise ConfigurationError("detect names at least one detector, and each once.")
        check_options(" ".join(map(_kind, self.detect)), self.options, options_of_detectors(self.detect))
        if self.languages != (ENGLISH.code,):
            self._check_reading()

    def _check_reading(self) -> None:
        """Raise ConfigurationError if the only detector of names in another language is a pipeline for English."""
        options = {kind: {each.name for each in options_of_detectors([kind])} for kind in map(_kind, self.detect)}
        english = [kind for kind, own in options.items() if "pipeline" in own and "language" not in own]
        if english and "pipeline" not in self.options and "identifiers" not in options:
            raise ConfigurationError(
                f"detect: {english[0]} reads English with its usual pipeline, and would miss what is in another "
                "language; name identifiers as well, or a pipeline of the language (detect.pipeline)."
            )

    @property
    def languages(self) -> tuple[str, ...]:
        """Return the codes of the languages that records are treated in.

        Raise ConfigurationError for a language that the program does not know.
        """
        if self.language == AUTO:
            return tuple(code for code in LANGUAGES if has_lists(code, "names"))  # others have no names to write
        codes = self.language.split()
        for code in codes:
            language_of(code, AUTO)
        if not codes or len(set(codes)) < len(codes):
            raise ConfigurationError("language names a language, or several, each once.")
        return tuple(codes)

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
        known = {option.name for option in options_of_detectors(self.detect)}
        read = {"language": self.language if len(self.languages) == 1 else AUTO}
        read = read if "language" in known and self.language != ENGLISH.code else {}
        return {
            "name": tuple(_below(folder, name) for name in self.detect),
            "options": read
            | {
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
