"""What the words before an output become in Spanish, so that they agree with it: "al Hospital", "a la Clínica".

Articles, prepositions with one, adjectives behind them, and "y" and "o" are mended. The gender of an output is that
of the lists. A place without an article has none behind a preposition.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sfumato.language.accents import plain
from sfumato.language.gender import gender_of
from sfumato.language.letter_case import capitalised_like

if TYPE_CHECKING:
    from sfumato.language.language import Language

_START = r"(?:(?<=^)|(?<=[\s(«\"“'’¿¡-]))"
_GAP = r"[ \u00a0\u202f]"
_FORMS = {
    "the": {"m": "el", "f": "la", "p": "los", "q": "las"},
    "of": {"m": "del", "f": "de la", "p": "de los", "q": "de las"},
    "to": {"m": "al", "f": "a la", "p": "a los", "q": "a las"},
    "a": {"m": "un", "f": "una", "p": "unos", "q": "unas"},
    "this": {"m": "este", "f": "esta", "p": "estos", "q": "estas"},
    "that": {"m": "ese", "f": "esa", "p": "esos", "q": "esas"},
    "such": {"m": "dicho", "f": "dicha", "p": "dichos", "q": "dichas"},
    "our": {"m": "nuestro", "f": "nuestra", "p": "nuestros", "q": "nuestras"},
}
"""By what a word says, and by the gender: men's words, women's, and their plurals."""
_USES = {form: use for use, forms in _FORMS.items() for form in forms.values()}
_BARE = {
    **dict.fromkeys(("de", "a"), ""),
    **dict.fromkeys(["en", "por", "para", "con", "desde", "hacia", "hasta", "sobre", "contra"], ""),
}
_STEMS = {"of": "de", "to": "a"}
_ENDINGS = {"m": "o", "f": "a", "p": "os", "q": "as"}
_ADJECTIVE = "citad|mencionad|referid|indicad|mism|propi|antigu|nuev"
_WORDS = "|".join(sorted((form.replace(" ", _GAP) for form in _USES), key=len, reverse=True))
_ENDS = re.compile(
    rf"{_START}(?:(?P<before>[^\W\d_]+){_GAP})?(?P<word>{_WORDS}|{'|'.join(_BARE)}){_GAP}"
    rf"(?:(?P<adjective>{_ADJECTIVE})(?:o|a|os|as){_GAP})?$",
    re.IGNORECASE,
)
_JOINING = re.compile(rf"{_START}(?P<word>[yeou]){_GAP}$", re.IGNORECASE)
_LIKE_I, _LIKE_O = re.compile(r"h?i(?![aeou])|y(?![aeiou])"), re.compile(r"h?o")
_STRESSED = frozenset(["ama", "agua", "aula", "area", "aguila", "alma", "arma", "aya", "hada"])
"""Women's words that "el" and "un" stand before, because they begin with a stressed a."""
_PROPER = re.compile(r"[A-ZÁÉÍÓÚÑÜ][^\W\d_]*[a-záéíóúñü]")


def agreeing(before: str, output: str, language: Language) -> str | None:
    """Return ``before`` so that it agrees with ``output``; None if it does already, or nothing is known of it."""
    joining = _JOINING.search(before)
    if joining is not None:
        return _joined(before, joining, output)
    match = _ENDS.search(before)
    if match is None:
        return None
    start, mended = _mended(match, output, language)
    if mended is None or " ".join(before[start:].split()).lower() == mended.strip():
        return None
    return before[:start] + capitalised_like(mended, before[start:].strip())


def _mended(match: re.Match[str], output: str, language: Language) -> tuple[int, str | None]:
    """Return where the words begin that are mended, and what they become; None if that is not known."""
    word, land = " ".join(match["word"].lower().split()), language.places.gender_of(output)
    gender, start = land or gender_of(output, language), match.start("word")
    if word in _BARE:
        return (start, _with_article(word, land) if land and not match["adjective"] else None)
    if gender:
        side = "m" if gender == "f" and plain(output).split()[0] in _STRESSED and not match["adjective"] else gender
        own = _FORMS[_USES[word]].get(side)
        ending = f"{match['adjective'].lower()}{_ENDINGS[gender]} " if match["adjective"] else ""
        return start, None if own is None else f"{own} {ending}"
    return start, None if match["adjective"] else _bare(match, word, output, language)


def _with_article(preposition: str, gender: str) -> str:
    """Return a preposition with the article of a country behind it: "en el Reino Unido", "del Líbano"."""
    use = next((use for use, stem in _STEMS.items() if stem == preposition), None)
    return f"{_FORMS[use][gender]} " if use else f"{preposition} {_FORMS['the'][gender]} "


def _bare(match: re.Match[str], word: str, output: str, language: Language) -> str | None:
    """Return what stands before a place without an article; None before anything else."""
    if not _PROPER.match(output) or not _may_be_place(output, language):
        return None
    use, behind = _USES[word], (match["before"] or "").lower()
    if use in _STEMS:
        return f"{_STEMS[use]} "
    return "" if use == "the" and behind in _BARE else None


def _may_be_place(output: str, language: Language) -> bool:
    """Return whether ``output`` is no institution by its words, no name with a title, no day and no month."""
    from sfumato.language.es.dates import DATES

    if language.titles.cut(output)[0]:
        return False
    first = output.split()[0].rstrip(".,")
    is_date = any(names.is_full(first) for names in (DATES.months, DATES.weekdays, DATES.seasons))
    return not is_date and not language.institutions.sector_of(output)


def _joined(before: str, match: re.Match[str], output: str) -> str | None:
    """Return "e" for "y" before the sound of an i, "u" for "o" before that of an o, and the other way."""
    word, sound = match["word"], plain(output[:3])
    if not sound[:1].isalpha():
        return None
    pattern, changed, plainly = (_LIKE_I, "e", "y") if word in "yeYE" else (_LIKE_O, "u", "o")
    own = changed if pattern.match(sound) else plainly
    if own == word.lower() or (word.isupper() and not output[:3].isupper()):
        return None
    return before[: match.start("word")] + (own.upper() if word.isupper() else own) + before[match.end("word") :]
