"""Where private text may lie while a run needs it: in the folder that the user names, or in the system's."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from sfumato.errors import OutputError

_NAMES = ("TMPDIR", "TEMP", "TMP")


def temporary_folder() -> Path:
    """Return the folder for temporary files.

    Python takes another disk if the one that the environment names cannot be used. Raise OutputError instead: who
    names an encrypted disk must not find private text on another.
    """
    for name in _NAMES:
        if named := os.environ.get(name):
            if not (os.path.isdir(named) and os.access(named, os.W_OK | os.X_OK)):
                raise OutputError(
                    f"{name} names a folder that does not exist or cannot be written, and private text goes to no "
                    f"other in its stead; create it, or let {name} name another."
                )
            return Path(os.path.abspath(named))
    return Path(tempfile.gettempdir())
