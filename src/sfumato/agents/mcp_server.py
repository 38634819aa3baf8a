"""The tools over the Model Context Protocol: on standard streams, or over HTTP for clients with the token."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from functools import partial
from typing import Any

import anyio
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.transport_security import TransportSecuritySettings
from mcp.types import ToolAnnotations
from pydantic import ValidationError
from starlette.responses import JSONResponse

from sfumato.agents.tools import Tools
from sfumato.errors import InputError
from sfumato.gateway.app import Tokens
from sfumato.gateway.folders import remove_left
from sfumato.gateway.problems import problem_of
from sfumato.gateway.settings import Settings
from sfumato.version import VERSION

_LOG = logging.getLogger("sfumato.agents")
_ABOUT = (
    "Finds what tells of people in a text, and sanitizes texts by one policy, with what that guarantees. Originals "
    "are never given back. Sanitize a text before it goes anywhere else."
)
Scope = MutableMapping[str, Any]
App = Callable[[Scope, Any, Any], Awaitable[None]]


class _Server(MCPServer[Any]):
    """A server whose errors repeat nothing of what a tool was given."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        """Call the tool ``name``. Raise ToolError."""
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if not isinstance(error.__cause__, ValidationError):
                raise
        raise ToolError("The arguments are not as the schema of the tool says; see its list of parameters.")


def server_of(tools: Tools) -> MCPServer[Any]:
    """Return the server of ``tools``, each of them annotated as reading only.

    A policy that pays from a ledger is the exception: what is sanitized is entered there.
    """
    server = _Server("sfumato", instructions=_ABOUT, version=VERSION, log_level="CRITICAL")
    for name, about, tool in _listed(tools):
        pays = name == "sanitize" and tools.policy.ledger is not None
        hints = ToolAnnotations(
            title=about.partition(".")[0], read_only_hint=not pays, destructive_hint=False,
            idempotent_hint=name != "sanitize", open_world_hint=False,
        )  # fmt: skip
        server.add_tool(tool, name=name, description=about, annotations=hints)
    return server


def _listed(tools: Tools) -> Sequence[tuple[str, str, Callable[..., Awaitable[dict[str, Any]]]]]:
    """Return the name of each tool, what it is for, and what answers: one call after another."""
    turn = anyio.CapacityLimiter(1)

    # Every text is a plain str: the library reads any other argument as JSON before it is checked.
    async def find(text: str) -> dict[str, Any]:
        return await _told(turn, tools.find, text)

    async def sanitize(text: str, subject: str = "", whole_statement: bool = False) -> dict[str, Any]:
        return await _told(turn, tools.sanitize, text, subject or None, whole_statement)

    async def explain(text: str = "", statement: str = "") -> dict[str, Any]:
        return await _told(turn, tools.explain, text or None, statement or None)

    async def verify(bundle: str, key: str = "") -> dict[str, Any]:
        return await _told(turn, tools.verify, bundle, key or None)

    return [
        (
            "find",
            "Find what tells of people in a text. Gives offsets in characters, kinds and chances, and no text.",
            find,
        ),
        (
            "sanitize",
            "Sanitize a text by the policy. Gives the text that may be passed on, and what is guaranteed; whole_"
            "statement adds the whole privacy statement. subject says whom the text is about, where a budget asks.",
            sanitize,
        ),
        (
            "explain",
            "Explain the policy. With a text, what it does with each mark; with a privacy statement as JSON, what "
            "that says.",
            explain,
        ),
        (
            "verify",
            "Verify a signed release. bundle is its folder NAME.release, key the file of the public key of who "
            "signed; both lie in the folder of the server.",
            verify,
        ),
    ]


async def _told(turn: anyio.CapacityLimiter, work: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
    """Return the answer of a tool. Raise ToolError, which says nothing of the text."""
    try:
        return await anyio.to_thread.run_sync(partial(work, *arguments), limiter=turn)
    except Exception as error:
        sentence = str(error) if isinstance(error, InputError) and error.document is None else ""
        sentence = sentence or problem_of(error).sentence
    raise ToolError(sentence)  # outside, so that no traceback holds the text


def run_on_streams(server: MCPServer[Any]) -> None:
    """Answer on standard input and output until the input ends."""
    remove_left()
    anyio.run(server.run_stdio_async)


def app_of(server: MCPServer[Any], settings: Settings, tokens: Tokens) -> App:
    """Return the application that answers at `/mcp`, for clients that have one of ``tokens``."""
    ports = [f"{name}:*" for name in settings.called]
    security = TransportSecuritySettings(allowed_hosts=[*settings.called, *ports], allowed_origins=[])
    app: App = server.streamable_http_app(
        stateless_http=True, json_response=True, transport_security=security,
        max_request_body_size=settings.most_bytes, host=settings.address,
    )  # fmt: skip

    async def guarded(scope: Scope, receive: Any, send: Any) -> None:
        if scope["type"] == "http" and tokens.owner(_headers(scope)) is None:
            refused = JSONResponse({"error": "The token is wrong; give the server's own."}, 401)
            await refused(scope, receive, send)
            return
        await app(scope, receive, send)

    return guarded


def _headers(scope: Mapping[str, Any]) -> dict[str, str]:
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
