"""A PostgreSQL server for the tests of ledgers, from Debian's package, in a folder of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

_NUMBERS = count()


def programs() -> Path | None:
    """Return the folder of PostgreSQL's newest programs; None where there are none."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    if found:
        return found[-1].parent
    there = shutil.which("initdb")
    return Path(there).resolve().parent if there else None


@dataclass
class Server:
    """A server that listens on a socket in its own folder alone."""

    folder: Path
    bin: Path
    user: str | None

    @classmethod
    def made(cls, folder_of_programs: Path) -> Server:
        """Return a new server that runs; root hands it to the user that Debian's package made."""
        folder = Path(tempfile.mkdtemp(prefix="sfl"))  # a socket's path is short
        user = "postgres" if os.name != "nt" and os.geteuid() == 0 else None
        if user:
            shutil.chown(folder, user)
        server = cls(folder, folder_of_programs, user)
        server._run("initdb", "-D", folder / "data", "-A", "trust", "-U", "sfumato", "--no-sync")
        server.start()
        return server

    def start(self) -> None:
        options = (
            f"-k {self.folder} -p 5432 -c listen_addresses= -c max_connections=40 -c recovery_init_sync_method=syncfs"
        )
        self._run("pg_ctl", "-D", self.folder / "data", "-l", self.folder / "log", "-w", "-o", options, "start")

    def stop(self, mode: str = "immediate") -> None:
        """Stop it; immediate is as a crash: nothing is written, and the next start reads the log."""
        self._run("pg_ctl", "-D", self.folder / "data", "-m", mode, "-w", "stop")

    def database(self, encoding: str = "UTF8") -> str:
        """Return the address of a new, empty database."""
        name = f"ledger{next(_NUMBERS)}"
        options = ("-E", encoding, "--locale=C", "-T", "template0")
        self._run("createdb", "-h", self.folder, "-U", "sfumato", *options, name)
        return f"postgresql://sfumato@/{name}?host={self.folder}"

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.folder)

    def _run(self, program: str, *arguments: Any) -> None:
        options: dict[str, Any] = {}
        if self.user:
            import pwd  # not on Windows

            entry = pwd.getpwnam(self.user)
            options = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": [], "cwd": self.folder}
        command = [str(self.bin / program), *map(str, arguments)]
        with open(os.devnull, "wb") as nothing:  # a pipe would stay open as long as the server
            subprocess.run(command, check=True, stdout=nothing, stderr=nothing, timeout=120, **options)
