"""What a detector finds, as a person corrected it in a review."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sfumato.abstract.detector import Around, Detector
from sfumato.detectors.allowing import Allowed
from sfumato.detectors.decision import Decision
from sfumato.detectors.decisions import Decisions, folded
from sfumato.detectors.phrases import Phrases
from sfumato.detectors.rules import Listed, Rule
from sfumato.detectors.uniting import Combined
from sfumato.errors import InputError
from sfumato.text.document import Document
from sfumato.text.marks import Finding
from sfumato.version import origin

FINDER = "review"


@dataclass(frozen=True)
class Reviewed(Around):
    """Everything that ``detector`` finds, after the decisions of a person.

    The lists come first, as those of :class:`~sfumato.detectors.uniting.Combined` do: *never* allows a text that is
    marked with the entry's label, *always* marks a text wherever it occurs. Then each decision about a mark is
    applied, from the first to the last, so that a later one wins.

    - *add* marks the same characters. With a wider scope it marks the phrase wherever it occurs as whole words, as
      :mod:`~sfumato.detectors.phrases` says. A mark that overlaps it becomes a part of it; one that holds all of an
      occurrence elsewhere keeps its label.
    - *remove* leaves out a mark with the same bounds; with a wider scope, each mark whose whole text is the phrase.
      A mark with other bounds stays.
    - *relabel* gives the mark another label. If the detector no longer marks those characters, they are marked.

    A text that is not the one that was decided about raises InputError, so that no decision meets another text. A
    guarantee is about texts that are marked alike (:attr:`adjacency`): what a person leaves unmarked, and that they
    did, shows in a release.
    """

    decisions: Decisions = field(repr=False)
    _listed: Detector = field(init=False, repr=False, compare=False)
    _of_text: Mapping[tuple[str, ...], list[Decision]] = field(init=False, repr=False, compare=False)
    _of_record: Mapping[str, list[Decision]] = field(init=False, repr=False, compare=False)
    _everywhere: Sequence[Decision] = field(init=False, repr=False, compare=False)
    _phrases: Phrases = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        of_text: defaultdict[tuple[str, ...], list[Decision]] = defaultdict(list)
        of_record: defaultdict[str, list[Decision]] = defaultdict(list)
        for decision in self.decisions.marks:
            of_text[decision.names].append(decision)
            if decision.scope == "record":
                of_record[decision.facts["id"]].append(decision)
        everywhere = [decision for decision in self.decisions.marks if decision.scope == "everywhere"]
        object.__setattr__(self, "_listed", _with_lists(self.detector, self.decisions))
        object.__setattr__(self, "_of_text", dict(of_text))
        object.__setattr__(self, "_of_record", dict(of_record))
        object.__setattr__(self, "_everywhere", everywhere)
        object.__setattr__(self, "_phrases", _phrases(everywhere))

    @property
    def description(self) -> str:
        """Return what is protected."""
        return f"{self.detector.description}; and what a person decided in a review"

    @property
    def unprotected(self) -> str:
        """Return what is left unprotected."""
        return f"on purpose, marks that a person removed in a review; {self.detector.unprotected}"

    @property
    def setting(self) -> str:
        """Return the setting of the detector, and a digest of the decisions."""
        return f"{origin(type(self))} {self.detector.setting} {self.decisions.fingerprint}"

    @property
    def known_labels(self) -> frozenset[str] | None:
        """Return the labels of the detector and of the decisions, if the detector knows its own."""
        known = self.detector.known_labels
        decided = (decision.label for decision in (*self.decisions.lists, *self.decisions.marks))
        return None if known is None else known.union(decided)

    def findings(self, documents: Sequence[Document]) -> list[list[Finding]]:
        """Return the spans with score and finder; those that a person decided have the finder ``review``.

        Raise InputError for a text that changed since the review.
        """
        findings = self._listed.findings(documents)
        decided = []
        for number, (document, own) in enumerate(zip(documents, findings, strict=True)):
            try:
                decided.append(self._decided(document, own))
            except InputError as error:
                error.document = number
                raise
        return decided

    def _decided(self, document: Document, findings: Sequence[Finding]) -> list[Finding]:
        for decision in self._of_text.get(document.names, ()):
            decision.check_text(document)
        marks = _DecidedMarks(document.text, findings)
        for decision, places in self._decisions_for(document):
            label = None if decision.action == "remove" else decision.label
            if decision.action == "add":
                marks.put_everywhere(places, decision.label)
            elif decision.scope != "here":
                marks.change_texts(decision.text, label)
            if decision.names == document.names:
                marks.change(*decision.bounds, label)
        return marks.findings

    def _decisions_for(self, document: Document) -> Iterator[tuple[Decision, Sequence[tuple[int, int]]]]:
        """Yield the decisions that may change a document, in order, with the places of the phrases to add."""
        own, record = self._of_text.get(document.names, ()), self._of_record.get(document.names[-1], ())
        places: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        for phrases in (self._phrases, *([_phrases(record)] if record else [])):
            for start, end, line in phrases.find(document.text):
                places[int(line)].append((start, end))
        wide = [decision for decision in (*record, *self._everywhere) if _reaches(decision, places)]
        relevant = {decision.line: decision for decision in (*own, *wide)}
        for line in sorted(relevant):
            yield relevant[line], places[line]


def _reaches(decision: Decision, places: Mapping[int, object]) -> bool:
    """Return whether a decision may change a text in which the phrases to add lie at ``places``."""
    return decision.action != "add" or decision.line in places


def _phrases(decisions: Sequence[Decision]) -> Phrases:
    """Return an index of the phrases to add, in which the label is the line of the decision."""
    return Phrases((decision.text, str(decision.line)) for decision in decisions if decision.action == "add")


def _with_lists(detector: Detector, decisions: Decisions) -> Detector:
    """Return ``detector`` with the two lists of the decisions."""
    name = "the reviewer's list"  # a statement names it, and the name of the file may be private
    never, always = (
        tuple(
            Rule(f"{name}, line {line.line}", line.label, line.text)
            for line in decisions.lists
            if line.action == action
        )
        for action in ("never", "always")
    )
    if not never and not always:
        return detector
    allow = (Allowed(never, name),) if never else ()
    return Combined((detector,), allow, (Listed(always, name),) if always else ())


class _DecidedMarks:
    """The marks of ``text`` while decisions are applied to them, in reading order. They never overlap."""

    def __init__(self, text: str, findings: Sequence[Finding]) -> None:
        self._text = text
        self._marks = sorted(findings, key=lambda mark: mark.start)
        self._folded: dict[tuple[int, int], str] = {}
        self._index()

    @property
    def findings(self) -> list[Finding]:
        """Return the marks in reading order."""
        return list(self._marks)

    def put(self, start: int, end: int, label: str) -> None:
        """Mark the characters from ``start`` to ``end``. Marks that overlap them become a part of the mark."""
        meeting = self._meeting(start, end)
        held = self._marks[meeting]
        first = min([start, *(mark.start for mark in held)])
        last = max([end, *(mark.end for mark in held)])
        self._marks[meeting] = [Finding(first, last, label, None, FINDER)]
        self._starts[meeting], self._ends[meeting] = [first], [last]

    def put_everywhere(self, places: Iterable[tuple[int, int]], label: str) -> None:
        """Mark each of ``places``. A mark that holds more than the place already keeps its label."""
        for start, end in places:
            held = self._marks[self._meeting(start, end)]
            whole = held[0] if len(held) == 1 else None
            if whole is None or not (whole.start <= start and end <= whole.end and whole[:2] != (start, end)):
                self.put(start, end, label)

    def change(self, start: int, end: int, label: str | None) -> None:
        """Mark the characters from ``start`` to ``end``, or leave out the mark with these bounds (None)."""
        if label is not None:
            self.put(start, end, label)
            return
        self._marks = [mark for mark in self._marks if (mark.start, mark.end) != (start, end)]
        self._index()

    def change_texts(self, phrase: str, label: str | None) -> None:
        """Give every mark whose whole text is ``phrase`` the ``label``, or leave it out (None)."""
        wanted = folded(phrase)
        changed = []
        for mark in self._marks:
            if self._text_of(mark) != wanted:
                changed.append(mark)
            elif label is not None:
                changed.append(mark._replace(label=label, score=None, finder=FINDER))
        self._marks = changed
        self._index()

    def _index(self) -> None:
        self._starts = [mark.start for mark in self._marks]
        self._ends = [mark.end for mark in self._marks]

    def _meeting(self, start: int, end: int) -> slice:
        """Return where the marks are that overlap the characters from ``start`` to ``end``."""
        return slice(bisect_right(self._ends, start), bisect_left(self._starts, end))

    def _text_of(self, mark: Finding) -> str:
        bounds = mark.start, mark.end
        if bounds not in self._folded:
            self._folded[bounds] = folded(self._text[mark.start : mark.end])
        return self._folded[bounds]
