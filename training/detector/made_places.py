"""Towns, streets and post codes in each country's forms."""

from __future__ import annotations

import importlib
import random
import re
from dataclasses import dataclass
from functools import cache

from made_codes import filled
from made_grammar import LISTS, Part, part_of

_FAKER_TOWNS = {"DE": "de_DE", "AT": "de_AT", "CH": "de_CH", "NL": "nl_NL", "BV": "nl_BE", "FI": "fi_FI",
    "DK": "da_DK", "RO": "ro_RO",
                "PT": "pt_PT", "IT": "it_IT", "IN": "en_IN", "XX": "pl_PL cs_CZ id_ID hr_HR"}  # fmt: skip
_FAKER_STREETS = {"DK": ("da_DK", "street_names"), "FI": ("fi_FI", "street_prefixes")}
_MOST = 250
_STEMS = ("Ash", "Beck", "Brad", "Cal", "Dun", "Elm", "Fen", "Glen", "Hart", "Hol", "Kil", "Lang", "Mar", "Nor",
    "Oak", "Pem", "Raven",
          "Sher", "Thorn", "Wal", "West", "Whit", "Wood", "Stan", "Red", "Rock", "Mill", "Win", "Cran", "Stoke",
          "Clay", "Bur", "Hay", "Lin")  # fmt: skip
_ENDS = ("ham", "ton", "bury", "ford", "field", "dale", "wick", "by", "thorpe", "mouth", "stead", "worth", "combe",
    "ville", "burgh", "ley",
         "port", "minster", "view", "brook", "haven", "more")  # fmt: skip
_AROUND = ("Great ", "Little ", "Upper ", "North ", "East ", "New ", "St ", "Lower ", "Old ")
_AFTER = (
    " Green",
    " Regis",
    " on Sea",
    "-under-Edge",
    " Heights",
    " Bay",
    " Falls",
    " Springs",
    " Junction",
    " St Mary",
    " Bridge",
    "-by-the-Sea",
)
_ROADS = ("Road", "Street", "Lane", "Avenue", "Close", "Drive", "Way", "Crescent", "Gardens", "Terrace", "Court",
    "Place", "Hill", "Grove", "Rd",
          "St", "Ave", "Ln", "Dr", "Blvd", "Square", "Mews", "Walk", "Parade", "Row", "Rise", "Park", "St.", "Rd.",
          "Ave.", "Boulevard", "Highway", "Ct")  # fmt: skip
_ROAD_STEMS = ("Church", "High", "Station", "Victoria", "Albert", "Queen's", "King", "Mill", "Park", "Chestnut",
    "Sycamore", "Rowan", "Beech",
               "Cedar", "Maple", "Magnolia", "Willow", "Hawthorn", "Laurel", "Orchard", "Meadow", "Spring",
               "Harbour", "Bridge", "School", "London",
               "Manor", "Abbey", "Priory", "Castle", "Windmill", "Quarry", "Canal", "Railway", "Marsh", "Fox",
               "Swan", "Robin", "Lark", "Juniper", "May",
               "Rose", "Heather", "Primrose", "Grange", "Coronation", "Jubilee", "Waterloo", "Trafalgar", "Nelson",
               "Wellington", "Washington", "Lincoln",
               "Jefferson", "Franklin", "Oak", "Pine", "Elm", "Walnut", "Sunset", "Lake", "River", "Ridge",
               "Valley", "Prospect", "Broad", "Front", "Main",
               "MG", "Gandhi", "Ahmadu Bello", "Herbert Macaulay", "Kenyatta", "Moi", "Nkrumah", "Rizal", "Mabini",
               "Bonifacio", "Orchard", "Nehru",
               "Martin Luther King Jr", "42nd", "5th", "W 14th", "2nd", "NE 8th", "County", "Old Post", "Cross",
               "Back", "Cemetery", "Gas Works")  # fmt: skip
