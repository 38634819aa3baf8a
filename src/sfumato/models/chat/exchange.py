"""One request and its response, within limits of time and size that hold whatever the server does.

httpx limits how long a server may be silent, not how long it may take or how much it may send: a byte every now and
then keeps a reader for ever, and a small compressed answer may grow to gigabytes. Here the whole exchange, from the
look-up of the host to the last byte, is cancelled when its time is up. Compression is not requested, and is refused.
Reading stops at the limit.
"""

from __future__ import annotations

import json
import logging
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from sfumato.errors import MissingExtraError

MOST_BYTES = 1 << 22
"""The most bytes of a response: more than any answer needs."""


class ExchangeError(Exception):
    """No response. The message gives the reason, and ``again`` says whether another try may help."""

    def __init__(self, why: str, again: bool) -> None:
        super().__init__(why)
        self.again = again


class Received(NamedTuple):
    """A response: its status, its body ``content``, and ``retry_after``, the server's seconds to wait."""

    status: int
    content: bytes
    retry_after: str | None = None

    def json(self) -> Any:
        """Return the content of the body. Raise ValueError or RecursionError if it is not JSON."""
        return json.loads(self.content)


@dataclass(frozen=True)
class Limits:
    """Limits of an exchange: ``silence`` and ``whole`` in seconds, ``size`` in bytes, ``at_once`` in exchanges.

    ``silence`` is the time between two pieces of a response, and ``whole`` that of the whole exchange.
    """

    silence: float
    whole: float
    size: int = MOST_BYTES
    at_once: int = 8


@dataclass(frozen=True)
class Line:
    """Connections to a server, from any thread. They follow neither a redirect nor a proxy of the environment."""

    limits: Limits
    _portal: Any = field(repr=False)
    _client: Any = field(repr=False)

    def post(self, url: str, content: bytes) -> Received:
        """Send ``content`` and return the response. Raise :class:`ExchangeError`."""
        received: Received = self._portal.call(self._post, url, content)
        return received

    async def _post(self, url: str, content: bytes) -> Received:
        import anyio
        import httpx

        try:
            with anyio.fail_after(self.limits.whole):
                async with self._client.stream("POST", url, content=content) as response:
                    body = await self._body(response)
                    return Received(response.status_code, body, response.headers.get("retry-after"))
        except TimeoutError:
            raise ExchangeError(
                f"its answer was not complete after {self.limits.whole:g} seconds", again=False
            ) from None
        except httpx.TimeoutException:
            raise ExchangeError(f"it sent nothing for {self.limits.silence:g} seconds", again=True) from None
        except (httpx.HTTPError, httpx.InvalidURL):
            raise ExchangeError("it cannot be reached", again=True) from None

    async def _body(self, response: Any) -> bytes:
        if response.headers.get("content-encoding", "identity").strip().lower() not in ("", "identity"):
            raise ExchangeError("it compresses its answers without being asked to", again=False)
        body = bytearray()
        async for piece in response.aiter_raw():
            body += piece
            if len(body) > self.limits.size:
                raise ExchangeError(f"it sends more than {self.limits.size:,} bytes", again=False)
        return bytes(body)


@cache
def trusted() -> ssl.SSLContext:
    """Return what a connection trusts: to read the certificates takes longer than a short answer does."""
    import httpx

    return httpx.create_ssl_context(trust_env=False)


@contextmanager
def line(limits: Limits, headers: Mapping[str, str]) -> Iterator[Line]:
    """Open connections that send ``headers``, and close them. Raise MissingExtraError without httpx."""
    try:
        import httpx
        from anyio.from_thread import start_blocking_portal
    except ImportError:
        raise MissingExtraError("A chat endpoint needs httpx; type: pip install 'sfumato[evaluate]'") from None
    for name in ("httpx", "httpcore"):  # they would log the whole address
        logging.getLogger(name).setLevel(logging.WARNING)
    client = httpx.AsyncClient(
        timeout=limits.silence,
        headers={**headers, "Accept-Encoding": "identity"},
        verify=trusted(),
        trust_env=False,
        follow_redirects=False,
        limits=httpx.Limits(max_connections=max(1, limits.at_once)),
    )
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(client):
        yield Line(limits, portal, client)
