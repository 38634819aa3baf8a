"""The JSON files of ``sfumato models calibrate``: one form for gains by rank and for clip ranges."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from sfumato.errors import ConfigurationError
from sfumato.storage import regular

T = TypeVar("T")
TextFile = tuple[str, int]
"""The SHA-256 and the size of a public text."""


def read_calibrated(path: Path, model: str, law: str, make: Callable[[dict[str, Any], TextFile | None], T]) -> T:
    """Return what ``make`` makes of the facts in a file for ``law``, and of the text that they were measured on.

    ``model`` is the id of a model. Raise ConfigurationError for a file that holds something else, or facts of another
    model.
    """
    command = f"sfumato models calibrate --law {law}"
    try:
        facts = json.loads(regular(path).read_text(encoding="utf-8"))
        if facts["model"] != model:
            raise ConfigurationError(
                f"{path.name} was measured for another model, {facts['model']}; measure {model} with `{command}`."
            )
        text = facts.get("text")
        return make(facts, None if text is None else (str(text["sha256"]), int(text["bytes"])))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        if isinstance(error, ConfigurationError):
            raise
        raise ConfigurationError(
            f"{path.name} cannot be read as a file for the law {law}; write one with `{command} -o {path.name}`."
        ) from None
