"""Messages of HL7 v2: fields by their types, escape sequences, reports over several segments, batches."""

from __future__ import annotations

import random
from io import BytesIO

import pytest
from hl7apy.parser import parse_segment
from hypothesis import given, settings
from hypothesis import strategies as st

from office import Walked, strings, walked
from records import MESSAGE, base64
from sfumato.documents.health import hl7_fields, hl7_messages
from sfumato.documents.health.hl7 import walk
from sfumato.documents.health.hl7_segments import Segment
from sfumato.documents.health.hl7_values import Texts
from sfumato.documents.proof import proved
from sfumato.documents.rules import Refused, Rules, Visit

HEAD = "MSH|^~\\&|||||||ADT^A01|n1|P|2.5.1\r"


def hl7(text: str | bytes, words: dict[str, str] | None = None, rules: dict[str, str] | None = None) -> Walked:
    content = text if isinstance(text, bytes) else text.encode("utf-8")
    return walked("a.hl7", content, words, Rules(**(rules or {})))


def line(found: Walked, name: str, number: int = 1) -> str:
    return [each for each in found.content.decode().split("\r") if each.startswith(name)][number - 1]


def test_fields_are_read_as_a_person_reads_them() -> None:
    found = hl7(MESSAGE)
    texts = found.texts
    assert texts["PID 1, field 5, name"] == "Dr. Anna Maria Keller Jr"
    assert texts["PID 1, field 7"] == "1970-03-04"
    assert texts["PID 1, field 11, address"] == "12 Main St, Apt 4, Springfield, IL 62701, USA"
    assert texts["PID 1, field 13, number"] == "1 555 1234567"
    assert texts["PV1 1, field 8, name"] == "Dr John Smith MD"
    assert texts["OBX 2, field 5"] == "Patient Anna & family\nseen by Dr. John\nSmith on Monday\nAnna Keller"
    assert texts["NTE 1, field 3"] == "Called Anna\nKeller at home"
    assert texts["OBX 4, field 5, file, paragraph 1"] == "Anna Keller was here"
    leads = {slot.place: slot.lead for slot in found.slots}
    assert leads["PID 1, field 3, repetition 1, component 1"] == "Medical record number: "
    assert leads["PID 1, field 3, repetition 2, component 1"] == "Social security number: "
    assert leads["OBX 1, field 5"] == "Body weight: "
    assert leads["PID 1, field 7"] == "Date time of birth: "
    assert found.slots[0].fields == {"messageType": "ORU^R01", "subject": "8837261"}


def test_codes_are_no_texts_and_stay() -> None:
    texts = {slot.text for slot in hl7(MESSAGE).slots}
    assert not texts & {"F", "29463-7", "LN", "MR", "HL70063", "ORU", "R01", "P", "2.5.1", "kg", "L", "USA", "M", "1"}


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n"])
def test_a_file_without_edits_stays_byte_for_byte_but_for_ids(end: str) -> None:
    framed = "\x0b" + MESSAGE + "\x1c\r"
    expected = framed.replace("MSG00001", "n1").replace("\r", end)
    assert hl7(framed.replace("\r", end)).content.decode() == expected


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ({"Anna Maria Keller": "Bo Li"}, "Li&van&Keller^Bo^^Jr^Dr.^^L"),
        ({"Anna Maria Keller": "[PERSON]"}, "[PERSON]&van&Keller^^^Jr^Dr.^^L"),
        ({"Keller": "O|B^r&n~\\"}, r"O\F\B\S\r\T\n\R\\E\&van&O\F\B\S\r\T\n\R\\E\^Anna^Maria^Jr^Dr.^^L"),
    ],
)
def test_a_name_is_put_back_component_by_component(words: dict[str, str], name: str) -> None:
    found = hl7(MESSAGE, words)
    assert line(found, "PID").split("|")[5] == name
    assert parse_segment(line(found, "PID"), version="2.5.1").pid_5.xpn_7.value == "L"


