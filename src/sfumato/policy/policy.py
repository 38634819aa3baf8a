"""A policy: what is looked for in a record, how every kind of value is treated, and at what ε."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar

from sfumato.documents.rules import Rules
from sfumato.errors import ConfigurationError
from sfumato.kinds.registry import KINDS as CLASSES
from sfumato.ledger.store import is_postgres, path_of
from sfumato.options.option import Option, options_of
from sfumato.options.typed import typed
from sfumato.policy.changes import changed
from sfumato.policy.limits import Accept, Against
from sfumato.policy.refusing import check_known, check_options, nearest, placed, quoted
from sfumato.policy.rule import Rule
from sfumato.policy.sections import Fields, Find, Mending, Polish, Randomness, Spending
from sfumato.policy.suitability import KINDS
from sfumato.policy.synthesizing import Synthesize, check_synthesis
from sfumato.policy.tables import (
    digest_of_draws,
    made,
    shipped_content,
    shipped_names,
    table_of,
    tables_in,
    tables_of,
    written,
)

_SECTIONS: Mapping[str, type[Any]] = {
    "find": Find, "treat_others": Rule, "fields": Fields, "randomness": Randomness, "release": Mending,
    "polish": Polish, "budget": Spending, "synthesize": Synthesize, "against": Against, "accept": Accept,
    "documents": Rules,
}  # fmt: skip


@dataclass(frozen=True)
class _Header:
    name: Annotated[str, Option("what the policy is called")] = ""
    about: Annotated[str, Option("what it is for, in a line")] = ""


_KEYS = ("name", "about", "treat", "kinds", *_SECTIONS)


@typed
@dataclass(frozen=True)
class Policy:
    """Everything that decides a release except its input. `sfumato.build_policy` builds a sanitizer of it.

    Raises ConfigurationError if a kind or a label is treated twice, or if nothing is treated.

    Attributes:
        treat: The treatments. A label is looked up before the kind of the value.
        treat_others: The treatment of all kinds that no treatment names; a label in place of the value by default.
        name: What the policy is called.
        about: What it is for.
        find: The detectors.
        fields: What the fields of a record are.
        randomness: Where random numbers come from.
        release: What happens after the draws.
        polish: The language model that rewrites the release, as `sfumato protect` carries it out.
        folder: The folder that file names of the policy are relative to.
        kinds: Options of kinds of value, by kind: {"DATE": {"day_first": False}}.
        budget: What may be spent, and the ledger where that is kept.
        synthesize: How new records are written in place of treating values; then nothing is treated.
        against: Whom a release protects against, as `sfumato protect` judges it.
        accept: What else `sfumato protect` asks of a release.
        documents: What becomes of the parts of a document beside its text.
    """

    taken_by: ClassVar[str] = "sfumato.build_policy"
    """What takes a policy, for an error of what takes a method alone."""

    treat: tuple[Rule, ...]
    treat_others: Rule = field(default_factory=lambda: Rule(method="label"))
    name: str = ""
    about: str = ""
    find: Find = field(default_factory=Find)
    fields: Fields = field(default_factory=Fields)
    randomness: Randomness = field(default_factory=Randomness)
    release: Mending = field(default_factory=Mending)
    folder: Path = field(default=Path(), compare=False)
    kinds: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    budget: Spending = field(default_factory=Spending)
    synthesize: Synthesize = field(default_factory=Synthesize)
    against: Against = field(default_factory=Against)
    accept: Accept = field(default_factory=Accept)
    polish: Polish = field(default_factory=Polish)
    documents: Rules = field(default_factory=Rules)

    def __post_init__(self) -> None:
        seen: dict[tuple[str, str], int] = {}
        for number, treatment in enumerate(self.treat, 1):
            names = [*(("kind", kind) for kind in treatment.kinds), *(("label", label) for label in treatment.labels)]
            if not names:
                raise ConfigurationError(f"{_of_treatment(number)}: Name the kinds or labels that are treated so.")
            for what, name in names:
                if (before := seen.setdefault((what, name), number)) != number:
                    shown = name if what == "kind" else "One label"
                    raise ConfigurationError(
                        f"{_of_treatment(number)}: {shown} has a treatment already, in number {before}; keep one."
                    )
        for kind, options in self.kinds.items():
            check_known(kind, CLASSES, "[kinds] holds a name that is no kind")
            if not isinstance(options, Mapping):
                raise ConfigurationError(f"[kinds.{kind}]: This is a table of options.")
            check_options(f"the kind {kind}", options, options_of(CLASSES[kind]))
        if self.treat_others.kinds or self.treat_others.labels:
            raise ConfigurationError("[treat_others]: It is for all kinds that no [[treat]] names; leave out kinds.")
        try:
            self.treat_others.check_kinds([kind for kind in KINDS if ("kind", kind) not in seen])
        except ConfigurationError as error:
            raise placed(error, "[treat_others]") from None
        _ = self.options_of_methods
        check_synthesis(self)
        self.polish.check_beside(rule.name for rule in (*self.treat, self.treat_others))
        if self.randomness.scope == "subject" and self.fields.subject is None:
            raise ConfigurationError("[randomness]: Draws for a subject need its field; name subject in [fields].")

    # Where a policy comes from.

    @classmethod
    @typed
    def load(cls, name: str | Path) -> Policy:
        """Return the shipped policy called ``name``, or else that of the TOML file; a `Path` is always a file.

        Raise ConfigurationError, which names file and section, never a value, or suggests the nearest name.
        """
        path = Path(name)
        if isinstance(name, str) and (name in shipped_names() or not (path.suffix or path.exists())):
            return cls.of(tables_in(shipped_content(name).encode()))
        tables = tables_of(path)
        try:
            return cls.of(tables, path.parent)
        except ConfigurationError as error:
            raise placed(error, path.name) from None

    @classmethod
    @typed
    def parse(cls, toml: str, folder: Path = Path()) -> Policy:
        """Return the policy that ``toml`` says. Raise ConfigurationError."""
        return cls.of(tables_in(toml.encode("utf-8", "surrogatepass")), folder)

    @classmethod
    @typed
    def of(cls, tables: Mapping[str, Any], folder: Path = Path()) -> Policy:
        """Return the policy of the ``tables`` of a file. Raise ConfigurationError, which names the section."""
        for key in tables:
            if key not in _KEYS:
                raise ConfigurationError(f"A policy has no such key ({quoted(key)}){nearest(key, _KEYS)}")
        treatments = tables.get("treat", [])
        if not isinstance(treatments, Sequence) or isinstance(treatments, str):
            raise ConfigurationError("[[treat]]: This is a list of tables; write it in double brackets.")
        if not treatments and "treat_others" not in tables and "synthesize" not in tables:
            raise ConfigurationError(
                "The policy treats nothing; write a [[treat]], a [treat_others], or a [synthesize]."
            )
        header = made(_Header, {key: tables[key] for key in ("name", "about") if key in tables}, "At the top")
        sections = {
            key: made(section, tables[key], f"[{key}]") for key, section in _SECTIONS.items() if key in tables
        }
        if "synthesize" in sections:
            if not sections["synthesize"]:
                raise ConfigurationError("[synthesize]: Name the method: finetune, predict or evolve.")
            if "treat_others" in tables:
                raise ConfigurationError(
                    "[treat_others]: New records are written, and no value is treated; leave it out."
                )
        treat = tuple(made(Rule, one, _of_treatment(number)) for number, one in enumerate(treatments, 1))
        kinds = tables.get("kinds", {})
        if not isinstance(kinds, Mapping):
            raise ConfigurationError("[kinds]: This is a table of kinds.")
        return cls(treat, name=header.name, about=header.about, folder=folder, kinds=kinds, **sections)

    @typed
    def with_changes(self, changes: Mapping[str, str]) -> Policy:
        """Return the policy after changes by path, such as ``{"treat.DATE.epsilon": "0.5"}``.

        Raise ConfigurationError for a path that does not exist, or a value that cannot be.
        """
        tables = changed(self.as_tables(), changes)
        try:
            return Policy.of(tables, self.folder)
        except ConfigurationError as error:
            raise placed(error, "--set") from None

    # What it says.

    @typed
    def treatment_of(self, kind: str) -> Rule:
        """Return how values of ``kind`` are treated."""
        return next((treatment for treatment in self.treat if kind in treatment.kinds), self.treat_others)

    @typed
    def treatment_of_label(self, label: str) -> Rule | None:
        """Return how spans with ``label`` are treated, or None if their kind decides."""
        return next((treatment for treatment in self.treat if label in treatment.labels), None)

    @property
    def limits(self) -> dict[str, float]:
        """Return what is asked of a release, by name: of each attacker, and everything else."""
        return {**self.against.limits, **self.accept.limits}

    @property
    def options_of_methods(self) -> dict[str, Any]:
        """Return the options of all methods without a guarantee, which share one procedure.

        Raise ConfigurationError if two treatments give an option two values.
        """
        options: dict[str, Any] = {}
        for rule in (*self.treat, self.treat_others):
            for name, value in rule.options.items() if not rule.has_guarantee else ():
                if options.setdefault(name, value) != value:
                    raise ConfigurationError(f"Two treatments without a guarantee give {name} two values; keep one.")
        return options

    @property
    def files(self) -> tuple[Path, ...]:
        """Return the public files that the policy names."""
        return (*self.find.files(self.folder), *filter(None, [self.population]))

    @property
    def population(self) -> Path | None:
        """Return the table in which people are counted who share what is shown; None for the listed places."""
        return self.accept.table(self.folder)

    @property
    def pin(self) -> Path | None:
        """Return the file with the secret key of pinned randomness, or None."""
        return None if self.randomness.pin is None else self.folder / self.randomness.pin

    @property
    def ledger(self) -> str | None:
        """Return the address of the ledger, whose file is relative to the policy's folder; None if none is named."""
        url = self.budget.ledger
        return url if url is None or is_postgres(url) else str(self.folder / path_of(url))

    @property
    def ledger_key(self) -> Path | None:
        """Return the file with the ledger's key, or None."""
        return None if self.budget.key is None else self.folder / self.budget.key

    def check_files(self) -> None:
        """Raise ConfigurationError if a file that the policy names does not exist."""
        single = (("[randomness] pin", self.pin), ("[accept] population", self.population))
        for place, path in (*self.find.named_files(self.folder), *single):
            if path is not None and not path.is_file():
                raise ConfigurationError(
                    f"{place} names a file that does not exist ({path.name}); write it, correct its name, or leave "
                    "it out."
                )

    def check_treats(self) -> None:
        """Raise ConfigurationError if values are not treated, because new records are written in their place."""
        if self.synthesize:
            raise ConfigurationError(
                "This policy writes new records in place of treating values; `sfumato protect` carries it out."
            )

    def as_tables(self) -> dict[str, Any]:
        """Return the policy as the tables of its file, without what is a default."""
        header = {key: value for key in ("name", "about") if (value := getattr(self, key))}
        treat = [table_of(treatment) for treatment in self.treat]
        sections = {key: table_of(getattr(self, key)) for key in _SECTIONS}
        kinds = {kind: dict(options) for kind, options in self.kinds.items()}
        tables = {"find": sections.pop("find"), "kinds": kinds, "treat": treat, **sections}
        if self.synthesize:
            del tables["treat_others"]
        return header | {key: value for key, value in tables.items() if value}

    def as_toml(self) -> str:
        """Return the policy as a file that reads as the same policy."""
        return written(self.as_tables())

    @property
    def fingerprint(self) -> str:
        """Return a hash of everything public that decides the draws; of lists, their names alone.

        A hash over the content of a list would confirm a guess at who is on it.

        The order of treatments, the name, the key of pinned randomness, the budget, a polish and what is accepted do
        not enter: nothing of them decides a draw.
        Raise ConfigurationError for a file that does not exist.
        """
        self.check_files()
        return digest_of_draws(self.as_tables(), self.randomness.scope)


def _of_treatment(number: int) -> str:
    return f"[[treat]] number {number}"
