"""Who a client says that it calls: a page in a browser that calls another name reaches nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

_HOST = re.compile(rb"(\[[0-9a-f:.]+\]|[^:\[\]]+)(?::\d*)?", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class Hosts:
    """Passes requests on to ``app`` that call the server by one of the ``called`` names; IPv6 is in brackets."""

    app: ASGIApp
    called: Sequence[str] = field(default=())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "http" and not self._is_called(scope):
            await PlainTextResponse("Invalid host header", 400)(scope, receive, send)
            return
        await self.app(scope, receive, send)

    def _is_called(self, scope: Scope) -> bool:
        given = [value for name, value in scope["headers"] if name == b"host"]
        match = _HOST.fullmatch(given[0]) if len(given) == 1 else None
        return match is not None and match[1].decode("latin-1").lower() in {name.lower() for name in self.called}
