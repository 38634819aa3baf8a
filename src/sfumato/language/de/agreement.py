"""What the words before an output become in German, so that they agree with it: "im Klinikum", "in der Klinik".

A contraction or a preposition tells the case of an article. Where neither does, its own form and its place decide.
The gender of an output is that of the lists. A place without an article has none behind a preposition.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sfumato.language.gender import gender_of
from sfumato.language.letter_case import capitalised_like

if TYPE_CHECKING:
    from sfumato.language.language import Language

_GAP = r"[ \u00a0\u202f]"
_JOINED = {
    **{"im": ("in", "dem"), "am": ("an", "dem"), "zum": ("zu", "dem"), "vom": ("von", "dem"), "beim": ("bei", "dem")},
    **{
        "zur": ("zu", "der"),
        "ins": ("in", "das"),
        "ans": ("an", "das"),
        "aufs": ("auf", "das"),
        "fürs": ("für", "das"),
    },
    **{"durchs": ("durch", "das"), "ums": ("um", "das")},
}
"""Prepositions that are one word with an article."""
_ALONE = {parts: word for word, parts in _JOINED.items() if word not in ("aufs", "fürs", "durchs", "ums", "ans")}
_ARTICLES = {
    "nominative": {"m": "der", "f": "die", "n": "das", "p": "die"},
    "accusative": {"m": "den", "f": "die", "n": "das", "p": "die"},
    "dative": {"m": "dem", "f": "der", "n": "dem", "p": "den"},
    "genitive": {"m": "des", "f": "der", "n": "des", "p": "der"},
}
_INDEFINITE = {
    "nominative": {"m": "ein", "f": "eine", "n": "ein"},
    "accusative": {"m": "einen", "f": "eine", "n": "ein"},
    "dative": {"m": "einem", "f": "einer", "n": "einem"},
    "genitive": {"m": "eines", "f": "einer", "n": "eines"},
}
_DATIVE = "aus bei mit nach seit von zu gegenüber in an auf vor hinter neben unter über zwischen"
_ACCUSATIVE = "für durch gegen ohne um"
_BOTH = frozenset(["in", "an", "auf", "vor", "hinter", "neben", "unter", "über", "zwischen"])
"""Prepositions with the accusative for a way and the dative for a place."""
_CASES = {**dict.fromkeys(_DATIVE.split(), "dative"), **dict.fromkeys(_ACCUSATIVE.split(), "accusative")}
_PLACES = ("in", "aus", "von", "nach", "bei", "für", "durch", "über")
_WORDS = "|".join(sorted({*_JOINED, "der", "die", "das", "den", "dem", "des"}))
_UNDECIDED = ["ein", "eine", "einen", "einem", "einer", "eines"]
_ENDS = re.compile(
    rf"(?:(?<=^)|(?<=[\s(„»\"“'’-]))(?:(?P<before>[^\W\d_]+){_GAP})?(?P<word>{_WORDS}|{'|'.join(_UNDECIDED)}|{'|'.join(_PLACES)}){_GAP}$",
    re.IGNORECASE,
)
_PROPER = re.compile(r"[A-ZÀ-ÖØ-ÞĀ-Ž][^\W\d_]*[a-zß-öø-ž]")


def agreeing(before: str, output: str, language: Language) -> str | None:
    """Return ``before`` so that it agrees with ``output``; None if it does already, or nothing is known of it."""
    match = _ENDS.search(before)
    if match is None:
        return None
    land = language.places.gender_of(output)
    gender = land or gender_of(output, language)
    word = match["word"].lower()
    if word in _PLACES:
        mended = _with_article(word, land) if land else None
        start = match.start("word")
    elif gender:
        start, mended = match.start("word"), _mended(match, gender)
        preposition = (match["before"] or "").lower()
        if mended and (preposition, mended) in _ALONE:
            start, mended = match.start("before"), _ALONE[preposition, mended]
    else:
        start, mended = _bare(match, output, language)
    if mended is None or before[start:].strip().lower() == mended:
        return None
    return f"{before[:start]}{capitalised_like(mended, before[start:].strip())} "


def _with_article(preposition: str, gender: str) -> str:
    """Return a preposition with the article of a country behind it; one goes "in die Schweiz"."""
    case = "accusative" if preposition in ("nach", "für", "durch") else "dative"
    own = "in" if preposition == "nach" else preposition
    article = _ARTICLES[case][gender]
    return _ALONE.get((own, article), f"{own} {article}")


def _mended(match: re.Match[str], gender: str) -> str | None:
    """Return the article of ``gender`` in the case that the words show."""
    word = match["word"].lower()
    if word in _JOINED:
        preposition, article = _JOINED[word]
        own = _ARTICLES["accusative" if article == "das" else "dative"].get(gender)
        return None if own is None else _ALONE.get((preposition, own), f"{preposition} {own}")
    forms = _INDEFINITE if word in _UNDECIDED else _ARTICLES
    return forms[_case(word, match["before"] or "", forms)].get(gender)


def _case(word: str, before: str, forms: dict[str, dict[str, str]]) -> str:
    """Return the case of an article, by the word before it and by its own form."""
    fits = [case for case, own in forms.items() if word in own.values()]
    asked = _CASES.get(before.lower())
    if asked in fits and not (
        before.lower() in _BOTH and "accusative" in fits and word in ("die", "den", "eine", "einen")
    ):
        return str(asked)
    if before.lower() in _BOTH and "accusative" in fits:
        return "accusative"
    if before[:1].isupper() and before.lower() not in _CASES and "genitive" in fits:
        return "genitive"  # the head of the clinic
    if not before and "nominative" in fits:
        return "nominative"
    return next(case for case in ("accusative", "nominative", "dative", "genitive") if case in fits)


def _bare(match: re.Match[str], output: str, language: Language) -> tuple[int, str | None]:
    """Return where the words begin that a place without an article has before it otherwise, and what they become."""
    word, preposition = match["word"].lower(), (match["before"] or "").lower()
    if not _PROPER.match(output) or language.institutions.sector_of(output) or _is_date(output):
        return 0, None
    if word in ("im", "vom"):
        return match.start("word"), _JOINED[word][0]
    if preposition in ("in", "aus", "von") and word in ("der", "dem", "den"):
        return match.start("before"), preposition
    if preposition == "in" and word == "die":
        return match.start("before"), "nach"
    return 0, None


def _is_date(output: str) -> bool:
    from sfumato.language.de.dates import DATES

    first = output.split()[0].rstrip(".,")
    return any(names.is_full(first) for names in (DATES.months, DATES.weekdays, DATES.seasons))
