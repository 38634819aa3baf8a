"""The law of a draw in a text, as a sanitizer draws by it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sfumato.abstract.sanitizer import Sanitizer
from sfumato.text.document import Document
from sfumato.types import FloatArray


def mechanism_in(sanitizer: Sanitizer, text: str) -> Any:
    """Return the mechanism at the epsilon of each draw in ``text``."""
    return sanitizer.others.law_in(sanitizer.records([Document(text)])[0].layouts[0])


def law_in(sanitizer: Sanitizer, text: str, position: int) -> tuple[Sequence[str], FloatArray]:
    """Return outcomes and probabilities of the draw for the marked word ``position`` (from 0) of ``text``."""
    [layout] = sanitizer.records([Document(text)])[0].layouts
    law: tuple[Sequence[str], FloatArray] = mechanism_in(sanitizer, text).law(layout, position)
    return law
