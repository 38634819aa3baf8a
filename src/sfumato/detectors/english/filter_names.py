"""Names that identify nobody: offices that every state has, laws, Latin, machines, and nations beside them."""

from __future__ import annotations

from functools import lru_cache

import regex

from sfumato.detectors.english import names, offices, organisations
from sfumato.detectors.english.marks import Mark, Reader, any_case
from sfumato.language.en.words import is_everyday

_ACTS = r"(?:Acts?|Codes?|Convention|Protocol|Treaty|Ordinance|Constitution|Statute|Decree|Basic Law)"
_SURE = 0.9
"""A person that a title or a field introduces scores more, and is a person with any words."""
_ARTICLES = r"(?:Articles?|Sections?|Rules?|Appendix|Protocol|Regulations?)"
_IS_LAW = regex.compile(
    rf"(?:.*\s)?{_ACTS}(?:\s+(?:1[6-9]|20)\d\d)?(?:\s*\([^()]*\)?)?[.’'s]*|.*\bConvention (?:on|for)\b.*",
    regex.DOTALL,
)
_OF_A_LAW = (
    rf"(?:{_ACTS}|{_ARTICLES}|Laws?|Rules|Court|Basic|Civil|Criminal|Penal|Procedure|Administrative|Labour|Family|No"
    r"|[IVXL]+|\p{Lu})"
)
_ARTICLE = regex.compile(
    rf"(?:[Pp]rovisional\s+)?{_ARTICLES}\s+(?:\d|[IVXL]+\b)(?:[^\p{{Lu}}]|\b{_OF_A_LAW}\b)*+", regex.DOTALL
)
"""An article, followed by no capital except in words of laws: "Section 8 Flat 12" is an address."""
_WORD = regex.compile(r"\p{L}[\p{L}\p{M}’'\u2011-]*+")
_CITED = regex.compile(
    r"\b(?i:laws?|acts?|protocol|decree|art(?:icle)?s?\.?|sections?|rules?|regulation|directive|series\s+\p{L}|paragraphs?"
    r"|circular|judgment|§§?|pp?\.)\s*(?i:nos?\.?\s*)?(?:\d{1,5}\s*(?:\(\w{1,4}\)|§\s*\d{1,4})?\s*(?:,|and|or|to)\s*){0,4}(?:§\s*)?\Z"
)
_LAW_BEHIND = regex.compile(
    rf"\]?\s+(?:(?:on|of|and|\p{{Lu}}[\p{{L}}’'-]{{0,30}}+)\s+){{0,5}}?"
    rf"(?:{_ACTS}|[Ll]aws?|[Ll]egislation|ordre public)\b"
)
_ACT_BEFORE = regex.compile(r"\bAct\s*\Z")
_YEAR = regex.compile(r"(?:1[5-9]|20)\d\d")
_SHORT = 8  # a law's number is short; a longer one may be a person's
_DIGITS = 5  # and so may one of so many digits
_PAPER_BEFORE = any_case(
    r"\b(?:licen[cs]e|passport|permit|visa|identity|id|card|registration|insurance|policy|account|certificate"
    r"|membership|mrn|nhs|ssn)\b[^;\n]{0,25}\Z"
)
_LATIN = any_case(
    r"inter alia|prima facie|ex officio|de facto|de jure|in absentia|mutatis mutandis|et al\.?|status quo|bona fide"
    r"|ad hoc|per se|ex parte|in camera|ultra vires|pro bono|sui generis|ratione \w+|habeas corpus|per capita"
    r"|vice versa|proprio motu|inter partes|ordre public|pro rata|quid pro quo|a priori|a posteriori"
    r"|in vitro|in vivo|in situ"
)
_MACHINE = regex.compile(
    r"(?:web|db|app|srv|server|node|host|mail|smtp|ns|vm|api|cache|proxy|worker|master|gw|gateway|router|switch|eth|tty|pts"
    r"|sd[a-z]|cpu|gpu|disk|log|job|pod|www|ftp|vpn|lb)-?\d{1,4}"
)
_AGAINST = regex.compile(r"(?:\p{L}\)?,?\s+vs?\.?|\b(?i:against|by|obliges?|obligations of))\s+(?:the\s+)?\Z")
_GOVERNS = regex.compile(r"\s+(?i:governments?|authorities|legislation|courts?|laws?|parliament)\b")
_ARTICLE_BEFORE = regex.compile(r"\b(?i:the|an?|its|their|our)\s+(?:\p{Lu}\p{L}+\s+)?\Z")
_PERSON_BEFORE = any_case(
    r"\b(?:patient|applicant|claimant|complainant|defendant|plaintiff|respondent|witness|victim|suspect|accused"
    r"|deceased|client|customer|tenant|employee|student|pupil|child|boy|girl|man|woman)\s+\Z"
)
_ALSO_PEOPLE = frozenset({"india", "israel", "kenya", "malta"})
"""States that people are called by, beside those on the lists of first names."""
_BEGINS = regex.compile(r"(?:\A|[.!?;][\"'”’)\]]*+\s++|\n\s*+)\Z")
_OPENING = regex.compile(r"\p{Lu}\p{Ll}{2,}")
_CAPITAL_BEHIND = regex.compile(
    r"['’]s?\b|[^\S\n]+(?:\p{Lu}|\p{L}+[^\S\n]+\p{Lu}\p{Ll})"
    r"|,?[^\S\n]+(?:an?|the|aged?|who|said|says|told|reports?|reported|attend\w*|came|rang|called|lives|works)\b"
)
_TERM = regex.compile(
    r"(?:[Tt]he\s+)?(?:Pass(?:word|code|phrase)|PASSWORD|Log[- ]?in|Username|Reset|Refund|Invoice|Receipt"
    r"|IBAN|BIC|SWIFT|SEPA|VAT|PIN|OTP|MFA|SSO|VPN|V?LAN|WAN|W[Ll]AN|Wi-?Fi|MAC|DNS|DHCP|SIM|IMEI|SMS|USB|PDF|CSV|FAQ"
    r"|LAD|LCX|RCA|LVEF|ECG|EKG|CXR|NSTEMI|STEMI|(?:BP|HR|RR|Hb|WCC|CRP|GCS)(?:\s+\d{1,3}(?:[./]\d{1,3})?(?:\s?(?:g|mg))?)?"
    r"|Cap(?:\.|illary)?(?:\s+refill)?)"
)
"""Words of tickets and clinic notes that a pipeline takes for firms or people. A name that holds one stays a name."""
_REFILL_BEHIND = regex.compile(r"\.?\s+refill\b")
_USER_BEFORE = any_case(r"\b(?:user|login|account|name|for|from|as|by)\W{1,3}\Z")


