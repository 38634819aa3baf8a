"""Seed phrases, which must be public: they go to a chat model, and anyone may see the vocabulary grown from them.

Only its owner knows whether a file is public, so a file is refused until the user states that it is. A file that is
plainly not a list of public phrases is refused all the same: a file of records, a private file or a copy of it, long
lines, addresses. No message shows a seed. Each phrase, of a file or of a chat model, is tidied, or refused for one
reason.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.abstract.models import Encoder
from sfumato.errors import ConfigurationError, VocabularyError
from sfumato.language.en.offensive import is_offensive
from sfumato.types import unit_rows
from sfumato.vocabularies.builtin import FAMILIES, PhraseStore, family_phrases, plain_label
from sfumato.vocabularies.load import embed, source_file
from sfumato.vocabularies.private import refuse_private
from sfumato.vocabularies.vector_files import text_lines

LONGEST, MOST_WORDS = 80, 10
"""The most characters and the most words of a phrase."""

EMPTY = "nothing left"
CHARACTERS = "characters that no phrase has"
LONG = "too long"
ADDRESS = "an e-mail or web address"
NUMBER = "a number of 9 digits or more"
LETTERS = "no letter"
OFFENSIVE = "offensive"

_STRANGE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Control, invisible and direction marks, halves of pairs, private, unassigned, line and paragraph separators."""
_MARK_UP = re.compile(r"[<>{}\[\]|\\_=\N{REPLACEMENT CHARACTER}\N{HORIZONTAL ELLIPSIS}]|\.\.\.")
_ADDRESS = re.compile(
    r"@|://|\bwww\.|\b[\w-]+\.(?:com|org|net|edu|gov|mil|info|biz|(?:ac|co|gov)\.[a-z]{2})\b", re.IGNORECASE
)
_NUMBER = re.compile(r"\d(?:[ ./()+-]*\d){8}")
_BULLET = re.compile(r"(?:[-*+•‣◦▪·–—]|\(?\d{1,3}[.):]|\(?[a-zA-Z]\))\s+")
_QUOTES = tuple(map(tuple, ('""', "''", "“”", "„“", "„”", "‘’", "‚‘", "«»", "»«", "‹›", "``", "**", "__")))
_LABEL = re.compile(r"[A-Z][A-Z0-9_]{0,39}")
_SAME = 1e-5  # distance of two vectors that differ by rounding alone, for vectors of length 1
_LISTS = (".txt", ".json")
_FORMS = "public phrases, one a line in a .txt file, or a .json object of labels with a list of phrases each"


def spaced(text: str) -> str:
    """Return ``text`` in Unicode's composed form (NFC), trimmed, with one blank for every run of blanks.

    Other characters stay.
    """
    return re.sub(r"[^\S\t\n\r\x0b\x0c\x1c-\x1f\x85\u2028\u2029]+", " ", unicodedata.normalize("NFC", text).strip())


def tidied(text: str) -> str:
    """Return ``text`` without the marks of a list: bullets, numbers and quotes around it, commas after it."""
    phrase, before = spaced(text), None
    while phrase != before:
        before = phrase
        phrase = _BULLET.sub("", phrase, count=1) if _BULLET.match(phrase) else phrase
        phrase = phrase.rstrip(",;").strip()
        for opening, closing in _QUOTES:
            if len(phrase) > 2 and phrase[0] == opening and phrase[-1] == closing:
                phrase = phrase[1:-1].strip()
    return phrase


def fault(phrase: str) -> str | None:
    """Return the reason why ``phrase`` may not be in a vocabulary; None if it may.

    Addresses and long numbers are searched for in the compatible form (NFKC), in which wide digits are digits. They
    are refused because a model may have them from a person's record.
    """
    plain = unicodedata.normalize("NFKC", phrase)
    if not phrase.strip():
        return EMPTY
    if any(unicodedata.category(sign) in _STRANGE for sign in phrase) or unicodedata.category(phrase[0])[0] == "M":
        return CHARACTERS
    if len(phrase) > LONGEST or len(phrase.split()) > MOST_WORDS:
        return LONG
    if _ADDRESS.search(plain):
        return ADDRESS
    if _MARK_UP.search(plain):
        return CHARACTERS
    if _NUMBER.search(plain):
        return NUMBER
    if is_offensive(plain):
        return OFFENSIVE
    return None if any(sign.isalpha() for sign in phrase) else LETTERS


