"""The open half of the grid: what was looked at while rules were written."""

from __future__ import annotations

from grid_templates import Names, Person, Values

PEOPLE = (
    Person("Doris", "Quillfeather"),
    Person("Kwame", "Adjorlolo"),
    Person("Anna", "Larsen"),
    Person("Zbigniew", "Wrzosek"),
    Person("Will", "Reading", word=True),
    Person("May", "Hunter", word=True),
)

_CUES = ("as written", "capitals", "lower case")
_WRITTEN = ("as written",)

NAMES = (
    Names(
        "name in a field",
        (
            "Name: {full}", "Patient: {reversed}", "Surname: {last}", "Full name - {full}", "Name of patient: {full}",
            "Consultant: {last}", "Next of kin: {full}", "Referred by: {full}", "Signed: {initial}", "GP = {full}",
            "Tenant\t{full}", "Customer name      {full}", "DOB: 1979-04-03  Name: {full}  Ward: 3",
            "Emergency contact: {full} (daughter)", "Assigned to {full}", "Requested by {full}",
        ),
        words=_CUES,
    ),
    Names("name in a table", ("| {full} | 41 |", "| {last} | 41 | F |", "{full};41;F",
    "1\t{full}\tpaid"), _CUES, _WRITTEN),
    Names(
        "name with a cue",
        (
            "Hi {first},", "Hi {last},\nthanks for the note.", "Dear {full},", "My name is {full}.",
            "Mr {last} was there.", "mrs {last} rang again", "Dr {initial} agreed.", "Regards,\n{full}",
            "Thanks,\n{first}\n", "He is called {full}.", "Spoke to {last} at length.", "Attn {full}",
            "This is {full} speaking.", "{last} called about the lease.", "{full} phoned this morning.",
        ),
        _CUES,
        _WRITTEN,
    ),
    Names(
        "name in a sentence",
        (
            "The appointment with {last} was moved.", "I met {full} at the station.", "The {last} family moved away.",
            "A letter from {full} arrived.", "Nobody had told {last} about it.", "{full}'s file is missing.",
        ),
        _WRITTEN,
    ),
    Names(
        "name said again",
        (
            "Mr {last} phoned. Then {lower} said no.", "Mr {last} phoned; his login {login} works.",
            "Mr {last} sent {lower}.pdf today.", "Mr {last} came, and the {plural} left.",
            "Mr {last} phoned. {upper} was asked to wait.", "Name: {full}\nhome/{lower}/2021",
            "Name: {full}\nthe file re_{lower}_final.docx", "Name: {full}\nuser {glued} logged in",
            "Name: {full}\nprofile {dotted}", "Name: {full}\ntag #{camel}", "Name: {full}\nask {first_lower} again",
            "Mr {last} phoned. It was {lower}'s fault.", "Mr {last} phoned. <td>{lower}</td>",
            "Mr {last} phoned. {{\"by\": \"{lower}\"}}",
        ),
        _WRITTEN,
        (),
    ),
    Names(
        "everyday name said again",
        ("Mr {last} phoned. Nobody had seen {last}.", "Mr {last} phoned, and the {plural} left.",
        "Ms {last} left: {upper}"),
        _WRITTEN,
    ),
    Names(
        "name in markup",
        (
            "<td>{full}</td>", "<b>Name:</b> {full}", "<tr><td>Name</td><td>{full}</td></tr>", "<name>{full}</name>",
            '<input name="surname" value="{last}">', '<span class="patient">{full}</span>', "**Name:** {full}",
            '{{"name": "{full}"}}', '{{"patient_name":"{full}","ward":3}}', '{{"lastName": "{last}", "n": 1}}',
            '{{\\"name\\": \\"{full}\\"}}', "name={plus}&page=2", "name,ward\n{full},3",
        ),
        words=("as written", "capitals"),
    ),
)  # fmt: skip

