"""Resources and Bundles of FHIR: every text is yielded, codes and structure stay, ids are numbered."""

from __future__ import annotations

import json
import textwrap
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from office import Walked, strings, walked
from records import DIV, UUID, as_bytes, base64, bundle, document, observation, patient
from sfumato.documents.health import fhir_names
from sfumato.documents.health.fhir import walk
from sfumato.documents.health.public_uris import is_public
from sfumato.documents.proof import proved
from sfumato.documents.rules import Refused, Rules, Visit
from sfumato.language.lists import words_of

MASKED = {"extension": [{"url": "http://hl7.org/fhir/StructureDefinition/data-absent-reason", "valueCode": "masked"}]}


def fhir(value: Any, words: dict[str, str] | None = None, rules: dict[str, str] | None = None, **more: str) -> Walked:
    content = value if isinstance(value, bytes) else as_bytes(value)
    return walked("a.fhir.json", content, words, Rules(**(rules or {}), **more))


def read(found: Walked) -> Any:
    return json.loads(found.content)


def lead_of(found: Walked, place: str) -> str:
    return next(slot.lead for slot in found.slots if slot.place == place)


def test_texts_are_read_as_a_person_reads_them() -> None:
    found = fhir(patient())
    texts = found.texts
    assert texts["Patient, name 1"] == "Dr. Anna Maria Keller"
    assert texts["Patient, address 1"] == "12 Main St, Apt 4, Springfield, IL 62701, US"
    assert texts["Patient, text, paragraph 1"] == "Patient Anna Keller,\xa0born 4 March"
    assert texts["Patient, multipleBirthInteger"] == "2"
    assert texts["Patient, generalPractitioner 1, display"] == "Dr. John Smith"
    assert lead_of(found, "Patient, identifier 1, value") == "Medical record number: "
    assert lead_of(found, "Patient, telecom 1, value") == "Telephone: "
    assert lead_of(found, "Patient, birthDate") == "Birth date: "
    assert lead_of(found, "Patient, extension 1, valueString") == "Patient mothers maiden name: "
    weight = fhir(observation())
    assert weight.texts["Observation, valueQuantity"] == "82 kg"
    assert lead_of(weight, "Observation, valueQuantity") == "Body weight: "
    assert lead_of(weight, "Observation, note 1, text") == ""  # prose says itself what it is about
    assert lead_of(weight, "Observation, code, coding 1, display") == ""


def test_a_file_without_edits_stays_as_it_is_but_for_ids() -> None:
    before = bundle(patient(), observation(), document())
    text = json.dumps(before, indent=4)
    found = fhir(text.encode())
    after = found.content.decode()
    for old, new in (
        (UUID, "00000000-0000-4000-8000-000000000001"), ("weight-1", "n3"), ("doc-1", "n4"), ("dr-smith", "n2"),
        ("https://hospital.example/fhir/", "https://n5.invalid/"),
    ):  # fmt: skip
        assert old not in after.replace("https://hospital.example/mrn", "")
        text = text.replace(old, new)
    assert sorted(json.loads(text)) == sorted(json.loads(after))
    assert len(json.loads(after)["entry"]) == 3
    patient_after = json.loads(after)["entry"][0]["resource"]
    assert {**patient(), "id": patient_after["id"], "generalPractitioner": patient_after["generalPractitioner"],
            } == patient_after | {"text": {"status": "generated", "div": DIV}}  # fmt: skip
    assert after.startswith('{\n    "resourceType": "Bundle"')


def test_numbers_are_kept_as_they_are_written() -> None:
    content = as_bytes(observation()).replace(b'"value": 82', b'"value": 82.00')
    assert b'"value":82.00,' in fhir(content).content
    assert b'"value":7.50,' in fhir(content, {"82.00": "7.50"}).content
    masked = json.loads(fhir(content, {"82.00": "[NUMBER]"}).content)["valueQuantity"]
    assert masked == {"_value": MASKED, "unit": "kg", "system": "http://unitsofmeasure.org", "code": "kg"}
    assert b"1e400" in fhir(b'{"resourceType":"Observation","valueDecimal":1e400}').content


