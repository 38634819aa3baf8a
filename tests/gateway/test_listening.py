"""The socket of a server."""

from __future__ import annotations

import asyncio
import os
import socket
import time
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
import uvicorn
from starlette.applications import Starlette

from sfumato.gateway.app import IDLE_SECONDS
from sfumato.gateway.serving import _config, _listening
from sfumato.gateway.settings import Settings
from warm_command import start


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


def has_ipv6() -> bool:
    with suppress(OSError), socket.socket(socket.AF_INET6) as tried:
        tried.bind(("::1", 0))
        return True
    return False


@pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6")
@pytest.mark.parametrize("host", ["::1", "[::1]"])
def test_ipv6_is_listened_at_with_or_without_brackets(host: str) -> None:
    with _listening(Settings(host=host, port=0)) as listening:
        assert listening.getsockname()[0] == "::1"


def _wait_for(port: int) -> None:
    """Return when something listens at ``port``: a server that is ended earlier has a loop half made."""
    for _ in range(300):
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError("nothing listens")


def test_a_quiet_server_still_shows_the_token_that_it_made(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('[find]\ndetect = ["list:n.txt"]\n[treat_others]\nmethod = "label"\n')
    (tmp_path / "n.txt").write_text("PERSON\tZwiebelina\n")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    own = {**os.environ, "SFUMATO_SERVE_TOKEN": ""}
    with start("serve", "--policy", "mine.toml", "--quiet", "--port", port, cwd=tmp_path, env=own) as server:
        line = server.stderr.readline()
        _wait_for(port)
        server.terminate()
        rest = server.stderr.read()
    assert line.startswith("Token of clients, for this run: ")
    assert len(line.split()[-1]) > 30
    assert not rest


def test_a_connection_is_closed_by_who_would_use_it_and_not_at_the_same_time_by_the_other() -> None:
    """Under load a server that closes at the very second in which a client sends resets the connection."""
    of_clients = httpx.Limits().keepalive_expiry
    assert of_clients is not None
    assert _config(Starlette()).timeout_keep_alive > 10 * of_clients
    assert uvicorn.Config(Starlette()).timeout_keep_alive > 2 * IDLE_SECONDS
