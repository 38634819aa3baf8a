"""Records of the languages that are set: those whose words show another are counted, or refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sfumato.abstract.detector import SAME_MARKS, Around
from sfumato.detectors.languages import another, named
from sfumato.errors import InputError
from sfumato.language.recognising import shows_another
from sfumato.text.document import Document, records
from sfumato.text.marks import Finding, Marks, Spans
from sfumato.version import origin


@dataclass(frozen=True)
class SetLanguages(Around):
    """What ``detector`` finds in records of ``languages``, also if it looks at no language itself.

    A record that shows no language differs from none. One whose words show another than ``languages`` is counted
    among the cautions, unless this ``refuses`` such records.
    """

    languages: tuple[str, ...]
    refuses: bool = False

    @property
    def unprotected(self) -> str:
        """Return what is left unprotected."""
        left = self.detector.unprotected
        if not self.refuses:
            return left
        return (
            f"{left}; a record in another language than the policy's is refused, so the absence of a record "
            "discloses something about its language and about its words, also those that would be replaced"
        )

    @property
    def setting(self) -> str:
        """Return that of the detector, and which records are refused."""
        own = self.detector.setting
        return f"{origin(type(self))} {' '.join(self.languages)} of {own}" if self.refuses else own

    @property
    def adjacency(self) -> str:
        """Return which texts a guarantee can be about: what refuses records reads all of their words."""
        return SAME_MARKS if self.refuses else self.detector.adjacency

    @property
    def reads_content(self) -> bool:
        """Return whether the content of a text decides what is marked, or refused."""
        return self.refuses or self.detector.reads_content

    def cautions(self, documents: Sequence[Document]) -> Mapping[str, int]:
        """Return those of the detector, and the records that show another language, each once."""
        counts: Counter[str] = Counter()
        for record in records(documents):
            own = [documents[number] for number in record]
            counts.update({*self.detector.cautions(own), *([another(self.languages)] if self.differs(own) else [])})
        return dict(counts)

    def detect(self, documents: Sequence[Document]) -> list[Spans]:
        """Return the spans of each document. Raise InputError as :meth:`findings`."""
        self._check(documents)
        return self.detector.detect(documents)

    def mark(self, documents: Sequence[Document]) -> Marks:
        """Return the same by column. Raise InputError as :meth:`findings`."""
        self._check(documents)
        return self.detector.mark(documents)

    def findings(self, documents: Sequence[Document]) -> list[list[Finding]]:
        """Return the findings of the detector. Raise InputError for a record that is refused, without its text."""
        self._check(documents)
        return self.detector.findings(documents)

    def _check(self, documents: Sequence[Document]) -> None:
        for record in records(documents) if self.refuses else ():
            if self.differs([documents[number] for number in record]):
                raise InputError(
                    f"its words show another language than {named(self.languages)}, the policy's; name its language, "
                    "or auto, or set find.other_languages=label.",
                    record.start,
                )

    def differs(self, documents: Sequence[Document]) -> bool:
        """Return whether the words of a record's ``documents`` show a language that is not set."""
        return shows_another((document.text for document in documents), self.languages)