def test_a_unit_that_is_changed_takes_its_code_along() -> None:
    after = read(fhir(observation(), {"kg": "stone"}))["valueQuantity"]
    assert after == {"value": 82, "unit": "stone"}


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ({"Anna Maria Keller": "Bo Li"}, {"prefix": ["Dr."], "given": ["Bo"], "family": "Li"}),
        ({"Anna Maria Keller": "Bo Chang An Li"}, {"prefix": ["Dr."], "given": ["Bo", "Chang An"], "family": "Li"}),
        ({"Anna Maria Keller": "[PERSON]"}, {"prefix": ["Dr."], "family": "[PERSON]"}),
        ({"na Maria Kel": "X"}, {"prefix": ["Dr."], "given": ["AnX"], "family": "ler"}),
        ({"Dr. Anna Maria Keller": ""}, MASKED),
    ],
)
def test_a_name_is_put_back_part_by_part(words: dict[str, str], name: dict[str, Any]) -> None:
    found = fhir(patient(), words)
    assert read(found)["name"] == [{"use": "official"} | name]


def test_words_of_the_census_stay_and_others_do_not() -> None:
    """A person may be called White; the category of that name is no name."""
    value = patient()
    value["name"][0]["family"] = "White"
    found = fhir(value, {"White": "Li"})
    assert read(found)["extension"][1] == value["extension"][1]
    assert read(found)["name"][0]["family"] == "Li"
    assert not any("White" in each.text for each in strings("a.fhir.json", found.content))
    value["extension"][1]["extension"][1]["valueString"] = "White, like Anna"
    assert read(fhir(value, {"Anna": "Bo"}))["extension"][1]["extension"][1]["valueString"] == "White, like Bo"


def test_an_address_is_put_back_part_by_part() -> None:
    after = read(fhir(patient(), {"12 Main St, Apt 4, Springfield": "[PLACE]", "62701": "627"}))["address"][0]
    assert after == {"use": "home", "line": ["[PLACE]"], "state": "IL", "postalCode": "627", "country": "US"}


@pytest.mark.parametrize(
    ("key", "before", "new", "stays"),
    [
        ("birthDate", "1970-03-04", "1970-03", True),
        ("birthDate", "1970-03-04", "1970", True),
        ("birthDate", "1970-03-04", "4 March", False),
        ("birthDate", "1970-03-04", "1970-02-30", False),
        ("birthDate", "1970-03-04", "1970-03-04T10:00:00Z", False),
        ("deceasedDateTime", "2020-01-02T10:00:00Z", "2020-01", True),
        ("deceasedDateTime", "2020-01-02T10:00:00Z", "2020-01-03T10:00:00+01:00", True),
        ("deceasedDateTime", "2020-01-02T10:00:00Z", "2020-01-03T10:00", False),
        ("issued", "2020-01-02T10:00:00Z", "2020-01-02", False),
        ("issued", "2020-01-02T10:00:00Z", "2021-01-02T10:00:00Z", True),
        ("openingTime", "10:00:00", "11:30:00", True),
        ("openingTime", "10:00:00", "noon", False),
    ],
)
def test_a_date_remains_valid_or_is_left_out(key: str, before: str, new: str, stays: bool) -> None:
    after = read(fhir({"resourceType": "Patient", key: before}, {before: new}))
    assert after == {"resourceType": "Patient"} | ({key: new} if stays else {f"_{key}": MASKED})


def test_a_text_that_became_empty_is_masked_where_it_was() -> None:
    value = {"resourceType": "Patient", "note": [{"text": "one"}, {"text": "two"}], "alias": ["one", "two"]}
    assert read(fhir(value, {"one": ""})) == {
        "resourceType": "Patient",
        "note": [{"_text": MASKED}, {"text": "two"}],
        "alias": [None, "two"],
        "_alias": [MASKED, None],
    }


