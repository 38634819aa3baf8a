"""What cannot be sanitized as a whole is refused in the client's own form, and nothing of it is sent."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from sfumato.errors import InputError
from sfumato.gateway.sessions import Sessions
from sfumato.gateway.shield import Shield
from sfumato.gateway.working import Worker
from sfumato.ledger import Ledger, made_key
from sfumato.policy import Policy

pytestmark = pytest.mark.models
NAME = "Zwiebelina Fischhaber"
USER = {"role": "user", "content": f"I am {NAME}."}
CHAT, RESPONSES, MESSAGES = "/v1/chat/completions", "/v1/responses", "/v1/messages"
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}


def chat(**more: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [USER], **more}


def says(part: dict[str, Any]) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": [part]}]}


def nested(depth: int) -> bytes:
    return b'{"model":"m","messages":' + b"[" * depth + b"]" * depth + b"}"


WRONG: list[tuple[str, Any, str]] = [
    (CHAT, chat(surprise="x"), "'surprise'"),
    (CHAT, chat(messages=[{"role": "user", "content": [IMAGE]}]), "image"),
    (CHAT, chat(messages=[{"role": "user", "content": [{"type": "input_audio", "input_audio": {}}]}]), "input_audio"),
    (CHAT, chat(messages=[{"role": "user", "content": 5}]), "not a text"),
    (CHAT, chat(messages=[{**USER, "audio": {"id": "a"}}]), "'audio'"),
    (CHAT, chat(messages={"role": "user"}), "not a list"),
    (CHAT, chat(tools=[{"type": "surprise"}]), "'surprise'"),
    (CHAT, chat(model=f"I am {NAME}"), "or a name"),
    (CHAT, chat(model="zwiebelina@fischhaber.example"), "or a name"),
    (CHAT, chat(service_tier="415-555-0100"), "or a name"),
    (CHAT, chat(seed=4155550100), "up to ten million"),
    (CHAT, b'{"model":"m","messages":[],"stop":"\\ud800"}', "UTF-8"),
    (CHAT, b'{"model":"m","temperature":1e999}', "UTF-8"),
    (CHAT, b'{"model":"m","messages":[],"model":"n"}', "every key once"),
    (CHAT, b'{"model":"\xff"}', "UTF-8"),
    (CHAT, b"[1]", "not a JSON object"),
    (CHAT, b"{", "JSON"),
    (CHAT, b'{"temperature":NaN}', "JSON"),
    (CHAT, nested(100_000), "JSON"),
    (RESPONSES, {"model": "m", "input": [{"type": "computer_call_output", "output": {}}]}, "computer_call_output"),
    (RESPONSES, {"model": "m", "input": [{"type": "reasoning", "summary": [], "encrypted_content": "x"}]}, "signed"),
    (RESPONSES, {"model": "m", "input": "x", "previous_response_id": "resp_9"}, "no response that this gateway"),
    (MESSAGES, says({"type": "image", "source": {}}), "image"),
    (MESSAGES, says({"type": "thinking", "thinking": NAME, "signature": "x"}), "signed"),
    (MESSAGES, says({"type": "document", "source": {"type": "base64"}}), "'base64'"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "content", "why"), WRONG)
def test_what_is_not_known_is_refused_and_nothing_is_sent(running: Any, path: str, content: Any, why: str) -> None:
    answer = running.ask(content, path=path)
    assert answer.status_code == 400
    told = answer.json()
    assert why in told["error"]["message"]
    assert told["error"]["type"] == "invalid_request_error"
    assert (told.get("type") == "error") == (path == MESSAGES)
    assert not running.upstream.seen
    assert "Zwiebelina" not in answer.text


def test_who_has_no_token_gets_nothing(running: Any) -> None:
    for headers in ({"authorization": "Bearer wrong"}, {"authorization": ""}, {"authorization": "Bearer \xe9\xff"}):
        encoded = {name: value.encode("latin-1") for name, value in headers.items()}
        assert running.http.post(f"{running.address}{CHAT}", headers=encoded, json=chat()).status_code == 401
    assert running.http.get(f"{running.address}/metrics", headers={"authorization": "no"}).status_code == 401
    assert running.http.get(f"{running.address}/health", headers={"authorization": "no"}).status_code == 200
    assert not running.upstream.seen


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "[::1]:8411", "[::1]", "localhost@evil.example", "", "[::1"]
)
def test_a_page_of_another_host_reaches_nothing(running: Any, host: str) -> None:
    answer = running.ask(chat(), host=host)
    assert answer.status_code == 400
    assert not running.upstream.seen


@pytest.mark.parametrize("own", ["::1", "[::1]", "::"])
def test_loopback_of_ipv6_is_called_in_brackets(start: Callable[..., Any], own: str) -> None:
    running = start(host=own)
    for host in ("[::1]:8411", "[::1]", "localhost:8411"):
        assert running.ask(chat(), host=host).status_code == 200
    for host in ("::1", "[::2]:8411", "evil.example"):
        assert running.ask(chat(), host=host).status_code == 400
    assert len(running.upstream.seen) == 3


def test_bodies_have_a_limit_declared_or_not(start: Callable[..., Any]) -> None:
    running = start(most_bytes=1000)
    assert running.ask(chat(messages=[{"role": "user", "content": "x" * 2000}])).status_code == 413
    large = running.http.post(f"{running.address}{CHAT}", content=iter([b"x" * 600] * 5))
    assert large.status_code == 413
    assert not running.upstream.seen


def test_ten_megabytes_are_refused_by_default(running: Any) -> None:
    assert running.ask(b'{"x":"' + b"x" * (10 << 20) + b'"}').status_code == 413


def test_a_slow_body_is_given_up(start: Callable[..., Any]) -> None:
    running = start(seconds=0.3)
    address = urlsplit(running.address)
    with socket.create_connection((address.hostname, address.port), timeout=10) as slow:
        fields = ["host: localhost", "authorization: Bearer secret-token-of-the-test", "content-length: 100"]
        slow.sendall("\r\n".join([f"POST {CHAT} HTTP/1.1", *fields, "", "{"]).encode())
        assert b" 408 " in slow.recv(4096)
    assert not running.upstream.seen


def test_more_requests_than_the_limit_are_told_to_come_again(start: Callable[..., Any]) -> None:
    running = start(most_at_once=1)
    running.upstream.pause, running.upstream.cut = 0.05, 200
    with running.http.stream("POST", f"{running.address}{CHAT}", json=chat(stream=True)) as first:
        assert first.status_code == 200
        assert running.ask(chat()).status_code == 429
        running.upstream.pause = 0.0  # the rest of a thousand pieces need not be waited for
        first.read()
    assert running.ask(chat()).status_code == 200


PNG = "data:image/png;base64,iVBORw0KGgo="
AT = "https://example.org/zwiebelina.png"
IMAGES: dict[str, Callable[[Any], dict[str, Any]]] = {
    CHAT: lambda url: says({"type": "image_url", "image_url": {"url": url, "detail": "low"}}),
    RESPONSES: lambda url: {
        "model": "m", "input": [{"role": "user", "content": [
            {"type": "input_image", "image_url": url, "detail": "auto"}
        ]}]
    },
    MESSAGES: lambda url: {
        **says({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": url[22:]}}),
        "max_tokens": 9,
    },
}  # fmt: skip


@pytest.mark.parametrize("path", IMAGES)
def test_images_pass_only_where_the_gateway_was_told_so(start: Callable[..., Any], path: str) -> None:
    body = IMAGES[path](PNG)
    refused = start().ask(body, path=path)
    assert refused.status_code == 400
    assert "is an image, in which nothing is found" in refused.json()["error"]["message"]
    running = start(images=True)
    assert running.ask(body, path=path).status_code == 200
    (sent,) = running.upstream.seen
    assert {**json.loads(sent), "model": "m"} == body


@pytest.mark.parametrize(
    ("path", "body"),
    [
        *((path, IMAGES[path](" " * 22 + AT)) for path in (CHAT, RESPONSES, MESSAGES)),
        (CHAT, says({"type": "image_url", "image_url": {"url": PNG, "alt": NAME}})),
        (CHAT, says({"type": "image_url", "image_url": {"url": f"data:image/png;name={NAME};base64,AAAA"}})),
        (RESPONSES, {"model": "m", "input": [{"content": [{"type": "input_image", "file_id": "file-1"}]}]}),
        (MESSAGES, says({"type": "image", "source": {"type": "url", "url": AT}})),
        (MESSAGES, says({"type": "image", "title": NAME})),
    ],
)
def test_nothing_but_an_image_passes_as_one(start: Callable[..., Any], path: str, body: dict[str, Any]) -> None:
    running = start(images=True)
    answer = running.ask(body, path=path)
    assert answer.status_code == 400
    assert "wiebelina" not in answer.text
    assert not running.upstream.seen


class Failing:
    """A shield whose detector fails, or does not come back in time."""

    def __init__(self, error: Exception | None, seconds: float = 0.0) -> None:
        self.error, self.seconds = error, seconds

    def looking(self, *_: Any) -> Any:
        import time

        time.sleep(self.seconds)
        if self.error is not None:
            raise self.error
        yield


@pytest.mark.parametrize(
    ("shield", "status"),
    [
        (Failing(RuntimeError(NAME)), 500), (Failing(InputError(NAME)), 400), (Failing(None, 1.0), 503),
        (Failing(MemoryError(NAME)), 500),
    ],
)  # fmt: skip
def test_a_detector_that_fails_lets_nothing_out(
    start: Callable[..., Any], shield: Any, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    failing = Worker(lambda _: shield)
    running = start(failing, seconds=0.3)
    answer = running.ask(chat())
    assert answer.status_code == status
    assert "Zwiebelina" not in answer.text + caplog.text
    assert not running.upstream.seen
    failing.close()


def test_an_upstream_that_is_gone_is_told(start: Callable[..., Any]) -> None:
    running = start()
    object.__setattr__(running.server.settings, "upstream", "http://127.0.0.1:9")
    answer = running.ask(chat())
    assert answer.status_code == 502
    assert answer.json()["error"]["type"] == "api_error"


def test_an_error_of_the_upstream_comes_back_restored(running: Any) -> None:
    running.upstream.status = 429
    answer = running.ask(chat())
    assert answer.status_code == 429
    assert NAME in answer.text


BROKEN = [
    ('data: {"choices":[{"index":0,"delta":{"content":"Hello PERSON_"}}]}\n\n', "gone in the middle"),
    ('data: {"choices":[{"index":0,"delta":{"surprise":"x"}}]}\n\n', "not known"),
    ("data: {\n\n", "no JSON"),
    ("data: [1]\n\n", "unknown form"),
    ("surprise\n\n", "no event"),
]


@pytest.mark.parametrize(("event", "why"), BROKEN)
def test_a_stream_that_breaks_off_or_is_not_understood_ends_with_an_error(running: Any, event: str, why: str) -> None:
    running.upstream.events = [event]
    answer = running.ask(chat(stream=True))
    assert why in answer.text.splitlines()[-2]
    assert '"error"' in answer.text
    if "Hello" in event:
        assert "Hello " in answer.text
        assert "PERSON_" in answer.text  # what was held back is not lost


@pytest.mark.parametrize("path", [RESPONSES, MESSAGES])
def test_an_unknown_event_of_the_other_dialects_ends_the_stream(running: Any, path: str) -> None:
    running.upstream.events = ['event: surprise\ndata: {"type":"surprise","text":"x"}\n\n']
    body = {"model": "m", "input": "x"} if path == RESPONSES else {"model": "m", "messages": [USER]}
    answer = running.ask({**body, "stream": True}, path=path)
    assert "does not know" in answer.text
    assert "surprise" not in answer.text


def test_one_name_of_two_clients_is_two_sessions(running: Any) -> None:
    first = {"x-sfumato-session": "same"}
    running.ask(chat(), **first)
    running.ask(chat(), **first)
    running.ask(chat(), authorization="Bearer secret-token-of-another", **first)
    sent = [json.loads(content)["messages"][0]["content"] for content in running.upstream.seen]
    assert sent[0] == sent[1] != sent[2]
    pseudonym = sent[0].split()[2].rstrip(".")
    running.upstream.script = lambda _: pseudonym
    assert NAME in running.ask("Who was I?", **first).text
    assert NAME not in running.ask("Who was I?", authorization="Bearer secret-token-of-another", **first).text
    assert NAME not in running.ask("Who was I?").text


def test_a_pseudonym_that_the_user_wrote_or_the_model_invented_stays(running: Any) -> None:
    text = f"PERSON_1A2B3C4D is my label, and I am {NAME}."
    running.upstream.script = lambda body: body["messages"][0]["content"] + " PERSON_99999999, too."
    said = running.ask(text).json()["choices"][0]["message"]["content"]
    assert said.endswith(f"{NAME}. PERSON_99999999, too.")
    assert said.startswith("PERSON_1A2B3C4D is my label")


def test_ten_thousand_tool_calls_are_read(running: Any) -> None:
    calls = [
        {"id": f"t{n}", "type": "function", "function": {"name": "f", "arguments": f'{{"n": {n % 50}}}'}}
        for n in range(10_000)
    ]
    body = chat(messages=[USER, {"role": "assistant", "tool_calls": calls}])
    assert running.ask(body).status_code == 200
    assert b"Zwiebelina" not in running.upstream.seen[0]


@pytest.mark.parametrize("where", ["messages", "arguments", "metadata"])
def test_the_texts_of_a_body_are_bounded_wherever_they_are(start: Callable[..., Any], where: str) -> None:
    running = start(most_texts=50, most_characters=100)

    def holding(texts: list[str]) -> dict[str, Any]:
        if where == "messages":
            return chat(messages=[{"role": "user", "content": text} for text in texts])
        if where == "metadata":
            return chat(messages=[], metadata=texts)
        calls = [{"function": {"name": "f", "arguments": json.dumps(texts)}}]
        return chat(messages=[{"role": "assistant", "tool_calls": calls}])

    assert running.ask(holding([f"word {number % 50}" for number in range(200)])).status_code == 200
    many = running.ask(holding([f"word {number}" for number in range(51)]))
    assert many.status_code == 400
    assert "more than 50 different texts" in many.json()["error"]["message"]
    long = running.ask(holding(["Zwiebelina " * 20]))
    assert long.status_code == 400
    assert "more than 100 characters" in long.json()["error"]["message"]
    assert "Zwiebelina" not in long.text
    assert len(running.upstream.seen) == 1


def test_a_conversation_of_forty_turns_is_detected_once(running: Any) -> None:
    messages: list[dict[str, Any]] = []
    for turn in range(40):
        messages.append({"role": "user", "content": f"Turn {turn}: I am {NAME}, and {turn} days went by."})
        said = running.ask(chat(messages=messages)).json()["choices"][0]["message"]["content"]
        messages.append({"role": "assistant", "content": said[:50]})
    counted = running.http.get(f"{running.address}/metrics").text
    new = float(
        next(line for line in counted.splitlines() if line.startswith('sfumato_texts_total{which="new"}')).split()[-1]
    )
    assert new == len({message["content"] for message in messages[:-1]})


def test_every_draw_is_paid_once_and_who_cannot_pay_sends_nothing(tmp_path: Path, start: Callable[..., Any]) -> None:
    budget = '[budget]\nname = "chats"\nledger = "spent.db"\nsubject = { "*" = 2.5 }\n'
    policy = Policy.parse(
        '[find]\ndetect = ["identifiers"]\n[[treat]]\nkinds = ["AGE"]\nmechanism = "geometric"\nepsilon = 1.0\n'
        f'[treat_others]\nmethod = "label"\n{budget}', tmp_path,
    )  # fmt: skip
    made_key(tmp_path / "spent.db.key")
    assert policy.budget.budget is not None
    Ledger.begin(str(tmp_path / "spent.db"), tmp_path / "spent.db.key", policy.budget.budget).close()
    paying = Worker.of_policy(policy)
    running = start(paying)
    of = {"x-sfumato-session": "one"}
    for text in ("I am 34 years old.", "I am 34 years old.", "She is 34 years old, too.", "He is 71 years old."):
        assert running.ask(text, **of).status_code == 200
    refused = running.ask("They are 55 years old.", **of)
    assert refused.status_code == 402
    assert "budget" in refused.json()["error"]["message"]
    assert len(running.upstream.seen) == 4
    sent = [json.loads(content)["messages"][0]["content"] for content in running.upstream.seen]
    assert sent[0] == sent[1]
    assert sent[0].split()[2] == sent[2].split()[2]  # one value of a conversation is one draw
    assert (
        running.ask("They are 55 years old.", **{"x-sfumato-session": "two"}).status_code == 402
    )  # nor by a new name
    other = {"x-sfumato-session": "one", "authorization": "Bearer secret-token-of-another"}
    assert running.ask("They are 55 years old.", **other).status_code == 200
    assert 'sfumato_epsilon_total{currency="AGE per year"} 3.0' in running.http.get(f"{running.address}/metrics").text
    paying.close()


def test_a_session_that_was_not_used_ends(worker: Worker) -> None:
    sessions = Sessions(seconds=0.0)
    first = sessions.of("client", "name")
    worker.shield.look(first, [f"I am {NAME}."])
    assert first.names
    assert not sessions.of("client", "name").names
    few = Sessions(most=2)
    kept = [few.of("client", str(number)) for number in range(5)]
    assert len(few) == 2
    assert len({session.id for session in kept}) == 5


def test_a_value_of_one_text_is_replaced_in_all_of_them(worker: Worker) -> None:
    session = Sessions().of("client", "name")
    looked = worker.shield.look(
        session, [f"I am {NAME}.", '{"name": "fischhaber"}', "Fischhaber, Z.", "the fischhaber thing"]
    )
    assert not [made for made in looked.texts.values() if "fischhaber" in made.casefold()]
    later = worker.shield.look(session, ["Was it Fischhaber?"])
    assert "Fischhaber" not in later.texts["Was it Fischhaber?"]


def test_realistic_pseudonyms_come_back(start: Callable[..., Any]) -> None:
    made = Worker.of_policy(Policy.parse(POLICY_OF_NAMES), "realistic")
    running = start(made)
    answer = running.ask(chat())
    assert b"Zwiebelina" not in running.upstream.seen[0]
    assert b"PERSON_" not in running.upstream.seen[0]
    assert NAME in answer.json()["choices"][0]["message"]["content"]
    made.close()


POLICY_OF_NAMES = '[find]\ndetect = ["identifiers"]\n[treat_others]\nmethod = "label"\n'


def test_the_tables_of_the_worker_close_what_they_opened() -> None:
    closed: list[str] = []

    def build(stack: ExitStack) -> Shield:
        stack.callback(closed.append, "ledger")
        return Failing(None)  # type: ignore[return-value]

    Worker(build).close()
    assert closed == ["ledger"]
