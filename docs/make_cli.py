"""Writes the help of every command into docs/cli.md, below the comments ``<!-- help: COMMAND -->``.

Run ``python docs/make_cli.py`` after a change of the command line; tests/test_docs.py fails until then.
"""

from __future__ import annotations

import re
from pathlib import Path

from typer.testing import CliRunner

from sfumato.cli.app import app

PAGE = Path(__file__).with_name("cli.md")
_PLACE = re.compile(r"(<!-- help:([a-z ]*)-->\n```text\n).*?(^```)", re.DOTALL | re.MULTILINE)
_TERMINAL = {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}


def help_of(command: str) -> str:
    """What ``sfumato COMMAND --help`` prints on a terminal of 100 columns without colours."""
    arguments = [*command.split(), "--help"]
    found = CliRunner().invoke(app, arguments, prog_name="sfumato", env=_TERMINAL)
    if found.exit_code:
        raise RuntimeError(f"sfumato {' '.join(arguments)} failed: {found.output}")
    return "\n".join(line.rstrip() for line in found.output.splitlines()).strip("\n") + "\n"


def renewed(page: str) -> str:
    """The page with the help of every command as it is now."""
    return _PLACE.sub(lambda match: match[1] + help_of(match[2]) + match[3], page)


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
