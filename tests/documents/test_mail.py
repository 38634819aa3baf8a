"""Mail: each header, alternative and attachment is found, and what programs wrote for programs is gone."""

from __future__ import annotations

import binascii
import random
import re
from base64 import b64encode
from collections.abc import Generator
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import format_datetime, parsedate_to_datetime
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import pytest

from canaries import bird, birds, everything, left, replaced
from office import converted, strings, walked
from sfumato.building.policies import build_policy
from sfumato.documents.mail import message as mail
from sfumato.documents.mail.mail_headers import decoded
from sfumato.documents.mail.mail_parts import Mail
from sfumato.documents.rules import Refused, Rules
from sfumato.language.languages import LANGUAGES
from sfumato.policy.policy import Policy
from sfumato.privacy.randomness import PinnedRandomness
from sfumato.text.document import Document

KEPT = Rules(
    properties="keep", comments="keep", descriptions="keep", links="keep", hidden="keep", names="keep",
    attachments="keep", images="keep", programs="keep", unknown="keep",
)  # fmt: skip
PLAIN = "From: a@example.org\nSubject: x\nMIME-Version: 1.0\n"
TREATED = {
    "From": "{} <a@example.org>", "To": "x <{}@example.org>, y <b@example.org>", "Cc": '"{}, x" <a@example.org>',
    "Bcc": "a@{}.example.org", "Reply-To": "a@example.org ({})", "Sender": "Team {}: a@example.org;",
    "Subject": "About {}", "Date": "Tue, 3 Feb 2026 10:00:00 +0100 ({})", "Delivered-To": "{}@example.org",
    "Resent-From": "=?utf-8?q?=51{rest}?= <a@example.org>", "Resent-To": "=?iso-8859-1?b?{packed}?=\n =?utf-8?q?x?=",
}  # fmt: skip
DROPPED = {
    "Received": "from {} by example.org", "Return-Path": "<{}@example.org>", "X-Mailer": "{}", "User-Agent": "{}",
    "DKIM-Signature": "v=1; i=@{}", "ARC-Seal": "{}", "List-Unsubscribe": "<https://example.org/{}>",
    "Thread-Topic": "{}", "Thread-Index": "{packed}", "X-{}": "x", "Organization": "{}", "Keywords": "{}",
    "Comments": "{}", "Authentication-Results": "{}", "X-Originating-IP": "{}", "Disposition-Notification-To": "{}",
    "X-Gmail-Labels": "{}", "Autocrypt": "addr={}; keydata={packed}", "Content-Language": "{}",
    "Content-Location": "{}", "Content-Foo": "{}", "Face": "{packed}",
}  # fmt: skip
NUMBERED = {
    "Message-ID": "<{}@example.org>", "References": "<1{}@example.org>\n <2{}@example.org> {}",
    "In-Reply-To": "{} <1{}@example.org>",
}  # fmt: skip


def filled(template: str, number: int) -> str:
    word = bird(number)
    return template.format(*[word] * 4, rest=word[1:], packed=b64encode(f"{word} is it".encode()).decode())


def with_headers(headers: dict[str, str]) -> bytes:
    lines = [f"{filled(name, 99)}: {filled(value, number)}\n" for number, (name, value) in enumerate(headers.items())]
    return ("".join(lines) + "MIME-Version: 1.0\nContent-Type: text/plain\n\nHello.\n").encode()


def part(kind: str, body: str | bytes, *lines: str) -> bytes:
    body = body.encode() if isinstance(body, str) else body
    return "\n".join([f"Content-Type: {kind}", *lines, "", ""]).encode() + body + b"\n"


def several(*parts: bytes, kind: str = "mixed", before: bytes = b"", after: bytes = b"", line: str = "xx") -> bytes:
    head = f'{PLAIN}Content-Type: multipart/{kind}; boundary="{line}"\n\n'.encode()
    divided = "".join(f"--{line}\n{each.decode('latin-1')}" for each in parts).encode("latin-1")
    return head + before + divided + f"--{line}--\n".encode() + after


@pytest.mark.parametrize("name", [*TREATED, *DROPPED, *NUMBERED])
def test_no_header_keeps_what_was_marked(name: str) -> None:
    content = with_headers({"Subject": "x", name: {**TREATED, **DROPPED, **NUMBERED}[name]})
    assert left(content)
    new = replaced("x.eml", content)
    assert (f"header {name}" in new.texts) == (name in TREATED)
    again = walked("x.eml", new.content)
    assert again.texts == {slot.place: slot.new for slot in new.slots}
    assert again.content == new.content


