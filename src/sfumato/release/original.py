"""The original again: from a release and its map, or the names alone in any text made of the release."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sfumato.errors import ConfigurationError
from sfumato.options.typed import typed
from sfumato.release.restore import check_restored
from sfumato.release.restore import restore as restore_files
from sfumato.release.restore_names import NamesBack, restore_names
from sfumato.storage.keys import secret_of


@dataclass(frozen=True, slots=True)
class Restored:
    """What was restored. `sfumato.restore` returns one.

    Attributes:
        output: Where the original is. PRIVATE.
        files: How many files it has; 0 if only names were put back.
        names: How many pseudonyms were put back, how many of their kind the map does not know, and how many were
            doubtful and stay; None if the whole original was restored.
    """

    output: Path
    files: int = 0
    names: NamesBack | None = None


@typed
def restore(
    release: Path | str,
    map: Path | str,
    output: Path | str,
    key: Path | str | bytes | None = None,
    *,
    pseudonyms: bool = False,
    record: str | None = None,
    overwrite: bool = False,
) -> Restored:
    """Restore the original, byte for byte, from a release and its encrypted map.

    Nothing is written unless the map, its key and the release belong together.

    Args:
        release: The release; with `pseudonyms` any UTF-8 text made of it, such as an answer of a language model.
        map: The map that was written with the release.
        output: Where the original goes. PRIVATE.
        key: The map's secret key: a file, or its bytes (32 or more); by default SFUMATO_MAP_KEY, hexadecimal.
        pseudonyms: Only put names back for pseudonyms.
        record: The id of the record that the text belongs to, if several records use one pseudonym.
        overwrite: Replace an existing output.

    Raises:
        ConfigurationError: There is no key, or options do not fit together.
        InputError: The key does not fit, or the map or the release was changed.
        OutputError: The output cannot be written, or exists.
    """
    release, map, output = Path(release), Path(map), Path(output)
    if record is not None and not pseudonyms:
        raise ConfigurationError("--record is for --pseudonyms; the release itself is restored as a whole.")
    if isinstance(key, str | Path):
        key = Path(key)
        check_restored(output, [key], overwrite)
    secret = secret_of(key)
    if pseudonyms:
        return Restored(output, names=restore_names(release, map, secret, output, record, overwrite))
    return Restored(output, files=restore_files(release, map, secret, output, overwrite))
