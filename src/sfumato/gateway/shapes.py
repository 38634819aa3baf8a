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

_NAME = re.compile(r"[\w.:@/+=-]{1,512}", re.ASCII)
_KEY = re.compile(r"[\w.$-]{1,64}", re.ASCII)
_STRUCTURE = frozenset(
    {"type", "$ref", "$schema", "$id", "format", "pattern", "required", "additionalProperties", "strict"}
)
_MOST_TEXTS, _SHORT = 20_000, 5


class RefusedError(InputError):
    """A request that cannot be sanitized as a whole, so that nothing of it is sent."""


@dataclass
class Slot:
    """A text of a request: where it is, and how it is written there. PRIVATE."""

    holder: Any
    key: Any
    value: Any = field(repr=False)
    is_json: bool = False

    @property
    def texts(self) -> list[str]:
        """Return the texts of the slot: one, or the leaves of its JSON."""
        return _leaves(self.value)

    def put(self, made: Mapping[str, str]) -> None:
        """Put what was ``made`` of its texts in their place."""
        if not self.is_json:
            self.holder[self.key] = _mapped(self.value, made)
        elif any(made[text] != text for text in self.texts):
            self.holder[self.key] = json.dumps(_mapped(self.value, made), ensure_ascii=False)


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
                value = json.loads(value, object_pairs_hook=_once)
                _check_keys(value)
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
        if isinstance(value, dict | list) or (isinstance(value, str) and value and not _NAME.fullmatch(value)):
            raise RefusedError(f"{place} is not what the gateway knows there: a number or a name.")


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
    """Any JSON; every text in it is sanitized. Keys are part of a program."""

    def look(self, walk: Walk, holder: Any, key: Any, place: str) -> None:
        value = holder[key]
        if isinstance(value, str) or _long(value):
            walk.add(holder, key)
        elif isinstance(value, dict):
            for name in value:
                if not _KEY.fullmatch(name):
                    raise RefusedError(f"{place} has a key that is no name of a program, and may be text.")
                self.look(walk, value, name, place)
        elif isinstance(value, list):
            for number in range(len(value)):
                self.look(walk, value, number, place)


class _Schema(_Tree):
    """A JSON schema: its words about types pass, descriptions and examples are text."""

    def look(self, walk: Walk, holder: Any, key: Any, place: str) -> None:
        if key in _STRUCTURE and isinstance(holder, dict) and not isinstance(holder[key], dict):
            return
        super().look(walk, holder, key, place)


class _Signed(Shape):
    """What the upstream signed: it passes as it is, if it is known to be the upstream's own."""

    def look(self, walk: Walk, holder: Any, key: Any, place: str) -> None:
        if digest(holder[key]) not in walk.signed:
            raise RefusedError(
                f"{place} is signed, cannot be sanitized, and was not passed on by this gateway before; leave it out."
            )


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


SCALAR, TEXT, JSON_TEXT, TREE, SCHEMA, SIGNED, IMAGE = (
    _Scalar(), _Text(), _JsonText(), _Tree(), _Schema(), _Signed(), _Image(),
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


def _check_keys(value: Any) -> None:
    """Raise ValueError for a key that may be text."""
    if isinstance(value, dict):
        if not all(map(_KEY.fullmatch, value)):
            raise ValueError
        value = list(value.values())
    for each in value if isinstance(value, list) else ():
        _check_keys(each)


def _long(value: Any) -> bool:
    """Return whether ``value`` is a number that may be that of a person or an account."""
    return isinstance(value, int | float) and not isinstance(value, bool) and len(repr(value)) > _SHORT


def _leaves(value: Any) -> list[str]:
    if isinstance(value, str) or _long(value):
        return [str(value)]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for each in inner for text in _leaves(each)]


def _mapped(value: Any, made: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return made[value]
    if _long(value):
        return value if made[str(value)] == str(value) else made[str(value)]
    if isinstance(value, dict):
        return {key: _mapped(each, made) for key, each in value.items()}
    return [_mapped(each, made) for each in value] if isinstance(value, list) else value
