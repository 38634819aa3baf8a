"""Pieces of a paragraph between which a reader sees no one word: a word, and the mark of a note set high or low."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from sfumato.documents.note_marks import is_mark
from sfumato.documents.slot import Edit, spread

Pieces = list[tuple[Any, str]]


def parted(pieces: Pieces, is_raised: Callable[[Any], bool], kind: str) -> Pieces:
    """Return ``pieces`` with a space beside each mark of a note: in an element of a ``kind`` that lies nowhere."""
    marks = {at for at, (element, text) in enumerate(pieces) if text and is_raised(element)}
    if not marks:
        return pieces
    from lxml import etree

    new, before = Pieces(), ""
    for at, (element, text) in enumerate(pieces):
        mark = at in marks and (at - 1 in marks or is_mark(before, text, _after(pieces, at, text)))
        if (mark and at - 1 not in marks) or (at - 1 in marks and at not in marks and _touch(new, text)):
            new.append((etree.Element(kind), " "))
        if at in marks and not mark:
            marks.discard(at)
        new.append((element, text))
        before = text
    return new


def _after(pieces: Pieces, at: int, text: str) -> str:
    """Return what touches a piece from behind."""
    return next((text for _, text in pieces[at + 1 :] if text), "") if not text[-1:].isspace() else ""


def _touch(pieces: Pieces, text: str) -> bool:
    return pieces[-1][1][-1:].isalnum() and text[:1].isalnum()


def laid(pieces: Pieces, edits: Sequence[Edit]) -> list[str]:
    """Return the new texts of ``pieces``. What would take the place of a space that lies nowhere goes behind it."""
    new = spread([text for _, text in pieces], edits)
    for at, ((element, text), _) in enumerate(pairwise(pieces)):
        if element.getparent() is None and new[at] not in (text, ""):
            new[at], new[at + 1] = text, new[at].lstrip() + new[at + 1]
    return new
