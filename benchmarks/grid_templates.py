"""A grid of contexts x formats x cases: general templates, filled, with the places of what is private in them.

``{full}`` and its like stand for a person, ``{value}`` for anything else. Nothing in a template is anybody's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

_HOLE = re.compile(r"\{([a-z_]+)\}")

CASES: dict[str, Callable[[str], str]] = {"as written": str, "capitals": str.upper, "lower case": str.lower}


class Case(NamedTuple):
    """One text, its class, and the half-open places of what is private in it."""

    kind: str
    text: str
    places: tuple[tuple[int, int], ...]


class Person(NamedTuple):
    """A made-up person; ``word`` where a part of the name is an everyday word."""

    first: str
    last: str
    word: bool = False

    def forms(self) -> dict[str, str]:
        """How a template may write the name."""
        first, last = self.first, self.last
        return {
            "first": first, "last": last, "full": f"{first} {last}", "reversed": f"{last}, {first}",
            "initial": f"{first[0]}. {last}", "lower": last.lower(), "first_lower": first.lower(),
            "upper": last.upper(), "plural": f"{last}s", "login": f"{last.lower()}_{first[0].lower()}",
            "glued": f"{first[0].lower()}{last.lower()}", "dotted": f"{first.lower()}.{last.lower()}",
            "camel": f"{first}{last}", "plus": f"{first}+{last}",
        }  # fmt: skip


class Names(NamedTuple):
    """Templates for persons. ``words``: the cases for names that are everyday words, which a lower case hides."""

    kind: str
    templates: tuple[str, ...]
    cases: tuple[str, ...] = ("as written", "capitals", "lower case")
    words: tuple[str, ...] = ("as written",)


class Values(NamedTuple):
    """Values of a class and the contexts in which each of them stands."""

    kind: str
    values: tuple[str, ...]
    templates: tuple[str, ...]
    cases: tuple[str, ...] = ("as written", "capitals", "lower case")


def filled(kind: str, template: str, forms: dict[str, str], case: str) -> Case:
    """The template with every hole filled, in a case."""
    parts, places, length, done = list[str](), list[tuple[int, int]](), 0, 0
    for hole in _HOLE.finditer(template):
        between, value = _literal(template[done : hole.start()]), forms[hole[1]]
        places.append((length + len(between), length + len(between) + len(value)))
        parts += [between, value]
        length, done = places[-1][1], hole.end()
    text = CASES[case]("".join([*parts, _literal(template[done:])]))
    return Case(kind, text, tuple(places))


def _literal(text: str) -> str:
    return text.replace("{{", "{").replace("}}", "}")


def cases_of(people: Iterable[Person], names: Iterable[Names], values: Iterable[Values]) -> Iterator[Case]:
    """Every template with everything that fits into it, each text once."""
    persons, seen = list(people), set[str]()
    for group in names:
        for template in group.templates:
            for person in persons:
                for case in group.words if person.word else group.cases:
                    made = filled(group.kind, template, person.forms(), case)
                    if made.text not in seen:
                        seen.add(made.text)
                        yield made
    for kind in values:
        for number, value in enumerate(kind.values):
            for offset in range(9 // len(kind.cases)):  # all contexts are used, in turn
                template = kind.templates[(number + offset) % len(kind.templates)]
                for case in kind.cases:
                    made = filled(kind.kind, template, {"value": value}, case)
                    if made.text not in seen:
                        seen.add(made.text)
                        yield made
