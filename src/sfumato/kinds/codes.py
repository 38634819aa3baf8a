"""Identifiers and addresses, whose replacements belong to nobody: CODE, PHONE, EMAIL, URL and IP.

A code is drawn from a list of its own. The prefix ZZ is what ISO 3166 leaves to its users, so that no country has it.
Telephone numbers, addresses and domains lie in ranges for examples, for tests, and for films and books.

Reading does not look at the value: it gives every text of such a kind the same public value in the same public form.
So nothing after the reader can depend on the text, except that a text of this kind is there. British NHS numbers are
a domain of their own: that a code is written as one shows, and which it is does not.
"""

from __future__ import annotations

import ipaddress
import re
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Annotated, ClassVar

import numpy as np

from sfumato.abstract.kind import Form, Kind, Reading
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.errors import ConfigurationError
from sfumato.language.languages import ENGLISH
from sfumato.options.option import Part

LONGEST = 200
"""A longer text is not read."""


class ValueBlind(Kind):
    """A kind whose domains have one written form each, all public.

    Writing is not the inverse of reading: :meth:`read` gives the surrogate, whatever the text says, and :meth:`write`
    writes the value that it is given. The vectors of the domain are arbitrary: no distance means anything.
    """

    looks: ClassVar[bool] = False

    @classmethod
    @abstractmethod
    def values(cls) -> Iterator[str]:
        """Yield the values of the domain, which belong to nobody."""

    @classmethod
    def values_of(cls, grain: str) -> Iterator[str]:  # noqa: ARG003 (most kinds have one domain)
        """Yield the values of a domain."""
        return cls.values()

    def grain_of(self, text: str) -> str:
        """Return the domain of ``text``, which is written like a value of this kind."""
        return self.grains[0]

    @abstractmethod
    def looks_like_one(self, text: str) -> bool:
        """Return whether ``text``, of at most :data:`LONGEST` characters, is written like a value of this kind."""

    def recognises(self, text: str) -> bool:
        """Return whether ``text`` is of this kind, even if no label says so."""
        return self.read(text) is not None

    @property
    def grains(self) -> tuple[str, ...]:
        """Return the names of the domains."""
        return (self.name.lower(),)

    def vocabulary(self, grain: str) -> Vocabulary:
        """Return the domain. Its vectors are the numbers of its values, and mean nothing."""
        self.public_form(grain)
        return _vocabulary(type(self), grain)

    def read(self, text: str) -> Reading | None:
        """Return the first value of the domain of ``text`` if it is written like a value of this kind, or None."""
        if len(text) > LONGEST or not self.looks_like_one(text):
            return None
        grain = self.grain_of(text)
        return Reading(next(self.values_of(grain)), Form(grain))

    def write(self, value: str, form: Form) -> str:
        """Return ``value``. Raise ConfigurationError if it is not in the domain: then it may be private."""
        if form != self.public_form(form.grain) or value not in _known(type(self), form.grain):
            raise ConfigurationError(f"A {self.name} is written from its public domain, in its public form only.")
        return value

    @property
    def surrogate(self) -> Reading:
        """Return the first value of the first domain."""
        return Reading(next(self.values_of(self.grains[0])), Form(self.grains[0]))

    def public_form(self, grain: str) -> Form:
        """Return the only form."""
        if grain not in self.grains:
            raise ConfigurationError(f"The kind {self.name} has no domain {grain!r}.")
        return Form(grain)


@lru_cache(maxsize=16)
def _vocabulary(kind: type[ValueBlind], grain: str) -> Vocabulary:
    values = tuple(kind.values_of(grain))
    named = "" if grain == kind.name.lower() else f" ({grain})"
    about = f"{kind.name}: {len(values):,} values{named} that belong to nobody, by rule, without distances"
    return Vocabulary(values, np.arange(len(values), dtype=np.float64)[:, None], about)


@lru_cache(maxsize=16)
def _known(kind: type[ValueBlind], grain: str) -> frozenset[str]:
    return frozenset(kind.values_of(grain))


NETWORKS = ("192.0.2.", "198.51.100.", "203.0.113.")
"""Networks for documentation (RFC 5737)."""
TEST_NETWORK = "198.18."
"""A half of the network for tests of devices (RFC 2544). The Internet does not route it."""
DOMAINS = ("com", "org", "net")
"""Ends of the domains example.com, example.org and example.net (RFC 2606)."""
PHONES = {
    **dict.fromkeys(("en_US", "en_CA", "fr_CA"), ("{area}-555-01##",)),
    "en_GB": ("01632 960###", "0113 496 0###", "020 7946 0###", "07700 900###"),
    "en_AU": ("(02) 5550 ####", "(03) 5550 ####", "(07) 5550 ####", "(08) 5550 ####"),
    "de_DE": ("030 23125###", "040 66969###", "069 90009###", "089 99998###"),
    "fr_FR": ("01 99 00 ## ##", "02 61 91 ## ##", "03 53 01 ## ##", "04 65 71 ## ##", "06 39 98 ## ##"),
}
"""Ranges that regulators keep for films and books: NANPA, Ofcom, ACMA, Bundesnetzagentur, Arcep."""
AREA = ((2, 7), (0, 8), (2, 9))
"""The least and the greatest digit at each place of an American area code: no such number is free of charge."""

