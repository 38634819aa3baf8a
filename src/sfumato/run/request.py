"""A run over a file, as every door asks for it: the command line, Python, protect and a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from sfumato.abstract.sanitizer import Sanitizer
from sfumato.building.chat import ChatChoice
from sfumato.building.detectors import detector_files, read_spans
from sfumato.building.offers import Offer
from sfumato.files import FileOptions
from sfumato.ledger import Budget, Head, Ledger
from sfumato.ledger.ledger import key_beside
from sfumato.ledger.store import is_postgres, path_of
from sfumato.privacy.randomness import PinnedRandomness, Randomness, SystemRandomness
from sfumato.release.job import RunOptions
from sfumato.storage.keys import read_secret

if TYPE_CHECKING:
    from sfumato.policy import Policy  # the kinds of value take a while to import

M = TypeVar("M")


@dataclass(frozen=True)
class Named:
    """A method by its ``name``, with what `sfumato.build` takes for it."""

    name: str
    epsilon: float | None = None
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def offer(self) -> Offer:
        """Return what the method takes. Raise ConfigurationError if there is none of this name."""
        return Offer.of(self.name, self.options)

    @property
    def files(self) -> list[Path]:
        """Return the public files that the method is built from."""
        return self.offer.files(self.options)

    @property
    def chat(self) -> ChatChoice | None:
        """Return the language model that the run sets up; None if it sets up none."""
        model = self.options.get("chat_model")
        return ChatChoice(model) if isinstance(model, str) else model if isinstance(model, ChatChoice) else None


@dataclass(frozen=True)
class Request:
    """A run over a file, with everything that decides it. What a policy says holds where nothing else is given.

    Attributes:
        method: A method by its name, a policy, or a sanitizer that was built already.
        input: The file or folder, a pattern, or an address.
        output: Where the release goes.
        options: How the input is read, by how many processes it is sanitized, and what is replaced or resumed.
        randomness: Where random numbers come from; None: from ``pin``, or else the operating system.
        pin: The file of the key of pinned randomness.
        ledger: The ledger that pays, or its address; ``ledger_key`` is the file of its key.
        heads: Heads that the ledger must hold.
        budget: What the ledger must have been begun for.
        map: Where the encrypted map goes; ``map_key`` is its secret key, a file or its bytes.
        rounds: Where it is noted what a language model found.
        decisions: The file of a review, of what a policy marks.
        secrets: Other files with secret keys.
        public: Other public files that the method is built from.
    """

    method: Named | Policy | Sanitizer
    input: Path
    output: Path
    options: RunOptions = field(default_factory=RunOptions)
    randomness: Randomness | None = None
    pin: Path | None = None
    ledger: Ledger | str | Path | None = None
    ledger_key: Path | None = None
    heads: tuple[Head, ...] = ()
    budget: Budget | None = None
    map: Path | None = None
    map_key: Path | bytes | None = None
    rounds: Path | None = None
    decisions: Path | None = None
    secrets: tuple[Path, ...] = ()
    public: tuple[Path, ...] = ()

    def __post_init__(self) -> None:
        if isinstance(self.method, Named | Sanitizer):
            return
        policy, own = self.method, self.randomness is not None and self.randomness.private
        chosen = {
            "pin": self.pin or (None if own else policy.pin),
            "ledger": self.ledger or policy.ledger,
            "ledger_key": self.ledger_key or policy.ledger_key,
            "budget": self.budget or policy.budget.budget,
            "public": (*self.public, *policy.files),
        }
        for name, value in chosen.items():
            object.__setattr__(self, name, value)

    @property
    def files(self) -> FileOptions:
        """Return how the input is read."""
        return self.options.files

    @property
    def keyed(self) -> bool:
        """Return whether draws depend on a key or a seed."""
        return self.pin is not None or (self.randomness is not None and self.randomness.keyed)

    def drawn(self) -> Randomness:
        """Return where random numbers come from. Raise ConfigurationError for a key that cannot be used."""
        if self.randomness is not None:
            return self.randomness
        return SystemRandomness() if self.pin is None else PinnedRandomness(read_secret(self.pin, "the key file"))

    @property
    def reads_spans(self) -> bool:
        """Return whether what finds the spans reads some from a field."""
        if isinstance(self.method, Sanitizer):
            return True
        return read_spans(self.method.offer.detectors if isinstance(self.method, Named) else self.method.find.detect)

    @property
    def built_from(self) -> list[Path]:
        """Return the public files that the method is built from: a private input among them is refused."""
        return [*self.public, *(self.method.files if isinstance(self.method, Named) else ())]

    @property
    def read(self) -> list[Path]:
        """Return every file beside the input that the run reads and that is no secret key."""
        others = [path for path in (self.decisions, self._ledger_file) if path is not None]
        if isinstance(self.method, Named):
            options, offer = self.method.options, self.method.offer
            others += detector_files(offer.detectors, options.get("allow") or (), options.get("deny") or ())
        return [*self.built_from, *others]

    @property
    def keys(self) -> list[Path]:
        """Return the files of all secret keys."""
        ledger = self._ledger_file
        of_ledger = self.ledger_key if ledger is None else key_beside(str(ledger), self.ledger_key)
        named = (self.pin, self.map_key, of_ledger)
        return [*self.secrets, *(path for path in named if isinstance(path, Path))]

    @property
    def _ledger_file(self) -> Path | None:
        """Return the file of the ledger; None without one, or if it is open already or in a database."""
        if self.ledger is None or isinstance(self.ledger, Ledger) or is_postgres(str(self.ledger)):
            return None
        return Path(path_of(str(self.ledger)))


def read_as(method: M, named: Mapping[str, Any]) -> tuple[M, FileOptions]:
    """Return how a file is read: as the ``named`` fields of `FileOptions` say, and else by the fields of a policy.

    A name that is None was not named. The method comes back as well: a policy is about the person whom the options
    name, if they name one. Of other fields a policy keeps those that somebody names.
    """
    options: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in named.items()
    }
    if not isinstance(method, Named | Sanitizer | str):
        from sfumato.building.policies import read_by

        method, options = read_by(method, options)  # type: ignore[arg-type, assignment]
    return method, FileOptions(**{name: value for name, value in options.items() if value is not None})