@pytest.mark.parametrize(
    ("raw", "read", "new", "written"),
    [
        ("19700304", "1970-03-04", "1971-05-06", "19710506"),
        ("19700304", "1970-03-04", "1970", "1970"),
        ("19700304", "1970-03-04", "1971-05-06 10:11", "19710506"),
        ("19700304", "1970-03-04", "March 1970", ""),
        ("19700304", "1970-03-04", "1970-02-30", ""),
        ("197003", "1970-03", "1971-05-06", "197105"),
        ("202001021345", "2020-01-02 13:45", "2021-02-03 10:11", "202102031011"),
        ("20200102134500.0000-0500", "2020-01-02 13:45:00.0000 -0500", "2021-02-03 10:11:12.5 +01:00",
         "20210203101112.5+0100"),
        ("2020010213", "2020-01-02 13:00", "2020-01-03 10:11", "2020010310"),
        ("soon", "soon", "later", "later"),
    ],
)  # fmt: skip
def test_a_date_is_read_and_written_in_its_precision(raw: str, read: str, new: str, written: str) -> None:
    found = hl7(f"{HEAD}EVN||{raw}\r", {read: new})
    assert found.texts["EVN 1, field 2"] == read
    assert line(found, "EVN") == f"EVN||{written}"


def test_a_number_remains_a_number() -> None:
    assert line(hl7(MESSAGE, {"82.30": "9.1"}), "OBX|1").split("|")[5] == "9.1"
    assert line(hl7(MESSAGE, {"82.30": "[NUMBER]"}), "OBX|1").split("|")[5] == ""


def test_a_check_digit_goes_with_the_id_that_it_checks() -> None:
    assert "|77^^M11^" in line(hl7(MESSAGE, {"8837261": "77"}), "PID")


def test_text_keeps_its_escape_sequences_and_names_may_lie_over_segments() -> None:
    found = hl7(MESSAGE, {"John\nSmith": "J. Doe", "Anna": "Bo"})
    assert line(found, "OBX", 2) == r"OBX|2|TX|R^Report^L||Patient Bo \T\ family\.br\\H\seen\N\ by Dr. J. Doe||||||F"
    assert line(found, "OBX", 3) == "OBX|3|TX|R^Report^L|| on Monday~Bo Keller||||||F"
    hexed = hl7(f"{HEAD}NTE|1||caf\\XC3A9\\ at \\.sp2\\ \\E\\\\Zx\\\r")
    assert hexed.texts["NTE 1, field 3"] == "café at \n \\\\Zx\\"


def test_ids_of_messages_are_numbered_and_answers_refer_to_them() -> None:
    acknowledged = "MSH|^~\\&|||||||ACK|900|P|2.5.1\rMSA|AA|MSG00001\r"
    found = hl7(MESSAGE + acknowledged)
    assert {slot.record for slot in found.slots} == {0}
    assert found.content.decode().endswith("MSH|^~\\&|||||||ACK|n2|P|2.5.1\rMSA|AA|n1\r")


def test_other_separators_and_batches() -> None:
    other = (
        "FHS#*!?@#SENDER*X####canary file\rBHS#*!?@#SENDER\r"
        "MSH#*!?@#APP##LAB####ADT*A01#77#P#2.3\rPID###1*2##Keller*Anna!Larsen*Anna\r"
        "MSH#*!?@#APP##LAB####ADT*A01#78#P#2.3\rPID###2##Moe?F?*Eva\rBTS#2\rFTS#1\r"
    )
    found = hl7(other, {"Anna Keller": "Bo Li#", "canary": "bird"})
    assert [slot.text for slot in found.slots if slot.place.endswith("name")] == [
        "Anna Keller", "Anna Larsen", "Eva Moe#",
    ]  # fmt: skip
    assert {slot.record for slot in found.slots} == {0, 1}
    assert line(found, "PID") == "PID###1*2##Li?F?*Bo!Larsen*Anna"
    assert "bird file" in found.content.decode()


