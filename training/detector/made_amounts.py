"""Amounts: money, doses and measures."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from made_surface import Piece

if TYPE_CHECKING:
    from made_world import World

_SIGNS = {"GB": "£", "US": "$", "IE": "€", "AU": "$", "CA": "$", "NZ": "$", "NG": "₦", "GH": "GH₵", "KE": "KSh ",
    "IN": "₹", "ZA": "R",
          "PH": "₱", "SG": "S$", "CH": "CHF ", "SR": "CHF ",
          "TI": "CHF ", "QC": "$", "MX": "$", "AR": "$", "BR": "R$ ", "TR": "TL", "RO": "lei",
          "SE": "kr", "DK": "kr.", "NO": "kr"}  # fmt: skip
_CURRENCIES = ("euros", "dollars", "pounds", "EUR", "USD", "naira", "rupees", "yen", "Swiss francs", "shillings")
_DOSES = (
    ("mg", "2.5 5 7.5 10 15 20 25 30 40 50 75 80 100 150 200 250 300 400 500 600 750 850 1000"), ("g",
    "1 1.2 1.5 2 4.5"),
    ("micrograms", "25 50 75 100 125 200"), ("mcg", "25 50 100 250"), ("ml", "2.5 5 7.5 10 15 30"), ("units",
    "4 8 10 12 16 24 5000"),
    ("mg/h", "5 10"), ("mg/kg", "5 10 15"), ("L/min", "2 4 15"), ("IU", "400 800 20000"),
)  # fmt: skip


def money(world: World, form: str) -> Piece:
    """Return an amount in a currency of the country; ``plain`` is a price of goods, which is no mark."""
    if form == "plain":
        return Piece(money(world, "price").text)
    rng, land = world.rng, world.country
    amount = rng.choice((rng.uniform(2, 200), rng.uniform(100, 5000), rng.uniform(1000, 400000)))
    if form == "price":
        amount = rng.uniform(1, 90)
    whole = rng.random() < 0.4
    number = f"{amount:,.0f}" if whole else f"{amount:,.2f}"
    sign = _SIGNS.get(land, "€")
    if world.language != "en":
        thousands = rng.choice(" \u00a0\u202f.") if world.language == "fr" else "."
        number = number.translate(str.maketrans(",.", f"{thousands},"))
        unit = rng.choice(
            (
                sign.strip(),
                {"€": {"de": "Euro", "it": "euro"}.get(world.language, "euros")}.get(sign, sign.strip()),
                "EUR",
            )
        )
        return Piece(
            f"{number} {unit}" if sign not in ("CHF ", "R$ ", "$") else f"{sign}{number}", "MONEY", form != "price"
        )
    shape = rng.random()
    if shape < 0.7:
        text = f"{sign}{number}"
    elif shape < 0.85:
        text = f"{rng.choice(('GBP', 'EUR', 'USD', 'NGN', 'INR'))} {number}"
    else:
        text = f"{number} {rng.choice(_CURRENCIES)}"
    if shape < 0.06 and form != "price":
        text = f"{sign}{rng.randrange(2, 90)}{rng.choice(('k', 'm', ' million', 'bn'))}"
    return Piece(text, "MONEY", form != "price")


def dose(world: World, _: str) -> Piece:
    """Return the amount of a medicine."""
    unit, amounts = world.rng.choice(_DOSES)
    gap = world.rng.choice((" ", " ", " ", ""))
    if world.language in ("de", "nl"):
        unit = {"micrograms": "µg", "mcg": "µg", "units": "IE", "IU": "IE", "L/min": "l/min"}.get(unit, unit)
        amount = world.rng.choice(amounts.split()).replace(".", ",")
        return Piece(f"{amount}{gap}{unit}", "QUANTITY")
    return Piece(f"{world.rng.choice(amounts.split())}{gap}{unit}", "QUANTITY")


def varied(world: World, form: str) -> str:
    """Change the numbers of an amount by up to a half."""

    def other(match: re.Match[str]) -> str:
        digits = len(match[0].partition(".")[2])
        return f"{float(match[0]) * world.rng.uniform(0.5, 1.5):.{digits}f}"

    return re.sub(r"(?<![\w^])\d+(?:\.\d+)?", other, form)
