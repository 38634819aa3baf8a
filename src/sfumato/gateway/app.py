"""The server: who may ask, what is answered where, and a stop that lets answers end."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import httpx
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from sfumato.errors import ConfigurationError
from sfumato.gateway.answering import Gateway
from sfumato.gateway.asking import Telling
from sfumato.gateway.bodies import body_of, while_heard
from sfumato.gateway.chat_completions import ChatCompletions
from sfumato.gateway.counting import Counted
from sfumato.gateway.dialects import Dialect
from sfumato.gateway.doors import Door, Doors
from sfumato.gateway.hosts import Hosts
from sfumato.gateway.messages import Messages
from sfumato.gateway.problems import ProblemError
from sfumato.gateway.responses import Responses
from sfumato.gateway.sessions import Sessions
from sfumato.gateway.settings import Settings
from sfumato.gateway.working import Worker
from sfumato.models.chat.exchange import trusted
from sfumato.version import VERSION

_LEAST_TOKEN = 16
IDLE_SECONDS = 2.0
"""Shorter than upstreams keep a connection that is not used, many of them 5 s; else they close one that is used."""
Answer = Callable[[Request, str, bytes], Awaitable[Response]]
"""From a request, the name of its client and its body to the response."""
DIALECTS: tuple[Dialect, ...] = (ChatCompletions(), Responses(), Messages())


@dataclass(frozen=True)
class Tokens:
    """The tokens of clients. A server without any makes one."""

    values: tuple[str, ...] = field(repr=False)
    is_made: bool = False

    @classmethod
    def of(cls, settings: Settings) -> Tokens:
        """Return the tokens in the environment, or a new one."""
        given = os.environ.get(settings.token, "").split()
        if any(len(token) < _LEAST_TOKEN for token in given):
            raise ConfigurationError(
                f"A token in {settings.token} is too short to guess; use {_LEAST_TOKEN} signs or more."
            )
        return cls(tuple(given)) if given else cls((secrets.token_urlsafe(32),), True)

    @staticmethod
    def name_of(token: str) -> str:
        """Return the name of the client with ``token``."""
        return hashlib.sha256(token.encode()).hexdigest()[:16]

    def client(self, request: Request) -> str | None:
        """Return a name for the client that sent ``request``; None if it has no token."""
        return self.owner(request.headers)

    def owner(self, headers: Mapping[str, str]) -> str | None:
        """Return a name for the client with these ``headers``, in small letters; None if it has no token."""
        kind, _, value = headers.get("authorization", "").partition(" ")
        given = value.strip() if kind.lower() == "bearer" else ""
        given = given or headers.get("x-api-key", "") or headers.get("api-key", "")
        known = None
        for token in self.values:  # all are compared, whichever it is
            if hmac.compare_digest(token.encode(), given.encode("utf-8", "surrogateescape")):
                known = self.name_of(token)
        return known


class _Ending(Response):
    """A response that tells when it was sent, or when nobody listens any more."""

    def __init__(self, response: Response, end: Callable[[], None]) -> None:
        self._response, self._end = response, end
        self.status_code, self.background = response.status_code, None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._response(scope, receive, send)
        finally:
            self._end()


@dataclass(eq=False)
class Server:
    """Everything that a server holds while it runs."""

    settings: Settings
    worker: Worker
    tokens: Tokens
    counted: Counted = field(default_factory=Counted)
    client: httpx.AsyncClient | None = None
    _open: Counter[str] = field(default_factory=Counter)
    """How many requests of each client are answered now."""

    def __post_init__(self) -> None:
        self.sessions = Sessions(self.settings.session_seconds, self.settings.most_sessions)

    def app(self) -> Starlette:
        """Return the application."""
        routes = [
            Route("/health", self._health),
            Route("/metrics", self._asked(self._metrics, DIALECTS[0])),
        ]
        for dialect in DIALECTS:
            routes.append(Route(dialect.path, self._asked(self._gateway(dialect), dialect), methods=["POST"]))
        doors = Doors(self.settings, self.worker, self.counted)
        for door in doors.all:
            routes.append(Route(door.path, self._asked(self._door(doors, door), door.telling), methods=[door.method]))
        hosts = Middleware(Hosts, called=self.settings.called)
        return Starlette(routes=routes, middleware=[hosts], lifespan=self._life)

    @asynccontextmanager
    async def _life(self, _: Starlette) -> AsyncIterator[None]:
        """Hold the connections to the upstream while the server runs."""
        own = self.client is None
        if own:
            timeout = httpx.Timeout(self.settings.upstream_seconds, connect=10.0)
            limits = httpx.Limits(max_connections=None, max_keepalive_connections=64, keepalive_expiry=IDLE_SECONDS)
            self.client = httpx.AsyncClient(
                timeout=timeout, limits=limits, follow_redirects=False, trust_env=False, verify=trusted()
            )
        try:
            yield
        finally:
            if own and self.client is not None:
                await self.client.aclose()

    def _asked(self, answer: Answer, dialect: Telling) -> Callable[[Request], Awaitable[Response]]:
        """Return what checks the token, bounds how much is done at once, reads the body, and counts."""

        async def asked(request: Request) -> Response:
            client = self.tokens.client(request)
            if client is None:
                why = "The token is wrong; give the server's own."
                return self._refused(dialect, request, ProblemError(401, "authentication_error", "token", why))
            if self._is_busy(client):
                why = "Too many requests at once; come again."
                return self._refused(dialect, request, ProblemError(429, "rate_limit_error", "busy", why))
            self._begin(client, 1)
            try:
                with self.counted.seconds.labels("request").time():
                    content = await body_of(request, self.settings.most_bytes, self.settings.seconds)
                    response = await while_heard(request, answer(request, client, content))
            except ProblemError as problem:
                self._begin(client, -1)
                return self._refused(dialect, request, problem)
            except BaseException:
                self._begin(client, -1)
                raise
            self.counted.requests.labels(request.url.path, str(response.status_code)).inc()
            return _Ending(response, lambda: self._begin(client, -1))

        return asked

    def _is_busy(self, client: str) -> bool:
        """Return whether there are too many requests at once, of all clients or of this one."""
        return self._open.total() >= self.settings.most_at_once or self._open[client] >= self.settings.most_of_client

    def _begin(self, client: str, more: int) -> None:
        self._open[client] += more
        self.counted.open.set(self._open.total())

    def _refused(self, dialect: Telling, request: Request, problem: ProblemError) -> Response:
        self.counted.refusals.labels(problem.cause).inc()
        self.counted.requests.labels(request.url.path, str(problem.status)).inc()
        return JSONResponse(dialect.error(problem.kind, problem.sentence), problem.status)

    def _gateway(self, dialect: Dialect) -> Answer:
        async def answer(request: Request, client: str, content: bytes) -> Response:
            assert self.client is not None
            gateway = Gateway(self.settings, self.worker, self.sessions, self.counted, self.client)
            if self.settings.upstream is None:
                why = "This server has no upstream; start it with --upstream."
                return gateway.refused(dialect, ProblemError(501, "invalid_request_error", "upstream", why))
            return await gateway.answer(dialect, request.headers, client, content)

        return answer

    def _door(self, doors: Doors, door: Door) -> Answer:
        async def answer(request: Request, client: str, content: bytes) -> Response:
            return await doors.answer(door, request.query_params, client, content)

        return answer

    async def _health(self, _: Request) -> Response:
        return JSONResponse({"status": "ok", "version": VERSION})

    async def _metrics(self, _: Request, client: str, content: bytes) -> Response:
        if len(self.tokens.values) > 1 and client != self.tokens.name_of(self.tokens.values[0]):
            why = "The figures of all clients are for the first token alone."
            return JSONResponse(DIALECTS[0].error("permission_error", why), 403)
        return Response(generate_latest(self.counted.registry), media_type=CONTENT_TYPE_LATEST)
