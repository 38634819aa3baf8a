"""Pages from their templates: one look, no script, and a policy with which a browser fetches nothing."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from importlib import resources
from typing import Any

from sfumato.errors import MissingExtraError
from sfumato.report.plots import titled

_DATA = resources.files("sfumato") / "data"


def rendered(template: str, **content: Any) -> str:
    """Return the page that ``template`` makes of ``content``, which is escaped.

    Raise :class:`~sfumato.errors.MissingExtraError` without jinja2.
    """
    try:
        from jinja2 import Environment, FunctionLoader
    except ImportError:
        raise MissingExtraError("The report needs jinja2; type: pip install 'sfumato[evaluate]'") from None
    pages = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True, loader=FunctionLoader(_text))
    pages.filters["titled"] = titled
    style = _text("page.css")
    pages.globals.update(style=style, rules=_rules(style))
    return pages.get_template(template).render(**content)


def _text(name: str) -> str:
    return (_DATA / name).read_text(encoding="utf-8")


def _rules(style: str) -> str:
    """Return the content security policy: this style, and nothing else."""
    digest = b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
