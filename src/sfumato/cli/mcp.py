"""``sfumato mcp``: find, sanitize, explain and verify as tools for agents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.cli.flags import command
from sfumato.cli.settings import Setting, settings
from sfumato.errors import ConfigurationError


@command
def mcp(
    policy: Annotated[str, typer.Option(help="What is looked for, and how it is treated: NAME or FILE.")] = "chat",
    set: Setting = None,
    folder: Annotated[
        Path, typer.Option(help="Where signed releases are that verify may look at; the working folder by default.")
    ] = Path(),
    http: Annotated[
        bool, typer.Option("--http", help="Answer over HTTP at /mcp, for clients with a token, not on the streams.")
    ] = False,
    host: Annotated[str | None, typer.Option(help="--http: the address; 127.0.0.1 by default.")] = None,
    port: Annotated[int | None, typer.Option(help="--http: the port; 8412 by default.")] = None,
) -> None:
    """Offer find, sanitize, explain and verify to agents, over the Model Context Protocol.

    Answers hold sanitized text and places of marks; nothing is restored. Over HTTP the tokens of clients are in
    SFUMATO_SERVE_TOKEN, or one is made and printed.
    """
    if not http and (host is not None or port is not None):
        raise ConfigurationError("--host and --port are for --http; on the streams nothing is listened at.")
    if not folder.is_dir():
        raise ConfigurationError(f"{folder} is no folder; name the one with the releases.")
    from sfumato.agents.mcp_server import run_on_streams, server_of
    from sfumato.agents.tools import Tools
    from sfumato.policy import Policy

    loaded = Policy.load(policy)
    loaded = loaded.with_changes(settings(set)) if set else loaded
    loaded.check_treats()
    server = server_of(Tools(loaded, folder))
    if not http:
        run_on_streams(server)
        return
    from sfumato.agents.mcp_server import app_of
    from sfumato.gateway.app import Tokens
    from sfumato.gateway.serving import run
    from sfumato.gateway.settings import Settings

    given: dict[str, Any] = {"host": host, "port": 8412 if port is None else port}
    chosen = Settings(**{name: value for name, value in given.items() if value is not None})
    tokens = Tokens.of(chosen)

    def say(line: str) -> None:
        typer.echo(line, err=True)

    run(chosen, tokens, lambda _: app_of(server, chosen, tokens), say, say)
