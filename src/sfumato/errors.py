"""The error tree. Every message is one sentence naming the place and the way out; none holds private text.

::

    SfumatoError
    ├── ConfigurationError     a parameter that cannot work (epsilon, name, combination)
    │   └── OptionError        one whose sentence names options, which a command spells as flags
    ├── VocabularyError        a vocabulary that cannot be read or used
    ├── InputError             a record or a file that cannot be read; says file and place
    ├── OutputError            an output that cannot be written
    ├── GuaranteeError         the claim asked for cannot be proved or certified: nothing is released
    ├── LedgerError            a ledger that cannot be reached, read or believed: nothing goes out
    ├── BudgetError            charges above a cap: nothing is reserved and nothing is drawn
    └── MissingExtraError      an optional package or model is not installed; says the command to type
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any


class SfumatoError(Exception):
    """Root of every error that sfumato raises on purpose."""


class ConfigurationError(SfumatoError, ValueError):
    """A parameter, name or combination of options that cannot work."""


_OPTION = re.compile(r"\{(\w+)\}")


class OptionError(ConfigurationError):
    """A refusal of options. ``sentence`` has them in braces, such as ``{map_key}``, by their names in Python.

    The message says the names as they are. A command has flags for them, and says those.
    """

    def __init__(self, sentence: str) -> None:
        super().__init__(_OPTION.sub(r"\1", sentence))
        self.sentence = sentence

    def spelled(self, flag: Callable[[str], str]) -> str:
        """Return the message with the ``flag`` of each option that it names."""
        return _OPTION.sub(lambda name: flag(name[1]), self.sentence)


class VocabularyError(SfumatoError, ValueError):
    """A vocabulary that cannot be read, or cannot carry the mechanism asked for."""


class InputError(SfumatoError, ValueError):
    """A record or file that cannot be read. The message names the file and the place, never content or an id.

    ``document`` is the index of the document that ``reason`` is about in the ``group`` that was handed over (a batch
    or a stream), or None. A caller that knows the file turns it into a place there; str() counts documents from 1.
    """

    reason: str = ""
    document: int | None = None
    group: str = "batch"

    def __init__(self, reason: str, document: int | None = None, group: str = "batch") -> None:
        super().__init__(reason)
        self.reason = reason
        self.document = document
        self.group = group

    def __str__(self) -> str:
        if self.document is None:
            return self.reason
        return f"Document {self.document + 1} of the {self.group}: {self.reason}"


class OutputError(SfumatoError, OSError):
    """An output that cannot be written or finished."""


class OtherRunError(OutputError):
    """The output holds the parts of another run, which this one cannot resume."""


class RefusedReleaseError(OutputError):
    """Files that were written, and still hold what was marked in them. Their draws were made; nothing is released.

    What the run had kept beside the output is gone, for a resumed run would come to the same files.
    """


class GuaranteeError(SfumatoError, ValueError):
    """A privacy claim that cannot be proved or certified. Nothing is released."""


class LedgerError(SfumatoError):
    """A ledger that cannot be reached, read or believed. Nothing goes out."""


class BudgetError(SfumatoError):
    """Charges that exceed a cap. Nothing was reserved, and nothing was drawn.

    ``refused`` lists the accounts that cannot pay. It is private: the message holds none of it.
    """

    def __init__(self, message: str, refused: Sequence[Any] = ()) -> None:
        super().__init__(message)
        self.refused = tuple(refused)


class MissingExtraError(SfumatoError, ImportError):
    """An optional package or model is missing. The message holds the command that brings it."""
