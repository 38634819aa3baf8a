"""The texts of a request where they are: alone, as keys and leaves of a tree, or as JSON inside a string."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sfumato.errors import InputError


class RefusedError(InputError):
    """A request that cannot be sanitized as a whole, so that nothing of it is sent."""


class OtherLanguageError(RefusedError):
    """A request with a text in another language than those that the policy reads, which it refuses."""


@dataclass
class Slot:
    """A text of a request, or a tree of them: where it is, and how it is written there. PRIVATE.

    ``is_json`` says that the tree is written inside a string. Texts in ``passing`` are words of a program.
    ``is_said`` says that the model wrote it.
    """

    holder: Any
    key: Any
    value: Any = field(repr=False)
    is_json: bool = False
    is_tree: bool = False
    passing: frozenset[str] = frozenset()
    is_said: bool = False

    @property
    def texts(self) -> list[str]:
        """Return the texts of the slot: one, or the keys and leaves of its tree."""
        return [text for text in leaves(self.value) if text not in self.passing]

    def put(self, made: Mapping[str, str]) -> None:
        """Put what was ``made`` of its texts in their place. Raise RefusedError if two keys become one."""
        if self.is_json and all(made[text] == text for text in self.texts):
            return  # as it was written
        mapped = _mapped(self.value, lambda text: text if text in self.passing else made[text])
        self.holder[self.key] = json.dumps(mapped, ensure_ascii=False) if self.is_json else mapped


def digest(value: Any) -> str:
    """Return what a signed part is known by."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()


def parsed(body: bytes) -> dict[str, Any]:
    """Return the object that ``body`` holds. Raise RefusedError for anything else, and for a key given twice."""
    try:
        value = json.loads(body.decode("utf-8"), object_pairs_hook=once, parse_constant=no_number)
        json.dumps(value, allow_nan=False, ensure_ascii=False).encode()  # what cannot be sent on is told now
    except (ValueError, RecursionError):
        raise RefusedError("The body is not one JSON object in UTF-8, with every key once.") from None
    if not isinstance(value, dict):
        raise RefusedError("The body is not a JSON object.")
    return value


def once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of ``pairs``. Raise ValueError for a key that is there twice."""
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError
    return made


def no_number(_: str) -> Any:
    """Refuse NaN and the infinities, which are no JSON."""
    raise ValueError


def leaves(value: Any) -> Iterator[str]:
    """Yield the keys, the texts and the numbers of a tree. Raise RefusedError for what is no JSON."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str) or is_number(each):
            yield str(each)
        elif isinstance(each, dict) and all(isinstance(key, str) for key in each):
            waiting += [*each.values(), *each]
        elif isinstance(each, list):
            waiting += reversed(each)
        elif each is not None and not isinstance(each, bool):
            raise RefusedError("The request holds a value that is no JSON; nobody can look at it.")


def is_number(value: Any) -> bool:
    """Return whether ``value`` is a number of JSON."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _mapped(value: Any, made: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return made(value)
    if is_number(value):
        return value if made(str(value)) == str(value) else _number(made(str(value)))
    if isinstance(value, dict):
        mapped = {made(key): _mapped(each, made) for key, each in value.items()}
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
