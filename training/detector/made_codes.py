"""Numbers that stand for a person, an account or a thing, and addresses of the net."""

from __future__ import annotations

import random
import re
import string
import uuid
from collections.abc import Callable
from functools import cache

import phonenumbers

_LETTERS = "ABCDEFGHJKLMNPRSTUVWXYZ"
_ALNUM = string.ascii_letters + string.digits


def filled(rng: random.Random, pattern: str) -> str:
    """Fill ``#`` by digits, ``@`` by capitals, ``?`` by small letters, ``%`` by hexadecimal digits, ``*`` by any."""
    signs = {"#": string.digits, "@": _LETTERS, "?": string.ascii_lowercase, "%": "0123456789abcdef", "*": _ALNUM}
    return "".join(rng.choice(signs[sign]) if sign in signs else sign for sign in pattern)


def _grouped(rng: random.Random, digits: str, *sizes: int) -> str:
    joint = rng.choice((" ", " ", "", "-"))
    parts, place = [], 0
    for size in sizes:
        parts.append(digits[place : place + size])
        place += size
    return joint.join(part for part in (*parts, digits[place:]) if part)


def nhs(rng: random.Random) -> str:
    """A number of the British health service, three times in four with the right check digit."""
    while True:
        digits = filled(rng, "#########")
        check = 11 - sum(int(digit) * (10 - place) for place, digit in enumerate(digits)) % 11
        if check != 10:
            break
    last = str(check % 11) if rng.random() < 0.75 else str(rng.randrange(10))
    return _grouped(rng, digits + last, 3, 3)


def card(rng: random.Random) -> str:
    """A number of a payment card."""
    digits = filled(rng, rng.choice(("4##############", "5#############", "37############", "6011###########")))
    total = 0
    for place, digit in enumerate(reversed(digits)):
        double = int(digit) * (2 if place % 2 == 0 else 1)
        total += double - 9 if double > 9 else double
    digits += str(-total % 10) if rng.random() < 0.8 else str(rng.randrange(10))
    if rng.random() < 0.25:
        hidden = rng.choice(("**** **** **** ", "xxxx-xxxx-xxxx-", "************", "XXXX XXXX XXXX "))
        return hidden + digits[-4:]
    return _grouped(rng, digits, 4, 4, 4)


_IBAN = {
    "GB": "@@@@##############", "DE": "##################", "FR": "####################**#"[:23],
    "ES": "####################",
    "NL": "@@@@##########", "PT": "#####################", "SE": "####################", "DK": "##############",
    "NO": "###########", "FI": "##############", "RO": "@@@@################", "TR": "######################",
    "BE": "############", "AT": "################", "IT": "@######################",
    "CH": "#################", "IE": "@@@@##############",
}  # fmt: skip


def nir(rng: random.Random) -> str:
    """A French number of social security with its key."""
    month, department = rng.randrange(1, 13), rng.choice((*range(1, 96), 99))
    digits = f"{rng.choice('12')}{rng.randrange(100):02}{month:02}{department:02}{filled(rng, '######')}"
    key = f"{97 - int(digits) % 97:02}" if rng.random() < 0.8 else ""
    if rng.random() < 0.4:
        return digits + key
    return f"{digits[0]} {digits[1:3]} {digits[3:5]} {digits[5:7]} {digits[7:10]} {digits[10:]} {key}".strip()


_ODD = dict(
    zip(
        string.digits + string.ascii_uppercase,
        (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16,
         10, 22, 25, 24, 23),
        strict=True,
    )
)  # fmt: skip


