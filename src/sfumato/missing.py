"""A package that is not there, or cannot be loaded: which one it is, and the command that brings it."""

from __future__ import annotations

import re
import sys
import traceback
from importlib.metadata import PackageNotFoundError, requires

from sfumato.errors import MissingExtraError, SfumatoError

_DISTRIBUTED_AS = {
    "docx": "python-docx", "mauve": "mauve-text", "oxmsg": "python-oxmsg", "pdfminer": "pdfminer.six",
    "pptx": "python-pptx", "sklearn": "scikit-learn", "webvtt": "webvtt-py",
}  # fmt: skip
_PARTS_OF = {
    "langchain-core": "langchain", "langgraph": "langchain", "markupsafe": "jinja2", "pydantic": "fastapi",
    "thinc": "spacy", "tldextract": "presidio-analyzer",
}  # fmt: skip
_REQUIRED = re.compile(r"([\w.-]+)[^;]*(?:;.*extra\s*==\s*['\"]([\w-]+))?")


def missing(error: BaseException) -> MissingExtraError | None:
    """Return what to raise in place of an import that failed; None if ``error`` is about no package asked for here.

    Wherever the import is, the error is the same. What loads late and is then taken for broken would be so called.
    Another name may be anything that somebody's code says, and is not repeated.
    """
    if not isinstance(error, ImportError) or isinstance(error, SfumatoError):
        return None
    lacking = (error.name or "").partition(".")[0]
    always = dict(_required("sfumato")).get(_distribution(lacking), "") is None  # whatever asks for it
    asked = lacking if always else _asked(error) or lacking
    command = command_for(asked)
    if command is None:
        return None
    if asked == lacking:
        because = "is missing" if isinstance(error, ModuleNotFoundError) else "cannot be loaded"
    elif _distribution(lacking) in {name for name, _ in _required(asked)}:
        because = f"cannot be loaded, because of {lacking}"
    else:
        because = "cannot be loaded"
    return MissingExtraError(f"The package {_distribution(asked)} {because}; type: {command}")


def command_for(module: str) -> str | None:
    """Return the command that installs what holds ``module``; None if nothing here asks for it.

    It installs an extra of this program, if the package is part of one.
    """
    package = _distribution(module)
    listed = dict(_required("sfumato"))
    extra = listed.get(_PARTS_OF.get(package, package), "")
    if extra == "" or package == "sfumato":  # which asks for its own extras
        return None
    return f"pip install {package}" if extra is None else f"pip install 'sfumato[{extra}]'"


def _required(module: str) -> list[tuple[str, str | None]]:
    """Return the packages that the one with ``module`` asks for, each with the extra that it is part of."""
    try:
        listed = requires(_distribution(module)) or []
    except (PackageNotFoundError, ValueError):  # such as a source tree that was not installed
        return []
    found = (match.groups() for match in map(_REQUIRED.match, reversed(listed)) if match)  # the first extra wins
    return [(_distribution(name), extra) for name, extra in found]


def _asked(error: BaseException) -> str | None:
    """Return the package that this program tried to import, whatever that package lacks itself."""
    modules = [str(frame.f_globals.get("__name__")) for frame, _ in traceback.walk_tb(error.__traceback__)]
    packages = [module.partition(".")[0] for module in modules]
    own = max((place for place, package in enumerate(packages) if package == "sfumato"), default=len(packages))
    later = (package for package in packages[own + 1 :] if package not in sys.stdlib_module_names)
    return next(later, None)


def _distribution(module: str) -> str:
    return _DISTRIBUTED_AS.get(module, module.replace("_", "-").lower())