_CODE = re.compile(
    r"(?=\D*\d)(?=.{4})(?:(?:No|no|NO|Nr|nr|Ref|ref|ID|id)\.? ?|[#№] ?)?"
    r"(?:[^\W\d]*[./:#-]?\d[\w./:#-]*|[A-Z]{1,5}\d*)(?: [A-Z\d./:-]+){0,8}"
)
"""A word with a digit or a few capitals, and words of capitals and digits behind it: "Article 6" is no code."""


_NHS = re.compile(r"[0-9]{3}[ -]?[0-9]{3}[ -]?[0-9]{4}")
_SPACED = re.compile(r"[0-9]{3} [0-9]{3} [0-9]{4}")
_NHS_NUMBER = "NHS number"


@dataclass(frozen=True)
class Code(ValueBlind):
    """Identifiers of any shape. Every text can be read as one.

    Ten figures whose last one checks the others are an NHS number. It becomes one of those that begin with 999, which
    the NHS keeps for tests.
    """

    name: ClassVar[str] = "CODE"

    @property
    def grains(self) -> tuple[str, ...]:
        """Return the domain of all codes, and that of NHS numbers."""
        return ("code", _NHS_NUMBER)

    @classmethod
    def values_of(cls, grain: str) -> Iterator[str]:
        """Yield codes, or NHS numbers of the range for tests."""
        return _nhs_numbers() if grain == _NHS_NUMBER else cls.values()

    def grain_of(self, text: str) -> str:
        """Return which domain ``text`` is of."""
        figures = re.sub("[ -]", "", text.strip())
        is_one = _NHS.fullmatch(text.strip()) is not None and _checks(figures[:9]) == figures[9]
        return _NHS_NUMBER if is_one else "code"

    @classmethod
    def values(cls) -> Iterator[str]:
        """Yield ZZ-00001 to ZZ-99999."""
        return (f"ZZ-{number:05d}" for number in range(1, 100_000))

    def looks_like_one(self, text: str) -> bool:
        """Return True: a code may have any shape."""
        return True

    def recognises(self, text: str) -> bool:
        """Return whether ``text`` has a digit and no words, as most codes have."""
        return len(text) <= LONGEST and _CODE.fullmatch(text.strip()) is not None


def _nhs_numbers() -> Iterator[str]:
    for number in range(50, 1_000_000, 50):
        figures = f"999{number:06d}"
        if (last := _checks(figures)) is not None:
            yield f"{figures[:3]} {figures[3:6]} {figures[6:]}{last}"


def _checks(figures: str) -> str | None:
    """Return the figure that checks nine others (modulo 11); None if there is none."""
    rest = -sum((10 - place) * int(figure) for place, figure in enumerate(figures)) % 11
    return str(rest) if rest < 10 else None


_BETWEEN = r"[ .\u00a0\u2011-]"
_EXTENSION = r"(?:,? ?(?:ext|extension|x)\.? ?[0-9]{1,6})?"
_DIGIT = r"(?:[ ./\u00a0\u2011-]?[0-9])"
_DIALLED = re.compile(
    rf"(?:\+[0-9]{_DIGIT}{{0,2}}(?:{_BETWEEN}?\(0\){_BETWEEN}?)?{_DIGIT}{{6,14}}|00[1-9]{_DIGIT}{{7,14}}"
    rf"|\([0-9]{{1,5}}\){_DIGIT}{{5,10}}|0[1-9]{_DIGIT}{{7,9}}){_EXTENSION}"
)
"""A number with a sign for abroad, with an area code in brackets, or with a zero first and nine digits or more."""
_AMERICAN = re.compile(rf"(?:1{_BETWEEN})?[2-9][0-9]{{2}}{_BETWEEN}(?:[0-9]{{3}}{_BETWEEN})?[0-9]{{4}}{_EXTENSION}")


_KEPT = {"de": "de_DE", "fr": "fr_FR"}
"""The languages in whose countries a regulator keeps numbers for films; elsewhere those of North America serve."""