def idle_office(mark: Mark) -> bool:
    """Return whether the mark is an office that every state has. A PERSON counts only if it can hardly be one."""
    if mark.label == "PERSON" and not mark.is_value and _is_role(mark):
        return True
    if mark.label != "PERSON" and offices.is_part_of_one(mark.text):
        return True
    if not offices.is_office(mark.text):
        return False
    return mark.label != "PERSON" or not (mark.score >= _SURE or mark.is_value or offices.may_be_named(mark.text))


def _is_role(mark: Mark) -> bool:
    """Return whether the mark of a person is a role behind an article: "the University President", "The Office"."""
    if mark.score >= _SURE or _PERSON_BEFORE.search(mark.before):
        return False
    if mark.text.startswith("The "):
        return organisations.names_nothing(mark.text) or offices.is_title(mark.text.removeprefix("The "))
    return offices.is_title(mark.text) and _ARTICLE_BEFORE.search(mark.before) is not None


def idle_law(mark: Mark) -> bool:
    """Return whether the mark is a law, or a reference to one. A PERSON counts only if it is an article."""
    if mark.label == "PERSON":
        return mark.score < _SURE and not mark.is_value and _ARTICLE.fullmatch(mark.text) is not None
    if _ARTICLE.fullmatch(mark.text):
        return True
    if mark.label == "NAME" and any(map(str.isdigit, mark.text)) and _CITED.search(mark.before):
        return True
    return _IS_LAW.fullmatch(mark.text) is not None and not _holds_name(mark.text)


