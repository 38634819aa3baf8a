"""Presidio's two servers: its shapes, its names, and a refusal for whatever this one does otherwise."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from served_doors import MAIL, NAME, PHONE, TEXT, Door
from sfumato.abstract.detector import Detector
from sfumato.gateway.operators import Entity, anonymize, disjoint
from sfumato.gateway.presidio import ENTITIES, Analyzer
from sfumato.gateway.shield import Shield
from sfumato.gateway.slots import RefusedError
from sfumato.gateway.turns import finished
from sfumato.kinds.registry import KINDS
from sfumato.text.document import Document
from sfumato.text.marks import Span, Spans

RESULT = {"start": 5, "end": 26, "score": 0.9, "entity_type": "PERSON"}


@pytest.mark.models
def test_what_is_found_is_told_as_presidio_tells_it(door: Door) -> None:
    answer = door.post("/analyze", {"text": TEXT, "language": "en", "correlation_id": "c"})
    assert answer.status_code == 200
    told = answer.json()
    assert all(each.keys() == {"entity_type", "start", "end", "score", "analysis_explanation"} for each in told)
    assert {(each["entity_type"], TEXT[each["start"] : each["end"]]) for each in told} >= {
        ("PERSON", NAME), ("EMAIL_ADDRESS", MAIL), ("PHONE_NUMBER", PHONE),
    }  # fmt: skip
    assert all(0 <= each["score"] <= 1 for each in told)
    several = door.post("/analyze", {"text": [TEXT, "Nothing here."], "language": "en"}).json()
    assert several == [told, []]
    explained = door.post("/analyze", {"text": TEXT, "language": "en", "return_decision_process": True}).json()
    assert all(each["analysis_explanation"]["recognizer"] for each in explained)


@pytest.mark.models
def test_entities_threshold_and_allow_list_narrow_it(door: Door) -> None:
    def asked(**more: Any) -> set[str]:
        told = door.post("/analyze", {"text": TEXT, "language": "en", **more}).json()
        return {TEXT[each["start"] : each["end"]] for each in told}

    assert asked(entities=["EMAIL_ADDRESS"]) == {MAIL}
    assert asked(entities=["US_SSN"]) == set()
    assert NAME not in asked(allow_list=[NAME])
    least = min(each["score"] for each in door.post("/analyze", {"text": TEXT, "language": "en"}).json())
    assert len(asked(score_threshold=1.0)) <= len(asked(score_threshold=least)) == len(asked())
    listed = door.client.get("/supportedentities", params={"language": "en"}).json()
    assert {"PERSON", "EMAIL_ADDRESS", "LOCATION", "DATE_TIME"} <= set(listed)


@pytest.mark.models
@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"text": TEXT}, "language"),
        ({"text": TEXT, "language": "xx"}, "language is one of"),
        ({"text": TEXT, "language": "de"}, "language is one of en, which"),
        ({"text": "", "language": "en"}, "text is a text"),
        ({"text": [], "language": "en"}, "text is a text"),
        ({"text": [TEXT, 7], "language": "en"}, "text is a text"),
        ({"text": TEXT, "language": "en", "entities": ["ZWIEBEL"]}, "supportedentities"),
        ({"text": TEXT, "language": "en", "entities": "PERSON"}, "list"),
        ({"text": TEXT, "language": "en", "score_threshold": True}, "number"),
        ({"text": TEXT, "language": "en", "ad_hoc_recognizers": [{"name": NAME}]}, "not offered"),
        ({"text": TEXT, "language": "en", "context": [NAME]}, "not offered"),
        ({"text": TEXT, "language": "en", NAME: 1}, "1 keys"),
        ({"text": TEXT, "language": "en", "allow_list": [NAME], "allow_list_match": "regex"}, "exact"),
        ([TEXT], "not a JSON object"),
        ({"text": "x" * 300_000, "language": "en"}, "larger than"),
    ],
)
def test_bad_requests_are_refused_in_presidios_format(door: Door, body: Any, said: str) -> None:
    answer = door.post("/analyze", body)
    assert answer.status_code in (400, 413)
    assert answer.json().keys() == {"error"}
    assert said in answer.json()["error"]
    assert NAME not in answer.text


@pytest.mark.models
def test_the_token_is_asked_for(door: Door) -> None:
    for path in ("/analyze", "/anonymize"):
        answer = door.client.post(path, json={}, headers={"x-api-key": "another"})
        assert answer.status_code == 401
        assert answer.json().keys() == {"error"}


@pytest.mark.models
def test_analyze_and_anonymize_together_leave_nothing(door: Door) -> None:
    found = door.post("/analyze", {"text": TEXT, "language": "en"}).json()
    made = door.post("/anonymize", {"text": TEXT, "analyzer_results": found, "anonymizers": {}}).json()
    assert made["text"].startswith("I am <PERSON>, write to <EMAIL_ADDRESS> or call <PHONE_NUMBER>")
    for item in made["items"]:
        assert made["text"][item["start"] : item["end"]] == item["text"] == f"<{item['entity_type']}>"
    assert [item["start"] for item in made["items"]] == sorted((i["start"] for i in made["items"]), reverse=True)
    assert door.client.get("/anonymizers").json() == ["replace", "mask", "hash", "redact", "keep"]


@pytest.mark.parametrize(
    ("operator", "made"),
    [
        ({"type": "replace"}, "<PERSON>"),
        ({"type": "replace", "new_value": "Somebody"}, "Somebody"),
        ({"type": "redact"}, ""),
        ({"type": "keep"}, NAME),
        ({"type": "mask", "masking_char": "*", "chars_to_mask": 4, "from_end": True}, NAME[:-4] + "****"),
        ({"type": "mask", "masking_char": "*", "chars_to_mask": 999, "from_end": False}, "*" * len(NAME)),
        (
            {"type": "hash", "hash_type": "sha512", "salt": "s" * 16},
            hashlib.sha512(("s" * 16 + NAME).encode()).hexdigest(),
        ),
    ],
)
def test_operators(operator: dict[str, Any], made: str) -> None:
    for name in ("PERSON", "DEFAULT"):
        told = anonymize({"text": TEXT, "analyzer_results": [RESULT], "anonymizers": {name: operator}})
        assert told["text"] == TEXT[:5] + made + TEXT[26:]
        (item,) = told["items"]
        assert (item["operator"], item["text"]) == (operator["type"], made)


def test_a_hash_has_a_salt_of_its_own_in_each_request() -> None:
    body = {"text": TEXT, "analyzer_results": [RESULT], "anonymizers": {"PERSON": {"type": "hash"}}}
    plain = hashlib.sha256(NAME.encode()).hexdigest()
    first, second = anonymize(dict(body))["text"], anonymize(dict(body))["text"]
    assert first != second
    assert plain not in first + second


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"text": TEXT}, "analyzer_results"),
        ({"text": TEXT, "analyzer_results": [{**RESULT, "end": 999}]}, "outside the text"),
        ({"text": TEXT, "analyzer_results": [{**RESULT, "start": -1}]}, "outside the text"),
        ({"text": TEXT, "analyzer_results": [{**RESULT, "start": 26}]}, "outside the text"),
        ({"text": TEXT, "analyzer_results": [{**RESULT, "start": True}]}, "whole number"),
        ({"text": TEXT, "analyzer_results": [{**RESULT, "score": NAME}]}, "no number"),
        ({"text": TEXT, "analyzer_results": [{**RESULT, "text": NAME}]}, "1 keys"),
        ({"text": TEXT, "analyzer_results": [RESULT], "deanonymizers": {}}, "1 keys"),
        ({"text": TEXT, "analyzer_results": [RESULT], "anonymizers": {"PERSON": {"type": NAME}}}, "no type"),
        ({"text": TEXT, "analyzer_results": [], "anonymizers": {"X": {"type": "encrypt", "key": NAME}}}, "encrypt"),
        ({"text": TEXT, "analyzer_results": [], "anonymizers": {"X": {"type": "custom"}}}, "custom"),
        ({"text": TEXT, "analyzer_results": [], "anonymizers": {"X": {"type": "mask"}}}, "masking_char"),
        (
            {"text": TEXT, "analyzer_results": [], "anonymizers": {"X": {"type": "hash", "salt": "x"}}},
            "16 characters",
        ),
        (
            {"text": TEXT, "analyzer_results": [], "anonymizers": {"X": {"type": "hash", "hash_type": "md5"}}},
            "sha256",
        ),
    ],
)
def test_bad_operators_and_offsets_are_refused(body: dict[str, Any], said: str) -> None:
    with pytest.raises(RefusedError) as refused:
        anonymize(body)
    assert said in str(refused.value)
    assert NAME not in str(refused.value)


def test_overlapping_entities_are_treated_once() -> None:
    text = "George Washington Square Park"
    person, place = Entity(0, 17, "PERSON"), Entity(7, 29, "LOCATION")
    assert disjoint(text, [place, person]) == [Entity(0, 7, "PERSON"), place]
    assert disjoint(text, [Entity(0, 6, "PERSON"), Entity(7, 17, "PERSON"), Entity(8, 9, "URL")]) == [person]
    same = [Entity(0, 6, "A", 0.2), Entity(0, 6, "B", 0.9)]
    assert disjoint(text, same) == [same[1]]


def test_every_kind_has_a_name() -> None:
    assert ENTITIES.keys() >= KINDS if isinstance(KINDS, set | frozenset) else set(KINDS) <= ENTITIES.keys()


@dataclass(frozen=True)
class Certain(Detector):
    """Marks the first word, with no chance."""

    description, unprotected = "the first word", "the rest"

    def detect(self, documents: Sequence[Document]) -> list[Spans]:
        return [Spans.of([Span(0, document.text.index(" "), "PERSON")]) for document in documents]


def test_a_mark_without_a_chance_passes_every_threshold() -> None:
    engine = SimpleNamespace(detector=Certain(), kind=lambda label, _: label)
    shield: Any = Shield(engine, ("PERSON",))  # type: ignore[arg-type]
    told = finished(Analyzer(shield).analyze({"text": "Anna saw it.", "language": "en", "score_threshold": 1.0}))
    assert [(each["start"], each["end"], each["score"]) for each in told] == [(0, 4, 1.0)]


def test_a_text_is_read_in_no_other_language_than_the_policy_s() -> None:
    engine = SimpleNamespace(detector=Certain(), kind=lambda label, _: label)
    shield: Any = Shield(engine, ("PERSON",))  # type: ignore[arg-type]
    german = Analyzer(shield, languages=("de",))
    assert len(finished(german.analyze({"text": "Anna sah es.", "language": "de"}))) == 1
    with pytest.raises(RefusedError, match="language is one of de, which"):
        finished(german.analyze({"text": "Anna saw it.", "language": "en"}))
