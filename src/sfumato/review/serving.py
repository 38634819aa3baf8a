"""Serves a review on the loopback interface of this machine, to the reviewer's own browser and no one else.

The address that the command prints holds a token that works once. It is exchanged for a cookie that no script reads
and that other sites never send. The cookie is bound to a path that is drawn for this review, because browsers send a
cookie to every port of a machine. Every other request gets the same short answer, which holds nothing of the text.
"""

from __future__ import annotations

import logging
import os
import secrets
import socket
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from threading import Thread
from typing import Any
from urllib.parse import parse_qs

import uvicorn

from sfumato.errors import ConfigurationError
from sfumato.review.app import Shown, app_of
from sfumato.review.session import Session
from sfumato.review.treated import Examples

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

COOKIE = "sfumato-review"
MOST_BYTES = 65_536
_REFUSED = b"Not allowed. Open the address that sfumato review printed; it works once.\n"
_FAILED = b"The review failed here. The text is not shown; see the page for what was kept.\n"
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": _POLICY,
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
LOOPBACK = "127.0.0.1"


class Door:
    """Lets the requests of the reviewer through to ``app``, and refuses all others."""

    def __init__(self, app: App, port: int) -> None:
        self._app = app
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self._token: str | None = secrets.token_urlsafe(32)
        self._session = secrets.token_urlsafe(32)
        self.base = f"/{secrets.token_urlsafe(16)}"
        self.address = f"http://127.0.0.1:{port}{self.base}/?token={self._token}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            return
        cookie = self._cookie(scope)
        if cookie is None:
            await _answer(send, 403, _REFUSED)
            return
        begun = False

        async def guarded(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                message = {**message, "headers": [*message.get("headers", []), *_raw({**_HEADERS, **cookie})]}
            await send(message)

        inner = {
            **scope,
            "path": scope["path"][len(self.base) :],
            "root_path": "",
            "query_string": scope["query_string"],
        }
        inner["raw_path"] = inner["path"].encode()
        try:
            await self._app(inner, receive, guarded)
        except Exception:  # its message and its traceback may hold private text
            if not begun:
                await _answer(send, 500, _FAILED)

    def _cookie(self, scope: Scope) -> Mapping[str, str] | None:
        """Return the header that gives the cookie (none if the browser has it), or None for a request to refuse."""
        headers = _single(scope["headers"])
        host = headers.get("host", "")
        if host not in self._hosts or not scope["path"].startswith(f"{self.base}/"):
            return None
        if scope["method"] == "GET" and self._redeemed(scope, headers):
            value = f"{COOKIE}={self._session}; Path={self.base}/; HttpOnly; SameSite=Strict"
            return {"set-cookie": value}
        if not self._known(headers) or headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return None
        if scope["method"] == "GET":
            return {}
        length = headers.get("content-length", "")
        small = length.isascii() and length.isdigit() and int(length) <= MOST_BYTES
        own = headers.get("origin") == f"http://{host}" and headers.get("content-type") == "application/json"
        return {} if scope["method"] == "POST" and own and small else None

    def _redeemed(self, scope: Scope, headers: Mapping[str, str]) -> bool:
        """Return whether the request brings the token, which then is used up."""
        if scope["path"] != f"{self.base}/" or headers.get("sec-fetch-dest", "document") != "document":
            return False
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])
        if self._token is None or not secrets.compare_digest(given[0].encode(), self._token.encode()):
            return False
        self._token = None
        return True

    def _known(self, headers: Mapping[str, str]) -> bool:
        pairs = (pair.strip().partition("=") for pair in headers.get("cookie", "").split(";"))
        return any(
            name == COOKIE and secrets.compare_digest(value.encode(), self._session.encode())
            for name, _, value in pairs
        )


def _single(headers: list[tuple[bytes, bytes]]) -> dict[str, str]:
    """Return the headers by name. One that occurs twice is empty, because two readers could differ."""
    single: dict[str, str] = {}
    for name, value in headers:
        key = name.decode("latin-1").lower()
        single[key] = "" if key in single else value.decode("latin-1")
    return single


def _raw(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode()) for name, value in headers.items()]


async def _answer(send: Send, status: int, body: bytes) -> None:
    headers = {**_HEADERS, "content-type": "text/plain; charset=utf-8", "content-length": str(len(body))}
    await send({"type": "http.response.start", "status": status, "headers": _raw(headers)})
    await send({"type": "http.response.body", "body": body})


def serve(
    session: Session, examples: Examples | None, shown: Shown, port: int = 0, opened: Callable[[str], object] = print
) -> None:
    """Serve ``session`` until the page says that the reviewer is done, or Ctrl-C. ``opened`` takes the address.

    Nothing is logged: a log could hold the token or text. Raise ConfigurationError if the port is taken.
    """
    with _listening(port) as listening:
        server: _Server

        def finish() -> None:
            server.should_exit = True

        door = Door(app_of(session, examples, shown, finish), listening.getsockname()[1])
        config = uvicorn.Config(
            door, log_config=None, log_level=logging.CRITICAL + 1, access_log=False, lifespan="off", ws="none",
            http="h11", loop="asyncio", server_header=False, proxy_headers=False, timeout_graceful_shutdown=2,
            timeout_keep_alive=30,
        )  # fmt: skip
        server = _Server(config, lambda: opened(door.address))
        session.detection.start()
        try:
            server.run(sockets=[listening])
        finally:
            session.detection.stop()


class _Server(uvicorn.Server):
    """Calls ``ready`` when it answers, and when Ctrl-C already ends it well; a browser may block the thread."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], object]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer."""
        await super().startup(sockets=sockets)
        Thread(target=self._ready, daemon=True, name="open").start()


def option_of_address(system: str) -> str:
    """Return the name of the option with which a port can be taken again soon, and by nobody else meanwhile.

    On Windows (``nt``) ``SO_REUSEADDR`` would let another program listen on the same port.
    """
    return "SO_EXCLUSIVEADDRUSE" if system == "nt" else "SO_REUSEADDR"


def _listening(port: int) -> socket.socket:
    """Return a socket that listens on the loopback interface alone."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, getattr(socket, option_of_address(os.name)), 1)
        listening.bind((LOOPBACK, port))
        listening.listen(64)
    except (OSError, OverflowError):
        listening.close()
        raise ConfigurationError(
            f"Port {port} of this machine cannot be used; leave out --port, or name another one."
        ) from None
    return listening
