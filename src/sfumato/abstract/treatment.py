"""A treatment: what happens to the spans of some kinds in a release, and what that promises.

A Sanitizer has one treatment for each kind that it treats by itself, and one for everything else. A method by its
name is a Sanitizer with one treatment alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

from sfumato.abstract.batch import Batch, Made, Outputs, PlannedDraws
from sfumato.abstract.method import Method
from sfumato.abstract.vocabulary import SourceFile
from sfumato.errors import GuaranteeError
from sfumato.privacy.composition import Composed
from sfumato.privacy.guarantee import Certificate, Guarantee
from sfumato.text.marks import Layout
from sfumato.types import IntArray, Progress

if TYPE_CHECKING:
    from sfumato.abstract.contextual import ContextualMechanism
    from sfumato.abstract.detector import Detector
    from sfumato.abstract.law import Law
    from sfumato.abstract.mechanism import Mechanism


class Treatment(ABC):
    """What replaces the spans of some ``kinds``: its guarantee, or that it has none, and how it does it.

    Attributes:
        kinds: The names of the kinds, as policies and statements give them; none for what treats every kind.
        run_key: Secret bytes of this run that draws for subjects come from; empty for other draws.
    """

    kinds: Sequence[str] = ()
    run_key: bytes = b""
    as_found: ClassVar[bool] = False
    """Whether spans are replaced as the detector marks them: none is widened, and no other mention is marked."""
    in_context: ClassVar[bool] = False
    """Whether a replacement may depend on the whole document."""
    guards: ClassVar[bool] = False
    """Whether what it replaces must not remain in the release, not even across the edge of a replacement."""
    may_keep: ClassVar[bool] = False
    """Whether it may leave some spans as they are: :meth:`keeps` says which."""

    @property
    def method(self) -> Method | None:
        """Return the method that replaces; None if there is none apart from the treatment."""
        return None

    @property
    def name(self) -> str:
        """Return the name of the method."""
        assert self.method is not None
        return self.method.name

    @property
    def mechanisms(self) -> Mapping[str, Mechanism]:
        """Return the mechanism over each vocabulary that it draws from, by the name of the vocabulary."""
        return {}

    # What it promises.

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

    @property
    def spends_by_document(self) -> bool:
        """Return whether a document costs a budget of its own, however many draws it takes."""
        return False

    def cost_of_person(self, spent: int, draws: Collection[int], people: int = 1) -> Composed | None:
        """Return the total cost of a person who spent so much, as :meth:`Sanitizer.cost_of_person` says."""
        return self.cost(spent, people)

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

    def law(self, text: str, position: int | None, label: str | None, detector: Detector) -> Law | None:
        """Return the law of ``text``, as :meth:`Sanitizer.explain` says; None if it has no law of single values."""
        return None

    @property
    def why_no_law(self) -> str:
        """Return why it has no law of single values and what shows its law instead, the end of a sentence."""
        return "which has no law of single values; `sfumato policy show` says how it treats each kind."

    def law_over(
        self,
        values: Sequence[str] = (),
        label: str | None = None,
    ) -> tuple[str, Mechanism, list[str]] | None:
        """Return the name of the vocabulary of ``values``, the mechanism over it, and the values as its tokens.

        Without values it is that of ``label``, or the weakest. None if no draw is that of one mechanism over one
        vocabulary. Raise ConfigurationError for values that are not of one, or for a label that means nothing here.
        """
        return None

    def law_in(self, layout: Layout) -> ContextualMechanism | None:
        """Return the mechanism of each draw in a text, if draws depend on the whole text."""
        return None

    def apart(self, values: Sequence[str] = ()) -> Mapping[str, Treatment]:
        """Return the treatments with domains of their own that read ``values``, by language: this one, of any."""
        return {"": self}

    def positions(self, values: Sequence[str]) -> list[tuple[str, str, float]]:
        """Return ``values`` as texts, what each says, and where it is on a line whose distances the guarantee is in.

        Without values they are two that an audit tells apart most easily. Raise ConfigurationError for values that
        are not of one domain, GuaranteeError where no guarantee is about such distances.
        """
        kinds = ", ".join(self.kinds) or "This kind"
        raise GuaranteeError(
            f"{kinds} has no formal guarantee under this policy ({self.name}), so there is no claim to audit; "
            "measure a release instead."
        )

    # What a statement says.

    @abstractmethod
    def described(self) -> Mapping[str, Any]:
        """Return parameters and public inputs, for the statement."""

    @property
    def visible(self) -> Sequence[str]:
        """Return what anyone can see of what it put in."""
        return () if self.method is None else self.method.visible

    @property
    @abstractmethod
    def facts(self) -> Any:
        """Return everything public that decides its output, as JSON types: keyed draws depend on it."""

    @property
    def sources(self) -> Sequence[SourceFile]:
        """Return the public files that it takes values from."""
        return ()

    @property
    def rewrites_whole_text(self) -> bool:
        """Return whether all of a text is rewritten, so that no part of it stays unchanged."""
        return False

    def fallback(self, kind: str, text: str) -> str | None:
        """Return what stands for every ``text`` of ``kind`` that cannot be read; None if it can be read. PRIVATE."""
        return None

    # How it replaces.

    @property
    def mark_by_mark(self) -> bool:
        """Return whether each mark has one replacement in the release, in the same order."""
        return not self.rewrites_whole_text

    @property
    def records_at_once(self) -> int | None:
        """Return how many records a chunk of a file should hold at most, if few: a slow run may be stopped."""
        return None

    @property
    def repeatable(self) -> Self:
        """Return the treatment that draws by a key or a seed: with a model that is alike on every processor."""
        return self

    @property
    def built(self) -> Treatment:
        """Return the treatment that replaces: itself, unless what it draws from is built late."""
        return self

    def under(self, detector: Detector) -> Self:
        """Return the treatment of spans that ``detector`` finds, which decides what a guarantee is about."""
        return self

    def keeps(self, kind: str) -> bool:
        """Return whether spans of ``kind`` stay as they are, as if nothing had marked them."""
        return False

    def outputs(self, batch: Batch, places: IntArray, drawn: Sequence[Outputs]) -> Made:
        """Return what it puts in at ``places`` of ``batch``; ``drawn`` is what was put at other places already.

        Raise InputError naming a document, never its text.
        """
        raise NotImplementedError

    def planned(self, batch: Batch, places: IntArray) -> Iterable[tuple[int, PlannedDraws]]:
        """Return the draws of :meth:`outputs`, each with the number of the document that pays; draw nothing."""
        return ()
