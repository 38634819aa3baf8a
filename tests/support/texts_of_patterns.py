"""Texts that regular expressions match, drawn by a seed: a thousand of them cost what hypothesis needs for ten."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from random import Random
from re import _constants as code  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

_ANY = "aZ09 _-.,:;'’\"()/\t\u00a0éßΩ١\U0001d7d9"
_CLASSES = {
    code.CATEGORY_DIGIT: r"\d", code.CATEGORY_NOT_DIGIT: r"\D", code.CATEGORY_SPACE: r"\s",
    code.CATEGORY_NOT_SPACE: r"\S", code.CATEGORY_WORD: r"\w", code.CATEGORY_NOT_WORD: r"\W",
}  # fmt: skip
_REPEATS = (code.MAX_REPEAT, code.MIN_REPEAT, code.POSSESSIVE_REPEAT)
_MORE = (0, 0, 1, 1, 2, 3, 20)
"""How many more times than it must a repeated part stands, where it may."""


def texts_of(shapes: Iterable[re.Pattern[str]], count: int = 400) -> list[str]:
    """Return ``count`` texts, or more, that the ``shapes`` match, sensible or not: as many of each, in all cases."""
    chosen, random, texts = list(shapes), Random(0), list[str]()
    for shape in chosen:
        tree, wanted = parser.parse(shape.pattern, shape.flags), -(-count // len(chosen))
        cases: list[Callable[[str], str]] = [str]
        if shape.flags & re.IGNORECASE:
            cases += [str.upper, str.lower, str.title, lambda text: "".join(map(random.choice, _both(text)))]
        drawn = (random.choice(cases)(_Drawing(random, shape.flags).of(tree)) for _ in range(100 * wanted))
        matching = (text for text in drawn if shape.fullmatch(text))
        found = [text for text, _ in zip(matching, range(wanted), strict=False)]
        assert found, shape.pattern
        texts += found
    return texts


def _both(text: str) -> list[tuple[str, str]]:
    return [(letter.lower(), letter.upper()) for letter in text]


class _Drawing:
    """One text of a parsed pattern; what it looks at around itself is not drawn, so it may not match."""

    def __init__(self, random: Random, flags: int) -> None:
        self.random, self.flags, self.groups = random, flags & re.ASCII, dict[int, str]()

    def of(self, tree: Any) -> str:
        return "".join(self._part(*part) for part in tree)

    def _part(self, kind: Any, value: Any) -> str:
        if kind is code.LITERAL:
            return chr(value)
        if kind in (code.IN, code.NOT_LITERAL, code.ANY):
            return self._sign(value if kind is code.IN else [(code.NEGATE, None), (code.LITERAL, value or ord("\n"))])
        if kind is code.BRANCH:
            return self.of(self.random.choice(value[1]))
        if kind in _REPEATS:
            least, most, inner = value
            return "".join(self.of(inner) for _ in range(min(int(most), least + self.random.choice(_MORE))))
        if kind is code.SUBPATTERN:
            group, inner = value[0], self.of(value[3])
            self.groups[group] = inner
            return inner
        if kind is code.ATOMIC_GROUP:
            return self.of(value)
        if kind is code.GROUPREF:
            return self.groups.get(value, "")
        assert kind in (code.AT, code.ASSERT, code.ASSERT_NOT), kind
        return ""

    def _sign(self, items: Any) -> str:
        """One sign of a set; a set of all but some, or of a class, is drawn from a few signs of every sort."""
        if items[0][0] is code.NEGATE:
            return self.random.choice(
                [sign for sign in _ANY if not any(self._has(*item, sign) for item in items[1:])]
            )
        kind, value = self.random.choice(items)
        if kind is code.CATEGORY:
            return self.random.choice([sign for sign in _ANY if self._has(kind, value, sign)])
        return chr(value if kind is code.LITERAL else self.random.randint(*value))

    def _has(self, kind: Any, value: Any, sign: str) -> bool:
        if kind is code.CATEGORY:
            return re.match(_CLASSES[value], sign, self.flags) is not None
        return ord(sign) == value if kind is code.LITERAL else value[0] <= ord(sign) <= value[1]
