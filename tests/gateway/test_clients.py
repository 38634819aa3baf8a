"""Real clients through the gateway, before an upstream that repeats everything it was sent."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytestmark = pytest.mark.models
TOKEN = "secret-token-of-the-test"
NAME, MAIL, PHONE = "Zwiebelina Fischhaber", "zwiebelina@fischhaber.example", "+49 170 7654321"
TEXT = f"I am {NAME}, write to {MAIL} or call {PHONE}. Ask {NAME} again."


def check_nothing_went_out(running: Any) -> None:
    assert running.upstream.seen
    for content in running.upstream.seen:
        text = json.dumps(json.loads(content), ensure_ascii=False)
        for canary in (*NAME.split(), MAIL, "7654321", TOKEN):
            assert canary.casefold() not in text.casefold()
    for headers in running.upstream.headers:
        assert TOKEN not in json.dumps(headers)
        assert "key-of-the-upstream" in json.dumps(headers)


def check_restored(said: str) -> None:
    assert TEXT in said.replace("\\n", "\n")
    assert "PERSON_" not in said
    assert "EMAIL_" not in said


TOOL = {
    "name": "f",
    "description": f"Looks up {NAME}",
    "parameters": {"type": "object", "properties": {"text": {"type": "string"}}},
}


@pytest.mark.parametrize("piece", [1, 3, 50])
def test_openai_chat_completions(running: Any, piece: int) -> None:
    from openai import OpenAI

    running.upstream.piece = piece
    with OpenAI(base_url=f"{running.address}/v1", api_key=TOKEN) as client:
        messages: Any = [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": [{"type": "text", "text": TEXT}]},
        ]
        tools: Any = [{"type": "function", "function": TOOL}]
        whole = client.chat.completions.create(model="m", messages=messages, tools=tools, user=MAIL)
        message = whole.choices[0].message
        check_restored(str(message.content))
        assert message.tool_calls
        check_restored(json.loads(message.tool_calls[0].function.arguments)["text"])
        said, arguments = "", ""
        for chunk in client.chat.completions.create(model="m", messages=messages, tools=tools, stream=True):
            for choice in chunk.choices:
                said += choice.delta.content or ""
                for call in choice.delta.tool_calls or ():
                    arguments += call.function.arguments or "" if call.function else ""
        check_restored(said)
        check_restored(json.loads(arguments)["text"])
    check_nothing_went_out(running)


@pytest.mark.parametrize("piece", [1, 3, 50])
def test_openai_responses(running: Any, piece: int) -> None:
    from openai import OpenAI

    running.upstream.piece = piece
    with OpenAI(base_url=f"{running.address}/v1", api_key=TOKEN) as client:
        tools: Any = [{"type": "function", **TOOL, "strict": False}]
        whole = client.responses.create(model="m", input=TEXT, tools=tools)
        check_restored(whole.output_text)
        said, arguments, numbers = "", "", []
        for event in client.responses.create(model="m", input=TEXT, tools=tools, stream=True):
            numbers.append(event.sequence_number)
            if event.type == "response.output_text.delta":
                said += event.delta
            elif event.type == "response.output_text.done":
                assert event.text == said
            elif event.type == "response.function_call_arguments.delta":
                arguments += event.delta
            elif event.type == "response.function_call_arguments.done":
                assert event.arguments == arguments
            elif event.type == "response.completed":
                check_restored(event.response.output_text)
        assert numbers == list(range(len(numbers)))
        check_restored(said)
        check_restored(json.loads(arguments)["text"])
        running.upstream.script = lambda _: "as before: " + json.loads(running.upstream.seen[0])["input"]
        later = client.responses.create(model="m", input="And now?", previous_response_id=whole.id)
        check_restored(later.output_text)
    check_nothing_went_out(running)


@pytest.mark.parametrize("piece", [1, 3, 50])
def test_anthropic_messages(running: Any, piece: int) -> None:
    from anthropic import Anthropic

    running.upstream.piece = piece
    with Anthropic(base_url=running.address, api_key=TOKEN) as client:
        tools: Any = [{"name": "f", "description": TOOL["description"], "input_schema": TOOL["parameters"]}]
        messages: Any = [{"role": "user", "content": TEXT}]
        whole = client.messages.create(model="m", max_tokens=99, messages=messages, tools=tools)
        texts = {block.type: block for block in whole.content}
        check_restored(texts["text"].text)  # type: ignore[union-attr]
        check_restored(texts["tool_use"].input["text"])  # type: ignore[union-attr, index]
        with client.messages.stream(model="m", max_tokens=99, messages=messages, tools=tools) as stream:
            final = stream.get_final_message()
        told = {block.type: block for block in final.content}
        check_restored(told["text"].text)  # type: ignore[union-attr]
        check_restored(told["tool_use"].input["text"])  # type: ignore[union-attr, index]
        signed = told["thinking"].model_dump(exclude_none=True)
        again: Any = [
            *messages,
            {"role": "assistant", "content": [signed, {"type": "text", "text": "So?"}]},
            *messages,
        ]
        client.messages.create(model="m", max_tokens=99, messages=again)
    check_nothing_went_out(running)
