"""How a file is to be read."""

from __future__ import annotations

import codecs
import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from sfumato.documents.rules import Rules
from sfumato.errors import ConfigurationError
from sfumato.options.typed import typed

OnError = Literal["stop", "quarantine"]
Missing = Literal["stop", "pass"]
Quoting = Literal["csv", "none"]
UTF8 = "utf-8"
_NOT_OF_FILES = frozenset({"idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined"})
EVERY = "[]"
"""Behind a name, in the field of a JSON record: every element of the list."""
USUAL_FIELDS = ("text",)
"""The text field of a record if none is named."""
_LISTED = 20


def no_field_to_keep(name: str, names: Iterable[str] = ()) -> ConfigurationError:
    """The error for a field that is to stay and is not there. It quotes the nearest of ``names``, and all of them.

    Those of tables are quoted, and the keys that every record has. Other keys may be names of people.
    """
    there = sorted(names)
    by_lower = {other.lower(): other for other in there}
    near = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.6)
    meant = f"did you mean {by_lower[near[0]]!r}?" if near else "look at how its name is written."
    listed = [repr(other) for other in there[:_LISTED]] + (["others"] if len(there) > _LISTED else [])
    return ConfigurationError(
        f"There is no field {name!r} to keep; {meant}" + (f" There are: {', '.join(listed)}." if there else "")
    )


def _known_encoding(name: str) -> str:
    """``name`` as codecs call it. Raises ConfigurationError for what is no encoding of text."""
    try:
        known = codecs.lookup(name).name
        "".encode(known)
    except (LookupError, ValueError, TypeError):  # UnicodeError is a ValueError
        known = ""
    if not known or known.replace("-", "_") in _NOT_OF_FILES:
        raise ConfigurationError(f"There is no encoding {name!r}; name one such as cp1252, latin-1 or utf-16.")
    return known


