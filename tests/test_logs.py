"""What is logged: lines about work, and never a private text, not even by a library at DEBUG."""

from __future__ import annotations

import logging
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import sfumato
from chat_server import Server, said
from command_line import run, write_jsonl, write_vectors
from ledger_runs import begin
from policies import policy_of_people
from scripted_models import ScriptedMasked
from sfumato.batch import Sanitize
from short_lists import short_lists

NAMES = ("Zebrafinch", "Quaggafield", "Okapiworth")
TEXTS = [
    f"Patient {name} Lindqvist of {name} Street, Oslo, was seen on 1{number} May 1986. Card 4111 1111 1111 1111, "
    f"email {name.lower()}@example.org, phone +44 20 7946 001{number}, IBAN GB33BUKB20201555555555, "
    f"key AKIAIOSFODNN7EXAMPL{number}, see www.{name.lower()}.example or 10.7.7.{number}."
    for number, name in enumerate(NAMES)
]
SECRET = re.compile(
    r"zebrafinch|quaggafield|okapiworth|lindqvist|iosfodnn|10\.7\.7|patient-\d"
    r"|(?<!\d)(?:4111|7946|2020155|1986)(?!\d)",  # the address of a lock may hold any four figures
    re.IGNORECASE,
)


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Every line that any logger of this process hands to handlers while the root is at DEBUG."""
    heard: list[str] = []
    usual = logging.Logger.callHandlers

    def noted(logger: logging.Logger, record: logging.LogRecord) -> None:
        heard.append(f"{record.name} {record.levelname} {logging.Formatter().format(record)}")
        usual(logger, record)

    monkeypatch.setattr(logging.Logger, "callHandlers", noted)
    before, names = logging.root.level, [*logging.root.manager.loggerDict]
    logging.root.setLevel(logging.DEBUG)
    monkeypatch.setattr(logging.getLogger("sfumato"), "level", logging.NOTSET)  # a command may have set another
    logging.root.manager._clear_cache()
    try:
        yield heard
    finally:
        logging.root.setLevel(before)
    assert {"sfumato"} <= {name.partition(".")[0] for name in [*names, *logging.root.manager.loggerDict]}


@pytest.fixture
def records(tmp_path: Path) -> Path:
    rows = [{"id": f"patient-{row}", "who": NAMES[row], "text": text} for row, text in enumerate(TEXTS)]
    return write_jsonl(tmp_path / "in.jsonl", rows)


def of_sfumato(lines: list[str]) -> str:
    return "\n".join(line for line in lines if line.startswith("sfumato."))


def check_silent(lines: list[str]) -> None:
    told = [line for line in lines if SECRET.search(line)]
    assert not told, told[:5]


@pytest.mark.models
def test_no_line_of_a_run_holds_a_private_text(tmp_path: Path, records: Path, lines: list[str]) -> None:
    """At DEBUG, of every logger: detectors of all kinds, a policy with a ledger and people, a map, and finding."""
    given: dict[str, Any] = {"id_field": "id", "keep": ()}
    sfumato.sanitize_file(
        "redaction", records, tmp_path / "a.jsonl", detect="identifiers", operator="pseudonym",
        map=tmp_path / "a.map", map_key=bytes(range(32)), **given,
    )  # fmt: skip
    with begin(tmp_path, subject={"*": 40}, record={"*": 40}) as ledger, short_lists():
        policy = policy_of_people(tmp_path, "identifiers", "shift", 0.1)
        sfumato.sanitize_file(policy, records, tmp_path / "b.jsonl", ledger=ledger)
    sfumato.sanitize_file(
        "santext", records, tmp_path / "c.jsonl", 4.0, detect=["entities", "words"],
        vocabulary=write_vectors(tmp_path), **given,
    )  # fmt: skip
    every = sfumato.detector(["identifiers", "presidio"])
    found = sfumato.find_file(every, records, write=lambda _: None)
    assert found.spans > 20
    made = sfumato.build("dp-mlm", 9.0, model=ScriptedMasked())
    for text in TEXTS:
        made.sanitize(text)
    check_silent(lines)
    told = of_sfumato(lines)
    for line in ("INFO certified in", "INFO released 3 records", "INFO found", "DEBUG part 0", "INFO reserved"):
        assert line in told


@pytest.mark.models
def test_presidio_still_logs_for_an_application_of_its_own(lines: list[str]) -> None:
    """Nothing is set for the whole process: a program that uses Presidio itself sees its lines as before."""
    from presidio_analyzer import RecognizerRegistry

    del lines[:]  # what importing Presidio logged
    logger = logging.getLogger("presidio-analyzer")
    before = (logger.level, logger.disabled, logger.propagate, [*logger.handlers])
    sfumato.build("redaction", detect="presidio").sanitize(TEXTS[0])
    assert not [line for line in lines if line.startswith("presidio")]
    assert (logger.level, logger.disabled, logger.propagate, [*logger.handlers]) == before
    RecognizerRegistry(supported_languages=["en"]).load_predefined_recognizers(languages=["en"])
    assert [line for line in lines if line.startswith("presidio-analyzer INFO")]


def test_no_line_holds_what_a_chat_model_is_asked(
    tmp_path: Path, records: Path, lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    server = Server(lambda _number, _body: said('{"spans": []}'))
    monkeypatch.setenv("SFUMATO_CHAT_URL", server.url)
    try:
        sfumato.sanitize_file("iterative", records, tmp_path / "d.jsonl", id_field="id", keep=(), chat_model="any")
    except sfumato.SfumatoError:
        pass  # what it answers is of no use; it was asked
    finally:
        server.close()
    assert SECRET.search(str(server.bodies))
    check_silent(lines)


def test_no_line_holds_a_row_of_a_table(tmp_path: Path, lines: list[str]) -> None:
    table = pa.table({"id": [f"patient-{row}" for row in range(3)], "text": TEXTS, "who": NAMES})
    sanitize = Sanitize(
        "santext", 4.0, detect="words", vocabulary=write_vectors(tmp_path), id_field="id", subject_field="who",
        draws_field="draws", person_field="person", pin=bytes(range(32)),
    )  # fmt: skip
    sanitize.statement([sanitize(table)])
    with pytest.raises(sfumato.SfumatoError):
        sanitize(table.set_column(0, "id", pa.array(["patient-0"] * 3)))
    check_silent(lines)


def test_importing_sfumato_configures_no_logging() -> None:
    code = (
        "import logging, sfumato, sfumato.release.run, sfumato.batch; root = logging.root; "
        "print(root.level, root.handlers, root.manager.disable, logging.getLogger('sfumato').handlers)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["30", "[]", "0", "[<NullHandler", "(NOTSET)>]"]


@pytest.mark.parametrize(("level", "said"), [(None, ""), ("info", "INFO"), ("Debug", "DEBUG"), ("loud", "loud")])
def test_the_command_logs_where_it_is_asked_to(tmp_path: Path, records: Path, level: str | None, said: str) -> None:
    """By an environment variable, on standard error; without it nothing is logged, by whatever library."""
    (tmp_path / "sitecustomize.py").write_text(
        "import threading, logging\n"
        "def chatter():\n"
        "    logging.getLogger('other').warning('chatter of a library')\n"
        "import atexit; atexit.register(chatter)\n"
    )
    done = run(
        "sanitize", records, "-o", tmp_path / "out.jsonl", "-m", "santext", "-e", 4,
        "--set", f"vocabulary={write_vectors(tmp_path)}", "--detect", "words", "--id-field", "id",
        "--keep-field", "id", "--json",
        env={"SFUMATO_LOG": level or "", "PYTHONPATH": f"{tmp_path}:{Path(sfumato.__file__).parents[1]}"},
    )  # fmt: skip
    assert "chatter" not in done.err
    logged = [line for line in done.err.splitlines() if " sfumato." in line]
    if level == "loud":
        assert done.code == 2
        assert "SFUMATO_LOG is info or debug, not 'loud'" in done.err
        return
    assert done.code == 0, done.err
    assert bool(logged) == bool(level)
    assert any(said in line for line in logged) == bool(level)
    assert not SECRET.search(done.err)
