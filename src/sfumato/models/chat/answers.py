"""Answers of chat models, kept in a folder, one file each, and read strictly.

A resumed run asks nothing twice. Kept answers may hold private text: only their owner can read the folder and its
files (modes 0700 and 0600), and the names are hashes. An answer has the requested form, a JSON object or a framed
text, or reading raises ValueError: nothing is guessed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sfumato.abstract.chat import Answer, Question
from sfumato.errors import OutputError
from sfumato.storage.atomic import whole

MOST_BYTES = 1 << 23
"""The most bytes of a file: twice those of an answer, because escapes are longer."""


@dataclass(frozen=True)
class KeptAnswers:
    """Answers of the model named by ``of``, in ``folder`` (None: nothing is kept)."""

    folder: Path | None
    of: tuple[str, ...]

    def find(self, question: Question) -> Answer | None:
        """Return the answer kept for ``question``; None if there is none, or none that can be read."""
        if self.folder is None:
            return None
        path = self._place(self.folder, question)
        try:
            if path.stat().st_size > MOST_BYTES:
                return None
            kept = json.loads(path.read_text(encoding="utf-8"))
            return Answer(str(kept["text"]), int(kept["tokens_in"]), int(kept["tokens_out"]), cached=True)
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, question: Question, answer: Answer) -> None:
        """Write ``answer`` to its file, whole or not at all, unless it is larger than an answer may be.

        Raise OutputError if the folder cannot be written.
        """
        if self.folder is None or len(content := json.dumps(asdict(answer))) > MOST_BYTES:
            return
        try:
            self._owned(self.folder)
            with whole(self._place(self.folder, question), private=True) as file:
                file.write(content.encode())
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise OutputError(
                f"{self.folder} cannot be written ({reason}); choose another folder, or keep no answers."
            ) from None

    def _place(self, folder: Path, question: Question) -> Path:
        key = json.dumps([*self.of, asdict(question)], sort_keys=True)
        return folder / f"{hashlib.sha256(key.encode()).hexdigest()}.json"

    @staticmethod
    def _owned(folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if folder.stat().st_mode & 0o077:
            with contextlib.suppress(PermissionError):  # the folder of another user, who may open it to others
                folder.chmod(0o700)


_FENCE = re.compile(r"^\s*```(?:json)?\s*\n(.*?)\n\s*```\s*$", re.DOTALL)
_WHOLE = re.compile(r"\s*([0-9]{1,9})\.?\s*")


def json_object(text: str) -> Mapping[str, Any]:
    """Return the one JSON object in ``text``, in a code fence or not. Raise ValueError for anything else."""
    fenced = _FENCE.match(text)
    try:
        value = json.loads(fenced[1] if fenced else text, object_pairs_hook=_once)
    except RecursionError:
        raise ValueError("too deep") from None
    if not isinstance(value, dict):
        raise ValueError("not an object")
    return value


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object whose keys appear once. If a key has two values, neither can be trusted."""
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError("a key appears twice")
    return value


def whole_number(text: str, least: int, most: int) -> int:
    """Return the whole number from ``least`` to ``most`` that is all of ``text``.

    Raise ValueError for anything else.
    """
    match = _WHOLE.fullmatch(text)
    if match is None or not least <= int(match[1]) <= most:
        raise ValueError("no such number")
    return int(match[1])


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
