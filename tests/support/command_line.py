"""Runs the command line for the tests: as the installed command in a process of its own, or inside this one."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np

from sfumato.cli import main

SFUMATO = str(Path(sys.executable).with_name("sfumato"))
CANARY = "ZEBRAFINCH"
WORDS = ["cat", "dog", "house", "river", "stone", "green", "winter", "friend", "market", "doctor"]
WORDS += ["window", "summer", "garden", "night", "paper", "water", "light", "road", "tree", "bird"]


_TWO_STOPS = re.compile(r"[\w)\]'\"]\.[.;](\s|$)")


class Ran(NamedTuple):
    """How a run of the command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON object on standard output."""
        assert self.code == 0, self.err
        return json.loads(self.out)


def write_vectors(folder: Path, words: Sequence[str] = WORDS, name: str = "words.vec.txt", seed: int = 0) -> Path:
    """A public vocabulary of ``words`` with vectors in 3 dimensions, in GloVe's format."""
    vectors = np.random.default_rng(seed).normal(size=(len(words), 3))
    path = folder / name
    rows = (f"{word} {' '.join(f'{x:.5f}' for x in row)}\n" for word, row in zip(words, vectors, strict=True))
    path.write_text("".join(rows), encoding="utf-8")
    return path


def vectors_of(path: Path) -> tuple[list[str], np.ndarray[Any, Any]]:
    """Tokens and vectors of a file of :func:`write_vectors`, read without sfumato."""
    rows = [line.split(" ") for line in path.read_text(encoding="utf-8").splitlines()]
    return [row[0] for row in rows], np.array([[float(x) for x in row[1:]] for row in rows])


def write_jsonl(path: Path, records: Iterable[Any]) -> Path:
    """A record a line."""
    path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in records), encoding="utf-8")
    return path


def write_key(path: Path, key: bytes = bytes(range(32))) -> Path:
    """A secret key as `sfumato key` leaves it: its owner alone can read it."""
    path.write_bytes(key)
    path.chmod(0o600)
    return path


def start(*arguments: object, **options: Any) -> subprocess.Popen[str]:
    """The installed command, started in a process of its own."""
    environment = {**os.environ, **options.pop("env", {})}
    return subprocess.Popen(
        [SFUMATO, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        **options,
    )


def finish(process: subprocess.Popen[str], timeout: float = 120.0) -> Ran:
    """Wait for a process of :func:`start`."""
    out, err = process.communicate(timeout=timeout)
    return Ran(process.returncode, out, err)


def run(*arguments: object, **options: Any) -> Ran:
    """Run the installed command in a process of its own."""
    return finish(start(*arguments, **options))


def call(*arguments: object) -> Ran:
    """Run what the command runs, in this process: a second faster."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    with (
        mock.patch.object(sys, "argv", ["sfumato", *map(str, arguments)]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as left:
            code = int(left.code or 0)
    told = out.getvalue() + err.getvalue()
    assert not _TWO_STOPS.search(told), told  # a message within a sentence of another
    return Ran(code, out.getvalue(), err.getvalue())


def everything_below(*folders: Path) -> bytes:
    """Every name and every byte of every file below ``folders``."""
    found = []
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            found.append(str(path.relative_to(folder)).encode("utf-8", "surrogateescape"))
            if path.is_file():
                found.append(path.read_bytes())
    return b"\n".join(found)
