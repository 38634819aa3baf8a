"""How a server is set: by a TOML file and by flags, which come first."""

from __future__ import annotations

import ipaddress
import math
import re
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from sfumato.errors import ConfigurationError
from sfumato.options.option import Option
from sfumato.options.typed import typed

_PLAIN = re.compile(r"[A-Za-z0-9_-]{1,40}")
TYPED, REALISTIC = "typed", "realistic"
_LOCAL, _LOCAL_6 = ("localhost", "127.0.0.1"), "::1"


@typed
@dataclass(frozen=True)
class Settings:
    """The settings of a server. Raises ConfigurationError for what cannot be, or would be open to everybody."""

    policy: Annotated[str, Option("the policy: a name that comes with sfumato, or a file")] = "chat"
    upstream: Annotated[
        str | None, Option("the address of the language models, such as https://api.openai.com; none: no gateway")
    ] = None
    upstream_key: Annotated[
        str, Option("the variable of the environment with the upstream's key; empty: it needs none")
    ] = "SFUMATO_UPSTREAM_KEY"
    host: Annotated[str, Option("the address that is listened at")] = "127.0.0.1"
    port: Annotated[int, Option("the port")] = 8411
    hosts: Annotated[tuple[str, ...], Option("names that clients may call the server by, beside its address")] = ()
    token: Annotated[
        str, Option("the variable of the environment with the clients' tokens, by blanks; else one is made and shown")
    ] = "SFUMATO_SERVE_TOKEN"
    pseudonyms: Annotated[str, Option("typed, such as PERSON_1A2B3C4D, or realistic")] = TYPED
    images: Annotated[bool, Option("pass images on, in which nothing is found")] = False
    most_bytes: Annotated[int, Option("the largest body")] = 8 << 20
    most_at_once: Annotated[int, Option("the most requests at once; others are told to come again")] = 512
    most_of_client: Annotated[int, Option("the most requests of one client at once")] = 256
    most_texts: Annotated[int, Option("the most different texts in a request")] = 10_000
    most_characters: Annotated[int, Option("the longest text; longer ones are sent in parts")] = 500_000
    seconds: Annotated[float, Option("how long a request may be read or sanitized")] = 30.0
    upstream_seconds: Annotated[float, Option("how long the upstream may be silent")] = 600.0
    session_seconds: Annotated[float, Option("how long a session is kept that is not used")] = 3600.0
    sessions: Annotated[
        str | None, Option("a file that keeps sessions over a restart, sealed; none: they end with the server")
    ] = None
    sessions_key: Annotated[str, Option("the file with the key that seals it (sfumato key)")] = ""
    most_sessions: Annotated[int, Option("how many sessions are kept")] = 1000

    def __post_init__(self) -> None:
        if self.pseudonyms not in (TYPED, REALISTIC):
            raise ConfigurationError(f"pseudonyms are {TYPED} or {REALISTIC}.")
        if not 0 <= self.port <= 65535:
            raise ConfigurationError("port is a number from 0 to 65535.")
        for name in (
            "most_bytes",
            "most_at_once",
            "most_of_client",
            "most_texts",
            "most_characters",
            "most_sessions",
        ):
            if getattr(self, name) < 1:
                raise ConfigurationError(f"{name} is 1 or more.")
        for name in ("seconds", "upstream_seconds", "session_seconds"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0):
                raise ConfigurationError(f"{name} is a number of seconds above 0.")
        if (self.sessions is None) != (not self.sessions_key):
            raise ConfigurationError("sessions are sealed by a key; name both files, or none.")
        if self.upstream is not None:
            address = urlsplit(self.upstream)
            if (
                address.scheme not in ("http", "https") or not address.hostname or address.query or address.fragment
                or address.username is not None or address.password is not None
            ):  # fmt: skip
                raise ConfigurationError(
                    "upstream is an address such as https://api.openai.com, without a key in it."
                )
            if address.scheme == "http" and not _is_near(address.hostname):
                raise ConfigurationError(
                    "upstream is reached over https: over http everybody on the way reads along."
                )

    @property
    def base(self) -> str:
        """Return the address of the upstream before the paths, which begin with /v1."""
        return (self.upstream or "").rstrip("/").removesuffix("/v1")

    @property
    def is_local(self) -> bool:
        """Return whether this machine alone reaches the server."""
        return self.address in (*_LOCAL, _LOCAL_6)

    @property
    def address(self) -> str:
        """Return the host without the brackets that IPv6 has in addresses of the web."""
        return self.host.removeprefix("[").removesuffix("]")

    @property
    def called(self) -> list[str]:
        """Return the names that a client may call the server by; others may come from a page in a browser."""
        own = f"[{self.address}]" if ":" in self.address else self.address
        every = [f"[{_LOCAL_6}]"] if self.address == "::" else []
        return list(dict.fromkeys([*_LOCAL, own, *every, *self.hosts]))

    @classmethod
    def of_file(cls, path: Path, **flags: Any) -> Settings:
        """Return the settings in the TOML file at ``path``, with ``flags`` in their place where these are given."""
        import tomllib

        try:
            content = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            raise ConfigurationError(f"{path.name} cannot be read as TOML.") from None
        known = {each.name for each in fields(cls)}
        if others := content.keys() - known:
            unknown = sorted(filter(_PLAIN.fullmatch, others)) or ["whose name is not shown"]
            raise ConfigurationError(
                f"{path.name} has a key that is no setting ({', '.join(unknown)}); known: {', '.join(sorted(known))}."
            )
        values = {name: tuple(value) if isinstance(value, list) else value for name, value in content.items()}
        return cls(**{**values, **flags})


def _is_near(host: str) -> bool:
    """Return whether ``host`` is this machine or a private network."""
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        return host in (*_LOCAL, _LOCAL_6) or ("." not in host and ":" not in host and not host.isdecimal())