def fiscal(rng: random.Random) -> str:
    """An Italian tax code of a person with its check letter."""
    day = rng.randrange(1, 29) + rng.choice((0, 40))
    letters = "".join(rng.choice("BCDFGLMNPRSTVZ") for _ in range(6))
    body = f"{letters}{rng.randrange(100):02}{rng.choice('ABCDEHLMPRST')}{day:02}{rng.choice('ABCDEFGHIL')}"
    body += filled(rng, "###")
    total = sum(_ODD[sign] if place % 2 == 0 else int(sign, 36) - (10 if sign.isalpha() else 0)
                for place, sign in enumerate(body))  # fmt: skip
    whole = body + chr(ord("A") + total % 26)
    return f"{whole[:6]} {whole[6:11]} {whole[11:]}" if rng.random() < 0.15 else whole


def iban(rng: random.Random, country: str = "") -> str:
    """An IBAN, four times in five with the right check digits."""
    land = country if country in _IBAN and rng.random() < 0.8 else rng.choice(list(_IBAN))
    body = filled(rng, _IBAN[land]).upper()
    digits = "".join(str(int(sign, 36)) for sign in f"{body}{land}00")
    check = 98 - int(digits) % 97 if rng.random() < 0.8 else rng.randrange(2, 98)
    whole = f"{land}{check:02}{body}"
    return " ".join(whole[place : place + 4] for place in range(0, len(whole), 4)) if rng.random() < 0.6 else whole


NATIONAL = {
    "GB": ("@@######@", "@@ ## ## ## @"), "US": ("###-##-####", "### ## ####", "#########"), "IE": ("#######@",
        "#######@@"),
    "CA": ("### ### ###",), "AU": ("#### ##### #", "### ### ###"), "NG": ("###########",), "KE": ("########",),
    "GH": ("GHA-#########-#",), "IN": ("#### #### ####", "@@@@@####@"), "ZA": ("##########08#",),
        "PH": ("##-#######-#",),
    "SG": ("S#######@",), "NZ": ("@@@####",), "DE": ("##/###/#####", "L########", "## ######@###"),
        "AT": ("#### ######",),
    "CH": ("756.####.####.##",), "ES": ("########@", "########-@", "X#######@", "##.###.###-@"),
        "MX": ("@@@@######@@@@@@##",),
    "AR": ("##.###.###", "##-########-#"), "FR": ("# ## ## ## ### ### ##", "#############"),
    "IT": ("8038##############8#", "CA#####@@", "@@#######"),
        "BE": ("##.##.##-###.##",),
    "NL": ("#########", "####.##.###"), "BV": ("##.##.##-###.##",), "PT": ("### ### ###", "#########",
        "######## # @@#"),
    "BR": ("###.###.###-##", "###########"), "SE": ("19######-####", "######-####"), "DK": ("######-####",
        "##########"),
    "NO": ("###########", "###### #####"), "FI": ("######-###@", "######A###@"), "RO": ("1############",
        "2############"),
    "QC": ("### ### ###", "@@@@ #### ####"), "SR": ("756.####.####.##",), "TI": ("756.####.####.##",),
    "TR": ("###########",), "XX": ("@#######", "##########"),
}  # fmt: skip

