"""Takes marked texts out of what somebody made of their document."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.errors import InputError
from sfumato.text.marks import Span
from sfumato.text.occurrences import Occurrences, name_of

NOTHING = ("[REMOVED]", "[...]", "")
"""What is put in where a label does not help."""

STAYS = "a marked text cannot be removed from it; mark more of the text around it."


class Traces:
    """The ``marked`` texts of a record, with a label each, to be found in what was made of it."""

    def __init__(self, marked: Mapping[str, str]) -> None:
        self._labels: dict[str, str] = {}
        for text, label in marked.items():
            self._labels.setdefault(name_of(text), label)
        self._known = Occurrences(marked, loose=True)

    def find(self, text: str) -> list[Span]:
        """Where a marked text stands in ``text``, however it is spelled: sorted, disjoint."""
        found: list[Span] = []
        for start, end, name in sorted(self._known.find(text), key=lambda one: (one[0], -one[1])):
            if found and start < found[-1].end:
                found[-1] = found[-1]._replace(end=max(end, found[-1].end))
            else:
                found.append(Span(start, end, self._labels[name]))
        return found

    def cleaned(self, text: str) -> tuple[str, int]:
        """``text`` with a label in brackets for each marked text, and how many were there.

        What comes of it is looked at again, until no marked text stands in it. Raises InputError where that cannot
        be.
        """
        count = 0
        for other in (None, *NOTHING):
            spans = self.find(text)
            count += len(spans) if other is None else 0
            for span in reversed(spans):
                instead = f"[{span.label}]" if other is None else other
                text = text[: span.start] + instead + text[span.end :]
        if self.find(text):
            raise InputError(STAYS)
        return text, count
