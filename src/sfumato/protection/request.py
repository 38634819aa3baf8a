"""What is to be protected, by which policy, and where it goes: everything that a run of protect is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sfumato.attacks.population_files import LISTED, population_of
from sfumato.building.policies import read_by
from sfumato.errors import ConfigurationError, OutputError
from sfumato.evaluation.pairs import Pairs
from sfumato.evaluation.plan import Plan
from sfumato.evaluation.studies._labels import inferable
from sfumato.files import FileOptions, Source, open_input
from sfumato.options.typed import typed
from sfumato.policy import Policy
from sfumato.policy.sections import Polish
from sfumato.protection.signing import own_key
from sfumato.release.job import RunOptions
from sfumato.run import checks
from sfumato.run.request import Request as Run

_EXAMPLE = "[against]\nacquaintances = 0.5\n[accept]\nidentifiers_left_upper = 0.05\nutility_lower = 0.5"


@typed
@dataclass(frozen=True)
class Request:
    """A run of protect.

    Attributes:
        input: The originals: one file, or a folder of .txt.
        policy: The policy, with its limits.
        name: Where the release goes: NAME.release, and NAME.private beside it for the owner.
        files: How the input is read; None: as the policy's fields say. Fields that are not named go.
        key: The file of the signing key, which is made at its first use.
        workers: How many processes sanitize.
        overwrite: Replace an earlier NAME.release, and give up an attempt that was paid for and stopped.
        resume: Continue the attempt that was paid for and stopped; nothing is paid again.
        labels: Fields that an attacker infers, as in an evaluation.
        sample: How many records or words the slowest attacks draw.
        seed: The seed of the attacks; the draws of the release never depend on it.
        trials: Whether changes are tried if the release is not accepted.
        ledger: The address of the ledger that pays; None: that of the policy, if any.
        ledger_key: The file with the ledger's key.
        decisions: The file of decisions of a review; None: nobody reviewed.
        anyway: Go on although a limit cannot hold with so few records.

    Raises ConfigurationError for a policy without limits and where records may be set aside that have no ids,
    OutputError for a name that cannot be used.
    """

    input: Path
    policy: Policy
    name: Path
    files: FileOptions = field(default_factory=FileOptions)
    key: Path = field(default_factory=own_key)
    workers: int = 1
    overwrite: bool = False
    labels: tuple[str, ...] = ()
    sample: int = 500
    seed: int = 0
    trials: bool = True
    ledger: str | None = None
    ledger_key: Path | None = None
    decisions: Path | None = None
    anyway: bool = False
    resume: bool = False

    def __post_init__(self) -> None:
        unnamed = FileOptions()
        own = {name: getattr(self.files, name) for name in ("fields", "id_field", "subject_field", "keep")}
        named = {name: value for name, value in own.items() if value != getattr(unnamed, name)}
        policy, fields = read_by(self.policy, named)
        codes = tuple(policy.synthesize.codes)
        object.__setattr__(self, "policy", policy)
        object.__setattr__(self, "files", replace(self.files, **fields).reading((*self.labels, *codes)))
        if policy.synthesize:
            self._check_synthesis()
        _ = self.plan  # an attack that cannot be is refused here
        if not self.policy.limits:
            raise ConfigurationError(
                "The policy does not say when a release is accepted, and without limits none is; write some "
                f"into it, for example\n{_EXAMPLE}"
            )
        if self.files.on_error == "quarantine" and self.files.id_field is None and not self.input.is_dir():
            raise ConfigurationError(
                "A record that is set aside moves those after it to other places, so that attacks would compare "
                "originals with the releases of others; name the field of the id (--id-field), or leave out "
                "--on-error quarantine."
            )
        if self.name.name in ("", "..") or self.name.suffix in (".release", ".private"):
            raise OutputError(f"{self.name} is not a name for a release; give one without .release.")

    def _check_synthesis(self) -> None:
        """Refuse what a synthesis has no place for."""
        if self.labels:
            raise ConfigurationError("Synthetic records have no fields to infer (--label); leave it out.")
        if self.files.keep:
            raise ConfigurationError(
                "A synthetic record keeps no field of an original; name it in codes, where it is counted with noise, "
                "or leave it out."
            )
        if not self.files.one_text:
            raise ConfigurationError("A synthetic record has one text; name one field (--field).")

    @property
    def release(self) -> Path:
        """Return the folder that an accepted release gets."""
        return self.name.with_name(f"{self.name.name}.release")

    @property
    def private(self) -> Path:
        """Return the folder for the owner alone."""
        return self.name.with_name(f"{self.name.name}.private")

    @property
    def plan(self) -> Plan:
        """Return the attacks and measures that are run on the release."""
        counted = self.policy.accept.population_unique_upper is not None
        attacks = ("linkage", "tokens", "guarantee", "population") if counted else ("linkage", "tokens", "guarantee")
        guessed = ("attributes",) if self.labels else ()
        plan = Plan(
            attacks=(*attacks, *guessed), metrics=("surface", "utility"), field=self.files.fields[0],
            labels=self.labels, population=str(self.policy.population or LISTED) if counted else None,
        )  # fmt: skip
        return replace(plan, claims=self.policy.against.facts, sample=self.sample, seed=self.seed)

    @property
    def drawn_by(self) -> Policy:
        """Return the policy without what follows its draws."""
        return replace(self.policy, polish=Polish())

    @property
    def fields(self) -> list[str]:
        """Return the fields of a record that the release holds."""
        files = self.files
        if self.policy.synthesize:
            return [*files.fields, *self.policy.synthesize.codes]
        return [*files.fields, *(name for name in (files.id_field, *(files.keep or ())) if name)]

    def run(self, data: Path, resume: bool = False) -> Run:
        """Return the run that makes the release, which goes to ``data``."""
        options = RunOptions(replace(self.files, labels=()), self.workers, resume=resume)
        return Run(
            self.drawn_by, self.input, data, options, ledger=self.ledger, ledger_key=self.ledger_key,
            decisions=self.decisions, secrets=(self.key,),
        )  # fmt: skip

    def facts(self) -> dict[str, Any]:
        """Return what a release says of the request."""
        return {
            "fields": self.fields,
            "policy": {"name": self.policy.name, "sha256": self.policy.fingerprint},
            "plan": self.plan.setting,
        }


def check_input(request: Request) -> None:
    """Look at the first records before anything is built. Raise what the run would raise for them."""
    source = open_input(request.input, request.files)
    if source.kind == "shards":
        raise ConfigurationError("protect takes one file, or a folder of .txt; join the files, or protect each.")
    run = request.run(request.release)
    checks.check_request(run)
    checks.check_input(run, source)
    if (table := request.plan.population) is not None:
        population_of(table)  # one that cannot be read is refused before anything is built
    _check_labels(request, source)


def _check_labels(request: Request, source: Source) -> None:
    """Raise ConfigurationError if an attacker cannot infer one of the labels, whose study would be empty."""
    if not request.labels:
        return
    documents = [document for chunk in source.chunks() for document in chunk.documents]
    pairs = Pairs(
        ids=[document.id for document in documents],
        originals=[document.text for document in documents],
        released=[None] * len(documents),
        fields=[document.metadata for document in documents],
    )
    for name in request.labels:
        try:
            inferable(name, pairs)
        except ConfigurationError as error:
            raise ConfigurationError(f"--label {name} cannot be inferred: {error}") from None


def public(policy: Policy) -> Policy:
    """Return ``policy`` without what is nobody else's business: addresses, keys, and the folders of its files."""
    find = policy.find
    bare = replace(
        find,
        detect=tuple(map(_bare, find.detect)),
        allow=tuple(map(_bare, find.allow)),
        deny=tuple(map(_bare, find.deny)),
        options=_bare_options(find.options),
    )
    treat = tuple(replace(rule, options=_bare_options(rule.options)) for rule in policy.treat)
    others = replace(policy.treat_others, options=_bare_options(policy.treat_others.options))
    spending = replace(policy.budget, ledger=None, key=None)
    pinless = replace(policy.randomness, pin=None)
    accept = replace(policy.accept, population=policy.accept.population and _bare(policy.accept.population))
    return replace(
        policy, find=bare, treat=treat, treat_others=others, randomness=pinless, budget=spending, accept=accept,
        polish=Polish(_bare(policy.polish.chat_model)),
    )  # fmt: skip


def _bare_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``options`` without the folders of files."""
    return {name: _bare(value) if isinstance(value, str) else value for name, value in options.items()}


def _bare(name: str) -> str:
    """Return ``name``, as ``list:FILE`` or ``FILE``, without the folder of the file."""
    what, colon, path = name.rpartition(":")
    return f"{what}{colon}{Path(path).name}"
