"""Which marks help to identify a person: decided by their words, and by the words beside them.

An annotator would say no for "annual review", "two charges", "the Supreme Court" or "the doctor", and yes for "the
applicant, a teacher". The rules run between the finders and the union, so that no finder depends on them.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from sfumato.detectors.english import filter_attributes, filter_names, filter_times, offices
from sfumato.detectors.english.marks import Mark, Reader
from sfumato.detectors.found import Found

_NAMES = frozenset({"ORGANIZATION", "LOCATION", "NAME", "GROUP"})
_LONG = 300
"""A longer mark, in characters, is not read: it stays marked."""
_LEAST = ("DURATION", "QUANTITY", "TIME", "OCCUPATION", "FAMILY")
"""The labels that the lowest level leaves out. Of NAME it leaves out works and products, which the pipeline finds."""


def telling(text: str, spans: Iterable[Found], strict: str = "medium") -> list[Found]:
    """Return the marks among ``spans`` that help to identify a person in ``text``.

    A state in the name of its office, and any other mark within the name of a law, is left out with it. Persons,
    codes, addresses and full dates stay at every level.
    """
    if strict == "high":
        return list(spans)
    kept: list[Found] = []
    left_out: list[tuple[int, int]] = []
    readers = _readers()
    known: dict[tuple[int, int, str, float], bool] = {}  # several rules find one date
    for span in spans:
        if span.end - span.start > _LONG:
            kept.append(span)
            continue
        idle = known.get(span[:4])
        if idle is None:
            mark = Mark.of(text, span) if span.label in readers else None
            known[span[:4]] = idle = mark is not None and any(is_idle(mark) for is_idle in readers[span.label])
        if not idle:
            if strict == "medium" or not _is_unasked(Mark.of(text, span)):
                kept.append(span)
        elif span.label in _NAMES:
            left_out.append((span.start, span.start + offices.bare_length(text[span.start : span.end])))
    return _outside(text, kept, left_out)


def _outside(text: str, spans: list[Found], bounds: list[tuple[int, int]]) -> list[Found]:
    """Return the marks except names that lie within one of ``bounds``."""
    reach: dict[int, int] = {}
    latest = -1
    ends = dict(sorted(bounds))  # of two with the same start, the longer
    starts = sorted({span.start for span in spans} | ends.keys())
    for start in starts:
        latest = max(latest, ends.get(start, -1))
        reach[start] = latest
    return [span for span in spans if span.end > reach[span.start] or not _belongs(text[span.start : span.end], span)]


def _belongs(words: str, span: Found) -> bool:
    """Return whether a mark within an office or a law belongs to it: a person only if it is the office's nation."""
    return span.label in _NAMES or (span.label == "PERSON" and offices.nations().fullmatch(words) is not None)


@lru_cache(maxsize=1)
def _readers() -> dict[str, tuple[Reader, ...]]:
    """Return the rules by label."""
    rooms = (filter_names.readers(), filter_times.readers(), filter_attributes.readers())
    labels = sorted({label for room in rooms for label in room})
    return {label: tuple(reader for room in rooms for reader in room.get(label, ())) for label in labels}


def _is_unasked(mark: Mark) -> bool:
    """Return whether the lowest level leaves the mark out. Marks within it stay: they may be a place or a person."""
    return not mark.is_value and (mark.label in _LEAST or (mark.label == "NAME" and mark.finder == "spacy"))
