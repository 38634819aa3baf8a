"""Fields and their values: "Name: doris quillfeather", ``user=jdoe``, ``"password": "hunter2"``, <td>Age</td><td>41.

A field is known by its key, in any case and layout: before a colon, an equals sign, a tab or spaces, in JSON, HTML,
XML and Markdown. Whether its value is a name, an account or a password is decided by what the key says and by how
rare the value's words are, so that "Patient: stable" and "password: required" remain.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import regex

from sfumato.detectors.english.names import Cue, name_end
from sfumato.detectors.found import Found
from sfumato.detectors.prefilter import anchored_matches
from sfumato.language.en.people import EMPTY
from sfumato.language.en.words import frequency, is_everyday, is_stop_word
from sfumato.language.lists import words_of

_ROLES = (
    r"(?:patient|client|customer|consultant|tenant|landlord|landlady|applicant|claimant|defendant|plaintiff|witness"
    r"|employee|manager|supervisor|guardian|carer|caregiver|spouse|husband|wife|mother|father|parent|son|daughter"
    r"|sibling|brother|sister|doctor|physician|nurse|gp|surgeon|therapist|dentist|midwife|teacher|pupil|student"
    r"|tutor|resident|guest|passenger|driver|owner|buyer|seller|borrower|lender|debtor|beneficiary|policy[ _-]?holder"
    r"|account[ _-]?holder|card[ _-]?holder|insured|subject|participant|respondent|interviewee|interviewer"
    r"|author|editor|sender|recipient|addressee|caller|contact|attending|attorney|lawyer|solicitor|counsel|judge|officer|complainant|victim|suspect"
    r"|member|donor|trustee|executor|director|secretary|treasurer|chair(?:man|woman|person)?|assignee|reporter|reviewer"
    r"|approver|signatory|payee|payer|person|user)"
)
_WHOSE = rf"(?:{_ROLES}(?:['’]?s)?|full|first|last|given|family|middle|maiden|birth|legal|preferred|christian|real)"
_NAME_KEY = (
    rf"(?:(?:sur|fore|nick)[ _-]?names?|{_WHOSE}[ _-]?(?:(?:full|first|last)[ _-]?)?names?"
    rf"|names? of (?:the )?{_ROLES}|given|family)"
)
_PERSON_KEY = rf"(?:names?|next[ _-]of[ _-]kin|nok|(?:emergency )?contact(?: person)?|signed|attn|{_ROLES})"
_BY = (
    r"(?:(?:seen|referred|requested|prepared|signed|reported|written|approved|reviewed|submitted|created|treated|examined"
    r"|assigned|recorded|dictated|verified|authori[sz]ed|received|completed|entered|authored|filed) by"
    r"|(?:assigned|referred|addressed|reported) to)"
)
_ACCOUNT_KEY = (
    r"(?:user|usr|user[ _-]?(?:name|id)|login|login[ _-]?(?:name|id)|uid|acc(?:oun)?t|account[ _-]?name|handle)"
)
_SECRET_KEY = (
    r"(?:pass(?:word|wd|phrase|code)?|pwd|pw|pin|secret|credentials?|(?:api|private|secret|access|signing)[ _-]?key"
    r"|encryption[ _-]?key|(?:access|auth|refresh|session|bearer|api|id)[ _-]?token|token"
    r"|client[ _-]?secret|authorization)"
)

_TAG = r"</?[A-Za-z][^<>\n]{0,60}+>"
_CLOSED = r"(?:\\?[\"'])?+(?:\*{1,2}|_{1,2})?+"
_OPENED = rf"(?:{_TAG}|\*{{1,2}}|__|\\?[\"'\[{{(]|[^\S\n])*+"
_SAME = rf"[^\S\n]?(?:[:=|;>\]]|=>|->)|\t|[^\S\n]{{2,}}+|[^\S\n][-–—](?=[^\S\n])|(?:{_TAG}){{1,4}}+|[^\S\n]value="
_IS = rf"{_CLOSED}(?:{_SAME}){_OPENED}"
"""The signs between a key and its value."""
_KEY = r"(?<![\p{L}\p{N}])"

_PIECE = r"(?:\p{Lu}\.|\p{L}[\p{L}\p{M}'’\u2011-]{0,40}+\.?)(?![^\S\n]?[:=]|[\p{N}_@])"
_VALUE = rf"(?P<value>{_PIECE}(?:(?:,[ \u00a0]?|[ \u00a0]|\+|%20)(?:{_PIECE})){{0,4}})"
_BARE = r"(?P<value>[^\s\"'<>,;&|()\[\]{}]{2,64}+)"
_QUOTED = r"(?:(?<=[\"'])(?P<value>[^\"'\n]{2,200}+)|(?P<value>(?:[^\s\"'<>;&|]|&(?!\w{1,40}=)){2,200}+))"
_STATES = frozenset(
    words_of("changed correct expired failed hidden incorrect invalid locked lost reset set sent wrong")
)
"""Words about a password that do not disclose it."""
_PLAIN = regex.compile(r"\p{L}\p{Ll}*+|\p{Lu}++")
_HEARD = 3.5
_NAME, _PERSON, _LIKELY = Cue(sure=True), Cue(capitals=True, every=False), Cue(every=False)


@lru_cache(maxsize=1)
def _patterns() -> dict[str, Any]:
    return {
        kind: regex.compile(pattern, regex.IGNORECASE)
        for kind, pattern in {
            "names": rf"{_KEY}(?:(?P<sure>{_NAME_KEY})|{_PERSON_KEY})(?={_IS}{_VALUE})",
            "by": rf"{_KEY}{_BY}(?:[^\S\n]|{_IS}){_VALUE}",
            "accounts": rf"{_KEY}{_ACCOUNT_KEY}{_CLOSED}(?:{_SAME}|[^\S\n]|[^\S\n]as[^\S\n]){_OPENED}{_BARE}",
            "secrets": rf"{_KEY}{_SECRET_KEY}(?P<sep>{_IS}|[^\S\n]is[^\S\n])(?:bearer[^\S\n]|basic[^\S\n])?{_QUOTED}",
            "phrases": rf"(?m)^[^\S\n]*+{_SECRET_KEY}[^\S\n]?[:=][^\S\n]?(?P<value>\S[^\n]{{1,200}})$",
        }.items()
    }


def fields(text: str) -> Iterator[Found]:
    """Yield the values of fields for persons, accounts, passwords and keys; places may overlap."""
    patterns = _patterns()
    matched = dict(zip(patterns, anchored_matches(tuple(patterns.values()), text), strict=True))
    for match in matched["names"]:
        cue, score = (_NAME, 0.92) if match["sure"] is not None else (_PERSON, 0.9)
        end = name_end(match, "value", cue)
        if end is not None:
            yield Found(match.start("value"), end, "PERSON", score, "names")
    for match in matched["by"]:
        end = name_end(match, "value", _LIKELY)
        if end is not None:
            yield Found(match.start("value"), end, "PERSON", 0.9, "by")
    for match in matched["accounts"]:
        if _is_account(match["value"]):
            yield _found(match, "ACCOUNT", 0.8, "accounts")
    for match in matched["secrets"]:
        if _is_secret(match["value"], said=match["sep"].strip() == "is"):
            yield _found(match, "SECRET", 0.95, "secrets")
    for match in matched["phrases"]:  # a line of its own may hold a password of several words
        if _is_phrase(match["value"]):
            yield _found(match, "SECRET", 0.95, "phrases")


def _found(match: Any, label: str, score: float, kind: str) -> Found:
    start, end = match.span("value")
    return Found(start, end, label, score, kind)


def _is_account(value: str) -> bool:
    """Return whether ``value`` is more than a word of a sentence."""
    bare = value.rstrip(".,:;!?")
    if bare.lower() in EMPTY or is_stop_word(bare):
        return False
    return _PLAIN.fullmatch(bare) is None or frequency(bare) < _HEARD


def _is_phrase(value: str) -> bool:
    """Return whether a line behind a key is a password: several words, none of which describes its state."""
    words = value.lower().replace(",", " ").replace(".", " ").split()
    return 1 < len(words) <= 8 and _STATES.isdisjoint(words) and words[0] not in EMPTY


def _is_secret(value: str, said: bool) -> bool:
    """Return whether ``value`` is a password rather than a word about one. ``said``: it follows "the password is"."""
    bare = value.strip().rstrip(".,")
    if bare.lower() in EMPTY | _STATES or is_stop_word(bare):
        return False
    if _PLAIN.fullmatch(bare) is None:
        return len(bare) > 1
    return frequency(bare) < _HEARD if said else not is_everyday(bare)
