"""The other half of the grid: other people, other words, other formats.

It was written before the rules. What is missed of it is never looked at, only its recall, so that it shows whether
rules are general.
"""

from __future__ import annotations

from grid_templates import Names, Person, Values

PEOPLE = (
    Person("Ottilie", "Farthingsby"),
    Person("Ifeoma", "Nwachukwu"),
    Person("Piotr", "Szczurek"),
    Person("Callum", "Drabblestone"),
    Person("Rose", "Field", word=True),
    Person("Mark", "Winter", word=True),
)

_CUES = ("as written", "capitals", "lower case")
_WRITTEN = ("as written",)

NAMES = (
    Names(
        "name in a field",
        (
            "Client: {full}", "Resident: {reversed}", "Last name: {last}", "Applicant name: {full}",
            "Seen by: {full}",
            "Landlord - {full}", "Mother's name: {full}", "Attending: {initial}", "Beneficiary = {full}",
            "Guest\t{full}", "Policyholder: {full}", "Prepared by {full}",
        ),
        words=_CUES,
    ),
    Names("name in a table", ("| 7 | {full} | no |", "{last}|F|1979", "3;{full};open"), _CUES, _WRITTEN),
    Names(
        "name with a cue",
        (
            "Hello {first},", "Hey {last}, are you in?", "Dear Ms {last},", "I'm {full}.", "prof {last} has left",
            "Yours sincerely,\n{full}", "Best,\n{first}", "a man named {full}", "{last} emailed twice.",
            "Talked to {full} again.", "{full} wrote back.",
        ),
        _CUES,
        _WRITTEN,
    ),
    Names(
        "name in a sentence",
        ("We asked {last} to pay.", "They saw {full} near the shop.", "{full}'s dog barked.",
        "A meeting with {full} is due."),
        ("as written",),
    ),
    Names(
        "name said again",
        (
            "Ms {last} wrote. {lower} is cross.", "Ms {last} wrote. See {lower}.docx for more.",
            "Client: {full}\nmail goes to {login}", "Client: {full}\nthe {plural} are away",
            "Client: {full}\nsrv/{glued}/x",
            "Ms {last} wrote. invoice-{lower}-march.xlsx", "Client: {full}\n[{upper}]",
            "Client: {full}\n@{dotted} said",
            "Ms {last} wrote. \"{lower}\" it said.",
        ),
        _WRITTEN,
        (),
    ),
    Names(
        "everyday name said again",
        ("Dr {last} wrote. We told {last} so.", "Dr {last} wrote. It is {last}'s turn.",
        "Client: {full}\nall the {plural}"),
        _WRITTEN,
    ),
    Names(
        "name in markup",
        (
            "<li>{full}</li>", "<dt>Surname</dt><dd>{last}</dd>", "<customer>{full}</customer>",
            '<a title="{full}">x</a>',
            '{{"full_name": "{full}"}}', '{{"givenName":"{first}","familyName":"{last}"}}', "'client': '{full}'",
            "surname={last}&id=9", "_Client_: {full}", "client,paid\n{full},yes",
        ),
        words=("as written", "capitals"),
    ),
)  # fmt: skip

VALUES = (
    Values(
        "date",
        (
            "14 NOV 1986", "14 Nov 86", "14/11/1986", "14.11.86", "1986-11-14", "November 14th, 1986",
            "14th November 1986",
            "14-Nov-86", "14NOV1986", "14 nov", "1986.11.14", "14 / 11 / 1986", "Nov '86",
        ),
        ("Birth date {value}", "discharged {value}", "It was {value} when they met.", "'date': '{value}'",
        "{value} | paid"),
    ),
    Values(
        "coordinates",
        ("48.8584, 2.2945", "48.8584N, 2.2945E", "48°51'30\"N, 2°17'40\"E", "48° 51.5' N 2° 17.7' E",
        "-33.8568;151.2153"),
        ("Last seen near {value}.", "GPS {value}", "pin: {value}"),
    ),
    Values(
        "postcode and street",
        ("LS2 9JT", "ls29jt", "B33 8QA", "N1C 4AG", "V6B 4Y8", "9 Millpond Close", "Unit 5, 30 Tannery Street",
        "118a Elm Grove"),
        ("moved to {value}", "delivery: {value}", "she left {value} in June"),
    ),
    Values(
        "code",
        (
            "QX/1986/204", "QX-1986-204", "JH445566D", "K-2204-M", "204/1986", "BD51 SMR", "HK/22/118", "120034578",
            "DE89370400440532013000", "5105 1051 0510 5100", "06:5E:4D:3C:2B:1A",
            "c9bf9e57-1685-4c89-bafb-ff5af830be8a",
        ),
        ("Docket {value} is open.", "our ref. {value}", "'ref': '{value}'", "number {value}"),
    ),
    Values(
        "telephone",
        ("555 0142", "555-0142", "(0161) 496 0000", "+33 1 99 00 12 34", "07911 123456", "0161 496 0000",
        "+1 (555) 010-9988"),
        ("Ring {value} tonight.", "mobile {value}", "fax: {value}", "phone={value}"),
    ),
    Values(
        "address of the net",
        (
            "cal [at] example [dot] net", "cal (at) example (dot) net", "cal AT example DOT net", "cal@example.net",
            "cal[at]example[dot]net", "https://example.net/cal", "203.0.113.9", "fe80::1ff:fe23:4567:890a",
        ),
        ("mail {value} please", "reach me: {value}", "[{value}]"),
    ),
    Values(
        "account",
        ("cdrabble", "umber_77", "msmith", "o.farthing"),
        ("usr={value} ok", "Login {value} failed", "account name: {value}", "signed in as {value}",
        "'username': '{value}'"),
        ("as written",),
    ),
    Values(
        "password or key",
        ("swordfish", "Blu3$ky", "aZ81-kk_09", "opensesame", "0a1b2c3d4e5f60718293"),
        (
            "Password is {value}", "passwd={value}", "apikey: {value}", "'password': '{value}'",
            "access_token={value}",
            "the passphrase: {value}",
        ),
        ("as written",),
    ),
    Values(
        "key by its look",
        ("AKIAI44QH8DHBEXAMPLE", "sk_live_4eC39HqLyjWDarjtT1zd", "gho_26C7e42F292c6912E7710c838347Ae178B4b"),
        ("try {value} instead", "{value}", "with {value}."),
        ("as written",),
    ),
    Values("age and sex", ("63M", "63 y.o.", "63-yr-old", "F63"), ("{value} in bed", "now {value}, well",
    "| {value} |")),
    Values("age", ("63", "9"), ("AGE = {value}", "age of {value}", '"age": "{value}"', "aged {value} at the time")),
)  # fmt: skip