def test_headers_are_kept_by_a_policy_that_keeps_them() -> None:
    content = with_headers(DROPPED)
    own = ("Content-Language", "Content-Location", "Content-Foo")  # they are of the part, which is written again
    expected = {bird(number).lower() for number, name in enumerate(DROPPED) if name not in (*own, "X-{}")}
    assert expected <= left(walked("x.eml", content, rules=KEPT).content)
    found = walked("x.eml", content, rules=Rules(properties="treat"))
    assert expected - {"qzlaaqz"} <= set().union(*(birds(slot.text) for slot in found.slots)) | left(found.content)
    with pytest.raises(Refused, match="properties"):
        walked("x.eml", content, rules=Rules(properties="refuse"))


def test_headers_lead_their_texts() -> None:
    found = walked("x.eml", with_headers(TREATED))
    assert {slot.lead for slot in found.slots} == {f"{name}: " for name in TREATED} | {""}


def test_headers_that_are_not_edited_stay_as_they_are() -> None:
    head = b'From: Anna Keller <anna@example.org>\nTo: b@example.org,\n "Li, Bo" <c@example.org>\nSubject: a\n b\n'
    new = walked("x.eml", head + b"\nHello.\n").content
    assert new.startswith(head)


@pytest.mark.parametrize(
    ("header", "text", "new", "expected"),
    [
        ("Wed, 11 May 2022 09:14:00 +0200", "2022-05-11T09:14:00+02:00", "", "Wed, 11 May 2022 09:14:00 +0200"),
        ("Wed,\n 11 May 2022 09:14 GMT", "2022-05-11T09:14:00+00:00", "", "Wed,\n 11 May 2022 09:14 GMT"),
        ("11 May 2022 09:14:00 -0000", "2022-05-11T09:14:00", "2022-05-09", "Mon, 09 May 2022 12:00:00 +0000"),
        ("1 May 2022 9:14:00 +0200 (CEST)", "2022-05-01T09:14:00+02:00", "", "Sun, 01 May 2022 09:14:00 +0200"),
        (
            "Wed, 11 May 2022 09:14:00 +0200",
            "2022-05-11T09:14:00+02:00",
            "2022-05-09T12:00:00+00:00",
            "Mon, 09 May 2022 12:00:00 +0000",
        ),
        ("Wed, 11 May 2022 09:14:00 +0200", "2022-05-11T09:14:00+02:00", "[DATE]", None),
        ("Wed, 11 May 2022 09:14:00 +0200", "2022-05-11T09:14:00+02:00", "[DATE]T09:14:00+02:00", None),
        ("Wed, 11 May 2022 09:14:00 +0200", "2022-05-11T09:14:00+02:00", "2022-05-32", None),
        ("Wed, 11 May 2022 09:14:00 +0200", "2022-05-11T09:14:00+02:00", "2022-05-09T[TIME]", None),
        ("Tue, 31 Feb 2022 09:14:00 +0200", "Tue, 31 Feb 2022 09:14:00 +0200", "[DATE]", "[DATE]"),
        ("yesterday", "yesterday", "[DATE]", "[DATE]"),
    ],
)
@pytest.mark.parametrize("name", ["Date", "Resent-Date"])
def test_dates_are_read_in_iso_8601_and_stay_dates(
    name: str, header: str, text: str, new: str, expected: str | None
) -> None:
    content = f"{name}: {header}\nSubject: x\n\nHello.\n".encode()
    done = walked("x.eml", content, {text: new} if new else {})
    assert done.texts[f"header {name}"] == text
    head, _, rest = done.content.decode().partition("Subject: x\n")
    assert rest
    assert head == ("" if expected is None else f"{name}: {expected}\n")