def folded(phrase: str) -> str:
    """Return the form that phrases share if they differ only in case, blanks or compatible characters."""
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", phrase).casefold()).split())


@dataclass(frozen=True)
class Seeds:
    """Public phrases by label, each once. ``origin`` records their source for the provenance, ``path`` their file.

    ``pools`` holds the phrases that a model may see as examples: all except plain numbers.
    """

    phrases: dict[str, tuple[str, ...]]
    origin: dict[str, Any]
    path: Path | None = None

    @property
    def pools(self) -> dict[str, tuple[str, ...]]:
        """Return the possible examples, by label. Raise ConfigurationError for a label without one."""
        pools = {
            label: tuple(phrase for phrase in phrases if fault(phrase) is None)
            for label, phrases in self.phrases.items()
        }
        for label, pool in pools.items():
            if not pool:
                raise ConfigurationError(f"No seed of {label} holds a letter; add phrases that can be examples.")
        return pools


def builtin_seeds(labels: Sequence[str]) -> Seeds:
    """Return the built-in phrases of the families ``labels``. Raise ConfigurationError for anything else."""
    names = list(dict.fromkeys(label.strip().upper() for label in labels))
    if not names or not set(names) <= set(FAMILIES):
        raise ConfigurationError(f"Built-in seeds need a --label, one of {', '.join(FAMILIES)} (repeatable).")
    packages = sorted({package for name in names for package in FAMILIES[name].packages})
    return Seeds({name: family_phrases(name) for name in names}, {"built_in": names, "packages": packages})


def read_seeds(
    path: Path, labels: Sequence[str] = (), *, stated_public: bool = False, private: Collection[Path] = ()
) -> Seeds:
    """Return the seeds in ``path``, a .txt file with the one label of ``labels``, or a .json file.

    ``labels`` chooses among the labels of a .json file (all without any). ``stated_public`` says that the user states
    that the file is public. ``private`` lists files and folders that are not. Raise ConfigurationError or
    VocabularyError, which name the file and the place, never a phrase.
    """
    kind = _kind(path)
    _refuse(path, stated_public, private)
    if kind == ".json":
        listed = _stored(path, labels)
    else:
        if len(labels) != 1:
            raise ConfigurationError(f"{path.name} has no labels; name the kind of its phrases with one --label.")
        listed = {_checked(labels[0], "--label"): [(f"line {number}", line) for number, line in text_lines(path)]}
    phrases = {label: _phrases(path.name, entries) for label, entries in listed.items()}
    source = source_file(path)
    origin = {"file": path.name, "sha256": source.sha256, "stated_public": True}
    return Seeds(phrases, origin, path)


def _kind(path: Path) -> str:
    """Return the suffix of ``path``. Raise ConfigurationError unless it is one of a list of phrases."""
    if not path.exists():
        raise ConfigurationError(f"The seeds {path.name} do not exist; name a file, or builtin with a --label.")
    if not path.is_file() or path.suffix.lower() not in _LISTS:
        raise ConfigurationError(f"{path.name} is not a list of seeds, and records never are; write {_FORMS}.")
    return path.suffix.lower()


def _refuse(path: Path, stated_public: bool, private: Collection[Path]) -> None:
    """Refuse a private file, whatever the user stated, and a file that the user did not state to be public."""
    for secret in private:
        if not secret.exists():
            raise ConfigurationError(f"{secret.name}, named with --private, does not exist; check the path.")
    try:
        refuse_private([path], private)
    except VocabularyError:
        raise ConfigurationError(
            f"{path.name} is a private file or a copy of one; vocabularies are grown from public phrases only."
        ) from None
    if not stated_public:
        raise ConfigurationError(
            f"The phrases of {path.name} would be sent to the model and appear in a vocabulary that anyone may see; "
            "if they are public, and none was taken from private records, state that with --seeds-are-public."
        )


