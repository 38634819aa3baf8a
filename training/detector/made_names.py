"""People of every origin: names by hand in ``lists/names.txt`` and from faker, and the forms a text gives them."""

from __future__ import annotations

import importlib
import random
import re
import unicodedata
from dataclasses import dataclass, replace
from functools import cache

from made_grammar import LISTS, Part, part_of

LOCALES = {
    "west_african": "yo_NG ig_NG ha_NG tw_GH",
    "east_african": "en_KE sw",
    "southern_african": "zu_ZA",
    "arab": "",
    "persian": "",
    "south_asian": "en_IN en_PK",
    "chinese": "zh_TW",
    "japanese": "ja_JP",
    "korean": "",
    "vietnamese": "",
    "filipino": "",
    "indonesian": "id_ID",
    "turkish": "tr_TR",
    "slavic": "pl_PL cs_CZ hr_HR sk_SK sl_SI",
    "greek": "",
    "nordic": "sv_SE da_DK no_NO fi_FI is_IS",
    "iberian": "es_ES pt_PT",
    "latin_american": "es_MX es_AR es_CO es_CL pt_BR",
    "french": "fr_FR fr_BE fr_CA",
    "german": "de_DE de_AT de_CH",
    "dutch": "nl_NL nl_BE",
    "italian": "it_IT",
    "anglo": "en_US en_GB en_NZ",
    "irish": "ga_IE en_IE",
    "jewish": "",
    "polynesian": "",
    "romanian": "ro_RO hu_HU",
    "caucasian": "uz_UZ az_AZ lt_LT lv_LV et_EE",
}
"""Faker's locales of each origin, where they are in Latin script."""
ORIGINS = tuple(LOCALES)
LOCAL = {
    "en": ("anglo", "irish"), "de": ("german",), "es": ("iberian", "latin_american"), "fr": ("french",),
    "it": ("italian",),
    "nl": ("dutch",), "pt": ("iberian", "latin_american"), "sv": ("nordic",), "da": ("nordic",), "no": ("nordic",),
    "fi": ("nordic",), "ro": ("romanian",), "tr": ("turkish",),
}  # fmt: skip
FAMILY_FIRST = {"chinese", "korean", "vietnamese", "japanese"}
_ONE_GIVEN = {"chinese", "korean", "japanese"}
_MOST_OF_FAKER = 400
_LATIN = re.compile(r"[^\W\d_][\w'’ʻ.\- ]*$")


@dataclass(frozen=True)
class Person:
    """A person of a text."""

    given: str
    family: str
    female: bool
    origin: str
    middle: str = ""
    second: str = ""
    adult: bool = True

    @property
    def initial(self) -> str:
        """Return the first letter of the given name."""
        return self.given[0]

    def kin(self, given: str, female: bool) -> Person:
        """Return a relative of the same family name."""
        return replace(self, given=given, female=female, middle="")


