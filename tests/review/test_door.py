"""Nobody except the reviewer's own page gets an answer, and no refusal holds anything of the text."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reviewing import CANARY, Served, served, texts
from sfumato.review.serving import Door, option_of_address
from sfumato.review.session import Session

LINES = texts(f"{CANARY} met Ann Lee in Oslo.", "Bob left.")
DECIDE = {"record": 0, "text": 0, "action": "add", "start": 0, "end": 10, "label": "PERSON", "scope": "here"}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path / "decisions.jsonl", LINES, sample=1) as (made, _):
        yield made


@pytest.fixture(scope="module")
def lasting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Path]]:
    """A server for all tests that change nothing, and its folder: one takes a while to end."""
    folder = tmp_path_factory.mktemp("lasting")
    with served(folder / "decisions.jsonl", LINES, sample=1) as (made, _):
        yield made, folder


def lines_of(folder: Path) -> int:
    return (folder / "decisions.jsonl").read_text(encoding="utf-8").count("\n")


def test_the_reviewer_gets_the_page_and_the_text(server: Served) -> None:
    status, headers, body = server.ask(server.path)
    cookie = headers["set-cookie"]
    assert status == 200
    assert "<title>Review" in body
    assert CANARY not in body
    assert f"; Path={server.base}/; HttpOnly; SameSite=Strict" in cookie
    page = server.keep(headers)
    status, headers, body = server.ask(f"{server.base}/api/page", **page)
    assert (status, CANARY in body) == (200, True)
    assert headers["cache-control"] == "no-store"
    assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'; style-src 'self'; ")
    assert "server" not in headers
    for name in ("review.css", "review.js", "list.js", "icon.svg"):
        assert server.ask(f"{server.base}/{name}", **page)[0] == 200
    for name in ("docs", "openapi.json", "redoc", "..%2f..%2fpyproject.toml", "review.html"):
        assert server.ask(f"{server.base}/{name}", **page)[0] == 404


def test_the_token_works_once_and_no_other_does(server: Served) -> None:
    assert server.ask(f"{server.base}/?token=wrong")[0] == 403
    assert server.ask(f"{server.base}/?token=")[0] == 403
    assert server.ask(server.path.replace("/?", "/x?"))[0] == 403
    assert server.ask(server.path, "POST", {})[0] == 403
    assert server.ask(server.path, Sec_Fetch_Dest="iframe")[0] == 403
    server.entered()
    status, headers, body = server.ask(server.path)
    assert status == 403
    assert "set-cookie" not in headers
    assert "works once" in body


REFUSED: dict[str, tuple[str, str, Any, dict[str, str]]] = {
    "no cookie": ("GET", "api/page", None, {"Cookie": ""}),
    "another cookie": ("GET", "api/page", None, {"Cookie": "sfumato-review=wrong"}),
    "another host": ("GET", "api/page", None, {"Host": "evil.example"}),
    "another host with the port": ("GET", "api/page", None, {"Host": "evil.example:PORT"}),
    "no port": ("GET", "api/page", None, {"Host": "127.0.0.1"}),
    "a page of another port": ("GET", "api/page", None, {"Sec_Fetch_Site": "same-site"}),
    "a page of another site": ("GET", "api/page", None, {"Sec_Fetch_Site": "cross-site"}),
    "a write of another origin": ("POST", "api/decide", DECIDE, {"Origin": "http://evil.example"}),
    "a write of another port": ("POST", "api/decide", DECIDE, {"Origin": "http://127.0.0.1:1"}),
    "a write without an origin": ("POST", "api/decide", DECIDE, {"Origin": ""}),
    "a form": ("POST", "api/decide", DECIDE, {"Content_Type": "text/plain"}),
    "too much": ("POST", "api/decide", {**DECIDE, "label": "x" * 70_000}, {}),
    "another method": ("PUT", "api/decide", DECIDE, {}),
    "a preflight": ("OPTIONS", "api/decide", None, {}),
}


@pytest.mark.parametrize("case", REFUSED)
def test_others_are_refused(case: str, server: Served, tmp_path: Path, caplog: Any, capfd: Any) -> None:
    method, path, body, changes = REFUSED[case]
    own = server.entered()
    before = lines_of(tmp_path)
    headers = {**own, **{name: value.replace("PORT", str(server.port)) for name, value in changes.items()}}
    headers = {name: value for name, value in headers.items() if value}
    status, answer, content = server.ask(f"{server.base}/{path}", method, body, **headers)
    assert status == 403
    assert CANARY not in content + str(answer)
    assert lines_of(tmp_path) == before
    allowed = "GET" if method in ("PUT", "OPTIONS") else method
    body = DECIDE if allowed == "POST" else None
    fine, _, _ = server.ask(f"{server.base}/{path if body or method == 'GET' else 'api/page'}", allowed, body, **own)
    assert fine == 200  # the same request with nothing wrong in it
    captured = capfd.readouterr()
    assert CANARY not in captured.out + captured.err + caplog.text


def test_other_paths_are_refused_with_the_cookie_too(lasting: tuple[Served, Path]) -> None:
    server, _ = lasting
    own = server.entered()
    for path in ("/", "/api/page", f"{server.base}", f"/x{server.base}/api/page", "/favicon.ico"):
        status, _, content = server.ask(path, **own)
        assert status == 403
        assert CANARY not in content


def test_two_host_headers_are_refused(lasting: tuple[Served, Path]) -> None:
    server, _ = lasting
    own = server.entered()
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as wire:
        host = f"Host: 127.0.0.1:{server.port}\r\n"
        wire.sendall(f"GET {server.base}/api/page HTTP/1.1\r\n{host}{host}Cookie: {own['Cookie']}\r\n\r\n".encode())
        answer = wire.recv(65_536).decode()
    assert answer.startswith(("HTTP/1.1 403", "HTTP/1.1 400"))
    assert CANARY not in answer


BAD_BODIES: dict[str, Any] = {
    "no object": [CANARY],
    "a member more": {**DECIDE, CANARY: 1},
    "text for a number": {**DECIDE, "start": CANARY},
    "another action": {**DECIDE, "action": CANARY},
    "outside the text": {**DECIDE, "end": 10_000},
    "an empty mark": {**DECIDE, "end": 0},
    "no such record": {**DECIDE, "record": 99},
    "no such text": {**DECIDE, "text": 1},
    "a label that is none": {**DECIDE, "label": f"{CANARY} x"},
    "a huge number": {**DECIDE, "record": 10**40},
}


@pytest.mark.parametrize("case", BAD_BODIES)
def test_what_cannot_be_is_refused_in_a_sentence(case: str, lasting: tuple[Served, Path]) -> None:
    server, folder = lasting
    own, before = server.entered(), lines_of(folder)
    status, _, content = server.ask(f"{server.base}/api/decide", "POST", BAD_BODIES[case], **own)
    assert status == 400
    assert '"error"' in content
    assert CANARY not in content
    assert lines_of(folder) == before


def test_a_failure_shows_and_logs_nothing(
    server: Served, tmp_path: Path, caplog: Any, capfd: Any, monkeypatch: Any
) -> None:
    own = server.entered()

    def broken(*_: Any) -> None:
        raise RuntimeError(CANARY)

    monkeypatch.setattr(Session, "record", broken)
    with caplog.at_level(logging.DEBUG):
        status, _, content = server.ask(f"{server.base}/api/decide", "POST", DECIDE, **own)
    monkeypatch.undo()
    captured = capfd.readouterr()
    assert status == 500
    assert CANARY not in content + captured.out + captured.err + caplog.text


def test_two_origins_are_refused(server: Served, tmp_path: Path) -> None:
    own, before = server.entered(), lines_of(tmp_path)
    content = json.dumps(DECIDE)
    head = f"POST {server.base}/api/decide HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nCookie: {own['Cookie']}\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n"
    for origins, status in ((["http://evil.example", own["Origin"]], 403), ([own["Origin"]], 200)):
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as wire:
            lines = "".join(f"Origin: {origin}\r\n" for origin in origins)
            wire.sendall(f"{head}{lines}\r\n{content}".encode())
            assert wire.recv(65_536).decode().startswith(f"HTTP/1.1 {status}")
        assert lines_of(tmp_path) == before + (status == 200)


def test_the_door_itself_lets_no_failure_out() -> None:
    async def broken(*_: Any) -> None:
        raise RuntimeError(CANARY)

    async def receive() -> Any:
        return {"type": "http.request", "body": b""}

    async def send(message: Any) -> None:
        sent.append(message)

    sent: list[Any] = []
    door = Door(broken, 80)
    path, _, query = door.address.removeprefix("http://127.0.0.1:80").partition("?")
    scope = {"type": "http", "method": "GET", "path": path, "query_string": query.encode()}
    asyncio.run(door({**scope, "headers": [(b"host", b"127.0.0.1:80")]}, receive, send))
    assert sent[0]["status"] == 500
    assert CANARY not in str(sent)


@pytest.mark.parametrize(("system", "option"), [("nt", "SO_EXCLUSIVEADDRUSE"), ("posix", "SO_REUSEADDR")])
def test_no_other_program_takes_the_port_meanwhile(system: str, option: str, lasting: tuple[Served, Path]) -> None:
    server, _ = lasting
    assert option_of_address(system) == option
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as other:
        other.setsockopt(socket.SOL_SOCKET, getattr(socket, option_of_address(os.name)), 1)
        with pytest.raises(OSError):
            other.bind(("127.0.0.1", server.port))


def test_it_listens_on_one_address_of_this_machine_alone(lasting: tuple[Served, Path]) -> None:
    server, _ = lasting
    with socket.create_connection(("127.0.0.1", server.port), timeout=2):
        pass
    others = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    for address in (others | {"127.0.0.2"}) - {"127.0.0.1"}:
        with pytest.raises(OSError), socket.create_connection((address, server.port), timeout=2):
            pass
