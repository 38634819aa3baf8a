"""Read a privacy statement that is to be checked. It is input like any other, so every number is looked at."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sfumato.checker import UnreadableError
from sfumato.errors import InputError, SfumatoError

OVER_TOKENS = ("santext", "santext+", "custext", "custext+", "clusant", "tem")
IN_CONTEXT = ("dp-mlm", "dp-prompt", "dp-paraphrase")
_GARBLED = (KeyError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError, StopIteration)


def read_statement(path: Path) -> dict[str, Any]:
    """Return the statement in the file ``path``. Raise :class:`InputError` for one that cannot be checked."""
    statement = _read(path)
    if "treatments" in statement:
        _check_policy(path, statement)
        return statement
    mechanism, vocabularies = statement.get("mechanism"), statement.get("vocabularies")
    if "epsilon_per_draw" not in statement or not isinstance(mechanism, str):
        raise InputError(f"{path.name} states no privacy loss of a draw, so there is nothing to recompute.")
    _check_private(path, statement)
    if mechanism not in (*OVER_TOKENS, *IN_CONTEXT):
        raise InputError(f"{path.name} is about {mechanism}, which has no finite law that the checker knows.")
    if mechanism in OVER_TOKENS and not (isinstance(vocabularies, dict) and vocabularies):
        raise InputError(f"{path.name} cannot be checked: its vocabularies are missing.")
    return statement


def _check_policy(path: Path, statement: dict[str, Any]) -> None:
    treatments = statement["treatments"]
    if not isinstance(treatments, list) or not all(isinstance(treatment, dict) for treatment in treatments):
        raise InputError(f"{path.name} cannot be checked: its treatments have an impossible value.")
    if not any("epsilon_per_draw" in treatment for treatment in treatments):
        raise InputError(f"{path.name} states no privacy loss of a draw, so there is nothing to recompute.")
    _check_private(path, statement)


def _check_private(path: Path, statement: dict[str, Any]) -> None:
    if statement.get("private") is not True:
        raise InputError(
            f"{path.name} is about a seeded run, which has no guarantee; name the statement of a release."
        )


def _read(path: Path) -> dict[str, Any]:
    def refused(_: str) -> float:
        raise ValueError

    try:
        found = json.loads(path.read_text(encoding="utf-8"), parse_constant=refused)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError):
        raise InputError(f"{path.name} is no privacy statement, because it is not JSON.") from None
    if not isinstance(found, dict) or "summary" not in found:
        raise InputError(f"{path.name} is no privacy statement; name the OUTPUT.privacy.json of a release.")
    return found


@contextmanager
def complete(path: Path) -> Iterator[None]:
    """Turn whatever is raised in the block by a missing or garbled field into an :class:`InputError`."""
    try:
        yield
    except SfumatoError:
        raise
    except UnreadableError as error:
        raise InputError(f"{path.name} cannot be checked: {error}.") from None
    except _GARBLED as error:
        what = f"{error.args[0]} is missing" if isinstance(error, KeyError) else "a field has an impossible value"
        raise InputError(f"{path.name} cannot be checked: {what}.") from None


def number(value: Any) -> float:
    """Return a finite number of a statement. Raise ValueError for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError
    return float(value)
