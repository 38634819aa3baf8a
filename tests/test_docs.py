"""The pages say what is so: their code runs, their commands parse, their links lead somewhere."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import re
import shlex
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from typer.main import get_command
from typer.testing import CliRunner

import sfumato
from command_line import write_key
from releasing import release_file
from run_block import ADDRESS
from scripted_models import ScriptedMasked
from sfumato.cli.app import app
from sfumato.detectors.identifier_finder import POINTS
from sfumato.files import FileOptions
from sfumato.policy import Policy
from sfumato.registry import DETECTORS, METHODS, TOKENS, methods
from sfumato.release.job import RunOptions
from short_lists import short_families, short_lists

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("design/*.md"), *ROOT.glob("examples/*.md")])
READ = [page for page in PAGES if page.parent.name != "design"]
NOTEBOOKS = [page for page in READ if page.parent.name == "examples" and page.name != "README.md"]
"""Pages whose blocks run one after the other, in one namespace (test_examples.py)."""
NEW_LANGUAGE = ROOT / "docs" / "add-a-language.md"
"""A page whose blocks are files of a language, which test_add_a_language.py makes and runs."""
STATEMENT = ROOT / "docs" / "statement.md"
_BLOCK = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```$", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"`[^`\n]*`")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)
_ANCHOR = re.compile(r'<a id="([^"]+)">')
_LISTED = (
    "doctor nurse clinic hospital river street house garden cat dog horse bird red green blue white one two three "
    "four monday friday may june paris oslo london rome anna peter maria john the a by lives saw in refund"
)
_WORDS = _LISTED.split()


def _blocks(page: Path, kind: str) -> list[tuple[str, str]]:
    """(info string, body) of every fenced block of ``kind``."""
    found = [(match["info"].strip(), match["body"]) for match in _BLOCK.finditer(page.read_text(encoding="utf-8"))]
    return [(info, body) for info, body in found if info.split(" ")[0] == kind]


def _name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def _file_of(info: str) -> str | None:
    """The file that a block shows, if its info names one behind the language."""
    return next((word for word in info.split() if word.endswith(".py")), None)


_ENGINES = ("datasets", "pandas", "polars", "pyspark", "ray", "mcp", "langchain")
"""Packages that a block of a page may need, named behind its language."""
_APART = "# apart"
"""The end of a block that runs in a process of its own, where a server answers at the address of the page."""


def _marks(info: str) -> list[pytest.MarkDecorator]:
    marks = [pytest.mark.models] if {"models", "served", "mcp", "langchain"} & set(info.split()) else []
    for name in set(_ENGINES) & set(info.split()):
        absent = importlib.util.find_spec(name) is None
        marks.append(pytest.mark.skipif(absent, reason=f"this block needs the package {name}"))
        marks.append(pytest.mark.filterwarnings("ignore"))  # theirs
    return marks


def _python() -> Iterator[Any]:
    for page in [page for page in READ if page not in (*NOTEBOOKS, NEW_LANGUAGE)]:
        for number, (info, body) in enumerate(_blocks(page, "python"), 1):
            if _file_of(info) is None:
                apart = {"served", "mcp", "langchain"} & set(info.split())
                code = f"{body}{_APART}" if apart else body
                yield pytest.param(code, id=f"{_name(page)}-{number}", marks=_marks(info))


def _commands() -> Iterator[Any]:
    for page in READ:
        lines = [line for _, body in _blocks(page, "console") for line in body.splitlines()]
        for number, line in enumerate((one for one in lines if one.startswith("$ sfumato ")), 1):
            yield pytest.param(shlex.split(line)[2:], id=f"{_name(page)}-{number}")


def _help() -> Any:
    spec = importlib.util.spec_from_file_location("make_cli", ROOT / "docs" / "make_cli.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the small files that the pages speak of, and the working folder of the test."""
    vectors = np.random.default_rng(7).normal(size=(len(_WORDS), 4))
    rows = (" ".join([word, *map("{:.4f}".format, vector)]) for word, vector in zip(_WORDS, vectors, strict=True))
    (tmp_path / "vectors.txt").write_text("\n".join(rows) + "\n")
    records = [
        {"id": "a", "text": "Anna saw the doctor.", "spans": [{"start": 0, "end": 4, "label": "PERSON"}]},
        {"id": "b", "text": "Oslo, Friday.", "spans": [{"start": 0, "end": 4, "label": "LOC"}]},
    ]
    lines = [json.dumps(record) for record in records]
    (tmp_path / "notes.jsonl").write_text("\n".join(lines) + "\n")
    (tmp_path / "broken.jsonl").write_text("\n".join([lines[0], '{"id": ', lines[1]]) + "\n")
    (tmp_path / "tickets.csv").write_text("no,subject,body\n1,Refund,Peter lives in Rome\n2,Cat,The cat is red\n")
    (tmp_path / "lines.txt").write_text("Maria saw John.\nThe bird is blue.\n")
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "first.txt").write_text("John lives by the river.\n")
    (tmp_path / "names.txt").write_text("Anna\n/\\d{6,}/\nPERSON\tPeter\n")
    write_key(tmp_path / "secret.key")
    parquet.write_table(pa.table({"id": ["a", "b"], "text": ["Anna", "The cat in Oslo"]}), tmp_path / "notes.parquet")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def shortened() -> Iterator[None]:
    """Short public lists and built-in families: no page says what is in them."""
    with short_lists(values=50), short_families():
        yield


