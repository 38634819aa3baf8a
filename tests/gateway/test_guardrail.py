"""LiteLLM's generic guardrail, asked by LiteLLM's own code."""

from __future__ import annotations

import json
from typing import Any

import pytest

from served_doors import MAIL, NAME, TEXT, Door
from sfumato.gateway.guardrail import GUARDRAIL
from sfumato.gateway.sessions import Sanitized, Sessions

pytestmark = pytest.mark.models
REQUEST = {"input_type": "request", "litellm_trace_id": "t1", "request_data": {"user_api_key_hash": "h"}}
TOOL = {"type": "function", "function": {"name": "f", "description": f"Looks up {NAME}", "parameters": {}}}


def asked(door: Door, **more: Any) -> dict[str, Any]:
    answer = door.post(GUARDRAIL, {**REQUEST, **more})
    assert answer.status_code == 200
    told: dict[str, Any] = answer.json()
    return told


def test_the_answer_of_a_trace_is_restored(door: Door) -> None:
    rows = [{"role": "user", "content": TEXT}, {"role": "assistant", "content": None, "tool_calls": [
        {"id": "1", "type": "function", "function": {"name": "f", "arguments": json.dumps({"to": MAIL})}}
    ]}]  # fmt: skip
    told = asked(door, texts=[TEXT], structured_messages=rows, tools=[TOOL])
    assert told["action"] == "GUARDRAIL_INTERVENED"
    sent = json.dumps(told)
    for canary in (*NAME.split(), MAIL):
        assert canary not in sent
    (text,) = told["texts"]
    assert told["structured_messages"][0]["content"] == text
    answer = {"input_type": "response", "texts": [text]}
    assert asked(door, **answer)["texts"] == [TEXT]
    for other in ({"litellm_trace_id": "t2"}, {"request_data": {"user_api_key_hash": "another"}}):
        assert asked(door, **answer, **other)["texts"] == [text]


def test_a_stream_holds_back_what_may_become_a_pseudonym(door: Door) -> None:
    (text,) = asked(door, texts=[TEXT])["texts"]
    emitted = ""
    for end in range(len(text) + 1):
        told = asked(door, input_type="response", texts=[text[:end]])
        (said,), (held,) = told["texts"], told["stream_holdback_chars"]
        assert said.startswith(emitted)  # what was sent is never taken back
        emitted = said[: len(said) - held]
    assert said == TEXT


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"images": ["data:image/png;base64,AAAA"]}, "image"),
        ({"structured_messages": [{"role": "user", "content": [{"type": "input_audio", "x": NAME}]}]}, "input_audio"),
        ({"structured_messages": [{"role": "user", "secret": NAME}]}, "secret"),
        ({"tools": [{"type": "code_interpreter"}]}, "code_interpreter"),
        ({"tool_calls": [{"type": "function", "function": {"name": "f", "arguments": json.dumps({"to": MAIL})}}]},
         "write it back"),
        ({"tool_calls": [{"name": NAME}]}, "form"),
        ({"texts": [7]}, "not a text"),
        ({"input_type": "both"}, "input_type"),
        ({"litellm_trace_id": None}, "litellm_trace_id"),
        ({NAME: 1}, "1 keys"),
    ],
)  # fmt: skip
def test_what_cannot_be_sanitized_is_blocked(door: Door, more: dict[str, Any], reason: str) -> None:
    told = asked(door, **{"texts": [TEXT], **more})
    assert told.keys() == {"action", "blocked_reason"}
    assert told["action"] == "BLOCKED"
    assert reason in told["blocked_reason"]
    assert NAME not in told["blocked_reason"]


def test_an_answer_that_comes_back_is_sent_as_the_model_wrote_it(door: Door) -> None:
    """Its drawn age is not drawn again; the same words of a user are."""

    def ages() -> float:
        return float(door.server.counted.marks.labels("AGE")._value.get())

    text = f"I am {NAME}, 34 years old."
    (sent,) = asked(door, texts=[text])["texts"]
    (said,) = asked(door, input_type="response", texts=[f"So: {sent}"])["texts"]
    assert NAME in said
    before = ages()
    rows = [{"role": "user", "content": text}, {"role": "assistant", "content": said}]
    told = asked(door, texts=[text, said], structured_messages=rows)
    assert told["texts"] == [row["content"] for row in told["structured_messages"]] == [sent, f"So: {sent}"]
    assert ages() == before
    both = [*rows, {"role": "user", "content": said}]
    told = asked(door, texts=[text, said, said], structured_messages=both)
    assert ages() == before + 1
    assert told["texts"][1] == told["texts"][2] == told["structured_messages"][2]["content"]
    assert NAME not in json.dumps(told)


def test_a_long_stream_is_remembered_once() -> None:
    session = Sessions().of("client", "trace")
    for end in range(1, 500):
        session.says(0, "x" * end, "y" * end, {})
    assert len(session.memo) == 1
    assert session.answered_before("y" * 499) == Sanitized("x" * 499, {})
    session.says(0, "z", "z", {})
    assert len(session.memo) == 2