def test_an_extension_whose_value_is_left_out_has_another_in_it() -> None:
    """An extension has a value or extensions, so that validators accept it."""
    extension = read(fhir(patient(), {"Larsen": ""}))["extension"][0]
    assert extension == {"url": patient()["extension"][0]["url"], **MASKED}


def test_ids_are_numbered_and_references_stay_whole() -> None:
    value = bundle(patient(), observation(), document())
    value["entry"][0]["resource"]["contained"] = [{"resourceType": "Organization", "id": "org"}]
    value["entry"][0]["resource"]["managingOrganization"] = {"reference": "#org"}
    value["entry"][1]["resource"]["performer"] = [
        {"reference": "https://hospital.example/fhir/DocumentReference/doc-1/_history/2"},
        {"reference": "Practitioner?identifier=http://hl7.org/fhir/sid/us-npi|99912"},
    ]
    value["entry"][0]["request"] = {"method": "PUT", "url": f"Patient/{UUID}"}
    value["entry"][0]["response"] = {"status": "200", "location": f"Patient/{UUID}/_history/1"}
    found = fhir(value)
    first, second, third = [entry["resource"] for entry in read(found)["entry"]]
    assert second["subject"]["reference"] == read(found)["entry"][0]["fullUrl"] == f"urn:uuid:{first['id']}"
    assert third["subject"]["reference"] == read(found)["entry"][0]["request"]["url"] == f"Patient/{first['id']}"
    assert read(found)["entry"][0]["response"]["location"] == f"Patient/{first['id']}"
    assert first["managingOrganization"]["reference"] == "#" + first["contained"][0]["id"]
    assert second["performer"][0]["reference"] == read(found)["entry"][2]["fullUrl"]
    assert found.texts["entry 2, Observation, performer 2, reference"].endswith("99912")
    changed = read(fhir(value, {"99912": "X"}))["entry"][1]["resource"]["performer"][1]
    assert changed == {"_reference": MASKED}


def test_records_are_entries_and_know_their_patient() -> None:
    practitioner = {"resourceType": "Practitioner", "id": "dr-smith", "name": [{"family": "Smith"}]}
    found = fhir(bundle(patient(), observation(), document(), practitioner))
    fields = {slot.record: slot.fields for slot in found.slots}
    assert [fields[record]["resourceType"] for record in range(4)] == [
        "Patient", "Observation", "DocumentReference", "Practitioner",
    ]  # fmt: skip
    assert {each["subject"] for each in fields.values()} == {f"Patient/{UUID}"}
    other = {**patient(), "id": "p2"}
    found = fhir(bundle(patient(), other, practitioner, {**observation(), "subject": {"reference": "Patient/p2"}}))
    assert [slot.fields["subject"] for slot in found.slots if slot.record == 2] == ["Practitioner/dr-smith"]
    assert {slot.fields["subject"] for slot in found.slots if slot.record == 3} == {"Patient/p2"}


def test_the_narrative_keeps_its_look_and_loses_what_is_no_text() -> None:
    div = DIV.replace("</div>", '<script>x = "canary"</script><!-- canary --><p onclick="canary()">on</p></div>')
    words = {"Anna Keller": "Bo Li", "canary": "bird"}
    after = read(fhir({**patient(), "text": {"status": "generated", "div": div}}, words))["text"]["div"]
    assert "<p>Patient <b>Bo Li</b>,\xa0born 4 March</p>" in after
    assert '<td title="hover bird">cell bird</td>' in after
    assert '<p style="color: red">see <a>the portal</a></p>' in after
    assert after.endswith("<p>on</p></div>")
    assert "canary" not in after