def test_unknown_segments_and_fields_go_by_the_rules() -> None:
    text = f"{HEAD}ZPI|1|Anna^canary\rPID|||1{'|' * 60}canary\rNTE|1||x\rcanary of a broken line\r"
    found = hl7(text, {"canary of": "bird of"})
    assert found.content.decode() == f"{HEAD}PID|||1{'|' * 60}\rNTE|1||x\rbird of a broken line\r"
    assert found.notes["unknown", "drop"] == 2
    kept = hl7(text, {"canary": "bird"}, {"unknown": "keep"})
    assert kept.content.decode() == text.replace("canary", "bird")
    assert kept.texts["unknown segment 1 1, field 2"] == "Anna canary"
    with pytest.raises(Refused, match=r"^message 1: .*unknown.*segment 2"):
        hl7(text, rules={"unknown": "refuse"})


@pytest.mark.parametrize(
    ("told", "content", "rule"),
    [
        ("^IM^JPEG^Base64", base64("a canary"), "images"),
        ("^application^x^Base64", base64("a canary"), "unknown"),
        ("^TEXT^^Hex", b"a canary".hex(), "attachments"),
        ("^TEXT^^A", "a canary", "attachments"),
    ],
)
def test_files_in_messages_go_by_the_rules(told: str, content: str, rule: str) -> None:
    text = f"{HEAD}OBX|1|ED|X^Doc^L||{told}^{content}\r"
    assert line(hl7(text, rules={rule: "drop"}), "OBX").endswith(f"|{told}^")
    assert hl7(text, rules={rule: "keep"}).content == text.encode()
    with pytest.raises(Refused, match=f"{rule}.*OBX 1, field 5"):
        hl7(text, rules={rule: "refuse"})
    if rule == "attachments":
        found = hl7(text, {"canary": "bird"})
        assert found.texts["OBX 1, field 5, file, paragraph 1"] == "a canary"
        assert not any("canary" in each.text for each in strings("a.hl7", found.content))


def test_pointers_are_links() -> None:
    text = f"{HEAD}OBX|1|RP|X^Doc^L||https://canary.example^^AP\r"
    assert line(hl7(text, {"canary": "b"}), "OBX") == "OBX|1|RP|X^Doc^L||^^AP"
    assert hl7(text).content == text.encode()


def test_characters_are_those_that_the_message_declares() -> None:
    text = "MSH|^~\\&|||||||ADT^A01|n1|P|2.5.1||||||8859/1\rPID|||1||Müller^Jörg\r"
    found = hl7(text.encode("latin-1"), {"Jörg": "Ünal"})
    assert found.content == text.replace("Jörg", "Ünal").encode("latin-1")
    for wrong in (text.replace("8859/1", "").encode("latin-1"), text.replace("8859/1", "canary").encode()):
        with pytest.raises(Refused, match="MSH-18") as caught:
            hl7(wrong)
        assert "canary" not in str(caught.value)


@pytest.mark.parametrize(
    "content", [b"", b"\r\n", b"canary\r", b"PID|||1\r", b"MSH|^^^^|canary\r", b"MSHcanary\r", b"MSH"]
)
def test_what_is_no_message_is_refused(content: bytes) -> None:
    with pytest.raises(Refused) as caught:
        hl7(content)
    assert "canary" not in str(caught.value)


def test_two_walks_yield_the_same_and_a_walk_over_the_written_file_the_new_texts() -> None:
    words = {"Anna": "Bo", "Keller": "Li", "1970-03-04": "1970", "82.30": "9"}
    written = hl7(MESSAGE, words)
    bare = list(walk(BytesIO(MESSAGE.encode()), Visit(), None))
    assert [(s.place, s.text) for s in bare] == [(s.place, s.text) for s in hl7(MESSAGE).slots]
    assert {s.place: s.text for s in hl7(written.content).slots} == {s.place: s.new for s in written.slots}


def test_a_long_file_is_read_message_by_message() -> None:
    count = 1_500
    file = BytesIO(MESSAGE.encode() * count)
    target, seen = BytesIO(), 0
    for slot in walk(file, Visit(), target):
        if slot.record == 10:
            assert file.tell() < len(MESSAGE) * count
            assert target.tell() > 0
        seen = slot.record
    assert seen == count - 1


