"""Pinned draws: two runs with one key share a draw where everything is equal, and nothing otherwise.

Draws that share a uniform under two laws or for two tokens are told apart with certainty where they differ, whatever
ε is. The tests look at the joint law of two runs, and show that the older key, which held neither detector nor field
nor the other marks of a text, would fail each of them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sfumato
from command_line import call, write_key
from scripted_methods import dp_mlm
from sfumato import PinnedRandomness, Route, Vocabulary, version
from sfumato.abstract.detector import Detector
from sfumato.building import methods
from sfumato.detectors.given import Given
from sfumato.detectors.uniting import Combined
from sfumato.detectors.words import ContentWords, Words
from sfumato.engines.contextual import Contextual
from sfumato.engines.engine import Engine
from sfumato.engines.replaced import Replaced
from sfumato.engines.tokens import DrawnTokens
from sfumato.errors import ConfigurationError
from sfumato.files import FileOptions, open_source
from sfumato.heuristics.redaction import Redaction
from sfumato.kinds.labels import KindOf
from sfumato.mechanisms.dp_mlm import DPMLM
from sfumato.privacy import certificates, randomness
from sfumato.privacy.randomness import context, layout_key, numbered
from sfumato.text.document import Document
from sfumato.text.marks import Layout

KEY = bytes(range(32))
TOKENS = ("anna", "berta", "clara", "doris", "emma", "frida", "greta", "hanna")
VECTORS = np.random.default_rng(0).normal(size=(8, 3))
NAMES = Vocabulary(TOKENS, VECTORS, "a toy made by the tests")


def sanitizer(
    detector: Detector | None = None, epsilon: float = 0.2, name: str = "santext", vocabulary: Vocabulary = NAMES,
    **options: Any,
) -> Engine:  # fmt: skip
    consistency = options.pop("consistency", "mention")
    route = Route(methods.mechanism(name, vocabulary, epsilon, **options))
    return Engine(detector or Words(), DrawnTokens({"ANY": route}, "ANY", consistency=consistency))


def outputs(made: Engine, documents: list[Document]) -> list[str]:
    return [release.text.casefold() for release in made.sanitize_batch(documents, PinnedRandomness(KEY))]


def one_word_each(count: int, **facts: Any) -> list[Document]:
    """Documents of one word, most of them alike in two such lists; ``facts`` go into each."""
    return [Document(TOKENS[n % 8], f"r{n}", origin=(facts.get("field", "text"), f"r{n}")) for n in range(count)]


def agree(one: list[str], other: list[str]) -> float:
    return float(np.mean([a == b for a, b in zip(one, other, strict=True)]))


def by_chance(made: Engine) -> float:
    """How often two independent draws of one token agree, over the tokens."""
    law = np.array([made.others.routes["ANY"].mechanism.law(token) for token in range(8)])
    return float((law**2).sum(axis=1).mean())


COUNT = 2000
SLACK = 4.0 * math.sqrt(0.25 / COUNT)


@dataclass(frozen=True)
class Setting:
    """Another setting, and whether the key as it was would have shared the draws of both."""

    made: Callable[[], Engine]
    shared_before: bool = False


SETTINGS = {
    "detector": Setting(lambda: sanitizer(ContentWords()), shared_before=True),
    "epsilon": Setting(lambda: sanitizer(epsilon=0.21)),
    "calibration": Setting(lambda: sanitizer(calibration="paper")),
    "mechanism": Setting(lambda: sanitizer(name="tem")),
    "unknown words": Setting(
        lambda: Engine(
            Words(), DrawnTokens({"ANY": Route(methods.mechanism("santext", NAMES, 0.2), surrogate=3)}, "ANY")
        ),
        shared_before=True,
    ),
    "vocabulary": Setting(lambda: sanitizer(vocabulary=replace(NAMES, vectors=VECTORS * 1.0001))),
    "consistency": Setting(lambda: sanitizer(consistency="document")),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_two_settings_share_no_draw(name: str) -> None:
    base, other = sanitizer(), SETTINGS[name].made()
    documents = one_word_each(COUNT)
    assert outputs(base, documents) == outputs(sanitizer(), documents), "one setting must repeat itself"
    assert agree(outputs(base, documents), outputs(other, documents)) == pytest.approx(by_chance(base), abs=SLACK)


def test_the_version_the_analysis_and_the_scale_are_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    documents = one_word_each(COUNT)
    before, chance = outputs(sanitizer(), documents), by_chance(sanitizer())
    for owner, attribute in ((version, "VERSION"), (certificates, "ANALYSIS"), (randomness, "PINS")):
        with monkeypatch.context() as patch:
            patch.setattr(owner, attribute, "another")
            if owner is not version:  # a name of its own in the file that reads it
                patch.setattr(f"sfumato.engines.engine.{attribute}", "another")
            assert agree(before, outputs(sanitizer(), documents)) == pytest.approx(chance, abs=SLACK)
    other = sanitizer()
    slower = type(other.others.routes["ANY"].mechanism)
    scale = other.others.routes["ANY"].mechanism.law_scales[0]
    monkeypatch.setattr(slower, "law_scales", property(lambda _: (math.nextafter(scale, 0.0),)))
    assert agree(before, outputs(other, documents)) == pytest.approx(chance, abs=SLACK)


def test_two_classes_of_one_name_share_no_draw() -> None:
    """A subclass has the name, the parameters and the scales of its base, and another law."""
    made = sanitizer()
    mechanism = made.others.routes["ANY"].mechanism

    class Other(type(mechanism)):  # type: ignore[misc]
        pass

    class OtherWords(Words):
        pass

    class OtherRedaction(Redaction):
        pass

    class OtherRewriting(DPMLM):
        pass

    same = Other(**{field.name: getattr(mechanism, field.name) for field in fields(mechanism) if field.init})
    other = replace(made, others=replace(made.others, routes={"ANY": Route(same)}))
    assert other.others.routes["ANY"].mechanism.name == mechanism.name
    documents = one_word_each(COUNT)
    assert agree(outputs(made, documents), outputs(other, documents)) == pytest.approx(by_chance(made), abs=SLACK)
    rewriting = dp_mlm()
    rewritten = OtherRewriting(**{field.name: getattr(rewriting, field.name) for field in fields(rewriting)})
    settings = [
        *(each.setting for each in (made, other, sanitizer(OtherWords()))),
        *(Engine(Words(), Replaced(method)).setting for method in (Redaction(), OtherRedaction())),
        *(Engine(Words(), Contextual(each)).setting for each in (rewriting, rewritten)),
        *(Combined((words,)).setting for words in (Words(), OtherWords())),
    ]
    assert len(set(settings)) == len(settings)


def test_a_detector_without_settings_is_refused() -> None:
    """Its name would be its place in memory, which another process gives to another detector."""

    class Loose(Detector):
        description = unprotected = detect = ""  # type: ignore[assignment]

    with pytest.raises(ConfigurationError, match="Loose is no dataclass"):
        _ = sanitizer(Loose()).setting


def test_a_file_that_moves_changes_no_draw_of_a_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mistake: the setting of every policy held the path of the module that decides kinds."""
    made = replace(sanitizer(), kind_of=KindOf({}))
    before = made.setting
    monkeypatch.setattr(KindOf, "__module__", "sfumato.kinds.elsewhere")
    assert replace(made).setting == before
    monkeypatch.setattr(KindOf, "__module__", "another.package")
    assert replace(made).setting != before


