"""What the face of every method must keep, whatever it is: one table of rows, in rows.py."""

from __future__ import annotations

import dataclasses
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import sfumato
from contracts import rows
from contracts.rows import CANARY, TEXTS
from sfumato import Document, PinnedRandomness, Sanitizer, SeededRandomness, registry
from sfumato.abstract.chat import ScriptedChat
from sfumato.abstract.method import Answering
from sfumato.building import detectors
from sfumato.building.offers import Offer
from sfumato.building.option_groups import ENGINES, NEEDS, DetectionOptions
from sfumato.errors import ConfigurationError, GuaranteeError
from sfumato.evaluation.bench import _AT_HAND, Bench, Measure
from sfumato.evaluation.plan import Plan
from sfumato.options.option import options_of, parts_of, undescribed

DOCUMENTS = [Document(text, str(number)) for number, text in enumerate(TEXTS)]
PIN = PinnedRandomness(bytes(range(32)))


def build(name: str, folder: Path) -> Sanitizer:
    """The method of the row ``name``."""
    row = rows.METHODS[name]
    names = str(rows.names_file(folder))
    options = {key: value.format(names=names) if key == "detect" else value for key, value in row.options.items()}
    if row.asks:
        options["chat_model"] = rows.answering(registry.method_class(name))
    return sfumato.build(name, row.epsilon, **options)


@pytest.fixture(params=list(rows.METHODS))
def name(request: pytest.FixtureRequest) -> str:
    """Each method."""
    return request.param


@pytest.fixture
def made(name: str, tmp_path: Path) -> Sanitizer:
    """Each method, built."""
    return build(name, tmp_path)


def test_every_method_detector_and_study_has_a_row() -> None:
    assert set(rows.METHODS) == set(registry.METHODS)
    assert set(rows.DETECTORS) == set(registry.DETECTORS)
    assert set(rows.STUDIES) == {*registry.STUDIES, *registry.METRICS}


def test_options_are_described_and_parts_can_be_built(name: str) -> None:
    kind: Any = registry.method_class(name)
    assert kind.name == name
    assert undescribed(kind) == ()
    assert dataclasses.fields(kind)
    assert set(kind.needs) <= set(NEEDS)
    offered = [option.name for option in Offer(name).everything]
    assert len(offered) == len(set(offered)), "two options of one name: which one is meant?"
    assert parts_of(kind) <= {"vocabulary", "epsilon", "model", "scoring", "chat", "phrases", "language"}
    for option in options_of(kind):
        assert option.option.help == option.option.help.strip().rstrip("."), "a help goes on in a sentence"


def test_groups_of_options_are_described() -> None:
    groups = {DetectionOptions, *NEEDS.values(), *(group for some in ENGINES.values() for group in some), Plan}
    for group in groups:
        assert undescribed(group) == (), group
        assert dataclasses.fields(group)


def test_a_field_without_a_description_is_found() -> None:
    """The guard of the tests above."""

    @dataclasses.dataclass(frozen=True)
    class Silent:
        loud: int = 1

    assert undescribed(Silent) == ("loud",)


def test_an_option_of_nobody_is_refused_in_one_sentence(name: str, tmp_path: Path) -> None:
    row = rows.METHODS[name]
    with pytest.raises(ConfigurationError) as refused:
        sfumato.build(name, row.epsilon, **{"no_such": 1})
    said = str(refused.value)
    assert said.startswith(f"{name} has no option no_such; leave out no_such (options of {name}: ")
    assert all(option.spelled in said for option in options_of(registry.method_class(name)))


def test_a_value_of_another_type_is_refused(name: str) -> None:
    for option in options_of(registry.method_class(name)):
        if option.kind in ("a number", "a whole number"):
            with pytest.raises(ConfigurationError, match=f"{option.spelled} of .* is {option.kind}, not 'many'"):
                sfumato.build(name, rows.METHODS[name].epsilon, **{option.name: "many"})


def test_it_is_frozen(made: Sanitizer) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.detector = None  # type: ignore[assignment]


def test_a_release_for_each_document_in_order(made: Sanitizer) -> None:
    releases = made.sanitize_batch(DOCUMENTS, SeededRandomness(3))
    assert [release.id for release in releases] == [document.id for document in DOCUMENTS]
    assert made.sanitize_batch([], SeededRandomness(3)) == []
    assert made.sanitize(DOCUMENTS[1], SeededRandomness(3)).id == "1"


def test_keyed_draws_repeat(name: str, made: Sanitizer, tmp_path: Path) -> None:
    first = [release.text for release in made.sanitize_batch(DOCUMENTS, PIN)]
    again = build(name, tmp_path).sanitize_batch(DOCUMENTS, PIN)
    assert [release.text for release in again] == first
    alone = [made.sanitize(document, PIN).text for document in reversed(DOCUMENTS)]
    assert alone[::-1] == first, "what else is in a batch decides nothing"


def test_it_travels_or_says_why_not(made: Sanitizer) -> None:
    if made.chat is not None:
        with pytest.raises(ConfigurationError, match="leave out --workers"):
            pickle.dumps(made)
        return
    copy = pickle.loads(pickle.dumps(made))
    assert copy.fingerprint() == made.fingerprint()
    first = [release.text for release in made.sanitize_batch(DOCUMENTS, SeededRandomness(3))]
    assert [release.text for release in copy.sanitize_batch(DOCUMENTS, SeededRandomness(3))] == first


_SETTINGS = """
import json, sys
from pathlib import Path
from contracts import rows
from contracts.test_face_contract import build
print(json.dumps({name: build(name, Path(sys.argv[1])).setting for name in rows.METHODS}))
"""


