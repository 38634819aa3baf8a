"""The option of a command that names where its output goes."""

from __future__ import annotations

from typing import Any

from sfumato.errors import OutputError


def named(output: Any) -> Any:
    """Return ``output``, which an option names. Raise OutputError for standard output, where nothing is streamed."""
    if str(output) == "-":
        raise OutputError("- is standard output, which this command does not write to; name a file or a folder.")
    return output
