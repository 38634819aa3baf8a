"""Texts that arrive one after the other, perhaps without end, in batches of whole records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from sfumato.errors import InputError
from sfumato.text.document import Document, Release

GROUP = "stream"


def streamed(
    sanitize_batch: Callable[[Sequence[Document]], Sequence[Release]], texts: Iterable[str | Document], size: int
) -> Iterator[Release]:
    """Yield the release of each of ``texts``, in order, ``size`` of them at a time.

    Raise InputError with the index of the text in the stream.
    """
    done = 0
    for batch in _batches(texts, size):
        yield from _released(sanitize_batch, batch, done)
        done += len(batch)


def _batches(texts: Iterable[str | Document], size: int) -> Iterator[list[Document]]:
    """Yield lists of ``size`` documents. A list is longer if it would cut a record, whose texts belong together.

    Only a document with metadata can have a neighbour in its record, so plain texts need no look ahead.
    """
    batch: list[Document] = []
    for index, text in enumerate(texts):
        document = document_of(text, index)
        last: Any = batch[-1].metadata if batch else {}
        if len(batch) >= size and last and document.metadata is not last:
            yield batch
            batch = []
        batch.append(document)
        if len(batch) >= size and not document.metadata:
            yield batch
            batch = []
    if batch:
        yield batch


def document_of(text: Any, index: int | None = None) -> Document:
    """Return ``text`` as a document. Raise InputError unless it is a str or a Document."""
    if isinstance(text, str):
        return Document(text)
    if isinstance(text, Document):
        return text
    raise InputError(f"a text must be a str or a Document, not {type(text).__name__}.", index, GROUP)


def _released(
    sanitize_batch: Callable[[Sequence[Document]], Sequence[Release]], batch: Sequence[Document], done: int
) -> Sequence[Release]:
    try:
        return sanitize_batch(batch)
    except InputError as error:
        index = None if error.document is None else done + error.document
        failure = InputError(error.reason, index, GROUP)
    # Raised outside the except block, so that no context drags a private message along.
    raise failure