def test_settings_are_stable_between_processes(tmp_path: Path) -> None:
    """A hash that depends on the order of a set would differ: keyed draws would not repeat, no run would resume."""
    here = {name: build(name, tmp_path).setting for name in rows.METHODS}
    path = os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, sys.path)])
    environment = {**os.environ, "PYTHONHASHSEED": "77", "PYTHONPATH": path}
    ran = subprocess.run(
        [sys.executable, "-c", _SETTINGS, str(tmp_path)], capture_output=True, text=True, env=environment, check=False
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert json.loads(ran.stdout) == here
    assert len(set(here.values())) == len(here), "two methods share draws"


def test_what_is_stated_is_json_and_public(made: Sanitizer) -> None:
    made.sanitize_batch(DOCUMENTS, SeededRandomness(3))
    fields = json.dumps(made.statement_fields(), allow_nan=False)
    told = [fields, repr(made), made.setting, made.fingerprint(), *made.visible]
    told += [made.detector.description, made.detector.unprotected, repr(made.detector)]  # its setting is only hashed
    assert not [text for text in told if CANARY.lower() in text.lower()]
    assert made.visible is not None
    assert all(isinstance(line, str) and line.strip() for line in made.visible)


def test_a_promise_is_certified_and_without_one_nothing_has_an_epsilon(name: str, made: Sanitizer) -> None:
    if registry.family(name) == registry.HEURISTICS:
        assert made.guarantee is None
        for asked in (made.certificate, lambda: made.cost(3), lambda: made.relative_error):
            with pytest.raises(GuaranteeError):
                asked()
        assert "epsilon" not in json.dumps(made.statement_fields())
    else:
        assert made.guarantee is not None
        assert made.certificate().certified <= rows.METHODS[name].epsilon * (1 + 1e-9)
        assert made.cost(3).pure == pytest.approx(3 * rows.METHODS[name].epsilon)


def test_an_error_quotes_nothing(name: str, made: Sanitizer) -> None:
    """A record with a name that a pinned run refuses, and one without what the method reads."""
    odd = [Document(TEXTS[0], "a"), Document(TEXTS[2], "a")]
    with pytest.raises(sfumato.SfumatoError) as refused:
        made.sanitize_batch(odd, PIN)
    assert CANARY not in str(refused.value)


@pytest.mark.parametrize("named", list(rows.DETECTORS))
def test_detectors(named: str, tmp_path: Path) -> None:
    kind: Any = registry.detector_class(named)
    assert undescribed(kind) == ()
    spelled, options = rows.DETECTORS[named](tmp_path)
    if named in rows.NEED_MODELS:
        pytest.importorskip("spacy")
    if named == "presidio":
        pytest.importorskip("presidio_analyzer")
    parts = {"chat": rows.answering(kind)} if "chat" in kind.needs else {}
    with pytest.raises(ConfigurationError, match=r"has no option no_such; leave out no_such \(options of --detect"):
        detectors.detector(spelled, options={"no_such": 1, **parts})
    made = detectors.detector(spelled, options={**options, **parts})
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.anything = 1  # type: ignore[attr-defined]
    documents = [Document(text, str(n), {"spans": [{"start": 0, "end": 3}]}) for n, text in enumerate(TEXTS)]
    found = made.detect(documents)
    assert len(found) == len(documents)
    assert made.detect([]) == []
    for text, spans in zip(TEXTS, found, strict=True):
        edges = [edge for span in spans.bounds for edge in span]
        assert edges == sorted(edges)
        assert all(0 <= edge <= len(text) for edge in edges)
    told = [made.description, made.unprotected, repr(made), made.adjacency]
    assert all(line.strip() for line in told)
    assert not [line for line in told if CANARY.lower() in line.lower()]
    again = detectors.detector(spelled, options={**options, **parts})
    assert again.setting == made.setting


def test_a_method_says_what_it_will_draw_before_it_draws(made: Sanitizer) -> None:
    if made.guarantee is None:
        with pytest.raises(ConfigurationError, match="before it draws"):
            made.planned(DOCUMENTS)
        return
    planned = made.planned(DOCUMENTS)
    assert planned == made.planned(DOCUMENTS)
    releases = made.sanitize_batch(DOCUMENTS, SeededRandomness(3))
    assert [sum(draws.count for draws in own) for own in planned] == [release.draws for release in releases]
    assert CANARY not in repr(planned)
    changed = [dataclasses.replace(DOCUMENTS[0], text=DOCUMENTS[0].text.replace("elm", "ash")), *DOCUMENTS[1:]]
    assert made.planned(changed)[1:] == planned[1:]
    if planned[0] and planned[0][0].source:  # a draw without a source is paid each time
        assert made.planned(changed)[0][0].source != planned[0][0].source


@pytest.mark.parametrize("named", list(rows.STUDIES))
def test_studies(named: str, tmp_path: Path) -> None:
    kind = registry.study_class(named)
    assert issubclass(kind, Measure)
    assert set(kind.needs) <= set(_AT_HAND)
    assert issubclass(kind, Answering)
    rows.rounds_file(tmp_path)
    rows.canary_key(tmp_path)
    asked = {
        key: str(tmp_path / value) if key in ("rounds", "canaries") else value
        for key, value in rows.STUDIES[named].items()
    }
    encoder: Any = object()  # what embeds texts is asked nothing here
    bare = Bench(Plan(), encoder)
    bench = Bench(Plan(**asked), encoder, ScriptedChat(lambda _: None), tmp_path / "release.jsonl")
    assert bench.has(kind.needs)
    assert bare.has(kind.needs) == (not kind.needs)
    made = kind.of(bench)
    assert isinstance(made, Measure)
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.anything = 1
