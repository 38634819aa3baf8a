"""The version of this program, and where a class of it or of another package comes from.

Both are part of every statement, and of what a keyed draw depends on.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from typing import Any


@cache  # reading a package's metadata takes milliseconds, and a process keeps the packages that it began with
def installed(package: str) -> str | None:
    """Return the version of ``package``; None where it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


VERSION = installed("sfumato") or "0+unknown"  # unknown in a source tree that was not installed


def origin(thing: Callable[..., Any]) -> str:
    """Return which class or function ``thing`` is: its module, its name, and the packages that it comes from.

    Nothing that is drawn, resumed or kept for one class is taken for that of another. A method's name would not do,
    because a subclass inherits it.
    """
    return " ".join([f"{_module(thing)}:{thing.__qualname__}", *_spelled(packages_of(thing))])


def stable_name(thing: Callable[..., Any]) -> str:
    """Return which class ``thing`` is, as :func:`origin` does, but a class of this program wherever its file lies."""
    return f"sfumato:{thing.__qualname__}" if is_own(thing) else origin(thing)


def is_own(thing: Callable[..., Any]) -> bool:
    """Return whether ``thing`` is a part of this program."""
    return _top(thing) == "sfumato"


def maker(thing: Callable[..., Any]) -> str:
    """Return who made ``thing``, for a sentence: the packages that it comes from, or its module where none is."""
    named = _spelled(packages_of(thing))
    return f"the package {' and '.join(named)}" if named else f"the module {_module(thing)}"


def packages_of(thing: Callable[..., Any]) -> Mapping[str, str]:
    """Return the versions of the packages that ``thing`` comes from, by name; none for this program and Python."""
    alone = is_own(thing) or _top(thing) in sys.stdlib_module_names
    names = () if alone else _packages(*sys.path).get(_top(thing), ())
    return {name: version(name) for name in sorted(names)}


def _spelled(packages: Mapping[str, str]) -> list[str]:
    return [f"{name} {number}" for name, number in packages.items()]


def _module(thing: Callable[..., Any]) -> str:
    return "__main__" if thing.__module__ == "__mp_main__" else thing.__module__  # a worker's name for the same file


def _top(thing: Callable[..., Any]) -> str:
    return thing.__module__.partition(".")[0]


@cache
def _packages(*_: str) -> Mapping[str, set[str]]:
    """Return the names of packages by top-level module, on a path where modules are looked for."""
    return {module: set(names) for module, names in packages_distributions().items()}