def test_a_class_of_a_script_is_one_class_in_every_process() -> None:
    """A worker process knows the script under another name."""
    own, workers = (type("Mine", (Words,), {"__module__": name}) for name in ("__main__", "__mp_main__"))
    assert own().setting == workers().setting
    assert version.origin(own) == "__main__:Mine"


@pytest.mark.parametrize("format", ["jsonl", "csv", "parquet"])
def test_two_fields_share_no_draw(tmp_path: Path, format: str) -> None:
    """The records where two fields are equal must not give themselves away by equal outputs: all of them did."""
    import pyarrow as pa
    from pyarrow import csv, parquet

    rng = np.random.default_rng(1)
    ours, theirs = rng.choice(TOKENS, size=(2, COUNT))
    table = pa.table({"id": [f"r{n}" for n in range(COUNT)], "a": ours.tolist(), "b": theirs.tolist()})
    path = tmp_path / f"records.{format}"
    if format == "parquet":
        parquet.write_table(table, path)
    elif format == "csv":
        csv.write_csv(table, path)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    made = sanitizer()
    read = [
        [document for chunk in open_source(path, FileOptions(fields=fields, id_field="id")).chunks()
         for document in chunk.documents]
        for fields in (("a",), ("b",), ("a", "b"))
    ]  # fmt: skip
    alone, other, both = read
    same = ours == theirs
    drawn = np.array(outputs(made, alone)), np.array(outputs(made, other))
    chance = by_chance(made)
    slack = 4.0 * math.sqrt(0.25 / same.sum())
    assert float(np.mean((drawn[0] == drawn[1])[same])) == pytest.approx(chance, abs=slack)
    assert outputs(made, both) == [text for pair in zip(*drawn, strict=True) for text in pair], "fields read together"


