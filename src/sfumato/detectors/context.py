"""Which marks help to tell who a text is about: read from their words, and from the words beside them.

An annotator who asks this of "annual review", "two charges", "the Supreme Court" or "the doctor" says no, and of
"the applicant, a teacher" yes. The rules stand between the finders and the union, so that no finder knows of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from sfumato.detectors import idle_attributes, idle_names, idle_times, offices
from sfumato.detectors.found import Found
from sfumato.detectors.marks import Mark, Reader

LEVELS = ("low", "medium", "high")
"""How much is marked: nothing but what tells most, what helps to tell, or all that a finder marks."""
_NAMES = frozenset({"ORGANIZATION", "LOCATION", "NAME", "GROUP"})
_LONG = 300
"""A longer mark is not read: it stays."""
_LEAST = ("DURATION", "QUANTITY", "TIME", "OCCUPATION", "FAMILY")
"""What the lowest level leaves out altogether; of NAME it leaves out works and products, which the pipeline finds."""


def telling(text: str, found: Iterable[Found], strict: str = "medium") -> list[Found]:
    """Return the marks among ``found`` that help to tell who ``text`` is about.

    A state in the name of its office, and any other mark within the name of a law, goes with it. Persons, codes,
    addresses and full dates stay at every level.
    """
    if strict == "high":
        return list(found)
    kept: list[Found] = []
    left_out: list[tuple[int, int]] = []
    readers = _readers()
    for one in found:
        if one.end - one.start > _LONG:
            kept.append(one)
            continue
        mark = Mark.of(text, one)
        if not any(is_idle(mark) for is_idle in readers.get(one.label, ())):
            if strict == "medium" or not _is_unasked(mark):
                kept.append(one)
        elif one.label in _NAMES:
            left_out.append((one.start, one.start + offices.bare_length(mark.text)))
    return _outside(text, kept, left_out)


def _outside(text: str, found: list[Found], bounds: list[tuple[int, int]]) -> list[Found]:
    """The marks but for names that lie within one of ``bounds``."""
    reach: dict[int, int] = {}
    latest = -1
    ends = dict(sorted(bounds))  # of two that begin at one place, the longer
    places = sorted({one.start for one in found} | ends.keys())
    for place in places:
        latest = max(latest, ends.get(place, -1))
        reach[place] = latest
    return [one for one in found if one.end > reach[one.start] or not _goes(text[one.start : one.end], one)]


def _goes(words: str, one: Found) -> bool:
    """Whether a mark within an office or a law goes with it: a person only where it is the office's nation."""
    return one.label in _NAMES or (one.label == "PERSON" and offices.nations().fullmatch(words) is not None)


@lru_cache(maxsize=1)
def _readers() -> dict[str, tuple[Reader, ...]]:
    """The rules by label."""
    rooms = (idle_names.readers(), idle_times.readers(), idle_attributes.readers())
    labels = sorted({label for room in rooms for label in room})
    return {label: tuple(reader for room in rooms for reader in room.get(label, ())) for label in labels}


def _is_unasked(mark: Mark) -> bool:
    """Whether the lowest level leaves the mark out; what lies within it stays, for it may be a place or a person."""
    return not mark.is_value and (mark.label in _LEAST or (mark.label == "NAME" and mark.finder == "spacy"))
