"""The section of a policy that writes whole new records in place of treating values: [synthesize]."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

from sfumato import registry
from sfumato.errors import ConfigurationError
from sfumato.options.option import Option
from sfumato.policy.refusing import check_known, quoted
from sfumato.policy.rule import Rule
from sfumato.policy.sections import Mending, Randomness
from sfumato.policy.tables import table_of
from sfumato.privacy.guarantee import checked_epsilon

if TYPE_CHECKING:
    from sfumato.policy.policy import Policy


_MOST_CANARIES = 10_000


@dataclass(frozen=True)
class Synthesize:
    """How records are written in the manner of the originals, and what a whole record or person may pay for it.

    Nothing is written without an ε. Raises ConfigurationError for a method that does not exist or has no ε, and for
    numbers that cannot be.
    """

    method: Annotated[str, Option("how records are written: finetune, predict or evolve")] = ""
    epsilon: Annotated[float | None, Option("the privacy loss of a whole record or person")] = None
    delta: Annotated[float | None, Option("delta; else a tenth of 1 over the units, and 1e-6 at most")] = None
    units: Annotated[
        int, Option("about how many records or people there are; public, as the noise depends on it")
    ] = 0
    records: Annotated[int, Option("how many records are written; 0: as many as the units")] = 0
    codes: Annotated[
        Mapping[str, Any], Option("fields that say what a record is about, each with its values, or [] to find them")
    ] = field(default_factory=dict)
    topics: Annotated[
        int, Option("how many public topics say what a record is about at most, read off its text; 0: none")
    ] = 0
    texts_per_unit: Annotated[int, Option("how many records of a person are used at most")] = 1
    held_out: Annotated[
        float | None, Option("the share of people who are left out of the synthesis, so that attacks have a measure")
    ] = 0.25
    canaries: Annotated[
        int, Option("made-up secrets that are read as records of their own, to see whether they come out again")
    ] = 0
    options: Annotated[Mapping[str, Any], Option("further options of the method")] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.method:
            if table_of(self):
                raise ConfigurationError("Name the method: finetune, predict or evolve.")
            return
        check_known(self.method, registry.synthesizers(), "method holds a name that is no way to write records")
        if self.epsilon is None:
            raise ConfigurationError("A synthesis has one epsilon, for a whole record or person; name it.")
        checked_epsilon(self.epsilon)
        if self.held_out is None or not 0.05 <= self.held_out <= 0.5:
            raise ConfigurationError("held_out is a share from 0.05 to 0.5.")
        for name, values in self.codes.items():
            if not isinstance(values, list | tuple) or not all(isinstance(value, str) for value in values):
                raise ConfigurationError(
                    f"codes: {quoted(name)} has a list of texts, or [] where they are to be found."
                )
        if self.topics < 0:
            raise ConfigurationError("topics is how many public topics are kept at most, or 0.")
        if self.units < 0 or self.records < 0 or self.texts_per_unit < 1:
            raise ConfigurationError("units and records are 0 or more, and texts_per_unit 1 or more.")
        if not 0 <= self.canaries <= _MOST_CANARIES:
            raise ConfigurationError(f"canaries is a number from 0 to {_MOST_CANARIES:,}.")

    def __bool__(self) -> bool:
        return bool(self.method)


_TREATED = "[synthesize]: New records are written, and no value is treated; leave out [[treat]] and [treat_others]."
_LEFT_OUT = "; leave it out."


def check_synthesis(policy: Policy) -> None:
    """Refuse what has no place beside a synthesis, and limits that the other way to a release has alone."""
    treats = bool(policy.treat) or policy.treat_others != Rule(method="label")
    for is_beside, reason in (
        (treats, _TREATED),
        (policy.randomness != Randomness(), f"[randomness]: A synthesis draws from the operating system{_LEFT_OUT}"),
        (policy.release != Mending(), f"[release]: No edge of a replacement is mended in new records{_LEFT_OUT}"),
        (bool(policy.polish), f"[polish]: A language model wrote the new records already{_LEFT_OUT}"),
    ):
        if policy.synthesize and is_beside:
            raise ConfigurationError(reason)
    if policy.synthesize and policy.accept.canaries_upper is not None and not policy.synthesize.canaries:
        raise ConfigurationError(
            "[accept]: canaries_upper is about planted canaries, and none is planted; set canaries in [synthesize]."
        )
    wrong = policy.accept.only_of_treated if policy.synthesize else policy.accept.only_of_synthetic
    if wrong:
        whose = "values that are treated" if policy.synthesize else "synthetic records ([synthesize])"
        raise ConfigurationError(f"[accept]: {wrong[0]} is a limit of {whose}; leave it out.")
