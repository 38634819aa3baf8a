"""A synthesizer writes new records in the manner of private ones, with a guarantee for a whole record or person.

Three steps, and only the last reads anything private: :meth:`Synthesizer.schedule` fixes every parameter from what is
public (:class:`Order`), :meth:`Synthesizer.prepare` loads models, :meth:`Synthesizer.synthesize` spends what the
schedule says, and no more.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from sfumato.abstract.method import Answering
from sfumato.abstract.vocabulary import SourceFile
from sfumato.errors import ConfigurationError, OutputError
from sfumato.privacy.accounting import Event
from sfumato.privacy.randomness import Randomness, context
from sfumato.storage.atomic import regular, sync_folder, whole, writing
from sfumato.types import FloatArray, Progress

Write = Callable[[Sequence[int], "Progress | None"], Iterator[str]]
"""Yields a text for each of the given codes."""


@dataclass(frozen=True, slots=True)
class Unit:
    """What one unit of privacy (a record, or a person with several) contributed. PRIVATE.

    ``texts`` are at most as many as the order allows, each with the index of its control code among ``codes`` of the
    :class:`Order`.
    """

    texts: tuple[str, ...] = field(repr=False)
    codes: tuple[int, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Order:
    """What is asked for. Everything in it is public.

    Attributes:
        codes: The text of each control code, such as `topic: move`; one empty text where there are no codes. Before
            the private data are read, these are the declared codes alone, and as many topics as a run may keep.
        units: About how many people or records the private data hold, as declared.
        texts_per_unit: At most so many texts of a unit are used.
        wanted: How many records are written.
        epsilon: The ε for everything together, in nats; None: without a guarantee.
        delta: The δ of that guarantee.
        spent: What is spent beside the method itself, on the same units: counts of codes.
        found: How many fields have values that are still to be found. Each multiplies the codes, by three at least:
            two values, and all others.
    """

    codes: tuple[str, ...]
    units: int
    texts_per_unit: int
    wanted: int
    epsilon: float | None
    delta: float
    spent: tuple[Event, ...] = ()
    found: int = 0

    @property
    def least_codes(self) -> int:
        """Return how many control codes there are, or will be: at least for found values, at most for topics."""
        return len(self.codes) * int(3**self.found)


@dataclass(frozen=True)
class Schedule:
    """What a run will do, fixed before a private record is read.

    Attributes:
        events: What the method spends, for the accountant; nothing without a guarantee.
    """

    events: tuple[Event, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the parameters of the run as JSON types, for the statement and a dry run."""
        return {}

    @property
    def seconds(self) -> float | None:
        """Return about how long the run takes on this machine; None where nobody knows."""
        return None

    @property
    def warnings(self) -> tuple[str, ...]:
        """Return what a user should know before anything is paid for, such as that there are too few records."""
        return ()