def test_an_edited_word_draws_the_whole_text_afresh() -> None:
    """ "anna anna" and "berta anna" were told apart with certainty by what follows the edit."""
    made = sanitizer()
    before = [Document("anna anna clara", f"r{n}") for n in range(COUNT)]
    for text in ("berta anna clara", "anna anna clara anna", "doris anna anna clara", "anna anna", "anna clara anna"):
        after = [Document(text, f"r{n}") for n in range(COUNT)]
        first, second = outputs(made, before), outputs(made, after)
        for place, tokens in enumerate(zip(["anna", "anna", "clara"], text.split(), strict=False)):
            one, other = ([words.split()[place] for words in side] for side in (first, second))
            laws = [made.others.routes["ANY"].mechanism.law(TOKENS.index(token)) for token in tokens]
            assert agree(one, other) == pytest.approx(float((laws[0] * laws[1]).sum()), abs=SLACK)


def test_what_is_not_marked_and_how_a_word_is_spelled_draw_nothing_afresh() -> None:
    made = sanitizer()
    words = [
        release.parts[1::2]
        for text in ("anna berta", "ANNA ... Berta!", "(anna) berta")
        for release in made.sanitize_batch([Document(text, "r")], PinnedRandomness(KEY))
    ]
    assert len({tuple(word.casefold() for word in one) for one in words}) == 1


def test_labels_that_take_other_routes_share_no_draw() -> None:
    mechanism = methods.mechanism("santext", NAMES, 0.2)
    made = Engine(Given(), DrawnTokens({"A": Route(mechanism), "B": Route(mechanism)}, "A"))

    def marked(label: str) -> list[Document]:
        spans = {"spans": [{"start": 0, "end": 4, "label": label}]}
        return [Document("anna", f"r{n}", {**spans}) for n in range(COUNT)]

    law = mechanism.law(0)
    found = agree(outputs(made, marked("A")), outputs(made, marked("B")))
    assert found == pytest.approx(float((law**2).sum()), abs=SLACK)


def test_parts_of_a_context_are_joined_injectively() -> None:
    lists: list[tuple[Any, ...]] = [
        ("a/b", "c"), ("a", "b/c"), ("a/b/c",), ("ab", "c"), ("a", "bc"), ("a", "b", "c"), ("abc",), ("abc", ""),
        (1, "1"), ("1", 1), (b"1", 1), (11,), ("11",), (), ("",), (context("a"), "b"), (context("a", "b"),),
        ("atb", "c"), ("a", "btc"),
    ]  # fmt: skip
    assert len({context(*parts) for parts in lists}) == len(lists)
    field, record = Document("x", "a/b", origin=("c", "a/b")), Document("x", "a/b", origin=("b/c", "a"))
    assert field.names != record.names
    renamed = replace(Document("x", "a"), id="b")
    assert renamed.names == ("b",)