@pytest.mark.parametrize("name", ["Anna Keller", "Al", "Bartholomew Montgomery"])
def test_the_lines_of_a_narrative_do_not_tell_how_long_a_name_was(name: str) -> None:
    written = (
        f"<p>Seen: <b>{name}</b>, who came with a letter of {name} to the ward, <i>and</i> a long story to tell</p>"
    )
    wrapped = textwrap.fill(written, 40, break_long_words=False)
    assert wrapped.count("\n") > 1
    div = f'<div xmlns="http://www.w3.org/1999/xhtml">{wrapped}<!-- x --><pre>a\n  b</pre></div>'
    value = {"resourceType": "Basic", "text": {"status": "generated", "div": div}}
    after = read(fhir(value, {name: "Bo"}, comments="keep"))["text"]["div"]
    assert (
        after
        == f'<div xmlns="http://www.w3.org/1999/xhtml">{written.replace(name, "Bo")}<!-- x --><pre>a\n  b</pre></div>'
    )
    assert read(fhir(value, comments="keep"))["text"]["div"] == div


@pytest.mark.parametrize("look", ['width="{}"', 'start="{}"', 'style="width: {}px"', 'border="{}%"', 'color="{}"'])
def test_a_long_number_is_no_look(look: str) -> None:
    div = f'<div xmlns="http://www.w3.org/1999/xhtml"><p {look.format("4711234567")}>a</p></div>'
    assert b"4711234567" not in fhir({**patient(), "text": {"status": "generated", "div": div}}).content
    kept = div.replace("4711234567", "120")
    assert read(fhir({**patient(), "text": {"status": "generated", "div": kept}}))["text"]["div"] == kept


def test_a_narrative_that_cannot_be_read_is_unknown() -> None:
    value = {**patient(), "text": {"status": "generated", "div": "<div><p>open"}}
    found = fhir(value)
    assert "text" not in read(found)
    assert found.notes["unknown", "drop"] == 1
    assert read(fhir(value, unknown="keep"))["text"] == value["text"]


def test_attachments_are_walked_by_their_type() -> None:
    found = fhir(document(), {"Anna": "Bo", "Keller": "Li"})
    attachment = read(found)["content"][0]["attachment"]
    assert attachment == {
        "contentType": "text/plain", "data": base64("Bo Li was seen.\n\nShe sleeps well."), "title": "Li.txt",
        "size": 33,
    }  # fmt: skip
    assert found.texts["DocumentReference, content 1, attachment, data, paragraph 2"] == "She sleeps well."
    unchanged = read(fhir(document()))["content"][0]["attachment"]
    assert unchanged == document()["content"][0]["attachment"]
    inner = document("application/fhir+json", base64(as_bytes(patient())))
    found = fhir(inner, {"Dr. Anna Maria Keller": "Bo Li"})
    assert any(each.text == "Bo Li" for each in strings("a.fhir.json", found.content))
    place = "DocumentReference, content 1, attachment, data, Patient, name 1"
    assert found.texts[place] == "Dr. Anna Maria Keller"


@pytest.mark.parametrize(
    ("kind", "rule"), [("application/x-canary", "unknown"), ("image/png", "images"), ("text/plain", "attachments")]
)
def test_other_attachments_go_by_the_rules(kind: str, rule: str) -> None:
    data = base64("a canary in a file")
    dropped = read(fhir(document(kind, data), rules={rule: "drop"}))["content"][0]["attachment"]
    assert dropped == {"contentType": kind, "_data": MASKED, "title": "Keller.txt"}
    kept = read(fhir(document(kind, data), rules={rule: "keep"}))["content"][0]["attachment"]
    assert kept["data"] == data
    with pytest.raises(Refused, match=f"{rule}.*content 1, attachment, data"):
        fhir(document(kind, data), rules={rule: "refuse"})
    binary = {"resourceType": "Binary", "contentType": kind, "data": data}
    assert "data" not in read(fhir(binary, rules={rule: "drop"}))


def test_base64_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(Refused, match="base64"):
        fhir(document("text/plain", "can*ary"))


UNKNOWN: dict[str, Any] = {
    "resourceType": "Patient",
    "extension": [{"url": "https://hospital.example/vip", "valueString": "a canary"}],
    "keeper": "a canary",
    "bird": {"name": "a canary"},
    "gender": "female",
}


