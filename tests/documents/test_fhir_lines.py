"""Bulk exports of FHIR: a line is a record, read and written one at a time."""

from __future__ import annotations

import json
from io import BytesIO
from typing import IO

import pytest

from office import strings, walked
from records import UUID, as_bytes, bundle, document, observation, patient
from sfumato.documents.health.fhir_lines import walk
from sfumato.documents.rules import Numbers, Refused, Visit
from sfumato.documents.slot import Edit

LINES = b"\n".join(as_bytes(each) for each in (patient(), observation(), document(), bundle(patient()))) + b"\n"


def test_each_line_is_a_record() -> None:
    found = walked("a.fhir.ndjson", LINES, {"Anna": "Bo", "Keller": "Li"})
    assert {slot.record: slot.fields["resourceType"] for slot in found.slots} == {
        0: "Patient", 1: "Observation", 2: "DocumentReference", 3: "Patient",
    }  # fmt: skip
    assert {slot.fields["subject"] for slot in found.slots if slot.record in (0, 2, 3)} == {f"Patient/{UUID}"}
    assert found.texts["entry 1, Patient, name 1"] == "Dr. Anna Maria Keller"
    lines = found.content.decode().splitlines()
    assert [json.loads(line)["resourceType"] for line in lines] == [
        "Patient", "Observation", "DocumentReference", "Bundle",
    ]  # fmt: skip
    assert "Keller" not in found.content.decode()
    assert not any("Keller" in each.text for each in strings("a.fhir.ndjson", found.content))
    assert any("Bo Li" in each.text for each in strings("a.fhir.ndjson", found.content))


def test_ids_have_one_number_in_all_files_that_share_numbers() -> None:
    """A bulk export has a file for each type, and its files refer to one another."""
    shared = Numbers()
    written = list[str]()
    other = as_bytes({"resourceType": "Patient", "id": "another"}) + b"\n"
    for content in (other + as_bytes(patient()), as_bytes(document())):
        target = BytesIO()
        for _ in walk(BytesIO(content), Visit(numbers=shared), target):
            pass
        written.append(target.getvalue().decode())
    [_, person], [record] = [[json.loads(line) for line in text.splitlines()] for text in written]
    assert record["subject"]["reference"] == f"Patient/{person['id']}"


class OneLine(BytesIO):
    """A file that refuses to be read as a whole."""

    def read(self, size: int | None = -1, /) -> bytes:
        raise AssertionError("the whole file is read")


def test_a_line_is_written_before_the_next_is_read() -> None:
    target = BytesIO()
    file: IO[bytes] = OneLine(LINES)
    for slot in walk(file, Visit(), target):
        slot.edits = [Edit(0, len(slot.text), "x")] if slot.place == "Patient, name 1" else []
        assert target.getvalue().count(b"\n") == slot.record
        assert file.tell() <= len(b"".join(LINES.splitlines(keepends=True)[: slot.record + 1]))
    assert target.getvalue().count(b"\n") == 4


def test_a_line_that_cannot_be_read_is_named_by_its_number() -> None:
    for wrong, reason in ((b'{"canary"', "not JSON"), (b'{"a":"canary"}', "no resourceType")):
        with pytest.raises(Refused, match=f"^record 5: .*{reason}") as caught:
            walked("a.fhir.ndjson", LINES + b"\n" + wrong)
        assert "canary" not in repr(caught.value.__context__)
