"""The socket of a server."""

from __future__ import annotations

import asyncio
import socket

from sfumato.gateway.serving import _listening
from sfumato.gateway.settings import Settings


async def sends_at_once(listening: socket.socket) -> bool:
    """Return whether a connection that asyncio accepts sends small pieces without waiting for the other side."""
    told = asyncio.get_running_loop().create_future()

    def accepted(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        own = writer.get_extra_info("socket")
        told.set_result(own.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    async with await asyncio.start_server(accepted, sock=listening):
        _, writer = await asyncio.open_connection(*listening.getsockname())
        answer = bool(await told)
        writer.close()
        await writer.wait_closed()
    return answer


def test_an_answer_is_sent_at_once() -> None:
    with _listening(Settings(port=0)) as listening:
        listening.listen()
        assert asyncio.run(sends_at_once(listening))
