"""Plant a canary in every kind of part of a folder of files, sanitize it by whole commands, and search every byte.

Usage: documents_planted.py FOLDER [--openmed .../python] [--presidio .../python] [--record]

The detector of the policy knows all canaries, by a list, so a canary that is left was never looked at. What a command
writes is inflated, decoded and unescaped, as UTF-16 too, and searched with no code of sfumato. A canary that this
search does not see in its input would prove nothing, so it is counted apart. Peers get each file alone, without its
name, and a detector that knows all canaries.
"""

from __future__ import annotations

import argparse
import io
import itertools
import json
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from email.message import EmailMessage
from pathlib import Path

from documents_left import CANARY, lost, peer, readings
from documents_left_files import FILES, canary
from recording import SFUMATO, models, table, written

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))
from packing import every_string
from pdf_everything import everything
from pdf_parts import Canaries as OfPdf
from pdf_parts import saved
from slide_makers import planted as slides
from word_makers import planted as words
from workbooks import full

POLICIES = ("clinical", "court")


class Planted(OfPdf):
    """The canary of each kind of part of one file."""

    def __call__(self, kind: str) -> str:
        return self.setdefault(kind, canary())

    __missing__ = __call__

    @property
    def places(self) -> dict[str, str]:
        """Return the kinds by their canaries."""
        return {word: kind for kind, word in self.items()}


Made = tuple[bytes, Planted]


def word() -> Made:
    c = Planted()
    return words(c)[0], c  # type: ignore[arg-type]


def powerpoint() -> Made:
    c = Planted()
    return slides(c)[0], c  # type: ignore[arg-type]


def excel() -> Made:
    c = Planted()
    return full(c).content(), c


def pdf() -> Made:
    c = Planted()
    return saved(everything(c)), c


def again(make: Callable[[], tuple[bytes, dict[str, str]]]) -> Made:
    """Make a file of another script, whose canaries are replaced by new ones of as many letters."""
    content, old = make()
    return content, Planted(old)


def page() -> Made:
    c = Planted()
    return (
        f"<!doctype html><html lang='en'><head><title>{c('title')}</title><meta name='author' content='{c('meta')}'>"
        f"<style>.{c('class')} {{color: red}}</style><script>var a = '{c('script')}'</script></head>"
        f"<body><!-- {c('comment')} --><p class='{c('class')}' id='{c('id')}'>Dear {c('paragraph')}</p>"
        f"<p>{c('name in two pieces')[:4]}<b>{c('name in two pieces')[4:]}</b></p>"
        f"<img alt='{c('alternative text')}' title='{c('tooltip')}' src='{c('source')}.png'>"
        f"<a href='https://example.org/{c('link')}' data-x='{c('data')}'>x</a>"
        f"<p style='display:none'>{c('hidden')}</p><input value='{c('value')}' placeholder='{c('placeholder')}'>"
        f"<table><caption>{c('caption')}</caption><tr><td>{c('cell')}</td></tr></table>"
        f"<form action='/{c('action')}'><textarea>{c('field')}</textarea></form></body></html>"
    ).encode(), c


def subtitles() -> Made:
    c = Planted()
    cue = "00:00:01.000 --> 00:00:02.000"
    head = f"WEBVTT {c('heading')}\n\nNOTE {c('note')}\n\n"
    return f"{head}{c('name of a cue')}\n{cue}\n<v {c('voice')}>I, {c('cue')}\n".encode(), c


def captions() -> Made:
    c = Planted()
    return f"1\n00:00:01,000 --> 00:00:02,000\n<i>{c('caption')}</i> came\n".encode(), c


def plain() -> Made:
    c = Planted()
    return f"Dear {c('line')},\n\nSee {c('end of a line')}\n".encode(), c


def mailbox() -> Made:
    c, lines = Planted(), b""
    for number in (1, 2):
        mail = EmailMessage()
        mail["From"] = f"{c(f'sender of message {number}')} <a@example.org>"
        mail["Subject"] = c(f"subject of message {number}")
        mail.set_content(f"Dear {c(f'body of message {number}')}")
        lines += b"From a@example.org Thu Jan  2 00:00:00 2020\n" + mail.as_bytes() + b"\n"
    return lines, c


def packed() -> Made:
    (inner, c), target = page(), io.BytesIO()
    with zipfile.ZipFile(target, "w") as package:
        package.writestr(f"{c('name of a folder in a ZIP file')}/{c('name of a file in a ZIP file')}.html", inner)
    return target.getvalue(), c


MAKERS: dict[str, Callable[[], Made]] = {
    ".docx": word, ".pptx": powerpoint, ".xlsx": excel, ".pdf": pdf, ".html": page, ".vtt": subtitles,
    ".srt": captions, ".md": plain, ".mbox": mailbox, ".zip": packed,
}  # fmt: skip


def makers() -> Iterator[tuple[str, Callable[[], Made]]]:
    """Yield each way to make a file, with the ending of the file."""
    yield from MAKERS.items()
    for name, make in FILES.items():
        yield Path(name).suffix, lambda make=make: again(make)


