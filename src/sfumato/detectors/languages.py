"""In which language each text is read, and what to be careful about where the network is weak in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sfumato.detectors.scripts import SCRIPTS
from sfumato.errors import ConfigurationError, InputError
from sfumato.language.recognising import READ, RECOGNISED, UNTRAINED, recognised, shows_another
from sfumato.text.document import Document, records

AUTO, REFUSE = "auto", "refuse"
WEAK, FEW = 0.9, 100
"""The recall below which a language is called weak, and the words below which its recall is not known."""
NAMES = {
    "da": "Danish", "de": "German", "en": "English", "es": "Spanish", "fi": "Finnish", "fr": "French",
    "it": "Italian", "nl": "Dutch", "no": "Norwegian", "pt": "Portuguese", "ro": "Romanian", "sv": "Swedish",
    "tr": "Turkish",
}  # fmt: skip
UNKNOWN = (
    "in a language that the detector has not learned, or too short to show one, and marks are guesses there; read "
    "what was marked, or refuse such records (detect.unknown_language=refuse)"
)


@dataclass(frozen=True)
class Languages:
    """Reads all texts in ``language``, or each record in its own (``auto``). ``unknown`` is warn or refuse."""

    language: str
    unknown: str

    def of(self, documents: Sequence[Document]) -> list[str]:
        """Return the code of each document's language; "" where it is not known.

        If such records are refused, raise InputError for a record whose language the network has not learned, and for
        one whose words show another language than the one that is set.
        """
        codes: list[str] = []
        for record in records(documents):
            own = [documents[number] for number in record]
            code = self._of_record(own)
            if self.unknown == REFUSE and (differing := self._differing(own)) and _has_letters(documents, record):
                raise InputError(f"it is {differing}; nothing was detected (unknown_language).", record.start)
            if self.unknown == REFUSE and code not in READ and _has_letters(documents, record):
                raise InputError(
                    "it shows no language that the detector has learned; nothing was detected (unknown_language).",
                    record.start,
                )
            codes += [code] * len(record)
        return codes

    def _of_record(self, documents: Sequence[Document]) -> str:
        if self.language != AUTO:
            return self.language
        code = recognised(document.text for document in documents)
        return code if code in READ else ""  # by another code its script would count as read, and stay unmarked

    def cautions(self, documents: Sequence[Document], figures: Mapping[str, Mapping[str, float]]) -> dict[str, int]:
        """Return a sentence for each language that is weak by the ``figures`` of the network, or that is unknown.

        Where the words of a record show another language than the one that it is read in, that is its sentence.
        Records without a letter count nowhere.
        """
        counts: Counter[str] = Counter()
        for record in records(documents):
            if _has_letters(documents, record):
                own = [documents[number] for number in record]
                code = self._of_record(own)
                if sentence := self._differing(own) or caution(code, figures):
                    counts[sentence] += 1
        return dict(counts)

    def _differing(self, documents: Sequence[Document]) -> str | None:
        """Return what to be careful about in a record whose words show another language than the one that is set."""
        if self.language == AUTO or not shows_another((document.text for document in documents), {self.language}):
            return None
        return another([self.language])


def another(codes: Sequence[str]) -> str:
    """Return what to be careful about in records that show another language than those of ``codes``, that are set.

    A record in none of several languages has no treatment in its own.
    """
    if len(codes) > 1:
        return f"in a language that is not set ({named(codes)} are), so that each mark became its label"
    return (
        f"in another language than {named(codes)}, in which all are read; read each in the language that it shows "
        "(detect.language=auto)"
    )


def named(codes: Sequence[str]) -> str:
    """Return the names of the languages of ``codes``."""
    return ", ".join(NAMES.get(code, code) for code in codes)


def check_language(code: str) -> None:
    """Raise ConfigurationError unless ``code`` is ``auto`` or that of a language."""
    if code != AUTO and code not in RECOGNISED and code not in SCRIPTS:
        raise ConfigurationError(
            f"The language {code!r} is not known; write auto, the code of a language that the detector has learned "
            f"({', '.join(READ)}), or that of another one, whose records are warned of."
        )


def caution(code: str, figures: Mapping[str, Mapping[str, float]]) -> str | None:
    """Return what to be careful about in texts of a language, after "records are"; None if there is nothing."""
    if code in UNTRAINED:
        return (
            f"in {NAMES[code]}, which the network reads without having learned it, because no labelled text of it "
            "exists; read a sample of them"
        )
    own = figures.get(code)
    if own is None or code not in READ:
        return UNKNOWN
    if own["words"] < FEW:
        return f"in {NAMES[code]}, of which too little held-out text is labelled to know how much is missed"
    if own["recall"] < WEAK:
        return (
            f"in {NAMES[code]}, where the network found {own['recall']:.0%} of the labelled words of held-out text "
            f"({figures['en']['recall']:.0%} in English); read a sample of them"
        )
    return None


def _has_letters(documents: Sequence[Document], record: range) -> bool:
    return any(character.isalpha() for number in record for character in documents[number].text)
