"""Plant canaries in a file of records, and keep the key: what was planted, for the search that follows.

A file in, a file out, so that any tool can be tested with canaries. All of them are made up: words, names and
conditions come from public lists, numbers from a public seed. The key is kept from others nevertheless, because an
attacker who knows what was planted proves nothing by finding it.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, cast, get_args

import numpy as np

from sfumato.attacks.canaries import Canary, Digits, Ends, MadeUp, Secrets, canaries, made_up
from sfumato.errors import ConfigurationError, InputError, OutputError
from sfumato.files import Chunk, FileOptions, open_source
from sfumato.files.assembly import assemble
from sfumato.files.suffixes import check_same_kind
from sfumato.storage import regular, writing
from sfumato.storage.atomic import whole
from sfumato.text.document import Release

Kind = Literal["phone", "words", "names"]
KINDS: tuple[Kind, ...] = get_args(Kind)
OPENINGS: Mapping[Kind, str] = {"phone": "Call me back under", "words": "The password that I was given is"}
"""What stands before a secret where nothing else is asked for."""

_FORM = 1
_WORDS = (
    "anchor", "basket", "candle", "dragon", "engine", "feather", "garden", "hammer", "island", "jacket", "kettle",
    "ladder", "marble", "needle", "orchard", "pencil", "quarry", "ribbon", "saddle", "tunnel", "umbrella", "velvet",
    "walnut", "yellow", "copper", "meadow", "silver", "timber", "violin", "window", "harbour", "lantern",
)  # fmt: skip
_CONDITIONS = (
    "asthma", "anaemia", "arthritis", "bronchitis", "diabetes", "eczema", "epilepsy", "gout", "hepatitis",
    "migraine", "pneumonia", "sciatica",
)  # fmt: skip


@dataclass(frozen=True)
class CanaryKey:
    """What was planted: ``canaries`` with ``secrets`` of one space, or made-up ``people``."""

    kind: Kind
    canaries: tuple[Canary, ...]
    secrets: Secrets | None = None
    people: MadeUp | None = None

    def save(self, path: Path) -> None:
        """Write the key to ``path``, for its owner only. Raise OutputError."""
        facts = {
            "form": _FORM,
            "kind": self.kind,
            "canaries": [asdict(canary) for canary in self.canaries],
            "secrets": None if self.secrets is None else asdict(cast("Any", self.secrets)),
            "people": None if self.people is None else asdict(self.people),
        }
        with writing(path), whole(path, private=True) as file:
            file.write((json.dumps(facts, indent=1, ensure_ascii=False) + "\n").encode())

    @classmethod
    def from_saved(cls, path: Path) -> CanaryKey:
        """Return the key in the file ``path``. Raise InputError for a file of another form."""
        try:
            facts = json.loads(regular(path).read_bytes())
            if facts["form"] != _FORM or facts["kind"] not in KINDS:
                raise ValueError
            made = tuple(Canary(**canary) for canary in facts["canaries"])
            texts = [text for canary in made for text in (canary.opening, canary.secret)]
            if (
                not made
                or not all(isinstance(text, str) for text in texts)
                or not all(canary.secret for canary in made)
            ):
                raise ValueError
            secrets, people = facts["secrets"], facts["people"]
            if facts["kind"] == "names":
                return cls("names", made, people=MadeUp(**people))
            return cls(facts["kind"], made, Digits(**secrets) if facts["kind"] == "phone" else _ends(secrets))
        except (OSError, ValueError, KeyError, TypeError, RecursionError, ConfigurationError):
            raise InputError(
                f"{path.name} is no key of `sfumato canaries`; name the file that it wrote with --canaries."
            ) from None


def new_key(
    kind: str, count: int, openings: Sequence[str] = (), repeats: Sequence[int] = (1,), seed: int = 0
) -> CanaryKey:
    """Return ``count`` new canaries of a ``kind``; ``openings`` and ``repeats`` are taken in turn.

    The same ``seed`` makes the same canaries. Raise ConfigurationError for what cannot be.
    """
    if kind not in KINDS:
        raise ConfigurationError(f"There are no canaries of the kind {kind!r}; choose {', '.join(KINDS)}.")
    if kind == "names":
        if openings or tuple(repeats) != (1,):
            raise ConfigurationError(
                "Made-up people are planted once, in sentences of their own; leave --opening out."
            )
        first, last = _names()
        people = made_up(first, last, _CONDITIONS, count, seed)
        return CanaryKey("names", tuple(people.canaries), people=people)
    known = cast("Kind", kind)
    secrets: Secrets = Digits() if known == "phone" else Ends(_WORDS)
    made = canaries(tuple(openings) or (OPENINGS[known],), secrets, count, seed, repeats)
    return CanaryKey(known, tuple(made), secrets)


def _ends(facts: Mapping[str, Any]) -> Ends:
    return Ends(tuple(facts["words"]), facts["length"])


def _names() -> tuple[list[str], list[str]]:
    """Return first and last names of a public list."""
    from faker.providers.person.en_US import Provider  # slow to import

    return [*Provider.first_names_female, *Provider.first_names_male], list(Provider.last_names)


def planted(
    source: Path, output: Path, canaries: Sequence[Canary], options: FileOptions | None = None, seed: int = 0
) -> list[int]:
    """Write the records of ``source`` to ``output``, each canary at the beginning of as many texts as it is repeated.

    There every synthesizer reads it, however few words of a text it reads. Return the records that bear one (from 0),
    canary by canary; a record bears one at most, and one without a text bears none. PRIVATE: the output holds
    the records, so only its owner can read it. Fields, order and format stay. Raise ConfigurationError if there are
    fewer records with a text than texts to plant, and OutputError where ``output`` exists or has another format.
    """
    opened = open_source(source, options or FileOptions())
    check_same_kind(opened, output)
    if output.exists():
        raise OutputError(f"{output.name} exists; name a new file.")
    records = list(_with_text(opened.chunks()))
    wanted = [canary for canary in canaries for _ in range(canary.repeats)]
    if len(wanted) > len(records):
        raise ConfigurationError(
            f"{source.name} holds {len(records):,} records with a text, too few for {len(wanted):,} canaries with "
            "their repeats."
        )
    hosts = [int(host) for host in np.random.default_rng([seed, 3]).choice(records, len(wanted), replace=False)]
    borne = dict(zip(hosts, wanted, strict=True))
    with writing(output), tempfile.TemporaryDirectory(dir=output.parent, prefix=".canaries-") as folder:
        parts: list[Path] = []
        for body in _bodies(opened.chunks(), borne):
            parts.append(Path(folder) / f"{len(parts):08d}.part")
            parts[-1].write_bytes(body)
        ready = Path(folder) / "ready"
        assemble(opened.kind, parts, ready, output.name.lower().endswith(".gz"), private=True)
        ready.rename(output)
    return hosts


def _with_text(chunks: Iterator[Chunk]) -> Iterator[int]:
    """Yield the numbers of the records that have a text."""
    first = 0
    for chunk in chunks:
        yield from (first + record for record, (start, end) in enumerate(pairwise(chunk.edges)) if end > start)
        first += len(chunk.texts)


def _bodies(chunks: Iterator[Chunk], borne: Mapping[int, Canary]) -> Iterator[bytes]:
    first = 0
    for chunk in chunks:
        texts = [document.text for document in chunk.documents]
        for record, (start, end) in enumerate(pairwise(chunk.edges)):
            if (canary := borne.get(first + record)) is not None and end > start:
                texts[start] = f"{canary.text} {texts[start].lstrip()}".rstrip()
        first += len(chunk.texts)
        released = [Release(each.id, text, (), "", 0) for each, text in zip(chunk.documents, texts, strict=True)]
        yield chunk.head + chunk.render(released)