def test_the_date_of_a_received_header_is_read_in_iso_8601() -> None:
    content = b"Received: from a by b; Wed, 11 May 2022 09:14:00 +0200 (CEST)\nSubject: x\n\nHello.\n"
    new = walked("x.eml", content, {"2022-05-11T09:14:00+02:00": "2022-05-09"}, Rules(properties="treat"))
    assert new.texts["header line 1"] == "from a by b; 2022-05-11T09:14:00+02:00"
    assert new.content.startswith(b"Received: from a by b; Mon, 09 May 2022 12:00:00 +0000\n")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_treats_the_date_of_a_mail(language: str) -> None:
    content = b"Date: Wed, 11 May 2022 09:14:00 +0200\nSubject: x\n\nHello.\n"
    text = walked("x.eml", content).texts["header Date"]
    policy_of_dates = Policy.parse(f'''
        [find]
        detect = ["identifiers"]
        language = "{language}"
        [[treat]]
        kinds = ["DATE"]
        mechanism = "shift"
        epsilon = 0.1
        within = "30 days"
    ''', Path())  # fmt: skip
    pin = PinnedRandomness(bytes(range(32)))
    release = build_policy(policy_of_dates).sanitize_batch([Document(text, "1")], pin)[0]
    new = walked("x.eml", content, {text: release.text}).content.decode()
    date = parsedate_to_datetime(message_from_bytes(new.encode())["Date"])
    assert abs(date - datetime(2022, 5, 11, 12, tzinfo=UTC)) <= timedelta(days=3000)  # ten times the scale of the law
    assert new.partition("\n")[0] == f"Date: {format_datetime(date)}"
    assert date.isoformat().endswith("T12:00:00+00:00")


@pytest.mark.parametrize(
    ("header", "words", "expected"),
    [
        ("Anna Keller <anna@x.org>", {"Anna Keller": "Bo Li"}, '"Bo Li" <anna@x.org>'),
        (
            "Anna Keller <anna@x.org>",
            {"anna@x.org": "[ADDRESS]"},
            '"Anna Keller <[ADDRESS]>" <nobody@address.invalid>',
        ),
        ("anna@x.org, b@x.org", {"anna@x.org": "c@y.org"}, "c@y.org,\n b@x.org"),
        ("anna@x.org, b@x.org", {"anna@x.org": ""}, "b@x.org"),
        ("Anna Keller <anna@x.org>", {"Anna Keller <anna@x.org>": "[PERSON]"}, '"[PERSON]" <nobody@address.invalid>'),
        ("Anna <anna@x.org>, Bo <b@x.org>", {"Anna": 'Zo"e'}, '"Zo\\"e" <anna@x.org>,\n "Bo" <b@x.org>'),
        ("Anna <anna@x.org>", {"Anna": "Zoë"}, "=?utf-8?q?Zo=C3=AB?= <anna@x.org>"),
        ("Anna <anna@x.org>", {"Anna": "a\r\nBcc: b"}, '"a Bcc: b" <anna@x.org>'),
        ("Anna (the boss) <anna@x.org>", {"boss": "x"}, '"Anna (the x) <anna@x.org>" <nobody@address.invalid>'),
    ],
)
def test_addresses_stay_addresses(header: str, words: dict[str, str], expected: str) -> None:
    new = walked("x.eml", f"From: {header}\nSubject: x\n\nHello.\n".encode(), words).content.decode()
    assert new.partition("\nSubject")[0] == f"From: {expected}"
    again = walked("x.eml", new.encode())
    assert again.content.decode() == new
    read = message_from_bytes(new.encode(), policy=policy.default)
    assert not read["From"].defects


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("=?utf-8?q?Z=C3=BC?= =?utf-8?q?rich?=", "Zürich"),
        ("=?iso-8859-1*de?Q?Z=FCrich?= x", "Zürich x"),
        ("=?utf-8?b?WsO8?=\r\n\t=?utf-8?b?cmljaA==?=", "Zürich"),
        ("=?utf-8?b?wg==?==?utf-8?b?pQ==?=", "¥"),
        ("=?utf-8?q?=3D=3Futf-8=3Fq=3FAnna=3F=3D?=", "Anna"),
        ("=?gb2312?b?1tC5+g==?=", "中国"),
        ("=?utf-7?q?Z+APw-rich?=", "Zürich"),
        ("=?x-unknown-a?q?x?=", None),
        ("=?utf-8?b?a?=", None),
        ("Z\udcfcrich", "Zürich"),
        ("Z\udcc3\udcbcrich", "Zürich"),
        ("=?utf-8?q?a=0D=0ABcc:_b?=", "a Bcc: b"),
    ],
)
def test_headers_are_decoded(raw: str, expected: str | None) -> None:
    assert decoded(raw) == expected


