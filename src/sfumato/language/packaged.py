"""A language whose parts are modules of the package of its code, each loaded when it is first asked for."""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from typing import Any, ClassVar

from sfumato.language.dates import Dates, DatesInText
from sfumato.language.language import Language
from sfumato.language.people import Cues


class Packaged(Language):
    """Has the modules ``dates`` and ``dates_in_text`` in its package, and those that ``further`` names.

    A module ``cues`` holds CUES. A module ``agreement`` has a function ``agreeing``, which takes the language too.
    """

    further: ClassVar[frozenset[str]] = frozenset()

    def _part(self, module: str, name: str) -> Any:
        return getattr(import_module(f"sfumato.language.{self.code}.{module}"), name)

    @cached_property
    def dates(self) -> Dates:
        """Return how dates are written."""
        dates: Dates = self._part("dates", "DATES")
        return dates

    @cached_property
    def dates_in_text(self) -> DatesInText:
        """Return how dates are recognised inside a text."""
        forms: DatesInText = self._part("dates_in_text", "DATES_IN_TEXT")
        return forms

    @cached_property
    def cues(self) -> Cues:
        """Return what the text before a value says of it."""
        return self._part("cues", "CUES") if "cues" in self.further else Cues()

    def agreeing(self, before: str, output: str) -> str | None:
        """Return what ``before``, the text before an ``output``, becomes so that it agrees; None if it stays."""
        if "agreement" not in self.further:
            return None
        mended: str | None = self._part("agreement", "agreeing")(before, output, self)
        return mended
