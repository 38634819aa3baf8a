"""The vector of a private text, which depends on that text and the public encoder alone.

A network rounds a text's vector in a way that depends on the texts beside it in a batch, which could turn a tie in
what is read off the vectors of others. So every private text is encoded by a call of its own.
"""

from __future__ import annotations

from sfumato.abstract.models import Encoder
from sfumato.errors import InputError
from sfumato.missing import missing
from sfumato.types import FloatArray


def has_words(text: str) -> bool:
    """Return whether ``text`` holds a letter or digit; any other text has no vector that means something."""
    return any(map(str.isalnum, text))


def vector_of(text: str, encoder: Encoder, number: int) -> FloatArray:
    """Return the vector of a ``text`` of unit ``number`` (from 0 on), shape (D,).

    Raise InputError, which names the unit and holds no text, if the encoder fails.
    """
    readable = text.encode("utf-8", "replace").decode("utf-8")  # half a character stops a tokenizer
    try:
        vector: FloatArray = encoder.encode([readable])[0]
    except Exception as error:
        raise missing(error) or InputError(
            f"The encoder cannot read a text of unit {number + 1} ({type(error).__name__})."
        ) from None
    return vector
