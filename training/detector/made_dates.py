"""Dates and times as people write them in each language."""

from __future__ import annotations

import random
from datetime import date, timedelta

_MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "sv": "januari februari mars april maj juni juli augusti september oktober november december",
    "da": "januar februar marts april maj juni juli august september oktober november december",
    "no": "januar februar mars april mai juni juli august september oktober november desember",
    "fi": "tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta "
    "marraskuuta joulukuuta",
    "ro": "ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie",
    "tr": "Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık",
}
_DAYS = {
    "en": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "de": "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
    "es": "lunes martes miércoles jueves viernes sábado domingo",
    "fr": "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "it": "lunedì martedì mercoledì giovedì venerdì sabato domenica",
    "nl": "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
    "pt": "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo",
    "sv": "måndag tisdag onsdag torsdag fredag lördag söndag",
    "da": "mandag tirsdag onsdag torsdag fredag lørdag søndag",
    "no": "mandag tirsdag onsdag torsdag fredag lørdag søndag",
    "fi": "maanantaina tiistaina keskiviikkona torstaina perjantaina lauantaina sunnuntaina",
    "ro": "luni marți miercuri joi vineri sâmbătă duminică",
    "tr": "Pazartesi Salı Çarşamba Perşembe Cuma Cumartesi Pazar",
}
MONTHS = {language: names.split() for language, names in _MONTHS.items()}
DAYS = {language: names.split() for language, names in _DAYS.items()}
_LONG = {
    "en": ("{d} {m} {y}", "{m} {d}, {y}", "{D} {m} {y}", "{d} {s} {y}", "{s} {d}, {y}", "{m} {D}, {y}",
           "{w}, {m} {d}, {y}",
           "{w} {d} {m} {y}", "{v} {d} {s} {y}", "the {D} of {m} {y}", "{d}-{s}-{y}", "{w}, {d} {m} {y}"),
    "de": ("{d}. {m} {y}", "{w}, {d}. {m} {y}", "{w}, den {d}. {m} {y}", "{d}. {s} {y}", "{w}, dem {d}. {m} {y}",
           "{0d}. {m} {y}", "{d}.{m} {y}"),
    "es": ("{d} de {m} de {y}", "{w} {d} de {m} de {y}", "{d} de {m} del {y}", "{w}, {d} de {m} de {y}",
           "{d} de {m} de {y}", "{d} de {M} de {y}", "{d}-{s}-{y}", "{d} {s} {y}", "{W}, {d} de {m} de {y}"),
    "fr": ("{d} {m} {y}", "{w} {d} {m} {y}", "{d} {m} {y}", "{w}, {d} {m} {y}", "{W} {d} {m} {y}", "{d} {b} {y}"),
    "it": ("{d} {m} {y}", "{w} {d} {m} {y}", "{d} {m} {y}", "{w}, {d} {m} {y}", "{W} {d} {m} {y}", "{d} {s} {y}",
           "{d}-{s}-{y}", "{d} {M} {y}"),
    "nl": ("{d} {m} {y}", "{w} {d} {m} {y}", "{d} {s} {y}", "{w}, {d} {m} {y}", "{d} {M} {y}"),
    "pt": ("{d} de {m} de {y}", "{w}, {d} de {m} de {y}", "{d} de {m} de {y}", "{d} de {M} de {y}", "{d}/{s}/{y}",
           "{d} {s} {y}", "{W}, {d} de {M} de {y}"),
    "sv": ("{d} {m} {y}", "{w} {d} {m} {y}", "den {d} {m} {y}"),
    "da": ("{d}. {m} {y}", "{w} d. {d}. {m} {y}", "{w} den {d}. {m} {y}"),
    "no": ("{d}. {m} {y}", "{w} {d}. {m} {y}"),
    "fi": ("{d}. {m} {y}", "{w} {d}. {m} {y}"),
    "ro": ("{d} {m} {y}", "{w}, {d} {m} {y}"),
    "tr": ("{d} {m} {y}", "{d} {m} {y} {w}"),
}  # fmt: skip
_DAY_ONLY = {
    "en": ("{d} {m}", "{m} {d}", "{D} {m}", "{m} {D}", "the {D} of {m}", "{w} {d} {m}", "{w}, {m} {d}", "{d} {s}",
           "{v} {d} {s}", "{s} {d}", "the {D}"),
    "de": ("{d}. {m}", "{w}, {d}. {m}", "{w}, den {d}. {m}", "{w}, dem {d}. {m}", "{w}, {0d}.{0m}."),
    "es": ("{d} de {m}", "{w} {d} de {m}"), "fr": ("{d} {m}", "{w} {d} {m}"),
    "it": ("{d} {m}", "{w} {d} {m}", "{w} {d}"),
    "nl": ("{d} {m}", "{w} {d} {m}"), "pt": ("{d} de {m}", "{w}, {d} de {m}"), "sv": ("{d} {m}", "{w} {d} {m}"),
    "da": ("{d}. {m}", "{w} d. {d}. {m}"), "no": ("{d}. {m}", "{w} {d}. {m}"), "fi": ("{d}. {m}", "{w} {d}. {m}"),
    "ro": ("{d} {m}", "{w}, {d} {m}"), "tr": ("{d} {m}", "{d} {m} {w}"),
}  # fmt: skip
_NUMERIC = {
    "en": ("{0d}/{0m}/{y}", "{0m}/{0d}/{y}", "{d}/{n}/{yy}", "{n}/{d}/{yy}", "{0d}/{0m}/{yy}", "{y}-{0m}-{0d}",
        "{0d}.{0m}.{y}",
           "{0d}-{0m}-{y}", "{0d}.{0m}.{yy}", "{y}/{0m}/{0d}", "{d}/{n}/{y}"),
    "de": ("{0d}.{0m}.{y}", "{d}.{n}.{y}", "{0d}.{0m}.{yy}", "{y}-{0m}-{0d}", "{d}.{n}.{yy}",
           "{d}. {n}. {y}", "{0d}/{0m}/{y}"),
    "es": ("{0d}/{0m}/{y}", "{d}/{n}/{y}", "{0d}-{0m}-{y}", "{d}/{n}/{yy}", "{0d}.{0m}.{y}", "{0d}-{0m}-{yy}",
           "{y}-{0m}-{0d}", "{0d}/{0m}/{yy}"),
    "fr": ("{0d}/{0m}/{y}", "{0d}/{0m}/{yy}", "{0d}.{0m}.{y}", "{0d}-{0m}-{y}", "{y}-{0m}-{0d}"),
    "it": ("{0d}/{0m}/{y}", "{0d}/{0m}/{yy}", "{0d}.{0m}.{y}", "{0d}-{0m}-{y}", "{d}/{n}/{y}", "{d}.{n}.{y}",
           "{0d}.{0m}.{yy}"),
    "nl": ("{0d}-{0m}-{y}", "{d}-{n}-{y}", "{0d}/{0m}/{y}", "{d}-{n}-{yy}", "{0d}-{0m}-{yy}", "{d}/{n}/{yy}",
           "{0d}.{0m}.{y}", "{y}-{0m}-{0d}"),
    "pt": ("{0d}/{0m}/{y}", "{0d}-{0m}-{y}", "{0d}/{0m}/{yy}", "{0d}.{0m}.{y}", "{d}/{n}/{y}", "{y}-{0m}-{0d}"),
    "sv": ("{y}-{0m}-{0d}", "{d}/{n} {y}", "{d}/{n}-{yy}", "{y}{0m}{0d}"),
    "da": ("{0d}.{0m}.{y}", "{0d}-{0m}-{y}", "{d}/{n}-{y}", "{0d}.{0m}.{yy}"),
    "no": ("{0d}.{0m}.{y}", "{d}.{n}.{yy}", "{0d}.{0m}.{yy}"),
    "fi": ("{d}.{n}.{y}", "{0d}.{0m}.{y}"),
    "ro": ("{0d}.{0m}.{y}", "{0d}/{0m}/{y}", "{0d}-{0m}-{y}"),
    "tr": ("{0d}.{0m}.{y}", "{0d}/{0m}/{y}", "{d}.{n}.{y}"),
}  # fmt: skip
_DAY_NUMBERS = {
    "en": ("{d}/{n}", "{0d}/{0m}"),
    "fi": ("{d}.{n}.",),
    "de": ("{d}.{n}.", "{0d}.{0m}."),
    "nl": ("{d}-{n}", "{0d}-{0m}", "{d}/{n}"),
    "no": ("{d}.{n}.",),
}
AT = {
    "en": (" at ", " at ", ", ", " ", " @ "), "de": (" um ", ", ", " gegen "), "es": (" a las ", ", "),
        "fr": (" à ", ", "),
    "it": (" alle ", " alle ore ", " ore ", ", ore ", ", "), "nl": (" om ", ", "),
    "pt": (" às ", ", "), "sv": (" kl. ", " kl "), "da": (" kl. ", ", kl. "), "no": (" kl. ",
        " kl "),
    "fi": (" klo ", " kello "), "ro": (", ora ", " la ora "), "tr": (" saat ", ", saat "),
}  # fmt: skip
_CLOCK = {
    "en": ("{h}:{M}", "{h12}:{M} {a}", "{h12}:{M}{a}", "{h12}{a}", "{h12} {a}", "{hh}{M}", "{h}.{M}",
        "{h12}:{M} {A}", "{hh}:{M} hrs", "{hh}:{M}"),
    "de": ("{h}:{M} Uhr", "{hh}:{M}", "{h} Uhr", "{h}.{M} Uhr", "{hh}:{M} Uhr",
           "{hh}.{M} Uhr", "{hh}:{M}h"), "fr": ("{h}h{M}", "{h} h {M}", "{h}h", "{hh}:{M}"),
    "it": ("{h}:{M}", "{hh}:{M}", "{h}.{M}", "{hh}.{M}"),
    "es": ("{h}:{M}", "{h}:{M} h", "{hh}:{M} horas"), "nl": ("{h}:{M}", "{h}.{M} uur", "{hh}:{M} uur", "{hh}.{M} uur",
           "{h}u{M}", "{h} uur", "{hh}:{M}"),
    "pt": ("{h}h{M}", "{hh}:{M}", "{h}h"), "fi": ("{h}.{M}", "{hh}:{M}"), "sv": ("{hh}.{M}", "{hh}:{M}"),
    "da": ("{h}.{M}", "{hh}:{M}"), "no": ("{hh}.{M}", "{hh}:{M}"), "ro": ("{hh}:{M}", "{h}:{M}"), "tr": ("{hh}:{M}",
        "{h}.{M}"),
}  # fmt: skip
_FIRST = {"fr": "1er", "it": "1°"}
_FRENCH_SHORT = ["janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.", "oct.", "nov.", "déc."]
STYLES = ("long", "long", "numeric", "numeric", "numeric")


