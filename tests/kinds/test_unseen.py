"""CODE, PHONE, EMAIL, URL and IP: one public reading for every text, and a domain that belongs to nobody."""

from __future__ import annotations

import ipaddress
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.abstract.kind import Form
from sfumato.errors import ConfigurationError
from sfumato.kinds.codes import Code, Email, Ip, Phone, Url, ValueBlind

KINDS: tuple[ValueBlind, ...] = (Code(), Phone(), Email(), Url(), Ip())
READABLE = {
    "PHONE": [
        "555-010-2233",
        "555-0114",
        "(212) 555-0182",
        "1-212-555-0182 ext. 12",
        "07700 900142",
        "+44 20 7946 0123",
        "+47 22 22 55 55",
        "0049 30 23125-123",
        "+49 (0)30 23125123",
        "01 99 00 12 34",
        "+15550102233",
    ],
    "EMAIL": ["anna.larsen@example.org", "a+b@sub.example.co.uk", "mailto:x@y.de", "ANNA@EXAMPLE.COM", "å@ø.no"],
    "URL": ["https://example.org/a?b=c#d", "www.example.org", "HTTP://X.Y", "example.com", "sub.host.org:8080/x"],
    "IP": ["192.168.0.1", "10.0.0.0/8", "203.0.113.7:443", "2001:db8::1", "::1", "[2001:db8::1]:80", "fe80::1%eth0"],
}
UNREADABLE = {
    "PHONE": ["", "0048-2217", "36244/06", "2019-01-11", "12", "1,234,567", "555-0114x", "call me", "+", "12345678"],
    "EMAIL": [
        "",
        "anna",
        "@example.org",
        "(anna.larsen@example.org",
        "a@b",
        "a b@example.org",
        "a@b@c.org",
        "a@.org",
    ],
    "URL": ["", "example", "J.Smith", "https://", "a b.com", "https://a b", "3.14", "anna@example.org"],
    "IP": ["", "1.2.3", "1.2.3.4.5", "256.1.1.1", "12:30", "a:b", "::g", "1", "١.٢.٣.٤"],
}
ODD = ["9" * 400, "\0", "\ud800", "א\u202eבג", "x" * 10**6, "0" * 10**6, "\u202e555-0114", "-" * 200, "a." * 100]


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in READABLE.items() for text in texts])
def test_texts_that_look_like_one_all_have_the_same_reading(name: str, text: str) -> None:
    kind = next(kind for kind in KINDS if kind.name == name)
    assert kind.read(text) == kind.surrogate
    assert kind.read(f" {text} ") == kind.surrogate


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in UNREADABLE.items() for text in texts])
def test_other_texts_are_not_read(name: str, text: str) -> None:
    assert next(kind for kind in KINDS if kind.name == name).read(text) is None


@settings(deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_a_code_and_nothing_of_it_is_looked_at(text: str) -> None:
    assert Code().read(text) == Code().surrogate


@settings(deadline=None)
@given(st.one_of(st.text(), st.from_regex(r"[0-9 ()+x./@:a-z-]{0,60}")))
def test_a_reading_is_the_public_one_or_none(text: str) -> None:
    for kind in KINDS:
        assert kind.read(text) in (kind.surrogate, None)


@pytest.mark.parametrize("text", ODD)
def test_odd_texts_are_read_in_no_time(text: str) -> None:
    start = time.perf_counter()
    for kind in KINDS:
        kind.read(text)
        kind.recognises(text)
    assert time.perf_counter() - start < 2


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_domain_is_large_and_written_as_it_is(kind: ValueBlind) -> None:
    grain = kind.grains[0]
    words = kind.vocabulary(grain)
    assert len(words) >= 10_000
    assert kind.vocabulary(grain) is words
    assert f"{len(words):,}" in words.provenance
    assert len(set(words.vectors[:, 0])) == len(words)
    form = kind.public_form(grain)
    assert form.style == ()
    for value in (words.tokens[0], words.tokens[-1]):
        assert kind.write(value, form) == value
    if kind.name != "CODE":
        assert all(kind.read(value) == kind.surrogate for value in words.tokens[::97])
    assert kind.surrogate.value in words.tokens


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_value_of_a_text_is_never_written(kind: ValueBlind) -> None:
    for value in ("MRN 0048-2217", "212-555-1234", "anna@larsen.no", "10.0.0.1"):
        with pytest.raises(ConfigurationError) as error:
            kind.write(value, kind.public_form(kind.grains[0]))
        assert value not in str(error.value)
    with pytest.raises(ConfigurationError):
        kind.write(kind.surrogate.value, Form(kind.grains[0], ("upper",)))
    with pytest.raises(ConfigurationError):
        kind.public_form("day")


def test_the_ranges_belong_to_nobody() -> None:
    for value in Phone.values():
        assert re.fullmatch(r"[2-7][0-8][2-9]-555-01\d\d", value)
    for value in Email.values():
        assert re.fullmatch(r"user\d{5}@example\.(?:com|org|net)", value)
    for value in Url.values():
        assert re.fullmatch(r"https://www\.example\.(?:com|org|net)/\d{5}", value)
    tests = ipaddress.ip_network("198.18.0.0/15")
    assert all(ipaddress.ip_address(value) in tests for value in Ip.values())
    assert all(re.fullmatch(r"ZZ-\d{5}", value) for value in Code.values())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0048-2217", True),
        ("36244/06", True),
        ("AB123456C", True),
        ("no. 1234/56", True),
        ("SW1A 2AA", True),
        ("DE89 3704 0044 0532 0130 00", True),
        ("night porter", False),
        ("two", False),
        ("12 March 2020", False),
        ("62", False),
    ],
)
def test_a_code_is_recognised_by_its_digits(text: str, expected: bool) -> None:
    assert Code().recognises(text) is expected


def _checks_out(number: str) -> bool:
    """Return whether the last figure checks the others: weights from 10 down to 1 give a multiple of 11."""
    figures = [int(sign) for sign in number if sign != " "]
    return (
        len(figures) == 10
        and sum(weight * figure for weight, figure in zip(range(10, 0, -1), figures, strict=True)) % 11 == 0
    )


def test_an_nhs_number_becomes_one_of_those_for_tests() -> None:
    code = Code()
    texts = ("943 476 5919", "9434765919", "943-476-5919", "401 023 2137")
    assert {code.read(text) for text in texts} == {code.read("999 000 0506")}
    assert {code.read(text) for text in ("943 476 5918", "MRN 9434765919", "12")} == {code.surrogate}
    values = code.vocabulary("NHS number").tokens
    assert len(set(values)) == len(values) > 15_000
    assert all(value.startswith("999 ") and _checks_out(value) for value in values)
    assert all(map(_checks_out, texts[:2]))
    form = code.public_form("NHS number")
    assert code.write(values[7], form) == values[7]
    with pytest.raises(ConfigurationError):
        code.write("943 476 5919", form)


def test_three_groups_of_figures_are_no_phone_unless_a_label_says_so() -> None:
    assert not Phone().recognises("943 476 5919")
    assert Phone().recognises("943-476-5919")
    assert Phone().read("943 476 5919") == Phone().surrogate