def test_numbered_contexts_are_the_contexts_of_the_numbers() -> None:
    numbers = np.array([0, 7, 7, 255, 256, 2**40, 2**62])
    for before in ((), (b"key", "PERSON"), ("a/b", 3)):
        assert numbered(numbers, *before) == [context(*before, number) for number in numbers.tolist()]
    assert numbered(range(3), "audit") == [context("audit", number) for number in range(3)]
    assert numbered([], "audit") == []
    assert numbered([3], "audit", 1, after=("cat", b"x", 5)) == [context("audit", 1, 3, "cat", b"x", 5)]


@pytest.mark.parametrize("name", [name for name, setting in SETTINGS.items() if setting.shared_before])
def test_the_older_key_is_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Power: with a key of law, record, place and token alone, equal outputs would say that the words are equal."""
    monkeypatch.setattr(Engine, "setting", property(lambda made: str(made.others.routes["ANY"].facts[:4])))
    documents = one_word_each(COUNT)
    found = agree(outputs(sanitizer(), documents), outputs(SETTINGS[name].made(), documents))
    assert found > by_chance(sanitizer()) + 2.0 * SLACK


def test_rewriting_and_redaction_are_keyed_on_field_detector_and_text() -> None:
    text = "one two three four " * 8
    spans = [{"start": start, "end": start + 18, "label": "PERSON"} for start in range(0, len(text), 19)]

    def texts(made: Any, origin: tuple[str, ...] = ("a", "r"), text: str = text) -> str:
        metadata = {"spans": spans, "others": spans}
        return made.sanitize(Document(text, "r", metadata, origin), PinnedRandomness(KEY)).text

    surrogates = partial(sfumato.build, "redaction", operator="surrogate", detect="given")
    for made, other in (
        (Engine(Words(), Contextual(dp_mlm())), Engine(ContentWords(), Contextual(dp_mlm()))),
        (surrogates(), surrogates(spans_field="others")),
    ):
        assert texts(made) == texts(made)
        assert texts(made) != texts(made, ("b", "r"))
        other_key = layout_key(other.setting, Document(text, "r"), Layout(text, [(0, 3)], ["A"]))
        assert other_key != layout_key(made.setting, Document(text, "r"), Layout(text, [(0, 3)], ["A"]))
        edited = texts(made, text="six" + text[3:])
        assert edited[len(edited) // 2 :] != texts(made)[len(texts(made)) // 2 :], (
            "what follows an edit is drawn afresh"
        )


def test_a_rewriting_is_keyed_on_everything_that_is_marked() -> None:
    keys = [
        layout_key(setting, Document(text, id), Layout(text, spans, labels))
        for setting, text, id, spans, labels in (
            ("s", "one two", "r", [(0, 3)], ["A"]),
            ("t", "one two", "r", [(0, 3)], ["A"]),
            ("s", "one too", "r", [(0, 3)], ["A"]),
            ("s", "one two", "q", [(0, 3)], ["A"]),
            ("s", "one two", "r", [(4, 7)], ["A"]),
            ("s", "one two", "r", [(0, 3)], ["B"]),
            ("s", "one two", "r", [(0, 3), (4, 7)], ["A", "A"]),
            ("s", "one two", "r", [], []),
        )
    ]
    assert len(set(keys)) == len(keys)


def test_the_statement_says_what_a_second_run_shows(tmp_path: Path) -> None:
    key, source = tmp_path / "key", tmp_path / "in.jsonl"
    write_key(key, KEY)
    source.write_text('{"id": "1", "text": "anna met berta"}\n')
    vectors = tmp_path / "v.txt"
    rows = (" ".join([token, *map(str, row)]) for token, row in zip(TOKENS, VECTORS.tolist(), strict=True))
    vectors.write_text("\n".join(rows))
    out = tmp_path / "out.jsonl"
    ran = call("sanitize", source, "-o", out, "-m", "santext", "-e", 1, "--set", f"vocabulary={vectors}",
               "--id-field", "id",
               "--pin", key, "--json")  # fmt: skip
    assert ran.code == 0, ran.err
    said = json.loads((tmp_path / "out.jsonl.privacy.json").read_text())["randomness"]
    assert "a second run therefore shows whether a text's sequence of marked tokens is unchanged" in said
