"""What a request may hold: a shape for every value, and a refusal for what has none.

A shape says of each value whether it passes, is text that is sanitized, JSON inside a string, or a tree of texts. A
key, a type of part or a value that no shape names is refused, because it may carry text that nobody looked at.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sfumato.errors import InputError

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
_MOST_TEXTS, _MOST_NUMBER = 20_000, 10_000_000


class RefusedError(InputError):
    """A request that cannot be sanitized as a whole, so that nothing of it is sent."""


@dataclass
class Slot:
    """A text of a request, or a tree of them: where it is, and how it is written there. PRIVATE.

    ``is_json`` says that the tree is written inside a string. Texts in ``passing`` are words of a program.
    """

    holder: Any
    key: Any
    value: Any = field(repr=False)
    is_json: bool = False
    is_tree: bool = False
    passing: frozenset[str] = frozenset()

    @property
    def texts(self) -> list[str]:
        """Return the texts of the slot: one, or the keys and leaves of its tree."""
        return [text for text in _leaves(self.value) if text not in self.passing]

    def put(self, made: Mapping[str, str]) -> None:
        """Put what was ``made`` of its texts in their place. Raise RefusedError if two keys become one."""
        if self.is_json and all(made[text] == text for text in self.texts):
            return  # as it was written
        mapped = _mapped(self.value, {**made, **dict(zip(self.passing, self.passing, strict=True))})
        self.holder[self.key] = json.dumps(mapped, ensure_ascii=False) if self.is_json else mapped


@dataclass
class Walk:
    """A walk through a request, which collects the texts."""

    slots: list[Slot] = field(default_factory=list)
    images: bool = False
    signed: Container[str] = frozenset()

    def add(self, holder: Any, key: Any, is_json: bool = False) -> None:
        """Note that there is a text."""
        value = holder[key]
        if is_json:
            try:
                value = json.loads(value, object_pairs_hook=_once, parse_constant=_no_number)
            except (ValueError, RecursionError):
                value, is_json = holder[key], False  # what a client cut off is a text
        self.slots.append(Slot(holder, key, value, is_json))
        if len(self.slots) > _MOST_TEXTS:
            raise RefusedError(f"The request holds more than {_MOST_TEXTS:,} texts; send fewer.")


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
            wrong = bool(value) and (not _NAME.fullmatch(value) or _TELEPHONE.fullmatch(value) is not None)
        else:
            wrong = isinstance(value, dict | list) or (_is_number(value) and abs(value) > _MOST_NUMBER)
        if wrong:
            raise RefusedError(f"{place} is not what the gateway knows there: a number up to ten million, or a name.")


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
            walk.slots.append(Slot(holder, key, holder[key], is_tree=True))


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


class _Image(Shape):
    """A picture, which nothing is found in: it passes if the gateway was told so."""

    def look(self, walk: Walk, holder: Any, key: Any, place: str) -> None:
        if not walk.images:
            raise RefusedError(
                f"{place} is an image, in which nothing is found; leave it out, or let images pass (images = true)."
            )


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
        for name in list(value):
            if name not in self.shapes:
                shown = f"the key {name!r}" if _KEY.fullmatch(name) else "a key"
                raise RefusedError(f"{place} has {shown}, which the gateway does not know; leave it out.")
            self.shapes[name].look(walk, value, name, f"{place}.{name}" if place else name)


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


SCALAR, TEXT, JSON_TEXT, TREE, SCHEMA, SIGNED, IMAGE, REPLACED = (
    _Scalar(), _Text(), _JsonText(), _Tree(), _Schema(), _Signed(), _Image(), _Replaced(),
)  # fmt: skip


def fields(**shapes: Shape) -> Fields:
    """Return an object with these keys."""
    return Fields(shapes)


def scalars(names: str) -> dict[str, Shape]:
    """Return the shape of a number or a name for each of ``names``, with blanks between."""
    return dict.fromkeys(names.split(), SCALAR)


def digest(value: Any) -> str:
    """Return what a signed part is known by."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()


def parsed(body: bytes) -> dict[str, Any]:
    """Return the object that ``body`` holds. Raise RefusedError for anything else, and for a key given twice."""
    try:
        value = json.loads(body.decode("utf-8"), object_pairs_hook=_once, parse_constant=_no_number)
        json.dumps(value, allow_nan=False, ensure_ascii=False).encode()  # what cannot be sent on is told now
    except (ValueError, RecursionError):
        raise RefusedError("The body is not one JSON object in UTF-8, with every key once.") from None
    if not isinstance(value, dict):
        raise RefusedError("The body is not a JSON object.")
    return value


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError
    return made


def _no_number(_: str) -> Any:
    raise ValueError


def _leaves(value: Any) -> list[str]:
    """Return the keys, the texts and the numbers of a tree."""
    if isinstance(value, str) or _is_number(value):
        return [str(value)]
    inner = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for each in inner for text in _leaves(each)]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _mapped(value: Any, made: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return made[value]
    if _is_number(value):
        return value if made[str(value)] == str(value) else _number(made[str(value)])
    if isinstance(value, dict):
        mapped = {made[key]: _mapped(each, made) for key, each in value.items()}
        if len(mapped) < len(value):
            raise RefusedError("Two keys of an object would become one; rename one of them.")
        return mapped
    return [_mapped(each, made) for each in value] if isinstance(value, list) else value


def _number(text: str) -> Any:
    """Return ``text`` as the number that it is, or else as text."""
    try:
        return int(text)
    except ValueError:
        return text
