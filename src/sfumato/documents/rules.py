"""What happens to the parts of a document beside its text: the section ``[documents]`` of a policy."""

from __future__ import annotations

import secrets
from collections import Counter
from dataclasses import dataclass, field, fields, replace
from typing import Annotated, Self

from sfumato.errors import ConfigurationError
from sfumato.options.option import Option

TREAT, DROP, KEEP, REFUSE = "treat", "drop", "keep", "refuse"
_OF_TEXT = (TREAT, DROP, KEEP, REFUSE)
_OF_BYTES = (DROP, KEEP, REFUSE)
_CHOICES = dict.fromkeys(("caches", "images", "programs", "scans", "unknown"), _OF_BYTES) | {"fonts": (KEEP, REFUSE)}


class Refused(Exception):  # noqa: N818 (it is what becomes of a document)
    """A document cannot be released. The message is a reason without any of its content."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What becomes of each part: treat (its text, as the body is treated), drop, keep (as it is) or refuse.

    Raises ConfigurationError for a word that a part cannot take: what holds no text cannot be treated.
    """

    properties: Annotated[str, Option("title, author, company, dates, keywords, XMP; custom properties")] = DROP
    comments: Annotated[str, Option("comments and annotations; their authors are dropped")] = TREAT
    changes: Annotated[str, Option("tracked changes: dropped ones are accepted; authors are dropped")] = DROP
    notes: Annotated[str, Option("notes of a speaker")] = TREAT
    descriptions: Annotated[str, Option("alternative texts, titles and names of pictures and shapes")] = TREAT
    links: Annotated[str, Option("where links lead; what is changed leads nowhere")] = TREAT
    hidden: Annotated[str, Option("hidden sheets, rows, slides, layers, text; what a page does not show")] = TREAT
    names: Annotated[str, Option("names of files, folders and sheets; if one would change, all are numbers")] = TREAT
    attachments: Annotated[str, Option("files inside a file, each by its own format")] = TREAT
    caches: Annotated[str, Option("copies that a program keeps: results of formulas, pivots, previews")] = DROP
    images: Annotated[str, Option("pictures, sounds and films; nothing looks for text in them")] = DROP
    programs: Annotated[str, Option("macros, scripts and embedded objects")] = DROP
    scans: Annotated[str, Option("pages that are pictures, without a text that could be found")] = REFUSE
    fonts: Annotated[str, Option("fonts of a PDF, made for its text, that cannot be made for the new one")] = REFUSE
    unknown: Annotated[str, Option("parts of a file that are of no known kind")] = DROP

    def __post_init__(self) -> None:
        for each in fields(self):
            choices = _CHOICES.get(each.name, _OF_TEXT)
            if getattr(self, each.name) not in choices:
                raise ConfigurationError(f"{each.name} is one of {', '.join(choices)}.")


class Numbers(dict[str, int]):
    """The numbers that ids have in place of themselves, the first of them first. PRIVATE.

    ``drawn`` numbers have no order: files are walked over in the order of their names, which these would tell.
    """

    def __init__(self, drawn: bool = False) -> None:
        super().__init__()
        self._drawn = drawn
        self._taken = set[int]()

    def of(self, id: str) -> int:
        """Return the number of ``id``."""
        if id not in self:
            number = len(self) + 1
            while self._drawn and (number <= _DRAWN_FROM or number in self._taken):
                number = _DRAWN_FROM + secrets.randbelow(_DRAWN_FROM * 9)
            self._taken.add(number)
            self[id] = number
        return self[id]


_DRAWN_FROM = 10**8


@dataclass(slots=True)
class Visit:
    """One walk over a document: its rules, what was done to which part, and how deep it lies in other files.

    Attributes:
        rules: What becomes of each part.
        within: Where the document is inside another, such as "attachment 2", in numbers and fixed words; or "".
        depth: How many files it is inside of.
        notes: How many parts of each kind there were, by what was done to them: {("comments", "treat"): 3}.
        numbers: The numbers that ids have in place of themselves. Files of one export share them. PRIVATE.
    """

    rules: Rules = field(default_factory=Rules)
    within: str = ""
    depth: int = 0
    notes: Counter[tuple[str, str]] = field(default_factory=Counter)
    numbers: Numbers = field(default_factory=Numbers, repr=False)

    def rule(self, part: str, where: str = "") -> str:
        """Return what becomes of a ``part``, and note it. Raise Refused, which says where, if it is refused.

        ``where`` is made of numbers and fixed words: it is shown.
        """
        action: str = getattr(self.rules, part)
        if action == REFUSE:
            raise Refused(
                f"it holds what [documents] refuses ({part}){f' at {where}' if where else ''}; remove it, or choose "
                f"what becomes of {part} in the policy"
            )
        self.notes[part, action] += 1
        return action

    def inside(self, where: str) -> Self:
        """Return the walk over a document inside this one, at ``where``. Raise Refused if it lies too deep."""
        if self.depth >= _DEEPEST:
            raise Refused(f"files lie inside one another more than {_DEEPEST} deep; take them apart")
        return replace(self, within=f"{self.within}, {where}" if self.within else where, depth=self.depth + 1)


_DEEPEST = 5
