"""A decision that was answered is on the disk; a line cut short is taken out; nobody else reads the file."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from sfumato.detectors.decisions import decisions_from
from sfumato.errors import InputError, OutputError
from sfumato.review.journal import journal

READ = {"action": "read", "record": 0, "sampled": False}
_WRITER = """
import sys
from pathlib import Path
from sfumato.review.journal import journal
with journal(Path(sys.argv[1])) as kept:
    for record in range(100_000):
        kept.append({"action": "read", "record": record, "sampled": False})
        print(record, flush=True)
"""
_FULL = """
import resource, signal, sys
from pathlib import Path
from sfumato.errors import OutputError
from sfumato.review.journal import journal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with journal(Path(sys.argv[1])) as kept:
    kept.append({"action": "read", "record": 0, "sampled": False})
    size = Path(sys.argv[1]).stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 20, size + 20))
    try:
        kept.append({"action": "read", "record": 1, "sampled": False})
    except OutputError as error:
        print(error)
    assert len(kept.decisions.lines) == 1
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 20, size + 20))
"""


def test_only_its_owner_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "decisions.jsonl"
    path.touch(0o644)
    with journal(path) as kept:
        kept.append(READ)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_was_answered_survives_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "decisions.jsonl"
    run = subprocess.Popen([sys.executable, "-c", _WRITER, str(path)], stdout=subprocess.PIPE, text=True)
    assert run.stdout is not None
    answered = [run.stdout.readline() for _ in range(20)]
    run.send_signal(signal.SIGKILL)
    answered += run.communicate(timeout=30)[0].splitlines(keepends=True)
    with journal(path) as kept:
        assert len(kept.decisions.lines) >= int(answered[-1].strip() or answered[-2]) + 1
    assert decisions_from(path).read >= set(range(20))


def test_a_line_cut_short_is_taken_out(tmp_path: Path) -> None:
    path = tmp_path / "decisions.jsonl"
    with journal(path) as kept:
        kept.append(READ)
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:17])
    with pytest.raises(InputError, match="line 2: it was not written to its end"):
        decisions_from(path)
    with journal(path) as kept:
        assert kept.cut == 17
        kept.append({"action": "undo", "of": 1})
    assert path.read_bytes().startswith(whole)
    assert len(decisions_from(path).lines) == 2


def test_a_full_disk_keeps_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "decisions.jsonl"
    run = subprocess.run([sys.executable, "-c", _FULL, str(path)], capture_output=True, text=True, check=True)
    assert "the decision was not kept" in run.stdout
    assert decisions_from(path).read == {0}


def test_two_reviews_of_one_file_are_refused_and_so_is_a_link(tmp_path: Path) -> None:
    path = tmp_path / "decisions.jsonl"
    with journal(path), pytest.raises(OutputError, match="Another run"), journal(path):
        pass
    link = tmp_path / "link.jsonl"
    os.symlink(path, link)
    with pytest.raises(OutputError), journal(link):
        pass


def test_a_wrong_file_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "decisions.jsonl"
    path.write_text("ZEBRAFINCH\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"decisions\.jsonl, line 1") as raised, journal(path):
        pass
    assert "ZEBRAFINCH" not in str(raised.value)
    assert path.read_text(encoding="utf-8") == "ZEBRAFINCH\n"
