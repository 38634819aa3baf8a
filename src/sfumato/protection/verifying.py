"""Whether a bundle is what was signed: every file, no other, and the signature. Reads nothing but the folder."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sfumato.errors import InputError, MissingExtraError, SfumatoError
from sfumato.options.typed import typed
from sfumato.policy.limits import ATTACKERS
from sfumato.protection.bundle import ENVELOPE, PUBLIC_KEY, SUMS, Envelope, is_regular, names_in, opened, sums_of
from sfumato.protection.signing import Verifier
from sfumato.storage.digests import digest_of

_MOST = 50_000_000
"""The largest envelope, list of sums and key, in bytes, that is read."""


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

    @property
    def verdict(self) -> str | None:
        """Return the verdict that was signed, in a line; None if there is none, or if something differs."""
        limits = self._signed("limits")
        if not limits or not all(isinstance(each, Mapping) for each in limits) or not _asked(limits):
            return None
        signed = None if self.envelope is None else self.envelope.predicate.get("accepted")
        return verdict_on(limits) if signed is (not _failed(limits)) else None

    @property
    def loosened(self) -> tuple[str, ...] | None:
        """Return the signed limits that are looser than those of the shipped policy, a sentence each.

        None if nothing is signed about them, or if something differs.
        """
        entries = self._signed("loosened")
        if entries is None or not all(isinstance(each, Mapping) for each in entries):
            return None
        return tuple(_shown(str(each.get("sentence", ""))) for each in entries)

    def _signed(self, name: str) -> list[Any] | None:
        """Return a list of what was signed, which a stranger may have written; None if it has another form."""
        content = self.envelope.predicate.get(name) if self.envelope is not None and self.holds else None
        return content if isinstance(content, list) else None


@typed
def verify(folder: Path | str, key: Path | str | None = None) -> Verified:
    """Return what of the bundle in ``folder`` differs from what was signed by ``key``, a public key in a file.

    Without a key, the one in the bundle is used: the files then belong together, and nothing says who signed them.
    Raise InputError if there is no such folder, ConfigurationError for a file that is no key.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise InputError(f"{folder.name} is no folder; name the folder NAME.release of a release.")
    given = None if key is None else Verifier.of_file(Path(key))
    try:
        envelope = _envelope(folder)
    except InputError as error:
        return Verified((f"{ENVELOPE}: {error.reason.removesuffix('.')}",), compared=given is not None)
    differences = [*_differing(folder, envelope)]
    try:
        signer = given or Verifier.of_pem(_content(folder / PUBLIC_KEY), PUBLIC_KEY)
        if not envelope.is_signed_by(signer):
            differences.append("the signature is not that of " + ("the key that was given" if given else PUBLIC_KEY))
    except MissingExtraError:
        raise
    except (SfumatoError, OSError):
        differences.append(f"{PUBLIC_KEY} is missing or is no key")
    return Verified(tuple(differences), envelope.key, given is not None, envelope)


def _envelope(folder: Path) -> Envelope:
    try:
        return opened(_content(folder / ENVELOPE))
    except FileNotFoundError:
        raise InputError("it is missing.") from None
    except OSError as error:
        raise InputError(f"it cannot be read ({error.strerror}).") from None


def _content(path: Path) -> bytes:
    """Return what is in a file of a bundle. Raise OSError, for a link, a pipe and a file far too large too."""
    if not is_regular(path) or path.stat().st_size > _MOST:
        raise OSError(errno.EINVAL, "a link, no file, or far too large")
    return path.read_bytes()


def _differing(folder: Path, envelope: Envelope) -> Iterator[str]:
    closed: list[Path] = []
    present = set(names_in(folder, closed))
    for path in sorted(closed):
        name = (folder.name or ".") if path == folder else path.relative_to(folder).as_posix()
        yield f"{_shown(name)} cannot be read, so that what is in it was not checked"
    for name in sorted(envelope.digests.keys() - present):
        if not any(path in (folder / name).parents for path in closed):
            yield f"{_shown(name)} is missing"
    for name in sorted(present - envelope.digests.keys() - {ENVELOPE}):
        yield f"{_shown(name)} was added"
    for name in sorted(present & envelope.digests.keys()):
        if wrong := _wrong(folder / name, envelope.digests[name]):
            yield f"{_shown(name)} {wrong}"
    others = {name: digest for name, digest in envelope.digests.items() if name != SUMS}
    try:
        agrees = _content(folder / SUMS) == sums_of(others)
    except OSError:
        agrees = False
    if SUMS not in envelope.digests or not agrees:
        yield f"{SUMS} does not say what was signed"


def _wrong(path: Path, digest: str) -> str:
    """Return what is wrong with a file that was signed; nothing if it has the ``digest`` of what was signed."""
    try:
        if not is_regular(path):
            return "is a link or no file"
        return "" if digest_of(path) == digest else "was changed"
    except OSError as error:
        return f"cannot be read ({error.strerror})"


def _shown(name: str) -> str:
    """Return a name that a stranger may have chosen; quoted, if it could write lines of its own."""
    return name if name.isprintable() else json.dumps(name)


def verdict_on(limits: Sequence[Mapping[str, Any]]) -> str:
    """Return the verdict in a line, from the judgements as they are signed: who is kept out, and who is not.

    A release that is accepted because the policy sets no limit for an attacker is never called accepted alone.
    """
    asked, failed = _asked(limits), _failed(limits)
    states: dict[str, list[str]] = {}
    for each in limits:
        if each.get("limit") in tuple(ATTACKERS):  # a stranger may have signed what has no hash
            states.setdefault(str(each.get("state")), []).append(str(each["limit"]))
    whom = "; ".join(
        f"{state.upper() if state != 'safe' else state} against {_listed(states[state])}"
        for state in ("safe", "not safe", "not measured")
        if state in states
    )
    if failed:
        title = f"Not accepted: {len(failed)} of {len(asked)} limits do not hold"
    else:
        gap = " with a gap" if states.keys() - {"safe"} else ""
        title = f"Accepted{gap}: {'the limit holds' if len(asked) == 1 else f'all {len(asked)} limits hold'}"
    return "; ".join(filter(None, [title, whom]))


def _asked(limits: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    # A release of an earlier version has no attackers without a limit, and may not say what was asked.
    return [each for each in limits if each.get("asked", "unsaid") is not None]


def _failed(limits: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [each for each in _asked(limits) if each.get("holds") is not True]


def _listed(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