def test_a_header_that_cannot_be_read_is_unknown() -> None:
    content = b"From: a@example.org\nSubject: =?x-none?q?anna?=\n\nHello.\n"
    assert b"anna" not in walked("x.eml", content).content
    with pytest.raises(Refused, match="unknown"):
        walked("x.eml", content, rules=Rules(unknown="refuse"))


def test_answers_find_what_they_answer() -> None:
    inner = b"Message-ID: <c@x>\nReferences: <a@x> <b@x>\nSubject: y\n\nAnna.\n"
    new = walked("x.eml", several(part("text/plain", "x"), part("message/rfc822", inner)).replace(
        b"Subject: x\n", b"Message-ID: <b@x>\nIn-Reply-To: <a@x>\n"
    )).content  # fmt: skip
    assert re.findall(rb"<(\d)@message.invalid>", new) == [b"1", b"2", b"3", b"2", b"1"]


BODIES = {
    "text": part("text/plain", "Dear {}."),
    "quoted": part("text/plain; charset=utf-8", "Dear =51{rest}=2E", "Content-Transfer-Encoding: quoted-printable"),
    "base64": part("text/plain; charset=utf-16le", "{wide}", "Content-Transfer-Encoding: base64"),
    "utf-7": part("text/plain; charset=utf-7", "+AFE-{rest}"),
    "history": part("text/plain", "Hello.\n\nOn Tuesday {} wrote:\n> Dear {},\n>> {}\n"),
    "flowed": part("text/plain; format=flowed; name={}", "Dear {} \nand others"),
    "page": part("text/html", "<p title='{}'>{}</p><!-- {} --><a href='mailto:{}@example.org'>x</a>"),
    "page in UTF-16": part("text/html; charset=utf-16be", "{page}", "Content-Transfer-Encoding: base64"),
    "rich": part("text/enriched", "<bold>{}</bold>"),
    "key": part(
        "text/plain", "x\n-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n{packed}\n-----END PGP PUBLIC KEY BLOCK-----"
    ),
    "uuencoded": part("text/plain", "x\nbegin 644 {}.txt\n{uu}\n`\nend\ny"),
    "calendar": part("text/calendar; method=REQUEST", "BEGIN:VCALENDAR\nATTENDEE;CN={}:mailto:{}@x\nEND:VCALENDAR"),
    "card": part("text/vcard", "BEGIN:VCARD\nFN:{}\nEND:VCARD"),
    "picture": part("image/png; name={}.png", "{packed}", "Content-Transfer-Encoding: base64", "Content-ID: <{}@x>"),
    "sound": part("audio/mpeg", "{}"),
    "attached text": part("text/plain; name={}.txt", "Dear {}", "Content-Disposition: attachment; filename={}.txt"),
    "attached page": part(
        "application/octet-stream", "<p>{}</p>", 'Content-Disposition: attachment; filename="{}.html"'
    ),
    "encoded name": part("image/png", "x", "Content-Disposition: attachment; filename*=utf-8''%51{rest}.png"),
    "attached subtitles": part("application/x-subrip", "1\n00:00:01,000 --> 00:00:02,000\n{}"),
    "attached mail": part("application/octet-stream; name=x.eml", "Subject: {}\n\n{}"),
    "message": part("message/rfc822", "Subject: {}\nX-Foo: {}\nFrom: {} <a@x>\n\n{}"),
    "packed message": part("message/rfc822", "{mail}", "Content-Transfer-Encoding: base64"),
    "status": part("message/delivery-status", "Reporting-MTA: dns; {}\n\nFinal-Recipient: rfc822; {}@x"),
    "headers": part("text/rfc822-headers", "Subject: {}"),
    "partial": part("message/partial; id={}", "Subject: {}\n\n{}"),
    "elsewhere": part("message/external-body; name={}; access-type=ftp", "Content-Type: text/plain\n\n{}"),
    "signature": part("application/pgp-signature; name={}.asc", "{packed}"),
    "tnef": part("application/ms-tnef; name=winmail.dat", "{}"),
    "unknown": part("application/x-{}", "{}"),
    "unknown encoding": part("text/plain", "{}", "Content-Transfer-Encoding: x-{}"),
    "unknown charset": part("text/plain; charset=x-{}", "{}"),
    "description": part("text/plain", "x", "Content-Description: {}"),
    "id": part("text/plain", "x", "Content-ID: <{}@x>"),
    "other lines": part("text/plain", "x", "X-Attachment-Id: {}", "Content-Location: {}", "Content-MD5: {packed}"),
    "more": part(
        "multipart/alternative; boundary={}", "a\n--{}\n\n{}\n--{}\nContent-Type: text/html\n\n<p>{}\n--{}--\n{}"
    ),
}


