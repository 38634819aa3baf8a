"""Rules of other languages than English: fields and their values, titles, addresses, codes and telephone numbers.

A language gives words alone: keys of fields, titles, words for streets. What has a checksum is known by
python-stdnum, and telephone numbers by phonenumbers. Names that nothing announces are the network's.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import regex

from sfumato.detectors.checksums import checked, phones
from sfumato.detectors.everyday import is_name
from sfumato.detectors.found import Found
from sfumato.detectors.prefilter import matches
from sfumato.kinds.people.names import last_names
from sfumato.language.forms import Forms, spellings
from sfumato.language.language import Language
from sfumato.language.letter_case import case_key
from sfumato.language.patterns import any_of

_IS = (
    r"(?:\*{1,2}|[\"'])?(?:[^\S\n]?[:=|>]|\t|[^\S\n]{2,}|(?:</?[A-Za-z][^<>\n]{0,60}+>){1,4}+)[^\S\n\"'*>]*+[\"'*]*+"
)
"""The signs between a key and its value."""
_APART = r"(?<![\p{L}\p{N}])"
_TITLED = r"\p{Lu}[\p{L}\p{M}'’\u2011-]{1,40}+"
_NOBODY = r"(?!\L<nobody>(?!\p{L}))"
"""No word for an institution: "o Dr. Silva do Hospital" ends before "do"."""
_FURTHER = rf"[ \u00a0](?:\L<joins>[ \u00a0]){{0,3}}{_NOBODY}(?:{_TITLED}(?![^\S\n]?:)|\p{{Lu}}\.)"
"""A further word of a name; one before a colon is the next key of a form."""
_NAME = rf"{_NOBODY}(?:\p{{Lu}}\.[ \u00a0-]?){{0,3}}{_TITLED}(?:{_FURTHER}){{0,4}}"
_PARTICLES = r"(?!l[aeo]s?[ \u00a0]|(?:in|op|aan|uit)[ \u00a0]\p{Lu})(?:\L<joins>[ \u00a0]|d['’]){1,2}"
"""Particles behind a title: "M. de La Tour", "Sra. de la Torre", and not "M. le Maire" and "oma in Breda"."""
_LONG = 5
"""How many letters a title has behind which no particle begins a name: "maire de Lyon"."""
_LINE = r"[^\n|;\t<>\"]{3,90}"
_PIECE = r"(?=[\p{L}./-]{0,20}\d)[\p{L}\d]{1,34}(?:[./-]{1,2}[\p{L}\d]{1,34}){0,20}(?![\p{L}\d])"
"""A piece of a code, which has a figure."""
_COURT = 20
"""How long a word of a code is behind a key and its sign: "Aktenzeichen: Landgericht 12 O 345/20"."""
_WORD = r"\S{2,64}"
_HOUSE = r"\d{1,4}[ ]?[a-zA-Z]?(?![\p{L}\d])"
_TOWN = r"\p{Lu}[\p{L}'’-]{1,40}(?:[ -]\p{Lu}[\p{L}'’-]{1,40}){0,3}"
_OF_STREET = r"(?:[ \u00a0]\L<joins>|[ \u00a0]?[dl]['’]|[ \u00a0]?\p{Lu}[\p{L}\p{M}'’.-]{0,30}|[ ]\d{1,2}){1,7}"
"""The words of a street behind the word that it begins with."""
_FLAT = r"(?:,?[ ]\d{1,2}\.?[º°ª](?:[ ](?:\p{Lu}|\p{Ll}{3,4}\.))?)?"
_QUARTER = r"\p{Lu}[\p{L}'’.-]{0,40}(?:[ -](?:\p{L}[\p{L}'’.-]{0,30}|\d{1,4}[ºª]?(?!\d))){0,8}"
_BEHIND_QUARTERS = (
    rf"(?:,?[ ]\p{{Lu}}\p{{L}}{{1,9}}\.?[ ]\d{{1,4}})?(?:[ ]?,[ ]{_QUARTER}){{1,3}},[ ]"
    rf"(?:(?:\p{{Lu}}\.[ ])?[A-Z]{{2,5}}[ ])?\d{{5}}(?:-?\d{{3,4}})?(?!\d)"
    rf"(?:[ ](?:\p{{Ll}}{{1,3}}[ ])?{_TOWN}(?:[ ]\p{{Ll}}{{1,3}}[ ]{_TOWN})?(?:[ ]?[/–-][ ]?[A-Z]{{2}}(?!\p{{L}}))?)?"
)
"""A quarter or a town, and a postcode behind it, with the town of Brazil: ", Boa Vista, 68255515 Sá do Sul / AC"."""
_REST = rf"{_FLAT}(?:,?[ \n](?:[A-Z]{{1,2}}-)?\d{{4,5}}(?:-\d{{3}})?(?:[ ][A-Z]{{2}})?[ ]{_TOWN}|{_BEHIND_QUARTERS})?"


@dataclass(frozen=True, eq=False)
class Rules:
    """The rules of one language, compiled: each with its label and how sure it is; ``phones`` are its countries.

    ``dates`` are its shapes of dates: "Im Sommer 2020" looks like a street in German, and is a date.
    """

    patterns: tuple[tuple[str, float, Any], ...]
    language: Language
    empty: frozenset[str]
    phones: tuple[str, ...]
    dates: Sequence[Any]

    @classmethod
    def of(cls, language: Language) -> Rules:
        """Return the rules of ``language``."""
        forms, streets = language.forms, language.streets
        rows = [
            *_of_fields(forms, language.titles.read),
            *_of_titles(language.titles.read),
            *_of_streets(*streets, language.small_words),
        ]
        joins = sorted(language.particles)
        nobody = [way for word in _spellings(forms.nobody) for way in (word.capitalize(), word.upper())]
        compiled = tuple(
            (label, score, regex.compile(pattern, flags, ignore_unused=True, joins=joins, nobody=nobody))
            for label, score, pattern, flags in rows
        )
        return cls(compiled, language, frozenset(forms.empty), language.countries, language.dates.shapes)

    def found(self, text: str) -> Iterator[Found]:
        """Yield every match in ``text``; spans may overlap. Raise TimeoutError if a pattern takes too long."""
        for number, (label, score, pattern) in enumerate(self.patterns):
            for match in matches(pattern, text):
                start, end = match.span("value")
                value = match["value"]
                is_key_itself = label == "PERSON" and _is_no_name(value, text[match.start() : start], self.language)
                if value.strip(" .").lower() not in self.empty and not is_key_itself:
                    is_date = label == "LOCATION" and any(shape.fullmatch(value) for shape in self.dates)
                    yield Found(start, end, "DATE" if is_date else label, score, str(number))
        yield from checked(text)
        yield from phones(text, self.phones)


def _spellings(keys: Iterable[str]) -> list[str]:
    """Return ``keys`` in all that an accent may become: a sign of its own, or nothing."""
    return sorted({spelled for key in keys for spelled in spellings(key)})


def _code(keys: str, longest: int = 6) -> str:
    """Return a pattern for a code: pieces with figures, and short words before and capitals behind them.

    It has three signs at least. Neither other words nor ``keys`` are part of it: "12345678Z" alone is the code in
    "DNI 12345678Z vecino de Lugo". No word before them is longer than ``longest``.
    """
    further = rf"(?!{keys}(?![\p{{L}}\d]))(?:{_PIECE}|(?-i:\p{{Lu}}{{1,4}})(?![\p{{L}}\d]))"
    three = r"(?=[\p{L}\d./-]{3}|\S{1,2}[ ](?:(?-i:\p{Lu}{1,4})[ ])?\S{0,9}\d)"
    return rf"{three}(?:[\p{{L}}-]{{1,{longest}}}\.?[ ]){{0,3}}{_PIECE}(?:[ ](?:[/-][ ])?{further}){{0,8}}"


def _name_in_field(keys: str) -> str:
    """Return a pattern for a name, or last names and a comma before the first name, other than ``keys``."""
    first = rf"(?!\S{{1,40}}[ ]?:|(?i:{keys})(?![\p{{L}}\d]))"
    return rf"(?-i:(?:{_TITLED}(?:{_FURTHER}){{0,3}},[ \u00a0]{first})?{_NAME}(?![^\S\n]?:))"


def _of_fields(forms: Forms, titles: Iterable[str]) -> Iterator[tuple[str, float, str, int]]:
    keys = any_of(_spellings(forms.codes)) or "(?!)"
    code, name = _code(keys), _name_in_field(keys)
    titled = rf"(?:{any_of(titles)}(?!\p{{L}})\.?[ \u00a0]?){{0,3}}+" if titles else ""
    values = (
        ("PERSON", 0.92, forms.names, titled, name),
        ("PERSON", 0.9, forms.persons, titled, name),
        ("LOCATION", 0.85, forms.addresses, "", _LINE),
        ("CODE", 0.9, forms.codes, "", _code(keys, _COURT)),
        ("ACCOUNT", 0.8, forms.accounts, "", _WORD),
        ("SECRET", 0.95, forms.secrets, "", _WORD),
    )
    for label, score, listed, lead, value in values:
        if listed:
            key = f"{_APART}{any_of(_spellings(listed))}{_IS}{lead}"
            yield label, score, rf"{key}(?P<value>{value})", regex.IGNORECASE
    if forms.codes:  # "DNI 12345678Z" in a sentence
        keys = rf"{keys}[ \u00a0]?(?:n[.º°]{{1,2}}[ ]?)?"
        yield "CODE", 0.85, rf"{_APART}{keys}(?P<value>(?=\S{{0,8}}\d){code})", regex.IGNORECASE
    if forms.is_:  # "a senha é gato123": a password that has a figure
        said = rf"[ \u00a0]{any_of(forms.is_)}:?[ \u00a0](?P<value>(?=\S*\d){_WORD}(?<![.,;!?]))"
        for label, listed in (("SECRET", forms.secrets), ("ACCOUNT", forms.accounts)):
            yield label, 0.86, rf"{_APART}{any_of(_spellings(listed))}{said}", regex.IGNORECASE
    if forms.by:
        keys = any_of(_spellings(forms.by))
        yield "PERSON", 0.85, rf"{_APART}{keys}[ \u00a0]:?[ ]?{titled}(?P<value>(?-i:{_NAME}))", regex.IGNORECASE


def _of_titles(titles: Iterable[str]) -> Iterator[tuple[str, float, str, int]]:
    """Yield the rule for a name behind titles; a title of one letter needs its full stop."""
    words = sorted(titles)
    if words:
        long = any_of(
            spelling for word in words if len(word) > 1 for spelling in (word, word.capitalize(), word.upper())
        )
        short = any_of(f"{word.upper()}." for word in words if len(word) == 1)
        first = "|".join(way for way in (rf"{long}\.?" if long else "", short) if way)
        yield "PERSON", 0.85, rf"{_APART}(?:(?:{first})[ \u00a0]){{1,3}}(?P<value>{_NAME})", 0
        brief = any_of(word.capitalize() for word in words if "." in word or 1 < len(word) < _LONG)
        ways = "|".join(way for way in (rf"(?i:{brief})\.?" if brief else "", short) if way)
        yield "PERSON", 0.85, rf"{_APART}(?:{ways})[ \u00a0](?P<value>{_PARTICLES}{_NAME})", 0


def _of_streets(
    before: Iterable[str], behind: Iterable[str], small: Collection[str]
) -> Iterator[tuple[str, float, str, int]]:
    """Yield the rules for a street with the number of a house, and the postcode and town behind it.

    A street that begins with one of the ``small`` words stands within a sentence or fills a line: "Am Markt 3" is
    one there, and "Am Tag 3" at the beginning of a sentence is not.
    """
    if behind := tuple(behind):
        ends = any_of([*behind, *map(str.capitalize, behind)])
        street = rf"(?:\p{{Lu}}[\p{{L}}'’.-]{{1,30}}[ ]){{0,3}}\p{{Lu}}?[\p{{L}}'’-]{{0,30}}{ends}"
        yield "LOCATION", 0.85, rf"{_APART}(?P<value>{street}[ \u00a0]{_HOUSE}{_REST})", 0
    loose = [word for word in before if word.split()[0].lower() in small]
    house = rf",?[ \u00a0](?:(?:n[.º°]{{1,2}}[ ]?|num\.[ ])?{_HOUSE}(?:[ ]\d{{3}}(?=,))?|[sS]/[nN](?!\p{{L}}))"
    if first := [word for word in before if word not in loose]:
        begins = any_of([*first, *map(str.capitalize, first)])
        number = r"(?<![/.-])\d{1,4}(?:[ ]?bis)?,?[ ]"  # no year of a date
        yield "LOCATION", 0.85, rf"{_APART}(?P<value>(?:{number})?{begins}\.?{_OF_STREET}{house}{_REST})", 0
        yield "LOCATION", 0.85, rf"{_APART}(?P<value>{number}{begins}\.?{_OF_STREET}{_REST})", 0
        yield "LOCATION", 0.85, rf"{_APART}(?P<value>{begins}\.?{_OF_STREET}{_BEHIND_QUARTERS})", 0
    if loose:
        street = rf"{any_of(loose)}{_OF_STREET}{house}"
        yield "LOCATION", 0.85, rf"(?<=[\p{{Ll}},;:(][ \u00a0])(?P<value>{street}{_REST})", 0
        ends = rf"(?:{_REST[:-1]}|(?=[ ]*(?:\n|\Z)))"
        yield "LOCATION", 0.85, rf"(?<=\A|\n)(?P<value>{street}{ends})", 0


@cache
def _rules(language: Language) -> Rules:
    return Rules.of(language)


_NAMES = frozenset({"PERSON", "ORGANIZATION", "LOCATION", "GROUP", "MISC"})
_SIGN = regex.compile(r" ?[:=|>\t]|[^\S\n]{2}")
_SURE = regex.compile(r"(?P<key>[^:=]*?)[^\S\n]?[:=]")


def is_key(words: str, language: Language | None, kind: str = "PERSON", behind: str = ":") -> bool:
    """Return whether ``words`` that a network marked as a ``kind`` are the key of a field, and no value: "C.F.".

    A heading, a greeting and a title alone are no name. A key that is also a last name, as "Nascimento" is, is one
    where the text ``behind`` it has the sign of a key.
    """
    if language is None or (kind == "PERSON" and not _SIGN.match(behind) and _is_last_name(words, language)):
        return False
    telling = [word for word in words.split() if word not in language.small_words]
    read = {_key(words), _key(" ".join(telling))}
    lists = [_keys]
    lists += [_headings] if kind in _NAMES or kind == "OCCUPATION" else []
    lists += [_words_beside] if kind in _NAMES else []
    return not telling or any(not read.isdisjoint(own(language)) for own in lists)


def _is_last_name(word: str, language: Language) -> bool:
    """Return whether a key is also a last name, and no word for a relative or a state."""
    if not word.istitle() or _key(word) in _headings(language) or case_key(word) not in last_names(language.code):
        return False
    return not (language.cues.gender_of(f"{word} ", "") or language.cues.relative.search(f"{word} "))


def _is_no_name(value: str, lead: str, language: Language) -> bool:
    """Return whether a ``value`` behind its ``lead`` is a key itself, as in the head of a table, or a greeting.

    What stands behind a key for names and a colon is a name, whatever it is: "Apelido: Nascimento". Behind another
    key, or a title, it is one if a list of names has it: "Dr. Casado".
    """
    if not is_key(value, language):
        return False
    if language.titles.cut(f"{lead.strip()} X")[1] == "X":  # "Sr. Padre": behind a title only a title is no name
        return value.lower() in language.titles.read
    sure = _SURE.match(lead)
    if sure is not None and _key(sure["key"]) in _names(language):
        return False
    in_column = sure is None and _SIGN.search(lead) is not None
    return in_column or not is_name(value, language.code)


@cache
def _names(language: Language) -> frozenset[str]:
    return frozenset(map(_key, _spellings(language.forms.names)))


def _key(words: str) -> str:
    return words.strip(" :.,!").lower()


@cache
def _keys(language: Language) -> frozenset[str]:
    forms = language.forms
    return frozenset(map(_key, _spellings((*forms.names, *forms.births, *forms.codes, *forms.secrets))))


@cache
def _words_beside(language: Language) -> frozenset[str]:
    """Return other words beside names; those that may be names in themselves are left out: "Richter", "Colonia"."""
    others = _spellings((*language.forms.persons, *language.forms.addresses, *language.titles.read))
    return frozenset(_key(word) for word in others if not is_name(word, language.code))


@cache
def _headings(language: Language) -> frozenset[str]:
    return frozenset(map(_key, _spellings((*language.forms.headings, *language.forms.greetings))))


def is_land(words: str, language: Language | None) -> bool:
    """Return whether ``words`` are a place that has an article or the code of its region: "Svizzera", "Recife/PE"."""
    places = None if language is None else language.places
    return places is not None and (places.takes_article(words) or places.with_comma(words) != words)


_BEFORE = 12


def behind_title(text: str, start: int, language: Language | None) -> int:
    """Return ``start``, or where the name begins if a mark begins inside a title: in "sig.ra Conti" at "ra"."""
    if language is None or not language.titles.read:
        return start
    match = _title_around(language).search(text, max(0, start - _BEFORE), start + _BEFORE)
    return match.end() if match is not None and match.start() < start < match.end() else start


@cache
def _title_around(language: Language) -> Any:
    titles = [title for title in language.titles.read if "." in title]
    return regex.compile(rf"{_APART}{any_of(titles) if titles else '(?!)'}\.?[ \u00a0]+(?=\p{{L}})", regex.IGNORECASE)


def found(text: str, language: Language | None) -> Iterable[Found]:
    """Return what the rules of ``language`` find in ``text``; nothing without a language."""
    return () if language is None else _rules(language).found(text)
