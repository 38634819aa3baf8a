"""What fits an annotation: as generous as Python is among numbers and lists, and no more."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol

import numpy as np
import pytest

from sfumato.errors import SfumatoError
from sfumato.options.typed import typed
from sfumato.options.values import MOST, fits, kind_of, shown


class Named(Protocol):
    name: str

    def say(self, text: str) -> str:
        """Return something."""


class Called(Protocol):
    def __call__(self, text: str) -> str:
        """Return something."""


class Fitting:
    def __init__(self) -> None:
        self.name = "x"

    def say(self, text: str) -> str:
        return text


class Proxy:
    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


FITTING: list[tuple[Any, Any, bool]] = [
    (np.int64(3), int, True), (np.float32(3), float, True), (3, float, True), (True, int, False), (3.0, int, False),
    (MOST, int, True), (-MOST, int, True), (MOST + 1, int, False), (10**400, float, False), (math.inf, float, True),
    (True, float, False), (1, bool, False),
    ("a", str | None, True), (None, str | None, True), (None, str, False), (Path("a"), str | Path, True),
    ("a", Path, False), (b"a", bytes, True), ([], bytes, False),
    ("words", bool | str, True), (b"a", str, False),
    (["a"], tuple[str, ...], True), (("a",), Sequence[str], True), ({"a"}, tuple[str, ...], False),
    ({"a": 1}, Sequence[str], False), ("a", tuple[str, ...], False), ("a", Sequence[str], False),
    ({"a"}, Collection[str], True), (np.array(["a"]), Sequence[str], False),
    (np.array(["a"]), Collection[str], True), (["a", 5], Sequence[str], False),
    ([["a"], ["b"]], Sequence[Sequence[str]], True), ([["a"], [5]], Sequence[Sequence[str]], False),
    (("a", 5), tuple[str, str], False), (("a", "b"), tuple[str, str], True), (("a",), tuple[str, str], False),
    (["a", 5], tuple[str, int], True), ("ab", tuple[str, str], False),
    ("c", Literal["a", "b"], True), (5, Literal["a", "b"], False), (1, Literal[1, 2], True),
    (True, Literal[1, 2], False),
    ({}, Mapping[str, int], True), ([], Mapping[str, int], False), ({"a": 1}, Mapping[str, int], True),
    ({"a": "b"}, Mapping[str, int], False), ({5: 1}, Mapping[str, int], False), ({5: 1}, Mapping, True),
    (len, Callable[[Any], int], True), (5, Callable[[Any], int], False),
    (iter("ab"), Iterable[str], True), ("ab", Iterable[str], False), (5, Iterable[str], False),
    (Fitting(), Named, True), (object(), Named, False), ("a", Named, False), (Proxy(), Named, True),
    (len, Called, True), (object(), Called, False),
    (Fitting(), Fitting, True), (Fitting, Fitting, False),
    ("a", Annotated[str, "of an option"], True), (5, Annotated[str, "of an option"], False), (object(), Any, True),
]  # fmt: skip


@pytest.mark.parametrize(("value", "hint", "expected"), FITTING)
def test_what_fits_an_annotation(value: Any, hint: Any, expected: bool) -> None:
    assert fits(value, hint) is expected


def _stream() -> Iterator[str]:
    yield "a"
    raise AssertionError("the whole stream was read before it began")


def test_a_stream_is_not_read_to_check_it() -> None:
    assert fits(_stream(), Iterable[str])


SENTENCES = {
    ("a list of text and numbers", Sequence[str]): "a list, each text",
    ("a pair", tuple[str, str]): "a list of 2, each text",
    ("routes", Mapping[str, Fitting]): "a mapping to a Fitting",
    ("options", Mapping[str, Any]): "a mapping",
    ("a file", str | Path | None): "text or a path",
}


@pytest.mark.parametrize("case", SENTENCES)
def test_what_a_value_must_be_in_words(case: tuple[str, Any]) -> None:
    assert kind_of(case[1], typed=False) == SENTENCES[case]


def test_what_a_value_is_shows_types_and_never_content() -> None:
    given: dict[str, Any] = {
        "list of int, str": ["Anna", 5], "dict of list of int": {"Anna": 5}, "one that large": 10**5000, "set": set(),
        "str": "Anna", "bool": True,
    }  # fmt: skip
    assert [shown(value) for value in given.values()] == list(given)


def test_what_fits_is_handed_on_and_what_cannot_be_read_too() -> None:
    @typed
    def called(name: str, share: float = 0.5, texts: list[str] | None = None, other: Unknown = None) -> Any:  # type: ignore[name-defined] # noqa: F821
        return name, share, texts, other

    assert called("a", 1, None, Fitting)[:3] == ("a", 1, None)
    with pytest.raises(SfumatoError, match="share must be a number, not str"):
        called("a", "1")
    with pytest.raises(SfumatoError, match="share must be a number, not NoneType"):
        called("a", None)
    with pytest.raises(SfumatoError, match="texts must be a list, each text, not list of int"):
        called("a", texts=[5])
    with pytest.raises(SfumatoError, match=r"called: name holds half a character"):
        called("\ud800")
    with pytest.raises(TypeError, match="unexpected keyword"):
        called("a", nothing=1)


def test_private_text_may_hold_anything_and_a_path_any_bytes() -> None:
    @typed
    def called(text: str, path: str | Path = "", **options: Any) -> Any:
        return text, path, options

    assert called("\ud800", "caf\udce9") == ("\ud800", "caf\udce9", {})
    for wrong in ({"path": "\ud800"}, {"path": Path("\ud800")}, {"key": "\ud800"}, {"key": {"a": "\ud800"}}):
        with pytest.raises(SfumatoError, match=f"called: {next(iter(wrong))} holds half a character"):
            called("", **wrong)