_HOUSE = {"en": ("{s}", "Flat {a}, {n} {s}", "{n}{l} {s}", "Apt {a}, {n} {s}", "{n} {s}, Apt {a}",
    "Unit {a}/{n} {s}", "The Old Rectory, {s}", "{n} {s} #{a}",
                 "{n}, {s}", "Rose Cottage, {s}", "PO Box {p}", "P.O. Box {p}", "House {n}, {s}", "Plot {n}, {s}",
                 "Room {a}, {n} {s}", "{n} {s} Suite {p}")}  # fmt: skip


_FLOORS = {
    "es": ("", "", ", 3º B", " - 2º Dto.", ", 4.º izq.", ", piso 5", ", apto. 12"),
    "it": ("", "", "", "/A", " bis", ", scala B", ", int. 7", "/12"),
    "pt": ("", "", ", 2.º Esq.", ", 3º Dto", ", ap. 41", ", bloco B"),
    "ro": ("", "", ", bl. A4, sc. 2, ap. 17", ", ap. 8"),
}


PROVINCES = (
    "AG", "AN", "AO", "AR", "AT", "BA", "BG", "BL", "BN", "BO", "BR", "BS", "BZ", "CA", "CB", "CE", "CH", "CL",
    "CN", "CO", "CR", "CS", "CT", "CZ", "EN", "FC", "FE", "FG", "FI", "FR", "GE", "GO", "GR", "IM", "IS", "KR",
    "LC", "LE", "LI", "LO", "LT", "LU", "MB", "MC", "ME", "MI", "MN", "MO", "MS", "MT", "NA", "NO", "NU", "OR",
    "PA", "PC", "PD", "PE", "PG", "PI", "PN", "PO", "PR", "PT", "PU", "PV", "PZ", "RA", "RC", "RE", "RG", "RI",
    "RM", "RN", "RO", "SA", "SI", "SO", "SP", "SR", "SS", "SV", "TA", "TE", "TN", "TO", "TP", "TR", "TS", "TV",
    "UD", "VA", "VB", "VC", "VE", "VI", "VR", "VT", "VV",
)  # fmt: skip
"""How Italian addresses name a province, in brackets behind the town."""


@dataclass(frozen=True)
class Country:
    """How a country writes its addresses."""

    code: str
    language: str
    towns: tuple[str, ...]
    streets: tuple[str, ...]
    regions: tuple[str, ...]
    postcodes: tuple[str, ...]
    names: tuple[str, ...]


@dataclass(frozen=True)
class Address:
    """An address in parts."""

    street: str
    town: str
    postcode: str
    region: str
    country: str


def _values(line: str, sign: str) -> tuple[str, ...]:
    return tuple(value.strip() for value in line.split(sign) if value.strip())


def _belonging(values: list[str], part: Part) -> tuple[str, ...]:
    return tuple(value for value in dict.fromkeys(values) if part_of(value) == part)


