"""How far a long run is, where no terminal shows a bar."""

from __future__ import annotations

from typing import Any

import pytest

from sfumato.cli import printing


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr(printing.time, "monotonic", lambda: now[0])
    return now


def test_a_line_now_and_then_with_the_time_left(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    with printing.progress_bar("Certifying", silent=False) as told:
        assert told is not None
        for second in range(100):
            clock[0] = float(second)
            told(second / 100)
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.splitlines() == [
        "Certifying: 30% after 30 s, about 70 s left",
        "Certifying: 60% after 60 s, about 40 s left",
        "Certifying: 90% after 90 s, about 10 s left",
    ]


def test_no_time_is_told_from_almost_nothing(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    with printing.progress_bar("Certifying", silent=False) as told:
        assert told is not None
        clock[0] = 38.0
        told(0.003)
    assert capsys.readouterr().err == "Certifying: 0% after 38 s\n"


def test_what_is_soon_done_says_nothing(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    with printing.progress_bar("Certifying", silent=False) as told:
        assert told is not None
        clock[0] = 29.0
        told(1.0)
    assert capsys.readouterr().err == ""


def test_a_file_is_told_by_records_and_words(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    with printing.file_bar(silent=False, size=7200) as told:
        assert told is not None
        clock[0] = 40.0
        told(1800, 7200, 12)
        clock[0] = 200.0
        told.draws(400)
        clock[0] = 8000.0
        told(7000, 7200, 48)
    assert capsys.readouterr().err.splitlines() == [
        "Sanitizing: 25% (12 records) after 40 s, about 2 min left",
        "Sanitizing: 58% (12 records, 400 words, 2 a second) after 3 min, about 2 min left",
        "Sanitizing: 97% (48 records, 400 words, 2 a second) after 2.2 h, about 4 min left",
    ]


def test_silence_is_kept(capsys: pytest.CaptureFixture[str], clock: list[Any]) -> None:
    with printing.progress_bar("Certifying", silent=True) as told, printing.file_bar(silent=True, size=1) as file:
        assert told is None
        assert file is None
    assert capsys.readouterr().err == ""
