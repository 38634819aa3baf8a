"""Names of persons by the words beside them: a greeting, a closing, a verb of speech, a cell of a table, or none.

If capitals mark names, a word that English hardly knows is a name anywhere inside a sentence.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Any

import regex

from sfumato.detectors.english.names import Cue, is_unknown, name_end
from sfumato.detectors.english.organisations import names_nothing
from sfumato.detectors.found import Found
from sfumato.detectors.prefilter import anchored_matches, matches, matches_at

_WORD = r"\p{L}[\p{L}\p{M}'’\u2011-]{1,40}+"
_INITIAL = r"\p{Lu}\.[ \u00a0]?"
_WORDS = rf"(?P<name>(?:{_INITIAL})?{_WORD}(?:[ \u00a0](?:{_INITIAL})?{_WORD}){{0,3}})"
_SPACES = r"[^\S\n]*+"
_START = r"(?<![\p{L}\p{M}\p{N}'’-])"
_GREETING = r"(?:hi|hello|hey|dear|thanks|cheers|good (?:morning|afternoon|evening))"
_ANYBODY = (
    r"(?:(?:valued |potential |fellow )?(?:customer|client|colleague|friend|guest|member|neighbou?r|parent|patient"
    r"|reader|student|user)s?|team|folks|guys|world|sirs?|madam|ladies|gentlemen|doctor|editor|recipient|hiring|again"
    r"|so much)"
)
_CLOSING = r"(?:regards|sincerely|faithfully|truly|wishes|thanks|thank you|cheers|best|love|signed)"
_THEIRS = r"(?:family|house|case|account|file|boy|girl|child(?:ren)?|estate)"
_SPEAKS = (
    r"(?:called|phoned|rang|said|says|asked|asks|told|wrote|writes|replied|emailed|texted|messaged|visited|complained|agreed"
    r"|refused|insisted|denied|claimed|claims|reported|reports|answered|explained|thanked|apologi[sz]ed|confirmed|arrived"
    r"|attended|left|came|went|spoke|died|lives|works|signed|married)"
)
_TO = (
    r"(?:sp(?:oke|oken|eak|eaking) (?:to|with)|talk(?:ed|ing)? (?:to|with)|met(?: with)?|saw|told|tell|asked|ask|rang"
    r"|phoned|emailed|texted|contacted|thanked|named|called|known as|name is|name's|i am|i['’]m|this is|attn|cc|per"
    r"|letter from|mail from|call from|message from|meeting with|appointment with)"
)
_CELL = rf"(?<=^|[|;\t>\"'\[]|[|;][^\S\n]){_WORDS}(?=[^\S\n]?(?:$|[|;\t<\"'\]]|,\S))"
_UNKNOWN = regex.compile(
    r"(?<![\p{L}\p{M}\p{N}_.@/-])\p{Lu}\p{Ll}[\p{L}\p{M}'’-]{2,40}+(?![_@\p{N}]|\.\p{Ll}|[^\S\n](?:Act|Code|Convention|Law|Protocol|Regulation|Rule|Treaty)s?\b)"
)
_VERB = regex.compile(rf"[^\S\n]{_SPEAKS}\b|(?<=[\p{{L}}\p{{M}}'’\u2011-]{{41}})['’]s\b", regex.IGNORECASE)
_STARTS_BACKWARD = regex.compile(rf"(?r){_START}\p{{L}}")
_SUBJECT = 4  # the pattern for the subject of a verb
_MOST_STARTS, _LONGEST_NAME = 8, 190
_BEFORE = regex.compile(
    r"(?:(?<![\p{L}\p{M}])([\p{L}\p{M}]{1,40}+)[\"'”’),]{0,2}+[^\S\n]|[\p{N},)][^\S\n]|([\p{L}])-)\Z"
)
_AFTER = regex.compile(r"[^\S\n]([\p{L}\p{M}]{1,40}+)")
_FAR = 45


@lru_cache(maxsize=1)
def _patterns() -> tuple[tuple[Cue, float, Any], ...]:
    greeted, alone = Cue(whole=True, capitals=True, below=3.0), Cue(whole=True, below=3.0)
    whole, first, subject = Cue(whole=True), Cue(), Cue(whole=True, first=True)
    listed = (
        (greeted, 0.8, rf"\b{_GREETING},?[^\S\n](?!{_ANYBODY}\b){_WORDS}(?=\s?[,.!?:\n]|$)"),
        (alone, 0.8, rf"\b{_CLOSING}[,.!]?{_SPACES}\n{{1,2}}{_SPACES}[-–—]?{_SPACES}{_WORDS}(?={_SPACES}(?:[,.]|$))"),
        (whole, 0.75, _CELL),
        (first, 0.75, rf"\b{_TO}[^\S\n]{_WORDS}"),
        (subject, 0.7, rf"{_START}(?={_WORDS}(?:[^\S\n]{_SPEAKS}\b|['’]s\b))\p{{L}}"),
        (subject, 0.7, rf"\bthe[^\S\n]{_WORDS}(?=[^\S\n]{_THEIRS}\b)"),
    )
    flags = regex.IGNORECASE | regex.MULTILINE
    return tuple((cue, score, regex.compile(pattern, flags)) for cue, score, pattern in listed)


def cued(text: str) -> Iterator[Found]:
    """Yield the names that the words or the signs around them give away; places may overlap."""
    patterns = _patterns()
    every = anchored_matches(tuple(pattern for _, _, pattern in patterns), text)
    for number, ((cue, score, pattern), matched) in enumerate(zip(patterns, every, strict=True)):
        for match in matched if number != _SUBJECT else matches_at(pattern, text, _before_verbs(text)):
            end = name_end(match, "name", cue)
            if end is not None and not names_nothing(text[match.start("name") : end]):
                yield Found(match.start("name"), end, "PERSON", score)
    for match in matches(_UNKNOWN, text):
        if is_unknown(match.group()) and _in_a_sentence(text, match.start(), match.end()):
            yield Found(match.start(), match.end(), "NAME", 0.4)


def _before_verbs(text: str) -> list[int]:
    """Return where words begin that may be the subject of a verb of speech, or be followed by "'s".

    A name has at most four words, and an initial before each. Its last word keeps an "'s" unless it is too long.
    """
    places = set[int]()
    for verb in matches(_VERB, text):
        low = max(0, verb.start() - _LONGEST_NAME)
        most = _MOST_STARTS if text.find("\u2011", low, verb.start()) < 0 else _LONGEST_NAME
        starts = _STARTS_BACKWARD.finditer(text, low, verb.start())
        places.update(start.start() for start in islice(starts, most))
    return sorted(places)


def _in_a_sentence(text: str, start: int, end: int) -> bool:
    """Return whether [start, end) lies inside a sentence, between words that are English or have capitals."""
    before = _BEFORE.search(text, max(0, start - _FAR), start)
    after = _AFTER.match(text, end, end + _FAR)
    beside = [word[1] for word in (before, after) if word is not None and word[1]]
    return before is not None and not any(word.islower() and is_unknown(word) for word in beside)
