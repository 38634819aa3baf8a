"""A language model's work on each text: names and figures by the record's id, never text.

A run writes a line as soon as a text is done, so that an interrupted run resumes with the lines that exist. Of
several lines about one text the last one counts. The lines are private all the same, because they say which
attributes could still be inferred for which record: only the file's owner can read it (mode 0600).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from sfumato.errors import InputError, OutputError
from sfumato.storage import Place, regular, whole


@dataclass
class Tally:
    """Counts of the work on one text.

    ``questions`` counts questions to the language model: ``failed`` of them got no answer, and ``unreadable`` one
    that could not be read. ``refused`` counts quotes in answers that are not in the text or could not be used.
    ``returned`` counts marked texts that an answer contained and that were removed again. ``kept`` says that the
    model found nothing and the text stayed unchanged, except for its marks. ``lost`` says that there is no release.
    ``rounds`` holds for each look at the text which attributes were found, how certainly (1 to 5), how many quotes
    were ``refused``, and whether the text was ``rewritten`` after that.
    """

    questions: int = 0
    failed: int = 0
    unreadable: int = 0
    refused: int = 0
    returned: int = 0
    kept: bool = False
    lost: bool = False
    rounds: list[dict[str, Any]] = field(default_factory=list)


_COUNTS = tuple(count.name for count in fields(Tally) if count.name != "rounds")
ATTRIBUTE = re.compile(r"\w[\w /'-]{0,59}")
"""The form of an attribute that may be looked for in a text: a few words."""
_WAY_OUT = "name the file of rounds that sanitize wrote."


class Journal:
    """Lines about texts, kept at ``path`` (None: only in memory).

    During a run the lines are in a hidden file beside it. With ``resume``, the lines of an interrupted run are read
    again. Raises OutputError if the file cannot be written.
    """

    def __init__(self, path: Path | None = None, resume: bool = False) -> None:
        self.path = path
        self._entries: dict[tuple[str, str], Tally] = {}
        self._begun = False
        if path is not None and resume:
            earlier = [file for file in (self._unfinished(path), path) if file.is_file()]
            self._entries = {(id, by): tally for id, by, tally in read_journal(earlier[0])} if earlier else {}

    def note(self, id: str, by: str, tally: Tally) -> None:
        """Note the work of ``by`` (a method or a detector) on the text ``id``, in place of an earlier note."""
        self._entries[id, by] = tally
        if self.path is not None:
            self._write(self._unfinished(self.path), [(id, by)] if self._begun else list(self._entries), self._begun)
            self._begun = True

    def finish(self) -> None:
        """Write a line for each text into the hidden file, which is then complete. May be called again."""
        if self.path is not None:
            self._write(self._unfinished(self.path), list(self._entries), False)

    def close(self) -> None:
        """Finish, and give the file its name. May be called again."""
        if self.path is None:
            return
        self.finish()
        try:
            self._unfinished(self.path).replace(self.path)
        except OSError as error:
            raise self._refused(error) from None

    def counts(self) -> dict[str, int]:
        """Return the number of texts, and the sums of their counts."""
        sums = {name: sum(int(getattr(tally, name)) for tally in self._entries.values()) for name in _COUNTS}
        return {"texts": len({id for id, _ in self._entries}), **sums}

    def lines(self) -> list[dict[str, Any]]:
        """Return the lines as they are written."""
        return [self._line(key) for key in self._entries]

    def _line(self, key: tuple[str, str]) -> dict[str, Any]:
        return {"id": key[0], "by": key[1], **asdict(self._entries[key])}

    def _write(self, path: Path, keys: list[tuple[str, str]], append: bool) -> None:
        try:
            if append:
                with open(path, "a", encoding="utf-8", opener=_owners) as file:
                    file.writelines(self._encoded(key) for key in keys)
            else:  # the earlier file stays until the new one is complete, which does not take over its mode
                with whole(path, private=True, hidden=path.with_name(f"{path.name}.new")) as new:
                    new.writelines(self._encoded(key).encode() for key in keys)
        except OSError as error:
            raise self._refused(error) from None

    def _encoded(self, key: tuple[str, str]) -> str:
        return json.dumps(self._line(key)) + "\n"

    def _refused(self, error: OSError) -> OutputError:
        name = "" if self.path is None else f" {self.path.name}"
        return OutputError(
            f"The rounds{name} cannot be written ({error.strerror or type(error).__name__}); choose another file."
        )

    @staticmethod
    def _unfinished(path: Path) -> Path:
        return Place(path).ready


def read_journal(path: Path) -> Iterator[tuple[str, str, Tally]]:
    """Yield the id, the method or detector, and the tally of each line. A last line that was cut off is skipped.

    Raise InputError for a file that is not a journal.
    """
    try:
        lines = regular(path).read_text(encoding="utf-8").splitlines(keepends=True)
    except (OSError, UnicodeDecodeError):
        raise InputError(f"{path.name} cannot be read as UTF-8 text; {_WAY_OUT}") from None
    known = {count.name for count in fields(Tally)}
    for number, line in enumerate(lines, 1):
        try:
            entry = json.loads(line)
            id, by = entry.pop("id"), entry.pop("by")
            if not (isinstance(id, str) and isinstance(by, str) and set(entry) <= known):
                raise ValueError
            yield id, by, _checked(Tally(**entry))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            if number == len(lines) and not line.endswith("\n"):
                return
            raise InputError(f"{path.name}, line {number}, is not a line about rounds; {_WAY_OUT}") from None


def _owners(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _checked(tally: Tally) -> Tally:
    """Return ``tally``.

    Raise ValueError unless its figures and names of attributes are valid: others will see them.
    """
    for name in _COUNTS:
        value, usual = getattr(tally, name), getattr(Tally(), name)
        if type(value) is not type(usual) or value < 0:
            raise ValueError(name)
    for look in tally.rounds:
        for name, sure in look["found"].items():
            if not ATTRIBUTE.fullmatch(name) or type(sure) is not int or not 1 <= sure <= 5:
                raise ValueError("found")
        if type(look["rewritten"]) is not bool or type(look["refused"]) is not int:
            raise ValueError("a look")
    return tally
