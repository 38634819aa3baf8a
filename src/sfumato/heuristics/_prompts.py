"""Questions to a language model for a whole text, and how its answer is read."""

from __future__ import annotations

import re

from sfumato.abstract.chat import Question

FRAME = "Answer with the new text only, between <text> and </text>, and with nothing before or after."
"""A missing frame shows that an answer was cut off, refused or explained; nothing in a frame needs escaping."""

_FRAMED = re.compile(r"\s*<text>(.*)</text>\s*", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"</?text>", re.IGNORECASE)


def for_text(system: str, text: str, before: str = "") -> Question:
    """Return the question ``system`` about ``text``, with room for an answer about twice as long."""
    return Question(system, f"{before}Text:\n{text}", most_tokens=256 + len(text.encode("utf-8", "replace")) // 2)


def framed(answer: str) -> str:
    """Return the text inside the frame. Raise ValueError if there is no whole frame, or two, or nothing in it."""
    match = _FRAMED.fullmatch(answer)
    if match is None or _TAG.search(match[1]) or not match[1].strip():
        raise ValueError("no text in a frame")
    return match[1].strip()


def answered_text(question: Question) -> str:
    """Return the text of a question of :func:`for_text` in its frame, a little changed: an answer without a model."""
    return f"<text>{question.user.rpartition('Text:')[2].strip()} -</text>"
