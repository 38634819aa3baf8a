"""A form is silent only if every value of its domain may bring it: computed for each kind over its whole domains.

An author writes dates, names or amounts in one manner: months in short, titles with capitals, numbers without commas.
The manners below are such habits. What an author's manner makes of a value must be read as one form, whichever value
it is: otherwise a form beside others shows which values it can be of, as "11 May" once did beside "4 Jan.".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal, get_args, get_origin, get_type_hints

import pytest

from sfumato.abstract.kind import Form, Kind, Reading
from sfumato.kinds.phrases.embedded import Numbered
from sfumato.kinds.registry import KINDS, kinds_of
from sfumato.language.en.grammar import titled

_WORD = re.compile(r"[^\W\d_]+")
_FORMS, _VALUES, _MANY = 5, 150, 20


def _short(text: str, longest: int = 3, stop: str = "") -> str:
    """Return ``text`` with words of more than ``longest`` letters cut to three, and a ``stop`` behind each."""
    return _WORD.sub(lambda word: word[0] if len(word[0]) <= longest else word[0][:3] + stop, text)


MANNERS: Mapping[str, Callable[[str], str]] = {
    "as it is": str,
    "capitals": str.upper,
    "small letters": str.lower,
    "one capital": lambda text: text[:1].upper() + text[1:],
    "one capital, then small letters": str.capitalize,
    "titles": titled,
    "all words with capitals": str.title,
    "the": lambda text: f"the {text}",
    "a or an": lambda text: f"{'an' if text[:1].lower() in 'aeiou' else 'a'} {text}",
    "possessive": lambda text: f"{text}'s",
    "possessive without an s behind s": lambda text: text + ("'" if text[-1:] in "sS" else "'s"),
    "plural": lambda text: f"{text}s",
    "short words": _short,
    "short words with a stop": lambda text: _WORD.sub(lambda word: f"{word[0][:3]}.", text),
    "long words short, as newspapers do": lambda text: _short(text, 5, "."),
    "without stops": lambda text: text.replace(".", ""),
    "without zeros in front": lambda text: re.sub(r"(?<![\d.,])0(?=\d)", "", text),
    "with zeros in front": lambda text: re.sub(r"(?<![\d.,:])(\d)(?!\d)", r"0\1", text),
    "without commas": lambda text: text.replace(",", ""),
    "blanks for commas": lambda text: re.sub(r"(?<=\d),(?=\d)", " ", text),
    "commas for points": lambda text: text.translate(str.maketrans(",.", ".,")),
    "no zero before a point": lambda text: re.sub(r"\b0\.", ".", text),
    "without hyphens": lambda text: text.replace("-", " "),
    "with hyphens": lambda text: text.replace(" ", "-"),
    "without and": lambda text: text.replace(" and ", " "),
    "round quotes": lambda text: text.replace("'", "’"),
    "about": lambda text: f"about {text}",
    "in": lambda text: f"in {text}",
    "last": lambda text: f"last {text}",
}


def _kinds() -> Iterator[Kind]:
    """Yield every kind of the table, and each with another choice of an option that has few."""
    for name, kind in kinds_of(Numbered()).items():
        yield kind
        for option, of in get_type_hints(KINDS[name]).items():
            choices = (True, False) if of is bool else get_args(of) if get_origin(of) is Literal else ()
            yield from (replace(kind, **{option: other}) for other in choices if other != getattr(kind, option))  # type: ignore[type-var]


ALL = tuple(_kinds())


def _values(kind: Kind, grain: str, most: int) -> Sequence[str]:
    """Return the values of a domain; of a large one about ``most``, evenly, and the first and last."""
    tokens = kind.vocabulary(grain).tokens
    step = max(1, len(tokens) // most)
    return tokens if step == 1 else (*tokens[:10], *tokens[10:-10:step], *tokens[-10:])


class _Reader(dict[str, Reading | None]):
    """How a kind reads each text; a text is read once, because most manners leave most texts as they are."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind

    def __missing__(self, text: str) -> Reading | None:
        self[text] = self.kind.read(text)
        return self[text]


def _written(kind: Kind, form: Form, values: Sequence[str]) -> dict[str, str]:
    written = {value: kind.write(value, form) for value in values}
    assert len(written) == len(values)
    return written


def _brought(read: _Reader, form: Form, manner: Callable[[str], str], written: Mapping[str, str]) -> Counter[Form]:
    """Return the forms of values that are written in ``form`` and in a manner, of those that are still read.

    A manner that most values cannot be read in is nobody's: "twe o'clo".
    """
    forms: Counter[Form] = Counter()
    for value, text in written.items():
        reading = read[manner(text)]
        if (
            reading is not None
            and reading.form.grain == form.grain
            and (reading.value == value or not read.kind.looks)
        ):
            forms[reading.form] += 1
    return forms if 2 * forms.total() > len(written) else Counter()


def _told(kind: Kind, grain: str) -> Iterator[tuple[Form, str, Counter[Form]]]:
    """Yield where a manner brings several forms, which tell values apart; forms that are found are tried too."""
    forms = [kind.public_form(grain)]
    few = len(kind.grains) > _MANY  # grids of numbers, which are written alike
    values = _values(kind, grain, 20 if few else _VALUES)
    read = _Reader(kind)
    for form in forms:
        written = _written(kind, form, values)
        for name, manner in MANNERS.items():
            brought = _brought(read, form, manner, written)
            if len(brought) > 1:
                yield form, name, brought
            forms += [new for new in brought if new not in forms and len(forms) < (2 if few else _FORMS)]


@pytest.mark.parametrize("kind", ALL, ids=repr)
def test_a_manner_of_writing_brings_one_form_whatever_the_value(kind: Kind) -> None:
    assert not [told for grain in kind.grains for told in _told(kind, grain)]


@pytest.mark.parametrize("kind", ALL, ids=repr)
def test_every_value_of_every_domain_brings_the_public_form(kind: Kind) -> None:
    """Another choice of an option changes how a date is written, and not which: 5,000 days of 54,787 show it."""
    whole = 100_000 if kind in kinds_of(Numbered()).values() else 5_000
    for grain in kind.grains:
        form = kind.public_form(grain)
        values = _values(kind, grain, 500 if len(kind.grains) > _MANY else whole)
        assert _brought(_Reader(kind), form, str, _written(kind, form, values)) == {form: len(values)}


@pytest.mark.parametrize("kind", ALL, ids=repr)
def test_many_manners_are_read(kind: Kind) -> None:
    """So that the first test sees something: a reader of nothing would pass it."""
    form = kind.public_form(kind.grains[0])
    read, written = _Reader(kind), _written(kind, form, _values(kind, form.grain, 50))
    assert sum(bool(_brought(read, form, manner, written)) for manner in MANNERS.values()) >= 8


def test_these_are_all_kinds_with_their_choices() -> None:
    assert {kind.name for kind in ALL} == set(KINDS)
    assert len(ALL) > len(KINDS)
