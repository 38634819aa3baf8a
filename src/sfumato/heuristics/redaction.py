"""Redaction: each marked span becomes a label, a mask, a pseudonym, a surrogate, something broader, or a keyed hash.

Nothing here has a formal guarantee. Which operator is used may differ by label.
"""

from __future__ import annotations

import difflib
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, Any, ClassVar, Literal, get_args

from sfumato.abstract.heuristic import SpanHeuristic
from sfumato.errors import ConfigurationError, InputError
from sfumato.heuristics import _generalise as generalising
from sfumato.heuristics._mentions import Pseudonyms, hashed, identities, named
from sfumato.heuristics._surrogate import OF_KINDS, check_locale, surrogate
from sfumato.language.languages import language_of
from sfumato.options.option import Option, Part
from sfumato.storage.keys import check_value, checked_key, keyed
from sfumato.text.document import Document, name_of_person
from sfumato.text.marks import MarkedRecord

Operator = Literal["label", "mask", "pseudonym", "surrogate", "generalise", "hash", "keep"]
Scope = Literal["document", "run"]
OPERATORS = get_args(Operator)
EVERY = "*"
_SHOWS = {
    "label": "the kind of each replaced span",
    "mask": "nothing of a masked span but where it was{length}",
    "pseudonym": "the kind of each replaced span, and which spans {where} mean the same",
    "surrogate": "which spans {where} mean the same; titles, genders that public name lists know, units and lengths "
    "of amounts, and the shape of codes",
    "generalise": "the year or month of dates, bands of ages, countries of places, sizes of numbers and their units",
    "hash": "the kind of each replaced span, and which spans of all releases with the same key mean the same",
    "keep": "spans whose label is kept, as they were",
}


RESTORED = frozenset({"pseudonym", "hash"})
"""Operators whose replacements stand for one original each: the owner, or a join, needs them as they are."""


