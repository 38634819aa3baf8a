"""Sentences by templates: a small language of slots, choices and inclusions, split into a train and a held part.

A file ``lists/LANGUAGE_*.txt`` holds sections. A line ``# NAME`` begins one, every further line is a template:

    {date}            a value that a function makes, or a line of the section of that name
    {p.family}        a form of a value: here the family name of the person ``p`` of this text
    {=DATE!:1998}     words marked as they stand; ``!`` says that they tell nobody apart (also: {country!})
    [a|b|]            one of these
    {@history*2-4}    two to four templates of a section, joined by spaces (``*``), lines (``+``) or bullets (``-``)
    \\n, \\t            a new line, a tab; ``\\`` before a bracket, brace or bar takes it as it is

``# NAME LABEL`` marks each line with a label, ``# NAME LABEL!`` as telling nobody apart; ``# NAME ~`` gives the
lines to both parts, ``# NAME /2`` gives half of them to the held part instead of a fifth.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

LISTS = Path(__file__).with_name("lists")
EVERYWHERE = "any"
Part = Literal["train", "held"]


@dataclass(frozen=True)
class Slot:
    """A value: its name, its form, and whether it is forced to tell nobody apart."""

    name: str
    form: str
    telling: bool


@dataclass(frozen=True)
class Literally:
    """Words that are marked as they stand."""

    label: str
    telling: bool
    words: str


@dataclass(frozen=True)
class Include:
    """Some templates of another section."""

    section: str
    least: int
    most: int
    joint: str


@dataclass(frozen=True)
class Choice:
    """One of several ways on."""

    ways: tuple[tuple[Node, ...], ...]


Node = str | Slot | Literally | Include | Choice


@dataclass(frozen=True)
class Line:
    """A template: its identifier, the same for ever, and what it says."""

    identifier: str
    nodes: tuple[Node, ...]
    text: str


@dataclass(frozen=True)
class Section:
    """The templates of one name, for each part, and the label of each line if the lines are values."""

    name: str
    label: str | None
    telling: bool
    lines: dict[Part, tuple[Line, ...]]


def digest(text: str) -> int:
    """Return a number that depends on ``text`` alone."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=6).digest())


def part_of(text: str, held_one_in: int = 5) -> Part:
    """Return the part that ``text`` belongs to, in whatever case it is written."""
    return "held" if digest(text.casefold()) % held_one_in == 0 else "train"


_SECTION = re.compile(r"# (\S+)(?: ([A-Z]+)(!?))?( ~)?(?: /(\d))?$")
_INCLUDE = re.compile(r"@(\S+?)(?:([*+-])(\d+)(?:-(\d+))?)?$")
_JOINTS = {None: "", "*": " ", "+": "\n", "-": "\n- "}


def parsed(text: str) -> tuple[Node, ...]:
    """Read one template."""
    text = text.replace("\\n", "\n").replace("\\t", "\t")
    nodes, rest = _read(text, 0, inside=False)
    if rest != len(text):
        raise ValueError(f"a bracket too many in the template {text!r}")
    return nodes


def _read(text: str, place: int, inside: bool) -> tuple[tuple[Node, ...], int]:
    nodes: list[Node] = []
    plain = ""
    while place < len(text) and not (inside and text[place] in "|]"):
        sign = text[place]
        if sign == "\\" and place + 1 < len(text):
            plain += text[place + 1]
            place += 2
        elif sign == "[":
            if plain:
                nodes.append(plain)
                plain = ""
            ways = []
            while True:
                way, place = _read(text, place + 1, inside=True)
                ways.append(way)
                if place >= len(text):
                    raise ValueError(f"a bracket is not closed in the template {text!r}")
                if text[place] == "]":
                    break
            nodes.append(Choice(tuple(ways)))
            place += 1
        elif sign == "{" and text[place + 1 : place + 2] != '"':
            end = text.index("}", place)
            if plain:
                nodes.append(plain)
                plain = ""
            nodes.append(_slot(text[place + 1 : end]))
            place = end + 1
        else:
            plain += sign
            place += 1
    if plain:
        nodes.append(plain)
    return tuple(nodes), place


def _slot(inner: str) -> Node:
    if inner.startswith("="):
        label, _, words = inner[1:].partition(":")
        return Literally(label.rstrip("!"), not label.endswith("!"), words)
    if inner.startswith("@"):
        match = _INCLUDE.match(inner)
        if not match:
            raise ValueError(f"{{{inner}}} is no inclusion")
        section, sign, least, most = match.groups()
        return Include(section, int(least or 1), int(most or least or 1), _JOINTS[sign])
    name, _, form = inner.rstrip("!").partition(".")
    return Slot(name, form, not inner.endswith("!"))


@cache
def sections(language: str) -> dict[str, Section]:
    """Return the sections of a language by name."""
    found: dict[str, tuple[str | None, bool, int, list[str]]] = {}
    for path in sorted(LISTS.glob(f"{language}_*.txt")):
        name = ""
        for line in path.read_text(encoding="utf-8").splitlines():
            if not line.strip():
                continue
            if line.startswith("# "):
                match = _SECTION.match(line)
                if not match:
                    raise ValueError(f"{path.name}: {line!r} is no section")
                name, label, untelling, both, share = match.groups()
                if name in found:
                    raise ValueError(f"{path.name}: a second section {name}")
                found[name] = label, not untelling, 0 if both else int(share or 5), []
            elif found[name][0] or "." not in name:
                found[name][3].extend(value.strip() for value in line.split(";") if value.strip())
            else:
                found[name][3].append(line)
    return {name: _split(name, *section) for name, section in found.items()}


def _split(name: str, label: str | None, telling: bool, held_one_in: int, texts: list[str]) -> Section:
    """Split lines by their hashes; a part that would be empty gets the line of the smallest hash."""
    ordered = [Line(f"{digest(text):012x}", parsed(text), text) for text in dict.fromkeys(texts)]
    if not held_one_in or len(ordered) < 2:
        return Section(name, label, telling, {"train": tuple(ordered), "held": tuple(ordered)})
    held = [line for line in ordered if part_of(line.text, held_one_in) == "held"]
    first = min(ordered, key=lambda line: line.identifier)
    if not held:
        held = [first]
    elif len(held) == len(ordered):
        held.remove(first)
    kept = set(held)
    return Section(
        name, label, telling, {"train": tuple(line for line in ordered if line not in kept), "held": tuple(held)}
    )