PATTERNS: dict[str, tuple[str, ...]] = {
    "mrn": ("#######", "########", "MRN######", "@######", "##-##-##", "@@@-#####", "A########", "######",
        "###-###-###", "RXH####",
            "@##/#####", "MRN-#######", "H#######", "#####/##"),
    "episode": ("EP-######", "E########", "########/#", "V#######", "####-#####"),
    "sample": ("@##-#####", "##@######", "LAB#######", "S##-####", "##:@#######", "H####/##"),
    "order": ("#######", "###-#####", "ORD-######", "W#########", "##-#####-#####", "SO######", "@@@@#######",
        "####-####", "##########",
              "AB-######", "###-#######-#######"),
    "invoice": ("INV-####", "INV/####/###", "##/#####", "R-20##-####", "INV#######", "20######", "F##-####",
        "RE####-##"),
    "ticket": ("#####", "######", "INC#######", "CS-#####", "TKT-######", "REQ########", "SUP-####", "CASE-########"),
    "policy": ("POL-########", "##/@@@/######", "@@########", "P#######@", "#########/##", "HH-####-####",
        "MOT #### ####"),
    "claim": ("CLM-######", "C/##/#####", "20##/######", "CL########", "##-####-##", "@@@/####/##"),
    "case": ("##/####", "@/###/20##", "20##-CV-#####", "##-cr-#####", "CR-####-##", "###/##", "AC-20##-LON-######",
        "[ref]####/20##",
             "#####/##", "HC-MISC-###-20##", "Cause No. ####"),
    "docket": ("# O ###/##", "## C ####/##", "# StR ###/##", "S ## KR ###/##", "### Js #####/##", "# Ca ####/##",
        "## F ###/##", "VI ZR ##/##", "# Ob ##/##@", "## Ls ## Js ####/##", "#@_###/20##", "XII ZB ##/##"),
    "zaak": ("C/##/###### / HA ZA ##-###", "##/######-##", "##/#####", "ECLI:NL:RBAMS:20##:####", "## / ####",
        "#######\\CV EXPL ##-####", "20##/AR/###", "##-###### / KG ZA ##-###", "AWB ##/####"),
    "insurance": ("@#########", "## ###### @ ###", "@### ### ###", "#### ######"),
    "crime": ("##/#####/##", "CR/####/##", "CAD ####", "##@@#######", "4#/######/2#", "20##-#######"),
    "booking": ("@@@###", "@#@#@@", "@@@@@@", "##########", "####.###.###", "BK-#######", "HM@@#####@"),
    "ticketno": ("###-##########", "### ##########", "#############"),
    "tracking": ("1Z###@##########", "JD##################", "RR#########GB", "@@ #### #### #@@", "##########",
        "JJD############", "LX#########CN"),
    "account": ("########", "##########", "#########", "####-######", "## ######", "000#######", "XX####",
        "****####", "...####", "#### #### ##"),
    "sort": ("##-##-##", "## ## ##", "######"),
    "customer": ("CUS-#####", "C######", "########", "K-######", "#####-@", "@@-######", "######"),
    "employee": ("E#####", "EMP-####", "#####", "P-####", "00####", "@@####", "PN ######"),
    "student": ("S########", "20######", "#######", "@#######", "U#######"),
    "passport": ("@########", "#########", "@@#######", "@#######"),
    "licence": ("@@@@@######@@#@@", "@###-####-####", "#########", "@#######", "##@@######"),
    "serial": ("SN#########", "@#@##@####", "C0#@@###@@@@", "####-####-@@", "FVF@@#@@####"),
    "imei": ("35####-##-######-#", "###############"),
    "plate": ("@@## @@@", "@@##@@@", "@@@-####", "###-@@@", "@@-###-@@", "#@@@###", "@-@@ ####", "@@ #####",
        "####-@@@", "K@@ ###@", "##-@@-@@", "@@###@@", "@@ ### @@"),
    "reference": ("@@/##/####", "@@@-####", "####/@@", "@@#####", "##-###", "#######", "@@/####/20##", "Ref####",
        "@@@#####"),
    "swift": ("@@@@GB2L", "@@@@DEFF", "@@@@@@##", "@@@@FRPP", "@@@@NL2A"),
    "taxid": ("##-#######", "GB#########", "DE#########", "#### ##### #####", "FR###########", "###/####/####",
              "IT###########", "###########"),
    "meter": ("##@@#####", "@##########", "##########"),
    "session": ("%%%%%%%%%%%%%%%%", "%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%%", "sess_************", "%%%%%%%%",
        "*********************"),
    "key": ("sk_live_************************", "AKIA@#@#@@@#@@#@@#@@", "ghp_" + "*" * 36,
        "xoxb-############-****************",
            "pk_test_****************", "AIza" + "*" * 35, "eyJhbGciOi" + "*" * 20 + "." + "*" * 24),
    "mac": ("%%:%%:%%:%%:%%:%%", "%%-%%-%%-%%-%%-%%"),
    "vin": ("W##@@@##@########"[:17], "1@@@@##@#########"[:17], "VF1@@@@##########"[:17], "@@@@@@##@@#######"),
    "gmc": ("#######",), "npi": ("1#########",), "pin": ("####", "######"), "dea": ("B@#######",),
    "hash": ("%%%%%%%",), "last4": ("####",),
}  # fmt: skip


