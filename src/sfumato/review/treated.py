"""What a policy does with a mark, as an example too; and a text in pieces, marked and unmarked, for a page.

The page names the kind as the policy and the statement do. It must not count characters by itself: offsets are those
of Python, in code points, and a browser counts in units of UTF-16.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, NamedTuple

from sfumato.abstract.batch import Marking
from sfumato.abstract.detector import Detector
from sfumato.building.policies import build_policy, kind_of, parting_of
from sfumato.engines.engine import Engine
from sfumato.engines.languages import Multilingual, most_said
from sfumato.kinds.labels import KindOf, candidates
from sfumato.kinds.registry import kinds_of
from sfumato.language.recognising import recognised
from sfumato.policy.policy import Policy
from sfumato.policy.suitability import KINDS
from sfumato.privacy.randomness import SystemRandomness
from sfumato.review.texts import Texts
from sfumato.text.document import Document, Release, readable
from sfumato.text.marks import Finding, Spans
from sfumato.text.measures import Measures

Piece = dict[str, Any]
KEEP = "keep"


class Treated(NamedTuple):
    """The kind of a mark, and the mechanism or method that replaces it; ``keep`` if a release shows the text."""

    kind: str
    treatment: str = ""

    @property
    def stays(self) -> bool:
        """Return whether a release shows the text as it is."""
        return self.treatment == KEEP


TreatmentOf = Callable[[str, str], Treated]
"""Takes the label of a mark and its text."""


def family_of(label: str) -> str:
    """Return the kind whose colour a mark with ``label`` has, also if a policy treats the label by itself."""
    return candidates(label)[-1]


def by_label(label: str, _text: str) -> Treated:
    """Return the usual kind of ``label``, without a policy."""
    return Treated(family_of(label))


def kind_in(text: str, mark: Finding, treatment_of: TreatmentOf) -> str:
    """Return the kind of ``mark`` in ``text``."""
    return treatment_of(mark.label, text[mark.start : mark.end]).kind


@dataclass(frozen=True)
class ByPolicy:
    """The treatments of ``policy``: what a release does with a mark follows from its label and its text."""

    policy: Policy
    _kinds: Mapping[str, KindOf] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        codes, options = self.policy.find.languages, self.policy.kinds
        kinds = {code: kind_of(self.policy, kinds_of(options=options, language=code)) for code in codes}
        object.__setattr__(self, "_kinds", kinds)

    def __call__(self, label: str, text: str) -> Treated:
        """Return the kind of a mark, or its label if the policy names it, and the treatment.

        In several languages it is the kind that most of them say; a record has one of them.
        """
        return self._treated(most_said(own(label, text) for own in self._kinds.values()))

    @property
    def names(self) -> list[str]:
        """Return every kind, and the labels that the policy treats by themselves."""
        return list(dict.fromkeys([*KINDS, *(label for rule in self.policy.treat for label in rule.labels)]))

    def as_facts(self) -> list[dict[str, Any]]:
        """Return what the page offers to mark, and what becomes of it."""
        every = [self._treated(name) for name in self.names]
        return [{**each._asdict(), "stays": each.stays, "family": family_of(each.kind)} for each in every]

    def staying(self, documents: Sequence[Document], marks: Sequence[Sequence[Finding]]) -> list[list[bool]]:
        """Return for each of the ``marks`` of a record's ``documents`` whether a release shows what is there.

        It shows nothing that is marked in a record of none of several languages.
        """
        several = len(self._kinds) > 1
        code = recognised([document.text for document in documents]) if several else next(iter(self._kinds))
        own = self._kinds.get(code or "")
        if own is None or code is None:
            return [[False] * len(row) for row in marks]
        measures = Measures(code) if self.policy.find.keep_measures else None
        parting = parting_of(self.policy, own.kinds)
        parted = None if parting is None else parting.pairs
        marking = Marking(own, lambda kind: self._treated(kind).stays, measures=measures, parted=parted)
        return marking.staying(documents, [Spans.of(own) for own in marks])

    def _treated(self, kind: str) -> Treated:
        rule = self.policy.treatment_of_label(kind) or self.policy.treatment_of(kind)
        return Treated(kind, rule.name)


def segments(
    text: str, marks: Iterable[tuple[int, int, str]], treatment_of: TreatmentOf = by_label,
    unmarked: Sequence[tuple[int, int]] = (), staying: Collection[int] = (),
) -> list[Piece]:  # fmt: skip
    """Return the pieces of ``text`` in order.

    Those that ``marks`` hold have a label and its treatment, as ``treatment_of`` says. Marks that begin at one of
    ``staying`` are kept, whatever their kind. The others have the bounds of the ``unmarked`` words in them that could
    be misses; none of these overlaps a mark.
    """
    shown, pieces, end_before = readable(text), list[Piece](), 0

    def put(start: int, end: int) -> None:
        if start < end:
            own = [[first, last] for first, last in unmarked if start <= first and last <= end]
            pieces.append({"start": start, "text": shown[start:end], **({"unmarked": own} if own else {})})

    for start, end, label in marks:
        put(end_before, start)
        treated = treatment_of(label, text[start:end])
        treated = treated._replace(treatment=KEEP) if start in staying else treated
        pieces.append({
            "start": start, "end": end, "text": shown[start:end], "label": label, **treated._asdict(),
            "stays": treated.stays, "family": family_of(treated.kind),
        })  # fmt: skip
        end_before = end
    put(end_before, len(shown))
    return pieces


def segments_of_release(release: Release) -> list[Piece]:
    """Return the pieces of a released text."""
    return segments(release.text, ((span.start, span.end, span.label) for span in release.replacements))


class Examples:
    """Draws examples by ``policy``, whose sanitizer is built and certified when the first is wanted.

    An example shares no random number with a release, pinned or not. It is for the owner of the text only: two
    draws of one text cost twice.
    """

    def __init__(self, policy: Policy, texts: Texts) -> None:
        self._policy, self._texts, self._lock = policy, texts, Lock()
        self._built: Engine | Multilingual | None = None

    def draw(self, record: int, detector: Detector) -> list[list[Piece]]:
        """Return the pieces of an example release of each text of ``record``."""
        with self._lock:
            if self._built is None:
                built = build_policy(self._policy)
                built.prepare()
                self._built = built
            sanitizer = self._built
        releases = sanitizer.with_parts(detector=detector).sanitize_batch(self._texts.of(record), SystemRandomness())
        return [segments_of_release(release) for release in releases]

    def as_facts(self, record: int, detector: Detector) -> dict[str, Any]:
        """Return an example for the page."""
        return {"record": record, "texts": [{"pieces": pieces} for pieces in self.draw(record, detector)]}
