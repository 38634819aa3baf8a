"""The endpoint against a real server on this machine: down, slow, busy, broken, and as it should be."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from sfumato.chat import Question
from sfumato.errors import ConfigurationError
from sfumato.models.endpoint import Endpoint

pytest.importorskip("httpx")
PRIVATE = "PrivateCanary"


class Server:
    """Answers each request by ``script(number, body)``: a status and a body."""

    def __init__(self, script: Callable[[int, dict[str, Any]], tuple[int, bytes, dict[str, str]]]) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.bodies.append(body)
                outer.keys.append(self.headers.get("Authorization"))
                status, content, headers = script(len(outer.bodies), body)
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(content))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def said(text: str) -> tuple[int, bytes, dict[str, str]]:
    content = {"choices": [{"message": {"content": text}}], "usage": {"prompt_tokens": 7, "completion_tokens": 2}}
    return 200, json.dumps(content).encode(), {}


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    made: list[Server] = []

    def serve(script: Any) -> Server:
        made.append(Server(script))
        return made[-1]

    yield serve
    for server in made:
        server.close()


def test_answers_come_in_order_and_are_counted(serve: Callable[..., Server], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SFUMATO_CHAT_KEY", "secret")

    def echo(_: int, body: dict[str, Any]) -> Any:
        time.sleep(0.05 * (body["messages"][1]["content"] == "a"))
        return said(body["messages"][1]["content"].upper())

    server = serve(echo)
    model = Endpoint("m", server.url)
    answers = model.replies([Question("s", text) for text in "abcde"])
    assert [one and one.text for one in answers] == list("ABCDE")
    assert vars(model.spent) == {
        "questions": 5, "cached": 0, "failed": 0, "tokens_in": 35, "tokens_out": 10, "unreadable": 0
    }  # fmt: skip
    assert set(server.keys) == {"Bearer secret"}
    assert "secret" not in repr(model.id)


def test_a_busy_endpoint_is_asked_again(serve: Callable[..., Server]) -> None:
    states = iter([429, 503, 200])
    server = serve(
        lambda *_: said("yes") if (state := next(states)) == 200 else (state, b"", {"Retry-After": "0.01"})
    )
    assert Endpoint("m", server.url, first_wait=0.01).replies([Question("s", "u")])[0].text == "yes"  # type: ignore[union-attr]
    assert len(server.bodies) == 3


@pytest.mark.parametrize("content", [b"", b"no json", b"{}", b'{"choices": []}', b'{"choices": [{"message": {}}]}'])
def test_nonsense_is_no_answer(serve: Callable[..., Server], content: bytes) -> None:
    server = serve(lambda *_: (200, content, {}))
    model = Endpoint("m", server.url, tries=2, first_wait=0.01)
    assert model.replies([Question("s", "u")]) == [None]
    assert (len(server.bodies), model.spent.failed) == (2, 1)


def test_a_refusal_is_not_repeated(serve: Callable[..., Server]) -> None:
    server = serve(lambda *_: (401, b"", {}))
    assert Endpoint("m", server.url, first_wait=0.01).replies([Question("s", "u")]) == [None]
    assert len(server.bodies) == 1


def test_an_endpoint_that_is_down_or_slow_gives_none(serve: Callable[..., Server]) -> None:
    assert Endpoint("m", "http://127.0.0.1:9", tries=2, first_wait=0.01).replies([Question("s", "u")]) == [None]

    def slow(*_: Any) -> Any:
        time.sleep(0.4)
        return said("late")

    model = Endpoint("m", serve(slow).url, tries=1, timeout=0.1)
    assert model.replies([Question("s", "u")]) == [None]


def test_answers_are_kept_where_that_is_wanted(serve: Callable[..., Server], tmp_path: Path) -> None:
    server = serve(lambda number, _: said(f"answer {number}"))
    question = Question("s", PRIVATE, temperature=0.7)
    for _ in range(2):
        model = Endpoint("m", server.url, folder=tmp_path)
        first, second = model.replies([question]), model.replies([Question("s", PRIVATE, 0.7, vote=1)])
        assert [first[0] and first[0].text, second[0] and second[0].text] == ["answer 1", "answer 2"]
    assert len(server.bodies) == 2
    assert model.spent.cached == 2
    assert not any(PRIVATE in path.name for path in tmp_path.iterdir())
    without = Endpoint("m", server.url).replies([question])
    assert without[0] is not None
    assert without[0].text == "answer 3"


def test_no_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SFUMATO_CHAT_URL", raising=False)
    with pytest.raises(ConfigurationError, match="SFUMATO_CHAT_URL"):
        Endpoint("m")
