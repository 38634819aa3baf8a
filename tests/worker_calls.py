"""What the tests call in a process of its own, which must be able to import it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sfumato.batch import Sanitize


def called_in_a_worker(options: Mapping[str, Any], table: Any) -> Any:
    """Make a callable where an engine would have sent it, without having been pickled, and call it."""
    return Sanitize("santext", 4.0, **options)(table)
