"""Which mechanism a kind of value can take, and in which unit its ε is."""

from __future__ import annotations

from typing import NamedTuple

from sfumato.registry import TOKENS, methods

GEOMETRIC, INDEPENDENT, SHIFT = "geometric", "independent", "shift"
OF_VALUES = (GEOMETRIC, INDEPENDENT, SHIFT)
"""Mechanisms over values, beside the registry's mechanisms over tokens."""


class Traits(NamedTuple):
    """What decides how a kind can be treated.

    Attributes:
        unit: What a distance of 1 is; empty for a distance between embeddings, or for none.
        on_a_line: Whether its values have an order and a distance along it.
        has_distance: Whether some values are nearer than others.
    """

    unit: str = ""
    on_a_line: bool = False
    has_distance: bool = True


KINDS: dict[str, Traits] = {
    "DATE": Traits("day", on_a_line=True),
    "TIME": Traits("minute"),  # around the clock
    "DURATION": Traits("e-fold", on_a_line=True),
    "AGE": Traits("year", on_a_line=True),
    "PLACE": Traits("km"),
    "MONEY": Traits("e-fold", on_a_line=True),
    "QUANTITY": Traits("e-fold", on_a_line=True),
    "NUMBER": Traits("e-fold", on_a_line=True),
    **dict.fromkeys(("PERSON", "ORGANIZATION", "OCCUPATION", "GROUP", "HEALTH", "WORD"), Traits()),
    **dict.fromkeys(("CODE", "PHONE", "EMAIL", "URL", "IP"), Traits(has_distance=False)),
}
"""Every kind of value, by name."""

PER_UNIT = frozenset({GEOMETRIC, SHIFT, "santext", "santext+", "fbdd", "vickrey", "tem"})
"""Mechanisms whose ε is per unit of the kind's own distance. The others have a distance of their own, or none."""


def mechanisms() -> tuple[str, ...]:
    """Return every mechanism that a policy can name, those of other packages too."""
    return tuple(dict.fromkeys([*OF_VALUES, *methods(TOKENS)]))


def unsuitable(kind: str, mechanism: str) -> str:
    """Return why ``kind`` cannot take ``mechanism``: the end of a sentence, or nothing if it can."""
    traits = KINDS[kind]
    if mechanism == INDEPENDENT:
        return ""
    if mechanism == SHIFT:
        return "" if kind == "DATE" else "only dates can be shifted together"
    if not traits.has_distance:
        return f"no {kind} is nearer to it than another; take {INDEPENDENT} or a method"
    if mechanism.endswith("+") and kind != "WORD":
        return "it keeps frequent words, and only words are frequent"
    if mechanism == GEOMETRIC and not traits.on_a_line:
        return "its values do not lie on a line; take santext"
    return ""
