"""What may be given to :func:`sfumato.build` for a method: the options of its engine, of its parts, and its own.

Nothing about one method stands here. A class says what it ``needs``; each need and each family brings a group of
options, a frozen dataclass; the method's own options are its fields.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar

from sfumato import registry
from sfumato.abstract.heuristic import TextHeuristic
from sfumato.abstract.method import Method
from sfumato.building import detectors
from sfumato.building.option_groups import CHAT, ENGINES, NEEDS, DetectionOptions
from sfumato.errors import ConfigurationError, OptionError
from sfumato.options.option import Described, check_names, chosen, options_of, parts_of
from sfumato.registry import CONTEXTUAL, HEURISTICS

G = TypeVar("G")


@dataclass(frozen=True)
class Offer:
    """The options that the method ``name`` takes where the detectors ``detect`` find its spans."""

    name: str
    detect: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.detect == () and not issubclass(self.method, TextHeuristic):
            raise ConfigurationError(detectors.NEEDS_ONE)

    @classmethod
    def of(cls, name: str, options: Mapping[str, Any]) -> Self:
        """Return what the method ``name`` takes where ``options`` may name the detectors."""
        detect = options.get("detect")
        if isinstance(detect, Sequence) and detect != "":  # anything else is refused as an option is
            return cls(name, detectors.detector_names(detect))
        return cls(name)

    @property
    def method(self) -> type[Method]:
        """Return the class of the method."""
        return registry.method_class(self.name)

    @property
    def detectors(self) -> tuple[str, ...]:
        """Return the names of the detectors."""
        return (self.method.default_detector,) if self.detect is None else self.detect

    @property
    def asks(self) -> bool:
        """Return whether method or detector asks a language model."""
        return CHAT in self.needs

    @property
    def who_asks(self) -> str:
        """Return who asks a language model, for a sentence: the method, or its detectors."""
        return self.name if CHAT in self.method.needs else f"--detect {' '.join(self.detectors)}"

    @property
    def needs(self) -> tuple[str, ...]:
        """Return what has to be built: for the method, and a language model where a detector asks one."""
        own = tuple(self.method.needs)
        asking = any(CHAT in registry.detector_class(name).needs for name in self.detectors)
        return (*own, CHAT) if asking and CHAT not in own else own

    @property
    def groups(self) -> tuple[type[Any], ...]:
        """Return the groups of options beside the method's own, each once."""
        brought = (NEEDS[need] for need in self.needs)
        return tuple(dict.fromkeys((*brought, *ENGINES[registry.family(self.name)])))

    @property
    def options(self) -> tuple[Described, ...]:
        """Return the options of the method itself, of its parts and of its engine; without those of a detector."""
        return (*options_of(self.method), *(option for group in self.groups for option in options_of(group)))

    @property
    def everything(self) -> tuple[Described, ...]:
        """Return the same and how spans are found."""
        return (*self.options, *options_of(DetectionOptions))

    @property
    def file_options(self) -> frozenset[str]:
        """Return the options that may name files."""
        return frozenset(option.name for option in self.everything if option.option.file)

    @property
    def detector_file_options(self) -> frozenset[str]:
        """Return the options of the detectors that may name files."""
        every = (option for name in self.detectors for option in options_of(registry.detector_class(name)))
        return frozenset(option.name for option in every if option.option.file)

    def files(self, options: Mapping[str, Any]) -> list[Path]:
        """Return the files and folders that ``options`` name: vocabularies, phrases, models. All are public."""
        detecting = options.get("detect_options")
        named = [value for key, value in options.items() if key in self.file_options]
        if isinstance(detecting, Mapping):
            named += [value for key, value in detecting.items() if key in self.detector_file_options]
        paths = [Path(name) for value in named for name in _names(value) if Path(name).exists()]
        beside = [path.with_suffix(".txt") for path in paths if path.suffix.lower() in (".npy", ".safetensors")]
        return [*paths, *(path for path in beside if path.exists())]

    def check_asking(self) -> None:
        """Refuse a detector that asks a language model with a method that has a guarantee."""
        if self.asks and registry.family(self.name) != HEURISTICS:
            raise ConfigurationError(
                f"--detect {' '.join(self.detectors)} asks a language model and works with methods without a "
                "guarantee, such as redaction."
            )

    def check(self, names: Collection[str]) -> None:
        """Raise ConfigurationError for an option that the method has no field for, whatever its value is."""
        check_names(self.name, names, self.everything, owners, self.options)

    def taken(self, given: Mapping[str, Any]) -> Taken:
        """Return ``given`` by group. Raises ConfigurationError for an option that the method has no field for."""
        self.check_asking()
        values = chosen(self.name, given, self.everything, owners, self.options)
        kinds: tuple[type[Any], ...] = (DetectionOptions, *self.groups)
        groups = {kind: kind(**_of(kind, values)) for kind in kinds}
        return Taken(self, groups, _of(self.method, values))


@dataclass(frozen=True)
class Taken:
    """The options that were given for a method, by group; ``own`` are those of the method itself."""

    offer: Offer
    groups: Mapping[type[Any], Any]
    own: Mapping[str, Any]

    def of(self, group: type[G]) -> G:
        """Return the options of ``group``."""
        group_options: G = self.groups[group]
        return group_options


def take(name: str, given: Mapping[str, Any], *families: str) -> Taken:
    """Return the options ``given`` for the method ``name`` of some ``families`` (none: any), by group.

    Raises ConfigurationError for a name that does not exist, or an option that the method does not have.
    """
    registry.method_class(name, *families)
    return Offer.of(name, given).taken(given)


def owners(name: str) -> dict[str, Described]:
    """Return the methods of this package that take an option called ``name``, with what they say of it."""
    every = ((method, option) for method in registry.METHODS for option in Offer(method).options)
    return {method: option for method, option in every if option.name == name}


def check_budget(method: str, epsilon: float | None, of_document: Any = None) -> None:
    """Refuse a method with a guarantee that gets neither an ``epsilon`` nor a budget for each document.

    A method without a guarantee has nothing to state an epsilon of. Raise ConfigurationError, for a name that does
    not exist as well.
    """
    family = registry.family(method)
    if family != HEURISTICS and epsilon is None and of_document is None:
        raise no_budget(20 if family == CONTEXTUAL else 8)
    if family == HEURISTICS and epsilon is not None:
        raise OptionError(
            f"{method} has no formal guarantee, so it has no epsilon; leave out {{epsilon}}, and measure the release "
            "with `sfumato evaluate`."
        )


def no_budget(example: float, otherwise: str = "") -> OptionError:
    """Return the error where no budget was given; ``otherwise`` is what a run without one takes."""
    return OptionError(
        f"Give {{epsilon}}: you decide how much privacy loss is allowed, for example {example:g}{otherwise}."
    )


def check_unbuilt(epsilon: float | None, options: Collection[str]) -> None:
    """Refuse an epsilon or options for a sanitizer or a mechanism, which has its own."""
    if epsilon is not None or options:
        named = ", ".join([*(["epsilon"] if epsilon is not None else []), *sorted(options)])
        raise ConfigurationError(
            f"What is built already, or a policy, has its epsilons and options; leave out {named}."
        )


def _names(value: Any) -> Iterator[str | Path]:
    """Yield what may be the name of a file: one, several, or one for each label."""
    if isinstance(value, str | Path):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from _names(each)


def _of(kind: type[Any], values: Mapping[str, Any]) -> dict[str, Any]:
    names = {option.name for option in options_of(kind)} - parts_of(kind)
    return {name: value for name, value in values.items() if name in names}
