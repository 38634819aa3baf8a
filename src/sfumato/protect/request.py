"""What is to be protected, by which policy, and where it goes: everything that a run of protect is told."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sfumato.errors import ConfigurationError, OutputError
from sfumato.evaluation.plan import Plan
from sfumato.files import FileOptions
from sfumato.policy import Policy
from sfumato.protect.signing import own_key

_EXAMPLE = "[accept]\nfound_again_upper = 0.5\nidentifiers_left_upper = 0.05\nutility_lower = 0.5"


@dataclass(frozen=True)
class Request:
    """A run of protect.

    Attributes:
        input: The originals: one file, or a folder of .txt.
        policy: The policy, with its limits.
        name: Where the release goes: NAME.release, and NAME.private beside it for the owner.
        files: How the input is read.
        key: The file of the signing key, which is made at its first use.
        workers: How many processes sanitize.
        overwrite: Replace an earlier NAME.release.
        labels: Fields that an attacker infers, as in an evaluation.
        sample: How many records or words the slowest attacks draw.
        seed: The seed of the attacks; the draws of the release never depend on it.
        trials: Whether changes are tried if the release is not accepted.
        ledger: The address of the ledger that pays; None: that of the policy, if any.
        ledger_key: The file with the ledger's key.
        decisions: The file of decisions of a review; None: nobody reviewed.

    Raises ConfigurationError for a policy without limits, OutputError for a name that is none.
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

    def __post_init__(self) -> None:
        object.__setattr__(self, "files", self._fields_of_policy())
        if not self.policy.accept.limits:
            raise ConfigurationError(
                "The policy does not say when a release is accepted, and without limits none is; write some "
                f"into it, for example\n{_EXAMPLE}"
            )
        if self.name.name in ("", "..") or self.name.suffix in (".release", ".private"):
            raise OutputError(f"{self.name} is not a name for a release; give one without .release.")

    def _fields_of_policy(self) -> FileOptions:
        """Return how the input is read: by the policy's fields where nothing else is said. Unnamed fields go."""
        files, fields = self.files, self.policy.fields
        texts = fields.text if files.fields == FileOptions().fields else files.fields
        keep = files.keep if files.keep is not None else fields.keep or ()
        whose, named = files.subject_field or fields.subject, files.id_field or fields.id
        return replace(files, fields=texts, id_field=named, subject_field=whose, keep=tuple(keep))

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
        field_of_text = self.files.fields[0] if self.files.fields else "text"
        attacks = ("linkage", "tokens", "guarantee", *(("attributes",) if self.labels else ()))
        plan = Plan(attacks=attacks, metrics=("surface", "utility"), field=field_of_text, labels=self.labels)
        return replace(plan, sample=self.sample, seed=self.seed)

    def facts(self) -> dict[str, Any]:
        """Return what a release says of the request."""
        kept = [name for name in (self.files.id_field, *(self.files.keep or ())) if name]
        return {
            "fields": [*self.files.fields, *kept],
            "policy": {"name": self.policy.name, "sha256": self.policy.fingerprint},
            "plan": self.plan.setting,
        }
