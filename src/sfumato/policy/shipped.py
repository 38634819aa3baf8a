"""The policies that come with the package, by purpose."""

from __future__ import annotations

from functools import cache
from importlib import resources

from sfumato.policy.refusing import check_known

_ROOM = resources.files("sfumato") / "data" / "policies"


@cache
def names() -> tuple[str, ...]:
    """Return the names of the shipped policies."""
    files = (entry.name for entry in _ROOM.iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in files if name.endswith(".toml")))


def check(name: str) -> None:
    """Raise ConfigurationError, which suggests the nearest, if no shipped policy is called ``name``."""
    check_known(name, names(), "There is no shipped policy of this name")


def content(name: str) -> str:
    """Return the file of the policy called ``name``, comments included. Raise ConfigurationError."""
    check(name)
    return (_ROOM / f"{name}.toml").read_text(encoding="utf-8")