def _stored(path: Path, labels: Sequence[str]) -> dict[str, list[tuple[str, str]]]:
    """Return positions and phrases of the labels of a JSON store."""
    store = PhraseStore(path)
    try:
        stored = store.labels
    except RecursionError:
        raise ConfigurationError(f"{path.name} is not a store of phrases, because it is nested too deeply.") from None
    for number, label in enumerate(stored, 1):
        _checked(label, f"{path.name}, list {number}")
    wanted = [_checked(label, "--label") for label in labels] or list(stored)
    for label in wanted:
        if label not in stored:
            raise ConfigurationError(f"{path.name} has no list of the label {label}; choose one of its labels.")
    return {
        label: [
            (f"list {stored.index(label) + 1}, phrase {number} (repeats not counted)", phrase)
            for number, phrase in enumerate(store.of(label), 1)
        ]
        for label in wanted
    }


def _checked(label: str, place: str) -> str:
    """Return ``label`` in the form of labels. An error does not quote it, because a key of a file may be anything."""
    plain = plain_label(label)
    if not _LABEL.fullmatch(plain):
        raise ConfigurationError(f"{place}: a label must be a word such as ORG or COURT, of letters, digits and _.")
    return plain


def _phrases(name: str, entries: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    phrases: dict[str, str] = {}
    for position, text in entries:
        phrase = spaced(text)
        wrong = fault(phrase)
        if wrong not in (None, LETTERS):  # a plain number is a public phrase, but not an example
            raise ConfigurationError(
                f"{name}, {position}: {wrong}; a seed is a phrase of at most {MOST_WORDS} words and {LONGEST} "
                "characters, without addresses or long numbers."
            )
        phrases.setdefault(folded(phrase), phrase)
    if not phrases:
        raise ConfigurationError(f"{name} holds no phrase; write {_FORMS}.")
    return tuple(phrases.values())


@dataclass(eq=False)
class KnownPhrases:
    """The present content of the vocabulary, over all labels.

    ``seeds`` and ``grown`` are folded phrases, ``vectors`` the vectors of all phrases, and ``near`` the unit vectors
    of seeds by label.
    """

    seeds: set[str]
    grown: set[str] = field(default_factory=set)
    vectors: list[NDArray[np.float64]] = field(default_factory=list)
    near: dict[str, NDArray[np.float64]] = field(default_factory=dict)

    def place(self, seeds: Seeds, encoder: Encoder, near: bool) -> None:
        """Add the vectors of ``seeds``; with ``near`` also for :meth:`nearest`."""
        for label, phrases in seeds.phrases.items():
            vectors = np.asarray(embed(phrases, encoder))
            self.vectors.append(vectors)
            if near:
                self.near[label] = unit_rows(vectors)

    def nearest(self, label: str, vectors: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the cosine of each of ``vectors`` (n, d) to the nearest seed of ``label``, shape (n,)."""
        return np.asarray((unit_rows(vectors) @ self.near[label].T).max(axis=1))

    def copies(self, vectors: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which of ``vectors`` (n, d) repeat a phrase's vector, up to rounding, shape (n,)."""
        repeated = np.zeros(len(vectors), dtype=bool)
        for block in self.vectors:
            repeated |= same_vectors(vectors, block).any(axis=1)
        return repeated


def same_vectors(vectors: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which of ``vectors`` (n, d) and ``others`` (m, d) are equal, up to rounding, shape (n, m)."""
    sizes = np.square(vectors).sum(axis=1)[:, None]
    apart = sizes + np.square(others).sum(axis=1) - 2.0 * (vectors @ others.T)
    return np.asarray(apart <= _SAME**2 * np.maximum(1.0, sizes))
