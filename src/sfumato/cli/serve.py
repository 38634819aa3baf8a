"""``sfumato serve``: a server over a policy, and a gateway to language models."""

from __future__ import annotations

import webbrowser
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.cli import options as choices
from sfumato.cli.flags import command
from sfumato.cli.printing import named, tell
from sfumato.cli.settings import Setting, settings
from sfumato.cli.signals import Ended
from sfumato.errors import ConfigurationError

SHOWN = "config policy upstream port host pseudonyms dry_run output as_json quiet"
"""The options that most runs need; the help lists these alone."""


@partial(command, shown=SHOWN)
def serve(
    config: Annotated[Path | None, typer.Option(help="A TOML file with settings; flags come first.")] = None,
    policy: Annotated[
        str | None, typer.Option(help="How each kind is treated: NAME or FILE; chat by default.")
    ] = None,
    set: Setting = None,
    upstream: Annotated[
        str | None, typer.Option(help="The language models, such as https://api.openai.com; none: no gateway.")
    ] = None,
    host: Annotated[str | None, typer.Option(help="The address that is listened at; 127.0.0.1 by default.")] = None,
    port: Annotated[int | None, typer.Option(help="The port; 8411 by default.")] = None,
    pseudonyms: Annotated[
        str | None, typer.Option(help="typed, such as PERSON_1A2B3C4D, or realistic; typed by default.")
    ] = None,
    images: Annotated[bool, typer.Option("--images", help="Pass images on, in which nothing is found.")] = False,
    dry_run: Annotated[
        Path | None, typer.Option("--dry-run", help="A recorded request: show what would go out, and send nothing.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", callback=named, help="--dry-run: the page (private).")
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="--dry-run: open no browser.")] = False,
    as_json: choices.Json = False,
    quiet: choices.Quiet = False,
) -> None:
    """Serve a policy on this machine: a gateway to language models, and an interface for other programs.

    Names become pseudonyms on the way out, and names again on the way back. The upstream's key is in
    SFUMATO_UPSTREAM_KEY, and the clients' tokens are in SFUMATO_SERVE_TOKEN.
    """
    from sfumato.gateway.settings import Settings
    from sfumato.policy import Policy

    given = {"policy": policy, "upstream": upstream, "host": host, "port": port, "pseudonyms": pseudonyms}
    flags: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if images:
        flags["images"] = True
    chosen = Settings(**flags) if config is None else Settings.of_file(config, **flags)
    home = Path() if config is None or policy is not None else config.parent
    loaded = Policy.load(_policy_of(chosen.policy, home))
    loaded = loaded.with_changes(settings(set)) if set else loaded
    if dry_run is None:
        if output is not None or as_json:
            raise ConfigurationError("--output and --json are for --dry-run; a server prints where it listens.")
        from sfumato.gateway.serving import serve as run

        with suppress(KeyboardInterrupt, Ended):  # which is how a server ends
            run(chosen, loaded, (lambda _: None) if quiet else _say, _say)  # nobody could guess a token
        return
    _rehearse(dry_run, chosen, loaded, output, no_browser, as_json, quiet)


def _say(line: str) -> None:
    typer.echo(line, err=True)


def _policy_of(name: str, home: Path) -> str | Path:
    """Return the policy that a file of settings names: a file beside it, or one that comes with sfumato."""
    beside = home / name
    return beside if Path(name).suffix and beside.exists() else name


def _rehearse(
    path: Path, chosen: Any, loaded: Any, output: Path | None, no_browser: bool, as_json: bool, quiet: bool
) -> None:
    """Show what would go out of the request in ``path``."""
    from sfumato.gateway.rehearsal import rehearsed
    from sfumato.gateway.shield import Shield
    from sfumato.storage.atomic import put, writing

    done = rehearsed(path, Shield.of(loaded, chosen.pseudonyms), chosen)
    if output is not None:
        with writing(output):
            put(output, done.page().encode("utf-8", "backslashreplace"), private=True)
        if not (no_browser or as_json or quiet):
            webbrowser.open(output.resolve().as_uri())
    facts = {"path": done.path, "texts": len(done.texts), "marks": dict(done.marks), "pseudonyms": len(done.names)}
    page = (
        [f"Page (private): {output}"] if output is not None else ["-o PAGE.html shows every text before and after."]
    )
    tell(facts, [*done.lines(), *page], as_json, quiet)
