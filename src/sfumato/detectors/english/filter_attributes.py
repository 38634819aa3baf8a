"""Attributes that describe nobody in the text: the court-appointed lawyer, measures that were adopted, Polish law."""

from __future__ import annotations

from functools import lru_cache

from sfumato.detectors.english.marks import Mark, Reader, any_case

_BE = r"(?:is|am|are|was|were|be|been|being|['’]m|['’]s|becom\w+|became|remain\w*)"
_ADJECTIVES = r"(?:[\p{L}-]+\s+){0,2}"
_TIES = any_case(
    rf"(?:\b{_BE}|\bas|\b(?:profession|occupation|job|title|trade|career|post|position|role)(?:\s+(?:of|as|is|was))?"
    r"|\b(?:train|qualif|employ)\w+|\bformer|\bretired|\byears?[- ]old|\by/?o)"
    rf"\s+(?:(?:an?|the|his|her|my|our|their)\s+)?{_ADJECTIVES}\Z"
)
_APPOSITION = any_case(
    rf"(?:(?:,|\band|\()\s*an?|,\s*\d{{1,3}}(?:\s?y/?o)?\s?,(?:\s+(?-i:\p{{Lu}})\p{{L}}+,)?)\s+{_ADJECTIVES}\Z"
)
"""Before an occupation: "Anna Larsen, a", "Anna Larsen, 62,"."""
_BY_ITSELF = any_case(r"\b(?:retired|former|ex|unemployed|self-employed|homeless)\b|on welfare")
_OF_OTHERS = any_case(r"\b(?:represented|assisted|defended|advised|examined|seen|treated|counsel)\b")
_OFFICIALS = any_case(
    r"(?:(?:chief|principal|deputy|regional|district|public|police|prison|senior)\s+)*(?:prosecutor|officer)s?"
    r"|military service|detainees?|prisoners?|(?:(?:private|former|registered)\s+)?owners?"
)
_STATUS = any_case(
    rf"\b(?:{_BE}|got|status)\s+(?:(?:not|now|still|also|recently|currently|twice|never|an?|the|his|her|my)\s+){{0,2}}\Z"
    r"|\b(?:an?|his|her|my|the)\s+(?:\w+\s+)?\Z"
)
_CHILD_AFTER = any_case(r"\s+(?:\w+\s+)?(?:child|son|daughter|girl|boy|baby|infant|at birth|as an?\s)")
_CHILD_BEFORE = any_case(
    r"\b(?:he|she|i|they|child|son|daughter|who|girl|boy|baby)\s+(?:was|were|is|am|had been|has been)\s+\Z"
    r"|\b(?:an|his|her|their|my)\s+\Z"
)
_SPOUSE_AFTER = any_case(
    r"\s+(?:his|her|their|my|your|(?:the )?(?:mother|father|wife|husband|partner))\b|\s+(?-i:\p{Lu})"
)
_EVENTS = any_case(r"divorc(?:e|es|ing)|cohabit\w*|civil partner\w*")
_SICK_BEFORE = any_case(r"\b(?:an|the|became|left|permanently|totally)\s+\Z")
_SICK_AFTER = any_case(r"['’]?s?\s+(?:pension|benefit|chair|carriage|since|after|who|from|and)\b")
_NOUN_AFTER = any_case(r"\s+\p{L}")


def idle_occupation(mark: Mark) -> bool:
    """Return whether an occupation describes nobody of interest: the doctor, officials, others' representatives."""
    if mark.is_value or mark.is_line or mark.may_be_name:
        return False
    if _OF_OTHERS.search(mark.before) or _OFFICIALS.fullmatch(mark.text):
        return True
    return not (_TIES.search(mark.before) or _APPOSITION.search(mark.before) or _BY_ITSELF.search(mark.text))


def idle_family(mark: Mark) -> bool:
    """Return whether a word of family is nobody's status: divorce proceedings, measures that were adopted."""
    words = mark.text.casefold()
    if mark.is_value or words.startswith(("gave birth", "fianc", "widow", "orphan", "step")):
        return False
    if words == "separated from":
        return _SPOUSE_AFTER.match(mark.after) is None
    if words.startswith("adopt"):
        return _CHILD_AFTER.match(mark.after) is None and _CHILD_BEFORE.search(mark.before) is None
    return _EVENTS.fullmatch(words) is not None or _STATUS.search(mark.before) is None


def idle_health(mark: Mark) -> bool:
    """Return whether a word of health is used otherwise: an invalid argument."""
    if mark.text.casefold() != "invalid" or mark.is_value or _SICK_AFTER.match(mark.after):
        return False
    return _SICK_BEFORE.search(mark.before) is None or _NOUN_AFTER.match(mark.after) is not None


@lru_cache(maxsize=1)
def readers() -> dict[str, tuple[Reader, ...]]:
    """Return the readers of each label."""
    return {"OCCUPATION": (idle_occupation,), "FAMILY": (idle_family,), "HEALTH": (idle_health,)}
