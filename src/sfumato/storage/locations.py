"""Where a run may write: to paths of this machine, and private text to the folder that the user names.

Addresses of object stores and other file systems are told from paths.
"""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

from sfumato.errors import OutputError

_VARIABLES = ("TMPDIR", "TEMP", "TMP")
_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]+):/+(.*)", re.DOTALL | re.IGNORECASE)


def address_of(given: str) -> str | None:
    """Return the URI that ``given`` is, although a path may have swallowed one of its slashes; None for a path."""
    match = _ADDRESS.fullmatch(given)
    if match is None:
        return None
    scheme = match[1].lower()
    return f"{scheme}://{'/' if scheme == 'file' else ''}{match[2]}"


def check_path(output: Path) -> None:
    """Raise OutputError if ``output`` is an address: a folder of this machine would get its name."""
    address = address_of(str(output))
    if address is not None:
        store = address.partition("://")[0]
        raise OutputError(
            f"An output is written to a disk of this machine, and {store}:// begins an address; name a path here "
            "and copy the output from there."
        )


def temporary_folder() -> Path:
    """Return the folder for temporary files.

    Python takes another disk if the one that the environment names cannot be used. Raise OutputError instead: a user
    who names an encrypted disk must not find private text on another disk.
    """
    for name in _VARIABLES:
        if named := os.environ.get(name):
            if not (os.path.isdir(named) and os.access(named, os.W_OK | os.X_OK)):
                raise OutputError(
                    f"{name} names a folder that does not exist or cannot be written, and private text goes to no "
                    f"other in its stead; create it, or let {name} name another."
                )
            return Path(os.path.abspath(named))
    return Path(tempfile.gettempdir())
