"""Seed phrases, which must be public: they go to a chat model, and the vocabulary grown from them is shown to all.

Whether a file is public only its owner can say, so a file is refused until that is said; and what is plainly no list
of public phrases is refused all the same: a file of records, a private file or a copy of it, long lines, addresses.
No message shows a seed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.errors import ConfigurationError, VocabularyError
from sfumato.vocabularies.builtin import FAMILIES, family_phrases
from sfumato.vocabularies.growing.cleaning import LETTERS, LONGEST, MOST_WORDS, fault, folded, spaced
from sfumato.vocabularies.load import source_file
from sfumato.vocabularies.phrase_store import PhraseStore
from sfumato.vocabularies.private import refuse_private
from sfumato.vocabularies.vector_files import text_lines

_LABEL = re.compile(r"[A-Z][A-Z0-9_]{0,39}")
_LISTS = (".txt", ".json")
_FORMS = "public phrases, one a line in a .txt file, or a .json object of labels with a list of phrases each"


@dataclass(frozen=True)
class Seeds:
    """Public phrases by label, none twice; ``origin`` says for the provenance where they come from.

    ``pools`` are those that may be shown to a model as examples: all but plain numbers.
    """

    phrases: dict[str, tuple[str, ...]]
    origin: dict[str, Any]
    path: Path | None = None

    @property
    def pools(self) -> dict[str, tuple[str, ...]]:
        """What may be an example, by label. Raises ConfigurationError for a label with none."""
        found = {
            label: tuple(one for one in phrases if fault(one) is None) for label, phrases in self.phrases.items()
        }
        for label, pool in found.items():
            if not pool:
                raise ConfigurationError(f"No seed of {label} can be an example: none of them holds a letter.")
        return found


def builtin_seeds(labels: Sequence[str]) -> Seeds:
    """The built-in phrases of the families ``labels``. Raises ConfigurationError for anything else."""
    names = list(dict.fromkeys(label.strip().upper() for label in labels))
    if not names or not set(names) <= set(FAMILIES):
        raise ConfigurationError(f"Built-in seeds have a --label, one of {', '.join(FAMILIES)} (repeatable).")
    packages = sorted({package for name in names for package in FAMILIES[name].packages})
    return Seeds({name: family_phrases(name) for name in names}, {"built_in": names, "packages": packages})


def read_seeds(
    path: Path, labels: Sequence[str] = (), *, stated_public: bool = False, private: Collection[Path] = ()
) -> Seeds:
    """The seeds in ``path``: a .txt file, all for the one label of ``labels``, or a .json file, of which ``labels``
    picks some (all without any).

    ``stated_public``: the user says that the file is public. ``private`` are files and folders that are not. Raises
    ConfigurationError or VocabularyError, which name the file and the place, never a phrase.
    """  # fmt: skip
    kind = _kind(path)
    _refuse(path, stated_public, private)
    if kind == ".json":
        listed = _stored(path, labels)
    else:
        if len(labels) != 1:
            raise ConfigurationError(f"{path.name} has no labels; say with one --label what its phrases are.")
        listed = {_checked(labels[0], "--label"): [(f"line {at}", line) for at, line in text_lines(path)]}
    found = {label: _phrases(path.name, given) for label, given in listed.items()}
    source = source_file(path)
    origin = {"file": path.name, "sha256": source.sha256, "stated_public": True}
    return Seeds(found, origin, path)


def _kind(path: Path) -> str:
    """The suffix of ``path``, once it is known to be one that phrases come in."""
    if not path.exists():
        raise ConfigurationError(f"The seeds {path.name} do not exist; name a file, or builtin with a --label.")
    if not path.is_file() or path.suffix.lower() not in _LISTS:
        raise ConfigurationError(f"{path.name} is no list of seeds, and records never are one: write {_FORMS}.")
    return path.suffix.lower()


def _refuse(path: Path, stated_public: bool, private: Collection[Path]) -> None:
    """Refuse what is private, whatever was said, and what nobody said is public."""
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
            f"The phrases of {path.name} would be sent to the model and stand in a vocabulary that anybody may see; "
            "if they are public, and none was taken from private records, say so with --seeds-are-public."
        )


def _stored(path: Path, labels: Sequence[str]) -> dict[str, list[tuple[str, str]]]:
    """Places and phrases of the labels of a JSON store."""
    store = PhraseStore(path)
    try:
        held = store.labels
    except RecursionError:
        raise ConfigurationError(f"{path.name} is no store of phrases: it is nested without end.") from None
    for at, label in enumerate(held, 1):
        _checked(label, f"{path.name}, list {at}")
    wanted = [_checked(label, "--label") for label in labels] or list(held)
    for label in wanted:
        if label not in held:
            raise ConfigurationError(f"{path.name} has no list of the label {label}.")
    return {
        label: [
            (f"list {held.index(label) + 1}, phrase {at} (repeats not counted)", one)
            for at, one in enumerate(store.of(label), 1)
        ]
        for label in wanted
    }


def _checked(label: str, place: str) -> str:
    """``label`` as labels are written. What it says is not told: a key of a file may be anything."""
    plain = label.strip().upper().replace("-", "_").replace(" ", "_")
    if not _LABEL.fullmatch(plain):
        raise ConfigurationError(f"{place}: a label is a word such as ORG or COURT, of letters, digits and _.")
    return plain


def _phrases(name: str, given: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    found: dict[str, str] = {}
    for place, text in given:
        phrase = spaced(text)
        wrong = fault(phrase)
        if wrong not in (None, LETTERS):  # a plain number is a public phrase, if no example
            raise ConfigurationError(
                f"{name}, {place}: {wrong}; a seed is a phrase of at most {MOST_WORDS} words and {LONGEST} "
                "characters, without addresses or long numbers."
            )
        found.setdefault(folded(phrase), phrase)
    if not found:
        raise ConfigurationError(f"{name} holds no phrase; write {_FORMS}.")
    return tuple(found.values())