@cache
def countries(part: Part) -> dict[str, Country]:
    """Return the countries by code, with the towns and streets of a part."""
    found: dict[str, Country] = {}
    for block in re.split(r"^# ", (LISTS / "places.txt").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        head, *lines = block.strip().splitlines()
        code, language = head.split()
        told = {line.partition(":")[0]: line.partition(":")[2] for line in lines}
        towns = [*_values(told["towns"], ","), *_faker("cities", _FAKER_TOWNS.get(code, ""))]
        streets = list(_values(told.get("streets", ""), ","))
        if code in _FAKER_STREETS:  # the names lack their endings
            locale, attribute = _FAKER_STREETS[code]
            streets += _faker(attribute, locale)
            if code == "FI":
                streets = [
                    street if "k" in street[-4:] or "t" in street[-3:] else f"{street}katu" for street in streets
                ]
        found[code] = Country(
            code,
            language,
            _belonging(towns, part),
            _belonging(streets, part),
            _values(told["regions"], ","),
            _values(told["postcode"], ";"),
            _values(told["country"], ";"),
        )
    return found


def _faker(attribute: str, locales: str) -> list[str]:
    found: list[str] = []
    for locale in locales.split():
        names = sorted(getattr(importlib.import_module(f"faker.providers.address.{locale}").Provider, attribute))
        found += [
            name
            for name in names[:: -(-len(names) // _MOST)]
            if name.isprintable() and not any(c.isdigit() for c in name)
        ]
    return found


@cache
def of_language(language: str) -> tuple[str, ...]:
    """Return the countries of a language."""
    return tuple(code for code, country in countries("train").items() if country.language == language)


def town(rng: random.Random, part: Part, country: str) -> str:
    """Return a town: of the country, or, if it speaks English, one that does not exist."""
    land = countries(part)[country]
    if (land.language == "en" and (rng.random() < 0.35 or not land.towns)) or not land.towns:
        for _ in range(40):
            name = rng.choice(_STEMS) + rng.choice(_ENDS)
            shape = rng.random()
            if shape < 0.15:
                name = rng.choice(_AROUND) + name
            elif shape < 0.3:
                name += rng.choice(_AFTER)
            if part_of(name) == part:
                return name
    return rng.choice(land.towns)


def street(rng: random.Random, part: Part, country: str) -> str:
    """Return a street with a number, as the country writes it."""
    land = countries(part)[country]
    number = str(
        rng.choice(
            (rng.randrange(1, 60), rng.randrange(1, 60), rng.randrange(60, 9999 if country in ("US", "CA") else 400))
        )
    )
    if land.language in ("en", "any"):
        name = ""
        for _ in range(40):
            stem = rng.choice(_ROAD_STEMS) if rng.random() < 0.75 else rng.choice(_STEMS) + rng.choice(_ENDS)
            name = f"{stem} {rng.choice(_ROADS)}"
            if part_of(name) == part:
                break
        shape = "{n} {s}" if rng.random() < 0.6 else rng.choice(_HOUSE["en"][1:])
        flat = f"{rng.randrange(1, 40)}{rng.choice(('', '', 'A', 'B'))}"
        for sign, value in (("{n}", number), ("{s}", name), ("{a}", flat), ("{l}", rng.choice("abcABC"))):
            shape = shape.replace(sign, value)
        return shape.replace("{p}", str(rng.randrange(10, 9999)))
    name = rng.choice(land.streets or countries("train")[country].streets)
    tail = rng.choice(("", "", "", "a", " B", "/3", "-7"))
    if land.language == "fr":
        return f"{number}{rng.choice((', ', ' ', ' bis, ', ' '))}{name}"
    if land.language == "it":
        return f"{name}{rng.choice((', ', ' ', ', n. ', ' n° ', ', '))}{number}{rng.choice(_FLOORS['it'])}"
    if land.language in ("es", "pt"):
        return f"{name}{rng.choice((', ', ' ', ', nº ', ' n.º '))}{number}{rng.choice(_FLOORS[land.language])}"
    if land.language == "ro":
        return f"{name}{rng.choice((' nr. ', ', nr. ', ' '))}{number}{rng.choice(_FLOORS['ro'])}"
    if land.language == "tr":
        return f"{name} No{rng.choice((': ', ':', ' '))}{number}{rng.choice(('', '', ' D:4', '/7', ' Daire 12'))}"
    if land.language in ("da", "fi", "sv"):
        tail = rng.choice(("", "", "", ", 2. tv.", ", 1. th", " A", " C 14", " B 2", ", lgh 1102"))
    return f"{name} {number}{tail}"


def address(rng: random.Random, part: Part, country: str) -> Address:
    """Return an address."""
    land = countries(part)[country]
    return Address(
        street(rng, part, country),
        town(rng, part, country),
        filled(rng, rng.choice(land.postcodes)),
        rng.choice(land.regions),
        land.names[0],
    )