@dataclass(frozen=True)
class Workspace:
    """Where a run keeps what it could not do again: a folder that only its owner can read. PRIVATE.

    ``randomness`` is the source of all draws; :meth:`uniforms` and :meth:`words` give them their context.
    """

    folder: Path
    randomness: Randomness
    setting: str = ""

    def uniforms(self, purpose: str, number: int, count: int) -> FloatArray:
        """Return ``count`` uniforms in (0, 1] that no other ``purpose`` or ``number`` shares, shape (count,)."""
        names = [context(self.setting, purpose, number)] if self.randomness.keyed else None
        drawn: FloatArray = self.randomness.uniforms(1, count, names)[0]
        return drawn

    def kept(self, name: str) -> Any:
        """Return what was kept under ``name``, as JSON types; None if nothing was.

        Raise OutputError for a file that cannot be read: it is never a reason to draw, and pay, again.
        """
        path = self._place(name)
        try:
            return json.loads(regular(path).read_bytes()) if path.exists() else None
        except (OSError, ValueError, RecursionError):
            raise OutputError(
                f"{path.name}, which an earlier part of this run kept, cannot be read; start a new run (--force), "
                "which costs its epsilon again."
            ) from None

    def keep(self, name: str, content: Any) -> None:
        """Write ``content`` (JSON types) under ``name``: whole, for its owner alone, and synced when this returns."""
        path = self._place(name)
        with writing(path):
            with whole(path, private=True) as file:
                file.write(json.dumps(content).encode())
            sync_folder(self.folder)

    def paid(self, name: str, spend: Callable[[], Any]) -> Any:
        """Return what ``spend`` drew, now or before the run was stopped; it is kept before anything looks at it.

        A draw that was lost before it was kept was seen by nobody. A run that failed because of what it drew, and
        then drew again, would have chosen among draws.
        """
        if (content := self.kept(name)) is None:
            self.keep(name, spend())
            content = self.kept(name)
        return content

    def _place(self, name: str) -> Path:
        return self.folder / f"{name}.json"

    def words(self, purpose: str, number: int) -> Iterator[int]:
        """Yield uniform 64-bit words without end that no other ``purpose`` or ``number`` shares, nor uniforms."""
        named = context(self.setting, "words", purpose, number) if self.randomness.keyed else None
        return self.randomness.words(named)


@dataclass(frozen=True)
class Synthesizer(Answering, ABC):
    """Writes records. Its options are the fields of its dataclass, as for every method."""

    name: ClassVar[str]
    takes_public_fields: ClassVar[bool] = False
    """Whether every record may have a code of its own, which a few records of one code cannot serve."""
    visible: ClassVar[tuple[str, ...]] = ()
    """What a release shows beside the synthetic texts and codes, for the statement."""
    proof: ClassVar[str]
    """Where the analysis is: paper and theorem, and the page."""
    resolution: ClassVar[str] = "sums and noise in floating-point numbers; the analysis is over the real numbers"
    """How precisely it draws, for the statement."""

    @abstractmethod
    def schedule(self, order: Order) -> Schedule:
        """Return what a run for ``order`` does. Reads nothing private.

        Raises ConfigurationError where it makes no sense (too few records), GuaranteeError where no noise is enough.
        """

    @abstractmethod
    def prepare(self, progress: Progress | None = None) -> None:
        """Load models, before anything private is read."""

    @abstractmethod
    def synthesize(
        self,
        order: Order,
        schedule: Any,
        units: Sequence[Unit],
        wanted: Sequence[int],
        workspace: Workspace,
        progress: Progress | None = None,
    ) -> Iterator[str]:
        """Yield a text for each of ``wanted``, which are indices of codes; what is spent is spent at the first one.

        A run that was stopped continues from what its ``workspace`` keeps.
        """

    def check_keeping(self) -> None:
        """Raise ConfigurationError where no model is tuned that could be kept."""
        raise self._keeps_none

    def keep_model(
        self, order: Order, schedule: Any, units: Sequence[Unit], workspace: Workspace, folder: Path,
        facts: Mapping[str, Any],
    ) -> None:  # fmt: skip
        """Keep the model that :meth:`synthesize` tuned in ``folder``, with ``facts``, for more records later."""
        raise self._keeps_none

    def kept_model(self, folder: Path, seed: int) -> tuple[Mapping[str, Any], Write]:
        """Return the facts kept in ``folder``, and what writes texts with its model; ``seed`` decides which."""
        raise self._keeps_none

    @property
    def _keeps_none(self) -> ConfigurationError:
        return ConfigurationError(
            f"{self.name} tunes no model that could be kept; leave out --save-model and --from."
        )

    @property
    @abstractmethod
    def parameters(self) -> Mapping[str, Any]:
        """Return the method's public parameters and models, for the statement; they decide the draws of a seed."""

    @property
    def sources(self) -> Sequence[SourceFile]:
        """Return the public files it was built from; a private input among them is refused."""
        return ()