def _holds_name(text: str) -> bool:
    """Return whether a word with a capital in ``text`` may be a person's name: "the Israel Kowalski Protocol"."""
    words = (match.group() for match in _WORD.finditer(text))
    return any(word[0].isupper() and names.is_name_like(word, cased=True) for word in words)


def idle_number(mark: Mark) -> bool:
    """Return whether the mark is the number of a law or of an article, and too short to be a person's."""
    if len(mark.text) >= _SHORT or sum(map(str.isdigit, mark.text)) >= _DIGITS or _PAPER_BEFORE.search(mark.before):
        return False
    return _CITED.search(mark.before) is not None


def idle_year(mark: Mark) -> bool:
    """Return whether the mark is the year in the name of a law."""
    beside = _ACT_BEFORE.search(mark.before) or _LAW_BEHIND.match(mark.after)
    return _YEAR.fullmatch(mark.text) is not None and beside is not None


def idle_nation(mark: Mark) -> bool:
    """Return whether the mark is a state that a case is cited against, or the nation whose law is spoken of."""
    name = mark.text.casefold()
    if name in names.first_names() or name in _ALSO_PEOPLE:  # Jordan, Georgia
        return False
    if offices.states().fullmatch(mark.text) and not offices.nations().fullmatch(mark.text):
        return bool(_AGAINST.search(mark.before) or _GOVERNS.match(mark.after))
    return offices.nations().fullmatch(mark.text) is not None and _LAW_BEHIND.match(mark.after) is not None


def idle_latin(mark: Mark) -> bool:
    """Return whether the mark is a phrase of lawyers and doctors."""
    return _LATIN.fullmatch(mark.text) is not None


def idle_term(mark: Mark) -> bool:
    """Return whether only the pipeline takes a word of tickets or clinic notes ("IBAN", "LAD") for a name."""
    if mark.finder != "spacy" or mark.is_value or _TERM.fullmatch(mark.text) is None:
        return False
    return not mark.text.startswith("Cap") or mark.text.endswith("refill") or bool(_REFILL_BEHIND.match(mark.after))


def idle_machine(mark: Mark) -> bool:
    """Return whether a person is the machine of a log: its part and its number in lower case."""
    return _MACHINE.fullmatch(mark.text) is not None and _USER_BEFORE.search(mark.before) is None


def idle_opening(mark: Mark) -> bool:
    """Return whether the pipeline took an everyday word for a person because it opens a sentence: "Pale, sweaty".

    A word of a list of names is a person. So is one with a capital behind it, or the possessive.
    """
    if mark.finder != "spacy" or not (_BEGINS.search(mark.before) and _OPENING.fullmatch(mark.text)):
        return False
    if names.may_be_called(mark.text) or _CAPITAL_BEHIND.match(mark.after):
        return False
    return is_everyday(mark.text)


@lru_cache(maxsize=1)
def readers() -> dict[str, tuple[Reader, ...]]:
    """Return the readers of each label."""
    named = (idle_office, idle_law, idle_nation, idle_latin, idle_term)
    return {
        **dict.fromkeys(("ORGANIZATION", "LOCATION", "NAME"), named),
        "PERSON": (idle_office, idle_law, idle_latin, idle_term, idle_machine, idle_opening),
        "GROUP": named,
        "CODE": (idle_number,),
        "QUANTITY": (idle_number,),
        "DATE": (idle_year,),
    }
