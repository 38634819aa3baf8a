"""What every method says to code that builds one by name: its parts, its defaults, how a dry run answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from sfumato.abstract.chat import Question
from sfumato.text.marks import MarkedRecord


class Answering:
    """Something that may ask a language model, and can answer its own questions without one."""

    needs: ClassVar[tuple[str, ...]] = ()
    """What has to be built for it, by the names of :mod:`sfumato.building.option_groups`."""
    default_model: ClassVar[str | None] = None
    """The model that comes as a package and that it works with where none is named; None: one must be named."""
    model_advice: ClassVar[str] = "it works with none of the models that come as packages"
    """Where a model for it comes from, if none comes as a package: the end of a sentence."""

    @staticmethod
    def dry_run_answer(question: Question) -> str | None:  # noqa: ARG004 (most ask nothing)
        """Return a readable answer to a question of its own, without a model; None to any other question."""
        return None


class Method(Answering):
    """A mechanism, a contextual mechanism or a heuristic. Its options are the fields of its dataclass."""

    name: ClassVar[str]
    visible: ClassVar[tuple[str, ...]] = ()
    """What this method lets everybody see beside what every release shows, for the statement."""
    default_detector: ClassVar[str] = "words"
    """What finds the spans to replace, where nothing else is said."""
    makes_map: ClassVar[bool] = False
    """Whether an encrypted map back to the original can be made of its releases."""
    prompts: ClassVar[tuple[str, ...]] = ()
    """Its prompts to a language model, without text of records, for ``--resume``."""

    @property
    def reads(self) -> tuple[str, ...]:
        """Return the fields of a record that it reads beside the text."""
        return ()

    @property
    def gives_pseudonyms(self) -> bool:
        """Return whether some replacements are pseudonyms, each for one thing, so that a map can resolve them."""
        return False

    def pseudonyms(self, records: Sequence[MarkedRecord]) -> list[dict[str, str]]:
        """Return the original behind each pseudonym of each document. PRIVATE: for a sealed map alone."""
        return [{} for record in records for _ in record.documents]

    @classmethod
    def asks_for_key(cls, options: Mapping[str, Any]) -> bool:  # noqa: ARG003 (most have no key)
        """Return whether a method with these ``options`` needs a secret key, which is looked for then."""
        return False
