"""Sanitize documents as a command; open them by LibreOffice and by a second library, and compare texts and pages.

Usage: documents_opened.py FOLDER [--record]

The documents are made by python-docx, openpyxl, python-pptx and reportlab, and again by LibreOffice from its own
formats. A list of names says what is marked, so what must be left of each text is known: everything else.
LibreOffice opens without a question here, so that a file which it would repair is one that it does not open; a
damaged copy of a document shows this.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from recording import SFUMATO, table, written

import documents

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))
from slide_makers import slides
from word_makers import document
from workbooks import staff

NAMES = [f"{first} {last}" for first in documents.FIRST for last in documents.LAST]
NAMES.append("Anna Schmidt")
_NAME = re.compile(r"\b(" + "|".join(sorted(map(re.escape, NAMES), key=len, reverse=True)) + r")\b")
_BETWEEN = {".docx": "odt", ".xlsx": "ods", ".pptx": "odp"}


def converted(paths: list[Path], to: str, folder: Path) -> list[Path]:
    """Return what LibreOffice makes of files; one that it does not open is left out."""
    office = shutil.which("soffice")
    if office is None:
        raise SystemExit("LibreOffice is not installed.")
    folder.mkdir(parents=True, exist_ok=True)
    made = list[Path]()
    for path in paths:  # one after the other: a file that is not opened ends a command
        profile = f"-env:UserInstallation=file://{folder.parent.resolve()}/profile"
        command = [office, profile, "--headless", "--convert-to", to, "--outdir", str(folder), str(path)]
        subprocess.run(command, capture_output=True, timeout=300, check=False)
        target = folder / f"{path.stem}.{to}"
        if target.exists():
            target = target.rename(folder / f"{path.name}.{to}")
            made.append(target)
    return made


def made(folder: Path) -> list[Path]:
    """Make the documents."""
    folder.mkdir(parents=True)
    (folder / "note.docx").write_bytes(document())
    documents.docx(folder / "pages.docx", 6)
    (folder / "staff.xlsx").write_bytes(staff(60))
    documents.xlsx(folder / "visits.xlsx", 300)
    _widen(folder / "visits.xlsx")
    (folder / "talk.pptx").write_bytes(slides())
    documents.pdf(folder / "pages.pdf", 6)
    own = sorted(folder.iterdir())
    for path in (each for each in own if each.suffix in _BETWEEN):
        between = converted([path], _BETWEEN[path.suffix], folder.parent / "between")
        for again in converted(between, path.suffix[1:], folder.parent / "again"):
            again.rename(folder / f"{path.stem} by LibreOffice{path.suffix}")
        for page in converted([path], "pdf", folder.parent / "again"):
            page.rename(folder / f"{path.stem} {path.suffix[1:]} by LibreOffice.pdf")
    return sorted(folder.iterdir())


def _widen(path: Path) -> None:
    """Make the columns of a workbook so wide that a page shows whole cells."""
    import openpyxl

    book = openpyxl.load_workbook(path)
    for column in "ABCDE":
        book.active.column_dimensions[column].width = 17
    book.save(path)


def texts(path: Path) -> Iterator[str]:
    """Yield the texts of a document as a library reads them that did not write it."""
    if path.suffix == ".docx":
        import docx

        for part in docx.Document(str(path)).part.package.iter_parts():
            root = getattr(part, "element", None)
            for paragraph in () if root is None else root.iter("{*}p"):
                yield "".join(each.text or "" for each in paragraph.iter("{*}t"))
    elif path.suffix == ".xlsx":
        import openpyxl

        for sheet in openpyxl.load_workbook(path):
            yield from (str(cell.value) for row in sheet.iter_rows() for cell in row if cell.value is not None)
    elif path.suffix == ".pptx":
        import pptx

        for slide in pptx.Presentation(str(path)).slides:
            for shape in slide.shapes:
                yield from [each.text for each in shape.text_frame.paragraphs] if shape.has_text_frame else []
    else:
        import pypdfium2

        for page in pypdfium2.PdfDocument(path):
            yield " ".join(page.get_textpage().get_text_range().split())


def same_outside(before: str, after: str) -> bool:
    """Return whether two texts are equal outside of the names in the first one, and no name is in the second."""
    pattern = ".+?".join(r"\s*".join(map(re.escape, piece.split())) for piece in _NAME.split(before)[::2])
    return re.fullmatch(rf"\s*{pattern}\s*", after, re.DOTALL) is not None and _NAME.search(after) is None


def pages(path: Path, folder: Path) -> int:
    """Return how many pages LibreOffice shows of a document, or a PDF has; 0 for what is not opened."""
    import pypdfium2

    shown = [path] if path.suffix == ".pdf" else converted([path], "pdf", folder)
    return len(pypdfium2.PdfDocument(shown[0])) if shown else 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--record", action="store_true", help="write into docs/benchmarks.md")
    options = parser.parse_args()
    shutil.rmtree(options.folder, ignore_errors=True)
    source, output = options.folder / "in", options.folder / "out"
    inputs = made(source)
    (listed := options.folder / "names.txt").write_text("".join(f"PERSON\t{name}\n" for name in NAMES))
    (policy := options.folder / "policy.toml").write_text(
        f'[find]\ndetect = ["list:{listed.resolve()}"]\n[[treat]]\nkinds = ["PERSON"]\nmethod = "label"\n'
    )
    subprocess.run([SFUMATO, "sanitize", source, "-o", output, "--policy", policy, "-q"], check=True)
    (broken := options.folder / "broken.docx").write_bytes((source / "note.docx").read_bytes()[:-200])
    assert not converted([broken], "pdf", options.folder / "shown"), "LibreOffice opened a damaged file"
    rows = list[list[object]]()
    for path in inputs:
        new = output / path.name
        before, after = list(texts(path)), list(texts(new))
        marked = sum(_NAME.search(text) is not None for text in before)
        same = sum(map(same_outside, before, after)) if len(before) == len(after) else 0
        opened = bool(converted([new], "odg" if path.suffix == ".pdf" else "pdf", options.folder / "opened"))
        counts = pages(path, options.folder / "shown in"), pages(new, options.folder / "shown out")
        rows.append([path.name, "yes" if opened else "NO", len(after), marked, same, *counts])
    totals = [sum(int(str(row[column])) for row in rows) for column in range(2, 7)]
    rows.append([f"{len(rows)} files", f"{sum(row[1] == 'yes' for row in rows)}", *totals])
    header = ["file", "opened by LibreOffice", "texts by a second library", "with a mark", "equal outside of marks"]
    header += ["pages before", "pages after"]
    version = subprocess.run(["soffice", "--version"], capture_output=True, text=True, check=True).stdout
    told = f"{table(header, rows)}\n\n{' '.join(version.split()[:2])}. The second library is the one of the proof."
    written("documents-opened", told, options.record, used={})


if __name__ == "__main__":
    main()