def test_what_is_unknown_is_dropped_kept_or_refused() -> None:
    found = fhir(UNKNOWN)
    assert read(found) == {"resourceType": "Patient", "gender": "female"}
    assert found.notes["unknown", "drop"] == 3
    kept = fhir(UNKNOWN, {"canary": "bird"}, unknown="keep")
    assert read(kept)["keeper"] == read(kept)["bird"]["name"] == read(kept)["extension"][0]["valueString"] == "a bird"
    with pytest.raises(Refused, match="unknown"):
        fhir(UNKNOWN, unknown="refuse")
    with pytest.raises(Refused, match="changes what its element means"):
        fhir({"resourceType": "Patient", "modifierExtension": UNKNOWN["extension"]})
    basic = read(fhir(bundle(patient(), {"resourceType": "Canary", "id": "x", "name": "canary"})))["entry"][1]
    assert basic["resource"] == {"resourceType": "Basic", "code": MASKED}
    listed = {"resourceType": "Patient", "contained": [{"resourceType": ["canary"], "name": "canary"}]}
    assert read(fhir(listed))["contained"] == [{"resourceType": "Basic", "code": MASKED}]
    with pytest.raises(Refused, match="a name that FHIR has for none"):
        fhir({"resourceType": "Patient", "Anna Keller": True}, unknown="keep")


def test_what_a_server_says_of_a_record_is_a_property() -> None:
    meta: dict[str, Any] = {
        "versionId": "canary",
        "lastUpdated": "2020-01-02T10:00:00Z",
        "source": "https://canary.example/x",
    }
    meta |= {"profile": ["http://hl7.org/fhir/us/core/StructureDefinition/us-core-patient"]}
    assert read(fhir({"resourceType": "Patient", "meta": meta}))["meta"] == {"profile": meta["profile"]}
    assert read(fhir({"resourceType": "Patient", "meta": meta}, properties="keep"))["meta"] == meta
    treated = fhir({"resourceType": "Patient", "meta": meta}, properties="treat")
    assert list(treated.texts.values()) == ["2020-01-02T10:00:00Z", "https://canary.example/x"]


def test_systems_that_are_not_public_are_links_and_their_codes_texts() -> None:
    """A code of a hospital's own system may be a ward, or somebody's number."""
    value = {"resourceType": "Observation", "code": {"coding": [{"system": "https://canary.example", "code": "w7"}]}}
    texts = fhir(value).texts
    assert texts["Observation, code, coding 1, system"] == "https://canary.example"
    assert texts["Observation, code, coding 1, code"] == "w7"
    assert read(fhir(value, {"canary": "b", "w7": "w9"}))["code"]["coding"] == [{"_system": MASKED, "code": "w9"}]
    assert read(fhir(value, {"w7": ""}, links="drop"))["code"]["coding"] == [{"_system": MASKED, "_code": MASKED}]
    assert read(fhir(value, links="keep")) == value


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b'{"resourceType":"Patient","id":"canary","id":"canary"}', "two elements of one name"),
        (b'{"resourceType":"Observation","valueDecimal":NaN,"id":"canary"}', "NaN"),
        (b'{"resourceType":"Patient","id":"canary"', "not JSON"),
        (b'{"resourceType":"Patient","id":"canary\xff"}', "UTF-8"),
        ('{"resourceType":"Patient","id":"canary"}'.encode("utf-16"), "UTF-8"),
        (b'{"resourceType":"Patient","display":"canary\\ud800"}', "half of a character"),
        (b'{"resourceType":"Patient","name":' + b'[{"name":' * 60 + b'"canary"' + b"}]" * 60 + b"}", "100 deep"),
        (b"[" * 100_000, "not JSON"),
        (b'{"name":"canary"}', "no resourceType"),
        (b'["canary"]', "no resourceType"),
        (b'{"resourceType":"Patient","alias":[["canary"]]}', "a list lies in a list"),
    ],
)
def test_what_cannot_be_read_is_refused_without_its_content(content: bytes, reason: str) -> None:
    with pytest.raises(Refused, match=reason) as caught:
        fhir(content)
    error: BaseException | None = caught.value
    while error is not None:
        assert "canary" not in str(error)
        error = error.__context__


