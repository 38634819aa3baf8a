"""Addresses of object stores and other file systems, told from paths of this machine."""

from __future__ import annotations

import re
from pathlib import Path

from sfumato.errors import OutputError

_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]+):/+(.*)", re.DOTALL)


def address_of(given: str) -> str | None:
    """Return the URI that ``given`` is, although a path may have swallowed one of its slashes; None for a path."""
    match = _ADDRESS.fullmatch(given)
    if match is None:
        return None
    return f"{match[1]}://{'/' if match[1] == 'file' else ''}{match[2]}"


def check_path(output: Path) -> None:
    """Raise OutputError if ``output`` is an address: a folder of this machine would get its name."""
    address = address_of(str(output))
    if address is not None:
        store = address.partition("://")[0]
        raise OutputError(
            f"An output is written to a disk of this machine, and {store}:// begins an address; name a path here "
            "and copy the output from there."
        )
