"""The Python face on files: each function does what its command does, and both are one code."""

from __future__ import annotations

import inspect
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sfumato
from command_line import call, write_key
from releasing import release_file
from sfumato import registry
from sfumato.abstract.chat import ScriptedChat
from sfumato.building.offers import Offer
from sfumato.detectors.given import Given
from sfumato.detectors.uniting import Combined
from sfumato.engines.engine import Engine
from sfumato.engines.replaced import Replaced
from sfumato.errors import ConfigurationError, GuaranteeError, InputError, OutputError, VocabularyError
from sfumato.files import FileOptions
from sfumato.heuristics.redaction import Redaction
from sfumato.privacy.randomness import PinnedRandomness, SeededRandomness
from sfumato.release.job import RunOptions
from sfumato.run.sanitize_file import _OF_FILES
from test_face import HARMLESS, read

NAMES = ("Anna", "Peter", "Maria", "John")
CITIES = ("oslo", "rome", "paris", "london", "bergen", "vienna")
KEY = bytes(range(32))


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with records, spans and vectors, and the working folder of the test."""
    lines = []
    for number in range(24):
        name, city = NAMES[number % 4], CITIES[number % 6].title()
        text = f"{name} lives in {city}. Call {name} on day {number}."
        spans = [{"start": 0, "end": len(name), "label": "PERSON"}]
        lines.append(
            json.dumps({"id": f"r{number}", "topic": ("move", "call")[number % 2], "text": text, "spans": spans})
        )
    (tmp_path / "notes.jsonl").write_text("\n".join(lines) + "\n")
    vectors = np.random.default_rng(5).normal(size=(len(CITIES), 3))
    rows = [" ".join([word, *map(str, vector)]) for word, vector in zip(CITIES, vectors, strict=True)]
    (tmp_path / "vectors.txt").write_text("\n".join(rows) + "\n")
    write_key(tmp_path / "map.key", KEY)
    monkeypatch.chdir(tmp_path)
    return tmp_path


WORDS = {"vocabulary": "vectors.txt", "id_field": "id"}


# A file.


def test_python_and_the_command_line_make_the_same_release(desk: Path) -> None:
    stages: list[tuple[str, float]] = []
    released = sfumato.sanitize_file(
        "santext", "notes.jsonl", "python.jsonl", 4.0, keep=["topic"], randomness=SeededRandomness(3),
        progress=lambda *stage: stages.append(stage), **WORDS,
    )  # fmt: skip
    options = ("--set", "vocabulary=vectors.txt", "--id-field", "id", "--keep-field", "topic", "--seed", 3)
    call("sanitize", "notes.jsonl", "-o", "command.jsonl", "-m", "santext", "-e", 4, *options)
    assert Path("python.jsonl").read_bytes() == Path("command.jsonl").read_bytes()
    assert released.summary is not None
    assert released.summary.records == 24
    assert stages[-1] == ("Sanitizing", 1.0)
    assert "24 records" in repr(released)
    page = read(released._repr_html_())
    assert page.tags <= HARMLESS
    assert "NOT PRIVATE" in page.shown


def test_a_sanitizer_brings_its_spans_field(desk: Path) -> None:
    """A release that kept the offsets of the original spans would tell how long the names were."""
    made = sfumato.build("redaction", detect="given", operator="label")
    sfumato.sanitize_file(made, "notes.jsonl", "one.jsonl")
    sfumato.sanitize_file("redaction", "notes.jsonl", "two.jsonl", detect="given", operator="label")
    release_file(made, "notes.jsonl", "three.jsonl")
    assert Path("one.jsonl").read_bytes() == Path("two.jsonl").read_bytes() == Path("three.jsonl").read_bytes()
    first = json.loads(Path("one.jsonl").read_text().splitlines()[0])
    assert "Anna" not in first["text"]
    assert (first["spans"][0]["start"], first["spans"][0]["end"]) == (0, len("[PERSON]"))


def test_the_field_that_is_read_is_the_field_that_is_replaced(desk: Path) -> None:
    """Otherwise a release would keep the spans of the original, and lose another field."""
    rows = [json.loads(line) for line in Path("notes.jsonl").read_text().splitlines()]
    Path("notes.jsonl").write_text("".join(f"{json.dumps({**row, 'other': row['spans']})}\n" for row in rows))
    build, release = sfumato.build, partial(sfumato.sanitize_file, input="notes.jsonl", output="out.jsonl")
    other = RunOptions(FileOptions(spans_field="other"))
    doors: list[tuple[Callable[[], Any], str]] = [
        (lambda: release("redaction", detect="given", detect_options={"field": "other"}), "given by spans_field"),
        (lambda: release("redaction", detect=["given", "words"], detect_options={"field": "other"}), "spans_field"),
        (lambda: release("redaction", detect="given", detect_options={"merge": True}), "given by merge_spans"),
        (lambda: release("redaction", detect="given", detect_options={"skip_labels": ["X"]}), "by skip_labels"),
        (lambda: release("redaction", detect="words", spans_field="other", keep=[]), "leave out spans_field"),
        (lambda: release(build("redaction", detect="given"), spans_field="other"), "'spans', not in 'other'"),
        (lambda: release(build("redaction", detect="words"), spans_field="other"), "no field of spans"),
        (lambda: release_file(build("redaction", detect="given"), "notes.jsonl", "out.jsonl", other), "in 'other'"),
        (lambda: Combined((Given("spans"), Given("other"))), "different fields"),
    ]
    for door, message in doors:
        with pytest.raises(ConfigurationError, match=message):
            door()
    command = ("sanitize", "notes.jsonl", "-o", "out.jsonl", "-m", "redaction", "--id-field", "id", "--detect")
    for options in (("given", "--set", "detect.field=other"), ("words", "--set", "detect.spans_field=other")):
        assert call(*command, *options).code == 2
    assert not Path("out.jsonl").exists()
    both = ("given", "--detect", "words", "--set", "detect.spans_field=other")
    assert "the field 'spans' would pass" in call(*command, *both).err
    assert not Path("out.jsonl").exists()
    assert call(*command, *both, "--keep-field", "spans").code == 0
    first = json.loads(Path("out.jsonl").read_text().splitlines()[0])
    assert first["spans"] == rows[0]["spans"], "a field that was named stays"
    assert len(first["other"]) > 1


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("santext",), ConfigurationError, "Give epsilon: .* for example 8"),
        (("santex", ), ConfigurationError, "did you mean santext"),
        (("redaction", 4.0), ConfigurationError, "no formal guarantee"),
        (("santext", 4.0, {"unknown": "Nearest"}), ConfigurationError, "is nearest or surrogate, not 'Nearest'"),
        (("redaction", None, {"key": "text" * 20}), ConfigurationError, "must be bytes, not str"),
    ],
)  # fmt: skip
def test_what_is_missing_is_said(desk: Path, arguments: Any, error: Any, message: str) -> None:
    name, epsilon, options = (*arguments, None, None)[:3]
    with pytest.raises(error, match=message):
        sfumato.sanitize_file(name, "notes.jsonl", "out.jsonl", epsilon, keep=["spans"], **(options or {}))
    assert not Path("out.jsonl").exists()


def test_what_must_not_be_is_refused_before_anything_is_built(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any, **__: Any) -> Any:
        raise AssertionError("built")

    monkeypatch.setattr("sfumato.run.execute.build", never)
    Path("copy.txt").write_bytes(Path("notes.jsonl").read_bytes())
    for vocabulary in ("notes.jsonl", "copy.txt", Path("copy.txt"), {"LOC": "copy.txt"}):
        with pytest.raises(VocabularyError, match="private input"):
            sfumato.sanitize_file("santext", "notes.jsonl", "out.jsonl", 4.0, vocabulary=vocabulary)
    with pytest.raises(OutputError, match="the input itself"):
        sfumato.sanitize_file("santext", "notes.jsonl", "notes.jsonl", 4.0)
    with pytest.raises(ConfigurationError, match="needs id_field"):
        sfumato.sanitize_file("santext", "notes.jsonl", "out.jsonl", 4.0, randomness=PinnedRandomness(KEY))
    with pytest.raises(ConfigurationError, match="map_key is the key of a map"):
        sfumato.sanitize_file("redaction", "notes.jsonl", "out.jsonl", map_key=KEY)
    for method in ("redaction", sfumato.build("redaction", detect="given")):
        with pytest.raises(ConfigurationError, match="name the model"):
            sfumato.sanitize_file(method, "notes.jsonl", "out.jsonl", rounds="found.jsonl")


def test_a_map_is_made_only_where_nothing_is_promised_and_answers_are_kept(desk: Path) -> None:
    release = partial(sfumato.sanitize_file, input="notes.jsonl", output="out.jsonl", map="notes.map", map_key=KEY)
    asking = sfumato.build("redaction", detect="disclosures", chat_model=ScriptedChat(lambda question: "none"))
    for options, message in (
        ({"method": "santext", "epsilon": 4.0, **WORDS, "keep": []}, "not to SanText"),
        ({"method": sfumato.build("santext", 4.0, vocabulary="vectors.txt")}, "not to SanText"),
        ({"method": asking}, "a second time"),
    ):
        with pytest.raises(ConfigurationError, match=message):
            release(**options)
        assert not Path("notes.map").exists()
        assert not Path("out.jsonl").exists()


def test_what_no_encoding_holds_is_escaped_or_ends_in_an_error_without_it(desk: Path) -> None:
    spans = [{"start": 0, "end": 4, "label": "\ud83d"}]
    Path("odd.jsonl").write_text(json.dumps({"text": "Anna sang.", "spans": spans}) + "\n")
    quoted = json.dumps(spans).replace('"', '""')
    Path("odd.csv").write_text(f'text,spans\nAnna sang.,"{quoted}"\n')
    made = sfumato.build("redaction", detect="given", operator="label")
    for name in ("odd.jsonl", "odd.csv"):
        sfumato.sanitize_file(made, name, f"new.{name}")
        assert "\\ud83d" in Path(f"new.{name}").read_text()

    class Odd(Redaction):
        def replacements(self, records: Any, seeds: Any) -> list[list[str]]:
            return [["\ud83d"] for _ in seeds]

    with pytest.raises(OutputError, match=r"failed with UnicodeEncodeError between odd\.csv") as raised:
        sfumato.sanitize_file(Engine(Given(), Replaced(Odd())), "odd.csv", "out.csv")
    assert "\ud83d" not in str(raised.value)
    assert raised.value.__context__ is None
    assert not [path.name for path in desk.iterdir() if "out.csv" in path.name]


def test_options_of_a_built_sanitizer_are_refused(desk: Path) -> None:
    made = sfumato.build("santext", 4.0, vocabulary="vectors.txt")
    for more in ({"epsilon": 5.0}, {"detect": "words"}):
        with pytest.raises(ConfigurationError, match="built already"):
            sfumato.sanitize_file(made, "notes.jsonl", "out.jsonl", **more)


def test_no_option_of_a_method_is_called_as_one_of_a_file() -> None:
    """The two are told apart by their names alone; spans_field goes to both."""
    own = {option.name for name in registry.METHODS for option in Offer(name).everything}
    assert own & _OF_FILES == {"spans_field"}


def test_files_of_options_are_found_in_every_form(desk: Path) -> None:
    options = {
        "vocabulary": {"ANY": "vectors.txt"},
        "deny": ["names.txt", Path("map.key")],
        "k": 4,
        "encoder": object(),
    }
    assert Offer("santext").files(options) == [Path("vectors.txt"), Path("map.key")]


def test_a_stopped_run_resumes_and_a_release_is_not_replaced(desk: Path) -> None:
    first = sfumato.sanitize_file("santext", "notes.jsonl", "out.jsonl", 4.0, keep=(), **WORDS)
    with pytest.raises(OutputError, match="exists"):
        sfumato.sanitize_file("santext", "notes.jsonl", "out.jsonl", 4.0, keep=(), **WORDS)
    again = sfumato.sanitize_file("santext", "notes.jsonl", "out.jsonl", 4.0, resume=True, keep=(), **WORDS)
    assert first.summary is not None
    assert again.summary is None
    assert "earlier run" in repr(again)
    assert read(again._repr_html_()).tags <= HARMLESS
    sfumato.sanitize_file("santext", "notes.jsonl", "out.jsonl", 4.0, overwrite=True, keep=(), **WORDS)


# The way back.


@pytest.mark.parametrize("key", [KEY, "map.key", Path("map.key")])
def test_a_map_restores_the_original(desk: Path, key: Any) -> None:
    options = {"detect": "given", "operator": "pseudonym", "id_field": "id"}
    sfumato.sanitize_file("redaction", "notes.jsonl", "safe.jsonl", map="safe.map", map_key=key, **options)
    assert "Anna" not in Path("safe.jsonl").read_text()
    done = sfumato.restore("safe.jsonl", "safe.map", "again.jsonl", key)
    assert (done.files, done.names) == (1, None)
    assert Path("again.jsonl").read_bytes() == Path("notes.jsonl").read_bytes()
    pseudonym = json.loads(Path("safe.jsonl").read_text().splitlines()[0])["text"].split()[0]
    Path("answer.txt").write_text(f"I would call {pseudonym} today.")
    named = sfumato.restore("answer.txt", "safe.map", "answer-named.txt", key, pseudonyms=True, record="r0")
    assert Path("answer-named.txt").read_text() == "I would call Anna today."
    assert named.names is not None
    assert named.names.known == 1


def test_restoring_refuses_as_the_command_does(desk: Path) -> None:
    sfumato.sanitize_file("redaction", "notes.jsonl", "safe.jsonl", detect="given", map="safe.map", map_key=KEY)
    with pytest.raises(InputError, match="does not fit"):
        sfumato.restore("safe.jsonl", "safe.map", "again.jsonl", KEY[::-1])
    with pytest.raises(ConfigurationError, match="at least 32"):
        sfumato.restore("safe.jsonl", "safe.map", "again.jsonl", b"short")
    with pytest.raises(OutputError, match="its key itself"):
        sfumato.restore("safe.jsonl", "safe.map", "map.key", "map.key")
    assert not Path("again.jsonl").exists()
    assert Path("map.key").read_bytes() == KEY


# An audit.


def test_an_audit_is_the_command_lines(desk: Path) -> None:
    words = ("oslo", "rome")
    found = sfumato.audit(
        "santext", 4.0, tokens=words, samples=4000, randomness=SeededRandomness(1), vocabulary="vectors.txt"
    )
    options = (
        "--set",
        "vocabulary=vectors.txt",
        "--tokens",
        ",".join(words),
        "--samples",
        4000,
        "--seed",
        1,
        "--json",
    )
    said = call("audit", "--mechanism", "santext", "--epsilon", 4, *options).json
    assert json.loads(json.dumps(found.as_dict())) == said
    assert not found.refuted
    assert "consistent with the claim" in repr(found)
    page = read(found._repr_html_())
    assert page.tags <= HARMLESS
    assert "worst of the certificate" in page.shown
    built = sfumato.build("santext", 4.0, vocabulary="vectors.txt")
    again = sfumato.audit(built, tokens=words, samples=4000, randomness=SeededRandomness(1))
    assert again.as_dict() == found.as_dict()
    alone = built.others.routes["ANY"].mechanism  # type: ignore[attr-defined]
    assert (
        sfumato.audit(alone, tokens=words, samples=4000, randomness=SeededRandomness(1)).as_dict() == found.as_dict()
    )


def _honest(text: str, n: int) -> list[float]:
    return list(np.random.default_rng().integers(0, 2, n))


def _telling(text: str, n: int) -> list[str]:
    return ["<script>" if text == "one" else "no"] * n


@pytest.mark.parametrize("function", [_honest, _telling])
def test_a_function_of_this_process_is_audited(function: Any) -> None:
    found = sfumato.audit(sfumato.BlackBox(("one", "two"), function=function), 0.5, samples=2000)
    assert found.refuted is (function is _telling)
    assert ("1 of 1 pairs refute" in repr(found)) is found.refuted
    page = read(found._repr_html_())
    assert page.tags <= HARMLESS
    assert "script" not in page.shown, "outputs are never shown"


def test_a_command_is_audited() -> None:
    box = sfumato.BlackBox(("one", "two"), [sys.executable, "-c", "import sys\nfor line in sys.stdin: print(line)"])
    with pytest.raises(ConfigurationError, match="lines"):
        sfumato.audit(box, 1.0, samples=100)
    box = sfumato.BlackBox(("one", "two"), f"{sys.executable} -c 'import sys; sys.stdout.writelines(sys.stdin)'")
    assert sfumato.audit(box, 1.0, samples=2000).refuted


def test_an_audit_says_what_does_not_fit(desk: Path) -> None:
    built = sfumato.build("santext", 4.0, vocabulary="vectors.txt")
    box = sfumato.BlackBox(("a", "b"), "true")
    assert "inputs" not in repr(box)
    cases: list[tuple[Any, dict[str, Any], Any, str]] = [
        ("santext", {}, ConfigurationError, "Which claim"),
        (built, {"epsilon": 3.0}, ConfigurationError, "built already"),
        (built, {"texts": ("a", "b")}, ConfigurationError, "give tokens"),
        (built, {"tokens": "oslo"}, ConfigurationError, "tokens must be a list, each text, not str"),
        (sfumato.build("redaction", detect="given"), {}, GuaranteeError, "no claim to audit"),
        (box, {}, ConfigurationError, "A claim is"),
        (box, {"epsilon": 1, "randomness": SeededRandomness(1)}, ConfigurationError, "its own randomness"),
    ]  # fmt: skip
    for audited, options, error, message in cases:
        with pytest.raises(error, match=message):
            sfumato.audit(audited, **options)
    with pytest.raises(ConfigurationError, match="one of the two"):
        sfumato.BlackBox(("a", "b"))
    with pytest.raises(ConfigurationError, match="the function raised an exception") as raised:
        sfumato.audit(sfumato.BlackBox(("private", "b"), function=lambda text, n: 1 / 0), 1.0, samples=10)
    assert raised.value.__context__ is None


# Evaluations and comparisons.

QUICK = {"id_field": "id", "attacks": ["linkage"], "metrics": "utility", "sample": 24}


@pytest.mark.models
def test_an_evaluation_is_the_command_lines(desk: Path) -> None:
    sfumato.sanitize_file("redaction", "notes.jsonl", "safe.jsonl", detect="given", id_field="id")
    stages: list[str] = []
    found = sfumato.evaluate(
        "notes.jsonl", "safe.jsonl", "python", progress=lambda stage, _: stages.append(stage), **QUICK
    )
    options = ("--id-field", "id", "--attacks", "linkage", "--metrics", "utility", "--sample", 24)
    call("evaluate", "notes.jsonl", "safe.jsonl", "-o", "command", *options)
    assert _timeless("python") == _timeless("command")
    assert Path("python/report.html").read_text() == Path("command/report.html").read_text()
    assert list(dict.fromkeys(stages)) == ["linkage", "utility"]
    assert found.folder == Path("python")
    assert found.study("utility").figures
    page = read(found._repr_html_())
    assert page.tags <= HARMLESS
    assert len(found.measures) > 2
    for text in ("notes.jsonl → safe.jsonl", *(measure.name for measure in found.measures)):
        assert text in page.shown
    for shown in (repr(found), str(found), page.shown, *found.headline):
        assert not any(name in shown for name in NAMES)
    kept = sfumato.evaluate("notes.jsonl", "safe.jsonl", **{**QUICK, "attacks": []})
    assert kept.folder is None
    assert {name.name for name in desk.iterdir()} & {"studies", "answers", "results.json"} == set()
    assert kept.measures.keys() < found.measures.keys()
    for measure, estimate in kept.measures.items():  # an encoder's last digits depend on who shares a batch
        assert found.measures[measure].value == pytest.approx(estimate.value, rel=1e-6)


def _timeless(folder: str) -> Any:
    content = json.loads(Path(folder, "results.json").read_text())
    for study in content["studies"]:
        study.pop("seconds")
    return content


def test_an_evaluation_refuses_what_it_does_not_know(desk: Path) -> None:
    with pytest.raises(ConfigurationError, match="no option 'label'; it has attacks"):
        sfumato.evaluate("notes.jsonl", "notes.jsonl", label="topic")
    with pytest.raises(ConfigurationError, match="no attack 'magic'"):
        sfumato.evaluate("notes.jsonl", "notes.jsonl", attacks="magic")
    for role in ("labels", "tasks"):
        with pytest.raises(
            ConfigurationError, match="the attack 'attributes' guesses; add it to attacks, or leave out"
        ):
            sfumato.evaluate("notes.jsonl", "notes.jsonl", attacks="linkage", **{role: "topic"})  # type: ignore[arg-type]


PLAN = """
seeds = [1]
[[input]]
file = "notes.jsonl"
id = "id"
spans = "spans"
[evaluate]
attacks = ["linkage"]
metrics = ["utility"]
sample = 24
[[method]]
mechanism = "identity"
[[method]]
mechanism = "full-redaction"
[[method]]
mechanism = "redaction"
name = "<script>alert(1)</script>"
detect = "given"
operator = "label"
[[method]]
mechanism = "santext"
vocabulary = "vectors.txt"
epsilon = [2, 8]
"""


@pytest.mark.models
def test_a_comparison_is_the_command_lines(desk: Path) -> None:
    Path("plan.toml").write_text(PLAN)
    stages: list[str] = []
    found = sfumato.compare("plan.toml", "python", progress=lambda stage, _: stages.append(stage))
    call("compare", "plan.toml", "-o", "command")
    assert Path("python/frontier.json").read_text() == Path("command/frontier.json").read_text() == found.as_text()
    assert set(stages) == {"Comparing on notes.jsonl"}
    assert repr(found) == "Compared(notes.jsonl: 5 runs, 0 failed)"
    html = found._repr_html_()
    page = read(html)
    assert "<svg" in html
    assert "script" not in page.tags
    assert page.shown.count("<script>alert(1)</script>") >= 2  # in the table, and in the plot
    assert "never share them" in page.shown
    assert "not beaten in both" in page.shown


@pytest.mark.models
def test_a_comparison_without_any_result_is_an_error(desk: Path) -> None:
    broken = (
        PLAN[: PLAN.index("[[method]]")]
        + '[[method]]\nmechanism = "santext"\nvocabulary = "missing.txt"\nepsilon = 1\n'
    )
    Path("plan.toml").write_text(broken)
    with pytest.raises(ConfigurationError, match="No run could be made of 1"):
        sfumato.compare("plan.toml")


# What is public.


def test_importing_is_quick_and_every_name_is_there() -> None:
    code = (
        "import sys, sfumato; heavy = {'numpy', 'scipy', 'torch', 'pyarrow', 'typer', 'matplotlib'}; "
        "assert not heavy & set(sys.modules); [getattr(sfumato, name) for name in sfumato.__all__]; "
        "assert not {'torch', 'matplotlib', 'spacy', 'typer'} & set(sys.modules), 'too much for names alone'"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ)


_ROLE = re.compile(r":(?:func|class|meth|mod|data|attr):")


def _public() -> Iterator[Any]:
    for name in sorted(set(sfumato.__all__) - {"__version__"}):
        yield pytest.param(getattr(sfumato, name), id=name)


@pytest.mark.parametrize("thing", list(_public()))
def test_public_docstrings_are_whole_and_plain(thing: Any) -> None:
    """They are read on the site as well, which shows no role of another markup language."""
    members = (
        [thing, *(one for name, one in vars(thing).items() if name[0] != "_")] if inspect.isclass(thing) else [thing]
    )
    documented = [one.fget if isinstance(one, property) else one for one in members]
    texts = [inspect.getdoc(one) or "" for one in documented if callable(one)]
    assert all(texts)
    assert not [text for text in texts if _ROLE.search(text)]
    own = [field.name for field in fields(thing)] if is_dataclass(thing) else []
    names = own or list(getattr(thing, "_fields", ()))
    doc = inspect.getdoc(thing) or ""
    undocumented = [name for name in names if name[0] != "_" and f"{name}:" not in doc and f"``{name}``" not in doc]
    assert not undocumented
    if inspect.isfunction(thing):
        assert not [
            name for name in inspect.signature(thing).parameters if f"{name}:" not in doc and f"`{name}`" not in doc
        ]
