"""What the command logs: nothing, unless SFUMATO_LOG names a level; then its own lines, on standard error."""

from __future__ import annotations

import logging
import os
import sys

from sfumato.errors import ConfigurationError

VARIABLE = "SFUMATO_LOG"
_LEVELS = {"info": logging.INFO, "debug": logging.DEBUG}
_SILENCE = logging.NullHandler()


def begin() -> None:
    """Log what the environment asks for. Raise ConfigurationError for a level that does not exist.

    Lines of other libraries may quote a text. Without a handler Python would print their warnings.
    """
    logging.getLogger().addHandler(_SILENCE)
    named = os.environ.get(VARIABLE, "")
    if not named:
        return
    if named.lower() not in _LEVELS:
        raise ConfigurationError(f"{VARIABLE} is info or debug, not {named!r}; correct it, or leave it out.")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logger = logging.getLogger("sfumato")
    logger.addHandler(handler)
    logger.setLevel(_LEVELS[named.lower()])