def test_two_walks_yield_the_same_and_a_walk_over_the_written_file_the_new_texts() -> None:
    content = as_bytes(bundle(patient(), observation(), document()))
    words = {"Anna": "Bo", "Keller": "Li", "1970-03-04": "1970", "Larsen": "Dahl"}
    written = fhir(content, words)
    again, nothing = fhir(content), list(walk(BytesIO(content), Visit(), None))
    assert [(s.record, s.place, s.text) for s in again.slots] == [(s.record, s.place, s.text) for s in nothing]
    later = {(slot.record, slot.place): slot.text for slot in fhir(written.content).slots}
    gone = {"entry 1, Patient, _birthDate, extension 1, valueDateTime", "entry 2, Observation, valueQuantity"}
    assert later == {(s.record, s.place): s.new for s in written.slots if s.place not in gone} | {
        key: text for key, text in later.items() if key[1] in gone
    }
    assert written.content == fhir(content, words).content


NAMES = sorted(fhir_names.names().values)


SHAPES = words_of("""
    family given line city reference display system value url text div coding data contentType extension entry
    contained resource linkId sigFormat id meta unit code type identifier valueQuantity valueString birthDate
    status resourceType
""")
FORMS = (
    "canary {} sings", "canary-{}", "https://canary.example/{}", "canary{}@b.example", "<div>canary {}</div>",
    "Patient/canary-{}", "urn:oid:canary.{}", "#canary{}", "canary:{}", "http://hl7.org/fhir/?x=canary{}",
)  # fmt: skip
CODES = {name for name, kind in fhir_names.names().values.items() if kind == fhir_names.CODE}


@st.composite
def resources(draw: st.DrawFn) -> dict[str, Any]:
    """Resources of known and unknown elements, in which every string is a canary of its own."""
    count = iter(range(10_000))

    def node(depth: int) -> Any:
        kind = draw(st.integers(0, 11 if depth else 6))
        if kind < 6:
            return draw(st.sampled_from(FORMS)).format(next(count))
        if kind == 6:
            return draw(st.sampled_from([True, None, 7.5]))
        if kind < 9:
            return [node(0) if draw(st.booleans()) else members(depth - 1) for _ in range(draw(st.integers(0, 3)))]
        return members(depth - 1)

    def members(depth: int) -> dict[str, Any]:
        keys = draw(
            st.lists(st.sampled_from([*NAMES, *SHAPES * 80, "canaries"]), min_size=1, max_size=7, unique=True)
        )
        return {(f"_{key}" if draw(st.integers(0, 9)) == 0 else key): node(max(depth, 0)) for key in keys}

    kind = draw(st.sampled_from(["Patient", "Observation", "Bundle", "Binary"]))
    return {**members(3), "resourceType": kind}


@settings(max_examples=200)
@given(resources())
def test_every_string_is_yielded_or_a_code_or_gone(value: dict[str, Any]) -> None:
    try:
        found = fhir(value, {"canary": "bird"})
    except Refused:
        return
    left = [(key, text) for key, text in texts_of(read(found)) if "canary" in text]
    assert [(key, text) for key, text in left if key not in CODES and key != "profile"] == []
    assert all(fhir_names.is_code(text) for key, text in left if key in CODES)


def texts_of(value: Any, key: str = "") -> list[tuple[str, str]]:
    if isinstance(value, dict):
        return [(name, name) for name in value] + [pair for name in value for pair in texts_of(value[name], name)]
    if isinstance(value, list):
        return [pair for each in value for pair in texts_of(each, key)]
    return [(key, value)] if isinstance(value, str) else []


