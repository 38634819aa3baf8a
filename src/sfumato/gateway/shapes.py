"""What a request may hold: a shape for every value, and a refusal for what has none.

A shape says of each value whether it passes, is text that is sanitized, JSON inside a string, or a tree of texts. A
key, a type of part or a value that no shape names is refused, because it may carry text that nobody looked at.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from typing import Any

from sfumato.gateway.settings import Settings
from sfumato.gateway.slots import RefusedError, Slot, digest, is_number, no_number, once

_NAME = re.compile(r"[\w.:/+=-]{1,512}", re.ASCII)
_TELEPHONE = re.compile(r"[+(]?\d[\d.()-]{6,}", re.ASCII)
_KEY = re.compile(r"[\w.$-]{1,64}", re.ASCII)
_OF_SCHEMAS = frozenset({
    "type", "properties", "required", "items", "description", "title", "enum", "const", "default", "examples",
    "additionalProperties", "anyOf", "oneOf", "allOf", "not", "$ref", "$defs", "$schema", "definitions",
    "format", "pattern", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems",
    "strict", "string", "number", "integer", "boolean", "object", "array", "null", "date", "date-time", "time",
    "email", "uri", "uuid", "syntax", "definition", "grammar", "lark", "regex", "text",
})  # fmt: skip
"""Words of JSON schemas, which are no values."""
_MOST_NUMBER = 10_000_000
_ROLES = ("system", "developer", "user", "assistant", "tool", "function")


@dataclass
class Walk:
    """A walk through a request, which collects the texts.

    Attributes:
        images: Whether images pass.
        signed: Digests of the upstream's own parts.
        most_texts: How many different texts there may be.
        most_characters: How long a text may be.
        slots: Where the texts are.
        names: Names of a program, which pass, each with a place where it is.
        is_said: Whether the model wrote what is looked at now.
    """

    images: bool = False
    signed: Container[str] = frozenset()
    most_texts: int = 10_000
    most_characters: int = 500_000
    slots: list[Slot] = field(default_factory=list, repr=False)
    names: dict[str, str] = field(default_factory=dict, repr=False)
    is_said: bool = False

    @classmethod
    def by(cls, settings: Settings, signed: Container[str] = frozenset()) -> Walk:
        """Return a walk by the ``settings`` of a server."""
        return cls(settings.images, signed, settings.most_texts, settings.most_characters)

    @property
    def texts(self) -> list[str]:
        """Return the different texts. Raise RefusedError for too many, or for one that is too long."""
        found = dict[str, None]()
        for text in (text for slot in self.slots for text in slot.texts):
            if len(text) > self.most_characters:
                raise RefusedError(
                    f"A text of the request has more than {self.most_characters:,} characters; send it in parts."
                )
            found[text] = None
            if len(found) > self.most_texts:
                raise RefusedError(f"The request holds more than {self.most_texts:,} different texts; send fewer.")
        return list(found)

    def add(self, holder: Any, key: Any, is_json: bool = False) -> None:
        """Note that there is a text."""
        value = holder[key]
        if is_json:
            try:
                value = json.loads(value, object_pairs_hook=once, parse_constant=no_number)
            except (ValueError, RecursionError):
                value, is_json = holder[key], False  # what a client cut off is a text
        self.slots.append(Slot(holder, key, value, is_json, is_said=self.is_said))


class Shape:
    """What a value may be. :meth:`look` refuses what it may not be, and notes the texts."""

    def look(self, walk: Walk, holder: Any, key: Any, place: str) -> None:
        """Look at ``holder[key]``, which is at ``place``."""
        raise NotImplementedError


class _Scalar(Shape):
    """A number, a truth value, nothing, or a name such as that of a model."""

    def look(self, walk: Walk, holder: Any, key: Any, place: str) -> None:
        value = holder[key]
        if isinstance(value, str):
            walk.names[value] = place
            wrong = bool(value) and (not _NAME.fullmatch(value) or _TELEPHONE.fullmatch(value) is not None)
        else:
            wrong = isinstance(value, dict | list) or (is_number(value) and abs(value) > _MOST_NUMBER)
        if wrong:
            raise RefusedError(f"{place} is not what the gateway knows there: a number up to ten million, or a name.")


class _Role(Shape):
    """Who says a message."""

    def look(self, walk: Walk, holder: Any, key: Any, place: str) -> None:
        if holder[key] not in _ROLES:
            raise RefusedError(f"{place} is not a role that the gateway knows: {', '.join(_ROLES)}.")


class _Text(Shape):
    def look(self, walk: Walk, holder: Any, key: Any, place: str) -> None:
        if isinstance(holder[key], str):
            walk.add(holder, key)
        elif holder[key] is not None:
            raise RefusedError(f"{place} is not a text.")


class _JsonText(Shape):
    def look(self, walk: Walk, holder: Any, key: Any, place: str) -> None:
        if isinstance(holder[key], str):
            walk.add(holder, key, is_json=True)
        elif holder[key] is not None:
            raise RefusedError(f"{place} is not JSON in a string.")


class _Tree(Shape):
    """Any JSON: every text, every number and every key in it is looked at."""

    def look(self, walk: Walk, holder: Any, key: Any, place: str) -> None:
        if holder[key] is not None:
            walk.slots.append(Slot(holder, key, holder[key], is_tree=True, is_said=walk.is_said))


class _Schema(_Tree):
    """A JSON schema: names of its types and formats pass, and all else in it is looked at."""

    def look(self, walk: Walk, holder: Any, key: Any, place: str) -> None:
        if holder[key] is not None:
            walk.slots.append(Slot(holder, key, holder[key], is_tree=True, passing=_OF_SCHEMAS))


class _Signed(Shape):
    """What the upstream signed: it passes as it is, if it is known to be the upstream's own."""

    def look(self, walk: Walk, holder: Any, key: Any, place: str) -> None:
        if digest(holder[key]) not in walk.signed:
            raise RefusedError(
                f"{place} is signed, cannot be sanitized, and was not passed on by this gateway before; leave it out."
            )


