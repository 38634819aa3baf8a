"""A list of words, phrases and regular expressions, read from a text file.

One entry a line. ``/.../`` is a regular expression, used as it is written (``/.../i`` ignores case); any
other line is a word or phrase, found as ``phrases.py`` says: whole words, in any case.
``LABEL<TAB>phrase`` gives a phrase its own label. Blank lines are skipped; there are no comments, since a
line that looks like one could be an entry. The list itself may be private: no message quotes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import regex

from sfumato.abstract.detector import Detector
from sfumato.detectors.merging import merged
from sfumato.detectors.phrases import Phrases, has_word
from sfumato.errors import ConfigurationError, InputError
from sfumato.options.option import Option, Part
from sfumato.storage import regular
from sfumato.text.document import Document
from sfumato.text.marks import Span, Spans

LISTED = "LISTED"
_LABEL = regex.compile(r"[\p{L}\p{N}_.-]+")


@dataclass(frozen=True)
class Rule:
    """One entry: a phrase as it is written, or a pattern with its source. ``place`` is its file and line."""

    place: str
    label: str
    source: str = field(repr=False)
    pattern: Any = field(default=None, repr=False, compare=False)


@dataclass(frozen=True)
class Listed(Detector):
    """The words, phrases and patterns of a list. Matches that overlap become one span.

    ``timeout`` is the most seconds that one pattern may spend on one document; past it, detection raises InputError.
    """

    rules: Annotated[tuple[Rule, ...], Part("the entries of the list")] = field(repr=False)
    name: Annotated[str, Part("the file that they are in")] = "a list"
    timeout: Annotated[float, Option("most seconds that one pattern may spend on one text")] = 5.0
    _phrases: Phrases = field(init=False, repr=False, compare=False)
    _patterns: tuple[Rule, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.rules:
            raise ConfigurationError(f"{self.name} holds no entry, so it would protect nothing; add one a line.")
        if not self.timeout > 0:
            raise ConfigurationError("The timeout of a list must be a positive number of seconds.")
        phrases = Phrases((rule.source, rule.label) for rule in self.rules if rule.pattern is None)
        object.__setattr__(self, "_phrases", phrases)
        object.__setattr__(self, "_patterns", tuple(rule for rule in self.rules if rule.pattern is not None))

    @classmethod
    def from_file(cls, path: str | Path, label: str = LISTED, timeout: float = 5.0) -> Listed:
        """Read the list at ``path`` (UTF-8). ``label`` is for entries without their own.

        Raise :class:`~sfumato.errors.InputError` if the file cannot be read or an entry is wrong, without its
        content.
        """
        try:
            lines = regular(Path(path)).read_text(encoding="utf-8-sig").split("\n")
        except UnicodeDecodeError:
            raise InputError(f"{path} is not UTF-8; save the list in that encoding.") from None
        except OSError as error:
            raise InputError(f"{path} cannot be read ({error.strerror}).") from None
        return cls.from_lines(lines, str(path), label, timeout)

    @classmethod
    def from_lines(
        cls, lines: Iterable[str], name: str = "a list", label: str = LISTED, timeout: float = 5.0
    ) -> Listed:
        """Return the list with these lines; ``name`` appears in messages and in the privacy statement."""
        rules = (_parsed(line, f"{name}, line {number}", label) for number, line in enumerate(lines, 1))
        return cls(tuple(rule for rule in rules if rule is not None), name, timeout)

    @property
    def description(self) -> str:
        """Return what is protected."""
        return f"the words, phrases and patterns of {Path(self.name).name} ({len(self.rules)} entries)"

    @property
    def finder(self) -> str:
        """Return the name of the list, without its folder."""
        return f"list:{Path(self.name).name}"

    def may_name(self, label: str) -> bool:
        """Return whether ``label`` is that of entries without their own."""
        return label == LISTED

    @property
    def unprotected(self) -> str:
        """Return what is left unprotected."""
        return "everything that no entry of the list matches, misspelt and paraphrased entries among it"

    def detect(self, documents: Sequence[Document]) -> list[Spans]:
        """Return the matches in each document. Raise InputError if a pattern exceeds the time limit."""
        return [merged(self._found(document.text, number)) for number, document in enumerate(documents)]

    def _found(self, text: str, number: int) -> Iterator[Span]:
        yield from self._phrases.find(text)
        for rule in self._patterns:
            yield from self._matches(rule, text, number)

    def _matches(self, rule: Rule, text: str, number: int) -> Iterator[Span]:
        try:
            for match in rule.pattern.finditer(text, timeout=self.timeout):
                if match.start() == match.end():
                    raise ConfigurationError(
                        f"{rule.place}: the regular expression matched an empty piece of a text; let it match the "
                        "characters to protect."
                    )
                yield Span(match.start(), match.end(), rule.label)
        except TimeoutError:
            raise InputError(
                f"the regular expression at {rule.place} took more than {self.timeout:g} seconds; simplify it "
                "(nested repeats are slow) or raise the timeout.",
                number,
            ) from None


def _parsed(line: str, place: str, label: str) -> Rule | None:
    if not line.strip():
        return None
    line = line.strip(" \r\n")
    if "\t" in line and not line.startswith("/"):
        label, line = (part.strip() for part in line.split("\t", 1))
    if not _LABEL.fullmatch(label):
        raise InputError(
            f"{place}: before the tab there must be a label of letters, digits, '_', '.' or '-'; "
            "a phrase itself cannot hold one."
        )
    if line.startswith("/"):
        return Rule(place, label, line, _compiled(line, place))
    if not has_word(line):
        raise InputError(f"{place} holds no letter or digit; write it as a regular expression, /.../.")
    return Rule(place, label, line)


def _compiled(line: str, place: str) -> Any:
    body, slash, flags = line[1:].rpartition("/")
    if not slash or flags not in ("", "i"):
        raise InputError(f"{place} begins with / but does not end with / or /i; close the regular expression.")
    try:
        pattern = regex.compile(body, regex.IGNORECASE if flags else 0)
        empty = pattern.search("", timeout=1.0) is not None
    except regex.error as error:
        raise InputError(
            f"{place}: the regular expression does not compile ({error.msg} at character {error.pos})."
        ) from None
    except (TimeoutError, RecursionError, OverflowError, ValueError):
        raise InputError(f"{place}: the regular expression cannot be used; simplify it.") from None
    if empty:
        raise InputError(
            f"{place}: the regular expression matches the empty string, so it would match everywhere and "
            "protect nothing; replace * by + or leave out the optional part."
        )
    return pattern
