"""Organisations and places by the kind they name: "Court", "Hospital", "Ltd", "Street" with capitals beside it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import regex

from sfumato.detectors.found import Found, compiled, labelled
from sfumato.language.en.words import stop_words


def _listed(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_HEADS = _listed(
    """
    Court Tribunal Chamber Division Ministry Department Office Agency Authority Commission Committee Council
    Board Bureau Directorate Inspectorate Parliament Assembly Senate Congress Government Embassy Consulate
    Delegation Municipality Municipal Prefecture Governorship Administration Service Services Police Gendarmerie
    Army Navy Force Forces Battalion Brigade Regiment Command Base Prison Jail Penitentiary Hospital Clinic
    Infirmary Sanatorium Surgery Practice Centre Center Institute Institution University College School Academy
    Faculty Kindergarten Gymnasium Lyceum Seminary Laboratory Laboratories Library Museum Gallery Theatre
    Theater Opera Orchestra Church Parish Diocese Mosque Synagogue Temple Monastery Convent Cathedral
    Association Federation Confederation Union Society Club League Party Front Movement Foundation Trust Fund
    Charity Cooperative Co-operative Bank Insurance Company Corporation Enterprise Enterprises Firm Group
    Holding Holdings Partners Partnership Industries Industry Works Factory Plant Mill Mills Mines Railway
    Railways Airlines Airways Airport Port Station Post Telecom Energy Electric Pharmaceuticals Motors Software
    Systems Technologies Solutions Consulting Associates Logistics Hotel Restaurant Cafe Supermarket Store
    Stores Newspaper Times Herald Gazette Tribune Press Radio Television Broadcasting Registry Register Treasury
    Exchange Chancellery Cabinet Presidency Prosecutor Ombudsman Bar Chambers Network Organisation Organization
    Programme Cantons Corporation Secretariat Customs Fire-Brigade Ambulance Inspectorate Housing Republic
    Kingdom Emirate Duchy Village Villages Community Communities
    """
)
_ADJECTIVES = ("Federal", "Regional", "District", "Facts", "Agent", "President")
_FORMS = (
    r"(?:Ltd|Limited|Inc|LLC|LLP|PLC|plc|Corp|Co|GmbH|AG|KG|OHG|S\.?A\.?(?:R\.?L\.?)?|S\.?p\.?A|S\.?r\.?l|B\.?V"
    r"|N\.?V|A\.?Ş|A/S|AB"
    r"|ASA?|Oyj?|Sp\.? z o\.?o|s\.r\.o|Pty|Bhd|KK|JSC|OAO|OOO|ZAO|e\.?V)"
)
_STREETS = (
    r"(?:Street|St|Road|Rd|Avenue|Ave|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct|Square|Sq|Place|Pl|Terrace|Way"
    r"|Highway|Hwy"
    r"|Parkway|Crescent|Close|Gardens|Alley|Quay|Bridge|Park|Hill|Island|Islands|River|Lake|Mount|Mountain"
    r"|Mountains|Valley|Bay|Beach"
    r"|Forest|District|Province|County|Region|Borough|Quarter|Neighbourhood|Neighborhood|State|Canton|Peninsula"
    r"|Coast|Sea|Building|Tower"
    r"|House|Hall|Castle|Palace|Plaza|Mall|Market|Stadium|Arena|Cemetery)"
)
_LANES = (
    r"(?:Row|Mews|Wharf|Croft|Grove|Rise|Parade|Walk|Green|Yard|Gate|Villas|Heights|Vale|View|Embankment|Circus|Passage"
    r"|Path|Fold|Hollow|Ridge|Trail|Loop|Run|Pike|Cove|Point|Landing)"
)
_ENDINGS = r"stra(?:ß|ss)e|platz|gasse|weg|gatan|katu|gade|straat|laan|gracht|vej|allee"
"""How streets end whose name is one word: "44 Lindenweg", "Kanaalstraat 40"."""
_IN_TOWN = r",[^\S\n]+\p{Lu}\p{Ll}[\p{L}\p{M}'’\u2011-]{1,40}+"
_NO_DOCTOR = r"(?!Dr\b\.?[^\S\n]+\p{Lu})"
"""Without the number of a house, "Dr" before a capital is a title: "Call Dr Larsen", but "12 Elm Dr Springfield"."""
_POSTCODES = r"\b[A-Z]{1,2}\d[A-Z\d]?[^\S\n]?\d[ABD-HJLNP-UW-Z]{2}\b|\b[ABCEGHJ-NPRSTVXY]\d[A-Z][^\S\n-]?\d[A-Z]\d\b"
_STATES = (
    r"(?:A[BKLRZ]|BC|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ABDEINOST]|N[BCDEHJLMSVY]|O[HKNR]|P[AERQ]|QC|RI|S[CDK]"
    r"|T[NX]|UT|V[AT]|W[AIVY])"
)
_CAPITAL = r"(?:\p{Lu}[\p{L}\p{M}\p{N}&.'’\u2011-]{0,60}|\d+(?:st|nd|rd|th)|&)"
_LINK = r"(?:of|for|the|and|in|de|du|des|la|le|del|di|der|und|für|on|with|to)"
_BEFORE = rf"(?:{_CAPITAL}[^\S\n]+(?:{_LINK}[^\S\n]+){{0,3}}){{1,8}}"
_AFTER = rf"(?:[^\S\n]+{_LINK}(?:[^\S\n]+{_LINK}){{0,2}}[^\S\n]+{_CAPITAL}(?:[^\S\n]+{_CAPITAL}){{0,4}}){{1,4}}"
_IN_BRACKETS = r"(?:\s?\([^()\n]{2,90}\))?"
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:['’][\p{L}]+)?")
_ARTICLE = regex.compile(
    r"(?:The|This|That|These|Those|A|An|In|On|At|By|For|From|Of|And|Under|Before|After|When|While|Since"
    r"|As|To|It|His|Her|Its|Their|If|But|Both|Each|No|All|Any|Some|Another|However|Former|Article)\s+"
)
_HEAD = rf"(?:{'|'.join(sorted(set(_HEADS), key=lambda name: (-len(name), name)))})(?:s['’]?|['’]s?)?(?!\w)"
_RULES = (
    ("ORGANIZATION", 0.8, rf"(?<![\p{{L}}\p{{N}}]){_BEFORE}{_HEAD}(?:[^\S\n]+{_HEAD})*(?:{_AFTER})?{_IN_BRACKETS}"),
    ("ORGANIZATION", 0.8, rf"\b{_HEAD}{_AFTER}{_IN_BRACKETS}"),
    ("ORGANIZATION", 0.8, rf"(?<![\p{{L}}\p{{N}}])(?:{_CAPITAL},?[^\S\n]+){{1,6}}{_FORMS}(?![\p{{L}}])\.?"),
    (
        "ORGANIZATION",
        0.6,
        r"(?<![\p{L}\p{N}])[“\"‘']\p{Lu}[^“”\"\n]{1,60}[”\"](?=\s*\()|\b\p{Lu}{2,}(?:-\p{Lu}+)*\b(?=\s*\()",
    ),
    (
        "LOCATION",
        0.75,
        rf"(?P<house>\b\d{{1,5}}\p{{L}}?,?[^\S\n]+)?(?<![\p{{L}}\p{{N}}])(?:{_CAPITAL}[^\S\n]+){{1,4}}(?(house)|{_NO_DOCTOR})"
        rf"{_STREETS}\b(?:[^\S\n]+\d{{1,5}}\p{{L}}?\b)?",
    ),
    ("LOCATION", 0.75, rf"\b\d{{1,5}}\p{{L}}?,?[^\S\n]+(?:{_CAPITAL}[^\S\n]+){{1,3}}{_LANES}\b"),
    (
        "LOCATION",
        0.7,
        rf"\b(?i:district|county|municipality|province|region|village|town|city|state|commune|island)s?[^\S\n]+of"
        rf"[^\S\n]+(?:the[^\S\n]+)?{_CAPITAL}(?:[^\S\n]+{_CAPITAL}){{0,3}}",
    ),
    (
        "LOCATION",
        0.7,
        rf"\b(?i:(?:north|south)(?:ern)?(?:[- ]?(?:east|west)(?:ern)?)?|east(?:ern)?|west(?:ern)?|central"
        rf"|upper|lower)"
        rf"[^\S\n]+{_CAPITAL}(?:[^\S\n]+{_CAPITAL}){{0,2}}",
    ),
    (
        "LOCATION",
        0.7,
        rf"\bP\.?[^\S\n]?O\.?[^\S\n]?Box[^\S\n]+\d+|\b\p{{L}}++(?<={_ENDINGS})[^\S\n]+\d+\p{{L}}?\b(?:{_IN_TOWN})?",
    ),
    ("LOCATION", 0.75, rf"\b\d{{1,4}}\p{{L}}?[^\S\n]+\p{{Lu}}\p{{L}}++(?<={_ENDINGS})\b(?:{_IN_TOWN})?"),
    (
        "LOCATION",
        0.85,
        r"\b(?i:apt|apartment|suite|ste|unit|flat|floor|psc|p\.?\s?o\.?\s?box|box)\b\.?[^\S\n]*#?\d+\p{L}?\b",
    ),
    (
        "LOCATION",
        0.85,
        r"\b(?:FPO|APO|DPO)[^\S\n]+A[AEP](?:[^\S\n]+\d{5})?\b|\bUS(?:NS|NV|CGC|S)[^\S\n]+\p{Lu}\p{L}+",
    ),
    ("LOCATION", 0.85, r"\b\p{Lu}{2}[^\S\n]+\d{5}(?:-\d{4})?\b"),
    ("LOCATION", 0.85, _POSTCODES),
    ("LOCATION", 0.75, rf"(?:{_CAPITAL}[^\S\n]+){{0,2}}{_CAPITAL},[^\S\n]+{_STATES}\b(?!['’])"),
    (
        "LOCATION",
        0.88,
        rf"\b\d{{1,5}}\p{{L}}?,?[^\S\n]+(?:{_CAPITAL}[^\S\n]+){{1,4}}(?:{_STREETS}|{_LANES})\b,[^\S\n]+"
        rf"{_CAPITAL}(?:[^\S\n]+{_CAPITAL}){{0,2}}",
    ),
    (
        "LOCATION",
        0.8,
        rf"(?:\b\d{{1,5}}[^\S\n]+)?\b(?i:rue|via|calle|avenida|rua|rúa|ul\.|ulica|strada|avenue|plaza|piazza|carrer)"
        rf"[^\S\n]+(?:\p{{Ll}}{{1,3}}[^\S\n]+){{0,2}}{_CAPITAL}(?:[^\S\n]+{_CAPITAL}){{0,2}}"
        r"(?:,?[^\S\n]+\d{1,5}\p{L}?\b)?",
    ),
    (
        "LOCATION",
        0.8,
        rf"\b\d{{1,5}}[^\S\n]+(?:{_CAPITAL}[^\S\n]+){{1,4}}\d{{1,5}}(?:[^\S\n]+(?i:apt|suite|st|unit)\b\.?)",
    ),
)


@lru_cache(maxsize=1)
def rules() -> tuple[tuple[str, float, Any], ...]:
    """Return the rules, compiled."""
    return compiled(_RULES)


@lru_cache(maxsize=1)
def _kinds() -> frozenset[str]:
    """Return the kinds of organisation alone, which name none."""
    ordinals = (
        "First Second Third Fourth Fifth Section State Law Act Code Rule Rules Convention Protocol Article Treaty"
    )
    named = {word.lower() for word in (*_HEADS, *ordinals.split(), *_ADJECTIVES)}
    return frozenset(named | {f"{word}s" for word in named} | stop_words())


def names_nothing(text: str) -> bool:
    """Return whether ``text`` holds nothing but kinds of organisation and grammar words: "the Court", "State"."""
    words = [word.casefold().removesuffix("'s").removesuffix("’s") for word in _WORD.findall(text)]
    return all(word in _kinds() for word in words)


def organisations(text: str) -> Iterator[Found]:
    """Yield organisations, and places with their kind in their name; the spans may overlap."""
    for start, end, label, score, *_ in labelled(rules(), text):
        while (lead := _ARTICLE.match(text, start, end)) is not None:
            start = lead.end()
        if not names_nothing(text[start:end]):
            yield Found(start, end, label, score)