@cache
def _by_hand() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    title = ""
    for line in (LISTS / "names.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            title = line[2:].strip()
        elif line.strip():
            found[title] = tuple(name.strip() for name in line.split(","))
    return found


def _from_faker(locale: str, *attributes: str) -> list[str]:
    provider = importlib.import_module(f"faker.providers.person.{locale}").Provider
    for attribute in attributes:
        names = [name for name in vars(provider).get(attribute) or () if (_LATIN.match(name) and name.isascii()) or
                 _latin(name)]  # fmt: skip
        if len(names) > 9:
            step = -(-len(names) // _MOST_OF_FAKER)
            return sorted(names)[::step]
    return []


def _latin(name: str) -> bool:
    letters = [letter for letter in name if letter.isalpha()]
    return bool(letters) and all(unicodedata.name(letter, "").startswith("LATIN") for letter in letters)


@cache
def pool(origin: str, kind: str, part: Part) -> tuple[str, ...]:
    """Return the names of an origin and a kind (male, female, family) that belong to a part."""
    names = list(_by_hand()[f"{origin} {kind}"])
    for locale in LOCALES[origin].split():
        if kind == "family":
            names += _from_faker(
                locale, "last_names" if locale != "is_IS" else "", "last_romanized_names", f"last_names_{kind}"
            )
        else:
            names += _from_faker(locale, f"first_romanized_names_{kind}", f"first_names_{kind}")
    names = [name.title() if name.isupper() and "." not in name else name for name in names]
    return tuple(dict.fromkeys(name for name in names if part_of(name) == part and len(name) > 1))


def anyone(rng: random.Random, part: Part, language: str = "en", origin: str | None = None) -> Person:
    """Draw a person; half of the people in a language other than English have names of its countries."""
    if origin is None:
        local = language != "en" and rng.random() < 0.5
        origin = rng.choice(LOCAL[language]) if local else rng.choice(ORIGINS)
    female = rng.random() < 0.5
    sex = "female" if female else "male"
    given = rng.choice(pool(origin, sex, part))
    middle = rng.choice(pool(origin, sex, part)) if origin not in _ONE_GIVEN and rng.random() < 0.3 else ""
    family = rng.choice(pool(origin, "family", part))
    second = ""
    if origin in ("iberian", "latin_american", "filipino") and rng.random() < 0.5:
        second = rng.choice(pool(origin, "family", part))
    elif rng.random() < 0.03:
        family = f"{family}-{rng.choice(pool(rng.choice(ORIGINS), 'family', part))}"
    if origin == "vietnamese" and rng.random() < 0.4:
        given, family, middle = plain(given), plain(family), plain(middle)
    if origin == "arab" and rng.random() < 0.1:
        middle = f"{'bint' if female else rng.choice(('bin', 'ibn', 'ben'))} {rng.choice(pool('arab', 'male', part))}"
    return Person(given, family, female, origin, "" if middle == given else middle, second)


def full(person: Person, rng: random.Random) -> str:
    """Return a whole name in one of the ways in which its origin writes it."""
    given, family = person.given, person.family
    if person.second:
        family += f"{rng.choice((' ', ' ', '-', ' y '))}{person.second}" if person.origin != "filipino" else ""
    if person.origin in FAMILY_FIRST and rng.random() < (0.8 if person.origin == "vietnamese" else 0.45):
        return f"{family} {given}"
    if person.origin == "filipino" and person.second:
        given += f" {person.second if rng.random() < 0.4 else person.second[0] + '.'}"
        return f"{given} {family}"
    if person.middle:
        shape = rng.random()
        if shape < 0.35:
            return f"{given} {person.middle} {family}"
        if shape < 0.7 and person.middle[0].isalpha() and not person.middle.startswith(("bin", "ibn", "ben")):
            return f"{given} {person.middle[0].upper()}{rng.choice('. ').strip()} {family}"
    return f"{given} {family}"


def initials(person: Person, rng: random.Random) -> str:
    """Return a name with its given name shortened: J. Smith, J Smith, J.-P. Smith, JK Smith."""
    letters = [part[0].upper() for part in re.split(r"[ -]", person.given) if part and part[0].isalpha()] or ["A"]
    if person.middle and person.middle[0].isalpha():
        letters.append(person.middle[0].upper())
    dot = rng.choice((".", ".", ""))
    joint = "-" if "-" in person.given and dot else rng.choice(("", " ")) if dot else ""
    return f"{joint.join(letter + dot for letter in letters[:2])} {person.family}"


def comma(person: Person, rng: random.Random) -> str:
    """Return a name with the family name first: Smith, Jane; SMITH, Jane K.; SMITH Jane."""
    given, family = person.given, person.family
    if person.middle and rng.random() < 0.5:
        given += f" {person.middle[0].upper()}."
    shape = rng.random()
    if shape < 0.35:
        return f"{family.upper()}, {given}"
    if shape < 0.5:
        return f"{family.upper()} {given}"
    if shape < 0.6:
        return f"{family}, {person.initial}."
    return f"{family}, {given}"


def plain(name: str) -> str:
    """Return a name without the marks on its letters."""
    table = str.maketrans({"đ": "d", "Đ": "D", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "ß": "ss", "ı": "i", "æ": "ae",
                           "Æ": "Ae", "þ": "th", "Þ": "Th", "ð": "d", "Ð": "D", "œ": "oe", "ʻ": "",
                           "’": ""})  # fmt: skip
    return "".join(
        letter for letter in unicodedata.normalize("NFKD", name.translate(table)) if not unicodedata.combining(letter)
    )


def handle(person: Person, rng: random.Random) -> str:
    """Return the local part of an address or a user name that is made of a name."""
    given, family = (re.sub(r"[^a-z]", "", plain(part).lower()) or "kim" for part in (person.given, person.family))
    number = str(rng.choice((rng.randrange(1, 99), rng.randrange(1950, 2010))))
    return rng.choice(
        (
            f"{given}.{family}", f"{given}.{family}", f"{given[0]}.{family}", f"{given[0]}{family}",
            f"{given}{family}",
            f"{given}_{family}", f"{family}.{given}", f"{given}{number}", f"{given}.{family}{number}",
            f"{family}{given[0]}",
            f"{given}-{family}", f"{family}{number}", given,
        )
    )  # fmt: skip


def genitive(name: str, language: str) -> tuple[str, str]:
    """Return the ending of a genitive: what joins the word of the name, and what stands behind an apostrophe."""
    last = name[-1:].lower()
    if last in "sßxz":
        return "", "'"
    return ("", "'s") if language == "nl" and last in "aiouy" else ("s", "")


KIN = (
    (
        "son",
        "father",
        "brother",
        "husband",
        "grandson",
        "nephew",
        "uncle",
        "neighbour",
        "partner",
        "cousin",
        "friend",
        "carer",
        "stepfather",
        "landlord",
    ),
    (
        "daughter",
        "mother",
        "sister",
        "wife",
        "granddaughter",
        "niece",
        "aunt",
        "neighbour",
        "partner",
        "cousin",
        "friend",
        "carer",
        "fiancée",
        "godmother",
    ),
)


def words_of(person: Person, form: str, language: str) -> str | None:
    """Return a pronoun, a title or a noun for a person, or None if ``form`` is none of them."""
    if language == "en":
        pairs = {"he": ("he", "she"), "him": ("him", "her"), "his": ("his", "her"), "He": ("He", "She"),
            "His": ("His", "Her"), "mr": ("Mr", "Ms"),
                 "man": ("man", "woman"), "boy": ("boy", "girl"), "sex": ("M", "F"), "sexword": ("Male", "Female"),
                     "male": ("male", "female"),
                 "gentleman": ("gentleman", "lady"), "son": ("son", "daughter"), "brother": ("brother", "sister"),
                     "father": ("father", "mother"),
                 "husband": ("husband", "wife"), "nephew": ("nephew", "niece"), "uncle": ("uncle", "aunt"),
                     "widower": ("widower", "widow")}  # fmt: skip
        if form == "mr":
            return (
                ("Mr", "Mr.")[len(person.given) % 2]
                if not person.female
                else ("Mrs", "Ms", "Ms.", "Miss")[len(person.given) % 4]
            )
        return pairs[form][person.female] if form in pairs else None
    titles = {"de": ("Herr", "Frau"), "es": ("Sr.", "Sra."), "fr": ("M.", "Mme"), "it": ("sig.", "sig.ra"),
        "nl": ("dhr.", "mevr."),
        "pt": ("Sr.", "Sra."), "sv": ("herr", "fru"),
              "da": ("hr.", "fru"), "no": ("herr", "fru"), "fi": ("herra", "rouva"), "ro": ("dl.", "dna."),
                  "tr": ("Bay", "Bayan")}  # fmt: skip
    if form == "mr":
        return titles[language][person.female]
    if form.startswith("or:"):  # {p.or:er/sie}
        return form[3:].split("/")[person.female]
    return None
