"""Offices that every state has: a court, a ministry, a government that identifies nobody.

An office identifies nobody if its name holds nothing but a head ("Court"), a rank ("Supreme"), its state ("Polish")
and, of a court, a matter ("civil"). A place or a name in it identifies; and so does a body for one kind of people or
one need: the army, a ministry of education, a tribunal for employment, a council, a health insurance.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import regex

from sfumato.language.en.words import stop_words
from sfumato.language.patterns import any_of


def _listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


_COURTS = _listed("court chamber section panel bench senate")
"""Heads before whom matters of any kind come."""
_OFFICES = _listed(
    """
    ministry minister prosecutor procurator attorney government republic kingdom state parliament assembly congress
    commission cabinet chancellery secretariat presidency secretary governor chancellor commissioner ombudsman
    registrar inspector judge president vice-president director head chairman chairwoman chairperson agent co-agent
    deputy counsel
    """
)
_STATES = _listed("republic kingdom state")
_RANKS = _listed(
    """
    supreme high highest superior higher lower central federal national regional provincial district county local
    municipal city town metropolitan general principal chief assistant senior first second third fourth fifth sixth
    seventh eighth ninth tenth grand joint special permanent standing independent public crown circuit former
    competent administrative constitutional appeal appeals appellate cassation audit auditors
    interior internal external foreign european international home affairs human rights justice legal law
    building roads highways works planning surveys statistics revenue
    department committee bureau directorate inspectorate registry treasury division administration university
    act code convention protocol treaty constitution rule article section paragraph
    """
)
_MATTERS = _listed(
    """
    criminal civil labour social family commercial juvenile penal fiscal tax electoral maritime insolvency bankruptcy
    assize magistrate magistrates security investigating disciplinary arbitration examining instance jurisdiction
    matters
    """
)
_PERSONAL = _listed(
    """
    justice judge minister governor president chancellor secretary inspector commissioner counsel agent director head
    deputy chairman chairwoman attorney law court house state bench section chamber rule
    """
)
"""Words that are a person's title or may be a surname."""
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]++(?:['’\u2011-][\p{L}\p{M}\p{N}]++)*+")
_POSSESSIVE = regex.compile(r"['’]s?\Z")
_NUMERAL = regex.compile(r"\d{1,3}(?:st|nd|rd|th)?|[ivx]+")
_BRACKET = regex.compile(r"\s?\([^()]{2,90}\)?[\s.]{0,3}\Z")


@lru_cache(maxsize=1)
def nations() -> Any:
    """Return a pattern for an adjective of a nation, a language or a people."""
    return regex.compile(any_of({name for name in _nations() if len(name) > 3} | {"European"}))


@lru_cache(maxsize=1)
def states() -> Any:
    """Return a pattern for a country's usual name or its adjective, as a whole word."""
    import pycountry

    named = {getattr(country, form, "") for country in pycountry.countries for form in ("name", "common_name")}
    common = {name.split(",")[0].split(" (")[0] for name in named} | {"Turkey", "Great Britain"}
    return regex.compile(rf"(?<![\p{{L}}\p{{N}}]){any_of((common | _nations()) - {''})}(?![\p{{L}}\p{{N}}])")


@lru_cache(maxsize=1)
def _styles() -> Any:
    """Return a pattern for the full style of a state, which names the state as a party, not a place."""
    import pycountry

    styles = {getattr(country, "official_name", "") for country in pycountry.countries}
    return regex.compile(any_of({style for style in styles if regex.search(r"\b(?:Republic|Kingdom) of ", style)}))


@lru_cache(maxsize=1)
def _nations() -> frozenset[str]:
    from sfumato.vocabularies.builtin_phrases import groups

    return frozenset(name for name in groups() if name.isalpha())


def bare_length(text: str) -> int:
    """Return how long ``text`` is without the bracket at its end, which repeats or abbreviates the office."""
    bracket = _BRACKET.search(text, max(0, len(text) - 100))
    return len(text) if bracket is None else int(bracket.start())


def is_office(text: str) -> bool:
    """Return whether ``text`` names only an office that any state has, with or without its state."""
    bare = text[: bare_length(text)].strip()
    if _styles().fullmatch(bare.removeprefix("the ").removeprefix("The ")):
        return True
    words = [word for word in _words(states().sub(" ", bare)) if word not in stop_words()]
    heads = [word for word in words if _forms(word) & (_COURTS | _OFFICES)]
    if heads == words and " of " not in bare and {*heads} <= _STATES:  # "Czech Republic" is a country
        return False
    known = _COURTS | _OFFICES | _RANKS | (_MATTERS if any(_forms(word) & _COURTS for word in heads) else frozenset())
    return bool(heads) and all(_is(word, known) for word in words)


def is_part_of_one(text: str) -> bool:
    """Return whether ``text`` holds two or more ranks and domains of offices, and nothing else: "Chief Building"."""
    words = [word for word in _words(text) if word not in stop_words()]
    return len(words) > 1 and all(_is(word, _RANKS) and not word.isdigit() for word in words)


def is_title(text: str) -> bool:
    """Return whether ``text`` is the title of an official and nothing else."""
    words = _words(text)
    return len(words) == 1 and bool(_forms(words[0]) & _OFFICES)


def may_be_named(text: str) -> bool:
    """Return whether ``text`` may be a person's name nonetheless: "Judge Law", "Justice"."""
    words = _words(text)
    return len(words) < 2 or any(word in _PERSONAL for word in words[:1]) or states().search(text) is not None


def _words(text: str) -> list[str]:
    return [_POSSESSIVE.sub("", match.group().casefold()) for match in _WORD.finditer(text)]


def _is(word: str, known: frozenset[str]) -> bool:
    return bool(_forms(word) & known) or _NUMERAL.fullmatch(word) is not None


def _forms(word: str) -> set[str]:
    return {word, word.removesuffix("s"), f"{word.removesuffix('ies')}y"}
