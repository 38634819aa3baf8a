"""Count what tools leave behind in files: a canary lies in each part, and each tool knows every canary that it reads.

Each tool is given a detector that finds every canary, so a canary that is left was never looked at. A copy of the
output is unpacked and decoded, and searched. presidio-image-redactor reads pictures and DICOM alone, and has none of
these formats. Peers run in their own environments:

    python benchmarks/documents_left.py --openmed .../bin/python --presidio .../bin/python
"""

from __future__ import annotations

import argparse
import binascii
import email
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from html import unescape
from io import BytesIO
from pathlib import Path
from urllib.parse import unquote

from documents_left_files import FILES, Canaries
from recording import table, written

from sfumato.documents.formats import FORMATS, format_of
from sfumato.documents.rules import Refused, Visit
from sfumato.documents.slot import Edit

CANARY = re.compile(r"qz[a-p]+qz", re.IGNORECASE)
DEEPEST = 4
PACKED = re.compile(rb"[A-Za-z0-9+/\r\n]{16,}={0,2}")
PEERS = Path(__file__).with_name("documents_left_peers.py")
ABSENT, NO_FORMAT = "not run", "no such format"


def readings(content: bytes, depth: int = 0) -> Iterator[str]:
    """Yield every reading of ``content``: unpacked, decoded, unescaped."""
    for text in (content.decode(coding, "replace") for coding in ("utf-8", "utf-16-be", "utf-16-le")):
        yield from (text, unescape(unescape(text)), unquote(unescape(text)))
    yield binascii.a2b_qp(content).decode("utf-8", "replace")
    yield re.sub(r"<[^>]*>", "", content.decode("utf-8", "replace"))  # a word that lies in several runs
    if content.startswith(b"PK"):
        with zipfile.ZipFile(BytesIO(content)) as package:
            for name in package.namelist():
                yield name
                yield from readings(package.read(name), depth + 1)
    elif content.startswith(b"%PDF"):
        yield from pdf_readings(content)
    elif depth < DEEPEST and b"\nmime-version:" in content.lower():
        for part in email.message_from_bytes(content).walk():
            payload = part.get_payload(decode=True)
            yield from readings(payload, depth + 1) if isinstance(payload, bytes) else ()
    if depth < DEEPEST:
        for found in PACKED.finditer(content):
            packed = b"".join(found[0].rstrip(b"=").split())
            packed = packed[:-1] if len(packed) % 4 == 1 else packed
            yield from readings(binascii.a2b_base64(packed + b"=" * (-len(packed) % 4)), depth + 1)


def pdf_readings(content: bytes) -> Iterator[str]:
    """Yield every string and stream of a PDF, and the text of its pages."""
    import pikepdf
    from pdfminer.high_level import extract_text

    yield extract_text(BytesIO(content))
    with pikepdf.open(BytesIO(content)) as pdf:
        for each in pdf.objects:
            if isinstance(each, pikepdf.Stream):
                try:
                    yield each.read_bytes().decode("utf-8", "replace")
                except pikepdf.PdfError:
                    yield each.read_raw_bytes().decode("utf-8", "replace")
            yield repr(each)


def left(content: bytes, canaries: Canaries) -> list[str]:
    """Return the parts whose canary is anywhere in ``content``."""
    found = {each.lower() for text in readings(content) for each in CANARY.findall(text)}
    return [part for part, canary in canaries.items() if canary.lower() in found]


def ours(name: str, content: bytes) -> bytes | str:
    form = format_of(name if not name.endswith(".json") or ".json" in FORMATS else "a.fhir.json")
    if form is None:
        return NO_FORMAT
    target = BytesIO()
    try:
        for slot in form.walk(BytesIO(content), Visit(), target):
            slot.edits = [Edit(each.start(), each.end(), "[PERSON]") for each in CANARY.finditer(slot.text)]
    except ImportError:
        return ABSENT
    except Refused as error:
        return f"refused: {error}"
    return target.getvalue()


def peer(python: str | None, tool: str, name: str, content: bytes) -> bytes | str:
    if python is None:
        return ABSENT
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, name), Path(folder, f"new-{name}")
        source.write_bytes(content)
        run = subprocess.run(
            [python, str(PEERS), tool, str(source), str(target)],
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        if run.returncode == 3:
            return NO_FORMAT
        if run.returncode or not target.exists():
            lines = run.stderr.strip().splitlines() or ["no output"]
            error, _, reason = lines[-1].partition(": ")
            word = "refused" if "Unsupported" in error else "failed"
            return f"{word} ({error.rpartition('.')[2]}: {reason[:60]})"
        return target.read_bytes()


def lost(name: str, content: bytes, before: bytes) -> str:
    """Return what the written file no longer has of the original one: nothing is left of what was thrown away."""
    if name.endswith(".pdf"):
        from pdfminer.high_level import extract_text

        return "" if "came by" in extract_text(BytesIO(content)) else "its pages are pictures without text"
    if name.endswith(".xlsx"):
        import openpyxl

        counts = list[tuple[int, int]]()
        for each in (before, content):
            cells = [c for sheet in openpyxl.load_workbook(BytesIO(each)) for row in sheet.iter_rows() for c in row]
            formulas = sum(cell.data_type == "f" for cell in cells)
            counts.append((formulas, sum(cell.comment is not None for cell in cells)))
        return "" if counts[0] == counts[1] else "it lost its formulas and comments, and hidden sheets show"
    return ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--openmed", help="the interpreter of an environment with openmed[multimodal]")
    parser.add_argument("--presidio", help="the interpreter of an environment with presidio-structured and openpyxl")
    parser.add_argument("--record", action="store_true", help="write into docs/benchmarks.md")
    parser.add_argument("--keep", type=Path, help="a folder for the inputs and outputs")
    options = parser.parse_args()
    rows, details = list[list[object]](), list[str]()
    for name, make in FILES.items():
        content, canaries = make()
        assert left(content, canaries) == list(canaries), "a canary was not planted"
        outputs = {
            "sfumato": ours(name, content),
            "openmed": peer(options.openmed, "openmed", name, content),
            "presidio": peer(options.presidio, "presidio", name, content),
        }
        cells: list[object] = [name, len(canaries)]
        for tool, output in outputs.items():
            if isinstance(output, str):
                cells.append(output)
                continue
            parts = left(output, canaries)
            cells.append(len(parts))
            gone = lost(name, output, content)
            details.append(f"{tool}, {name}: {', '.join(parts) or 'nothing'}{f' ({gone})' if gone else ''}")
            if options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / name).write_bytes(content)
                (options.keep / f"{tool}-{name}").write_bytes(output)
        rows.append(cells)
    header = ["file", "canaries", "left by sfumato", "left by openmed", "left by presidio-structured"]
    left_by = "\n".join(f"- {line}" for line in details)
    written(
        "documents-left",
        f"{table(header, rows)}\n\nThe parts with what is left:\n\n{left_by}",
        options.record,
        used={},
    )


if __name__ == "__main__":
    sys.exit(main())
