"""Detectors by name: one, or several as one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.abstract.detector import Detector
from sfumato.detectors.words import Nothing
from sfumato.errors import ConfigurationError, OptionError
from sfumato.options.option import OF_SPANS, chosen, options_of, parts_of
from sfumato.options.typed import typed
from sfumato.registry import DETECTORS, detector_class, owners

if TYPE_CHECKING:
    from sfumato.policy import Policy

Lists = str | Path | Sequence[str | Path]
"""One file or several, each a list of words, phrases and patterns."""
NONE = "none"
"""In place of a detector's name: nothing is looked for, for methods that rewrite whole texts."""
NEEDS_ONE = "Only methods that rewrite whole texts, such as paraphrase, work without a detector; name at least one."


def detector_names(name: str | Sequence[str]) -> tuple[str, ...]:
    """Return the names of one detector or several; none for :data:`NONE` and for an empty list.

    Raises ConfigurationError for a name that is given twice, and for what is no name.
    """
    names = (name,) if isinstance(name, str) else tuple(name) if isinstance(name, Sequence) else (None,)
    if not all(isinstance(one, str) for one in names) or len(set(names)) < len(names):
        raise ConfigurationError("Name at least one detector, and each once.")
    if NONE in names and len(names) > 1:
        raise ConfigurationError(f"{NONE} says that nothing is looked for; name it alone, or leave it out.")
    return () if names == (NONE,) else tuple(map(str, names))


@typed
def detector(
    name: str | Sequence[str],
    spans_field: str | None = None,
    skip_labels: Collection[str] = (),
    merge_spans: bool = False,
    options: Mapping[str, Any] | None = None,
    allow: Lists = (),
    deny: Lists = (),
    none: bool = False,
) -> Detector:
    """Return a detector by its name, or several as one.

    Args:
        name: One name or several, whose spans are united; `list:FILE` and `given:FILE` read a file.
        spans_field: The field with given spans, for `given`; `spans` if it is not named.
        skip_labels: Given spans with these labels are not protected.
        merge_spans: Given spans that overlap become one, instead of an error.
        options: Options of the detectors, by name.
        allow: Files of texts; a span that is exactly an entry stays, unless it is denied.
        deny: Files of texts whose entries are always marked.
        none: Whether nothing may be looked for: a method without a guarantee rewrites the whole text.

    Raises:
        ConfigurationError: A name or an option does not exist, or the options cannot work together.
    """
    names = detector_names(name)
    if not names and not none:
        raise ConfigurationError(NEEDS_ONE)
    kinds = [detector_class(one) for one in names]
    own = {"field": spans_field, "skip_labels": skip_labels or None, "merge": merge_spans or None}
    if twice := own.keys() & (options or {}).keys():
        raise ConfigurationError(f"The option {min(twice)} of a detector is given by {OF_SPANS[min(twice)]}.")
    given = {**(options or {}), **own}
    known = {option.name: option for kind in kinds for option in options_of(kind)}
    parts = {part: given.pop(part) for kind in kinds for part in parts_of(kind) & given.keys()}
    for option in [option for option, value in own.items() if value is not None and option not in known]:
        raise OptionError(f"{{detect}} {' '.join(names)} reads no given spans; leave out {{{OF_SPANS[option]}}}.")
    who, others = f"--detect {' '.join(names)}", partial(owners, table=DETECTORS)
    values = {**chosen(who, given, list(known.values()), others), **parts}
    detectors = [_detector(one, kind, values) for one, kind in zip(names, kinds, strict=True)] or [Nothing()]
    if len(detectors) == 1 and not allow and not deny:
        return detectors[0]
    from sfumato.detectors.allowing import Allowed
    from sfumato.detectors.rules import Listed
    from sfumato.detectors.uniting import Combined

    allowed = tuple(map(Allowed.from_file, _paths(allow)))
    return Combined(tuple(detectors), allowed, tuple(map(Listed.from_file, _paths(deny))))


def finder_of(policy: Policy) -> Detector:
    """Return the detector of ``policy``, which counts or refuses records that show another language than is set."""
    from sfumato.detectors.set_languages import SetLanguages
    from sfumato.policy.sections import REFUSE

    made, find = detector(**policy.find.arguments(policy.folder)), policy.find
    return SetLanguages(made, find.languages, find.other_languages == REFUSE)


def _detector(name: str, kind: Any, values: Mapping[str, Any]) -> Detector:
    file = name.partition(":")[2]
    own = {option: value for option, value in values.items() if option in _taken(kind)}
    made: Detector = kind.from_file(file, **own) if file else kind(**own)
    return made


def _taken(kind: type[Any]) -> set[str]:
    return {option.name for option in options_of(kind)} | parts_of(kind)


def read_spans(names: Iterable[str]) -> bool:
    """Return whether one of the detectors called ``names`` reads spans from a field of the record."""
    return any(detector_class(name).spans_field is not Detector.spans_field for name in names)


def detector_files(names: Iterable[str], allow: Lists = (), deny: Lists = ()) -> list[Path]:
    """Return the files that the detectors called ``names`` and the lists of :func:`detector` are read from."""
    named = [name.partition(":")[2] for name in names]
    return [Path(file) for file in (*named, *_paths(allow), *_paths(deny)) if file]


def _paths(lists: Lists) -> Sequence[str | Path]:
    return [lists] if isinstance(lists, str | Path) else lists
