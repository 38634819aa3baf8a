"""Put the pages outside docs/ on the site, and turn what a Git host reads into what MkDocs reads.

A link in a page is written as a Git host follows it: relative to the file. On the site the same link leads to the
same page. A link to a file that is no page, such as a script, becomes its text there. Formulas in ``math`` blocks,
which a Git host draws by itself, become MathML, so that no script is needed.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
ELSEWHERE = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "CHANGELOG.md": "changelog.md",
    "examples/README.md": "examples.md",
    **{
        f"examples/{page.name}": f"examples/{page.name}"
        for page in (ROOT / "examples").glob("*.md")
        if page.name != "README.md"
    },
    **{f"design/{page.name}": f"design/{page.name}" for page in (ROOT / "design").glob("*.md")},
}
"""Pages outside docs/, with their names on the site."""
_BLOCK = re.compile(r"^```(?P<kind>\w*)[^\n`]*\n(?P<body>.*?)^```$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"(?P<image>!?)\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<target>[^)\s]+)\)")
_PRIME = re.compile(r"<msup>(<mi>.</mi>)<mi>&#x02032;</mi></msup>")
"""A prime as an exponent, which is too small to see where the browser has no font made for mathematics."""


def on_config(config: Any) -> Any:
    """List the design pages in the navigation, which names their folder only."""
    [project] = [entry["Project"] for entry in config.nav if "Project" in entry]
    project[-1] = {"Decisions": sorted(uri for uri in ELSEWHERE.values() if uri.startswith("design/"))}
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the pages outside docs/; nothing is copied into the working tree."""
    for path, uri in ELSEWHERE.items():
        files.append(File.generated(config, uri, abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Return the page with its links and blocks as the site needs them."""
    origin = next((path for path, uri in ELSEWHERE.items() if uri == page.file.src_uri), f"docs/{page.file.src_uri}")
    parts, end = [], 0
    for block in _BLOCK.finditer(markdown):
        parts += [_linked(markdown[end : block.start()], origin, page.file.src_uri), _drawn(block)]
        end = block.end()
    return "".join([*parts, _linked(markdown[end:], origin, page.file.src_uri)])


def _drawn(block: re.Match[str]) -> str:
    if block["kind"] != "math":
        return f"```{block['kind']}\n{block['body']}```"  # marks for the tests behind the kind go
    formula = convert(block["body"].strip(), display="block")
    legible = _PRIME.sub(r'<mrow>\1<mo lspace="0" rspace="0">&#x02032;</mo></mrow>', formula)
    return f'<div class="formula">{legible}</div>'


def _linked(text: str, origin: str, uri: str) -> str:
    def on_the_site(link: re.Match[str]) -> str:
        path, hash_, anchor = link["target"].partition("#")
        if not path or "://" in path:
            return link[0]
        target = posixpath.normpath(posixpath.join(posixpath.dirname(origin), path))
        place = ELSEWHERE.get(target) or (target.removeprefix("docs/") if target.startswith("docs/") else None)
        if place is None or not (ROOT / target).is_file():
            return link["text"]
        relative = posixpath.relpath(place, posixpath.dirname(uri) or ".")
        return f"{link['image']}[{_linked(link['text'], origin, uri)}]({relative}{hash_}{anchor})"

    return _LINK.sub(on_the_site, text)
