"""DP-MLM (Meisenbacher et al., DP-MLM: Differentially Private Text Rewriting Using Masked Language Models, 2024).

Algorithms 1 and 2: word after word of a document is masked in a second copy of it, which stands behind the original
("original [SEP] copy"); the model scores the candidate words at the mask; one is drawn by clipped softmax and takes
its place in the copy. Algorithm 3 also adds and deletes words by public coins.

Analysis. One draw is the law of :mod:`sfumato.privacy.clipped_softmax`, whose exact loss holds for any two documents with the
same layout and whatever was drawn before (Theorem 1 of the paper, with the exact constant). Draws compose: n draws
cost n·ε for the document (paper, §4.3). The coins of Algorithm 3 do not depend on the text; with additions a document
is charged for 2n draws, its worst case.

Differences from the paper and its code. Exact calibration (the paper: τ = ε/2). Outcomes are whole words, the same
for every input. No antonym filter and no re-scoring by similarity (Appendix A): both look at the private word outside
the clipped scores. Every word is rewritten, stop words too, unless the detector leaves them (``--detect
content-words``). Punctuation and white space are kept as layout; case comes from the candidate and a public rule.
Long documents are read through a window around the position. A word that is deleted takes the space before it along.
By default (``block`` = 1) the order is the paper's, word after word. With a larger one about ``block`` words in each
window are drawn in one pass; none of them then sees the others' outcomes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract.contextual import MASKED, Cloze, ContextualMechanism, Course, Group, MaskedModel
from sfumato.abstract.ideas import FloatArray, IntArray, Layout
from sfumato.errors import ConfigurationError
from sfumato.models.masked.windows import nearest
from sfumato.privacy.clipped_softmax import ClippedSoftmax, ClipRange
from sfumato.privacy.guarantee import Calibration, checked_epsilon
from sfumato.text.document import begins_sentence, capitalised

_PIECES_OF_A_WORD = 4  # of the window: 1.3 to 2 in each half, with what stands between words
_PARTS = re.compile(r"\s+|\S{1,40}")


@dataclass(frozen=True, eq=False)
class DPMLM(ContextualMechanism):
    """Rewrites marked words one at a time with a masked model that sees the document. ε is the price of one draw.

    ``clip`` is the public range of scores; ``addition`` and ``deletion`` are Algorithm 3's probabilities; ``block``
    says how many words in a window of the model are drawn in one pass; ``batch`` how many documents advance together.
    """

    model: MaskedModel
    epsilon: float
    clip: ClipRange
    calibration: Calibration = "exact"
    addition: float = 0.0
    deletion: float = 0.0
    block: int = 1
    batch: int | None = None
    name: ClassVar[str] = "dp-mlm"
    shows: ClassVar[tuple[str, ...]] = (
        "how many words were added or deleted, by public coins, where that was asked for",
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", checked_epsilon(self.epsilon))
        for name, share in (("addition", self.addition), ("deletion", self.deletion)):
            if isinstance(share, bool) or not isinstance(share, int | float) or not 0.0 <= share <= 1.0:
                raise ConfigurationError(f"{name} is a probability from 0 to 1, not {share!r}.")
        for number in (self.block, 1 if self.batch is None else self.batch):
            if type(number) is not int or number < 1:
                raise ConfigurationError("block and batch are whole numbers from 1 on.")

    @cached_property
    def softmax(self) -> ClippedSoftmax:
        """The law over the candidate words."""
        return ClippedSoftmax(self.clip, len(self.model.words), self.calibration)

    @property
    def parameters(self) -> dict[str, Any]:
        """Every public parameter."""
        found = {
            "epsilon": self.epsilon,
            "calibration": self.calibration,
            "model": self.model.id,
            "candidate_words": len(self.model.words),
            "clip": [self.clip.lower, self.clip.upper],
            "window_pieces": self.model.window,
        }
        if self.addition or self.deletion:
            found |= {"addition": self.addition, "deletion": self.deletion}
        if self.block > 1:
            found["block"] = self.block
            found["order"] = "blocks of words drawn at once, another law than the paper's order word by word"
        return found

    @property
    def adjacency(self) -> str:
        """Return what may differ between two documents that are marked alike."""
        return "any text at the marked places"

    @property
    def proof(self) -> str:
        """Where the proof is."""
        return "Meisenbacher et al. 2024, Theorem 1; exact loss: docs/mechanisms.md#dp-mlm"

    def draws(self, layout: Layout) -> int:
        """One a marked word; two where words may be added."""
        return len(layout.spans) * (2 if self.addition else 1)

    @property
    def coins(self) -> int:
        """Two for each word under Algorithm 3."""
        return 2 if self.addition or self.deletion else 0

    @property
    def together(self) -> int:
        """How many documents advance together."""
        return self.batch or self.model.rows

    def law(self, layout: Layout, position: int) -> tuple[Sequence[str], FloatArray]:
        """The law of the marked word ``position`` (from 0), masked with the others of its pass.

        What was drawn before it is as it stands in the original, and no word is added or deleted.
        """
        if not 0 <= position < len(layout.spans):
            raise ConfigurationError(
                f"There is no word {position}; the text has {len(layout.spans)}, counted from 0."
            )
        course = MaskedCourse(self, layout, np.ones((len(layout.spans), 2)))
        question, mask = course.question_about(position)
        return self.model.words, self.softmax.law(self.model.scores([question])[mask : mask + 1], self.epsilon)[0]

    def begin(self, layouts: Sequence[Layout], coins: Sequence[FloatArray]) -> MaskedGroup:
        """Documents that take a pass each at a time, ``batch`` of them at once."""
        courses = [MaskedCourse(self, layout, given) for layout, given in zip(layouts, coins, strict=True)]
        return MaskedGroup(self.model, courses, self.together)


class MaskedGroup(Group):
    """Documents whose next masked places are scored in one batch; where one is finished the next one enters."""

    def __init__(self, model: MaskedModel, courses: Sequence[MaskedCourse], at_once: int) -> None:
        self._model, self._courses, self._at_once = model, courses, at_once
        self._entered = 0
        self._under_way: list[int] = []

    @property
    def courses(self) -> Sequence[MaskedCourse]:
        """The documents, in the order they were given."""
        return self._courses

    def scores(self) -> tuple[NDArray[np.floating[Any]], list[int]]:
        """Scores at the next place of each document under way (at the next places, in a block)."""
        self._under_way = [number for number in self._under_way if not self._courses[number].finished]
        while len(self._under_way) < self._at_once and self._entered < len(self._courses):
            if not self._courses[self._entered].finished:
                self._under_way.append(self._entered)
            self._entered += 1
        questions = [question for number in self._under_way for question in self._courses[number].questions()]
        owners = [number for number in self._under_way for _ in self._courses[number].waiting]
        if not questions:
            return np.empty((0, len(self._model.words)), dtype=np.float32), []
        return self._model.scores(questions), owners

    def take(self, outcomes: IntArray) -> None:
        """Hand the outcomes back to the documents that asked."""
        first = 0
        for number in self._under_way:
            course = self._courses[number]
            last = first + len(course.waiting)
            course.take(outcomes[first:last].tolist())
            first = last


@dataclass(slots=True)
class _Place:
    """A stretch of the document, with its pieces in the original and in the copy. One to be drawn has a ``label``."""

    text: str
    original: list[int]
    copy: list[int]
    label: str | None = None


class MaskedCourse(Course):
    """One document under way: its stretches, and which of them are still to be drawn."""

    def __init__(self, mechanism: DPMLM, layout: Layout, coins: FloatArray) -> None:
        self._model = mechanism.model
        self._places = _laid_out(mechanism, layout, coins)
        todo = [number for number, place in enumerate(self._places) if place.label is not None]
        self._passes = _apart(todo, mechanism.block, mechanism.model.window)
        self.waiting: list[int] = []
        """The places whose outcomes are awaited, in the order they were asked for."""

    @property
    def finished(self) -> bool:
        """Whether every marked place was drawn."""
        return not self._passes and not self.waiting

    def questions(self) -> list[Cloze]:
        """About the places of the next pass: one question for all that share a window."""
        asked = list(self._asked(self._passes.pop() if self._passes else []))
        self.waiting = [at for _, places in asked for at in places]
        return [question for question, _ in asked]

    def question_about(self, position: int) -> tuple[Cloze, int]:
        """What would be asked about the marked word ``position`` in its pass, and which mask of it is that word."""
        at = [number for number, place in enumerate(self._places) if place.label is not None][position]
        todo = next(places for places in self._passes if at in places)
        return next((question, places.index(at)) for question, places in self._asked(todo) if at in places)

    def _asked(self, todo: list[int]) -> Iterator[tuple[Cloze, list[int]]]:
        """Questions about the places ``todo`` of a pass, each with its places."""
        while todo:
            masked = frozenset(todo)  # places of this pass that were asked about before still stand as they stood
            first, last = self._window(todo[0], masked)
            yield self._question(first, last, masked), [at for at in todo if first <= at < last]
            todo = [at for at in todo if at >= last]

    def _window(self, at: int, masked: frozenset[int]) -> tuple[int, int]:
        """Which stretches around ``at`` fit the model: the nearest ones, as many on either side as there are."""
        return nearest(at, len(self._places), lambda unit: self._length(unit, masked), self._model.window)

    def _length(self, at: int, masked: frozenset[int]) -> int:
        place = self._places[at]
        return len(place.original) + (1 if at in masked else len(place.copy))

    def _question(self, first: int, last: int, masked: frozenset[int]) -> Cloze:
        context: list[int] = []
        copy: list[int] = []
        for at in range(first, last):
            place = self._places[at]
            context += place.original
            copy += [MASKED] if at in masked else place.copy
        return Cloze(context, copy)

    def take(self, outcomes: Sequence[int]) -> None:
        """Write the drawn words into the copy."""
        for at, outcome in zip(self.waiting, outcomes, strict=True):
            place = self._places[at]
            place.text, place.copy = self._model.words[outcome], [int(self._model.word_pieces[outcome])]
        self.waiting = []

    def parts(self) -> list[str]:
        """Layout and outputs in turns; an output that begins a sentence begins with a capital."""
        found = [""]
        for place in self._places:
            if place.label is None:
                found[-1] += place.text
                continue
            opens = begins_sentence(found[-1], len(found) == 1)
            found += [capitalised(place.text) if opens else place.text, ""]
        return found

    @property
    def labels(self) -> Sequence[str]:
        """A label for each output."""
        return [place.label for place in self._places if place.label is not None]


def _apart(todo: list[int], block: int, window: int) -> list[list[int]]:
    """Passes, the last one first, of places as far from each other as can be, about ``block`` of them in a window.

    A long document has many windows, and a pass takes places in all of them. A block of 1 is the paper's order: one
    place a pass.
    """
    within = len(todo) if block == 1 else min(len(todo), max(1, window // _PIECES_OF_A_WORD))
    rounds = -(-within // block)
    return [todo[first::rounds] for first in reversed(range(rounds))]


def _laid_out(mechanism: DPMLM, layout: Layout, coins: FloatArray) -> list[_Place]:
    """The stretches of a document: what stays, what is drawn, and (Algorithm 3) what is added and deleted."""
    stretches = list(_stretches(layout))
    pieces = mechanism.model.pieces(list(_units([text for text, _ in stretches])))
    places = [
        _Place(text if label is None else "", own, own, label)
        for (text, label), own in zip(stretches, pieces, strict=True)
    ]
    return _edited(places, mechanism, coins) if mechanism.coins else places


def _edited(places: list[_Place], mechanism: DPMLM, coins: FloatArray) -> list[_Place]:
    """Algorithm 3: each marked word is deleted with one coin, and followed by a new one with another."""
    found: list[_Place] = []
    tosses = iter(coins)
    for place in places:
        if place.label is None:
            found.append(place)
            continue
        deleted, added = next(tosses) < (mechanism.deletion, mechanism.addition)
        if deleted and found and found[-1].label is None:
            found[-1].text = found[-1].text.removesuffix(" ")
        found.append(_Place("", place.original, []) if deleted else place)
        if added:
            found += [_Place(" ", [], []), _Place("", [], [], place.label)]
    return found


def _stretches(layout: Layout) -> Iterator[tuple[str, str | None]]:
    """Spans with their labels, and the text between them cut at white space, in order."""
    at = 0
    for (start, end), label in zip(layout.spans, layout.labels, strict=True):
        yield from ((part, None) for part in _PARTS.findall(layout.text[at:start]))
        yield layout.text[start:end], label
        at = end
    yield from ((part, None) for part in _PARTS.findall(layout.text[at:]))


def _units(texts: Sequence[str]) -> Iterator[str]:
    """``texts`` as a tokenizer wants them: one space before a stretch belongs to it."""
    space = ""
    for text in texts:
        yield space + text.removesuffix(" ")
        space = " " if text.endswith(" ") else ""
