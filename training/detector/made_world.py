"""The world of one text: who is in it, where and when it plays, and what each slot of a template becomes."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date, timedelta
from functools import cached_property

import made_codes as codes
import made_dates as dates
import made_names as names
import made_net as net
import made_places as places
from made_grammar import EVERYWHERE, Choice, Include, Line, Literally, Node, Part, Section, Slot, part_of, sections
from made_slots import VALUES
from made_surface import Piece

PEOPLE = frozenset("pqrdenwxyz")
"""p the subject, r a relative, d and e doctors or officials, n a nurse, w the writer, q and x to z others."""
CODES = frozenset((*codes.PATTERNS, "national", "uuid", "iban", "nhs", "card"))


class World:
    """Values that hold for one text, so that it speaks of the same people, places and days throughout."""

    rng: random.Random
    part: Part
    language: str
    country: str
    day: date
    used: list[str]

    def __init__(self, rng: random.Random, part: Part, language: str) -> None:
        self.rng, self.part, self.language = rng, part, language
        lands = places.of_language(language)
        self.country = rng.choice(lands if rng.random() < 0.4 else lands[: 2 if len(lands) > 2 else 1])
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
                origin = names.LOCAL[self.language][0] if node.label == "PERSON" else None
                out.append(Piece(node.words, node.label, node.telling, origin))
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
        if name in VALUES:
            made = VALUES[name](self, form)
            return made if isinstance(made, list) else [made]
        section = self.section(name)
        if section is None:
            raise ValueError(f"nothing makes the slot {name} in {self.language}")
        line = self.rng.choice(section.lines[self.part])
        if len(line.nodes) == 1 and isinstance(line.nodes[0], str):
            text = line.nodes[0]
            if form == "cap":
                text = text[0].upper() + text[1:]
            return [Piece(text, section.label, section.label is not None and section.telling, self._origin(section))]
        pieces = self.write(line.nodes)
        if section.label:
            text = "".join(piece.text for piece in pieces).strip()
            return [Piece(text, section.label, section.telling, self._origin(section))]
        return pieces

    def _origin(self, section: Section) -> str | None:
        """Return where names of a section of people come from."""
        return names.LOCAL[self.language][0] if section.label == "PERSON" else None

    def fresh(self, make: Callable[[], str]) -> str:
        """Return a value that belongs to the part."""
        value = make()
        for _ in range(60):
            if part_of(value) == self.part:
                break
            value = make()
        return value

    def _code(self, kind: str, form: str) -> str:
        def make() -> str:
            return self.fresh(lambda: codes.code(self.rng, kind, self.country))

        return self.once(f"{kind} {form}", make) if form else make()

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

    def give(self, who: str, person: names.Person) -> None:
        """Let a person of the text be ``person``."""
        self._people[who] = person

    def person_in(self, who: str, form: str) -> list[Piece]:
        """Return a person in a form of the name, or a word that depends on the person."""
        person = self.person(who)
        word = names.words_of(person, form, self.language)
        if word is not None:
            return [Piece(word)]
        if form == "age":
            return [Piece(str(self.age(who)), "AGE", True)]
        if form == "dob":
            return [Piece(self.date_of(self.born(who), dob=True), "DATE", True)]
        if form == "email":
            firm = self.rng.choice(("", self.text_of("firm")))
            return [Piece(self.fresh(lambda: net.email(self.rng, person, firm, self.language)), "EMAIL", True)]
        if form in ("user", "@user"):
            name = self.once(f"user {who}", lambda: self.fresh(lambda: net.nick(self.rng, person)))
            return [Piece(f"@{name}" if form[0] == "@" else name, "USERNAME", True)]
        if form == "rel":
            return [Piece(self.once(f"kin {who}", lambda: self.rng.choice(names.KIN[person.female])))]
        if form.startswith("of-"):  # {p.of-family}: Meiers, Hans', Anna's
            [name] = self.person_in(who, form.removeprefix("of-"))
            inside, after = names.genitive(name.text, self.language)
            return [name._replace(text=name.text + inside), Piece(after)]
        if form == "title":
            mister = names.words_of(person, "mr", self.language) or ""
            return [Piece(f"{mister} "), Piece(person.family, "PERSON", True, person.origin)]
        return [Piece(self._name(who, person, form), "PERSON", True, person.origin)]

    def _name(self, who: str, person: names.Person, form: str) -> str:
        if form == "":
            shape = self.rng.random()
            if shape < 0.8:
                return self.once(f"full {who}", lambda: names.full(person, self.rng))
            return names.full(person, self.rng) if shape < 0.9 else names.initials(person, self.rng)
        if form == "full":
            return self.once(f"full {who}", lambda: names.full(person, self.rng))
        if form == "again":
            how = self.once(f"again {who}", lambda: self.rng.choice(("given", "given", "family", "full")))
            return self._name(who, person, how)
        if form == "given":
            return person.given
        if form == "family":
            return person.family
        if form == "initials":
            return names.initials(person, self.rng)
        if form == "comma":
            return names.comma(person, self.rng)
        if form == "back":
            family = person.family.upper() if self.rng.random() < 0.5 else person.family
            return (
                f"{family} {person.given.upper() if family.isupper() and self.rng.random() < 0.5 else person.given}"
            )
        if form == "caps":
            return names.full(person, self.rng).upper()
        if form == "letters":
            dot = self.rng.choice((".", ""))
            return f"{person.initial}{dot}{person.family[0].upper()}{dot}"
        if form == "short":
            return f"{person.given} {person.family[0].upper()}{self.rng.choice(('.', ''))}"
        if form == "dotted":
            return f"{person.family[0].upper()}."
        if form == "any":
            how = self.rng.choice(("full", "full", "comma", "initials", "caps"))
            return self._name(who, person, how)
        raise ValueError(f"no form {form} of a person")

    def age(self, who: str) -> int:
        """Return the age of a person."""
        if who not in self._ages:
            self._ages[who] = (
                min(99, max(17, int(self.rng.gauss(50, 20)))) if who in "pqr" else self.rng.randrange(24, 66)
            )
        return self._ages[who]

    def born(self, who: str) -> date:
        """Return a day of birth that fits the age."""
        return self.day - timedelta(days=365 * self.age(who) + self.rng.randrange(3, 360))

    def once(self, key: str, make: Callable[[], str]) -> str:
        """Return what ``make`` returned the first time for this key."""
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
