"""What a language model did with each text: names and figures by the record's id, never text.

A run writes a line as soon as a text is done, so that one that was stopped goes on with what is there; of several
lines about one text the last one counts. Which attributes could still be told of whom is private all the same: the
file is for its owner only (mode 0600).
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
    """What it took to do one text.

    ``questions`` to the language model, of which ``failed`` got no answer and ``unreadable`` one that could not be
    read; ``refused`` counts what an answer claimed to be in the text and was not, or what was no use; ``returned``
    counts marked texts that came back in an answer and were taken out again. ``kept`` says that nothing was found and
    the text was left as it stood, but for what the detector marked; ``lost`` that there is no release. ``rounds``
    holds for each look at the text which attributes were found, how certainly (1 to 5), how many quotes were
    ``refused``, and whether the text was ``rewritten`` after that.
    """

    questions: int = 0
    failed: int = 0
    unreadable: int = 0
    refused: int = 0
    returned: int = 0
    kept: bool = False
    lost: bool = False
    rounds: list[dict[str, Any]] = field(default_factory=list)


_COUNTS = tuple(one.name for one in fields(Tally) if one.name != "rounds")
ATTRIBUTE = re.compile(r"\w[\w /'-]{0,59}")
"""What may be looked for in a text: a few words."""


class Journal:
    """Lines about texts, kept at ``path`` (None: only in memory).

    While a run is under way they stand in a hidden file beside it. With ``resume`` those of a stopped run are taken
    up. Raises OutputError where the file cannot be written.
    """

    def __init__(self, path: Path | None = None, resume: bool = False) -> None:
        self.path = path
        self._entries: dict[tuple[str, str], Tally] = {}
        self._begun = False
        if path is not None and resume:
            there = [one for one in (self._unfinished(path), path) if one.is_file()]
            self._entries = {(id, by): tally for id, by, tally in read_journal(there[0])} if there else {}

    def note(self, id: str, by: str, tally: Tally) -> None:
        """What ``by`` (a method or a detector) did with the text ``id``; replaces what was noted before."""
        self._entries[id, by] = tally
        if self.path is not None:
            self._write(self._unfinished(self.path), [(id, by)] if self._begun else list(self._entries), self._begun)
            self._begun = True

    def finish(self) -> None:
        """Write a line for each text into the hidden file, which is complete then. May be called again."""
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
        """How many texts there are, and the sums of what was counted for each."""
        sums = {name: sum(int(getattr(one, name)) for one in self._entries.values()) for name in _COUNTS}
        return {"texts": len({id for id, _ in self._entries}), **sums}

    def lines(self) -> list[dict[str, Any]]:
        """The lines as they are written."""
        return [self._line(key) for key in self._entries]

    def _line(self, key: tuple[str, str]) -> dict[str, Any]:
        return {"id": key[0], "by": key[1], **asdict(self._entries[key])}

    def _write(self, path: Path, keys: list[tuple[str, str]], append: bool) -> None:
        try:
            if append:
                with open(path, "a", encoding="utf-8", opener=_owners) as file:
                    file.writelines(self._encoded(key) for key in keys)
            else:  # what is there stays until all is written anew; its mode, which may be another, is not taken over
                with whole(path, private=True, hidden=path.with_name(f"{path.name}.new")) as new:
                    new.writelines(self._encoded(key).encode() for key in keys)
        except OSError as error:
            raise self._refused(error) from None

    def _encoded(self, key: tuple[str, str]) -> str:
        return json.dumps(self._line(key)) + "\n"

    def _refused(self, error: OSError) -> OutputError:
        name = "" if self.path is None else f" {self.path.name}"
        return OutputError(f"The rounds{name} cannot be written ({error.strerror or type(error).__name__}).")

    @staticmethod
    def _unfinished(path: Path) -> Path:
        return Place(path).ready


def read_journal(path: Path) -> Iterator[tuple[str, str, Tally]]:
    """Id, method or detector, and tally of each line; a last line that was cut off is passed over.

    Raises InputError for a file that is no journal.
    """
    try:
        lines = regular(path).read_text(encoding="utf-8").splitlines(keepends=True)
    except (OSError, UnicodeDecodeError):
        raise InputError(f"{path.name} cannot be read as UTF-8 text.") from None
    known = {one.name for one in fields(Tally)}
    for number, line in enumerate(lines, 1):
        try:
            found = json.loads(line)
            id, by = found.pop("id"), found.pop("by")
            if not (isinstance(id, str) and isinstance(by, str) and set(found) <= known):
                raise ValueError
            yield id, by, _checked(Tally(**found))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            if number == len(lines) and not line.endswith("\n"):
                return
            raise InputError(
                f"{path.name}, line {number}, is no line about rounds; it was written by nobody here."
            ) from None


def _owners(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _checked(tally: Tally) -> Tally:
    """``tally`` as it is read, or ValueError: its figures, and what it calls attributes, are shown to others."""
    for name in _COUNTS:
        value, usual = getattr(tally, name), getattr(Tally(), name)
        if type(value) is not type(usual) or value < 0:
            raise ValueError(name)
    for one in tally.rounds:
        for name, sure in one["found"].items():
            if not ATTRIBUTE.fullmatch(name) or type(sure) is not int or not 1 <= sure <= 5:
                raise ValueError("found")
        if type(one["rewritten"]) is not bool or type(one["refused"]) is not int:
            raise ValueError("a look")
    return tally
