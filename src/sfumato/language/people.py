"""What a language says beside the name of a person: titles, and cues of sex, kin and age."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from sfumato.language.lists import words_of


@dataclass(frozen=True, eq=False)
class Titles:
    """Titles before the name of a person.

    Attributes:
        read: The titles that a name may begin with, in small letters and without a stop.
        women: Those of women alone.
        men: Those of men alone.
        given: Those behind which a lone name may be a first name: "Uncle Tom". Behind any other it is a last name.
        joins: Words that join two titles: "Mr and Mrs".
    """

    read: tuple[str, ...] = ()
    women: frozenset[str] = frozenset()
    men: frozenset[str] = frozenset()
    given: frozenset[str] = frozenset()
    joins: frozenset[str] = frozenset()
    most: int = 3
    """How many titles a name has at most."""

    @classmethod
    def of(cls, lists: Mapping[str, str], joins: str = "", most: int = 5) -> Titles:
        """Return the titles that ``lists`` hold with their uses."""

        def used(use: str) -> tuple[str, ...]:
            return tuple(title for title, uses in lists.items() if use in words_of(uses))

        women, men, given = (frozenset(used(use)) for use in ("woman", "man", "given"))
        return cls(used("name"), women, men, given, frozenset(words_of(joins)), most)

    def takes_last_name(self, title: str) -> bool:
        """Return whether a lone name behind ``title`` is a last name."""
        return bool(title) and title.split()[-1].rstrip(".").lower() not in self.given

    def cut(self, text: str) -> tuple[str, str]:
        """Return the titles that ``text`` begins with ("", "Prof. Dr." or "Mr and Mrs"), and the rest."""
        words, cut = text.split(" ", self.most + 1), 0
        for number, word in enumerate(words[:-1][: self.most]):
            joins = 0 < cut == number and word.lower() in self.joins and words[number + 1] in self._spelled
            if word in self._spelled:
                cut = number + 1
            elif not joins:
                break
        return " ".join(words[:cut]), " ".join(words[cut:])

    def joins_two(self, title: str) -> bool:
        """Return whether ``title`` is that of two people."""
        return not self.joins.isdisjoint(title.lower().split())

    def gender_of(self, title: str) -> str | None:
        """Return "woman" or "man" if ``title`` is that of one; None if it says neither or both."""
        words = {word.rstrip(".").lower() for word in title.split()}
        genders = [gender for gender, titles in (("woman", self.women), ("man", self.men)) if words & titles]
        return genders[0] if len(genders) == 1 else None

    @cached_property
    def _spelled(self) -> frozenset[str]:
        spellings = (spelling for word in self.read for spelling in (word, word.capitalize(), word.upper()))
        return frozenset(f"{spelling}{stop}" for spelling in spellings for stop in ("", "."))


class Work(NamedTuple):
    """Words for what people do by sex, in small letters: those of women and of men alone, and how women's end."""

    women: frozenset[str] = frozenset()
    men: frozenset[str] = frozenset()
    ends: tuple[str, ...] = ()

    def sex_of(self, before: str) -> str | None:
        """Return "woman" or "man" if the last word of the text ``before`` a name says so; None if it says neither."""
        word = before.rstrip(" \u00a0").rpartition(" ")[2].strip("(,").casefold()
        if word in self.women or self.is_womans(word):
            return "woman"
        return "man" if word in self.men else None

    def is_womans(self, text: str) -> bool:
        """Return whether a word of ``text`` ends as words for women by what they do end, and no word for men."""
        return bool(self.ends) and any(word.endswith(self.ends) for word in text.casefold().split())


NAME, OTHER_NAME, OTHER_MARK = "\0", "\1", "\2"
"""What stands for a name, for another mark of its kind, and for a mark of another kind, in the text between marks."""
NEVER = re.compile(r"(?!)")
"""A pattern that matches nothing."""
_BESIDE = 80


class Link(NamedTuple):
    """What the text says of a name that is a relative's: whose relative it is.

    Attributes:
        sex: "woman" or "man", if a pronoun says whose; None if it says neither.
        step: Which neighbouring name it is, -1 or 1; 0 if a pronoun says whose.
        narrator: "teller" or "hearer", if it is a relative of who tells or hears the text.
    """

    sex: str | None = None
    step: int = 0
    narrator: str = ""


class Beside(NamedTuple):
    """Patterns for the text before a name, which it ends, and for the text behind it, which it begins."""

    before: Any = NEVER
    behind: Any = NEVER

    def fits(self, before: str, after: str) -> bool:
        """Return whether the text before or behind a name fits."""
        return bool(self.before.search(before) or self.behind.match(after))


class Cues(NamedTuple):
    """Patterns for the text beside a value that says what it is about.

    Text beside a name has :data:`NAME` for it, and :data:`OTHER_NAME` and :data:`OTHER_MARK` for other marks.

    Attributes:
        birth: The text before a date of birth.
        relative: The text before the age of a relative.
        woman: The text beside the name of a woman.
        man: The same for a man.
        crowd: Anything in the sentence before a name behind which a pronoun may mean somebody else.
        pronoun: The next in the text behind a name that is a pronoun, as its group "woman" or "man", or anything
            behind which a pronoun may mean somebody else.
        aside: The text before a name that a text is hardly about.
        relation: The text beside the name of a relative who mostly has the same last name. A group says whose
            relative it is: "woman", "man", "anyone", "teller" or "hearer" for a pronoun, "last" or "next" for the
            name beside it.
        last_name: The text beside a last name.
        institution: The text behind a name that begins the name of an institution.
    """

    birth: re.Pattern[str] = NEVER
    relative: re.Pattern[str] = NEVER
    woman: Beside = Beside()
    man: Beside = Beside()
    crowd: Any = NEVER
    pronoun: re.Pattern[str] = NEVER
    aside: Any = NEVER
    relation: Any = NEVER
    last_name: Beside = Beside()
    institution: re.Pattern[str] = NEVER

    def gender_of(self, before: str, after: str) -> str | None:
        """Return "woman" or "man" if the text beside a name says that; None if it says neither or both."""
        told = [who for who, cue in (("woman", self.woman), ("man", self.man)) if cue.fits(before, after)]
        return told[0] if len(told) == 1 else None

    def pronoun_of(self, before: str, after: str) -> str | None:
        """Return "woman" or "man" if a pronoun behind a name can only mean its person."""
        told = None if self.crowd.search(before) else self.pronoun.search(after)
        return None if told is None or told.lastgroup not in ("woman", "man") else told.lastgroup

    def link_of(self, before: str, after: str) -> Link | None:
        """Return whose relative a name is; None if the text beside it does not say."""
        told = self.relation.search(f"{before[-_BESIDE:]}{NAME}{after[:_BESIDE]}")
        group = None if told is None else told.lastgroup
        if group in ("teller", "hearer"):
            return Link(narrator=group)
        sex = group if group in ("woman", "man") else None
        return None if group is None else Link(sex, {"last": -1, "next": 1}.get(group, 0))

    def says_last_name(self, before: str, after: str) -> bool:
        """Return whether the text beside a lone name says that it is a last name."""
        return self.last_name.fits(before, after)
