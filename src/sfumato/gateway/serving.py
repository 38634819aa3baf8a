"""Runs a server until it is told to stop; requests that were begun are answered first."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import uvicorn

from sfumato.errors import ConfigurationError
from sfumato.gateway.app import Server, Tokens
from sfumato.gateway.folders import remove_left
from sfumato.gateway.keeping import load, save
from sfumato.gateway.settings import Settings
from sfumato.gateway.working import Worker
from sfumato.policy import Policy
from sfumato.storage.keys import read_secret

App = Callable[..., Any]
Tell = Callable[[str], None]
_STOP_SECONDS = 30
_IDLE_SECONDS = 75
"""Longer than clients keep a connection that is not used: else one is closed just as it is used, and reset."""
_MOST_HEADERS = 64 << 10


def serve(settings: Settings, policy: Policy, tell: Tell, tell_token: Tell) -> None:
    """Serve by ``policy`` until a signal ends it; ``tell`` hears where, and ``tell_token`` of a token that was made.

    Raise ConfigurationError for an address that cannot be listened at, or one that others reach without a token of
    their own.
    """
    tokens = Tokens.of(settings)

    def made(stack: ExitStack) -> App:
        worker = Worker.of_policy(policy, settings.pseudonyms)
        stack.callback(worker.close)
        worker.warm()
        tell(f"The policy is {policy.name or 'given'}.")
        if settings.upstream is None:
            tell("There is no gateway without --upstream.")
        else:
            tell(f"What is sanitized goes to {settings.upstream}.")
            if settings.upstream_key and not os.environ.get(settings.upstream_key):
                tell(f"{settings.upstream_key} is empty, so the upstream gets no key.")
        server = Server(settings, worker, tokens)
        if settings.sessions is not None:
            path, secret = Path(settings.sessions), read_secret(Path(settings.sessions_key), "the key of sessions")
            if count := load(server.sessions, path, secret):
                tell(f"{count:,} sessions continue.")
            stack.callback(save, server.sessions, path, secret)
        return server.app()

    run(settings, tokens, made, tell, tell_token)


def run(settings: Settings, tokens: Tokens, make: Callable[[ExitStack], App], tell: Tell, tell_token: Tell) -> None:
    """Serve what ``make`` makes where the ``settings`` say, for clients with one of ``tokens``.

    Raise ConfigurationError as :func:`serve` does.
    """
    if not settings.is_local and tokens.is_made:
        raise ConfigurationError(
            f"{settings.host} is reached by other machines, so the tokens of clients have to be set; put them into "
            f"{settings.token}."
        )
    remove_left()
    with ExitStack() as stack:
        listening = _listening(settings)
        stack.callback(listening.close)
        app = make(stack)
        host, port = listening.getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        tell(f"Listening at http://{shown}:{port}.")
        if tokens.is_made:
            tell_token(f"Token of clients, for this run: {tokens.values[0]}")
        logging.getLogger("uvicorn.error").propagate = False
        uvicorn.Server(_config(app)).run(sockets=[listening])


def _config(app: App) -> uvicorn.Config:
    """Return how ``app`` is served."""
    return uvicorn.Config(
        app, log_config=None, access_log=False, server_header=False, date_header=False, ws="none",
        timeout_graceful_shutdown=_STOP_SECONDS, timeout_keep_alive=_IDLE_SECONDS,
        h11_max_incomplete_event_size=_MOST_HEADERS, lifespan="on", proxy_headers=False,
    )  # fmt: skip


def _listening(settings: Settings) -> socket.socket:
    """Return the socket, so that a port that is taken is told before anything is built."""
    family = socket.AF_INET6 if ":" in settings.address else socket.AF_INET
    # by its number TCP is known to asyncio, which then sends at once: else each answer waits 40 ms for the client
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((settings.address, settings.port))
    except OSError as error:
        made.close()
        raise ConfigurationError(
            f"{settings.host}:{settings.port} cannot be listened at ({error.strerror}); choose another --port."
        ) from None
    return made