def body(name: str, number: int) -> bytes:
    word = bird(number)
    wide = f"Dear {word}"
    values = {
        "{}": word, "{rest}": word[1:], "{packed}": b64encode(f"{word} in a packed part".encode()).decode(),
        "{wide}": b64encode(wide.encode("utf-16-le")).decode(),
        "{page}": b64encode(f"<p>{word}".encode("utf-16-be")).decode(),
        "{uu}": binascii.b2a_uu(f"{word} in a text".encode()).decode().strip(),
        "{mail}": b64encode(f"Subject: {word}\n\n{word}".encode()).decode(),
    }  # fmt: skip
    text = BODIES[name].decode()
    for key, value in values.items():
        text = text.replace(key, value)
    return text.encode()


def text_of(read: EmailMessage, kind: str = "plain") -> str:
    """The text of a mail as another reader reads it."""
    body = read.get_body((kind,))
    assert body is not None
    return str(body.get_content())


@pytest.mark.parametrize("name", BODIES)
def test_no_part_keeps_what_was_marked(name: str) -> None:
    content = several(part("text/plain", "first"), body(name, 7), part("text/plain", "last"))
    assert left(content)
    new = replaced("x.eml", content)
    assert b"first" in new.content
    assert b"last" in new.content
    again = walked("x.eml", new.content)
    named = {slot.place for slot in new.slots if slot.place.endswith("name")}
    assert {place: text for place, text in again.texts.items() if place not in named} == {
        slot.place: slot.new for slot in new.slots if slot.place not in named
    }


def test_all_parts_together_and_what_lies_beside_them() -> None:
    new = replaced("x.eml", several(
        *(body(name, number) for number, name in enumerate(BODIES)), before=bird(98).encode() + b"\n",
        after=bird(97).encode() + b"\n",
    ))  # fmt: skip
    assert len(new.texts) > 30
    assert {"images", "unknown", "properties"} == {part for part, action in new.notes if action == "drop"}


def test_a_mail_of_one_part() -> None:
    new = replaced("x.eml", f"{PLAIN}Content-Type: image/png\n\n{bird(1)}".encode())
    assert new.content.endswith(b"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 7bit\n\n\n")
    signed = several(part("text/plain", bird(2)), part("application/pgp-signature", bird(3)), kind="signed; micalg=x")
    assert b"multipart/mixed" in replaced("x.eml", signed).content


def test_parts_are_kept_by_a_policy_that_keeps_them() -> None:
    names = [name for name in BODIES if name not in ("other lines", "id", "attached mail")]
    content = several(*(body(name, number) for number, name in enumerate(names)))
    kept = set().union(*map(birds, everything(walked("x.eml", content, rules=KEPT).content)))
    assert {bird(number).lower() for number in range(len(names))} - kept == set()


@pytest.mark.parametrize(
    ("rule", "name"),
    [
        ("images", "picture"), ("unknown", "calendar"), ("unknown", "unknown"), ("unknown", "uuencoded"),
        ("attachments", "attached page"), ("attachments", "message"), ("attachments", "attached text"),
        ("names", "attached page"), ("descriptions", "description"), ("properties", "signature"),
        ("unknown", "unknown encoding"), ("unknown", "unknown charset"), ("comments", "page"), ("links", "page"),
    ],
)  # fmt: skip
def test_parts_are_refused(rule: str, name: str) -> None:
    with pytest.raises(Refused, match=rf"\({rule}\) at part 1, ") as refused:
        walked("x.eml", several(body(name, 7)), rules=Rules(**{rule: "refuse"}))
    assert not birds(str(refused.value))


def test_attachments_are_dropped() -> None:
    parts = [body(name, 7) for name in ("attached page", "message", "attached text", "attached subtitles")]
    new = walked("x.eml", several(part("text/plain", "first"), *parts), rules=Rules(attachments="drop"))
    assert left(new.content) == set()
    assert new.content.count(b"--=_part_1_\n") == 1


