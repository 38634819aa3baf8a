"""Words for people next to names in other languages than English: relatives, parties and offices.

"Ihr Bruder Mehmet" and "Oberarzt Dr. Petersen" hold one name each, "Frau Dietrichs Schwester Ute" two. A word that
may be a last name as well, such as "Koch", stays in a mark unless the words before it show that nobody has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise

import regex

from sfumato.detectors.everyday import is_name
from sfumato.detectors.forms import is_key
from sfumato.kinds.people.names import first_names, last_names
from sfumato.language.language import Language
from sfumato.language.letter_case import case_key
from sfumato.text.marks import Finding

_GAP = regex.compile(r"[^\S\n]{3,}|[^\S\n]*\t\s*|[^\S\n]*\n[^\S\n]*(?=[^\n]*[^\S\n]{3})")
"""What parts two columns: a wide space, and a line break before a line of columns."""
_WORD = regex.compile(r"[\p{L}\p{M}][\p{L}\p{M}'’.\u2011-]*")
_NUMBER = regex.compile(r"[,;]?\s+(?:\p{L}{1,3}\.\s?){0,2}\d+\p{L}?(?![\p{L}\d])")
"""A figure behind a name, with short forms before it; a figure within a word may stand for a letter: "Mü11er"."""
_ANDS = (" e ", " y ")
_TELLING = regex.compile(r"\p{L}{3}|\d{3}")
_GENITIVE = ("s", "'", "’")
_TITLE = regex.compile(r"(?r)(?<![\p{L}\p{M}.-])(?P<word>[\p{L}][\p{L}\p{M}.-]*)[ \u00a0]\Z")
_LONGEST = 24
"""How long a title is at most, in characters."""
_ENDS_LINE = regex.compile(r"[^\S\n]{3}|\t|[^\S\n]*(?:\n|\Z)")
_BEGINS_LINE = regex.compile(r"(?r)(?:[^\S\n]{3}|\t|(?:\n|\A)[^\S\n]*)")


def names_alone(text: str, findings: Sequence[Finding], language: Language) -> Iterator[Finding]:
    """Yield ``findings``, those of people and of what they do without the words beside that name nobody."""
    for number, own in enumerate(findings):
        if own.label == "PERSON":
            for column in _columns(text, own):
                for name in _before_number(text, column):
                    if name.label == "PERSON":
                        yield from _with_titles(text, _names(text, name, language), language)
                    else:
                        yield name
        elif own.label == "OCCUPATION":
            behind = findings[number + 1] if number + 1 < len(findings) else None
            yield from (each for each in _columns(text, own) if not _names_nobody(text, each, behind, language))
        else:
            yield own


def joined_last_names(text: str, findings: Sequence[Finding], language: Language) -> Iterator[Finding]:
    """Yield ``findings``; a last name that "e" or "y" joins to a name is part of it: "dos Santos e Silva"."""
    last: Finding | None = None
    for own in findings:
        if last is not None and _goes_on(text, last, own, language):
            last = last._replace(end=own.end)
            continue
        if last is not None:
            yield last
        last = own
    if last is not None:
        yield last


def _goes_on(text: str, last: Finding, own: Finding, language: Language) -> bool:
    if {last.label, own.label} != {"PERSON"} or text[last.end : own.start] not in _ANDS:
        return False
    name = case_key(text[own.start : own.end])
    is_last_name = name in last_names(language.code) and name not in first_names(language.code)
    return is_last_name and " " in text[last.start : last.end]


def _before_titles(text: str, start: int, language: Language) -> int:
    """Return where the titles right before a name begin: they say whether a woman or a man is meant."""
    while title := _TITLE.search(text, max(0, start - _LONGEST), start):
        word = title["word"]
        if not language.titles.cut(f"{word} X")[0] or word.lower().rstrip(".") in language.titles.given:
            break
        start = title.start("word")
    return start


def _columns(text: str, finding: Finding) -> Iterator[Finding]:
    """Yield the parts of a mark that runs over several columns."""
    start = finding.start
    for gap in _GAP.finditer(text, finding.start, finding.end):
        if start < gap.start():
            yield finding._replace(start=start, end=gap.start())
        start = gap.end()
    if start < finding.end:
        yield finding._replace(start=start)


def _before_number(text: str, finding: Finding) -> Iterator[Finding]:
    """Yield a name without the number in its mark, and the rest as a place unless it is a short form.

    "Anna Berg, Lindenstr. 5, 83059 Au" holds two values, and "Scholze, Bl. 44 d. A." one.
    """
    number = _NUMBER.search(text, finding.start + 1, finding.end)
    if number is None:
        yield finding
        return
    comma = text.rfind(",", finding.start + 1, number.start())
    end = number.start() if comma < 0 else comma
    start = end + len(text[end : finding.end]) - len(text[end : finding.end].lstrip(" ,;\n\t\u00a0"))
    yield finding._replace(end=end)
    if _TELLING.search(text, start, finding.end):
        yield finding._replace(start=start, label="LOCATION")


def _with_titles(text: str, names: Iterator[Finding], language: Language) -> Iterator[Finding]:
    """Yield ``names`` with the titles right before them."""
    for name in names:
        yield name._replace(start=_before_titles(text, name.start, language))


def _names(text: str, finding: Finding, language: Language) -> Iterator[Finding]:
    """Yield the names in the mark of a person: what is left and right of words for relatives, and behind roles."""
    words = list(_WORD.finditer(text, finding.start, finding.end))
    start, named, shown = finding.start, False, _shown_before(text, finding.start, language)
    titled = _is_titled(text, finding.start, language)
    for word, behind in pairwise(words):
        own, is_next = word.group(), "," not in text[word.end() : behind.start()]
        is_noun = language.capital_nouns or behind.group()[0].islower()
        if is_noun and _is_whose(own, language) and _is_role(behind.group(), True, language):
            start, shown = (start, False) if named else (behind.start(), True)
        elif (
            is_next and not titled and behind.group()[0].isupper() and _is_role(own, shown or own.islower(), language)
        ):
            if named and _is_apart(text[start : word.start()]):
                yield finding._replace(start=start, end=len(text[: word.start()].rstrip(" ,\u00a0")))
            elif named:
                continue
            start, named, shown = behind.start(), False, False
        else:
            titled = bool(language.titles.cut(f"{own} X")[0])
            named, shown = named or not titled, False
    is_lone = len(words) == 1 and shown and not titled
    if not (is_lone and _is_role(words[0].group(), shown, language)):
        yield finding._replace(start=start)


def _is_titled(text: str, start: int, language: Language) -> bool:
    """Return whether a title or the sign of a key is right before ``start``: what is behind it is a name."""
    before = text[max(0, start - _LONGEST) : start]
    if before.rstrip(" \u00a0").endswith((":", "=", "\t", "|")):
        return True
    title = _TITLE.search(before)
    return title is not None and bool(language.titles.cut(f"{title['word']} X")[0])


def _shown_before(text: str, start: int, language: Language) -> bool:
    """Return whether the word before a mark says whose relative is named, or is an article: "der Bruder"."""
    before = text[max(0, start - 16) : start].split(" ")
    return (
        len(before) > 1 and not before[-1] and (_is_whose(before[-2], language) or before[-2] in _articles(language))
    )


@cache
def _articles(language: Language) -> frozenset[str]:
    return language.small_words - language.particles


def _is_whose(word: str, language: Language) -> bool:
    return word.lower() in language.forms.whose


def _is_apart(before: str) -> bool:
    """Return whether the name ``before`` a word for a relative ends there: with a comma, or as a genitive."""
    return before.rstrip().endswith((",", *_GENITIVE))


def _is_role(word: str, shown: bool, language: Language) -> bool:
    """Return whether ``word`` is one for a relative, a party or an office, and no last name.

    Where an article or "his" before it has ``shown`` that it is a noun, a relative is no last name; in most languages
    no noun has a capital.
    """
    if "-" in word or (word.lower().rstrip(".") in language.titles.read and not is_relative(word, language)):
        return False
    if word[0].isupper() and not language.capital_nouns:
        shown = False
    if is_relative(word, language) and (shown or not is_name(word, language.code)):
        return True
    return not is_name(word, language.code) and (is_party(word, language) or _is_job(word, language))


def is_relative(word: str, language: Language) -> bool:
    """Return whether ``word`` is one for a relative, or for somebody whom a sex is told of: "Schwester", "Zeugin"."""
    return len(word) > 3 and bool(
        language.cues.gender_of(f"{word} ", "") or language.cues.relative.search(f"{word} ")
    )


def is_party(word: str, language: Language) -> bool:
    """Return whether ``word`` is the key of a field for a person, in any case: "Patientin", "Geschädigten"."""
    stems = (word, word[:-1]) if language.capital_nouns and word[-2:].lower() in ("en", "er", "em") else (word,)
    return any(is_key(stem, language, "MISC") for stem in stems)


def _is_job(word: str, language: Language) -> bool:
    return word.casefold() in language.jobs


def _names_nobody(text: str, finding: Finding, behind: Finding | None, language: Language) -> bool:
    """Return whether the mark of an occupation is a party or a relative, or an office beside a name.

    An office is one right before a name and its titles, or alone in its line or column, as under a signature.
    """
    words = [word.group() for word in _WORD.finditer(text, finding.start, finding.end)]
    if not words or not all(is_party(word, language) or is_relative(word, language) for word in words):
        return False
    if not any(_is_job(word, language) for word in words) and not _is_office(words, language):
        return True
    if (
        behind is not None
        and behind.label == "PERSON"
        and (
            _before_titles(text, behind.start, language) <= finding.start
            or text[finding.end : behind.start].isspace()
        )
    ):
        return True
    alone = _ENDS_LINE.match(text, finding.end) and _BEGINS_LINE.search(text, 0, finding.start)
    return bool(alone) and _BEGINS_LINE.search(text, 0, finding.start).end() == finding.start


def _is_office(words: Sequence[str], language: Language) -> bool:
    """Return whether one of the ``words`` is a title too: "Oberarzt"."""
    return any(word.lower() in language.titles.read for word in words)
