"""Names of styles and bookmarks inside a Word document. Those that people chose are numbered."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from sfumato.documents.office.office_names import words
from sfumato.documents.office.office_values import usual
from sfumato.documents.rules import KEEP, Visit

_STYLES = words(
    "w:style@w:styleId w:pStyle@w:val w:rStyle@w:val w:tblStyle@w:val w:basedOn@w:val w:next@w:val w:link@w:val "
    "w:styleLink@w:val w:numStyleLink@w:val w:defaultTableStyle@w:val"
)
_BOOKMARKS = words(
    "w:bookmarkStart@w:name w:hyperlink@w:anchor w:moveFromRangeStart@w:name w:moveToRangeStart@w:name"
)
_MADE = re.compile(r"_(Toc|Ref|Hlk|GoBack|PictureBullets|Numbering)[0-9]{0,9}|move[0-9]{1,9}|top")


class Renamed:
    """Gives names of one kind their new names, in the order in which they are first met."""

    def __init__(self, visit: Visit, word: str) -> None:
        self._visit = visit
        self._word = word
        self._new: dict[str, str] = {}

    def __call__(self, name: str) -> str:
        """Return the new name of ``name``, which is its own if a program gave it."""
        if name in self._new:
            return self._new[name]
        made = not name or _MADE.fullmatch(name) or (usual(name) and not name.startswith(self._word))
        if made or self._visit.rule("names", self._word.lower()) == KEEP:
            return name
        return self._new.setdefault(name, f"{self._word}{len(self._new) + 1}")


def renaming(visit: Visit) -> Mapping[str, Callable[[str], str]]:
    """Return what renames the attributes that hold the name of a style or a bookmark."""
    style, bookmark = Renamed(visit, "Style"), Renamed(visit, "bookmark")
    return dict.fromkeys(_STYLES, style) | dict.fromkeys(_BOOKMARKS, bookmark) | dict.fromkeys(_THREADS, _Numbered())


_THREADS = words("w15:commentEx@w15:paraId w15:commentEx@w15:paraIdParent")


class _Numbered:
    """Numbers the paragraphs of comments, which stay in their threads."""

    def __init__(self) -> None:
        self._new: dict[str, str] = {}

    def __call__(self, name: str) -> str:
        """Return the number of a paragraph."""
        return self._new.setdefault(name, f"{len(self._new) + 1:08X}")
