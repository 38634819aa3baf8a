"""A treatment: what happens to the spans of some kinds in a release that treats several kinds differently."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.abstract.vocabulary import SourceFile
from sfumato.privacy.composition import Composed
from sfumato.privacy.guarantee import Certificate, Guarantee
from sfumato.types import Progress


class Treatment(ABC):
    """What a release says of the treatment of some ``kinds``: its guarantee, or that it has none.

    Attributes:
        kinds: The names of the kinds, as policies and statements give them.
    """

    kinds: Sequence[str]

    @property
    @abstractmethod
    def name(self) -> str:
        """Return the name of the method."""

    @property
    def guarantee(self) -> Guarantee | None:
        """Return the guarantee of one draw; None without a guarantee."""
        return None

    @property
    def certificate(self) -> Certificate | None:
        """Return the numerical check of the guarantee, of the weakest law if there are several."""
        return None

    def prepare(self, progress: Progress | None = None) -> None:  # noqa: B027 (some have nothing to load)
        """Load and certify everything before anything private is read."""

    def cost(self, draws: int, records: int = 1) -> Composed | None:
        """Return the total cost of so many draws of a record among ``records``, in nats; None without a guarantee."""
        return None

    def draws_of_person(self, added: int) -> int:
        """Return for how many draws a person pays at most, whose records took ``added`` altogether."""
        return added

    @property
    def for_subjects(self) -> bool:
        """Return whether a draw is for all records of a person, which does not see the rest of a record."""
        return False

    @property
    def relative_error(self) -> float:
        """Return a bound on the relative error of the probabilities that are drawn from."""
        return 0.0

    @abstractmethod
    def described(self) -> Mapping[str, Any]:
        """Return method, parameters and public inputs, for the statement."""

    @property
    @abstractmethod
    def visible(self) -> Sequence[str]:
        """Return what anyone can see of what it put in."""

    @property
    @abstractmethod
    def facts(self) -> Any:
        """Return everything public that decides its output, as JSON types: keyed draws depend on it."""

    @property
    def sources(self) -> Sequence[SourceFile]:
        """Return the public files that it takes values from."""
        return ()
