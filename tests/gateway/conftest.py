"""A gateway of one policy, before an upstream that repeats what it is sent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from scripted_upstream import Upstream, served
from served_doors import POLICY, Door, opened
from sfumato.gateway.app import Server, Tokens
from sfumato.gateway.settings import Settings
from sfumato.gateway.working import Worker
from sfumato.models.chat.exchange import trusted
from sfumato.policy import Policy

TOKEN, OTHER = "secret-token-of-the-test", "secret-token-of-another"


@dataclass
class Running:
    """A server, the upstream behind it, and a client."""

    upstream: Upstream
    server: Server
    address: str
    http: httpx.Client

    def ask(self, content: Any, *, path: str = "/v1/chat/completions", **headers: str) -> httpx.Response:
        """Send a request; a text becomes the one message of a user."""
        if isinstance(content, str):
            content = {"model": "m", "messages": [{"role": "user", "content": content}]}
        given = {"content": content} if isinstance(content, bytes) else {"json": content}
        return self.http.post(f"{self.address}{path}", headers=headers, **given)  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def worker() -> Iterator[Worker]:
    made = Worker.of_policy(Policy.parse(POLICY))
    yield made
    made.close()


@pytest.fixture
def start(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Running]]:
    monkeypatch.setenv("SFUMATO_UPSTREAM_KEY", "key-of-the-upstream")
    with ExitStack() as stack:

        def begin(made: Worker | None = None, **settings: Any) -> Running:
            upstream = Upstream()
            behind = stack.enter_context(served(upstream.app()))
            server = Server(Settings(upstream=behind, **settings), made or worker, Tokens((TOKEN, OTHER)))
            address = stack.enter_context(served(server.app()))
            headers = {"authorization": f"Bearer {TOKEN}"}
            http = stack.enter_context(httpx.Client(headers=headers, timeout=60, verify=trusted()))
            return Running(upstream, server, address, http)

        yield begin


@pytest.fixture
def running(start: Callable[..., Running]) -> Running:
    return start()


@pytest.fixture
def door(worker: Worker) -> Iterator[Door]:
    with opened(worker, most_bytes=200_000) as made:
        yield made
