"""Surrogates: replacements of the same kind that look real and are drawn from public lists (faker).

The gender of a first name is kept if public lists of the locale have the name on one side only. A title is kept, and
so is the unit of a number. Telephone numbers, addresses and the like come from ranges that belong to nobody
(:data:`_MAKERS`). A surrogate can be a real person's name or code by coincidence.
"""

from __future__ import annotations

import random
import re
import threading
import unicodedata
from collections.abc import Callable
from datetime import date
from functools import lru_cache
from importlib import import_module
from typing import Any

from sfumato.errors import ConfigurationError
from sfumato.heuristics._generalise import renumbered
from sfumato.heuristics._mentions import title_of
from sfumato.kinds.codes import AREA, NETWORKS, PHONES
from sfumato.language.en.offensive import is_offensive
from sfumato.language.languages import ENGLISH
from sfumato.text.occurrences import Occurrences

_NEAR = {"en": "en_GB", "de": "de_DE", "fr": "fr_FR"}
_ONE_AT_A_TIME = threading.Lock()  # faker's generator has a state
_TRIES = 20
_BORN = date(1950, 1, 1), date(2019, 12, 31)  # not up to today: the same seed would give another date tomorrow
_WORD = re.compile(r"\w{2,}")
OF_KINDS = {"PLACE": "LOCATION", "PHONE": "PHONE_NUMBER", "EMAIL": "EMAIL_ADDRESS", "IP": "IP_ADDRESS"}
"""Kinds of value by the labels that rules and makers know."""
_AMOUNTS = ("QUANTITY", "MONEY", "DURATION")


def phone(fake: Any) -> str | None:
    """Return a telephone number of a range kept for fiction, of the locale or its language; if none is known, any
    number.
    """
    locale = str(fake.locales[0])
    forms = PHONES.get(locale) or PHONES.get(_NEAR.get(locale[:2], ""))
    if forms is None:
        return str(fake.phone_number()) if hasattr(fake, "phone_number") else None
    area = "".join(str(fake.random_int(low, high)) for low, high in AREA)
    return str(fake.numerify(str(fake.random_element(forms)).format(area=area)))


def card(fake: Any) -> str:
    """Return a card number whose last digit cannot be right."""
    digits = [4, *(fake.random_int(0, 9) for _ in range(14))]
    doubled = sum(sum(divmod(2 * digit, 10)) if index % 2 == 0 else digit for index, digit in enumerate(digits))
    wrong = (fake.random_int(1, 9) - doubled) % 10
    return "".join(map(str, [*digits, wrong]))


def iban(fake: Any) -> str:
    """Return an IBAN whose check digits are 00, which no real IBAN has."""
    number = str(fake.iban())
    return f"{number[:2]}00{number[4:]}"


_MAKERS: dict[str, Callable[[Any], Any]] = {
    "LOCATION": lambda fake: fake.city(),
    "ORGANIZATION": lambda fake: fake.company(),
    "OCCUPATION": lambda fake: fake.job().split(",")[0].lower(),
    "EMAIL_ADDRESS": lambda fake: fake.safe_email(),
    "ACCOUNT": lambda fake: f"@{fake.user_name()}",
    "SECRET": lambda fake: fake.password(),  # the shape of a password discloses much of it
    "PHONE_NUMBER": phone,
    "CREDIT_CARD": card,
    "IBAN_CODE": iban,
    "URL": lambda fake: f"https://{fake.domain_word()}.example.com/",
    "IP_ADDRESS": lambda fake: f"{fake.random_element(NETWORKS)}{fake.random_int(1, 254)}",
    "US_SSN": lambda fake: fake.numerify("666-%#-####"),
    "MAC_ADDRESS": lambda fake: "02:" + ":".join(f"{fake.random_int(0, 255):02x}" for _ in range(5)),
    "DATE": lambda fake: fake.date_between_dates(*_BORN).strftime("%d %B %Y"),
    "TIME": lambda fake: f"{fake.random_int(0, 23):02}:{fake.random_int(0, 59):02}",  # faker's depends on the clock
    "AGE": lambda fake: str(fake.random_int(18, 90)),
}
"""The maker of each kind. No social security number begins with 666; no manufacturer has MAC addresses with 02."""