VALUES = (
    Values(
        "date",
        (
            "03 APR 1979", "3 Apr 79", "03/04/1979", "3.4.79", "1979-04-03", "April 3, 1979", "3rd of April 1979",
            "03-APR-1979", "03Apr1979", "3 april", "Apr 3 1979", "1979/04/03", "3 Apr '79", "03 04 1979", "Apr-79",
            "3 May 1979", "19790403", "3-4-79",
        ),
        ("DOB: {value}", "born {value}", "Seen on {value}, then sent home.", '{{"dob": "{value}"}}',
        "<td>{value}</td>"),
    ),
    Values(
        "coordinates",
        (
            "51.5007, -0.1246", "51.5007,-0.1246", "51°30'26\"N 0°7'39\"W", "51.5007° N, 0.1246° W",
            "51° 30′ 26″ N, 0° 7′ 39″ W", "lat 51.5007 lon -0.1246", "51.5007N 0.1246W", "N51.5007 W0.1246",
        ),
        ("Found at {value} by a walker.", "location: {value}", "geo:{value}"),
    ),
    Values(
        "postcode and street",
        (
            "SW1A 1AA", "Sw1a 1AA", "SW1A1AA", "M1 1AE", "EC1A 1BB", "K1A 0B1", "14 Harbour Lane",
            "Flat 2, 14 Harbour Lane", "221b Station Road", "7 Oakfield Crescent",
        ),
        ("lives at {value}.", "Address: {value}", "The parcel went to {value} again.", '"postcode": "{value}"'),
    ),
    Values(
        "code",
        (
            "ABC/2021/77", "ABC-2021-77", "AB123456C", "AB 12 34 56 C", "X-7781-Q", "2021/ABC/77", "77/2021",
            "LX19 ZKP",
            "533401372", "HP-20-7781", "GB29NWBK60161331926819", "4012 8888 8888 1881", "943 476 5919", "078-05-1120",
            "00:1A:2B:3C:4D:5E", "7d444840-9dc0-11d1-b245-5ffdce74fad2",
        ),
        ("Ref {value} was closed.", "file {value}", "case: {value}", '{{"id": "{value}"}}', "<td>{value}</td>"),
    ),
    Values(
        "telephone",
        (
            "555 0187", "555-0187", "555.0187", "(555) 010-2233", "+44 7700 900123", "07700 900123", "020 7946 0958",
            "+1.555.010.2233", "1-800-555-0199", "555 0187 ext 4", "0770 0900 123", "+49 (0)30 901820",
        ),
        ("Call {value} after nine.", "tel: {value}", "{value} (mobile)", '{{"phone": "{value}"}}'),
    ),
    Values(
        "address of the net",
        (
            "doris [at] example [dot] org", "doris(at)example(dot)org", "doris at example dot org",
            "doris@example.org",
            "doris {at} example {dot} org", "doris @ example . org", "doris[at]example.org", "http://example.org/~dq",
            "192.0.2.7", "2001:db8::7", "www.example.org/dq", "example.org/u/dq7",
        ),
        ("write to {value} today", "contact: {value}", "<{value}>", '"link": "{value}"'),
    ),
    Values(
        "account",
        ("qfeather", "dq_1979", "jdoe", "d.quill", "adm-jdoe"),
        (
            "user={value} action=login", "login: {value}", "username {value} was locked", "logged in as {value}",
            '{{"user": "{value}"}}', "uid={value};", "Twitter: @{value}", "User-Name: {value}",
        ),
        ("as written",),
    ),
    Values(
        "password or key",
        (
            "hunter2", "Tr0ub4dor&3", "correcthorse", "9f8e7d6c5b4a39281706", "s3cr3t!", "letmein", "xK-92_qq.Zp",
            "P@ss,word"
        ),
        (
            "password: {value}", "pwd={value}", "api_key = {value}", "my password is {value}", 'secret="{value}"',
            '{{"token": "{value}"}}', "Authorization: Bearer {value}", "PASSWORD={value}",
        ),
        ("as written",),
    ),
    Values(
        "key by its look",
        (
            "AKIAIOSFODNN7EXAMPLE", "sk-test-51H8abcdEFGHijkl2345", "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmN", "xoxb-2345-abcdefghijkl",
        ),
        ("use {value} for now", "{value}", "key {value}"),
        ("as written",),
    ),
    Values(
        "age and sex",
        ("41F", "41 y/o", "41yo", "41-year-old", "M41"),
        ("{value} with a cough", "seen: {value}, no fever", "| {value} |"),
    ),
    Values("age", ("41", "7"), ("Age: {value}", "aged {value}", '{{"age": {value}}}', "Age {value}, at home")),
)  # fmt: skip