PLACES = [
    (segment, int(name.rpartition("_")[2]))
    for segment in ("PID", "PV1", "NK1", "OBR", "IN1", "GT1", "DG1", "AL1", "ORC", "MSH", "EVN", "ROL", "TXA", "SCH")
    for name in hl7_fields._library("2.5.1").FIELDS
    if name.startswith(f"{segment}_") and not (segment == "MSH" and name in ("MSH_1", "MSH_2", "MSH_18"))
]


@settings(max_examples=40)
@given(st.integers(0, 10**9))
def test_every_part_of_every_field_is_yielded_or_a_code_or_gone(seed: int) -> None:
    chance = random.Random(seed)
    lines = list[str]()
    for segment in ("MSH", "EVN", "PID", "PV1", "NK1", "OBR", "IN1", "OBX", "ZZZ"):
        fields = {number for name, number in PLACES if name == segment} or {*range(1, 30)}
        values = {number: _value(chance) for number in chance.sample(sorted(fields), min(4, len(fields)))}
        if segment == "OBX":
            values[2] = chance.choice(
                ["TX", "FT", "CE", "CWE", "XPN", "XAD", "NM", "SN", "TS", "RP", "ED", "", "odd canary"]
            )
        first = 2 if segment == "MSH" else 1
        texts = ["^~\\&" if segment == "MSH" and n == 2 else values.get(n, "") for n in range(first, 45)]
        if segment == "MSH":
            texts[10], texts[16] = "2.5.1", ""
        lines.append("|".join([segment, *texts]) + "\r")
    found = hl7("".join(lines), {"canary": "bird"})
    assert b"canary" not in found.content
    assert not any("canary" in each.text for each in strings("a.hl7", found.content))


def _value(chance: random.Random) -> str:
    def part() -> str:
        return chance.choice(["a canary sings", "canary@b.example", "the canary", ""])

    def component() -> str:
        return "&".join(part() for _ in range(chance.choice([1, 1, 1, 3])))

    def repetition() -> str:
        return "^".join(component() for _ in range(chance.choice([1, 2, 5, 15, 25])))

    return "~".join(repetition() for _ in range(chance.choice([1, 1, 2])))


def test_the_guard_sees_a_segment_that_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    walker = hl7_messages.Message
    segment = walker.segment

    def passing(self: hl7_messages.Message, segments: list[Segment], index: int) -> Texts:
        if segments[index].name != "NK1":
            yield from segment(self, segments, index)

    words = {"Bob": "Tim"}
    assert not any("Bob" in each.text for each in strings("a.hl7", hl7(MESSAGE, words).content))
    with monkeypatch.context() as patched:
        patched.setattr(walker, "segment", passing)
        passed = hl7(MESSAGE, words).content
    seen = [each for each in strings("a.hl7", passed) if "Bob" in each.text]
    assert {each.raw for each in seen} == {False, True}


@pytest.mark.parametrize("segment", ["OBX|1|CE|{}^^LN||x", "OBX|1|CE|1-8^^LN^{}^^L||x", "PID|{}||1", "NTE|1|{}|x",
                                     "PID|||1^^^^{}"])  # fmt: skip
@pytest.mark.parametrize("code", ["Schmidt", "SCHMIDT", "4711234567", "123-45-6789"])
def test_codes_that_may_be_of_a_person_are_texts(segment: str, code: str) -> None:
    found = hl7(f"{HEAD}{segment.format(code)}\r", {code: "gone"})
    assert code in found.texts.values()
    assert code.encode() not in found.content


def test_the_search_reads_long_codes() -> None:
    text = f"{HEAD}OBX|1|CE|44054006^^SCT||x\rOBX|2|CE|2019-8^^LN||x\r"
    assert hl7(text).texts == {}
    assert proved(strings("a.hl7", text.encode()), {"44054006"}, ()).places
    assert not proved(strings("a.hl7", text.encode()), {"2019"}, ()).places