@dataclass(frozen=True)
class Phone(ValueBlind):
    """Telephone numbers: those of North America, and others that begin as a number to dial does."""

    language: Annotated[str, Part("the code of the language of the texts")] = ENGLISH.code
    name: ClassVar[str] = "PHONE"

    @property
    def grains(self) -> tuple[str, ...]:
        """Return the domain: numbers of the language's country, or of North America."""
        return (f"phone ({self.language})" if self.language in _KEPT else "phone",)

    @classmethod
    def values_of(cls, grain: str) -> Iterator[str]:
        """Yield the numbers of a country that are kept for films."""
        locale = next((locale for code, locale in _KEPT.items() if grain == f"phone ({code})"), "")
        for form in PHONES.get(locale, ()):
            places = form.count("#")
            for number in range(10**places):
                figures = iter(f"{number:0{places}d}")
                yield "".join(next(figures) if sign == "#" else sign for sign in form)
        if not locale:
            yield from cls.values()

    @classmethod
    def values(cls) -> Iterator[str]:
        """Yield the numbers 555-0100 to 555-0199 of many area codes."""
        form = PHONES["en_US"][0]
        places = (range(low, high + 1) for low, high in AREA)
        for area in ("".join(map(str, digits)) for digits in product(*places)):
            yield from (form.format(area=area).replace("##", f"{last:02d}") for last in range(100))

    def recognises(self, text: str) -> bool:
        """Return whether ``text`` is dialled, even if no label says so: an NHS number is three groups as well."""
        return _SPACED.fullmatch(text.strip()) is None and super().recognises(text)

    def looks_like_one(self, text: str) -> bool:
        """Return whether ``text`` is dialled as it is, whatever the signs between its digits."""
        plain = text.strip()
        return (_AMERICAN.fullmatch(plain) or _DIALLED.fullmatch(plain)) is not None


_MAILBOX = re.compile(r"(?:mailto:)?[^\s@,;:<>()\[\]{}\"“”|]{1,64}@(?:[^\W_][\w-]{0,62}\.){1,8}[^\W\d_]{2,24}")


@dataclass(frozen=True)
class Email(ValueBlind):
    """Mailboxes, without a bracket or a name beside them."""

    name: ClassVar[str] = "EMAIL"

    @classmethod
    def values(cls) -> Iterator[str]:
        """Yield user10000@example.com to user29999@example.net, domain by domain."""
        return (f"user{number}@example.{end}" for end in DOMAINS for number in range(10_000, 30_000))

    def looks_like_one(self, text: str) -> bool:
        """Return whether ``text`` has a name, the sign @ and a domain."""
        return _MAILBOX.fullmatch(text.strip()) is not None


_ADDRESS = re.compile(r"(?:(?i:https?|ftps?|sftp)://|(?i:www)\.)[^\s<>\"“”]+")
_BARE = re.compile(r"(?:[a-z0-9][a-z0-9-]{0,62}\.){1,8}[a-z]{2,24}(?::[0-9]{1,5})?(?:[/?#][^\s<>\"“”]*)?")
"""A domain without a scheme is written in lower case; otherwise "J.Smith" would be one."""


@dataclass(frozen=True)
class Url(ValueBlind):
    """Addresses of pages, with or without a scheme."""

    name: ClassVar[str] = "URL"

    @classmethod
    def values(cls) -> Iterator[str]:
        """Yield https://www.example.com/10000 to https://www.example.net/29999, domain by domain."""
        return (f"https://www.example.{end}/{number}" for end in DOMAINS for number in range(10_000, 30_000))

    def looks_like_one(self, text: str) -> bool:
        """Return whether ``text`` has a scheme, begins with "www.", or is a domain with or without a path."""
        plain = text.strip()
        return (_ADDRESS.fullmatch(plain) or _BARE.fullmatch(plain)) is not None


_PORT = re.compile(r"([0-9.]+|\[[0-9A-Fa-f:.]+\]):[0-9]{1,5}")


@dataclass(frozen=True)
class Ip(ValueBlind):
    """Addresses of version 4 and 6, with or without the length of a network or a port."""

    name: ClassVar[str] = "IP"

    @classmethod
    def values(cls) -> Iterator[str]:
        """Yield 198.18.0.1 to 198.18.255.254."""
        return (f"{TEST_NETWORK}{third}.{last}" for third in range(256) for last in range(1, 255))

    def looks_like_one(self, text: str) -> bool:
        """Return whether ``text`` is an address that a machine may have."""
        plain = text.strip()
        port = _PORT.fullmatch(plain)
        try:
            ipaddress.ip_interface(port.group(1).strip("[]") if port else plain)
        except ValueError:
            return False
        return True