def test_pages_show_the_pictures_that_are_kept() -> None:
    page = part("text/html", "<img src='cid:a%40x'><img src=cid:none@x>")
    picture = part("image/png", "x", "Content-ID: <a@x>")
    new = walked("x.eml", several(page, picture, kind="related"), rules=Rules(images="keep")).content
    assert b'src="cid:1@part.invalid"' in new
    assert b'src="cid:0@part.invalid"' in new
    assert b"Content-ID: <1@part.invalid>" in new


def test_paragraphs_are_read_without_the_signs_of_quoted_lines() -> None:
    text = "Dear Anna\nKeller,\n\n> one Anna\n> Keller\n>\n> two\n\n-- \nBo\n"
    found = walked("x.eml", several(part("text/plain", text)))
    assert [slot.text for slot in found.slots][2:] == ["Dear Anna\nKeller,", "one Anna\nKeller", "two", "-- \nBo"]
    new = walked("x.eml", several(part("text/plain", text)), {"Anna\nKeller": "Zoë"})
    read = message_from_bytes(new.content, policy=policy.default)
    assert text_of(read) == "Dear Zoë,\n\n> one Zoë\n>\n> two\n\n-- \nBo\n"


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("format=flowed", "> Anna \n> Keller \n\nx", "Anna Keller "),
        ("format=flowed; delsp=yes", "An \nna", "Anna"),
        ("format=fixed", "An \nna", "An \nna"),
    ],
)
def test_lines_that_flow_are_one(kind: str, text: str, expected: str) -> None:
    found = walked("x.eml", several(part(f"text/plain; {kind}", text)))
    assert found.slots[2].text == expected


def test_a_paragraph_that_was_emptied_keeps_its_number() -> None:
    new = walked("x.eml", several(part("text/plain", "Anna\n\nBo\n\nCy")), {"Anna": "", "Bo": "a\n\n\nb"})
    assert walked("x.eml", new.content).texts == {
        slot.place: slot.new.replace("\n\n\n", "\n") for slot in new.slots if slot.new
    }


@pytest.mark.parametrize(
    ("charset", "content"),
    [
        ("utf-8", "Zoë".encode("latin-1")), ("us-ascii", "Zoë".encode()), ("", "Zoë".encode("latin-1")),
        ("iso-8859-1", "Zoë".encode()), ("latin1", "Zoë".encode("cp1252")), ("UTF-8", "Zoë".encode()),
    ],
)  # fmt: skip
def test_wrong_encodings_are_read_as_they_were_meant(charset: str, content: bytes) -> None:
    new = walked("x.eml", several(part(f"text/plain; charset={charset}" if charset else "text/plain", content)))
    assert "Zoë" in new.texts.values()
    assert b"charset=utf-8" in new.content


def test_the_source_of_a_mail_shown_as_a_text_keeps_no_packed_lines() -> None:
    packed = b64encode(f"Dear {bird(3)}, this is packed".encode()).decode()
    source = f"It failed:\n> Content-Type: text/plain\n> Content-Transfer-Encoding: base64\n>\n> {packed}\n> x\n"
    new = replaced("x.eml", several(part("text/plain", source)))
    assert new.notes["unknown", "drop"] == 1
    long = b64encode(f"Dear {bird(3)}, this is packed in a long line of one text".encode() * 2).decode()
    assert replaced("x.eml", several(part("text/plain", f"x\n{long}\ny"))).notes["unknown", "drop"] == 1


