"""Read a policy file as tables. A file that is no policy is refused without a word of its content."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from sfumato.errors import ConfigurationError
from sfumato.policy.refusing import placed

MOST_BYTES = 1_000_000
MOST_OF_A_LINE = 2_000
"""Dotted keys take a time quadratic in their length."""
_LINE = re.compile(r"\(at (line [0-9]+, column [0-9]+|end of document)\)")


def tables_of(path: Path) -> dict[str, Any]:
    """Return the tables of the file at ``path``. Raise ConfigurationError, which names the file and the line."""
    try:
        return tables_in(_content(path))
    except ConfigurationError as error:
        raise placed(error, path.name) from None


def tables_in(content: bytes) -> dict[str, Any]:
    """Return the tables of a policy file with this ``content``. Raise ConfigurationError."""
    if len(content) > MOST_BYTES:
        raise ConfigurationError("This is no policy: it has more than 1 MB.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ConfigurationError("This is no policy: it is not UTF-8.") from None
    if any(len(line) > MOST_OF_A_LINE for line in text.splitlines()):
        raise ConfigurationError(f"This is no policy: a line has more than {MOST_OF_A_LINE:,} characters.")
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # the message may quote the file
        found = _LINE.search(str(error)) if isinstance(error, tomllib.TOMLDecodeError) else None
        where = f" at {found[1]}" if found else ""
        raise ConfigurationError(f"This is no policy: it is not TOML{where}.") from None


def _content(path: Path) -> bytes:
    if not path.is_file():
        wrong = "is not a regular file" if path.exists() else "does not exist"
        raise ConfigurationError(f"The policy {wrong}.")
    try:
        with path.open("rb") as file:
            return file.read(MOST_BYTES + 1)
    except OSError as error:
        raise ConfigurationError(f"The policy cannot be read ({error.strerror}).") from None