@dataclass(frozen=True)
class Redaction(SpanHeuristic):
    """Replaces each span by ``operator``, or by the one that ``operators`` names for its label ("*": all others).

    ``scope`` "document" numbers pseudonyms from 1 in each record; "run" derives pseudonyms and surrogates from
    ``key`` (32 bytes or more, never shown), so that the same name has the same one in all texts. ``mask`` is what a
    mask repeats, ``length`` how often; 0 repeats it as often as the span has characters, which shows how long it was.
    Dates go to ``dates`` ("year", "month", "decade"), after a shift by up to ``shift`` days that is fixed for a
    subject: the value of the record's field ``subject``, or the record's id; that too needs the key. Numbers keep
    ``digits`` significant digits. ``locale`` is faker's. What is generalised is read and written in ``language``.
    """

    operator: Annotated[
        str,
        Option(
            "label, mask, pseudonym, surrogate, generalise, hash or keep",
        ),
    ] = "pseudonym"  # fmt: skip
    operators: Annotated[Mapping[str, str], Option("operators by label; `*` is for all others")] = field(
        default_factory=dict
    )
    scope: Annotated[str, Option("the same name is replaced alike in a document, or in a run")] = "document"
    key: Annotated[
        bytes | None,
        Option("secret key FILE for hashes, shifts, scope run (or SFUMATO_KEY)", secret=True, metavar="a file"),
    ] = field(default=None, repr=False, compare=False)
    mask: Annotated[str, Option("the sign that a mask repeats")] = "*"
    length: Annotated[int, Option("how often; 0: as often as the span has characters, which shows it")] = 5
    dates: Annotated[str, Option("what generalised dates keep: year, month or decade")] = "year"
    shift: Annotated[int, Option("most days that the dates of a subject are shifted by; needs a key")] = 0
    subject: Annotated[str | None, Option("field that says whose dates they are; else the record's id")] = None
    digits: Annotated[int, Option("significant digits that a generalised number keeps")] = 1
    locale: Annotated[str, Option("faker's locale, for surrogates")] = "en_US"
    language: Annotated[str, Part("the code of the language in which values are generalised")] = "en"
    name: ClassVar[str] = "redaction"
    makes_map: ClassVar[bool] = True

    def __post_init__(self) -> None:
        chosen = {**self.operators}
        object.__setattr__(self, "operators", dict(sorted(chosen.items())))
        for one in self._used:
            if one not in OPERATORS:
                near = difflib.get_close_matches(str(one), OPERATORS, n=1)
                meant = f"; did you mean {near[0]}?" if near else "."
                raise ConfigurationError(f"An operator is one of {', '.join(OPERATORS)}, not {one!r}{meant}")
        if self.scope not in get_args(Scope):
            raise ConfigurationError(f"The scope is document or run, not {self.scope!r}.")
        if self.dates not in generalising.granularities():
            raise ConfigurationError(f"Dates go to {', '.join(generalising.granularities())}, not {self.dates!r}.")
        if not 1 <= self.digits <= 2:
            raise ConfigurationError(f"A number keeps 1 or 2 significant digits, not {self.digits!r}.")
        seen = self.mask.isprintable() and not any(one.isalnum() or one.isspace() for one in self.mask)
        if not self.mask or not seen or not 0 <= self.length <= 100:
            raise ConfigurationError(
                "A mask repeats a visible sign, no letter or digit, 1 to 100 times, or 0: as long as the span."
            )
        if not 0 <= self.shift <= 36500:
            raise ConfigurationError("Dates are shifted by 0 to 36500 days.")
        told = self.shift or self.subject or self.dates != "year"
        if told and self._kind("DATE") != "generalise":
            raise ConfigurationError(
                "dates, shift and subject are for dates that are generalised; say so for them: DATE=generalise."
            )
        if self.subject is not None and not self.shift:
            raise ConfigurationError("A subject is asked for where dates are shifted; give a shift, in days.")
        self._check_key()
        if "surrogate" in self._used:
            check_locale(self.locale)

    @classmethod
    def asks_for_key(cls, options: Mapping[str, Any]) -> bool:
        """Return whether a hash, a shift of dates or the scope of a run is among ``options``."""
        several = options.get("operators")
        chosen = [options.get("operator"), *(several.values() if isinstance(several, Mapping) else ())]
        return "hash" in chosen or options.get("scope") == "run" or bool(options.get("shift"))

    def _check_key(self) -> None:
        if "hash" in self._used:
            checked_key(self.key, "A hash")
        if self.scope == "run":
            checked_key(self.key, "The scope of a run")
        if self.shift:
            checked_key(self.key, "A shift of dates")
        if self.key is not None:
            checked_key(self.key, "Redaction")

    @property
    def _used(self) -> set[str]:
        return {self.operators.get(EVERY, self.operator), *self.operators.values()}

    @property
    def gives_pseudonyms(self) -> bool:
        """Whether some of what is put in stands for one thing, so that a map can tell what."""
        return not {"pseudonym", "hash"}.isdisjoint(self._used)

    @property
    def visible(self) -> tuple[str, ...]:  # type: ignore[override]
        """What this lets everybody see, by the operators that are used."""
        where = "of the run" if self.scope == "run" else "of a record"
        length = "" if self.length else ", and how long it was"
        told = [_SHOWS[name].format(where=where, length=length) for name in OPERATORS if name in self._used]
        return (*told, "differences between shifted dates of one subject") if self.shift else tuple(told)

    @property
    def parameters(self) -> dict[str, Any]:
        """Every public parameter; of the key eight digits that tell two keys apart."""
        given = {name: getattr(self, name) for name in ("operator", "scope", "locale")}
        given["operators"] = dict(self.operators)
        for name in ("mask", "length", "dates", "shift", "subject", "digits"):
            given[name] = getattr(self, name)
        if self.language != "en":
            given["language"] = self.language
        return {**given, "key": None if self.key is None else check_value(self.key)}

    @property
    def reads(self) -> tuple[str, ...]:
        """The field with the subject, where dates are shifted by one."""
        return () if self.subject is None else (self.subject,)

    @property
    def named_labels(self) -> frozenset[str]:
        """The labels that have an operator of their own."""
        return frozenset(self.operators) - {EVERY}

    def keeps(self, label: str) -> bool:
        """Whether spans with this label stay as they were."""
        return self._kind(label) == "keep"

    def says_the_label(self, label: str) -> bool:
        """Whether the label stands for spans with this label."""
        return self._kind(label) == "label"

    def replacements(self, records: Sequence[MarkedRecord], seeds: Sequence[int]) -> list[list[str]]:
        """Return what replaces each span of each document; the fields of a record share their numbers."""
        return [own for record in records for own in record.by_document(self._outputs(record, seeds[record.first]))]

    def pseudonyms(self, records: Sequence[MarkedRecord]) -> list[dict[str, str]]:
        """Return what each pseudonym and hash of each document stands for: its longest mention in the record."""
        originals: list[dict[str, str]] = []
        for record in records:
            outputs = self._outputs(record, 0)
            known: dict[str, str] = {}
            for text, label, output in zip(record.texts, record.labels, outputs, strict=True):
                if self._kind(label) in ("pseudonym", "hash") and not output.startswith("["):
                    known[output] = max(known.get(output, ""), text, key=len)
            own = record.by_document(outputs)
            originals += [{output: known[output] for output in made if output in known} for made in own]
        return originals

    def _kind(self, label: str) -> str:
        """The operator for ``label``."""
        return self.operators.get(label, self.operators.get(EVERY, self.operator))

    def _outputs(self, record: MarkedRecord, seed: int) -> list[str]:
        """Return what replaces each marked text of ``record``; the same text with the same label has the same."""
        names, offset = Pseudonyms(record.whole), self._offset(record.documents[0], record.first)
        labels, keys = named(record.labels), identities(record)
        mentions = list(zip(record.texts, record.labels, strict=True))
        made: dict[tuple[str, str], str] = {}
        for (text, own), label, key in zip(mentions, labels, keys, strict=True):
            if (text, own) not in made:
                made[text, own] = self._made(self._kind(own), text, label, key, names, seed, offset)
        return [made[mention] for mention in mentions]

    def _made(self, kind: str, text: str, label: str, key: str, names: Pseudonyms, seed: int, offset: int) -> str:
        whole: Mapping[str, Callable[[], str | None]] = {
            "label": lambda: None,
            "keep": lambda: text,
            "mask": lambda: self.mask * (self.length or len(text)),
            "pseudonym": lambda: self._pseudonym(label, key, names),
            "surrogate": lambda: self._surrogate(text, label, key, names, seed),
            "generalise": lambda: self._broader(text, label, offset),
            "hash": lambda: hashed(checked_key(self.key, "A hash"), label, key),
        }
        answer = whole[kind]()
        return f"[{label}]" if answer is None else answer

    def _pseudonym(self, label: str, key: str, names: Pseudonyms) -> str:
        if self.scope == "run":
            return names.of_the_run(checked_key(self.key, "The scope of a run"), label, key)
        return names.numbered(label, key)

    def _surrogate(self, text: str, label: str, key: str, names: Pseudonyms, seed: int, turn: int = 0) -> str | None:
        """Return a surrogate, another for each ``turn``."""
        return surrogate(text, label, self._seed(label, key, seed, turn), self.locale, key)

    def _seed(self, label: str, key: str, seed: int, turn: int = 0) -> int:
        """For one thing in one document, or in the run, and one ``turn``, always the same."""
        parts = (label, key, str(turn)) if turn else (label, key)
        if self.scope == "run":
            secret = checked_key(self.key, "The scope of a run")
            return int.from_bytes(keyed(secret, "surrogate", *parts)[:8], "little")
        return random.Random(f"{seed} {' '.join(parts)}").getrandbits(64)

    def _broader(self, text: str, label: str, offset: int) -> str | None:
        own = language_of(self.language)
        rounded = partial(generalising.rounded, digits=self.digits, language=own)
        rules: Mapping[str, Callable[[str], str | None]] = {
            "DATE": partial(generalising.date_of, to=self.dates, offset=offset, language=own),
            "AGE": partial(generalising.age_band, language=own),
            "LOCATION": partial(generalising.place_of, language=own),
            **dict.fromkeys(("QUANTITY", "MONEY", "DURATION"), rounded),
        }
        label = OF_KINDS.get(label, label)
        return rules[label](text) if label in rules else None

    def _offset(self, document: Document, number: int | None = None) -> int:
        """Return the days by which the dates of the document's subject are shifted: never 0, the same for a subject.

        ``number`` is the document's, for an error.
        """
        if not self.shift:
            return 0
        subject = document.id
        if self.subject is not None:
            value = document.metadata.get(self.subject)
            subject = "" if value is None else name_of_person(value)
            if not subject:
                raise InputError(
                    f"the field {self.subject!r}, which says whose dates these are, is missing or empty.", number
                )
        drawn = int.from_bytes(keyed(checked_key(self.key, "A shift of dates"), "shift", subject)[:8], "little")
        days = drawn % (2 * self.shift) - self.shift
        return days if days < 0 else days + 1
