"""Every public callable says in a sentence that an argument has the wrong type; nothing inside it fails instead."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import sfumato
from sfumato.errors import SfumatoError
from sfumato.options.typed import typed
from sfumato.options.values import fits

FUNCTIONS = [value for name in sfumato.__all__ if inspect.isfunction(value := getattr(sfumato, name))]
METHODS = [getattr(sfumato.Policy, name) for name in ("load", "parse", "of")]
CLASSES = [sfumato.FileOptions, sfumato.ChatChoice, sfumato.Plan, sfumato.Policy, sfumato.SeededRandomness]
UNCHECKED = {"self", "cls", "options", "encoder"}
"""An encoder is whatever encodes."""


class Wrong:
    """An object that is none of the types that anything takes, and shows what it holds if it is asked."""

    def __repr__(self) -> str:
        return "Marta Lindqvist"


def vocabulary() -> sfumato.Vocabulary:
    return sfumato.Vocabulary(["a", "b"], np.array([[0.0], [1.0]]), "toy")


def parameters() -> Iterator[Any]:
    for function in [*FUNCTIONS, *METHODS, *CLASSES]:
        for parameter in inspect.signature(function).parameters.values():
            if parameter.name not in UNCHECKED and parameter.kind is not inspect.Parameter.VAR_KEYWORD:
                yield pytest.param(function, parameter, id=f"{function.__qualname__}-{parameter.name}")


@pytest.mark.parametrize(("function", "parameter"), list(parameters()))
def test_a_wrong_type_is_refused_in_a_sentence(function: Callable[..., Any], parameter: inspect.Parameter) -> None:
    given: tuple[Any, ...] = ()
    named: dict[str, Any] = {}
    if parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
        before = list(inspect.signature(function).parameters).index(parameter.name)
        given = (*("custext", vocabulary())[:before], Wrong())
    else:
        named = {parameter.name: Wrong()}
    with pytest.raises(SfumatoError, match=rf"\b{parameter.name} must be .*, not Wrong") as refused:
        function(*given, **named)
    assert "Marta" not in str(refused.value)


def test_what_fits_is_handed_on_and_what_cannot_be_checked_too() -> None:
    @typed
    def called(name: str, share: float = 0.5, texts: list[str] | None = None, other: Unknown = None) -> Any:  # type: ignore[name-defined] # noqa: F821
        return name, share, texts, other

    assert called("a", 1, None, Wrong)[:3] == ("a", 1, None)
    with pytest.raises(SfumatoError, match="share must be a number, not str"):
        called("a", "1")
    with pytest.raises(SfumatoError, match="share must be a number, not NoneType"):
        called("a", None)
    with pytest.raises(TypeError, match="unexpected keyword"):
        called("a", nothing=1)


def test_numbers_of_other_libraries_are_numbers() -> None:
    assert fits(np.int64(3), int)
    assert fits(np.float32(3), float)
    assert not fits(True, int)
    assert fits("words", bool | str)
