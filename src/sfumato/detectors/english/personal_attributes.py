"""Attributes of people: nationality, religion, occupation, family, health. Whole words of public lists only."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from sfumato.detectors.found import Found, compiled, labelled
from sfumato.language.en.people import WORKERS
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
_FAMILY = (
    r"(?:un)?married|divorc(?:ed|e|ee|ing)|widow(?:s|ed|ers?)?|bachelors?|spinster|fianc\u00e9e?s?|engaged to"
    r"|separated from"
    r"|civil partners?(?:hip)?|cohabit(?:ed|ing|ant)|single (?:mother|father|parent|man|woman)|step(?:mother"
    r"|father|son|daughter)s?"
    r"|orphan(?:s|ed)?|adopt(?:ed|ive)|gave birth to (?:a |an )?(?:son|daughter|child|girl|boy|twins)|twins?"
)
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
_DEMONYMS = ("ian", "ese", "ean", "ayan", "nian")
_BEFORE = (
    r"(?:(?:university|college|school|primary|secondary|police|prison|army|military|naval|bank|bus|taxi|lorry"
    r"|truck|train|tram|van|civil"
    r"|electrical|mechanical|chemical|software|chief|senior|junior|assistant|deputy|head|general|medical|legal"
    r"|law|tax|social"
    r"|public|private|practising|practicing|retired|former|trainee|freelance|self-employed|unemployed"
    r"|human rights|sales|office"
    r"|factory|farm|construction|research|project|security|customs|forest|company|managing|executive|nursing"
    r"|dental|opera|film|ballet|artillery|infantry"
    r"|television|newspaper|science|history|language|music|art|mathematics|English|high-ranking"
    r"|non[-\u2011]commissioned|commissioned"
    r"|probation|intelligence|insurance|real estate|postal|railway)\s+){0,3}"
)
_OTHERS = (
    r"unemployed|self-employed|retired|on welfare|homeless|military service|medical practitioners?"
    r"|member of parliament|MPs?|CEOs?|CFOs?"
    r"|Ph\.?D\.?|M\.?B\.?A\.?|civil servants?|head of (?:department|state|the \w+)|chair(?:man|woman|person) of"
    r"|vice-?\s?president"
    r"|members? of the (?:police|army|board|parliament|Bar)|detainees?|prisoners?|convicts?|(?:ex"
    r"|former)-?\s?(?:soldier|prisoner)s?"
)
_AGED = r",[^\S\n]*\d{1,3}(?:[^\S\n]?y/?o)?,[^\S\n]+(?:\p{Lu}\p{L}{1,20}+,[^\S\n]+)?"
"""An age, perhaps with a nationality, before an occupation: "Anna Larsen, 62, Danish, bike courier"."""
_WORKS_AS = (
    r"\b(?i:works?|worked|working|employed|serv(?:e|ed|es|ing)|practi[sc]\w{1,5}|trained|qualified|job|career|hired|engaged)"
    r"(?:\s\p{Ll}{1,20}){0,2}?\sas\san?\s\K(?:\p{L}[\p{L}’-]{0,30}+[^\S\n]){0,3}?\p{L}[\p{L}’-]{1,30}+"
    r"(?=\s*(?:[.,;:)(]|$|(?:in|at|for|of|on|with|and|who|which|from|since|until|by|to|under|when|because|after|before|as"
    r"|was|is|had|has|or|but|while|during|between)\b))"
)
"""Any occupation after "works as" and the like, whether listed or not."""


@lru_cache(maxsize=1)
def rules() -> tuple[tuple[str, float, Any], ...]:
    """Return the rules, compiled."""
    from sfumato.vocabularies.builtin_phrases import groups

    workers = any_of(WORKERS).replace(r"\-", "[ -]")
    lower = any_of({name.lower() for name in groups() if name.lower().endswith(_DEMONYMS) and len(name) > 5})
    listed = any_of({name for name in groups() if len(name) > 3})
    patterns = (
        ("HEALTH", 0.6, rf"(?i:\b(?:{_KIND}[- ]){{0,2}}(?:{_CONDITIONS})\b(?:\s+of\s+(?:the|his|her)\s+{_BODY})?)"),
        ("FAMILY", 0.6, rf"(?i:\b(?:{_FAMILY})\b)"),
        ("GROUP", 0.6, rf"(?i:\b(?:{_BELIEFS})\b)"),
        (
            "GROUP",
            0.6,
            rf"\b(?:non-)?{listed}s?\b(?:-born\b|-speaking\b|\s(?:national(?:s|ity)?|citizens?(?:hip)?"
            rf"|origin|descent)\b)?",
        ),
        ("GROUP", 0.6, rf"\b{lower}s?\b|\b(?i:saudis?|shi(?:i|ite)s?|greenland(?:er|ic)s?|belizians?)\b"),
        ("OCCUPATION", 0.6, rf"(?i:\b{_BEFORE}{workers}(?:s|es)?\b)"),
        ("OCCUPATION", 0.6, rf"(?i:\b(?:{_OTHERS})\b)"),
        ("OCCUPATION", 0.6, rf"\b[Rr]etired[^\S\n](?:\p{{Ll}}[\p{{L}}-]{{1,20}}+[^\S\n]){{1,2}}?(?i:{workers})s?\b"),
        ("OCCUPATION", 0.55, _WORKS_AS),
        ("OCCUPATION", 0.65, rf"{_AGED}\K(?:\p{{Ll}}[\p{{L}}-]{{1,20}}+[^\S\n]){{1,3}}?(?i:{workers})s?\b"),
    )
    return compiled(patterns)


def attributes(text: str) -> Iterator[Found]:
    """Yield every attribute of a person in ``text``; the spans may overlap."""
    return labelled(rules(), text)
