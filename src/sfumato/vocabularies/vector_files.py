"""Read word vectors: GloVe or word2vec text, .npy and .safetensors. Nothing is ever unpickled.

A text file holds a token and its D numbers on each line, with or without a first line ``count D``. A token may hold
spaces; the last D fields are the numbers. A fast reader takes ordinary files. A file that it does not understand goes
to a careful reader, which either understands it or names the line that is wrong.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import VocabularyError
from sfumato.types import FloatArray

HEAD_LINES = 100
_LONGEST_LINE = 1 << 20
CONVERT = "save the vectors as text (a word and its numbers on each line), .npy or .safetensors."
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|[+-]?(?:nan|inf(?:inity)?)", re.IGNORECASE)
_WRITTEN_AS_REAL = re.compile(r"[+-]?\d*\.\d+(?:e[+-]?\d+)?|[+-]?\d+e[+-]?\d+", re.IGNORECASE)


@dataclass(frozen=True)
class Layout:
    """The form of a text file of vectors: ``dimensions`` numbers a line, their separator, and the ``promised`` words.

    ``promised`` is the number of words in the header; None without one.
    """

    dimensions: int
    separator: str
    promised: int | None


def text_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the number (from 1) and text of each line that is not blank, of a UTF-8 file that may be gzipped.

    Raise :class:`VocabularyError` naming the line that is not UTF-8, or too long to be text.
    """
    with open_bytes(path) as file:
        number = 0
        while line := file.readline(_LONGEST_LINE):
            number += 1
            position = f"{path.name}, line {number}"
            if b"\0" in line or len(line) == _LONGEST_LINE:
                raise VocabularyError(f"{position}: this is a binary file, not text; {CONVERT}")
            try:
                text = line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
            except UnicodeDecodeError as error:
                raise VocabularyError(
                    f"{position}: byte {error.start + 1} is not valid UTF-8; save the file as UTF-8."
                ) from None
            if text.strip():
                yield number, text


@contextmanager
def open_bytes(path: Path) -> Iterator[IO[bytes]]:
    """Open the bytes of ``path``, unzipped if its name ends in .gz.

    Raise :class:`VocabularyError` for any failure.
    """
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            yield cast(IO[bytes], file)
    except (OSError, EOFError, zlib.error) as error:
        raise VocabularyError(f"{path.name} cannot be read: {error}.") from None


def layout(head: Sequence[str]) -> Layout | None:
    """Return the form of a file of vectors from its first lines; None for a list of phrases.

    A file holds vectors if more than half of the lines in ``head`` end in two numbers or more, some written with a
    decimal point or an exponent, or if a header ``count D`` says so. More than half is enough, so that one broken
    line does not turn a file of vectors into a list of phrases.
    """
    separator = "\t" if head and "\t" in head[0] else " "
    rows = [line.rstrip().split(separator) for line in head]
    header = None
    if len(rows) > 1 and len(head[0].split()) == 2 and all(field.isdecimal() for field in head[0].split()):
        promised, dimensions = map(int, head[0].split())
        separator = "\t" if "\t" in head[1] else " "
        rows = [line.rstrip().split(separator) for line in head[1:]]
        header = Layout(dimensions, separator, promised) if len(rows[0]) > 2 else None
    counts = Counter(count for row in rows if (count := _trailing_numbers(row)) >= 2)
    if 2 * counts.total() <= len(rows):
        return None
    if header is not None:
        return header
    if not any(_WRITTEN_AS_REAL.fullmatch(field) for row in rows for field in row[-2:]):
        return None
    return Layout(counts.most_common(1)[0][0], separator, None)


def _trailing_numbers(row: Sequence[str]) -> int:
    count = 0
    for field in reversed(row[1:]):
        if not _NUMBER.fullmatch(field):
            break
        count += 1
    return count


def read_text_vectors(path: Path, how: Layout) -> tuple[list[str], FloatArray]:
    """Return tokens and vectors (V, D) of a text file. Raise VocabularyError naming the line that is wrong."""
    fast = _read_fast(path, how)
    return fast if fast is not None else _read_carefully(path, how)


