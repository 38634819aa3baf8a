"""Every public callable answers a wrong value in a sentence; nothing inside it fails instead, or never ends."""

from __future__ import annotations

import inspect
import math
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sfumato
from contracts.rows import names_file
from public_calls import CALLS, FACE, call, cases, engine, public
from sfumato.building import chat
from sfumato.errors import SfumatoError
from sfumato.models.causal import gguf

PRIVATE = "Marta Lindqvist"


class Wrong:
    """An object that is none of the types that anything takes, and shows what it holds if it is asked."""

    def __repr__(self) -> str:
        return PRIVATE


WRONG = [
    Wrong(), {"a": Wrong()}, 5, -1, 0, True, None, 1.5, math.nan, math.inf, 10**18, 10**400, 10**5000, b"x", [], (5,),
    ["x", 5], [["x"]], {}, {5: 5}, {5}, {"x"}, "nope", "", "\ud800", ["\ud800"], {"\ud800": 1}, Path("\ud800"), ...,
    np.zeros(2), iter("ab"),
]  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def loaded_once() -> Iterator[None]:
    """Take one language model of the package for all; an epsilon that is right asks for its pieces."""
    with pytest.MonkeyPatch.context() as patch:
        one = cache(gguf.smollm2)
        for user in (gguf, chat):
            patch.setattr(user, "smollm2", one)
        yield


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, short_lists: None) -> None:
    (tmp_path / "in.jsonl").write_text('{"id": "a", "text": "One elm fell."}\n')
    names_file(tmp_path)
    monkeypatch.chdir(tmp_path)


@contextmanager
def _ending(shown: str, seconds: float = 100.0) -> Iterator[None]:
    """Fail for what does not end."""

    def stop(*_: object) -> None:
        raise AssertionError(f"{shown} does not end")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _refused(asked: Callable[[Any], Any], wrong: Any, shown: str) -> bool:
    """Return whether ``asked`` refuses ``wrong``. Fail for an error that is not one of ours, or not a sentence."""
    try:
        with _ending(shown):
            asked(wrong)
    except SfumatoError as error:
        said = str(error)
        assert PRIVATE not in said, (shown, said)
        assert said.strip().endswith((".", ")", "?")), (shown, said)
        assert len(said) < 1000, (shown, said)
        return True
    except (AssertionError, KeyError) as error:
        if isinstance(error, KeyError) and "Evaluation.study" in shown:
            return True  # it says that it raises KeyError
        raise
    except Exception as error:
        raise AssertionError(f"{shown} raises {type(error).__name__}: {error}") from error
    return False


@pytest.mark.parametrize(
    ("name", "argument", "asked"), [pytest.param(*case, id="-".join(case[:2])) for case in cases()]
)
def test_no_wrong_value_fails_inside(name: str, argument: str, asked: Callable[[Any], Any]) -> None:
    """Some values are right for some arguments; of thirty different ones, most are wrong for every one."""
    refused = [_refused(asked, wrong, f"{name}({argument}={_shown(wrong)})") for wrong in WRONG]
    assert sum(refused) >= len(WRONG) // 2


ENDLESS = {
    "audit": ("samples", "audits"), "sanitize_file": ("workers",), "ChatChoice": ("votes", "at_once"),
    "synthesize_file": ("units", "records", "texts_per_unit"),
}  # fmt: skip
"""Counts that a run goes through one by one."""


@pytest.mark.parametrize(("name", "argument"), [(name, each) for name in ENDLESS for each in ENDLESS[name]])
def test_a_count_that_no_run_comes_to_the_end_of_is_refused(name: str, argument: str) -> None:
    for number in (10**18, 2**63 - 1):
        with pytest.raises(SfumatoError, match=r"(at most|to) 10?(,000)+"):
            call(name, argument, number)


def _shown(wrong: Any) -> str:
    return f"{type(wrong).__name__}" if isinstance(wrong, int) and abs(wrong) > 10**20 else f"{wrong!r:.30}"


def test_every_public_callable_is_in_the_table() -> None:
    names = {name for name in public() if name.partition(".")[2] not in FACE}
    assert names == CALLS.keys()
    assert {name.partition(".")[2] for name in public() if name.startswith("Sanitizer.")} == FACE.keys()
    for name in names:  # an argument that may be left out is left out of few
        missing = [each for each in public()[name][1] if each not in CALLS[name]]
        optional = inspect.signature(public()[name][0]).parameters
        assert all(optional[each].default is not inspect.Parameter.empty for each in missing), name


def test_private_text_or_a_secret_in_the_wrong_place_is_not_repeated() -> None:
    wrong: Any = PRIVATE
    asked: tuple[Callable[[], Any], ...] = (
        lambda: sfumato.find_file(wrong, "in.jsonl"),
        lambda: engine("drawn").sanitize_batch(wrong),
        lambda: engine("drawn").sanitize_batch([wrong]),
        lambda: sfumato.PinnedRandomness(wrong),
        lambda: sfumato.FileOptions(fields={wrong}),  # type: ignore[arg-type]
        lambda: sfumato.build("redaction", detect="words", operator="hash", key=wrong),
        lambda: sfumato.Document(wrong, {wrong: wrong}),  # type: ignore[arg-type]
    )
    for ask in asked:
        with pytest.raises(SfumatoError) as told:
            ask()
        assert PRIVATE not in str(told.value)
