"""Names that programs gave, such as classes and ids of a page: each is a text once, and the same wherever it is."""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

from sfumato.documents.rules import DROP, KEEP, Visit
from sfumato.documents.slot import Slot

_COLOUR = re.compile(r"#(?!\d{7,8}\b)[0-9a-fA-F]{3,8}\b")
_NUMBERED = re.compile(r"(?:--)?name-\d+")
_WORD = re.compile(r"[^\W\d_]+")
_FEW_DIGITS = 3
"""A name without a letter that has more digits than these may be a number or a date of a person."""
_BETWEEN = re.compile(r"(?<!\d)[-_.]+|[-_.]+(?!\d)")
_MEASURE = re.compile(
    r"(?<![\d.])\d{0,4}(?:\.\d{1,8})?(?:px|r?em|ex|ch|%|vw|vh|pt|cm|mm|in|deg|m?s|dpi|dppx|[wx])(?!\w)"
    r"|(?<=[a-z]=)\d{1,4}(?:\.\d{1,4})?(?=\s*(?:[,;]|$))|(?<![\d.])\d{0,3}\.\d{1,8}(?![\d.])"
)
_LONG = re.compile(r"\d{5}|\d[-/.]\d+[-/.]\d|\d{3}-\d{4}")
_MOST_DIGITS = 7


@dataclass(slots=True)
class Names:
    """The names of one document, which lies ``within`` another or not. PRIVATE. One that would change is numbered."""

    within: str = ""
    _known: dict[str, str] = field(default_factory=dict, repr=False)

    def named(self, name: str, visit: Visit) -> Generator[Slot, None, str]:
        """Yield ``name`` as a text where it is new; return the name that is written. Raise Refused."""
        if (known := self._known.get(name)) is not None:
            return known
        number = len(self._known) + 1
        if not _WORD.search(name) and sum(map(str.isdigit, name)) <= _FEW_DIGITS:
            self._known[name] = name
            return name
        action = visit.rule("names", place := f"{self.within}name {number}")
        slot = Slot(re.sub(r"(?<=\d)_+(?=\d)", "-", _BETWEEN.sub(" ", name)), place)
        if action not in (DROP, KEEP):
            yield slot
        changes = action == DROP or slot.new != slot.text
        self._known[name] = f"name-{number}" if changes else name
        return self._known[name]

    def all_named(self, names: str, visit: Visit) -> Generator[Slot, None, str]:
        """Yield and write ``names`` that spaces divide."""
        written = []
        for name in names.split():
            written.append((yield from self.named(name, visit)))
        return names if written == names.split() else " ".join(written)


@cache
def _words() -> frozenset[str]:
    text = (resources.files("sfumato") / "data" / "page_words.txt").read_text(encoding="utf-8")
    return frozenset(text.partition("\n")[2].split())


def is_public(value: str) -> bool:
    """Return whether ``value`` has only words of HTML and CSS, short numbers and signs, which tell nothing.

    A long number or a date may be somebody's. A name that was numbered remains a name, so that those after it keep
    their numbers.
    """
    if _NUMBERED.fullmatch(value):
        return False
    if is_long(value):
        return False
    words = _WORD.findall(_COLOUR.sub("", value).lower())
    return all(len(word) == 1 or word in _words() for word in words)


def is_long(value: str) -> bool:
    """Return whether ``value`` has digits that may be somebody's number or date; measures and colours have none."""
    bare = _MEASURE.sub("", _COLOUR.sub("", value))
    return _LONG.search(bare) is not None or sum(map(str.isdigit, bare)) > _MOST_DIGITS


def treated(
    visit: Visit, part: str, text: str, place: str, *, lead: str = "", shown: str = ""
) -> Generator[Slot, None, str | None]:
    """Yield ``text`` if its ``part`` is treated; return the new text, or None if it is dropped. Raise Refused."""
    if not text.strip():
        return text
    action = visit.rule(part, place)
    if action in (DROP, KEEP):
        return text if action == KEEP else None
    slot = Slot(text, place, lead=lead, shown=shown)
    yield slot
    return slot.new