def test_attachments_of_attachments(tmp_path: Path) -> None:
    message = f"{PLAIN}Content-Type: text/plain\n\n{bird(0)}".encode()
    for number in range(1, 5):
        packed = b64encode(message).decode()
        message = several(part("text/plain", bird(number)), part(
            "application/octet-stream; name=x.eml", packed, "Content-Transfer-Encoding: base64"
        ))  # fmt: skip
    new = walked("x.eml", message, {bird(number): "Gone" for number in range(5)})
    assert not set().union(*(birds(each.text) for each in strings("x.eml", new.content)))
    assert len([slot for slot in new.slots if slot.place.endswith("paragraph 1")]) == 5
    for number in range(3):
        message = several(part("message/rfc822", message), line=f"y{number}")
    with pytest.raises(Refused, match="more than 5 deep"):
        walked("x.eml", message)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"anna\n\nanna", "does not begin"),
        (b"\xff\xfea\0n\0n\0a\0", "does not begin"),
        (b"", "does not begin"),
        (f"{PLAIN}Content-Type: multipart/mixed\n\nanna".encode(), "cannot be told|different ways"),
        (several(part("text/plain", "anna")).replace(b"--xx--", b""), "its end is missing"),
        (f"{PLAIN}Content-Type: multipart/mixed; boundary=a\n\n--b\n\nanna\n--b--".encode(), "different ways"),
        (several(part("text/plain", "x"), kind="encrypted; protocol=x"), "encrypted"),
        (several(part("application/pkcs7-mime; smime-type=enveloped-data; name=anna", "anna")), "encrypted"),
        (several(part("application/octet-stream; name=anna.p7m", "anna")), "encrypted"),
        (several(part("text/plain", "-----BEGIN PGP MESSAGE-----\nanna")), "encrypted"),
        (several(part("message/rfc822", "\nanna")), "no header lines"),
        (several(part("application/vnd.ms-outlook", "anna")), "part 1, file: it is not a complete message"),
        (several(part("text/plain", "x\n--=_part_1_\nanna")), "would divide it"),
    ],
)
def test_what_cannot_be_read_is_refused_without_its_content(content: bytes, reason: str) -> None:
    with pytest.raises(Refused, match=reason) as refused:
        walked("x.eml", content)
    assert "anna" not in str(refused.value).lower()
    assert refused.value.__context__ is None


def test_another_reader_reads_the_same_mail() -> None:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "Änna <a@example.org>", "b@example.org", "Grüße " * 30
    message.set_content(text := "Dear Änna,\n\nx " * 300 + "\n")
    message.add_alternative("<p>Dear <b>Änna</b></p>", subtype="html")
    message.add_attachment(
        b"1\n00:00:01,000 --> 00:00:02,000\nx\n", maintype="application", subtype="x", filename="ä.srt"
    )
    content = message.as_bytes(policy=policy.SMTP)
    new = walked("x.eml", content, {"Änna": "Bø"}).content
    assert new.count(b"\n") == new.count(b"\r\n")
    read = message_from_bytes(new, policy=policy.default)
    assert read["From"] == "Bø <a@example.org>"
    assert read["Subject"] == str(message["Subject"]).strip()
    assert text_of(read).replace("\r", "") == text.replace("Änna", "Bø")
    assert text_of(read, "html").strip() == "<p>Dear <b>Bø</b></p>"
    assert [each.get_filename() for each in read.iter_attachments()] == ["ä.srt"]
    assert not [each.defects for each in read.walk() if each.defects]


def broken(draw: random.Random) -> bytes:
    """A mail of three parts in which lines were lost, doubled, moved, cut and changed."""
    names = [
        name for name in BODIES if name not in ("quoted", "encoded name")
    ]  # which a text would hold half decoded
    headers = [pair for pair in (TREATED | DROPPED).items() if "=?" not in pair[1]]
    head = "".join(
        f"{filled(name, 99)}: {filled(value, 50 + n)}\n" for n, (name, value) in enumerate(draw.sample(headers, 2))
    )
    content = head.encode() + several(*(body(name, number) for number, name in enumerate(draw.sample(names, 3))))
    lines = content.split(b"\n")
    for _ in range(draw.randint(0, 4)):
        here, there = draw.randrange(len(lines)), draw.randrange(len(lines))
        line = lines[here]
        lines[here : here + 1] = draw.choice([
            [], [lines[there], line], [b" " + line], [line + b"\r"], [line[: there]], [b"", line],
            [line.replace(b"a", bytes([draw.randrange(256)]))],
        ])  # fmt: skip
    return b"\n".join(lines)


