"""No test reads or fills the user's cache: not by a fixture of a file, which begins first, and not in a process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sfumato.storage.cache_key import folder, key_file

ASK = "from sfumato.storage.cache_key import folder, key_file; print(folder(), key_file(), sep='\\n')"


@pytest.fixture(scope="module", name="of_file")
def _of_file() -> list[Path | None]:
    return [folder(), key_file()]


@pytest.fixture(scope="module", name="of_process")
def _of_process() -> list[Path]:
    run = subprocess.run([sys.executable, "-c", ASK], check=True, capture_output=True, text=True)
    return [Path(line) for line in run.stdout.splitlines()]


def test_a_fixture_of_a_file_and_its_processes_have_the_cache_of_the_tests(
    of_file: list[Path | None], of_process: list[Path], cache_folder: Path
) -> None:
    key = cache_folder.parent / "config" / "sfumato" / "cache.key"
    assert of_file == of_process == [cache_folder, key]
