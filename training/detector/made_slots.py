"""What each slot of a template becomes that is not a person, a code or a line of a list."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING

import made_codes as codes
import made_dates as dates
import made_names as names
import made_net as net
import made_places as places
from made_amounts import dose, money, varied
from made_elision import elided
from made_spoken import in_words, spoken
from made_surface import Piece

if TYPE_CHECKING:
    from made_world import World


_LANDS = sorted(places.countries("train"))


def _date(world: World, form: str) -> Piece:
    rng = world.rng
    if form in ("dob", "long-ago"):
        return Piece(world.date_of(world.day - timedelta(days=rng.randrange(4000, 30000))), "DATE", True)
    if form == "ahead":
        return Piece(world.date_of(world.day + timedelta(days=rng.randrange(5, 120))), "DATE", True)
    if form == "day":
        style = "day" if world.style == "long" or rng.random() < 0.4 else "day_numbers"
        return Piece(dates.of_style(rng, dates.near(rng, world.day, 25), style, world.language), "DATE", True)
    if form in ("adm", "dis"):
        stay = world.once("stay", lambda: str(rng.randrange(1, 25)))
        return Piece(world.date_of(world.day - timedelta(days=int(stay) if form == "adm" else 0)), "DATE", True)
    if form in ("long", "numeric"):
        return Piece(world.date_of(dates.near(rng, world.day, 20), form), "DATE", True)
    if form == "iso":
        return Piece(dates.near(rng, world.day, 20).isoformat(), "DATE", True)
    if form == "doc":
        return Piece(world.date_of(world.day), "DATE", True)
    if form == "past":
        return Piece(world.date_of(world.day - timedelta(days=rng.randrange(20, 2500))), "DATE", True)
    return Piece(world.date_of(dates.near(rng, world.day, 20)), "DATE", True)


def _when(world: World, form: str) -> Piece:
    """A date with its time, in one mark."""
    day = dates.near(world.rng, world.day, 20)
    clock = f"{world.rng.randrange(24):02}:{world.rng.randrange(60):02}:{world.rng.randrange(60):02}"
    month = dates.MONTHS["en"][day.month - 1][:3]
    if form == "iso":
        ends = ("", "Z", f".{world.rng.randrange(1000):03}Z", "+00:00", f",{world.rng.randrange(1000):03}")
        return Piece(f"{day.isoformat()}{world.rng.choice('T  ')}{clock}{world.rng.choice(ends)}", "DATE", True)
    if form == "apache":
        return Piece(f"{day.day:02}/{month}/{day.year}:{clock} +0000", "DATE", True)
    if form == "syslog":
        return Piece(f"{month} {day.day:>2} {clock}", "DATE", True)
    time = dates.clock(world.rng, world.language)
    if not form and world.language == "en" and world.rng.random() < 0.2:
        return Piece(_beside_day(world.rng, time), "DATE", True)
    style = form or world.rng.choice(("long", "numeric", "day"))
    text = dates.of_style(world.rng, day, style, world.language)
    if not form and world.language == "en" and world.rng.random() < 0.15:
        return Piece(f"{world.rng.choice((time, time, 'noon', 'midnight'))} on {text}", "DATE", True)
    return Piece(text + world.rng.choice(dates.AT[world.language]) + time, "DATE", True)


_DAYS_BESIDE = ("today", "yesterday", "tomorrow", "this morning", "this afternoon", "tonight", "Monday",
                "next Tuesday", "Saturday night", "Friday morning", "last night", "that evening",
                "yesterday evening")  # fmt: skip


def _beside_day(rng: random.Random, time: str) -> str:
    """Return a time with a day that the text does not name: today at 14.00."""
    day = rng.choice(_DAYS_BESIDE)
    return rng.choice((f"{day} at {time}", f"{day}, {time}", f"{day} {time}", f"{time} {day}"))


def _month(world: World, form: str) -> Piece:
    name = dates.MONTHS[world.language][dates.near(world.rng, world.day, 300).month - 1]
    joint = " de " if world.language in ("es", "pt") else " "
    year = (
        f"{joint}{world.day.year - world.rng.randrange(0, 12)}" if form == "year" or world.rng.random() < 0.4 else ""
    )
    return Piece(name + year, "DATE", True)


def _address(world: World, form: str) -> list[Piece]:
    """An address in a line, in lines (``block``), or one part of it."""
    rng = world.rng
    home = world.home if form.startswith("home") else places.address(rng, world.part, world.country)
    form = form.removeprefix("home").removeprefix(".").removeprefix("-")
    if form in ("street", "town", "postcode", "region", "country"):
        return [_place(getattr(home, form))]
    comma = Piece(", ") if form != "block" else Piece("\n")
    tight = Piece(" ")
    before = world.language != "en"
    town = (
        [_place(home.postcode), tight, _place(home.town)]
        if before
        else [_place(home.town), comma if rng.random() < 0.5 else tight, _place(home.postcode)]
    )
    if not before and rng.random() < 0.4:
        town[1:1] = [Piece(", "), _place(home.region)]
    if world.language == "it" and world.country == "IT" and rng.random() < 0.5:
        town += [Piece(" ("), _place(rng.choice(places.PROVINCES)), Piece(")")]
    out = [_place(home.street), comma, *town]
    if form == "short":
        out = [_place(home.street), Piece(", "), _place(home.town)]
    elif rng.random() < 0.15:
        out += [comma, _place(home.country)]
    return out


def _place(text: str) -> Piece:
    return Piece(text, "LOCATION", True)


def _town(world: World, form: str) -> Piece:
    land = "XX" if form == "abroad" or (not form and world.rng.random() < 0.25) else world.country
    if form == "far":
        land = world.rng.choice(list(places.countries(world.part)))
    name = places.town(world.rng, world.part, land)
    if form == "up":
        return _place(name.upper())
    return _place(world.home.town if form == "home" else name)


def _country(world: World, _: str) -> Piece:
    if world.language != "en":
        return _place(world.text_of("country_name"))
    land = places.countries(world.part)["XX" if world.rng.random() < 0.7 else world.rng.choice(_LANDS)]
    return _place(
        land.names[-1] if land.language in dates.MONTHS and land.language != "en" else world.rng.choice(land.names)
    )


def _region(world: World, _: str) -> Piece:
    return _place(
        world.rng.choice(
            places.countries(world.part)[
                world.rng.choice((world.country, "XX") if world.language == "en" else (world.country,))
            ].regions
        )
    )


def _organization(kind: str) -> Callable[[World, str], Piece]:
    def make(world: World, form: str) -> Piece:
        section = world.section(f"name.{kind}")
        if section is None:
            raise ValueError(f"no names of a {kind} in {world.language}")

        def named() -> str:
            line = world.rng.choice(section.lines[world.part])
            return "".join(piece.text for piece in elided(world.write(line.nodes), world.language))

        text = world.once(f"{kind} {form}", lambda: world.fresh(named)) if form else world.fresh(named)
        return Piece(text, "ORGANIZATION", True)

    return make


def _other_name(world: World, _: str) -> Piece:
    return Piece(world.rng.choice(names.pool(world.rng.choice(names.ORIGINS), "family", world.part)))


def _nick(world: World, form: str) -> Piece:
    who = form.removeprefix("@")

    def made() -> str:
        return world.fresh(lambda: net.nick(world.rng, None))

    name = world.once(f"nick {who}", made) if who else made()
    return Piece(f"@{name}" if form.startswith("@") else name, "USERNAME", True)


def _years(world: World, _: str) -> Piece:
    first = world.day.year - world.rng.randrange(3, 30)
    return Piece(f"{first}{world.rng.choice('-–')}{first + world.rng.randrange(1, 9)}", "DATE", True)


def _spoken(world: World, form: str) -> Piece:
    """Return a value in the words of a caller."""
    rng = world.rng
    if form == "email":
        name = names.plain(world.person("p").family).lower().replace(" ", "")
        local = f"{world.person('p').given[0].lower()} dot {name}"
        return Piece(f"{local} at {rng.choice(('gmail', 'outlook', 'yahoo'))} dot com", "EMAIL", True)
    if form in ("age", "money"):
        words = in_words(rng.randrange(19, 98))
        return (
            Piece(words, "AGE", True)
            if form == "age"
            else Piece(f"{words} {rng.choice(('pounds', 'dollars', 'euros'))}", "MONEY")
        )
    if form in ("date", "day"):
        day = rng.choice(
            (
                "first",
                "second",
                "third",
                "fifth",
                "ninth",
                "twelfth",
                "fourteenth",
                "twentieth",
                "twenty-first",
                "thirtieth",
            )
        )
        year = f"nineteen {in_words(rng.randrange(40, 99))}"
        whole = f"{day} of {rng.choice(dates.MONTHS['en'])} {year}"
        return Piece(day if form == "day" else whole, "DATE", True)
    label, count = ("PHONE", rng.randrange(9, 12)) if form == "phone" else ("CODE", rng.randrange(6, 10))
    return Piece(world.fresh(lambda: spoken(rng, codes.filled(rng, "#" * count))), label, True)


def _digits(world: World, form: str) -> Piece:
    low, _, high = form.partition("-")
    return Piece(str(world.rng.randint(int(low), int(high or low))))


VALUES: dict[str, Callable[[World, str], Piece | list[Piece]]] = {
    "date": _date,
    "when": _when,
    "time": lambda world, _: Piece(dates.clock(world.rng, world.language), "DATE", True),
    "year": lambda world, _: Piece(str(world.day.year - world.rng.randrange(0, 40)), "DATE", True),
    "month": _month,
    "monthname": lambda world, _: Piece(world.rng.choice(dates.MONTHS[world.language]), "DATE", True),
    "weekday": lambda world, _: Piece(world.rng.choice(dates.DAYS[world.language]), "DATE", True),
    "money": money,
    "price": lambda world, form: money(world, form or "price"),
    "addr": _address,
    "town": _town,
    "region": _region,
    "country": _country,
    "street": lambda world, _: _place(places.street(world.rng, world.part, world.country)),
    "road": lambda world, _: _place(
        places.street(world.rng, world.part, world.country).lstrip("0123456789 ,").removeprefix("bis, ")
    ),
    "postcode": lambda world, _: _place(world.home.postcode),
    "phone": lambda world, _: Piece(world.fresh(lambda: codes.phone(world.rng, world.country)), "PHONE", True),
    "email": lambda world, _: Piece(
        world.fresh(lambda: net.email(world.rng, None, world.text_of("firm"), world.language)), "EMAIL", True
    ),
    "url": lambda world, _: Piece(
        world.fresh(lambda: net.url(world.rng, world.text_of("firm"), world.language, net.nick(world.rng, None))),
        "URL",
        True,
    ),
    "ip": lambda world, _: Piece(world.fresh(lambda: net.ip(world.rng)), "IP", True),
    "nick": _nick,
    "age": lambda world, _: Piece(str(world.rng.randrange(18, 97)), "AGE", True),
    "pager": lambda world, _: Piece(str(world.rng.randrange(100, 9999)), "OTHER"),
    "years": _years,
    "expiry": lambda world, _: Piece(f"{world.rng.randrange(1, 13):02}/{world.rng.randrange(20, 33)}", "DATE", True),
    "flight": lambda world, _: Piece(
        codes.filled(world.rng, world.rng.choice(("@@ ###", "@@###", "@@####", "@@ ####"))), "OTHER"
    ),
    "spoken": _spoken,
    "dose": dose,
    "measure": lambda world, form: Piece(varied(world, form), "QUANTITY"),
    "sum": lambda world, form: Piece(varied(world, form), "QUANTITY", True),
    "amount": lambda world, form: Piece(varied(world, form)),
    "hospital": _organization("hospital"),
    "clinic": _organization("clinic"),
    "firm": _organization("firm"),
    "bank": _organization("bank"),
    "court": _organization("court"),
    "police": _organization("police"),
    "prison": _organization("prison"),
    "council": _organization("council"),
    "school": _organization("school"),
    "club": _organization("club"),
    "hotel": _organization("hotel"),
    "surname": _other_name,
    "number": _digits,
}