@pytest.mark.parametrize("first", range(0, 600, 200))
def test_broken_mail_is_found_or_refused(first: int) -> None:
    refused = 0
    for seed in range(first, first + 200):
        content = broken(random.Random(seed))
        planted = set(re.findall("(?i)qz[a-z]+qz", " ".join(everything(content))))
        try:
            new = walked("x.eml", content, {word: f"Gone{number}" for number, word in enumerate(sorted(planted))})
        except Refused:
            refused += 1
            continue
        text = new.content.decode("utf-8", "replace")
        seen = " ".join(each.text for each in strings("x.eml", new.content))
        assert not birds(f"{text} {unescape(text)} {unquote(text)} {seen}"), seed
        texts = {slot.place: slot.new for slot in new.slots if not re.search("name( \\d+)?$", slot.place)}
        again = walked("x.eml", new.content).texts
        assert {place: again[place] for place in texts} == texts, seed
    assert refused < 100


def test_a_header_that_is_skipped_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def silent(name: str, raw: str, text: str, place: str) -> Generator[None, None, bytes]:
        return f"{name}: {raw}\n".encode()
        yield

    monkeypatch.setattr(mail, "text_header", silent)
    with pytest.raises(AssertionError):
        replaced("x.eml", with_headers({"Subject": "About {}"}))


def test_a_part_that_is_skipped_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def silent(part: EmailMessage, mail: Mail, within: str) -> Generator[None, None, bytes]:
        return b"Content-Description: " + str(part["Content-Description"]).encode() + b"\n"
        yield

    monkeypatch.setattr("sfumato.documents.mail.mail_parts._lines", silent)
    with pytest.raises(AssertionError):
        replaced("x.eml", several(body("description", 7)))


def test_an_office_program_opens_the_text(tmp_path: Path) -> None:
    new = walked("x.eml", several(part("text/plain", "Dear Anna")), {"Anna": "Bob"}).content
    assert b"Dear Bob" in converted(new, "x.eml", "txt:Text", tmp_path)


def test_strings_are_those_of_the_parts() -> None:
    content = several(part("text/plain; charset=utf-8", "RGVhciBBbm5h", "Content-Transfer-Encoding: base64"))
    assert any(each.text == "Dear Anna" for each in strings("x.eml", content) if each.raw)
    assert any(each.text == "Dear Anna" for each in strings("x.eml", content) if not each.raw)


def test_the_soft_breaks_of_a_name_go_with_it() -> None:
    head = b"From: a@b.example\nContent-Type: text/plain; format=flowed"
    for delsp, end in ((b"", b""), (b"; delsp=yes", b" ")):
        content = head + delsp + b"\n\n> Dear Ma\n".replace(b"Ma", b"Maria " + end) + b"> Schmidt, hello\n"
        new = walked("x.eml", content, {"Maria Schmidt": "Bo"}).content
        assert b"\n\n> Dear Bo, hello\n" in new


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("Befund.Mueller", "attachment-1"), ("Befund.11", "attachment-1"), ("Mueller.pdf.gz", "attachment-1.pdf.gz"),
        ("Befund.Mueller.gz", "attachment-1.gz"), ("Mueller.DOC", "attachment-1.DOC"),
        ("Mueller 11.ics", "attachment-1.ics"),
    ],
)  # fmt: skip
def test_a_name_that_is_replaced_keeps_the_ending_of_a_kind_of_files_alone(name: str, written: str) -> None:
    content = several(part(f'application/x-none; name="{name}"', "x"))
    new = walked("x.eml", content, {"Mueller": "gone", "11": "12"}, Rules(unknown="keep")).content
    assert f'filename="{written}"'.encode() in new
    assert b"Mueller" not in new
    assert b".11" not in new


def test_what_is_packed_in_a_header_goes_even_if_properties_are_treated() -> None:
    """A Thread-Index holds the time of the first message, which no detector reads."""
    index = b64encode(bytes.fromhex("01d5f0f3a1b2") + bytes(range(16))).decode()
    content = f"{PLAIN}Thread-Index: {index}\nThread-Topic: About Anna\n\nHello.\n".encode()
    done = walked("x.eml", content, {"Anna": "Mia"}, Rules(properties="treat"))
    assert b"Thread-Topic: About Mia" in done.content
    assert index.encode() not in done.content
    kept = walked("x.eml", content, rules=Rules(properties="treat", unknown="keep"))
    assert index.encode() in kept.content


def test_the_proof_reads_what_is_packed_in_a_header() -> None:
    packed = b64encode(b"about Zwiebelina Fischhaber").decode()
    seen = strings("x.eml", f"{PLAIN}X-Note: {packed}\n\nHello.\n".encode())
    assert any("Zwiebelina" in each.text for each in seen)
