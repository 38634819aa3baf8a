"""Attributes of people: nationality, religion, health. Whole words of public lists only."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from sfumato.detectors.found import Found, compiled, labelled
from sfumato.language.patterns import any_of

_CONDITIONS = (
    r"\p{L}{4,}+(?<=\p{L}{3}(?:"
    r"itis|itides|osis|iasis|opath(?:y|ies|ic)|ectom(?:y|ies)|otom(?:y|ies)|a?emi[ac]|algia|plegi[ac]"
    r"|phreni[ac]"
    r"|omania|ophobia|sclerosis|trophy|uria|carcinoma|lymphoma|melanoma|sarcoma|glaucoma|myeloma))"
    r"|cancers?|tumou?rs?|diabet(?:es|ics?)|HIV(?:[- ]positive)?|AIDS|asthma(?:tic)?|epileps(?:y|ies)|epileptic"
    r"|dementia|autism"
    r"|autistic|ADHD|PTSD|Alzheimer['’]?s?(?: disease)?|Parkinson['’]?s?(?: disease)?|depress(?:ion|ed)|bipolar"
    r"|alcoholi[cs]m?"
    r"|strokes?|heart (?:attack|failure|disease)|disab(?:led|ilit(?:y|ies))|invalid(?:ity)?|blind(?:ness)?"
    r"|deaf(?:ness)?"
    r"|wheelchairs?|pregnan(?:t|cy)|miscarriages?|abortions?|obes(?:e|ity)|fractures?|amputations?|amputee"
    r"|paralys(?:is|ed)"
    r"|syndromes?|disorders?|addict(?:s|ed|ion)?|overdoses?|suicid(?:e|al)|HPV|syphilis|gonorrh(?:o)?ea|herpes"
    r"|malaria|measles"
    r"|tuberculosis|sciatica|neuralgias?|illness(?:es)?|injur(?:y|ies)|psychos[ei]s|calcification|COVID(?:-19)?"
    r"|pneumonia|influenza|flu|(?:chicken|small|monkey|m)pox|shingles|scabies|eczema|hernias?|seizures?"
    r"|(?:hyper|hypo)(?:tension|thyroidism)|infections?|menopaus(?:e|al)|insomnia|anorexi[ac]|bulimi[ac]|dyslexi[ac]"
    r"|infertil(?:e|ity)|chemotherapy|dialysis|transplants?"
    r"|migraines?|allerg(?:y|ies|ic)"
)
_KIND = (
    r"(?:\p{L}{3,}+(?<=\p{L}{2}(?:ic|al|ive|oid|ar|ous|ory|o))|chronic|acute|mental|brain|heart|lung|breast|skin|total"
    r"|partial|severe)"
)
_BODY = r"(?:(?:left|right|upper|lower|\d+(?:st|nd|rd|th)|\p{L}+(?:al|ic|ar))\s+){0,3}\p{L}+"
_BELIEFS = (
    r"Jehovah['’]s Witness(?:es)?|Muslims?|Islam(?:ic|ists?)?|Christian(?:s|ity)?|Catholic(?:s|ism)?"
    r"|Protestants?|Orthodox"
    r"|Anglicans?|Lutherans?|Methodists?|Baptists?|Mormons?|Quakers?|Jews?|Jewish|Judaism|Hindus?|Hinduism|Sikhs?"
    r"|Buddhis(?:t|ts|m)|Scientolog(?:y|ists?)|Shi['’]?(?:a|ite)s?|Sunnis?|Alevis?|atheis(?:t|ts|m)|agnostics?"
    r"|conscientious objectors?"
    r"|communis(?:t|ts|m)|socialists?|anarchists?|republicans?|democrats?|trade[- ]union(?:ist|ists| member)?"
    r"|homosexual(?:s|ity)?|heterosexual|bisexual|transsexuals?|transgender|lesbians?|gay|queer|non-binary|intersex"
    r"|Roma|Gyps(?:y|ies)|Traveller(?:s)?|Kurds?|Arabs?|Tatars?|Chechens?|Sami|Lapps?|Inuit|Hispanics?"
    r"|Latin[oa]s?|Caucasians?"
    r"|African[- ]Americans?|Black(?= (?:man|woman|male|female|people|person))|white(?= (?:man|woman|male"
    r"|female|people|person))"
    r"|Asians?|Europeans?|Africans?|refugees?|asylum[- ]seekers?|stateless|(?:im|e)?migrants?|foreigners?"
)


@lru_cache(maxsize=1)
def rules() -> tuple[tuple[str, float, Any], ...]:
    """Return the rules, compiled."""
    from sfumato.vocabularies.builtin_phrases import groups

    listed = any_of({name for name in groups() if len(name) > 3})
    patterns = (
        ("HEALTH", 0.6, rf"(?i:\b(?:{_KIND}[- ]){{0,2}}(?:{_CONDITIONS})\b(?:\s+of\s+(?:the|his|her)\s+{_BODY})?)"),
        ("GROUP", 0.6, rf"(?i:\b(?:{_BELIEFS})\b)"),
        (
            "GROUP",
            0.6,
            rf"\b(?:non-)?{listed}s?\b(?:-born\b|-speaking\b|\s(?:national(?:s|ity)?|citizens?(?:hip)?"
            rf"|origin|descent)\b)?",
        ),
    )
    return compiled(patterns)


def attributes(text: str) -> Iterator[Found]:
    """Yield every attribute of a person in ``text``; the spans may overlap."""
    return labelled(rules(), text)