def made(folder: Path, copies: int) -> dict[Path, dict[str, str]]:
    """Write the files; return the canaries of each, by the kind of part."""
    planted: dict[Path, dict[str, str]] = {}
    for copy in range(copies):
        for number, (ending, make) in enumerate(makers()):
            content, own = make()
            names = Planted()
            path = folder / f"{names('name of a folder')} {copy}" / f"{names('name of a file')} {number}{ending}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            planted[path] = own | names
    return planted


def seen(folder: Path) -> set[str]:
    """Return every canary in the names and in the bytes of the files of ``folder``, in small letters."""
    found = set[str]()
    for path in (each for each in folder.rglob("*") if each.is_file()):
        content = path.read_bytes()
        for text in itertools.chain([str(path.relative_to(folder)), every_string(content)], readings(content)):
            found |= {each.lower() for each in CANARY.findall(text)}
    return found


def sanitized(source: Path, policy: str, listed: Path) -> tuple[Path, int]:
    """Sanitize the folder as a command; return the folder of the output, and how many files were set aside."""
    output = source.with_name(f"{source.name}-{policy}")
    for path in source.parent.glob(f"{output.name}*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    subprocess.run(
        [
            str(SFUMATO), "sanitize", str(source), "-o", str(output), "--policy", policy, "-q", "--on-error",
            "quarantine", "--set", f'find.detect=["identifiers", "list:{listed}"]',
        ],
        check=True,
    )  # fmt: skip
    aside = output.with_name(f"{output.name}.quarantine.jsonl")
    lines = [json.loads(line) for line in aside.read_text().splitlines()] if aside.exists() else []
    for line in lines:
        print(line, file=sys.stderr)
    return output, len(lines)


def by_peer(python: str | None, tool: str, planted: dict[Path, dict[str, str]]) -> str:
    """Return how many canaries another tool leaves in files of one kind, and what it does not write."""
    left, written_files, reasons = 0, 0, list[str]()
    for path, own in planted.items():
        content = path.read_bytes()
        output = peer(python, tool, f"file{path.suffix}", content)
        if isinstance(output, str):
            reasons.append(output.partition(" (")[0])
            continue
        written_files += 1
        found = {each.lower() for text in (every_string(output), *readings(output)) for each in CANARY.findall(text)}
        left += sum(word.lower() in found for kind, word in own.items() if not kind.startswith("name of a f"))
        reasons += [gone] if (gone := lost(path.name, output, content)) else []
    notes = "; ".join(dict.fromkeys(reasons))
    share = "" if written_files == len(planted) else f" in {written_files} of {len(planted)} files"
    return f"{left}{share}{f' ({notes})' if notes else ''}" if written_files else notes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where the files are made")
    parser.add_argument("--copies", type=int, default=2, help="how many files of each kind, each with other canaries")
    parser.add_argument("--openmed", help="the interpreter of an environment with openmed[multimodal]")
    parser.add_argument("--presidio", help="the interpreter of an environment with presidio-structured and openpyxl")
    parser.add_argument("--record", action="store_true", help="write into docs/benchmarks.md")
    options = parser.parse_args()
    source = options.folder / "planted"
    shutil.rmtree(source, ignore_errors=True)
    planted = made(source, options.copies)
    (listed := options.folder / "canaries.txt").write_text(
        "".join(f"PERSON\t{word}\n" for own in planted.values() for word in own.values())
    )
    before = seen(source)
    after = {policy: sanitized(source, policy, listed) for policy in POLICIES}
    left = {policy: seen(output) for policy, (output, _) in after.items()}
    rows, unseen = list[list[object]](), set[str]()
    for ending in dict.fromkeys(path.suffix for path in planted):
        files = {path: own for path, own in planted.items() if path.suffix == ending}
        pairs = [pair for own in files.values() for pair in own.items()]
        dark = [kind for kind, word in pairs if word.lower() not in before]
        unseen |= {f"{kind} ({ending})" for kind in dark}
        row: list[object] = [ending, len(files), len({kind for kind, _ in pairs}), len(pairs), len(dark)]
        for policy, (output, _) in after.items():
            kept = [kind for kind, word in pairs if word.lower() in left[policy]]
            row += [len(list(output.rglob(f"*{ending}"))), len(kept)]
            for kind in kept:
                print(f"{policy}, {ending}: {kind}", file=sys.stderr)
        rows.append(row)
    rows.append(["all", *(sum(int(str(row[column])) for row in rows) for column in range(1, len(rows[0])))])
    for row in rows:
        files = {path: own for path, own in planted.items() if path.suffix == row[0]}
        row += [by_peer(options.openmed, "openmed", files), by_peer(options.presidio, "presidio", files)]
    header = ["", "files", "kinds of part", "canaries", "not seen in the input"]
    header += [told for policy in POLICIES for told in (f"files by `{policy}`", "canaries left")]
    header += ["left by openmed", "left by presidio-structured"]
    aside = sum(count for _, count in after.values())
    told = f"{table(header, rows)}\n\nSet aside: {aside} files. Not seen in the input: {', '.join(sorted(unseen))}."
    written("documents-planted", told, options.record, used=models("detector"))


if __name__ == "__main__":
    main()