@pytest.mark.parametrize("code", list(_python()))
@pytest.mark.usefixtures("desk", "shortened")
def test_python_of_the_pages_runs(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    if code.endswith(_APART):
        assert _alone(code).strip()
        return
    exec(compile(code, "page", "exec", dont_inherit=True), {})  # without the future imports of this file
    assert capsys.readouterr().out.strip()


def _alone(code: str) -> str:
    """What a block prints in a process of its own, where servers and agents leave nothing behind for other tests.

    The blocks that ask the server share one process and one server, which takes some seconds to begin.
    """
    apart = [block.values[0] for block in _python() if block.values[0].endswith(_APART)]
    together = tuple(block for block in apart if ADDRESS in block) if ADDRESS in code else (code,)
    printed, error = _run(together)[together.index(code)]
    assert not error, error
    return printed


@cache
def _run(blocks: tuple[str, ...]) -> list[tuple[str, str]]:
    """What each block printed, and the traceback of one that failed."""
    support = Path(__file__).with_name("support")
    path = os.pathsep.join([str(support), *filter(None, [os.environ.get("PYTHONPATH")])])
    ran = subprocess.run(
        [sys.executable, str(support / "run_block.py")], input=json.dumps(blocks), capture_output=True, text=True,
        timeout=300, env={**os.environ, "PYTHONPATH": path}, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return [(printed, error) for printed, error in json.loads(ran.stdout.splitlines()[-1])]


def test_files_that_the_pages_show_are_those_of_the_project() -> None:
    pages = [page for page in READ if page != NEW_LANGUAGE]
    shown = [(_file_of(info), body) for page in pages for info, body in _blocks(page, "python")]
    files = [(name, body) for name, body in shown if name is not None]
    assert {name for name, _ in files} >= {f"own-mechanism/{name}.py" for name in ("response", "test_response")}
    for name, body in files:
        assert body in (ROOT / "examples" / name).read_text(encoding="utf-8"), name


@pytest.mark.parametrize("arguments", list(_commands()))
@pytest.mark.usefixtures("desk")
def test_commands_of_the_pages_work(arguments: list[str]) -> None:
    """Run where a small vocabulary file is named and one process does it; else only parsed."""
    slow = {"--resume", "--workers"}
    if ("vectors.txt" in arguments or arguments[0] == "list") and slow.isdisjoint(arguments):
        seed = ["--seed", "1"] if arguments[0] == "audit" else []  # without it one in 100 may refute an honest claim
        done = CliRunner().invoke(app, [*arguments, *seed])
        assert done.exit_code == 0, done.exception or done.output
        return
    command: Any = get_command(app)
    command.commands[arguments[0]].make_context(arguments[0], list(arguments[1:]))


@pytest.mark.models
@pytest.mark.usefixtures("shortened")
def test_the_page_about_policies_runs_in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its commands one after the other, with the example records and the policy that it shows."""
    page = ROOT / "docs" / "policies.md"
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").mkdir()
    lines = (ROOT / "examples" / "records.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "examples" / "records.jsonl").write_text("".join(lines[:6]), encoding="utf-8")
    (_, shown), (_, synthetic) = _blocks(page, "toml")
    assert Policy.parse(synthetic).synthesize.units == 5000
    (tmp_path / "letters.toml").write_text(shown, encoding="utf-8")
    commands = [shlex.split(line)[2:] for _, body in _blocks(page, "console") for line in body.splitlines()]
    for arguments in commands:
        done = CliRunner().invoke(app, arguments)
        assert done.exit_code == 0, (arguments, done.exception, done.output)
    for name in ("clinical", "given", "mine", "letters"):
        made = [json.loads(line) for line in (tmp_path / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
        assert len(made) == 6
        assert all(row["kind"] for row in made)
        assert ("spans" in made[0]) == (name == "given")
        assert "Lindqvist" not in str(made)


def test_help_in_the_pages_is_the_real_one() -> None:
    page = ROOT / "docs" / "cli.md"
    text = page.read_text(encoding="utf-8")
    maker = _help()
    assert maker.renewed(text) == text, "run: python docs/make_cli.py"
    shown = set(re.findall(r"<!-- help: ?([a-z ]*?) ?-->", text))
    command: Any = get_command(app)
    inner = {f"{name} {one}" for name, group in command.commands.items() for one in getattr(group, "commands", ())}
    assert shown == {"", *command.commands, *inner}
    assert "Usage: sfumato sanitize" in text
    assert maker.renewed(text.replace("--resume", "--resumed")) != text.replace("--resume", "--resumed")


def test_options_in_the_pages_are_those_of_the_source() -> None:
    page = ROOT / "docs" / "options.md"
    text = page.read_text(encoding="utf-8")
    maker = _help()
    assert maker.renewed_options(text) == text, "run: python docs/make_cli.py"
    for name in (*METHODS, *DETECTORS):
        assert f"\n### {name}\n" in text
    changed = text.replace("tokens in a set", "tokens in a bag")
    assert changed != text
    assert maker.renewed_options(changed) == text


def _anchors(page: Path) -> set[str]:
    text = re.sub(_BLOCK, "", page.read_text(encoding="utf-8"))
    titles = (re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-") for title in _HEADING.findall(text))
    return {*titles, *_ANCHOR.findall(text)}


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_links_of_the_pages_lead_somewhere(page: Path) -> None:
    for link in _LINK.findall(_CODE.sub("", _BLOCK.sub("", page.read_text(encoding="utf-8")))):
        if link.startswith(("http://", "https://")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{link} leads nowhere"
        assert not anchor or anchor in _anchors(target), f"{link}: no such heading"


def test_anchors_in_the_source_exist() -> None:
    named = set()
    for file in (ROOT / "src").rglob("*.py"):
        for page, anchor in re.findall(r"\b((?:docs|design)/[\w-]+\.md)(?:#([\w-]+))?", file.read_text("utf-8")):
            assert (ROOT / page).exists(), f"{file.name} names {page}"
            assert not anchor or anchor in _anchors(ROOT / page), f"{file.name} names {page}#{anchor}"
            named.add(anchor)
    assert {name.replace("+", "-plus") for name in methods(TOKENS)} <= named


@pytest.mark.models
def test_the_findings_on_the_page_are_those_of_its_command() -> None:
    page = (ROOT / "docs" / "finding.md").read_text(encoding="utf-8")
    [asked] = re.findall(r"^sfumato (find --text .*)$", page, re.MULTILINE)
    [shown] = re.findall(r"^```json\n(.*?)\n```$", page, re.MULTILINE)
    ran = CliRunner().invoke(app, shlex.split(asked), catch_exceptions=False)
    assert json.loads(ran.stdout.splitlines()[0]) == json.loads(shown)


def test_the_page_says_how_strict_each_level_is() -> None:
    page = (ROOT / "docs" / "identifiers.md").read_text(encoding="utf-8")
    for level, point in POINTS.items():
        [row] = re.findall(rf"^\| `{level}`.*$", page, re.MULTILINE)
        shown = [cell.strip() for cell in row.split("|")[2:-1]]
        told = [point.telling.get(kind) for kind in ("ORGANIZATION", "MISC")]
        assert shown == [f"{point.likely:g}", *("any" if least is None else f"{least:g}" for least in told)]
        assert point.telling.keys() <= {"ORGANIZATION", "MISC"}


def test_every_mechanism_is_in_the_pages() -> None:
    for name in methods(TOKENS):
        link = f"[{name}](mechanisms.md#{name.replace('+', '-plus')})"
        assert link in (ROOT / "docs" / "sharing.md").read_text(encoding="utf-8")
        assert f"| [{name}](#" in (ROOT / "docs" / "mechanisms.md").read_text(encoding="utf-8")


def _released(mechanism: str, records: Path, **options: Any) -> dict[str, Any]:
    made = sfumato.build(mechanism, 4.0, vocabulary="vectors.txt", **options)
    output = records.with_name(f"{mechanism}-{len(options)}.jsonl")
    release_file(
        made, records, output, RunOptions(FileOptions(id_field="id", subject_field="id", keep=()), overwrite=True)
    )
    found: dict[str, Any] = json.loads(Path(f"{output}.privacy.json").read_text(encoding="utf-8"))
    return found


_GROUPS = {
    "", "clip", "ranking", "release", "records", "people", "detector", "vocabularies.NAME",
    "records.cost_per_record.FIGURE",
}  # fmt: skip
"""Paths that only hold others."""
_CLOSED = ("conditions", "versions", "parameters", "draws_per_record", "cost_per_person", "NAME.certificate")
"""Fields whose inside is explained elsewhere."""


def _paths(value: Any, path: str = "") -> Iterator[str]:
    """Dotted paths of the fields, with the names of vocabularies and of figures made general."""
    if path not in _GROUPS:
        yield path
    if isinstance(value, dict) and not path.endswith(_CLOSED):
        for key, item in value.items():
            general = {"vocabularies": "NAME", "records.cost_per_record": "FIGURE"}.get(path, key)
            yield from _paths(item, f"{path}.{general}" if path else general)


def _documented(first: str, last: str | None = None) -> set[str]:
    text = STATEMENT.read_text(encoding="utf-8").split(first)[1]
    text = text.split(last)[0] if last else text
    cells = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    return {name for cell in cells for name in re.findall(r"`([^`]+)`", cell)}


class _Chosen(ScriptedMasked):
    """A model whose number format nobody named."""

    choice = "int8: the quickest for this machine"


def _rewritten(notes: Path) -> list[dict[str, Any]]:
    """Statements of a rewriting with an epsilon for each draw, with one for each document, and by rank."""
    clip = {"clip": (-5.0, 0.0)}
    rewriters = [
        sfumato.build("dp-mlm", **given, model=_Chosen())
        for given in ({"epsilon": 9.0, **clip}, {"document_epsilon": 9.0, **clip}, {"epsilon": 9.0})
    ]
    options = RunOptions(FileOptions(keep=()), overwrite=True)
    return [release_file(one, notes, notes.with_name("rewritten.jsonl"), options).statement for one in rewriters]


def test_the_statement_has_the_fields_that_are_explained(desk: Path) -> None:
    named = {"santext": {}, "custext": {"set_size": 4}, "clusant": {"set_size": 4, "k": 4.0}}
    made = [_released(name, desk / "notes.jsonl", **options) for name, options in named.items()]
    made.append(_released("custext", desk / "notes.jsonl", set_size=4, calibration="optimal"))
    real = {path for one in [*made, *_rewritten(desk / "notes.jsonl")] for path in _paths(one)}
    assert real == _documented("# How to read", "## Conditions")
    assert set(made[0]["records"]["draws_per_record"]) == {"minimum", "median", "maximum", "total"}
    assert set(made[0]["records"]["cost_per_record"]) == {"minimum", "median", "maximum"}
    assert set(made[0]["people"]["cost_per_person"]) == {"median", "maximum"}


def test_the_certificates_have_the_conditions_that_are_explained(desk: Path) -> None:
    options: dict[str, list[dict[str, Any]]] = {
        "custext": [{"set_size": 4}, {"set_size": 4, "calibration": "optimal"}],
        "custext+": [{"set_size": 4}],
        "clusant": [
            {"set_size": 4, "k": 4.0},
            {"set_size": 4, "k": float("inf")},
            {"set_size": 4, "k": float("inf"), "calibration": "optimal"},
            {"clusters": len(_WORDS), "k": 1.0},
        ],
    }
    vocabulary = sfumato.load_vocabulary(desk / "vectors.txt")
    real: set[str] = set()
    for name in methods(TOKENS):
        for given in options.get(name, [{}]):
            real |= set(sfumato.mechanism(name, vocabulary, 4.0, **given).certify().conditions)
    for rewritten in _rewritten(desk / "notes.jsonl"):
        real |= set(rewritten["certificate"]["conditions"])
    assert real == _documented("## Conditions", "## What to read first")


def test_the_picture_is_small_and_fetches_nothing() -> None:
    picture = ROOT / "docs" / "images" / "before-after.svg"
    text = picture.read_text(encoding="utf-8")
    assert len(text) < 60_000
    assert ElementTree.fromstring(text).tag.endswith("svg")
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")


_OLD_TURNS = re.compile(
    r"\b(?:stands? (?:beside|in|there)|stood|but for|whoever|anybody|anew|commonest|likeliest|goes on|comes out"
    r"|is none)\b"
)
"""Turns that docs/wording.md replaces by plain ones."""


@pytest.mark.parametrize("page", [page for page in READ if page.name != "wording.md"], ids=_name)
def test_pages_follow_the_wording(page: Path) -> None:
    prose = re.sub(_BLOCK, "", page.read_text(encoding="utf-8"))
    assert not _OLD_TURNS.findall(prose), "docs/wording.md says how to put it"


_IDIOMS = re.compile(r"\bthere is none\b|\bstood for\b|``\w+``")


def _prose_of(source: Path) -> Iterator[str]:
    """Yield the docstrings, messages and helps of a module, without what is fine English."""
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield _IDIOMS.sub("", re.sub(r"\s+", " ", node.value))


def test_sources_messages_and_help_follow_the_wording() -> None:
    words = ROOT / "src" / "sfumato" / "language" / "en" / "words.py"  # lists of English words
    found = {
        f"{source.relative_to(ROOT)}: {turn}"
        for source in (ROOT / "src").rglob("*.py")
        if source != words
        for text in _prose_of(source)
        for turn in _OLD_TURNS.findall(text)
    }
    assert not found, "docs/wording.md says how to put it"


def test_an_old_turn_of_a_message_is_seen(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(
        'def check() -> None:\n    """Refuse a name that is none."""\n    raise ValueError("It stands in it.")\n'
    )
    assert [_OLD_TURNS.findall(text) for text in _prose_of(module)] == [["is none"], ["stands in"]]


def test_the_old_turns_are_seen() -> None:
    before = [
        line.split("|")[1] for line in (ROOT / "docs" / "wording.md").read_text("utf-8").splitlines() if "|" in line
    ]
    assert sum(bool(_OLD_TURNS.search(text)) for text in before) >= 3


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_lists_begin_after_a_blank_line(page: Path) -> None:
    """A Git host accepts a list directly below a paragraph; the site does not."""
    lines = re.sub(_BLOCK, "", page.read_text(encoding="utf-8")).splitlines()
    item = re.compile(r"\s*(?:[-*]|\d+\.) ")
    for before, line in pairwise(lines):
        inside = not before.strip() or item.match(before) or before.startswith("  ")
        assert inside or not item.match(line), f"blank line missing before: {line}"


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_no_page_calls_a_result_anonymous(page: Path) -> None:
    assert not re.search(r"anonymi[sz]ed", page.read_text(encoding="utf-8"), re.IGNORECASE)
