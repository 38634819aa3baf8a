"""A real browser looks at a page: what it would fetch, whether it fits, and whether its letters can be read."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
_PLACE = "http://page.invalid/"
WIDTHS = (360, 768, 1440)
NEEDED = 4.5
"""The contrast of text and ground, from WCAG 2.2 AA."""

# The ratio of each text's colour to the nearest ground that is painted behind it. Both are opaque colours.
_CONTRASTS = """() => {
  const parts = color => color.match(/[\\d.]+/g).map(Number);
  const light = color => {
    const [r, g, b] = parts(color).slice(0, 3).map(v => v / 255)
      .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const painted = color => { const all = parts(color); return all.length < 4 || all[3] > 0; };
  const ground = element => {
    for (let up = element; up; up = up.parentElement) {
      const color = getComputedStyle(up).backgroundColor;
      if (painted(color)) return color;
    }
    return 'rgb(255, 255, 255)';
  };
  document.querySelectorAll('details').forEach(details => details.open = true);
  const found = [];
  for (const element of document.querySelectorAll('body *')) {
    if (![...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim())) continue;
    if (['title', 'desc', 'STYLE', 'SCRIPT'].includes(element.tagName)) continue;
    const style = getComputedStyle(element);
    const color = element.namespaceURI.endsWith('svg') ? style.fill : style.color;
    const both = [light(color), light(ground(element))].sort((a, b) => b - a);
    found.push([(both[0] + 0.05) / (both[1] + 0.05), element.tagName + '.' + element.getAttribute('class')]);
  }
  return found;
}"""


@contextmanager
def started() -> Iterator[Any]:
    """Yield a browser. It starts in a second: the fixture ``browser`` of a file gives all its tests the same one."""
    if BROWSER is None:
        pytest.skip("there is no Chromium on this machine")
    playing = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    quiet = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"]
    with playing.sync_playwright() as player:
        browser = player.chromium.launch(executable_path=BROWSER, args=quiet)
        yield browser
        browser.close()


@contextmanager
def opened(browser: Any, text: str, width: int = 1440, dark: bool = False) -> Iterator[tuple[Any, list[str]]]:
    """Yield the page of ``text``, which knows nothing of others, and a list of what it fetched or complained of."""
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light")
    events: list[str] = []

    def answered(route: Any) -> None:
        if route.request.url == _PLACE:
            route.fulfill(body=text, content_type="text/html; charset=utf-8")
        else:
            events.append(route.request.url)
            route.abort()

    page.route("**/*", answered)
    page.on("console", lambda message: events.append(message.text))
    page.on("pageerror", lambda error: events.append(str(error)))
    try:
        page.goto(_PLACE)
        yield page, events
    finally:
        page.close()


def looks(page: Any) -> Iterator[tuple[int, str]]:
    """Load the page again for each width and each colour scheme, and yield both."""
    for width in WIDTHS:
        for scheme in ("light", "dark"):
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=scheme)
            page.reload()
            yield width, scheme


def overflow(page: Any) -> int:
    """Return by how many pixels the page is wider than its window."""
    return int(page.evaluate("document.documentElement.scrollWidth - window.innerWidth"))


def faint(page: Any) -> list[tuple[float, str]]:
    """Return the texts whose contrast is too low, each with its element."""
    found = page.evaluate(_CONTRASTS)
    assert found
    return [(round(ratio, 2), where) for ratio, where in found if ratio < NEEDED]


def sheets(page: Any) -> list[tuple[int, int]]:
    """Return the sizes of the printed sheets in points."""
    printed: bytes = page.pdf(prefer_css_page_size=True)
    boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", printed)
    assert boxes
    return [(round(float(wide)), round(float(high))) for wide, high in boxes]