def test_the_guard_sees_a_kind_of_element_that_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    names = fhir_names.names()
    content = as_bytes({"resourceType": "Patient", "note": [{"text": "canary"}]})
    assert all("canary" not in seen.text for seen in strings("a.fhir.json", fhir(content, {"canary": "x"}).content))
    wrong = names._replace(values={**names.values, "text": fhir_names.CODE})
    with monkeypatch.context() as patched:
        patched.setattr(fhir_names, "names", lambda: wrong)
        passed = fhir(content, {"canary": "x"}).content
    assert any("canary" in seen.text for seen in strings("a.fhir.json", passed))


def test_strings_hold_what_is_in_bytes_and_markup() -> None:
    value = document("application/octet-stream", base64("Anna Keller".encode("utf-16")))
    value["text"] = {"status": "generated", "div": DIV}
    value["subject"]["identifier"] = {"value": 8837261}
    seen = [each.text for each in strings("a.fhir.json", as_bytes(value))]
    for text in ("Anna Keller", "hover canary", "https://portal.example/canary", "8837261"):
        assert any(text in each for each in seen), text
    with pytest.raises(Refused):
        strings("a.fhir.json", b"{")


@pytest.mark.parametrize(
    "uri",
    [
        "http://hl7.org/fhir/sid/us-ssn|123-45-6789", "http://hl7.org/fhir/sid/us-ssn|12", "http://loinc.org|1984",
        "http://hl7.org/fhir/sid/us-ssn/123-45-6789", "http://hl7.org/fhir/sid/us-ssn/12/3",
        "http://loinc.org/1984-03-12",
        "urn:oid:2.16.840.1.113883.4.1.123456789", "urn:oid:2.16.840.1.113883.4.6.1",
        "urn:oid:2.16.840.1.113883.6.471123",
        "https://fhir.nhs.uk/Id/nhs-number/9434765919", "http://hl7.org/fhir/Patient/canary",
        "http://loinc.org.canary.example",
        "http://hl7.org/fhir/us/core/StructureDefinition/us-core-race|Keller", "urn:iso:std:iso:4711234567",
        "http://snomed.info/id/4711234567", "http://snomed.info/sct/4711234567", "http://hl7.org/fhir/Practitioner/1",
    ],
)  # fmt: skip
def test_what_could_be_a_number_of_a_person_is_no_public_address(uri: str) -> None:
    extension = [
        {"url": "http://hl7.org/fhir/StructureDefinition/x", key: uri} for key in ("valueString", "valueUri")
    ]
    found = fhir({"resourceType": "Patient", "extension": extension, "meta": {"profile": [uri]}})
    assert not is_public(uri)
    assert uri in found.texts.values() or uri.encode() not in found.content


@pytest.mark.parametrize(
    "uri",
    [
        "http://hl7.org/fhir/sid/us-ssn", "http://fhir.de/sid/gkv/kvid-10", "http://hl7.org/fhir/Patient",
        "http://hl7.org/fhir/StructureDefinition/11179-objectClass", "http://terminology.hl7.org/CodeSystem/v2-0203",
        "http://hl7.org/fhir/us/core/StructureDefinition/us-core-patient|6.1.0", "http://loinc.org|2.74",
        "https://fhir.kbv.de/StructureDefinition/KBV_PR_FOR_Patient|1.1.0-cibuild", "urn:iso:std:iso:3166:-2",
        "urn:iso:std:iso:11073:10101", "urn:ietf:bcp:47", "urn:ietf:rfc:3986", "urn:oid:2.16.840.1.113883.6.238",
        "urn:oid:2.16.840.1.113883.4.1", "http://snomed.info/sct/900000000000207008/version/20230901",
        "urn:ihe:iti:xds:2013:uniqueId", "http://www.w3.org/1999/xhtml", "http://unitsofmeasure.org",
    ],
)  # fmt: skip
def test_addresses_of_standards_stay_public(uri: str) -> None:
    assert is_public(uri)


