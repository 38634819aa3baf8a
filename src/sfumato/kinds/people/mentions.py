"""Which mentions of a record are of one person: by the parts that each shows, and by the sex that the text says.

Analysis. Who is drawn together is the pattern of equal values, which is in the release and in the adjacency of draws
for a record. So it may depend on the names themselves. Whether a lone name is the first or the last of a fuller one
is a part of its written form. The sex of a person follows from titles and from the text between marks alone.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from sfumato.abstract.kind import Form, Reading
from sfumato.kinds.people.layouts import FAMILIES, FAMILY, GIVEN, INSTITUTION, PRONOUN, Style, split_name
from sfumato.language.languages import ENGLISH, language_of

Nicknames = Mapping[str, frozenset[str]]
ANYONE = "person"
"""The domain of all names."""


def same_person(first: str, second: str, nicknames: Nicknames | None = None) -> bool:
    """Return whether one of two values can be a part of the other: "Mabey", "D. Mabey", "Bob" of "Robert Mabey".

    A name is not a part of another by an initial of that one alone: "Malik" is not "Rosa M. Gutierrez".
    """
    nicknames = ENGLISH.naming.nicknames if nicknames is None else nicknames
    short, long = sorted((plain_words(first), plain_words(second)), key=len)
    rest = iter(long)
    matched = [next((other for other in rest if _can_be(word, other, nicknames)), "") for word in short]
    by_more = any(len(other) >= min(2, len(word)) for word, other in zip(short, matched, strict=True))
    return bool(short) and all(matched) and (by_more or len(short) == len(long))


def representatives(readings: Sequence[Reading], language: str = ENGLISH.code) -> list[Reading]:
    """Return the fullest name of the person of each of ``readings``, the domain of the person, and the own style.

    A part of one longer name joins it. A part of several that are different people joins those whose sex the text
    says to be the same, if they are one person. A last name alone joins the first of several, because it shows no
    more than what they share. Any other part stays by itself, because two people who become one are worse than one
    who becomes two.
    """
    people = _People(readings, language)
    return [
        Reading(people.fullest[reading.value], Form(people.grain(reading.value), people.style(reading)))
        for reading in readings
    ]


@lru_cache(maxsize=1 << 15)
def plain_words(value: str) -> tuple[str, ...]:
    """Return the words of ``value`` in small letters, without accents and stops."""
    parts = unicodedata.normalize("NFKD", value.casefold())
    return tuple("".join(sign for sign in parts if not unicodedata.combining(sign)).replace(".", " ").split())


def _can_be(word: str, other: str, nicknames: Nicknames) -> bool:
    short, long = sorted((word, other), key=len)
    return short == long or (len(short) == 1 and long.startswith(short)) or long in nicknames.get(short, ())


def _letters(value: str) -> int:
    return sum(map(len, plain_words(value)))


@dataclass(frozen=True, eq=False)
class _People:
    """The people of the ``readings`` of one record."""

    readings: Sequence[Reading]
    language: str

    @cached_property
    def _nicknames(self) -> Nicknames:
        return language_of(self.language).naming.nicknames

    @cached_property
    def fullest(self) -> Mapping[str, str]:
        """Return the fullest name of the person of each value."""
        fullest: dict[str, str] = {}
        names = _Index(self._nicknames)
        waiting: list[str] = []
        for name in sorted(self._order, key=lambda name: (-_letters(name), name)):
            if waiting and _letters(waiting[0]) > _letters(name):
                names.add(waiting)
                waiting = []
            waiting.append(name)
            fullest[name] = name if name in self._institutions else self._joined(name, names, fullest)
        return fullest

    def _joined(self, name: str, names: _Index, fullest: Mapping[str, str]) -> str:
        longer = self._longer(name, names, fullest)
        fitting = [other for other in longer if len(self._said[name] | self._said[other]) <= 1]
        if len(fitting) == 1 and len(longer) <= _MANY:
            return fitting[0]
        several = fitting or longer
        is_last_name = all(
            plain_words(name) == plain_words(" ".join(split_name(other, self.language)[1])) for other in several
        )
        return min(several, key=self._order.__getitem__) if several and is_last_name else name

    def _longer(self, name: str, names: _Index, fullest: Mapping[str, str]) -> list[str]:
        """Return the people of whose names ``name`` can be a part."""
        longer: dict[str, None] = {}
        for other in names.like(name):
            if other not in self._institutions and same_person(other, name, self._nicknames):
                longer[fullest[other]] = None
                if len(longer) > _MANY:
                    break
        return list(longer)

    @cached_property
    def _order(self) -> dict[str, int]:
        """Return the values in the order in which the record names them first."""
        return {value: number for number, value in enumerate(dict.fromkeys(own.value for own in self.readings))}

    @cached_property
    def _institutions(self) -> frozenset[str]:
        """Return the values that are parts of the names of institutions wherever they stand."""
        beside: dict[str, set[bool]] = defaultdict(set)
        for own in self.readings:
            beside[own.value].add(_beside(own) == INSTITUTION)
        return frozenset(value for value, of in beside.items() if of == {True})

    @cached_property
    def _said(self) -> Mapping[str, set[str]]:
        """Return the sexes that titles and relatives say of each value."""
        said: dict[str, set[str]] = defaultdict(set)
        for own in self.readings:
            if own.form.grain != ANYONE and _beside(own) != PRONOUN:
                said[own.value].add(own.form.grain)
        return said

    def grain(self, value: str) -> str:
        """Return the domain of the person of ``value``."""
        return self._grains[self.fullest[value]]

    @cached_property
    def _grains(self) -> Mapping[str, str]:
        """Return the domain of each person: the surest signs of the sex decide, by their number.

        A title or a relative beside a mention that shows a first name is surest, then a pronoun. "Mrs Moss" is least
        sure, because it may be the wife of the one who is named in full.
        """
        signs: dict[str, list[dict[str, int]]] = {name: [{}, {}, {}] for name in self.fullest.values()}
        for own in self.readings:
            if own.form.grain != ANYONE:
                rank = 1 if _beside(own) == PRONOUN else 2 if _shows_last_name_alone(own) else 0
                counts = signs[self.fullest[own.value]][rank]
                counts[own.form.grain] = counts.get(own.form.grain, 0) + 1
        return {name: _decided(next(filter(None, ranked), {})) for name, ranked in signs.items()}

    def style(self, reading: Reading) -> tuple[str, ...]:
        """Return the style of ``reading``; a lone name is that part of the fuller name which it is."""
        style, fullest = Style(*reading.form.style), self.fullest[reading.value]
        if fullest == reading.value or style.layout not in (GIVEN, FAMILY):
            return reading.form.style
        given, family = map(plain_words, map(" ".join, split_name(fullest, self.language)))
        own = plain_words(reading.value)
        layout = FAMILY if own == family and own != given else GIVEN if own == given != family else style.layout
        return style._replace(layout=layout)


_MANY = 8
"""Of so many people who may be meant, the rest are not looked for."""


def _decided(counts: Mapping[str, int]) -> str:
    most = max(counts.values(), default=0)
    sexes = [sex for sex, count in counts.items() if count == most]
    return sexes[0] if len(sexes) == 1 else ANYONE


def _beside(reading: Reading) -> str:
    return Style(*reading.form.style).beside


def _shows_last_name_alone(reading: Reading) -> bool:
    return Style(*reading.form.style).layout in (FAMILY, FAMILIES)


class _Index:
    """Names by their words and by first letters, so that a long record stays quick."""

    def __init__(self, nicknames: Nicknames) -> None:
        self._nicknames = nicknames
        self._by_word: dict[str, dict[str, None]] = defaultdict(dict)
        self._by_letter: dict[str, dict[str, None]] = defaultdict(dict)

    def add(self, names: Sequence[str]) -> None:
        """Add ``names``."""
        for name in names:
            for word in plain_words(name):
                self._by_word[word][name] = None
                self._by_letter[word[0]][name] = None

    def like(self, name: str) -> Iterator[str]:
        """Yield the names that have a word like the rarest word of ``name``; perhaps one of them twice."""
        every = [self._groups(word) for word in plain_words(name)]
        yield from (other for group in min(every, key=_size, default=[]) for other in group)

    def _groups(self, word: str) -> list[Mapping[str, None]]:
        if len(word) == 1:
            return [self._by_letter.get(word, {})]
        alike = (word, word[0], *self._nicknames.get(word, ()))
        return [self._by_word.get(other, {}) for other in alike]


def _size(groups: Sequence[Mapping[str, None]]) -> int:
    return sum(map(len, groups))
