"""Every kind of value by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

from sfumato.abstract.kind import Kind
from sfumato.errors import ConfigurationError
from sfumato.kinds.codes import Code, Email, Ip, Phone, Url
from sfumato.kinds.dates.age import Age
from sfumato.kinds.dates.date import Date
from sfumato.kinds.dates.duration import Duration
from sfumato.kinds.dates.time import Time
from sfumato.kinds.numbers.money import Money
from sfumato.kinds.numbers.number import Number
from sfumato.kinds.numbers.quantity import Quantity
from sfumato.kinds.people.person import Person
from sfumato.kinds.phrases.embedded import Embedded
from sfumato.kinds.phrases.group import Group
from sfumato.kinds.phrases.health import Health
from sfumato.kinds.phrases.occupation import Occupation
from sfumato.kinds.phrases.organization import Organization
from sfumato.kinds.phrases.word import Word
from sfumato.kinds.places.place import Place
from sfumato.language.languages import ENGLISH
from sfumato.options.option import chosen, options_of
from sfumato.types import FloatArray

_CLASSES: tuple[type[Kind], ...] = (
    *(Date, Time, Duration, Age, Place, Money, Quantity, Number),
    *(Person, Organization, Occupation, Group, Health, Word),
    *(Code, Phone, Email, Url, Ip),
)
KINDS: Mapping[str, type[Kind]] = {kind.name: kind for kind in _CLASSES}
"""The classes by the names that policies use."""

Embed = Callable[[Sequence[str]], FloatArray]


def kinds_of(
    embed: Embed | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
    language: str = ENGLISH.code,
) -> dict[str, Kind]:
    """Return the kinds of a ``language`` by name; ``embed`` gives the vectors of names, occupations and words.

    ``options`` holds the options of kinds by name ({"DATE": {"day_first": False}}). Raise ConfigurationError for a
    kind or an option that does not exist.
    """
    given = options or {}
    if unknown := given.keys() - KINDS.keys():
        raise ConfigurationError(f"There is no kind {min(unknown)!r}; the kinds are {', '.join(KINDS)}.")
    made: dict[str, Kind] = {}
    for name, kind in KINDS.items():
        own = chosen(f"the kind {name}", given.get(name, {}), options_of(kind))
        own |= {"language": language} if "language" in {each.name for each in fields(kind)} else {}  # type: ignore[arg-type]
        made[name] = kind(embed=embed, **own) if issubclass(kind, Embedded) else kind(**own)
    return made