class _Replaced(Shape):
    """What a dialect replaces before anything is sent, such as the name of a user."""

    def look(self, walk: Walk, holder: Any, key: Any, place: str) -> None:
        if isinstance(holder[key], dict | list):
            raise RefusedError(f"{place} is not a name.")


@dataclass(frozen=True)
class Fields(Shape):
    """An object with these keys, and no others."""

    shapes: Mapping[str, Shape]

    def look(self, walk: Walk, holder: Any, key: Any, place: str) -> None:
        """Look at each field; refuse an unknown key."""
        value = holder[key]
        if value is None:
            return
        if not isinstance(value, dict):
            raise RefusedError(f"{place} is not an object.")
        before, walk.is_said = walk.is_said, walk.is_said or value.get("role") == "assistant"
        for name in list(value):
            if name not in self.shapes:
                shown = f"the key {name!r}" if _KEY.fullmatch(name) else "a key"
                raise RefusedError(
                    f"{place or 'the request'} has {shown}, which the gateway does not know; leave it out."
                )
            self.shapes[name].look(walk, value, name, f"{place}.{name}" if place else name)
        walk.is_said = before


@dataclass(frozen=True)
class Said(Shape):
    """What the model wrote, where no role says so."""

    shape: Shape

    def look(self, walk: Walk, holder: Any, key: Any, place: str) -> None:
        """Look at the value."""
        before, walk.is_said = walk.is_said, True
        self.shape.look(walk, holder, key, place)
        walk.is_said = before


@dataclass(frozen=True)
class Each(Shape):
    """A list of values of one shape."""

    shape: Shape

    def look(self, walk: Walk, holder: Any, key: Any, place: str) -> None:
        """Look at each value."""
        value = holder[key]
        if value is None:
            return
        if not isinstance(value, list):
            raise RefusedError(f"{place} is not a list.")
        for number in range(len(value)):
            self.shape.look(walk, value, number, f"{place}[{number}]")


@dataclass(frozen=True)
class ByType(Shape):
    """An object whose ``type`` decides its shape; ``usual`` is that of one without a type."""

    shapes: Mapping[str, Shape]
    usual: str = ""

    def look(self, walk: Walk, holder: Any, key: Any, place: str) -> None:
        """Look at the object by its type; refuse an unknown one."""
        value = holder[key]
        if not isinstance(value, dict):
            raise RefusedError(f"{place} is not an object.")
        kind = value.get("type", self.usual)
        shape = self.shapes.get(kind) if isinstance(kind, str) else None
        if shape is None:
            shown = f"type {kind!r}" if isinstance(kind, str) and _KEY.fullmatch(kind) else "a type"
            raise RefusedError(f"{place} is of {shown}, which the gateway cannot sanitize; leave it out.")
        shape.look(walk, holder, key, place)


@dataclass(frozen=True)
class Either(Shape):
    """A text, or else a list or an object of another shape."""

    text: Shape
    other: Shape

    def look(self, walk: Walk, holder: Any, key: Any, place: str) -> None:
        """Look at the value by what it is."""
        (self.other if isinstance(holder[key], dict | list) else self.text).look(walk, holder, key, place)


SCALAR, TEXT, JSON_TEXT, TREE, SCHEMA, SIGNED, REPLACED, ROLE = (
    _Scalar(), _Text(), _JsonText(), _Tree(), _Schema(), _Signed(), _Replaced(), _Role(),
)  # fmt: skip


def fields(**shapes: Shape) -> Fields:
    """Return an object with these keys."""
    return Fields(shapes)


def scalars(names: str) -> dict[str, Shape]:
    """Return the shape of a number or a name for each of ``names``, with blanks between."""
    return dict.fromkeys(names.split(), SCALAR)
