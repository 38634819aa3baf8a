"""What every kind of number or time must satisfy: checks that its test file calls with its own tables."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Sequence

from hypothesis import strategies as st

from sfumato.abstract.kind import Form, Kind, Reading

ODD = (
    *(
        "",
        " ",
        "\0",
        "\n",
        "{",
        "{number}",
        "{}",
        "\ud800",
        "\u202e11 January 2019",
        "١٢",
        "¼",
        "Ⅷ",
        "1e5",
        "-",
        "--5",
    ),
    *("twenty-", "-two", "0", "00", "1" * 18, "9" * 400, "1," * 99, "a " * 99, "twenty-" * 28, "the " * 49, "1\0"),
    *("1" * 10**6, " " * 10**6, "one hundred and " * 10**4, "11 January 2019\0", "5 \u212b", "5 \u212a"),
    # a long s is an s in another case
    *("five\u017f", "3 week\u017f", "5 kilometre\u017f", "five euro\u017f", "11 Augu\u017ft 2019", "\u017fixty"),
)
_PUBLIC_DIGITS = re.compile(
    r"(?:m|cm|mm|km)[23]|\b12(?:(?::|\.|\s*h\s*)00(?::00)?)?(?=\b|p|T|Z)|\+00:00", re.IGNORECASE
)


def forms_of(kind: Kind, texts: Iterable[str]) -> list[Form]:
    """Return the forms of ``texts`` and the public ones, without repeats."""
    readings = [kind.read(text) for text in texts]
    assert None not in readings
    forms = [reading.form for reading in readings if reading] + [kind.public_form(grain) for grain in kind.grains]
    return list(dict.fromkeys(forms))


def check_writing(kind: Kind, value: str, form: Form) -> None:
    """Reading is the inverse of writing for this value and form."""
    text = kind.write(value, form)
    assert kind.read(text) == Reading(value, form), (value, form, text)


def draw_value_and_form(kind: Kind, forms: Sequence[Form]) -> st.SearchStrategy[tuple[str, Form]]:
    """Return a strategy for a form and any value of its domain."""
    return st.sampled_from(forms).flatmap(
        lambda form: st.tuples(st.sampled_from(kind.vocabulary(form.grain).tokens), st.just(form))
    )


def check_small_domains(kind: Kind, forms: Sequence[Form], most: int = 2000) -> None:
    """The same for every value of every domain of at most ``most`` values."""
    for form in forms:
        tokens = kind.vocabulary(form.grain).tokens
        for value in tokens if len(tokens) <= most else tokens[:: len(tokens) // 50]:
            check_writing(kind, value, form)


def check_any_text(kind: Kind, text: str) -> None:
    """A text is unreadable, or its reading is of the domain and can be written, and shows no digit in its pattern."""
    reading = kind.read(text)
    if reading is not None:
        assert kind.vocabulary(reading.form.grain).find(reading.value) is not None
        assert not re.search("[0-9]", _PUBLIC_DIGITS.sub("", reading.form.style[0]))
        check_writing(kind, reading.value, reading.form)


def check_odd_texts(kind: Kind) -> None:
    """No text raises, and reading all of them takes a moment."""
    start = time.perf_counter()
    for text in ODD:
        check_any_text(kind, text)
    assert time.perf_counter() - start < 5.0


def domains(kind: Kind) -> Iterator[tuple[str, int]]:
    """Yield each grain and the size of its domain, after checks that hold for all of them."""
    for grain in kind.grains:
        start = time.perf_counter()
        vocabulary = kind.vocabulary(grain)
        assert time.perf_counter() - start < 2.0
        assert kind.vocabulary(grain) is vocabulary  # kept
        assert len(vocabulary) <= 100_000
        assert "(sfumato)" in vocabulary.provenance
        assert len(vocabulary.canonical) == len(set(vocabulary.canonical.tolist()))  # no two values at one place
        yield grain, len(vocabulary)
    assert kind.surrogate.value in kind.vocabulary(kind.surrogate.form.grain).tokens
    assert kind.surrogate.form == kind.public_form(kind.surrogate.form.grain)


def distance(kind: Kind, grain: str, first: str, second: str) -> float:
    """Return the Euclidean distance of two values of a domain."""
    vocabulary = kind.vocabulary(grain)
    one, other = (vocabulary.vectors[vocabulary.tokens.index(value)] for value in (first, second))
    return float(((one - other) ** 2).sum() ** 0.5)
