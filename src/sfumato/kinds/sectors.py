"""The sector of an institution, by the words of its name: health, justice, learning, the state, inns, firms."""

from __future__ import annotations

import regex

from sfumato.language.lists import words_of

FIRM = "firm"
_STATE = "ministry government parliament embassy council"
_SECTORS = {
    "health": """
        hospital hospitals infirmary clinic clinics medical health healthcare surgery pharmacy dental dentists hospice
        therapy physiotherapy maternity birth ambulance nhs sanatorium
    """,
    "justice": """
        court courts tribunal prosecutor prosecutor's prosecution bar police constabulary prison jail chambers
        magistrates solicitors
    """,
    "learning": """
        university college school schools academy library museum institute faculty kindergarten nursery theatre
        orchestra gallery
    """,
    "state": "department office agency authority commission committee board directorate registry inspectorate",
    "inn": "hotel hotels inn restaurant café cafe pub arms hostel tavern guesthouse",
}
"""Words by sector, in the order in which they are looked for; those of the state proper come before all."""
SECTORS = (*_SECTORS, FIRM)
_OF = {word: sector for sector, words in reversed(_SECTORS.items()) for word in words_of(words)}
_WORD = regex.compile(r"\p{L}+(?:['’]s)?")


def sector_of(name: str) -> str:
    """Return the sector of ``name``; a name that shows none is that of a firm."""
    words = [word.replace("’", "'") for word in _WORD.findall(name.casefold())]
    if not set(words).isdisjoint(words_of(_STATE)):
        return "state"
    found = {_OF[word] for word in words if word in _OF}
    return next((sector for sector in SECTORS if sector in found), FIRM)
