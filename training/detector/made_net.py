"""Addresses of people, machines and pages on the net, and names of accounts."""

from __future__ import annotations

import random
import re

from made_codes import filled
from made_names import Person, handle, plain

DOMAINS = {"en": ("co.uk", "com", "org", "net", "ie", "com.au"), "de": ("de",), "es": ("es", "com"),
           "fr": ("fr", "fr", "be", "ch", "ca"), "it": ("it",),
    "nl": ("nl",),
           "pt": ("pt", "com.br"), "sv": ("se",), "da": ("dk",), "no": ("no",), "fi": ("fi",), "ro": ("ro",),
               "tr": ("com.tr",)}  # fmt: skip
_FREE = ("gmail.com", "outlook.com", "hotmail.com", "yahoo.com", "icloud.com", "proton.me", "gmx.net", "mail.ru",
    "example.com",
         "example.org", "web.de", "hotmail.co.uk", "btinternet.com")  # fmt: skip


def host(name: str, rng: random.Random, language: str) -> str:
    """Return a domain made of the name of a firm."""
    words = [re.sub(r"[^a-z0-9]", "", plain(word).lower()) for word in name.split()]
    words = [word for word in words if word and word not in ("and", "the", "of", "de", "und", "co", "ltd", "inc")][:3]
    stem = rng.choice(("", "-")).join(words[: rng.randint(1, 3)]) or "example"
    return f"{stem}.{rng.choice(DOMAINS[language])}"


_OFFICES = ("info", "admin", "hr", "claims", "bookings", "office", "accounts", "reception", "no-reply", "contact",
            "secretariat", "segreteria", "ufficio.personale", "accueil")  # fmt: skip


def email(rng: random.Random, person: Person | None, firm: str, language: str) -> str:
    """Return an address: of a person at a free host or a firm, or of an office."""
    place = rng.choice(_FREE) if not firm or (person and rng.random() < 0.4) else host(firm, rng, language)
    if person is None:
        return f"{rng.choice(_OFFICES)}@{place}"
    return f"{handle(person, rng)}{rng.choice(('', '', '', '', '+news'))}@{place}"


_NICK = ("dark", "wolf", "pixel", "moon", "cat", "ninja", "rocket", "sunny", "ghost", "tiger", "fox", "noodle",
    "panda", "storm", "cookie",
         "bass", "red", "mr", "lil", "the_real_", "captain", "blue", "turbo", "sleepy", "happy", "gamer", "queen",
         "dr", "salty", "crazy")  # fmt: skip


def nick(rng: random.Random, person: Person | None) -> str:
    """Return the name of an account."""
    if person is not None and rng.random() < 0.5:
        return handle(person, rng)
    stem = rng.choice(_NICK) + rng.choice(("", "_", "-", ".")) + rng.choice(_NICK).strip("_")
    shape = rng.random()
    if shape < 0.4:
        stem += str(rng.randrange(1, 9999))
    elif shape < 0.5:
        stem = f"xX_{stem}_Xx"
    elif shape < 0.65:
        stem = stem.title().replace("_", "")
    return stem.strip("._-")


def ip(rng: random.Random) -> str:
    """Return an address of the net, version 4 or 6."""
    if rng.random() < 0.2:
        groups = [f"{rng.getrandbits(16):x}" for _ in range(8)]
        if rng.random() < 0.5:
            groups[3:6] = [""]
        return ":".join(["2001", *groups[1:]])
    first = rng.choice((10, 192, 172, rng.randrange(1, 224)))
    return f"{first}.{rng.randrange(256)}.{rng.randrange(256)}.{rng.randrange(1, 255)}"


def url(rng: random.Random, firm: str, language: str, user: str) -> str:
    """Return an address of a page."""
    place = host(firm, rng, language)
    tail = rng.choice(("", "", "/", f"/users/{user}", f"/{user}", "/contact", f"/orders/{rng.randrange(10**6)}",
    f"/reset?token={filled(rng, '*' * 10)}",
                       "/news/2021/opening", f"/p/{filled(rng, '******')}"))  # fmt: skip
    start = rng.choice(("https://", "https://www.", "http://www.", "www.", "https://", ""))
    return start + place + tail
