"""Languages cost nothing that was not asked for: neither modules at the start, nor much of the wheel."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import sfumato
from sfumato.language.languages import ENGLISH, LANGUAGES

OTHERS = frozenset(LANGUAGES) - {ENGLISH.code}
MOST = 8_000_000
_HELP = """
sys.argv = ["sfumato", "--help"]
try:
    runpy.run_module("sfumato", run_name="__main__")
except SystemExit:
    pass
"""
_READS = """
from sfumato.kinds.registry import kinds_of
assert kinds_of(language={code!r})["DATE"].read("2019-03-03")
"""
_TOLD = """
print(json.dumps([name for name in sys.modules if name.startswith("sfumato.language.")]), file=sys.stderr)
"""


def _loaded(code: str) -> set[str]:
    """Return the modules of languages that a new process has loaded behind ``code``."""
    asked = [sys.executable, "-c", f"import json, runpy, sys\n{code}{_TOLD}"]
    ran = subprocess.run(asked, capture_output=True, text=True, check=True)
    return {name.removeprefix("sfumato.language.") for name in json.loads(ran.stderr.splitlines()[-1])}


def _languages(modules: set[str]) -> set[str]:
    """Return the languages, beside English, of which ``modules`` has a part and not the name alone."""
    return {name.partition(".")[0] for name in modules if "." in name} & OTHERS


@pytest.mark.parametrize("code", ["import sfumato", _HELP], ids=["import", "help"])
def test_a_start_loads_no_language(code: str) -> None:
    assert not {name.partition(".")[0] for name in _loaded(code)} & set(LANGUAGES)


@pytest.mark.parametrize("code", ["en", "de", "fr"])
def test_only_the_language_that_is_asked_for_is_loaded(code: str) -> None:
    """The test has power: what is asked for is seen, so another language would be seen too."""
    assert _languages(_loaded(_READS.format(code=code))) == {code} & OTHERS


def test_the_languages_take_little_of_the_wheel() -> None:
    package = Path(sfumato.__file__).parent
    folders = [package.joinpath(*parts, code) for parts in (("language",), ("data", "language")) for code in OTHERS]
    files = [path for folder in folders for path in folder.rglob("*") if path.suffix in (".py", ".toml", ".txt")]
    assert {path.parent.name for path in files} == OTHERS
    assert 100_000 < sum(path.stat().st_size for path in files) <= MOST
