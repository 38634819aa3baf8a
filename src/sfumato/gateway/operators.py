"""Presidio's `/anonymize`: entities that a client names are replaced, masked, hashed, removed or kept."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from sfumato.gateway.asking import LIST, OBJECT, STRING, TRUTH, WHOLE, Asked
from sfumato.gateway.slots import RefusedError

_MOST = 100_000


@dataclass(frozen=True)
class Entity:
    """A stretch of a text and the type of what it holds."""

    start: int
    end: int
    type: str
    score: float = 1.0

    @classmethod
    def of(cls, told: Any, length: int, number: int) -> Entity:
        """Return what a client ``told``. Raise RefusedError, also for bounds outside a text of this ``length``."""
        place = f"analyzer_results[{number}]"
        asked = Asked(told, "start end entity_type score analysis_explanation recognition_metadata", place)
        start, end = asked.of("start", WHOLE), asked.of("end", WHOLE)
        if not 0 <= start < end <= length:
            raise RefusedError(f"{place} lies outside the text, or is empty; offsets count characters.")
        score = told.get("score")
        if score is not None and (isinstance(score, bool) or not isinstance(score, int | float)):
            raise RefusedError(f"{place} has a score that is no number.")
        return cls(start, end, asked.of("entity_type", STRING), 1.0 if score is None else float(score))

    def holds(self, other: Entity) -> bool:
        """Return whether ``other`` lies inside."""
        return self.start <= other.start and other.end <= self.end


Operator = Callable[[str, str], str]
"""From the type and the text of an entity to what is put in."""


def anonymize(body: dict[str, Any]) -> dict[str, Any]:
    """Return the text with every entity treated, and where each is in it. Raise RefusedError."""
    asked = Asked(body, "text analyzer_results anonymizers")
    text, results = asked.of("text", STRING), asked.of("analyzer_results", LIST)
    if len(results) > _MOST:
        raise RefusedError(f"analyzer_results holds more than {_MOST:,} entities; send fewer.")
    salt = secrets.token_hex(16)  # one request gives one value one hash, and another request another
    chosen = {name: _operator(given, salt) for name, given in asked.of("anonymizers", OBJECT, {}).items()}
    usual = chosen.get("DEFAULT", ("replace", _replaced("")))
    pieces, items, done, length = list[str](), list[dict[str, Any]](), 0, 0
    for entity in disjoint(text, [Entity.of(told, len(text), number) for number, told in enumerate(results)]):
        name, operator = chosen.get(entity.type, usual)
        made = operator(entity.type, text[entity.start : entity.end])
        length += entity.start - done
        pieces += [text[done : entity.start], made]
        items.append(
            {
                "start": length, "end": length + len(made), "entity_type": entity.type, "text": made,
                "operator": name,
            }
        )  # fmt: skip
        length, done = length + len(made), entity.end
    return {"text": "".join([*pieces, text[done:]]), "items": items[::-1]}


def disjoint(text: str, entities: list[Entity]) -> list[Entity]:
    """Return ``entities`` from left to right, none over another, so that together they cover the same characters.

    As in Presidio, one inside another goes, of two at one place that with the lower score, and neighbours of a type
    with only blanks between are one. Of two that overlap, the first ends where the second begins.
    """
    kept = list[Entity]()
    for entity in sorted(entities, key=lambda each: (each.start, -each.end, -each.score)):
        last = kept[-1] if kept else None
        if last is not None and last.holds(entity):
            continue
        if last is not None and last.type == entity.type and not text[last.end : entity.start].strip():
            kept[-1] = replace(last, end=entity.end)
            continue
        if last is not None and entity.start < last.end:
            kept[-1] = replace(last, end=entity.start)
        kept.append(entity)
    return kept


def _operator(given: Any, salt: str) -> tuple[str, Operator]:
    """Return the operator that a client chose, with its name. Raise RefusedError."""
    place = "An anonymizer"
    kind = given.get("type") if isinstance(given, dict) else None
    make = _OPERATORS.get(kind) if isinstance(kind, str) else None
    if kind in ("encrypt", "custom"):
        raise RefusedError(
            f"The operator {kind} is not offered: a key or code that travels with a request opens every text; let "
            "the gateway's pseudonyms be restored instead."
        )
    if make is None:
        raise RefusedError(f"{place} has no type that the server knows: {', '.join(OPERATORS)}.")
    keys, build = make
    return str(kind), build(Asked(given, f"type {keys}", place), salt)


def _replaced(value: str) -> Operator:
    return lambda kind, _: value or f"<{kind}>"


def _replace(asked: Asked, _: str) -> Operator:
    return _replaced(asked.of("new_value", STRING, ""))


def _mask(asked: Asked, _: str) -> Operator:
    sign, most, from_end = (
        asked.of("masking_char", STRING),
        asked.of("chars_to_mask", WHOLE),
        asked.of("from_end", TRUTH),
    )
    if len(sign) != 1 or most < 0:
        raise RefusedError("mask needs one masking_char, and chars_to_mask of 0 or more.")

    def masked(_: str, text: str) -> str:
        hidden: str = sign * min(most, len(text))
        return text[: len(text) - len(hidden)] + hidden if from_end else hidden + text[len(hidden) :]

    return masked


def _hash(asked: Asked, salt: str) -> Operator:
    kind, own = asked.of("hash_type", STRING, "sha256"), asked.of("salt", STRING, salt)
    if kind not in ("sha256", "sha512"):
        raise RefusedError("hash_type is sha256 or sha512.")
    if len(own) < _LEAST_SALT:
        raise RefusedError(f"A salt has {_LEAST_SALT} characters or more; leave it out for a random one.")
    digest = hashlib.sha256 if kind == "sha256" else hashlib.sha512
    return lambda _, text: digest((own + text).encode("utf-8", "surrogatepass")).hexdigest()


_LEAST_SALT = 16
_OPERATORS: Mapping[str, tuple[str, Callable[[Asked, str], Operator]]] = {
    "replace": ("new_value", _replace),
    "mask": ("masking_char chars_to_mask from_end", _mask),
    "hash": ("hash_type salt", _hash),
    "redact": ("", lambda *_: lambda *_: ""),
    "keep": ("", lambda *_: lambda _, text: text),
}
OPERATORS = tuple(_OPERATORS)