def code(rng: random.Random, kind: str, country: str) -> str:
    """Return a code of a kind."""
    if kind == "national":
        if country in ("FR", "IT") and rng.random() < 0.8:
            return nir(rng) if country == "FR" else fiscal(rng)
        return filled(rng, rng.choice(NATIONAL.get(country, NATIONAL["XX"])))
    if kind == "uuid":
        return str(uuid.UUID(int=rng.getrandbits(128), version=4))
    if kind == "iban":
        return iban(rng, country)
    makers: dict[str, Callable[[random.Random], str]] = {"nhs": nhs, "card": card}
    if kind in makers:
        return makers[kind](rng)
    return filled(rng, rng.choice(PATTERNS[kind]).replace("[ref]", ""))


@cache
def _examples(country: str) -> tuple[tuple[str, str], ...]:
    region = {"BV": "BE", "XX": "UA", "TI": "CH", "SR": "CH", "QC": "CA"}.get(country, country)
    kinds, shapes = phonenumbers.PhoneNumberType, phonenumbers.PhoneNumberFormat
    found = []
    for kind in (kinds.MOBILE, kinds.FIXED_LINE):
        number = phonenumbers.example_number_for_type(region, kind)
        if number:
            found.append(
                (
                    phonenumbers.format_number(number, shapes.NATIONAL),
                    phonenumbers.format_number(number, shapes.INTERNATIONAL),
                )
            )
    return tuple(found)


_MORE_REGIONS = [
    "IR",
    "IQ",
    "SY",
    "AF",
    "PK",
    "BD",
    "CN",
    "JP",
    "KR",
    "VN",
    "UA",
    "PL",
    "GR",
    "IT",
    "IS",
    "ET",
    "UG",
    "TZ",
    "SN",
    "CO",
    "CL",
    "PE",
    "IL",
    "WS",
    "FJ",
    "HR",
    "CZ",
    "HU",
]


def phone(rng: random.Random, country: str) -> str:
    """Return a number in a form of its country, or, seldom, of another one."""
    land = country if rng.random() < 0.85 and country != "XX" else rng.choice(_MORE_REGIONS)
    example = rng.choice(_examples(land))
    foreign = rng.random() < 0.3
    text = example[1 if foreign else 0]
    digits = [place for place, sign in enumerate(text) if sign.isdigit()]
    signs = list(text)
    fixed = len(digits) - 7 if rng.random() < 0.3 else 4 if foreign else 2
    for place in digits[max(fixed, 3 if foreign else 1) :]:
        signs[place] = str(rng.randrange(10))
    text = "".join(signs)
    if land in ("US", "CA") and rng.random() < 0.5:
        a, b, c = filled(rng, "###"), filled(rng, "###"), filled(rng, "####")
        text = rng.choice(
            (f"{a}-{b}-{c}", f"{a}.{b}.{c}", f"({a}) {b}-{c}", f"1-{a}-{b}-{c}", f"+1 {a} {b} {c}", f"{a}{b}{c}")
        )
    shape = rng.random()
    if shape < 0.1:
        text = re.sub(r"(?<=\d)[ -](?=\d)", rng.choice(("-", ".", " ", "/")), text)
    elif shape < 0.2:
        text = re.sub(r"[ ()-]", "", text)
    elif shape < 0.25 and foreign:
        text = re.sub(r"^\+", "00", text)
    elif shape < 0.3 and foreign and land == "GB":
        text = text.replace("+44 ", "+44 (0)")
    if rng.random() < 0.04:
        text += rng.choice((" ext. ", " ext ", " x", "-")) + str(rng.randrange(10, 9999))
    return text
