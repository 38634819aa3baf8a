"""The world of one text: who is in it, where and when it plays, and what each slot of a template becomes."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from datetime import date, timedelta
from functools import cached_property
from typing import NamedTuple

import made_codes as codes
import made_dates as dates
import made_names as names
import made_places as places
from made_grammar import EVERYWHERE, Choice, Include, Line, Literally, Node, Part, Section, Slot, part_of, sections

PEOPLE = frozenset("pqrdenwxyz")
"""p the subject, r a relative, d and e doctors or officials, n a nurse, w the writer, q and x to z others."""
CODES = frozenset((*codes.PATTERNS, "national", "uuid", "iban", "nhs", "card"))
_SIGNS = {"GB": "£", "US": "$", "IE": "€", "AU": "$", "CA": "$", "NZ": "$", "NG": "₦", "GH": "GH₵", "KE": "KSh ", "IN": "₹", "ZA": "R",
          "PH": "₱", "SG": "S$", "CH": "CHF ", "MX": "$", "AR": "$", "BR": "R$ ", "TR": "TL", "RO": "lei", "SE": "kr", "DK": "kr.", "NO": "kr"}  # fmt: skip
_KIN = (
    ("son", "father", "brother", "husband", "grandson", "nephew", "uncle", "neighbour", "partner", "cousin", "friend", "carer", "stepfather", "landlord"),
    ("daughter", "mother", "sister", "wife", "granddaughter", "niece", "aunt", "neighbour", "partner", "cousin", "friend", "carer", "fiancée", "godmother"),
)
_DOSES = (
    ("mg", "2.5 5 7.5 10 15 20 25 30 40 50 75 80 100 150 200 250 300 400 500 600 750 850 1000"), ("g", "1 1.2 1.5 2 4.5"),
    ("micrograms", "25 50 75 100 125 200"), ("mcg", "25 50 100 250"), ("ml", "2.5 5 7.5 10 15 30"), ("units", "4 8 10 12 16 24 5000"),
    ("mg/h", "5 10"), ("mg/kg", "5 10 15"), ("L/min", "2 4 15"), ("IU", "400 800 20000"),
)  # fmt: skip


class Piece(NamedTuple):
    """Some characters, and what they are."""

    text: str
    label: str | None = None
    telling: bool = False
    origin: str | None = None


class World:
    """Values that hold for one text, so that it speaks of the same people, places and days throughout."""

    def __init__(self, rng: random.Random, part: Part, language: str) -> None:
        self.rng, self.part, self.language = rng, part, language
        lands = places.of_language(language)
        self.country = rng.choice(lands if rng.random() < 0.4 else lands[:2])
        self.day = date(1985, 1, 1) + timedelta(days=rng.randrange(15_300))
        self.style = rng.choice(dates.STYLES)
        self.used: list[str] = []
        self._shape: dict[str, str] = {}
        self._people: dict[str, names.Person] = {}
        self._ages: dict[str, int] = {}
        self._kept: dict[str, str] = {}

    # --- templates

    def section(self, name: str) -> Section | None:
        """Return a section of the language, or of all languages."""
        return sections(self.language).get(name) or sections(EVERYWHERE).get(name)

    def template(self, name: str) -> list[Piece]:
        """Write one template of a section."""
        return [piece for line in self._lines(name, 1) for piece in self.write(line.nodes)]

    def _lines(self, name: str, count: int) -> list[Line]:
        section = self.section(name)
        if section is None:
            raise ValueError(f"no section {name} in {self.language}")
        lines = self.rng.sample(section.lines[self.part], min(count, len(section.lines[self.part])))
        if section.label is None and "." in name and section.lines["train"] != section.lines["held"]:
            self.used.extend(line.identifier for line in lines)
        return lines

    def write(self, nodes: tuple[Node, ...]) -> list[Piece]:
        """Write the nodes of a template."""
        out: list[Piece] = []
        for node in nodes:
            if isinstance(node, str):
                out.append(Piece(node))
            elif isinstance(node, Choice):
                out += self.write(self.rng.choice(node.ways))
            elif isinstance(node, Literally):
                out.append(Piece(node.words, node.label, node.telling))
            elif isinstance(node, Include):
                for number, line in enumerate(self._lines(node.section, self.rng.randint(node.least, node.most))):
                    if number:
                        out.append(Piece(node.joint))
                    out += self._sentence(line, node.section)
            else:
                out += self._slot(node)
        return out

    def _sentence(self, line: Line, section: str) -> list[Piece]:
        """Write a line, with a capital if it is a sentence that a slot begins."""
        out = self.write(line.nodes)
        note = "note" in section or "chat" in section
        if out and not isinstance(line.nodes[0], str) and line.text.endswith((".", "?", "!")) and not note:
            first = out[0]
            if first.label not in ("EMAIL", "URL", "USERNAME", "CODE") and first.text[:1].islower():
                out[0] = first._replace(text=first.text[0].upper() + first.text[1:])
        return out

    def _slot(self, slot: Slot) -> list[Piece]:
        pieces = self.value(slot.name, slot.form)
        if not slot.telling:
            pieces = [piece._replace(telling=False) for piece in pieces]
        return pieces

    def value(self, name: str, form: str = "") -> list[Piece]:
        """Return the value of a slot."""
        if name in PEOPLE:
            return self.person_in(name, form)
        if name in CODES:
            return [Piece(self._code(name, form), "CODE", True)]
        if name in _VALUES:
            made = _VALUES[name](self, form)
            return made if isinstance(made, list) else [made]
        section = self.section(name)
        if section is None:
            raise ValueError(f"nothing makes the slot {name} in {self.language}")
        line = self.rng.choice(section.lines[self.part])
        if len(line.nodes) == 1 and isinstance(line.nodes[0], str):
            text = line.nodes[0]
            if form == "cap":
                text = text[0].upper() + text[1:]
            return [Piece(text, section.label, section.label is not None and section.telling)]
        return self.write(line.nodes)

    def fresh(self, make: Callable[[], str]) -> str:
        """Return a value that belongs to the part."""
        value = make()
        for _ in range(60):
            if part_of(value) == self.part:
                break
            value = make()
        return value

    def _code(self, kind: str, form: str) -> str:
        if form and form in self._kept:
            return self._kept[form]
        value = self.fresh(lambda: codes.code(self.rng, kind, self.country))
        if form:
            self._kept[form] = value
        return value

    # --- people

    def person(self, who: str) -> names.Person:
        """Return a person of the text."""
        if who not in self._people:
            new = names.anyone(self.rng, self.part, self.language)
            if who == "r" and self.rng.random() < 0.7:
                kin = names.anyone(self.rng, self.part, self.language, self.person("p").origin)
                new = self.person("p").kin(kin.given, kin.female)
            self._people[who] = new
        return self._people[who]

    def person_in(self, who: str, form: str) -> list[Piece]:
        """Return a person in a form of the name, or a word that depends on the person."""
        person = self.person(who)
        word = _words_of(person, form, self.language)
        if word is not None:
            return [Piece(word)]
        if form == "age":
            return [Piece(str(self.age(who)), "AGE", True)]
        if form == "dob":
            return [Piece(self.date_of(self.born(who), dob=True), "DATE", True)]
        if form == "email":
            firm = self.rng.choice(("", self.text_of("firm")))
            return [Piece(self.fresh(lambda: codes.email(self.rng, person, firm, self.language)), "EMAIL", True)]
        if form in ("user", "@user"):
            name = self._once(f"user {who}", lambda: self.fresh(lambda: codes.nick(self.rng, person)))
            return [Piece(f"@{name}" if form[0] == "@" else name, "USERNAME", True)]
        if form == "rel":
            return [Piece(self._once(f"kin {who}", lambda: self.rng.choice(_KIN[person.female])))]
        if form == "title":
            mister = _words_of(person, "mr", self.language) or ""
            return [Piece(f"{mister} "), Piece(person.family, "PERSON", True, person.origin)]
        return [Piece(self._name(who, person, form), "PERSON", True, person.origin)]

    def _name(self, who: str, person: names.Person, form: str) -> str:
        if form == "":
            shape = self.rng.random()
            if shape < 0.8:
                return self._once(f"full {who}", lambda: names.full(person, self.rng))
            return names.full(person, self.rng) if shape < 0.9 else names.initials(person, self.rng)
        if form == "full":
            return self._once(f"full {who}", lambda: names.full(person, self.rng))
        if form == "again":
            how = self._once(f"again {who}", lambda: self.rng.choice(("given", "given", "family", "full")))
            return self._name(who, person, how)
        if form == "given":
            return person.given
        if form == "family":
            return person.family
        if form == "initials":
            return names.initials(person, self.rng)
        if form == "comma":
            return names.comma(person, self.rng)
        if form == "caps":
            return names.full(person, self.rng).upper()
        if form == "letters":
            dot = self.rng.choice((".", ""))
            return f"{person.initial}{dot}{person.family[0].upper()}{dot}"
        if form == "dotted":
            return f"{person.family[0].upper()}."
        if form == "any":
            how = self.rng.choice(("full", "full", "comma", "initials", "caps"))
            return self._name(who, person, how)
        raise ValueError(f"no form {form} of a person")

    def age(self, who: str) -> int:
        """Return the age of a person."""
        if who not in self._ages:
            self._ages[who] = min(99, max(17, int(self.rng.gauss(50, 20)))) if who in "pqr" else self.rng.randrange(24, 66)
        return self._ages[who]

    def born(self, who: str) -> date:
        """Return a day of birth that fits the age."""
        return self.day - timedelta(days=365 * self.age(who) + self.rng.randrange(3, 360))

    def _once(self, key: str, make: Callable[[], str]) -> str:
        if key not in self._kept:
            self._kept[key] = make()
        return self._kept[key]

    def text_of(self, name: str, form: str = "") -> str:
        """Return the characters of a slot."""
        return "".join(piece.text for piece in self.value(name, form))

    # --- times

    def date_of(self, day: date, style: str = "", dob: bool = False) -> str:
        """Write a day in the style of the text, seldom in another one."""
        if not style:
            style = self.style if self.rng.random() < 0.85 else self.rng.choice(dates.STYLES)
        if dob or style == "numeric":
            shape = self._shape.setdefault(style, "")
            if shape and self.rng.random() < 0.8:
                return dates.written(day, shape, self.language)
        return dates.of_style(self.rng, day, style, self.language)

    @cached_property
    def home(self) -> places.Address:
        """The address of the subject."""
        return places.address(self.rng, self.part, self.country)


def _words_of(person: names.Person, form: str, language: str) -> str | None:
    """Return a pronoun, a title or a noun for a person, or None if ``form`` is none of them."""
    if language == "en":
        pairs = {"he": ("he", "she"), "him": ("him", "her"), "his": ("his", "her"), "He": ("He", "She"), "His": ("His", "Her"), "mr": ("Mr", "Ms"),
                 "man": ("man", "woman"), "boy": ("boy", "girl"), "sex": ("M", "F"), "sexword": ("Male", "Female"), "male": ("male", "female"),
                 "gentleman": ("gentleman", "lady"), "son": ("son", "daughter"), "brother": ("brother", "sister"), "father": ("father", "mother"),
                 "husband": ("husband", "wife"), "nephew": ("nephew", "niece"), "uncle": ("uncle", "aunt"), "widower": ("widower", "widow")}  # fmt: skip
        if form == "mr":
            return ("Mr", "Mr.")[len(person.given) % 2] if not person.female else ("Mrs", "Ms", "Ms.", "Miss")[len(person.given) % 4]
        return pairs[form][person.female] if form in pairs else None
    titles = {"de": ("Herr", "Frau"), "es": ("Sr.", "Sra."), "fr": ("M.", "Mme"), "nl": ("dhr.", "mevr."), "pt": ("Sr.", "Sra."), "sv": ("herr", "fru"),
              "da": ("hr.", "fru"), "no": ("herr", "fru"), "fi": ("herra", "rouva"), "ro": ("dl.", "dna."), "tr": ("Bay", "Bayan")}  # fmt: skip
    if form == "mr":
        return titles[language][person.female]
    if form.startswith("or:"):  # {p.or:er/sie}
        return form[3:].split("/")[person.female]
    return None


def _date(world: World, form: str) -> Piece:
    rng = world.rng
    if form in ("dob", "long-ago"):
        return Piece(world.date_of(world.day - timedelta(days=rng.randrange(4000, 30000))), "DATE", True)
    if form == "ahead":
        return Piece(world.date_of(world.day + timedelta(days=rng.randrange(5, 120))), "DATE", True)
    if form == "day":
        style = "day" if world.style == "long" or rng.random() < 0.4 else "day_numbers"
        return Piece(dates.of_style(rng, dates.near(rng, world.day, 25), style, world.language), "DATE", True)
    if form in ("adm", "dis"):
        stay = world._once("stay", lambda: str(rng.randrange(1, 25)))
        return Piece(world.date_of(world.day - timedelta(days=int(stay) if form == "adm" else 0)), "DATE", True)
    if form in ("long", "numeric"):
        return Piece(world.date_of(dates.near(rng, world.day, 20), form), "DATE", True)
    if form == "iso":
        return Piece(dates.near(rng, world.day, 20).isoformat(), "DATE", True)
    if form == "doc":
        return Piece(world.date_of(world.day), "DATE", True)
    if form == "past":
        return Piece(world.date_of(world.day - timedelta(days=rng.randrange(20, 2500))), "DATE", True)
    return Piece(world.date_of(dates.near(rng, world.day, 20)), "DATE", True)


def _when(world: World, form: str) -> Piece:
    """A date with its time, in one mark."""
    day = dates.near(world.rng, world.day, 20)
    if form == "iso":
        clock = f"{world.rng.randrange(24):02}:{world.rng.randrange(60):02}:{world.rng.randrange(60):02}"
        ends = ("", "Z", f".{world.rng.randrange(1000):03}Z", "+00:00", f",{world.rng.randrange(1000):03}")
        return Piece(f"{day.isoformat()}{world.rng.choice('T  ')}{clock}{world.rng.choice(ends)}", "DATE", True)
    if form == "apache":
        month = dates.MONTHS["en"][day.month - 1][:3]
        return Piece(f"{day.day:02}/{month}/{day.year}:{world.rng.randrange(24):02}:{world.rng.randrange(60):02}:{world.rng.randrange(60):02} +0000", "DATE", True)
    if form == "syslog":
        month = dates.MONTHS["en"][day.month - 1][:3]
        return Piece(f"{month} {day.day:>2} {world.rng.randrange(24):02}:{world.rng.randrange(60):02}:{world.rng.randrange(60):02}", "DATE", True)
    style = form or world.rng.choice(("long", "numeric", "day"))
    text = dates.of_style(world.rng, day, style, world.language)
    return Piece(text + world.rng.choice(dates.AT[world.language]) + dates.clock(world.rng, world.language), "DATE", True)


def _month(world: World, form: str) -> Piece:
    name = dates.MONTHS[world.language][dates.near(world.rng, world.day, 300).month - 1]
    joint = " de " if world.language in ("es", "pt") else " "
    year = f"{joint}{world.day.year - world.rng.randrange(0, 12)}" if form == "year" or world.rng.random() < 0.4 else ""
    return Piece(name + year, "DATE", True)


def _money(world: World, form: str) -> Piece:
    rng, land = world.rng, world.country
    amount = rng.choice((rng.uniform(2, 200), rng.uniform(100, 5000), rng.uniform(1000, 400000)))
    if form == "price":
        amount = rng.uniform(1, 90)
    whole = rng.random() < 0.4
    number = f"{amount:,.0f}" if whole else f"{amount:,.2f}"
    sign = _SIGNS.get(land, "€")
    if world.language != "en":
        number = number.translate(str.maketrans(",.", ".,"))
        unit = rng.choice((sign.strip(), {"€": "Euro" if world.language == "de" else "euros"}.get(sign, sign.strip()), "EUR"))
        return Piece(f"{number} {unit}" if sign not in ("CHF ", "R$ ", "$") else f"{sign}{number}", "MONEY", form != "price")
    shape = rng.random()
    if shape < 0.7:
        text = f"{sign}{number}"
    elif shape < 0.85:
        text = f"{rng.choice(('GBP', 'EUR', 'USD', 'NGN', 'INR'))} {number}"
    else:
        text = f"{number} {rng.choice(('euros', 'dollars', 'pounds', 'EUR', 'USD', 'naira', 'rupees', 'yen', 'Swiss francs', 'shillings'))}"
    if shape < 0.06 and form != "price":
        text = f"{sign}{rng.randrange(2, 90)}{rng.choice(('k', 'm', ' million', 'bn'))}"
    return Piece(text, "MONEY", form != "price")


def _address(world: World, form: str) -> list[Piece]:
    """An address in a line, in lines (``block``), or one part of it."""
    rng = world.rng
    home = world.home if form.startswith("home") else places.address(rng, world.part, world.country)
    form = form.removeprefix("home").removeprefix(".").removeprefix("-")
    if form in ("street", "town", "postcode", "region", "country"):
        return [_place(getattr(home, form))]
    comma = Piece(", ") if form != "block" else Piece("\n")
    tight = Piece(" ")
    before = world.language != "en"
    town = [_place(home.postcode), tight, _place(home.town)] if before else [_place(home.town), comma if rng.random() < 0.5 else tight, _place(home.postcode)]
    if not before and rng.random() < 0.4:
        town[1:1] = [Piece(", "), _place(home.region)]
    out = [_place(home.street), comma, *town]
    if form == "short":
        out = [_place(home.street), Piece(", "), _place(home.town)]
    elif rng.random() < 0.15:
        out += [comma, _place(home.country)]
    return out


def _place(text: str) -> Piece:
    return Piece(text, "LOCATION", True)


def _town(world: World, form: str) -> Piece:
    land = "XX" if form == "abroad" or (not form and world.rng.random() < 0.25) else world.country
    if form == "far":
        land = world.rng.choice(list(places.countries(world.part)))
    return _place(world.home.town if form == "home" else places.town(world.rng, world.part, land))


def _country(world: World, form: str) -> Piece:
    land = "XX" if world.rng.random() < 0.7 else world.rng.choice(list(places.countries(world.part)))
    return _place(world.rng.choice(places.countries(world.part)[land].names) if world.language == "en" else world.text_of("country_name"))


def _region(world: World, form: str) -> Piece:
    return _place(world.rng.choice(places.countries(world.part)[world.rng.choice((world.country, "XX") if world.language == "en" else (world.country,))].regions))


def _organization(kind: str) -> Callable[[World, str], Piece]:
    def make(world: World, form: str) -> Piece:
        section = world.section(f"name.{kind}")
        if section is None:
            raise ValueError(f"no names of a {kind} in {world.language}")

        def named() -> str:
            line = world.rng.choice(section.lines[world.part])
            return "".join(piece.text for piece in world.write(line.nodes))

        text = world._once(f"{kind} {form}", lambda: world.fresh(named)) if form else world.fresh(named)
        return Piece(text, "ORGANIZATION", True)

    return make


def _other_name(world: World, form: str) -> Piece:
    return Piece(world.rng.choice(names.pool(world.rng.choice(names.ORIGINS), "family", world.part)))


def _nick(world: World, form: str) -> Piece:
    who = form.removeprefix("@")

    def made() -> str:
        return world.fresh(lambda: codes.nick(world.rng, None))

    name = world._once(f"nick {who}", made) if who else made()
    return Piece(f"@{name}" if form.startswith("@") else name, "USERNAME", True)


def _dose(world: World, form: str) -> Piece:
    unit, amounts = world.rng.choice(_DOSES)
    gap = world.rng.choice((" ", " ", " ", ""))
    return Piece(f"{world.rng.choice(amounts.split())}{gap}{unit}", "QUANTITY")


def _varied(world: World, form: str) -> str:
    """Change the numbers of an amount by up to a half."""

    def other(match: re.Match[str]) -> str:
        digits = len(match[0].partition(".")[2])
        return f"{float(match[0]) * world.rng.uniform(0.5, 1.5):.{digits}f}"

    return re.sub(r"(?<![\w^])\d+(?:\.\d+)?", other, form)


def _digits(world: World, form: str) -> Piece:
    low, _, high = form.partition("-")
    return Piece(str(world.rng.randint(int(low), int(high or low))))


_VALUES: dict[str, Callable[[World, str], Piece | list[Piece]]] = {
    "date": _date,
    "when": _when,
    "time": lambda world, form: Piece(dates.clock(world.rng, world.language), "DATE", True),
    "year": lambda world, form: Piece(str(world.day.year - world.rng.randrange(0, 40)), "DATE", True),
    "month": _month,
    "monthname": lambda world, form: Piece(world.rng.choice(dates.MONTHS[world.language]), "DATE", True),
    "weekday": lambda world, form: Piece(world.rng.choice(dates.DAYS[world.language]), "DATE", True),
    "money": _money,
    "price": lambda world, form: _money(world, "price"),
    "addr": _address,
    "town": _town,
    "region": _region,
    "country": _country,
    "street": lambda world, form: _place(places.street(world.rng, world.part, world.country)),
    "road": lambda world, form: _place(places.street(world.rng, world.part, world.country).lstrip("0123456789 ,")),
    "postcode": lambda world, form: _place(world.home.postcode),
    "phone": lambda world, form: Piece(world.fresh(lambda: codes.phone(world.rng, world.country)), "PHONE", True),
    "email": lambda world, form: Piece(
        world.fresh(lambda: codes.email(world.rng, None, world.text_of("firm"), world.language)), "EMAIL", True
    ),
    "url": lambda world, form: Piece(
        world.fresh(lambda: codes.url(world.rng, world.text_of("firm"), world.language, codes.nick(world.rng, None))), "URL", True
    ),
    "ip": lambda world, form: Piece(world.fresh(lambda: codes.ip(world.rng)), "IP", True),
    "nick": _nick,
    "age": lambda world, form: Piece(str(world.rng.randrange(18, 97)), "AGE", True),
    "pager": lambda world, form: Piece(str(world.rng.randrange(100, 9999)), "OTHER"),
    "dose": _dose,
    "measure": lambda world, form: Piece(_varied(world, form), "QUANTITY"),
    "amount": lambda world, form: Piece(_varied(world, form)),
    "hospital": _organization("hospital"),
    "clinic": _organization("clinic"),
    "firm": _organization("firm"),
    "bank": _organization("bank"),
    "court": _organization("court"),
    "police": _organization("police"),
    "prison": _organization("prison"),
    "council": _organization("council"),
    "school": _organization("school"),
    "club": _organization("club"),
    "hotel": _organization("hotel"),
    "surname": _other_name,
    "number": _digits,
}