@typed
@dataclass(frozen=True, slots=True)
class FileOptions:
    """How a file is read.

    Attributes:
        fields: The text fields of a record.
        id_field: The field with the record's id; None: the record's place, from 0, or in a folder the relative path.
        spans_field: The field with given spans, which holds the released spans in the output.
        lines: Every line of a .txt is a document.
        quoting: `csv`: quotation marks around a cell are syntax; `none`: they are text. None: syntax in .csv, text in
            .tsv.
        on_error: A bad record stops the run (`stop`) or is set aside (`quarantine`).
        missing: A JSON record without a text field is a bad one (`stop`) or passes as it is (`pass`). A text that is
            null always passes as null.
        encoding: The encoding of the input, unless it is Parquet. The output is UTF-8.
        chunk_records: A chunk ends at this number of records.
        chunk_characters: A chunk ends at this number of characters of text.
        labels: Fields that are also read if the file has them, for an evaluation or a method.
        keep: The other fields that the output holds; None: all.
        subject_field: The field that names the person of a record, over whose records costs are added up. It decides
            nothing about the output, which holds it if `keep` says so.
        documents: What becomes of the parts of a document beside its text, by a policy. None: what is usual, and the
            files of a folder of .txt keep their names.
        adjustable: Whether the user chooses these options, so that errors may advise another one.

    Raises:
        ConfigurationError: A value does not exist, or the fields do not fit together.
    """

    fields: tuple[str, ...] = USUAL_FIELDS
    id_field: str | None = None
    spans_field: str | None = None
    lines: bool = False
    quoting: Quoting | None = None
    on_error: OnError = "stop"
    missing: Missing = "stop"
    encoding: str = UTF8
    chunk_records: int = 20_000
    chunk_characters: int = 1_000_000
    labels: tuple[str, ...] = ()
    keep: tuple[str, ...] | None = None
    adjustable: bool = True
    subject_field: str | None = None
    documents: Rules | None = None

    def __post_init__(self) -> None:
        if not self.fields:
            raise ConfigurationError('fields must be a tuple of one or more names, for example ("text",).')
        named = [*self.fields, *(name for name in (self.id_field, self.spans_field) if name is not None)]
        if len(set(named)) < len(named):
            raise ConfigurationError(
                "The text fields, the id field and the spans field must be different fields; name each once."
            )
        if self.spans_field is not None and not self.one_text:
            raise ConfigurationError("A spans field belongs to one text field; sanitize the fields one by one.")
        if not self.one_text and any("/" in name for name in self.fields):
            raise ConfigurationError(
                "Several text fields need names without '/', which joins them to the record's id."
            )
        if self.subject_field is not None:
            self._check_subject(self.subject_field)
        object.__setattr__(self, "encoding", _known_encoding(self.encoding))
        for name, choices in (("on_error", OnError), ("missing", Missing), ("quoting", Quoting)):
            value, known = getattr(self, name), get_args(choices)
            if value not in known and not (name == "quoting" and value is None):
                told = '" or "'.join(known)
                raise ConfigurationError(f'{name} must be "{told}", not {value!r}.')
        if self.chunk_records < 1 or self.chunk_characters < 1:
            raise ConfigurationError("A chunk must hold at least one record and one character.")

    def _check_subject(self, name: str) -> None:
        """Refuse a subject field that holds a text or spans, and read it along."""
        if not name or name in (*self.fields, self.spans_field):
            raise ConfigurationError(
                "The subject field must be a field of its own: it names a person, and is neither text nor spans."
            )
        object.__setattr__(self, "labels", tuple(dict.fromkeys((*self.labels, name))))

    @property
    def rules(self) -> Rules:
        """What becomes of the parts of a document."""
        return self.documents or Rules()

    @property
    def not_valid(self) -> str:
        """What is said of bytes that are no text."""
        if self.encoding == UTF8:
            return "not valid UTF-8" + (" (--encoding names another one)" if self.adjustable else "")
        return f"not valid {self.encoding}"

    @property
    def names_text(self) -> str:
        """How the text field is named: the end of a hint."""
        return "name the text field with --field, or as text in the [fields] of a policy"

    @property
    def reads_spans(self) -> str:
        """Why a field of spans is needed: the end of a hint."""
        return (
            "the detector given reads its spans from it, so name the field that has them (--set detect.spans_field, "
            "or field in the [find.options] of a policy) or choose another detector"
        )

    @property
    def one_text(self) -> bool:
        """Whether a record has one text at most: one field is named, and no list of them."""
        return len(self.fields) == 1 and EVERY not in self.fields[0]

    @property
    def of_records(self) -> bool:
        """Whether something here is about the fields of records, of which a plain text has none."""
        named = (self.id_field, self.spans_field, self.subject_field, self.quoting, *(self.keep or ()))
        return self.fields != USUAL_FIELDS or self.missing != "stop" or any(name is not None for name in named)

    @property
    def needed(self) -> tuple[str, ...]:
        """Every field that a record must have."""
        return (*self.fields, *(name for name in (self.id_field, self.spans_field) if name is not None))

    @property
    def required(self) -> tuple[str, ...]:
        """Every column that a table must have: those that are needed, and the subject field."""
        return (*self.needed, *(() if self.subject_field is None else (self.subject_field,)))

    def reading(self, names: Sequence[str]) -> FileOptions:
        """The same where the fields ``names`` are read along as well."""
        return replace(self, labels=tuple(dict.fromkeys((*self.labels, *names))))

    def stays(self, name: str) -> bool:
        """Whether the output holds the field ``name``."""
        return self.keep is None or name in self.keep or name in self.needed

    def places(self, names: Sequence[str]) -> tuple[int, ...]:
        """Where among the ``names`` of columns those are that the output holds."""
        return tuple(place for place, name in enumerate(names) if self.stays(name))

    @property
    def others_kept(self) -> tuple[str, ...] | None:
        """The fields that stay beside those that are needed; None where all do."""
        return (
            None if self.keep is None else tuple(dict.fromkeys(name for name in self.keep if name not in self.needed))
        )

    def must_have(self, names: Sequence[str]) -> None:
        """Refuse a field to keep that is not among the ``names`` of the fields: its loss would go unnoticed."""
        for name in self.keep or ():
            if name not in names:
                raise no_field_to_keep(name, [*names])
