"""The file of decisions while a review is open: each decision is on the disk before the page hears of it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from sfumato.detectors.decision import FORMAT, Decision, checked
from sfumato.detectors.decisions import Decisions, decisions_in
from sfumato.errors import OutputError, SfumatoError
from sfumato.storage import Place, owned, regular, writing
from sfumato.storage.atomic import sync_folder


class Journal:
    """An open file of decisions, for its owner only. Lines are appended and never changed."""

    def __init__(self, path: Path, handle: int) -> None:
        self._path, self._handle = path, handle
        content = _read(handle)
        self.cut = len(content) - (content.rfind(b"\n") + 1)
        if self.cut:  # the process ended while it wrote, so nobody was told that the line was kept
            content = content[: -self.cut]
            os.ftruncate(handle, len(content))
            os.fsync(handle)
        self._size = len(content)
        self.decisions: Decisions = decisions_in(content, path.name)

    @property
    def holds_work(self) -> bool:
        """Return whether it holds what a person did: more than the sample that was drawn for the review."""
        return any(line.action != "sample" for line in self.decisions.lines)

    def append(self, facts: Mapping[str, Any]) -> Decision:
        """Write a line and return it. Raise InputError if it cannot follow the others, OutputError if not written."""
        return self.append_all([facts])[0]

    def append_all(self, several: Sequence[Mapping[str, Any]]) -> list[Decision]:
        """Write lines and return them; raise as :meth:`append` does before any of them is written."""
        first = len(self.decisions.lines) + 1
        lines = [
            checked({"format": FORMAT, **facts}, number, f"{self._path.name}, line {number}")
            for number, facts in enumerate(several, first)
        ]
        after = replace(self.decisions, lines=(*self.decisions.lines, *lines))
        content = "".join(f"{line.as_line()}\n" for line in lines).encode()
        try:
            _write(self._handle, content)
        except OSError as error:
            os.ftruncate(self._handle, self._size)
            raise OutputError(
                f"{self._path.name} cannot be written ({error.strerror}); the decision was not kept."
            ) from None
        self._size += len(content)
        self.decisions = after
        return lines


@contextmanager
def journal(path: Path) -> Iterator[Journal]:
    """Yield the journal at ``path``, which is made if there is none. Raise OutputError or InputError.

    A journal that was made for a review that is refused is removed again.
    """
    with owned([Place(path)]), writing(path):
        regular(path)
        new = not path.exists()
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0), 0o600)
        opened: Journal | None = None
        try:
            os.fchmod(handle, 0o600)  # an earlier file may have been made by another program
            sync_folder(path.parent.resolve())
            opened = Journal(path, handle)
            yield opened
        except SfumatoError:
            if new and (opened is None or not opened.holds_work):
                path.unlink()
            raise
        finally:
            os.close(handle)


def _read(handle: int) -> bytes:
    blocks = []
    os.lseek(handle, 0, os.SEEK_SET)
    while block := os.read(handle, 1 << 20):
        blocks.append(block)
    return b"".join(blocks)


def _write(handle: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(handle, view) :]
    os.fsync(handle)
