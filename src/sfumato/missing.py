"""A package that is not there, or cannot be loaded: which one it is, and the command that brings it."""

from __future__ import annotations

import re
import sys
import traceback
from importlib.metadata import PackageNotFoundError, requires

from sfumato.errors import MissingExtraError, SfumatoError

_DISTRIBUTED_AS = {"mauve": "mauve-text", "sklearn": "scikit-learn"}
_REQUIRED = re.compile(r"([\w.-]+)[^;]*(?:;.*extra\s*==\s*['\"]([\w-]+))?")


def missing(error: BaseException) -> MissingExtraError | None:
    """Return what to raise in place of an import that failed; None if ``error`` is none of another package.

    Wherever the import is, the error is the same. What loads late and is then taken for broken would be so called.
    """
    if not isinstance(error, ImportError) or isinstance(error, SfumatoError):
        return None
    lacking = (error.name or "").partition(".")[0]
    asked = _asked(error) or lacking
    if not asked or "sfumato" in (asked, lacking) or asked in sys.stdlib_module_names:
        return None
    if asked != lacking:
        because = f"cannot be loaded, because of {lacking}" if lacking else "cannot be loaded"
    else:
        because = "is missing" if isinstance(error, ModuleNotFoundError) else "cannot be loaded"
    return MissingExtraError(f"The package {_distribution(asked)} {because}; type: {command_for(asked)}")


def command_for(module: str) -> str:
    """Return the command that installs what holds ``module``: an extra of this program, if it is part of one."""
    package = _distribution(module)
    try:
        listed = requires("sfumato") or []
    except PackageNotFoundError:  # a source tree that was not installed
        listed = []
    for name, extra in (match.groups() for match in map(_REQUIRED.match, listed) if match):
        if extra is not None and name.lower() == package:
            return f"pip install 'sfumato[{extra}]'"
    return f"pip install {package}"


def _asked(error: BaseException) -> str | None:
    """Return the package that this program tried to import, whatever that package lacks itself."""
    modules = [str(frame.f_globals.get("__name__")) for frame, _ in traceback.walk_tb(error.__traceback__)]
    packages = [module.partition(".")[0] for module in modules]
    own = max((place for place, package in enumerate(packages) if package == "sfumato"), default=len(packages))
    later = (package for package in packages[own + 1 :] if package not in sys.stdlib_module_names)
    return next(later, None)


def _distribution(module: str) -> str:
    return _DISTRIBUTED_AS.get(module, module.replace("_", "-").lower())
