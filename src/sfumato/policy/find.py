"""What a policy looks for: detectors, their options, and lists of what stays and what is always marked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Annotated, Any

from sfumato import registry
from sfumato.abstract.options import OF_SPANS, Described, Option, options_of
from sfumato.errors import ConfigurationError
from sfumato.policy.refusing import check_known, check_options

SHIPPED = "shipped:"
"""What a list is called by that comes with the package: "shipped:clinical-terms"."""
_LISTS = Path(str(resources.files("sfumato") / "data" / "lists"))


@dataclass(frozen=True)
class Find:
    """The detectors of a policy. Raises ConfigurationError for a name or an option that does not exist."""

    detect: Annotated[tuple[str, ...], Option("what is looked for, as --detect")] = ("identifiers",)
    allow: Annotated[tuple[str, ...], Option("files of texts that stay, or shipped:NAME")] = ()
    deny: Annotated[tuple[str, ...], Option("files of texts that are always marked")] = ()
    options: Annotated[Mapping[str, Any], Option("options of the detectors, as detect.NAME of --set")] = field(
        default_factory=dict
    )

    def __post_init__(self) -> None:
        if not self.detect or len(set(self.detect)) < len(self.detect):
            raise ConfigurationError("detect names at least one detector, and each once.")
        check_options(" ".join(map(_kind, self.detect)), self.options, options_of_detectors(self.detect))

    def files(self, folder: Path) -> tuple[Path, ...]:
        """Return the files that are read, relative to ``folder``."""
        return tuple(path for _, path in self.named_files(folder))

    def named_files(self, folder: Path) -> tuple[tuple[str, Path], ...]:
        """Return the files that are read, relative to ``folder``, each with the key that names it."""
        named = [("[find] detect", name.partition(":")[2]) for name in self.detect]
        named += [(f"[find] {key}", name) for key in ("allow", "deny") for name in getattr(self, key)]
        named += [(f"[find.options] {name}", self.options[name]) for name in self._of_files]
        return tuple((key, _path(folder, name)) for key, name in named if name)

    def arguments(self, folder: Path) -> dict[str, Any]:
        """Return keyword arguments for :func:`sfumato.building.detectors.detector`; files are below ``folder``."""
        own = {OF_SPANS[name]: value for name, value in self.options.items() if name in OF_SPANS}
        return {
            "name": tuple(_below(folder, name) for name in self.detect),
            "options": {
                name: str(folder / value) if name in self._of_files else value
                for name, value in self.options.items()
                if name not in OF_SPANS
            },
            "allow": tuple(_path(folder, name) for name in self.allow),
            "deny": tuple(_path(folder, name) for name in self.deny),
            **own,
        }

    @property
    def _of_files(self) -> list[str]:
        files = [option.name for option in options_of_detectors(self.detect) if option.option.file]
        return [name for name in files if isinstance(self.options.get(name), str)]


def options_of_detectors(names: Iterable[str]) -> list[Described]:
    """Return the options that detectors have. Raise ConfigurationError for a name that does not exist."""
    kinds = list(map(_kind, names))
    for kind in kinds:
        check_known(kind, registry.detectors(), "detect holds a name that is no detector")
    return [option for kind in kinds for option in options_of(registry.detector_class(kind))]


def _path(folder: Path, name: str) -> Path:
    """Return where the list ``name`` is: below ``folder``, or in the package. Raise ConfigurationError."""
    if not name.startswith(SHIPPED):
        return folder / name
    wanted = name.removeprefix(SHIPPED)
    lists = {path.stem: path for path in _LISTS.glob("*.txt")}
    check_known(wanted, lists, "There is no shipped list of this name")
    return lists[wanted]


def _kind(name: str) -> str:
    """Return a detector's name without its file, as the registry knows it."""
    kind, colon, _ = name.partition(":")
    return f"{kind}:FILE" if colon else name


def _below(folder: Path, name: str) -> str:
    kind, colon, file = name.partition(":")
    return f"{kind}:{folder / file}" if colon else name