def test_the_search_reads_what_is_below_a_public_address() -> None:
    """The walk leaves it as it is, so the proof must not."""
    url, race = (
        "http://hl7.org/fhir/StructureDefinition/",
        "http://hl7.org/fhir/us/core/StructureDefinition/us-core-race",
    )
    value: dict[str, Any] = {"resourceType": "Patient", "extension": [
        {"url": f"{url}Keller", "valueUri": f"{url}Anna"}, {"url": f"{race}/Eva", "valueString": "White"},
    ]}  # fmt: skip
    value["text"] = {"div": f'<div xmlns="http://www.w3.org/1999/xhtml"><a href="{url}Maria">x</a></div>'}
    proof = proved(strings("a.fhir.json", as_bytes(value)), {"Keller"}, ())
    assert proof.places
    for name in ("Anna", "Eva", "Maria", "White"):
        assert proved(strings("a.fhir.json", as_bytes(value)), {name}, ()).places
    census = {"resourceType": "Patient", "extension": [patient()["extension"][1]]}
    assert not proved(strings("a.fhir.json", as_bytes(census)), {"White", "238"}, ()).places


@pytest.mark.parametrize(
    "value",
    [
        {"maritalStatus": {"coding": [{"code": "{}"}]}},
        {"maritalStatus": {"coding": [{"system": "http://x.example/local", "code": "{}"}]}},
        {"maritalStatus": {"coding": [{"system": "http://hl7.org/fhir/sid/us-ssn", "code": "{}"}]}},
        {"maritalStatus": {"coding": [{"system": "http://loinc.org", "code": "{}"}]}},
        {"gender": "{}"},
        {"language": "{}"},
        {"item": [{"linkId": "{}"}]},
        {"extension": [{"url": "http://hl7.org/fhir/StructureDefinition/x", "valueCode": "{}"}]},
        {"valueQuantity": {"value": 1, "unit": "kg", "code": "{}"}},
    ],
)
@pytest.mark.parametrize("code", ["Schmidt", "4711234567", "123-45-6789", "1984-03-12"])
def test_codes_that_may_be_of_a_person_are_texts_and_are_searched(value: dict[str, Any], code: str) -> None:
    content = as_bytes({"resourceType": "Patient", **value}).replace(b"{}", code.encode())
    assert proved(strings("a.fhir.json", content), {code}, ()).places
    found = fhir(content, {code: "gone"})
    assert code in found.texts.values()
    assert code.encode() not in found.content
    assert not proved(strings("a.fhir.json", found.content), {code}, ()).places


@pytest.mark.parametrize("key", ["valuePositiveInt", "rank", "total", "multipleBirthInteger"])
def test_a_count_of_many_digits_is_a_text(key: str) -> None:
    found = fhir({"resourceType": "Patient", key: 4711234567}, {"4711234567": "gone"})
    assert read(found) == {"resourceType": "Patient", f"_{key}": MASKED}
    assert fhir({"resourceType": "Patient", "rank": 4711}).texts == {}


def test_codes_of_standards_are_no_texts_and_may_be_numbers_that_are_gone() -> None:
    """The carbon dioxide of the blood is 2019-8, and 2019 is a year."""
    codes = {
        "http://loinc.org": ["2019-8", "LA6576-8"], "http://snomed.info/sct": ["44054006", "900000000000207008"],
        "http://www.nlm.nih.gov/research/umls/rxnorm": ["1049502"], "http://unitsofmeasure.org": ["10*3/uL", "Cel"],
        "http://hl7.org/fhir/sid/icd-10-cm": ["E11.9"], "http://terminology.hl7.org/CodeSystem/v3-ActCode": ["AMB"],
    }  # fmt: skip
    coding = [{"system": system, "code": code} for system, each in codes.items() for code in each]
    value = {"resourceType": "Observation", "status": "final", "code": {"coding": coding}, "language": "en-US"}
    assert fhir(value).texts == {}
    assert not proved(strings("a.fhir.json", as_bytes(value)), {"2019", "final", "8"}, ()).places
    assert proved(strings("a.fhir.json", as_bytes(value)), {"44054006"}, ()).places
