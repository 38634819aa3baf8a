"""Whether a bundle is what was signed: every file, no other, and the signature. Reads nothing but the folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sfumato.errors import InputError, SfumatoError
from sfumato.protect.bundle import ENVELOPE, PUBLIC_KEY, SUMS, digest_of_file, names_in, sums_of
from sfumato.protect.envelope import Envelope, opened
from sfumato.protect.signing import Verifier

_MOST = 50_000_000
"""The largest envelope, in bytes, that is read."""


@dataclass(frozen=True)
class Verified:
    """What a check of a bundle found.

    Attributes:
        differences: What differs from what was signed, a sentence each; empty if nothing does.
        key: The id of the key that signed.
        compared: Whether the key was given, and not only read from the bundle.
        envelope: What was signed; None if it could not be read.
    """

    differences: tuple[str, ...]
    key: str = ""
    compared: bool = False
    envelope: Envelope | None = field(default=None, repr=False)

    @property
    def signed_by(self) -> str | None:
        """Return the id of the key that signed, if it is the one that was given; None: who signed is not known."""
        return self.key if self.compared and self.holds else None

    @property
    def holds(self) -> bool:
        """Return whether the bundle is what was signed."""
        return not self.differences


def verify(folder: Path | str, key: Path | None = None) -> Verified:
    """Return what of the bundle in ``folder`` differs from what was signed by ``key``, a public key in a file.

    Without a key, the one in the bundle is used: the files then belong together, and nothing says who signed them.
    Raise InputError if there is no such folder, ConfigurationError for a key that is none.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise InputError(f"{folder.name} is no folder; name the folder NAME.release of a release.")
    given = None if key is None else Verifier.of_file(key)
    try:
        envelope = _envelope(folder)
    except InputError as error:
        return Verified((f"{ENVELOPE}: {error}",), compared=given is not None)
    differences = [*_differing(folder, envelope)]
    try:
        signer = given or Verifier.of_pem((folder / PUBLIC_KEY).read_bytes(), PUBLIC_KEY)
        if not envelope.is_signed_by(signer):
            differences.append("the signature is not that of " + ("the key that was given" if given else PUBLIC_KEY))
    except (SfumatoError, OSError):
        differences.append(f"{PUBLIC_KEY} is missing or is no key")
    return Verified(tuple(differences), envelope.key, given is not None, envelope)


def _envelope(folder: Path) -> Envelope:
    path = folder / ENVELOPE
    if path.is_symlink() or not path.is_file():
        raise InputError("it is missing.")
    if path.stat().st_size > _MOST:
        raise InputError("it is far too large.")
    return opened(path.read_bytes())


def _differing(folder: Path, envelope: Envelope) -> Iterator[str]:
    present = set(names_in(folder)) - {ENVELOPE}
    for name in sorted(envelope.digests.keys() - present):
        yield f"{name} is missing"
    for name in sorted(present - envelope.digests.keys()):
        yield f"{name} was added"
    for name in sorted(present & envelope.digests.keys()):
        path = folder / name
        if path.is_symlink() or not path.is_file():
            yield f"{name} is a link or no file"
        elif digest_of_file(path) != envelope.digests[name]:
            yield f"{name} was changed"
    others = {name: digest for name, digest in envelope.digests.items() if name != SUMS}
    path = folder / SUMS
    if SUMS not in envelope.digests or (path.is_file() and path.read_bytes() != sums_of(others)):
        yield f"{SUMS} does not say what was signed"
