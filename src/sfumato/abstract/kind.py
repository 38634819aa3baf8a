"""Kinds of value: dates, ages, places, names and the rest, each with a reader, public domains and a writer.

A span that a detector marks holds a value in a written form: "11 January 2019" and "11/01/2019" hold one value in two
forms. A mechanism draws another value of the same domain, and the kind writes it in the form of the span. The form
decides the domain through its ``grain``: a date without a day becomes a month, never a day.

Adjacency. A draw hides the value alone: two texts are compared in which the same places are marked, as the same kind,
in the same written form. The form is visible in the release, unless every value is written in the kind's public form.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from sfumato.abstract.vocabulary import Vocabulary
from sfumato.errors import ConfigurationError


@dataclass(frozen=True)
class Form:
    """How a value is written: the domain that it belongs to, and everything else about its looks.

    Attributes:
        grain: The name of the domain, for example "day" or "month".
        style: What the writer of the kind needs beside the value. It is hashable and holds nothing of the value.
    """

    grain: str
    style: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reading:
    """What a text says: a ``value``, which is a token of the domain of ``form.grain``, and its written ``form``.

    The value of a kind that is open (:attr:`Kind.is_open`) may be missing from the domain.
    """

    value: str
    form: Form


class Kind(ABC):
    """A kind of value.

    Attributes:
        name: The name of the kind in policies and statements, for example "DATE".
        unit: What a distance of 1 means in its domains, singular: "day", "km", "year", "e-fold". It is empty where
            the distance is between sentence embeddings, or where there is none.
        is_open: Whether values beyond the domain can be read (names, words): they become the nearest token, or a
            public surrogate.
        looks: Whether :meth:`read` looks at the value. A kind that does not gives every text one public reading.
        undated: The grains of a kind of dates whose values do not move with other dates: a day later, today is again
            "today".
        reads_around: Whether :meth:`placed` looks at the text beside a value.
        cuts: What sets the domains apart, for a sentence, if there are too many to name each; empty otherwise.
    """

    name: ClassVar[str]
    unit: ClassVar[str] = ""
    is_open: ClassVar[bool] = False
    looks: ClassVar[bool] = True
    undated: ClassVar[frozenset[str]] = frozenset()
    reads_around: ClassVar[bool] = False
    cuts: ClassVar[str] = ""

    @property
    def is_measured(self) -> bool:
        """Return whether the distances of the domains mean something."""
        return True

    @property
    @abstractmethod
    def grains(self) -> Sequence[str]:
        """Return the names of the domains, the finest first."""

    @abstractmethod
    def vocabulary(self, grain: str) -> Vocabulary:
        """Return the public domain of ``grain``: its tokens are values, and its vectors give their distances.

        A distance of 1 between two vectors is one :attr:`unit`. The first call may take seconds; it is kept.
        """

    @abstractmethod
    def read(self, text: str) -> Reading | None:
        """Return what ``text`` says, or None where it is not readable as this kind.

        Total and public: it raises for no text, takes time linear in its length, and depends on nothing else.
        """

    def all_read(self, values: Sequence[str]) -> list[Reading]:
        """Return what ``values`` say. Raise ConfigurationError unless all can be read, and are of one domain.

        The error holds no value.
        """
        readings = [self.read(value) for value in values]
        said = [reading for reading in readings if reading is not None]
        if len(said) < len(readings):
            missing = readings.index(None) + 1
            raise ConfigurationError(f"Value {missing} of --tokens cannot be read as {self.name}.")
        if len({reading.form.grain for reading in said}) > 1:
            raise ConfigurationError(
                "The values are of several domains, and a release shows which; give values that are written alike."
            )
        return said

    def placed(self, reading: Reading, before: str, after: str) -> Reading:
        """Return ``reading`` in the domain that the text between marks ``before`` and ``after`` it says.

        That text is in the release, and equal in all texts that a guarantee compares.
        """
        return reading

    @property
    def visible(self) -> Sequence[str]:
        """Return what anyone can see of its values whatever draws them, beside their form."""
        return ()

    def without_distances(self) -> Kind:
        """Return the kind for a law that looks at no distance, which needs no embeddings."""
        return self

    @abstractmethod
    def write(self, value: str, form: Form) -> str:
        """Return ``value``, a token of the domain of ``form.grain``, as it is written in ``form``.

        It is the inverse of :meth:`read`: reading the result gives ``value`` and ``form`` again.
        """

    def representatives(self, readings: Sequence[Reading]) -> list[Reading]:
        """Return, for each of the ``readings`` of one record, what is drawn for, and the form that is written.

        By default that is the reading itself. "Mr Mabey" and "Dean Mabey" are one person, who is drawn once.
        """
        return list(readings)

    @property
    @abstractmethod
    def surrogate(self) -> Reading:
        """Return the public value and form that a text of this kind becomes where it is not readable."""

    @abstractmethod
    def public_form(self, grain: str) -> Form:
        """Return the one form that values of ``grain`` are written in where forms are not kept."""