@lru_cache(maxsize=8)
def _faker(locale: str) -> Any:
    from faker import Faker

    try:
        return Faker(locale)
    except AttributeError:
        raise ConfigurationError(f"faker has no locale {locale!r}; try en_US, de_DE or fr_FR.") from None


def check_locale(locale: str) -> None:
    """Raise ConfigurationError if there is no such locale."""
    _faker(locale)


@lru_cache(maxsize=8)
def _first_names(locale: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return first names of women and of men, in lower case, without those on both lists."""
    lists: list[set[str]] = [set(), set()]
    for known in {locale, "en_US"}:
        try:
            provider = import_module(f"faker.providers.person.{known}").Provider
        except ImportError:
            continue
        for names, kind in zip(lists, ("first_names_female", "first_names_male"), strict=True):
            names.update(str(name).lower() for name in getattr(provider, kind, ()))
    women, men = lists
    return frozenset(women - men), frozenset(men - women)


def surrogate(text: str, label: str, seed: int, locale: str, key: str | None = None) -> str | None:
    """Return something of the kind of ``text``; None if there is nothing of the kind.

    The same seed, text, key and locale give the same surrogate. It never is or holds the text. The
    surrogate of a person shares no name with the text, nor with ``key``, the longest mention of that person.
    """
    label = OF_KINDS.get(label, label)
    avoided = Occurrences([text] if label != "PERSON" else [*_WORD.findall(text), *_WORD.findall(key or "")])
    with _ONE_AT_A_TIME:
        fake = _faker(locale)
        fake.seed_instance(seed)
        if label == "PERSON":
            return _person(fake, text, locale, avoided)
        maker, draw = _MAKERS.get(label), random.Random(seed)
        if maker is None and not any(map(str.isdigit, text)):
            return None
        for _ in range(_TRIES):
            if maker is not None:
                drawn = maker(fake)
                output = None if drawn is None else str(drawn).replace("\n", ", ")
            elif label in _AMOUNTS:
                output = renumbered(text, lambda number: _another(number, draw))
            else:
                output = _shaped(text, draw)
            if output is None or not (any(avoided.find(output)) or is_offensive(output)):
                return output
    return None


def _another(number: str, draw: random.Random) -> str:
    """Return a number with as many digits, which does not begin with 0 unless ``number`` does."""
    other = _shaped(number, draw)
    return other if number.startswith("0") or not other.startswith("0") else f"{draw.randint(1, 9)}{other[1:]}"


def _person(fake: Any, text: str, locale: str, avoided: Occurrences) -> str | None:
    """Return a name with the title, the gender if it shows, and as many parts as ``text``: one, or first and last."""
    title = title_of(text)
    rest = text[len(title) :]
    women, men = _first_names(locale)
    first = re.split(r"[\s.]+", rest.strip().lower())[0]
    titled = ENGLISH.titles.gender_of(text.split()[0]) if " " in text.strip() else None
    female, male = titled == "woman" or first in women, titled == "man" or first in men
    kind = "female" if female and not male else "male" if male and not female else None
    maker = fake.first_name_female if kind == "female" else fake.first_name_male if kind else fake.first_name
    # both are drawn in every case, so that "Smith" becomes the last name of "John Smith"
    given, last = _other(maker, avoided), _other(fake.last_name, avoided)
    if given is None or last is None:
        return None
    alone = not re.search(r"\s", rest.strip())
    return title + (given if alone and (first in women or first in men) else last if alone else f"{given} {last}")


def _other(maker: Callable[[], Any], avoided: Occurrences) -> str | None:
    """Return an output of ``maker`` that holds nothing of ``avoided`` and is not offensive; None after too many
    tries.
    """
    for _ in range(_TRIES):
        output = str(maker())
        if not (any(avoided.find(output)) or is_offensive(output)):
            return output
    return None


def _shaped(text: str, draw: random.Random) -> str:
    """Return other digits and Latin letters in the same positions; no letter stays, in any script."""
    return "".join(_other_sign(sign, draw) for sign in text)


def _other_sign(sign: str, draw: random.Random) -> str:
    if sign.isascii() and not sign.isalnum():
        return sign
    if sign.isnumeric():
        return str(draw.randrange(10))
    if sign.isalpha():
        return draw.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ" if sign.isupper() else "abcdefghijklmnopqrstuvwxyz")
    return "" if unicodedata.category(sign)[0] in "MC" else sign
