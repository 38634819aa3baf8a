"""Ways out of the gateway that a reader found: each of them is closed, and stays so."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from sfumato.errors import ConfigurationError
from sfumato.gateway.restoring import PLAIN, Counts, Names, Restorer
from sfumato.gateway.sessions import Sessions
from sfumato.gateway.settings import Settings
from sfumato.gateway.sse import Reader
from sfumato.gateway.working import Worker

pytestmark = pytest.mark.models
NAME, PHONE = "Zwiebelina Fischhaber", "415-555-0100"
TOOL = {"type": "object", "properties": {"x": {"type": "string"}}}


def ask(running: Any, *messages: Any, **more: Any) -> tuple[str, dict[str, Any]]:
    """What was sent, and what came back."""
    answer = running.ask({"model": "m", "messages": list(messages), **more})
    assert answer.status_code == 200, answer.text
    return running.upstream.seen[-1].decode(), answer.json()


def user(text: str) -> dict[str, str]:
    return {"role": "user", "content": text}


def called(arguments: str) -> dict[str, Any]:
    return {
        "role": "assistant",
        "tool_calls": [{"id": "t", "type": "function", "function": {"name": "f", "arguments": arguments}}],
    }


def test_a_key_of_an_argument_is_sanitized_as_a_value_is(running: Any) -> None:
    sent, _ = ask(running, user(f"My phone is {PHONE}."), called(json.dumps({PHONE: {"a": 1}, "other": NAME})))
    assert PHONE not in sent
    assert "Zwiebelina" not in sent
    sent, _ = ask(running, user(f"My phone is {PHONE}."), metadata={PHONE: "x"})
    assert PHONE not in sent


@pytest.mark.parametrize(
    "text",
    [
        "See https://example.org/zwiebelina.fischhaber/PERSON_1A2B3C4D now.",
        "Write to zwiebelina.fischhaber+PERSON_1A2B3C4D@example.org now.",
        "My customer number is CODE_20231104, my phone is 415-555-0100.",
    ],
)
def test_what_touches_the_form_of_a_pseudonym_is_replaced_as_a_whole(running: Any, text: str) -> None:
    running.upstream.script = lambda body: body["messages"][0]["content"]
    sent, back = ask(running, user(text))
    for private in ("zwiebelina", "20231104", PHONE):
        assert private not in sent
    assert back["choices"][0]["message"]["content"] == text


def test_a_pseudonym_that_was_given_stays_where_a_client_sends_it_back(running: Any) -> None:
    sent, _ = ask(running, user(f"I am {NAME}."))
    pseudonym = json.loads(sent)["messages"][0]["content"].split()[2].rstrip(".")
    again, _ = ask(running, user(f"I am {NAME}."), user(f"Who is {pseudonym}?"))
    assert json.loads(again)["messages"][1]["content"] == f"Who is {pseudonym}?"


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "examples": [{"type": f"{NAME}, {PHONE}"}]},
        {"type": "object", "pattern": f"{NAME}|x"},
        {"type": "object", "required": [{"x": NAME}]},
        {"type": "object", "format": f"{NAME} {PHONE}"},
        {"type": "object", "properties": {NAME: {"type": "string"}}},
    ],
)
def test_words_of_a_schema_are_looked_at(running: Any, schema: Any) -> None:
    tool = {"type": "function", "function": {"name": "f", "parameters": schema}}
    sent, _ = ask(running, user("Hello."), tools=[tool])
    assert "Zwiebelina" not in sent
    assert PHONE not in sent


def test_a_schema_without_anything_private_is_as_it_was(running: Any) -> None:
    city, count = {"type": "string", "description": "a city"}, {"type": "integer", "minimum": 0}
    schema = {"type": "object", "properties": {"city": city, "n": count}, "required": ["city"]}
    tool = {"type": "function", "function": {"name": "f", "parameters": schema, "strict": True}}
    sent, _ = ask(running, user("Hello."), tools=[tool])
    assert json.loads(sent)["tools"] == [tool]


def test_numbers_of_arguments_are_looked_at_and_follow_the_draws(running: Any) -> None:
    text = "My account number is 4155550123, and I am {} years old."
    for age in range(30, 40):  # a draw may return what it was given
        content = f'{{"account": 4155550123, "age": {age}, "n": 2, "on": true}}'
        sent, _ = ask(running, user(text.format(age)), called(content))
        if f"am {age} years" not in sent:
            break
    body = json.loads(sent)
    assert "4155550123" not in sent
    arguments = json.loads(body["messages"][1]["tool_calls"][0]["function"]["arguments"])
    assert f"am {arguments['age']} years" in body["messages"][0]["content"]
    assert (arguments["n"], arguments["on"]) == (2, True)


def test_the_same_conversation_later_has_the_same_draws_and_the_same_pseudonyms(worker: Worker) -> None:
    sessions = Sessions(seconds=0.0)
    texts = [f"I am {NAME}, 34 years old."]
    first = worker.shield.look(sessions.of("client", "talk"), texts)
    time.sleep(0.01)
    later = worker.shield.look(sessions.of("client", "talk"), texts)
    assert later.new == 1
    assert first.texts == later.texts


def test_one_client_ends_no_session_of_another() -> None:
    sessions = Sessions(most=2)
    mine = sessions.of("mine", "talk")
    for number in range(20):
        sessions.of("other", str(number))
    assert sessions.of("mine", "talk") is mine
    assert len(sessions) == 3


def test_nothing_is_restored_in_an_address_of_the_web() -> None:
    names, counts = Names({"PERSON_1A2B3C4D": NAME}), Counts()
    text = "![x](https://evil.example/?q=PERSON_1A2B3C4D) and PERSON_1A2B3C4D"
    restorer = Restorer(names, PLAIN, counts)
    said = "".join([*map(restorer.feed, text), restorer.end()])
    assert said == f"![x](https://evil.example/?q=PERSON_1A2B3C4D) and {NAME}" == names.restored(text)
    assert (counts.restored, counts.doubtful) == (1, 1)


def test_a_run_of_signs_and_a_long_line_take_no_time() -> None:
    names = Names({"PERSON_1A2B3C4D": NAME})
    began = time.perf_counter()
    names.restored("\\" * 100_000)
    reader = Reader()
    for _ in range(60_000):
        list(reader.feed(b"x" * 60))
    assert time.perf_counter() - began < 20


@pytest.mark.parametrize("choice", ["x", {"index": 0, "delta": "abc"}, {"index": [1], "delta": {"content": "x"}}])
def test_a_chunk_of_a_wrong_form_ends_the_stream_with_an_error(running: Any, choice: Any) -> None:
    running.upstream.events = [f"data: {json.dumps({'choices': [choice]})}\n\n"]
    answer = running.ask({"model": "m", "messages": [user("Hello.")], "stream": True})
    assert '"error"' in answer.text.splitlines()[-2]


def test_an_answer_that_is_too_deep_says_that_the_request_was_sent(running: Any) -> None:
    deep: Any = "x"
    for _ in range(900):
        deep = [deep]
    running.upstream.chat = lambda body, said: {"choices": deep}
    answer = running.ask({"model": "m", "messages": [user("Hello.")]})
    if answer.status_code != 200:
        assert "was sent" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    "upstream",
    [
        *("http://[2a00:1450:4001:81b::200e]", "http://134744072", "http://:pw@localhost"),
        *("https://h.example/x?key=secret", "ftp://x"),
    ],
)
def test_an_upstream_that_others_overhear_is_refused(upstream: str) -> None:
    with pytest.raises(ConfigurationError):
        Settings(upstream=upstream)
    Settings(upstream="http://127.0.0.1:1")


def test_the_figures_of_all_clients_are_for_the_first_token(running: Any) -> None:
    address = f"{running.address}/metrics"
    assert running.http.get(address).status_code == 200
    assert running.http.get(address, headers={"authorization": "Bearer secret-token-of-another"}).status_code == 403


def test_the_upstream_hears_no_text_in_a_header(running: Any) -> None:
    body = {"model": "m", "max_tokens": 9, "messages": [user("Hello.")]}
    running.ask(body, path="/v1/messages", **{"anthropic-beta": f"{NAME} x"})
    assert NAME not in json.dumps(running.upstream.headers[-1])
    running.ask(body, path="/v1/messages", **{"anthropic-beta": "files-2025-04-14"})
    assert running.upstream.headers[-1]["anthropic-beta"] == "files-2025-04-14"


def test_an_answer_that_comes_back_is_sent_as_the_upstream_wrote_it(running: Any) -> None:
    """Its drawn values are not drawn again; the same words of a user are."""
    text = f"I am {NAME}, 34 years old."
    running.upstream.script = lambda _: json.loads(running.upstream.seen[0])["messages"][0]["content"]
    sent, back = ask(running, user(text))
    drawn, said = json.loads(sent)["messages"][0]["content"], back["choices"][0]["message"]["content"]
    assert NAME in said
    again, later = ask(running, user(text), {"role": "assistant", "content": said}, user("And now?"))
    assert [each["content"] for each in json.loads(again)["messages"]] == [drawn, drawn, "And now?"]
    assert NAME in later["choices"][0]["message"]["content"]
    streamed = running.ask({"model": "m", "messages": [user(text), user("x")], "stream": True}).text
    assert NAME in "".join(
        choice["delta"].get("content") or ""
        for line in streamed.splitlines()
        if line.startswith("data: {")
        for choice in json.loads(line[6:])["choices"]
    )
    running.upstream.script = None
    before = ages(running)
    ask(running, user(text), {"role": "assistant", "content": said})
    assert ages(running) == before
    ask(running, user(said.replace("I am", "I remain")))
    assert ages(running) == before + 1


def ages(running: Any) -> float:
    """How many ages were drawn until now."""
    return float(running.server.counted.marks.labels("AGE")._value.get())


ME = user(f"I am {NAME}.")
FUNCTION = {"type": "function", "function": {"name": "Zwiebelina_Fischhaber", "parameters": {}}}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/chat/completions", {"messages": [ME], "tools": [FUNCTION]}),
        ("/v1/chat/completions", {"messages": [ME], "model": "my-zwiebelina.fischhaber-model"}),
        ("/v1/chat/completions", {"messages": [{"role": "Zwiebelina", "content": "x"}]}),
        ("/v1/chat/completions", {"messages": [ME, {"role": ["user"], "content": "x"}]}),
        ("/v1/responses", {"input": [{"role": "Zwiebelina", "content": "x"}]}),
        ("/v1/responses", {"input": ME["content"], "include": ["zwiebelina/fischhaber"]}),
        ("/v1/messages", {"messages": [{"role": "Zwiebelina", "content": "x"}], "max_tokens": 5}),
        (
            "/v1/messages",
            {"messages": [ME], "tools": [{"name": "ask:Zwiebelina-Fischhaber"}], "max_tokens": 5},
        ),
    ],
)
def test_a_name_of_a_program_holds_no_name_of_the_texts(running: Any, path: str, body: dict[str, Any]) -> None:
    answer = running.ask({"model": "m", **body}, path=path)
    assert answer.status_code == 400
    assert "wiebelina" not in answer.text
    assert not running.upstream.seen


def test_a_part_of_a_name_may_be_the_name_of_a_program(running: Any) -> None:
    tool = {"type": "function", "function": {"name": "zwiebelina_search", "parameters": TOOL}}
    sent, _ = ask(running, user(f"I am {NAME}."), tools=[tool])
    assert json.loads(sent)["tools"] == [tool]
