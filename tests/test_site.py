"""The documentation site: it builds strictly, fetches nothing, and can be searched from the disk."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

import sfumato

ROOT = Path(__file__).parents[1]
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
NEEDED = ("mkdocs", "material", "mkdocstrings_handlers.python", "latex2mathml")
FETCHED_LINKS = {
    "stylesheet",
    "icon",
    "preload",
    "prefetch",
    "preconnect",
    "dns-prefetch",
    "modulepreload",
    "manifest",
}


def _missing() -> str | None:
    for name in NEEDED:
        try:
            if importlib.util.find_spec(name) is None:
                return name
        except ModuleNotFoundError:
            return name
    return None


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as ``make docs`` builds it."""
    if missing := _missing():
        pytest.skip(f"the site needs pip install 'sfumato[docs]' ({missing} is missing)")
    folder = tmp_path_factory.mktemp("site")
    run = _built(ROOT, folder)
    assert run.returncode == 0, run.stderr
    return folder


def _built(root: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)


class _Fetched(HTMLParser):
    """Collects the addresses that a browser fetches when it shows a page: not those that a reader may follow."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "link" and not FETCHED_LINKS.isdisjoint((values.get("rel") or "").split()):
            self.addresses.append(values.get("href") or "")
        self.addresses += [values[name] or "" for name in ("src", "srcset", "data", "poster") if name in values]


def elsewhere(html: str) -> list[str]:
    """Return what a page would fetch from another machine."""
    parser = _Fetched()
    parser.feed(html)
    styles = re.findall(r"url\(\s*['\"]?((?:https?:)?//[^)'\"]+)|@import\s+['\"]([^'\"]+)", html)
    found = [*parser.addresses, *(first or second for first, second in styles)]
    return [address for address in found if re.match(r"(?:https?:)?//", address)]


@pytest.mark.parametrize(
    "html",
    [
        '<script src="https://cdn.example.org/a.js"></script>',
        '<link rel="stylesheet" href="//fonts.example.org/css">',
        '<link rel="preconnect" href="https://fonts.example.org">',
        '<style>@import "https://fonts.example.org/css";</style>',
        "<style>a { background: url(https://example.org/a.png) }</style>",
        '<img src="http://example.org/a.png">',
    ],
)
def test_what_a_page_would_fetch_is_seen(html: str) -> None:
    assert elsewhere(html)
    assert not elsewhere(
        '<a href="https://example.org">x</a><img src="images/a.svg"><link rel="canonical" href="//a.b">'
    )


def test_no_page_and_no_style_fetches_anything(site: Path) -> None:
    pages = [*site.rglob("*.html"), *site.rglob("*.css")]
    assert len(pages) > 30
    assert {str(page.relative_to(site)): elsewhere(page.read_text("utf-8")) for page in pages} == {
        str(page.relative_to(site)): [] for page in pages
    }


def test_the_pages_outside_docs_are_there_and_linked(site: Path) -> None:
    home = (site / "index.html").read_text("utf-8")
    assert '<a href="mechanisms.html' in home
    assert 'src="images/before-after.svg"' in home
    for page in ("contributing", "security", "changelog", "examples", "design/0002-exact-calibration"):
        assert (site / f"{page}.html").is_file()
    assert 'href="../mechanisms.html' in (site / "design" / "0002-exact-calibration.html").read_text("utf-8")
    assert not list(site.rglob("*.py"))


def test_the_reference_holds_every_public_name(site: Path) -> None:
    page = (site / "reference.html").read_text("utf-8")
    listed = set(re.findall(r'<h\d id="sfumato\.(\w+)"', page))
    assert listed == set(sfumato.__all__) - {"__version__"}, "add the name to docs/reference.md"


def test_the_reference_shows_no_raw_markup(site: Path) -> None:
    page = (site / "reference.html").read_text("utf-8")
    assert not re.findall(r":(?:func|class|meth|mod|data|attr):", page)
    assert "law" in re.findall(r'<h\d id="sfumato\.(\w+)"', page.lower())
    assert not re.findall(r"<p>\s*(?:Args|Attributes|Raises):", page), "a section that was not recognised"


def test_formulas_are_drawn_without_a_script(site: Path) -> None:
    page = (site / "mechanisms.html").read_text("utf-8")
    blocks = (ROOT / "docs" / "mechanisms.md").read_text("utf-8").count("```math")
    assert page.count("<math ") == blocks > 5
    assert "\\frac" not in page


SMALL = """
nav:
  - Home: index.md
  - The promise: promise.md
  - Project:
      - Contributing: contributing.md
      - Security: security.md
      - Changes: changelog.md
      - Example records: examples.md
      - Decisions: [design/]
"""
"""Where the pages of a small site are, which has all else of the configuration."""


def test_a_broken_link_stops_the_build(tmp_path: Path) -> None:
    """Nothing but the link does: the build of a small site counts one warning."""
    if missing := _missing():
        pytest.skip(f"the site needs pip install 'sfumato[docs]' ({missing} is missing)")
    copy = tmp_path / "copy"
    shutil.copytree(ROOT / "docs" / "site", copy / "docs" / "site", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("README", "CONTRIBUTING", "CHANGELOG", "docs/promise", "examples/README", "design/0001-one"):
        (copy / name).parent.mkdir(exist_ok=True)
        (copy / f"{name}.md").write_text(f"# {name}\n", encoding="utf-8")
    settings, _, _ = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")
    (copy / "mkdocs.yml").write_text(settings + SMALL, encoding="utf-8")
    (copy / "SECURITY.md").write_text("# Security\n\n[Gone](docs/promise.md#no-such-heading)\n", encoding="utf-8")
    run = _built(copy, tmp_path / "site")
    assert run.returncode != 0
    assert "no-such-heading" in run.stderr
    assert run.stderr.count("WARNING") == 1


@pytest.mark.skipif(BROWSER is None, reason="no browser is installed")
def test_search_works_from_the_disk(site: Path, tmp_path: Path) -> None:
    command = [str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}"]
    command += ["--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=8000", "--dump-dom"]
    shown = subprocess.run(
        [*command, f"file://{site}/index.html?q=pseudonym"], capture_output=True, text=True, timeout=120
    ).stdout
    assert re.search(r"\d+ matching documents", shown)
    assert "md-search-result__item" in shown
