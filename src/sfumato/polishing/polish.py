"""Polish a release: a language model rewrites it, reading the release and its public law alone.

No argument takes an original, and nothing that is read leads to one (:mod:`sfumato.polishing.stating` has the proof).
Records, their ids and their other fields stay as they are, and in their order.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Protocol

from sfumato.abstract.chat import ChatModel
from sfumato.abstract.models import MaskedModel
from sfumato.building.chat import ChatChoice, chat_use
from sfumato.building.stated import STEPS, Stated, rebuilt
from sfumato.errors import GuaranteeError, InputError, OptionError, SfumatoError
from sfumato.files import FileOptions, Source
from sfumato.models.masked.embedded import embedded_masked
from sfumato.options.typed import typed
from sfumato.polishing.rechoosing import Rechooser
from sfumato.polishing.rewriting import Rewriter
from sfumato.polishing.stating import STEP, polished_statement, statement_of
from sfumato.release.job import Companion, Job, RunOptions, RunSummary, opened
from sfumato.release.run import fingerprint_of, sanitize_job
from sfumato.storage import created
from sfumato.storage.atomic import remove
from sfumato.text.document import Document, Release, readable
from sfumato.types import Progress, Stages, silent

_RECORDS, _BY_LAW, _CHARACTERS = 64, 8, 64_000
"""A chunk is small, so that progress shows: records of a chat model, records by the law, and characters."""


class Polisher(Protocol):
    """Rewrites released texts."""

    how: ClassVar[str]

    @property
    def facts(self) -> dict[str, Any]:
        """Return what decides the outcome."""

    @property
    def counts(self) -> dict[str, int]:
        """Return how many texts stayed, by the reason."""

    def polished(self, texts: Sequence[str]) -> list[str]:
        """Return what becomes of each of ``texts``."""


@dataclass(frozen=True)
class Polished:
    """What was polished. `sfumato.polish` returns one.

    Attributes:
        output: Where the polished release is.
        statement_path: Where its statement is.
        statement: The statement, as JSON types.
        texts: How many texts there are.
        changed: How many of them became others.
        kept: How many released texts stayed because of the model's answer, by the reason.
    """

    output: Path
    statement_path: Path
    statement: Mapping[str, Any] = field(repr=False)
    texts: int = 0
    changed: int = 0
    kept: Mapping[str, int] = field(default_factory=dict)


@typed
def polish(
    release: Path | str,
    output: Path | str,
    *,
    chat_model: ChatChoice | ChatModel | str | None = None,
    files: FileOptions | None = None,
    overwrite: bool = False,
    progress: Stages | None = None,
) -> Polished:
    """Rewrite a release of words with a language model; every ε of its statement stays as it is.

    The release and its statement are read, and never an original. Without a chat model each drawn word is chosen
    again, by its public law and the masked model of this package. The polished release appears together with its
    statement, which has one more step.

    Args:
        release: A file that sfumato wrote. Its statement, RELEASE.privacy.json, lies beside it.
        output: Where the polished release goes; the same kind. The statement is OUTPUT.privacy.json.
        chat_model: The language model that rewrites each text, such as "local:smollm2", or a name at the endpoint
            SFUMATO_CHAT_URL, which then gets the release. None: drawn words are chosen again on this machine.
        files: How the release is read; by default a record has its text in the field `text`.
        overwrite: Replace an existing output.
        progress: Called with the stage and the share of it that is done, from 0 to 1.

    Raises:
        ConfigurationError: The model does not answer, or without one the drawn words cannot be chosen again.
        InputError: The release cannot be read, has no statement or that of another file, or must stay as it is.
        OutputError: The output cannot be written, or exists.
    """
    release, output, told = Path(release), Path(output), progress or silent
    reading = files or FileOptions()
    if chat_model is not None and reading.quoting == "none":
        raise OptionError(
            "A rewritten text may hold the cells' delimiter, which cannot be written without quotation marks; leave "
            "out {quoting}, or {chat_model}."
        )
    records = _BY_LAW if chat_model is None else _RECORDS
    most = min(reading.chunk_records, records), min(reading.chunk_characters, _CHARACTERS)
    options = RunOptions(replace(reading, chunk_records=most[0], chunk_characters=most[1]), overwrite=overwrite)
    if not release.exists():
        raise InputError(f"{release.name} does not exist; name the release that is to be polished.")
    with opened(release, output, options) as job:
        stated = statement_of(release)
        if chat_model is None:
            polisher: Polisher = rechooser_of(stated, release, embedded_masked(), partial(told, "Preparing"))
        else:
            polisher = Rewriter(chat_use("polish", chat_model).model)
        return polished_job(job, stated, polisher, told)


def polish_began(release: Path) -> bool:
    """Return whether :func:`polished_in_place` has made what takes the place of ``release``."""
    steps = _content(_statement(release)).get(STEPS, ()) if _statement(release).exists() else ()
    return _ready(release).exists() or any(step.get("step") == STEP for step in steps)


def polished_in_place(release: Path, model: ChatModel, files: FileOptions, stages: Stages) -> Mapping[str, Any]:
    """Polish a ``release`` that nobody has yet, in its place, and return its statement.

    A run that was stopped here is continued: what is complete takes its place, and what is not is made again. A
    release that is polished already stays.
    """
    ready, statement = _ready(release), _statement(release)
    if not polish_began(release):
        making = release.with_name(f".{release.name}.polishing")
        remove(making)
        making.mkdir(mode=0o700)
        polish(release, making / release.name, chat_model=model, files=files, progress=stages)
        os.replace(making, ready)
    for path in (release, statement):
        if (polished := ready / path.name).exists():
            if path.is_dir():
                remove(path)
            os.replace(polished, path)
    remove(ready)
    return _content(statement)


def _ready(release: Path) -> Path:
    return release.with_name(f".{release.name}.polished")


def _statement(release: Path) -> Path:
    return release.with_name(f"{release.name}.privacy.json")


def _content(statement: Path) -> dict[str, Any]:
    return dict(json.loads(statement.read_text(encoding="utf-8")))


def polished_job(job: Job, stated: Stated, polisher: Polisher, told: Stages = silent) -> Polished:
    """Write what ``polisher`` makes of the release of ``job``, and its statement, both of them or neither."""
    polishing, place = _Polishing(polisher), job.parts().statement
    written = Companion(place, partial(polishing.write, stated, job.output))

    def tell(done: int, size: int, _: int) -> None:
        told("Polishing", done / max(1, size))

    sanitize_job(job, fingerprint_of(job, polishing, None), polishing, None, tell, [written])
    counts = polishing.texts, polishing.changed, dict(polisher.counts)
    return Polished(job.output, place.path, polishing.statement, *counts)


def rechooser_of(stated: Stated, release: Path, model: MaskedModel, progress: Progress | None = None) -> Rechooser:
    """Return what chooses the drawn words of ``release`` again, by the law that its statement names.

    Raise OptionError if the statement names no such law, or if the drawn words are not known. Raise InputError if
    exactly that law cannot be built again.
    """
    names = stated.content.get("vocabularies")
    if stated.content.get("certificate") is None or not isinstance(names, Mapping) or not names:
        raise _needs_model(release, "its statement names no law over a vocabulary of words")
    if len(names) > 1:
        raise _needs_model(release, "it has several vocabularies, and does not show which of them a word is from")
    detector = stated.detector
    if detector is None:
        raise _needs_model(release, "its statement does not say that words were drawn, so they are not known")
    try:
        mechanism = rebuilt(stated, next(iter(names)), [release.absolute().parent, Path()], progress)
        mechanism.law(int(mechanism.covered[0]))
    except GuaranteeError:
        raise _needs_model(release, f"{stated.mechanism} has no law in closed form") from None
    except SfumatoError as error:
        raise InputError(
            f"The law of {stated.path.name} cannot be built again: {str(error).rstrip('.')}; put the files that it "
            "names beside the release, or name a language model."
        ) from None
    return Rechooser(mechanism, detector, model)


def _needs_model(release: Path, why: str) -> OptionError:
    return OptionError(
        f"The words of {release.name} cannot be chosen again, because {why}; name a language model that rewrites the "
        "release ({chat_model})."
    )


@dataclass(eq=False)
class _Polishing:
    """Takes the place of a sanitizer over a release, and counts texts. It is handed no randomness."""

    polisher: Polisher
    texts: int = 0
    changed: int = 0
    statement: dict[str, Any] = field(default_factory=dict)

    def sanitize_batch(self, documents: Sequence[Document], randomness: Any) -> Sequence[Release]:
        """Return one polished text a document. A text that no tokenizer reads (lone surrogates) stays."""
        texts = [document.text for document in documents]
        places = [place for place, text in enumerate(texts) if readable(text) == text]
        made = dict(zip(places, self.polisher.polished([texts[place] for place in places]), strict=True))
        outcomes = [made.get(place, text) for place, text in enumerate(texts)]
        self.texts += len(texts)
        self.changed += sum(new != text for new, text in zip(outcomes, texts, strict=True))
        rows = zip(documents, outcomes, strict=True)
        return [Release.joined(document.id, [text], "", 0) for document, text in rows]

    def write(self, stated: Stated, output: Path, ready: Path, content: Path, summary: RunSummary, _: Source) -> None:
        """Write to ``ready`` the statement of what is at ``content`` and becomes ``output``."""
        counts = {"records": summary.records, "texts": self.texts, "changed": self.changed}
        done = {"how": self.polisher.how, **self.polisher.facts, **counts, "kept": self.polisher.counts}
        self.statement = polished_statement(stated, output, content, done)
        with created(ready) as file:
            text = json.dumps(self.statement, indent=2, ensure_ascii=False) + "\n"
            file.write(text.encode("utf-8", "backslashreplace"))
