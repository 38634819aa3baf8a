"""Faults of addresses, institutions and grammar in a released text, which benchmarks/holding.py counts."""

from __future__ import annotations

import re
from collections import Counter

from sfumato.kinds.phrases.institutions import sector_of
from sfumato.kinds.places.place import Place
from sfumato.kinds.places.postcodes import postcode_in, shape_of
from sfumato.kinds.places.streets import street_beside
from sfumato.language.languages import ENGLISH

PART = (
    " Home: ", ("14 Elm Road", "PLACE"), ", ", ("Leeds", "PLACE"), " ", ("LS1 4AB", "PLACE"), ". Referred from the ",
    ("Leeds General Infirmary", "ORGANIZATION"), " in ", ("Leeds", "PLACE"), ", once seen in the ",
    ("Netherlands", "PLACE"), ", by a ", ("62 year old", "AGE"), " ", ("nurse", "OCCUPATION"), ". End.",
)  # fmt: skip
"""What a made letter ends with: text, and values with their labels."""
FAULTS = {
    "street or postcode of another town": "contradiction", "institution of another town": "implausible",
    "hospital becomes another sort": "implausible", "article wrong or twice": "grammar",
    "number and noun differ": "grammar", "age before a noun without hyphens": "grammar",
}  # fmt: skip
_SAID = re.compile(
    r"Home: (?P<street>.+?), (?P<town>[^,]+?) (?P<code>\S+(?: \S+)?)\. Referred from (?:the )?"
    r"(?P<hospital>.+?(?:Hospital|Infirmary|Center|Hospice)|.+?) in "
    r"(?P<near>.+?), once seen in (?P<the>the )?(?P<country>.+?), by (?P<age>.+?)\. End\."
)
_AREA = re.compile(r"[A-Z]*")
_TWICE = re.compile(r"\b(?:the|an?) (?:the|an?)\b", re.IGNORECASE)
_NUMBER = re.compile(r"\b1 (?:years|months|weeks|days)\b|\b(?:[02-9]|\d\d+) (?:year|month|week|day)\b(?! old)")
_MODIFIER = re.compile(r"\b(?:an?|the) \d+ years? old \w")


def faults(text: str) -> Counter[str]:
    """Return the faults of the end of a released letter, and of grammar in all of it."""
    counted = Counter({
        "article wrong or twice": len(_TWICE.findall(text)),
        "number and noun differ": len(_NUMBER.findall(text)),
        "age before a noun without hyphens": len(_MODIFIER.findall(text)),
    })  # fmt: skip
    said = _SAID.search(text)
    if said is None:
        counted["not read"] += 1
        return counted
    places, code = Place(), said["code"]
    town, country = places.read(said["town"]), places.read(said["country"])
    if town is not None and town.form.grain == "postcode":  # before the town, as some countries write it
        town, code = places.read(said["code"]), said["town"]
    if town is None or country is None or town.form.grain == "postcode":
        counted["not read"] += 1
        return counted
    city = places.city_of(town.value)
    manner = street_beside(town.value, city.country, True)
    in_its_manner = bool(re.match(r"\d", manner)) == bool(re.match(r"\d", said["street"]))
    own = postcode_in(city)
    same_area = _AREA.match(code)[0] == _AREA.match(own)[0]  # type: ignore[index]
    of_one = shape_of(code) == shape_of(own) and same_area and in_its_manner
    counted["street or postcode of another town"] = not of_one
    counted["institution of another town"] = said["near"] not in said["hospital"]
    counted["hospital becomes another sort"] = sector_of(said["hospital"]) != "hospital"
    counted["article wrong or twice"] += bool(said["the"]) != ENGLISH.places.takes_article(country.value)
    return counted
