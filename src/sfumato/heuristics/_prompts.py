"""How a language model is asked for a whole text, and how its answer is read."""

from __future__ import annotations

import re

from sfumato.abstract.chat import Question

FRAME = "Answer with the new text only, between <text> and </text>, and with nothing before or after."
"""A frame shows an answer that was cut off, refused or explained; nothing in it needs escaping."""

_FRAMED = re.compile(r"\s*<text>(.*)</text>\s*", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"</?text>", re.IGNORECASE)


def for_text(system: str, text: str, before: str = "") -> Question:
    """The question ``system`` about ``text``, with room for an answer about twice as long."""
    return Question(system, f"{before}Text:\n{text}", most_tokens=256 + len(text.encode("utf-8", "replace")) // 2)


def framed(answer: str) -> str:
    """The text inside the frame. Raises ValueError where there is no whole frame, two, or nothing in it."""
    found = _FRAMED.fullmatch(answer)
    if found is None or _TAG.search(found[1]) or not found[1].strip():
        raise ValueError("no text in a frame")
    return found[1].strip()


def answered_text(question: Question) -> str:
    """The text of a question of :func:`for_text` in its frame, a little changed: an answer without a model."""
    return f"<text>{question.user.rpartition('Text:')[2].strip()} -</text>"
