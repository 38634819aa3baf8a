"""Resources of FHIR and messages of HL7 v2 as hospitals write them, about a patient of no hospital."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

UUID = "0c7c7b1e-1111-4222-8333-444455556666"
DIV = (
    '<div xmlns="http://www.w3.org/1999/xhtml"><p>Patient <b>An</b>na Keller,&nbsp;born 4 March</p>'
    '<table class="hapiPropertyTable"><tr><td title="hover canary">cell canary</td></tr></table>'
    '<p style="color: red">see <a href="https://portal.example/canary">the portal</a></p></div>'
)


def base64(content: bytes | str) -> str:
    return b64encode(content.encode() if isinstance(content, str) else content).decode("ascii")


def patient() -> dict[str, Any]:
    return {
        "resourceType": "Patient",
        "id": UUID,
        "text": {"status": "generated", "div": DIV},
        "extension": [
            {"url": "http://hl7.org/fhir/StructureDefinition/patient-mothersMaidenName", "valueString": "Larsen"},
            {
                "url": "http://hl7.org/fhir/us/core/StructureDefinition/us-core-race",
                "extension": [
                    {"url": "ombCategory", "valueCoding": {"system": "urn:oid:2.16.840.1.113883.6.238",
                     "code": "2106-3", "display": "White"}},
                    {"url": "text", "valueString": "White"},
                ],
            },
        ],
        "identifier": [
            {
                "use": "usual",
                "type": {"coding": [{"system": "http://terminology.hl7.org/CodeSystem/v2-0203", "code": "MR"}]},
                "system": "https://hospital.example/mrn",
                "value": "8837261",
            }
        ],
        "active": True,
        "name": [{"use": "official", "family": "Keller", "given": ["Anna", "Maria"], "prefix": ["Dr."]}],
        "telecom": [{"system": "phone", "value": "555-123-4567", "use": "home", "rank": 1}],
        "gender": "female",
        "birthDate": "1970-03-04",
        "_birthDate": {
            "extension": [
                {"url": "http://hl7.org/fhir/StructureDefinition/patient-birthTime",
                 "valueDateTime": "1970-03-04T14:35:45-05:00"}
            ]
        },
        "address": [
            {"use": "home", "line": ["12 Main St", "Apt 4"], "city": "Springfield", "state": "IL",
             "postalCode": "62701", "country": "US"}
        ],
        "multipleBirthInteger": 2,
        "contact": [{"relationship": [{"text": "mother"}], "name": {"text": "Eva Keller"}}],
        "generalPractitioner": [{"reference": "Practitioner/dr-smith", "display": "Dr. John Smith"}],
    }  # fmt: skip


def observation() -> dict[str, Any]:
    return {
        "resourceType": "Observation",
        "id": "weight-1",
        "status": "final",
        "code": {"coding": [{"system": "http://loinc.org", "code": "29463-7", "display": "Body weight"}]},
        "subject": {"reference": f"urn:uuid:{UUID}", "display": "Anna Keller"},
        "effectiveDateTime": "2019-04-05",
        "issued": "2019-04-05T10:11:12.345+02:00",
        "valueQuantity": {"value": 82, "unit": "kg", "system": "http://unitsofmeasure.org", "code": "kg"},
        "note": [{"authorString": "Dr. Who", "time": "2019-04-05", "text": "Anna Keller came by."}],
    }  # fmt: skip


def document(content_type: str = "text/plain", data: str = "") -> dict[str, Any]:
    data = data or base64("Anna Keller was seen.\n\nShe sleeps well.")
    attachment = {"contentType": content_type, "data": data, "hash": "c2hh", "size": 40, "title": "Keller.txt"}
    return {"resourceType": "DocumentReference", "id": "doc-1", "status": "current",
            "subject": {"reference": f"Patient/{UUID}"}, "content": [{"attachment": attachment}]}  # fmt: skip


def bundle(*resources: dict[str, Any]) -> dict[str, Any]:
    entries = [{"fullUrl": f"urn:uuid:{each['id']}" if each["id"] == UUID else f"https://hospital.example/fhir/"
                f"{each['resourceType']}/{each['id']}", "resource": each} for each in resources]  # fmt: skip
    return {"resourceType": "Bundle", "type": "collection", "entry": entries}


def as_bytes(value: Any) -> bytes:
    return json.dumps(value).encode("utf-8")


MESSAGE = "\r".join(
    [
        r"MSH|^~\&|EPIC|ST MARY HOSPITAL|LAB|F2|20200102134500-0500||ORU^R01^ORU_R01|MSG00001|P|2.5.1|||||USA"
        r"|UNICODE UTF-8",
        r"PID|1||8837261^5^M11^HOSP&1.2.3&ISO^MR~123-45-6789^^^SSA^SS||Keller&van&Keller^Anna^Maria^Jr^Dr.^^L||19700304|F"
        r"|||12 Main St^Apt 4^Springfield^IL^62701^USA^H||^PRN^PH^anna@x.org^1^555^1234567||en|M|CAT|AC-9981",
        r"NK1|1|Keller^Bob|SPO^Spouse^HL70063|1 Elm^^X|(555)111-2222",
        r"PV1|1|I|ICU^101^A^HOSP|||||1234^Smith^John^^^Dr^MD^^NPI&1.2&ISO^L|||||||||||V998",
        r"AL1|1|DA|^PENICILLIN|SV|Rash",
        r"OBR|1|P123^EPIC|F987^LAB|29463-7^Body weight^LN|||20200102|||||||||1234^Smith^John",
        r"OBX|1|NM|29463-7^Body weight^LN||82.30|kg^kilogram^UCUM|||||F|||20200102",
        r"OBX|2|TX|R^Report^L||Patient Anna \T\ family\.br\\H\seen\N\ by Dr. John||||||F",
        r"OBX|3|TX|R^Report^L||Smith on Monday~Anna Keller||||||F",
        rf"OBX|4|ED|D^Doc^L||^text^plain^Base64^{base64('Anna Keller was here')}||||||F",
        r"NTE|1|L|Called Anna",
        r"NTE|2|L|Keller at home",
        "",
    ]
)