def _read_fast(path: Path, how: Layout) -> tuple[list[str], FloatArray] | None:
    """Read with Arrow; return None for anything unusual, which the careful reader then explains.

    Arrow opens the file itself: one of its threads may outlive the call, and a thread that lets go of a Python object
    while the interpreter ends aborts the process.
    """
    import pyarrow
    from pyarrow import csv

    names = [str(column) for column in range(how.dimensions + 1)]
    types = dict.fromkeys(names, pyarrow.float64()) | {"0": pyarrow.string()}
    try:
        with pyarrow.input_stream(str(path), compression="gzip" if path.suffix == ".gz" else None) as file:
            table = csv.read_csv(
                file,
                csv.ReadOptions(column_names=names, skip_rows=int(how.promised is not None), block_size=1 << 24),
                csv.ParseOptions(delimiter=how.separator, quote_char=False, double_quote=False),
                csv.ConvertOptions(column_types=types, null_values=[], strings_can_be_null=False),
            )
    except (pyarrow.ArrowException, UnicodeDecodeError, OSError):
        return None
    tokens = table.column(0).to_pylist()
    vectors = np.empty((len(tokens), how.dimensions))
    for column in range(how.dimensions):
        vectors[:, column] = table.column(column + 1).to_numpy()
    ordinary = (
        how.promised in (None, len(tokens))
        and len(set(tokens)) == len(tokens)
        and all(token.strip() for token in tokens)
        and not (tokens and tokens[0].startswith("\ufeff"))
        and bool(np.isfinite(vectors).all())
    )
    return (tokens, vectors) if ordinary else None


def _read_carefully(path: Path, how: Layout) -> tuple[list[str], FloatArray]:
    lines = text_lines(path)
    if how.promised is not None:
        next(lines)
    first_line: dict[str, int] = {}
    rows: list[FloatArray] = []
    for number, line in lines:
        position = f"{path.name}, line {number}"
        token, row = _token_and_row(position, line, how)
        if token in first_line:
            raise VocabularyError(f"{position}: repeats the token of line {first_line[token]}; remove one.")
        first_line[token] = number
        rows.append(row)
    if how.promised is not None and how.promised != len(rows):
        raise VocabularyError(
            f"{path.name}, line 1: promises {how.promised} words, and {len(rows)} follow; get the complete file."
        )
    return list(first_line), np.vstack(rows)


def _token_and_row(position: str, line: str, how: Layout) -> tuple[str, FloatArray]:
    fields = line.rstrip().split(how.separator)
    token = how.separator.join(fields[: -how.dimensions])
    try:
        row = np.array(fields[-how.dimensions :], dtype=np.float64)
    except ValueError:
        row = np.empty(0)
    # a token may end in a number ("page 1"), but not in one written like the vector's
    surplus = any(_WRITTEN_AS_REAL.fullmatch(part) for part in fields[1 : -how.dimensions])
    if len(row) != how.dimensions or surplus:
        raise VocabularyError(f"{position}: {_complaint(fields, how)}; correct the line.")
    if not token.strip():
        raise VocabularyError(f"{position}: there is no token before the numbers; remove the line.")
    if not np.isfinite(row).all():
        raise VocabularyError(f"{position}: the vector holds NaN or infinity; remove the line.")
    return token, row


def _complaint(fields: Sequence[str], how: Layout) -> str:
    wrong = next((n for n, part in enumerate(fields[1:], 2) if not _NUMBER.fullmatch(part)), None)
    if len(fields) == how.dimensions + 1 and wrong is not None:
        return f"field {wrong} is not a number"
    return f"{_trailing_numbers(fields)} numbers where {how.dimensions} are expected"


def read_npy(path: Path) -> NDArray[Any]:
    """Return the array of a .npy file, memory-mapped. Raise VocabularyError for objects, which would be pickled."""
    try:
        array: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError, SyntaxError) as error:
        raise VocabularyError(
            f"{path.name} cannot be read as an array of numbers ({_first_line(error)}); "
            "write it with numpy.save from a plain float array."
        ) from None
    return array


def read_safetensors(path: Path) -> tuple[NDArray[Any], list[str] | None]:
    """Return the one tensor of a .safetensors file, and the JSON list in its metadata entry "tokens" or None.

    Raise VocabularyError for a file of another form.
    """
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            names = list(file.keys())
            if len(names) != 1:
                raise VocabularyError(f"{path.name} holds {len(names)} tensors; keep only the vectors.")
            array: NDArray[Any] = file.get_tensor(names[0])
            listed = (file.metadata() or {}).get("tokens")
    except (SafetensorError, OSError, TypeError, AttributeError) as error:
        raise VocabularyError(
            f"{path.name} cannot be read as safetensors with float16, float32 or float64 "
            f"({_first_line(error)}); write it again."
        ) from None
    if listed is None:
        return array, None
    try:
        tokens = json.loads(listed)
    except ValueError:
        tokens = None
    if not isinstance(tokens, list) or not all(isinstance(token, str) for token in tokens):
        raise VocabularyError(f'{path.name}: the metadata entry "tokens" is not a JSON list of strings; correct it.')
    return array, tokens


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
