"""Serves a review on the loopback interface of this machine, until the reviewer is done."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Callable
from threading import Thread

import uvicorn

from sfumato.errors import ConfigurationError
from sfumato.review.app import Shown, app_of
from sfumato.review.door import Door
from sfumato.review.examples import Examples
from sfumato.review.session import Session

LOOPBACK = "127.0.0.1"


def serve(
    session: Session,
    examples: Examples | None,
    shown: Shown,
    port: int = 0,
    opened: Callable[[str], object] = print,
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
