"""The flags of a policy, and the advice for a run that names neither a policy nor a method."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from sfumato.cli.options import FoundOptions, MethodOptions
from sfumato.cli.settings import Language, Setting, in_language, settings
from sfumato.errors import ConfigurationError

if TYPE_CHECKING:
    from sfumato.policy import Policy

_CUES = {
    "clinical": r"patient|mrn|diagnos|note|ward|icd|clinic|hospital|medic",
    "court": r"applicant|court|judg|case|verdict|docket",
    "chat": r"messages?|role|conversation|dialogu?e|utterance",
    "support": r"ticket|customer|agent|issue|request|subject",
}
_REASONS = {
    "clinical": "its fields are named like those of clinical notes",
    "court": "its fields are named like those of court files",
    "chat": "its fields are named like those of conversations",
    "support": "nothing in the names of its fields says more, and this policy suits most texts about people",
}
_HEAD = 65_536


@dataclass(frozen=True)
class PolicyFlags:
    """A policy, and changes of it."""

    policy: Annotated[str | None, typer.Option(help="How each kind is treated: NAME or FILE.")] = None
    set: Setting = None
    language: Language = None

    def loaded(self) -> Policy:
        """Return the policy with its changes. Raises ConfigurationError."""
        from sfumato.policy import Policy  # the kinds of value take a while to import

        policy = Policy.load(str(self.policy))
        changes = in_language(self.set, self.language)
        return policy.with_changes(settings(changes)) if changes else policy


def check_alone(method: MethodOptions, detection: FoundOptions, *groups: Any) -> None:
    """Refuse what belongs to a run with one method."""
    others = [
        name for group in groups for name, value in vars(group).items() if value not in (None, False, "", [], ())
    ]
    unusual = [name for name in others if name in ("map_file", "map_key", "chat_model", "rounds", "dry_run")]
    given = [*(["mechanism"] if method.mechanism else []), *(["epsilon"] if method.epsilon is not None else [])]
    given += [*(["detect"] if detection.detect else []), *unusual]
    if given:
        name = given[0].removesuffix("_options").replace("_", "-")
        raise ConfigurationError(
            f"--policy says what is looked for and how it is treated; leave out --{name}, or change the policy with "
            "--set."
        )


def advise(input: Path, encoding: str) -> NoReturn:
    """Say in three lines what a run that names no method would take, and why; exit with code 2."""
    name = _suited(input, encoding)
    typer.echo(
        "Nothing was done: say how what is found is to be treated.\n"
        f"For this input take --policy {name}, because {_REASONS[name]}: `sfumato policy show {name}`.\n"
        "Or take one method for everything, as -m redaction (no guarantee) or -m dp-mlm -e 10: `sfumato list`.",
        err=True,
    )
    raise SystemExit(2)


def _suited(input: Path, encoding: str) -> str:
    """Return the policy that suits the names of the fields of ``input``, in its first lines; never its values."""
    try:
        with input.open("rb") as file:
            head = file.read(_HEAD).decode(encoding, "replace")
    except (OSError, LookupError):
        head = ""
    names: list[str] = []
    if input.suffix == ".jsonl":
        names = re.findall(r'"([^"\n]{1,40})"\s*:', head)
    elif input.suffix in (".csv", ".tsv"):
        names = re.split(r"[,;\t]", head.partition("\n")[0])
    for name, cue in _CUES.items():
        if any(re.search(cue, field, re.IGNORECASE) for field in names):
            return name
    return "support"
