"""What a study is: made by name from what an evaluation has at hand, and run on pairs of originals and releases."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

from sfumato.abstract.chat import ChatModel
from sfumato.abstract.method import Answering
from sfumato.abstract.models import Encoder
from sfumato.attacks.claims import Splitter
from sfumato.attacks.mask_inference import Guesser
from sfumato.errors import ConfigurationError
from sfumato.evaluation.pairs import Pairs
from sfumato.evaluation.plan import Plan
from sfumato.evaluation.results import Study
from sfumato.types import Progress


@dataclass(frozen=True, eq=False)
class Bench:
    """What an evaluation has at hand: its plan, an encoder, and what the plan or the caller names beside.

    ``chat`` is the model of ``plan.chat``. ``release`` is the released file, beside which a statement may stand:
    without it there is no study of its guarantee.
    ``splitter`` and ``guesser`` take the places of the usual ones. With ``limits_alone``, studies may leave out the
    figures that no policy limits.
    """

    plan: Plan
    encoder: Encoder
    chat: ChatModel | None = None
    release: Path | None = None
    splitter: Splitter | None = None
    guesser: Guesser | None = None
    limits_alone: bool = False

    def has(self, needs: tuple[str, ...]) -> bool:
        """Return whether everything that a study ``needs`` is at hand."""
        return all(_AT_HAND[need](self) for need in needs)

    @property
    def judge(self) -> ChatModel:
        """Return the language model. Raise ConfigurationError if there is none."""
        if self.chat is None:
            raise ConfigurationError("A language model is asked; name one with --chat-model.")
        return self.chat


_AT_HAND: Mapping[str, Callable[[Bench], bool]] = {
    "labels": lambda bench: bool(bench.plan.labels or bench.plan.tasks),
    "chat": lambda bench: bench.chat is not None,
    "release": lambda bench: bench.release is not None,
    "rounds": lambda bench: bench.plan.rounds is not None,
    "synthetic": lambda bench: not bench.plan.one_to_one,
    "canaries": lambda bench: bench.plan.canaries is not None,
}
"""What a study may need; a study is left out if something that it needs is not at hand."""


class Measure(Answering, ABC):
    """A study: an attack on a release, or a measure of it.

    The :class:`~sfumato.evaluation.results.Study` that :meth:`run` returns bears the name by which it was asked for.
    """

    may_ask: ClassVar[bool] = False
    """Whether it asks a language model where there is one."""
    compared: ClassVar[Mapping[str, Mapping[str, str]]] = {}
    """Figures of synthetic records that are measured of people held out too, with what their settings hold."""

    @classmethod
    def of(cls, bench: Bench) -> Self:  # noqa: ARG003 (a plain study takes nothing)
        """Return the study with what is on the ``bench``."""
        return cls()

    @abstractmethod
    def run(self, pairs: Pairs, progress: Progress | None = None) -> Study:
        """Return figures of these pairs with intervals, and what was left out and why."""
