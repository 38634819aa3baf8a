"""The body of a request, up to a limit, and an answer as long as somebody hears it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

import anyio
from starlette.requests import ClientDisconnect, Request

from sfumato.gateway.problems import ProblemError

_T = TypeVar("_T")


async def body_of(request: Request, most: int, seconds: float) -> bytes:
    """Return the body of ``request``. Raise ProblemError for one that is too large or too slow."""
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > most:
        raise _too_large(most)
    content = bytearray()
    try:
        with anyio.fail_after(seconds):
            async for piece in request.stream():
                content += piece
                if len(content) > most:
                    raise _too_large(most)
    except TimeoutError:
        raise ProblemError(408, "invalid_request_error", "slow", "The body did not arrive in time.") from None
    except ClientDisconnect:
        raise _gone() from None
    return bytes(content)


def _too_large(most: int) -> ProblemError:
    return ProblemError(413, "invalid_request_error", "size", f"The body is larger than {most:,} bytes; send less.")


async def while_heard(request: Request, answer: Awaitable[_T]) -> _T:
    """Return the ``answer`` to a ``request`` whose body was read; give it up if its client goes away.

    Raise ProblemError then.
    """
    answering = asyncio.ensure_future(answer)
    leaving = asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait({answering, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not answering.done():
            raise _gone()
        return answering.result()
    finally:
        for task in (answering, leaving):
            task.cancel()
        await asyncio.gather(answering, leaving, return_exceptions=True)


async def _left(request: Request) -> None:
    """Return when the client is gone."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _gone() -> ProblemError:
    return ProblemError(499, "invalid_request_error", "gone", "The client is gone.")