def near(rng: random.Random, day: date, days: int) -> date:
    """Return a day that is at most so many days from ``day``."""
    return day + timedelta(days=rng.randint(-days, days))


def written(day: date, shape: str, language: str) -> str:
    """Fill one shape of a date."""
    month, weekday = MONTHS[language][day.month - 1], DAYS[language][day.weekday()]
    if "D" in shape:
        ending = "th" if 10 < day.day < 14 else {1: "st", 2: "nd", 3: "rd"}.get(day.day % 10, "th")
        shape = shape.replace("{D}", f"{day.day}{ending}")
    short = month[:3] + ("." if language in ("de", "nl") and len(month) > 4 else "")
    first = _FIRST.get(language) if day.day == 1 and "{n}" not in shape else None
    return (
        shape.replace("{0d}", f"{day.day:02}").replace("{0m}", f"{day.month:02}").replace("{yy}",
        f"{day.year % 100:02}")
        .replace("{d}", first or str(day.day)).replace("{n}", str(day.month)).replace("{y}", str(day.year))
        .replace("{m}", month)
        .replace("{s}", short).replace("{b}", _FRENCH_SHORT[day.month - 1]).replace("{M}", month.capitalize())
        .replace("{w}", weekday).replace("{W}", weekday.capitalize()).replace("{v}", weekday[:3])
    )  # fmt: skip


def of_style(rng: random.Random, day: date, style: str, language: str) -> str:
    """Write a date in words (long), in numbers (numeric), or without its year (day, day_numbers)."""
    shapes = {"long": _LONG, "numeric": _NUMERIC, "day": _DAY_ONLY, "day_numbers": _DAY_NUMBERS}[style]
    return written(day, rng.choice(shapes.get(language) or ("{d}/{n}",)), language)


def clock(rng: random.Random, language: str) -> str:
    """Write a time of the day."""
    hour, minute = (
        rng.choice((*range(24), *range(7, 20), *range(7, 20))),
        rng.choice((0, 15, 30, 45, rng.randrange(60))),
    )
    text = rng.choice(_CLOCK[language])
    half = "am" if hour < 12 else "pm"
    return (
        text.replace("{hh}", f"{hour:02}").replace("{h12}", str(hour % 12 or 12)).replace("{h}", str(hour))
        .replace("{M}", f"{minute:02}").replace("{a}", half).replace("{A}", half.upper())
    )  # fmt: skip
