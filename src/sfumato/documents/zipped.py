"""ZIP files from anyone: the members of a package, read with limits, and a package written with others in it."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from sfumato.documents.rules import Refused

_MOST_MEMBERS = 50_000
_LEAST_BYTES = 256 << 20
"""So many bytes may always be in a file when it is unpacked."""
_MOST_TIMES = 200
_TIME = (1980, 1, 1, 0, 0, 0)


@contextmanager
def unzipped(file: IO[bytes]) -> Iterator[zipfile.ZipFile]:
    """Yield the ZIP file in ``file``. Raise Refused, also inside the block, for a damaged or locked one, or a bomb.

    Members that are in it twice, or whose names lead out of it, are refused: programs differ in what they read.
    """
    try:
        with zipfile.ZipFile(file) as package:
            _check(package, file)
            yield package
    except (
        zipfile.BadZipFile,
        zipfile.LargeZipFile,
        zlib.error,
        EOFError,
        NotImplementedError,
        ValueError,
        OSError,
    ) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        reason = "it is not a complete ZIP file, or a damaged one; save it again"
    except RuntimeError:  # zipfile says so of a password
        reason = "it is locked by a password; save it without one"
    else:
        return
    raise Refused(reason)


def _check(package: zipfile.ZipFile, file: IO[bytes]) -> None:
    members = package.infolist()
    names = {member.filename for member in members}
    if len(members) > _MOST_MEMBERS:
        raise Refused(f"it holds more than {_MOST_MEMBERS:,} files; divide it")
    if len(names) < len(members):
        raise Refused("it holds two files of one name; save it again")
    if any(member.flag_bits & 1 for member in members):
        raise Refused("it is locked by a password; save it without one")
    if any(not _is_plain(name) for name in names):
        raise Refused("it holds a name that leads out of it; pack it again")
    packed = file.seek(0, 2)
    if sum(member.file_size for member in members) > max(_LEAST_BYTES, _MOST_TIMES * packed):
        raise Refused(f"it is more than {_MOST_TIMES} times as large when it is unpacked; take it apart")


def _is_plain(name: str) -> bool:
    """Return whether ``name`` leads to one place below a folder, and no other name to the same one."""
    parts = name.removesuffix("/").split("/")
    return "\\" not in name and not {"", ".", ".."} & set(parts)


def add(package: zipfile.ZipFile, name: str, content: bytes) -> None:
    """Add the member ``name`` to ``package``, compressed and without a time or an owner."""
    with adding(package, name) as member:
        member.write(content)


@contextmanager
def adding(package: zipfile.ZipFile, name: str) -> Iterator[IO[bytes]]:
    """Yield what writes the member ``name`` of ``package`` piece by piece."""
    about = zipfile.ZipInfo(name, _TIME)
    about.compress_type = zipfile.ZIP_DEFLATED
    with package.open(about, "w", force_zip64=True) as member:
        yield member
