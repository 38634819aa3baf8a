"""The public files that the options of a method name: a private input among them is refused before it is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sfumato import registry
from sfumato.abstract.options import options_of
from sfumato.building.offers import Offer


def file_options(offer: Offer) -> frozenset[str]:
    """Return the options of a method that may name files."""
    return frozenset(option.name for option in offer.everything if option.option.file)


def detector_file_options(offer: Offer) -> frozenset[str]:
    """Return the options of its detectors that may name files."""
    every = (option for name in offer.detectors for option in options_of(registry.detector_class(name)))
    return frozenset(option.name for option in every if option.option.file)


def option_files(offer: Offer, options: Mapping[str, Any]) -> list[Path]:
    """Return the files and folders that ``options`` name: vocabularies, phrases, models. All are public."""
    detecting = options.get("detect_options")
    named = [value for key, value in options.items() if key in file_options(offer)]
    if isinstance(detecting, Mapping):
        named += [value for key, value in detecting.items() if key in detector_file_options(offer)]
    found = [Path(name) for value in named for name in _names(value) if Path(name).exists()]
    beside = [path.with_suffix(".txt") for path in found if path.suffix.lower() in (".npy", ".safetensors")]
    return [*found, *(path for path in beside if path.exists())]


def _names(value: Any) -> Iterator[str | Path]:
    """Yield what may be the name of a file: one, several, or one for each label."""
    if isinstance(value, str | Path):
        yield value
    elif isinstance(value, Mapping | list | tuple):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from _names(one)
