"""Distortion against a small model whose answers are known: what is drawn, what is refused, what is kept."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import sfumato
from scripted_models import ScriptedMasked
from sfumato.abstract.detector import Detector
from sfumato.cli.app import app
from sfumato.detectors.sampled import Sampled
from sfumato.engines.engine import Engine
from sfumato.engines.replaced import Replaced
from sfumato.errors import ConfigurationError, SfumatoError
from sfumato.heuristics._filling import Filling, Forbidden, Masks, Task, marked
from sfumato.heuristics.distortion import Distortion, _edits
from sfumato.language.letter_case import capitalised_like
from sfumato.metrics.divergence import Edit, NeighboringDivergence
from sfumato.privacy.randomness import PinnedRandomness, SeededRandomness
from sfumato.release.statement import statement
from sfumato.text.document import Document
from sfumato.text.marks import Layout, Span, Spans, marked_records
from sfumato.vocabularies.builtin import PhraseStore, family_phrases
from sfumato.vocabularies.private import refuse_private

TREES = ("ash", "birch", "cedar", "oak", "pine")


def flat(context: list[str], copy: list[str], place: int) -> Sequence[float]:
    """No word is more likely than another."""
    return [0.0] * len(TREES)


def neighbours(context: list[str], copy: list[str], place: int) -> Sequence[float]:
    """A word is likely beside itself: an edit moves what is expected beside it, but for pine, which says as oak."""
    near = {"oak" if one == "pine" else one for one in copy[max(0, place - 1) : place] + copy[place + 1 : place + 2]}
    return [3.0 if word in near else 0.0 for word in TREES]


def scripted(script: Any = flat) -> ScriptedMasked:
    return ScriptedMasked(words=TREES, script=script)


@dataclass(frozen=True)
class Marks(Detector):
    """Marks some words wherever they stand."""

    words: tuple[str, ...]
    description = "some words"
    unprotected = "the rest"

    def detect(self, documents: Sequence[Document]) -> list[Spans]:
        found = []
        for document in documents:
            spans = [Span(document.text.index(word), document.text.index(word) + len(word), "TREE")
                     for word in self.words if word in document.text]  # fmt: skip
            found.append(Spans.checked(spans, len(document.text), "here"))
        return found


def layout(text: str, *words: str) -> Layout:
    found = sorted((text.index(word), text.index(word) + len(word)) for word in words)
    return Layout(text, found, ["TREE"] * len(found))


def drawn(model: ScriptedMasked, one: Layout, count: int = 40, seed: int = 1) -> list[list[str]]:
    items = marked(one)
    masks, refused = Masks(model, one, items), Forbidden(one)
    tasks = [Task(masks, at, item, refused, np.random.default_rng([seed, at])) for at, item in enumerate(items)]
    return Filling(model, count).draw(tasks)


def store(folder: Path, content: Any) -> PhraseStore:
    path = folder / "phrases.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return PhraseStore(path)


BUILTIN = PhraseStore()


def test_the_original_and_other_marked_texts_are_never_drawn() -> None:
    found = drawn(scripted(), layout("the oak beside the Pine fell", "oak", "Pine"))
    assert set(found[0]) == {"ash", "birch", "cedar"}
    assert set(found[1]) == {"Ash", "Birch", "Cedar"}  # with the capital of the word in whose place it stands


def test_of_a_phrase_only_the_whole_is_refused_and_of_a_person_each_name() -> None:
    found = drawn(scripted(), layout("the oak ash fell", "oak ash"), 400)
    assert "oak ash" not in found[0]
    assert {"ash oak", "oak oak", "pine ash"} <= set(found[0])
    person = layout("the oak ash fell", "oak ash")._replace(labels=["PERSON"])
    assert {word for text in drawn(scripted(), person, 400)[0] for word in text.split()} == {"birch", "cedar", "pine"}


def test_a_model_that_knows_nothing_else_draws_nothing() -> None:
    model = ScriptedMasked(words=("oak",), script=lambda *_: [0.0])
    assert drawn(model, layout("the oak fell", "oak")) == [[]]
    made = Engine(Marks(("oak",)), Replaced(Distortion(model, "generative"))).sanitize("the oak fell")
    assert made.text == "the [TREE] fell"


def test_words_are_drawn_from_left_to_right_and_see_no_marked_text() -> None:
    seen: list[list[str]] = []

    def sees(context: list[str], copy: list[str], place: int) -> Sequence[float]:
        seen.append(copy)
        return [9.0 if word == ("birch" if "ash" in copy else "ash") else 0.0 for word in TREES]

    text = "a cedar pine stood by an oak and the cedar pine"
    found = drawn(scripted(sees), Layout(text, [(2, 12), (25, 28), (37, 47)], ["TREE"] * 3), 1)
    assert found[0] == ["ash birch"]
    assert not any({"cedar", "oak", "pine"} & set(copy) for copy in seen)
    assert ["a", "ash", "[MASK]", "stood", "by", "an", "[MASK]", "and", "the", "ash", "[MASK]"] in seen


def test_each_text_is_drawn_from_the_answer_about_its_own_place() -> None:
    wanted = {0: "cedar", 2: "ash", 3: "birch"}
    model = scripted(lambda context, copy, place: [40.0 * (word == wanted[place]) for word in TREES])
    assert drawn(model, layout("oak by pine oaks", "oak", "pine oaks"), 1) == [["cedar"], ["ash birch"]]


def test_draws_follow_the_law() -> None:
    model = scripted(lambda *_: [float(np.log(weight)) for weight in (1, 2, 3, 100, 4)])  # the oak may not be drawn
    counts = dict.fromkeys(TREES, 0)
    for seed in range(2000):
        counts[drawn(model, layout("the oak fell", "oak"), 1, seed)[0][0]] += 1
    expected = {"ash": 200, "birch": 400, "cedar": 600, "oak": 0, "pine": 800}
    assert all(abs(counts[word] - expected[word]) < 90 for word in TREES)  # more than four deviations


@pytest.mark.parametrize("way", ["generative", "substitutive"])
def test_the_smallest_divergence_is_kept(way: Any, tmp_path: Path) -> None:
    text = "birch oak cedar"
    path = store(tmp_path, {"tree": ["ash", "birch x", "pine", "cedar"]}) if way == "substitutive" else None
    method = Distortion(scripted(neighbours), way, candidates=500, phrases=path, block=1)
    made = {
        Engine(Marks(("oak",)), Replaced(method)).sanitize(text, SeededRandomness(seed)).text for seed in range(5)
    }
    assert made == {"birch pine cedar"}
    by_chance = Distortion(scripted(neighbours), way, candidates=60, choose="first", phrases=path)
    made = {
        Engine(Marks(("oak",)), Replaced(by_chance)).sanitize(text, SeededRandomness(seed)).text for seed in range(9)
    }
    assert len(made) > 1


def test_what_is_kept_is_the_argmin_of_the_metric() -> None:
    model = scripted(neighbours)
    one = layout("ash cedar oak birch oak x", "oak")
    edits = _edits(one, marked(one)[0], TREES)
    assert edits[0] == Edit(one.text, "ash cedar ash birch oak x")  # only what was marked is replaced
    whole = Layout(one.text, [(10, 13), (20, 23)], ["TREE"] * 2)
    assert _edits(whole, marked(whole)[0], ["pine"])[0].after == "ash cedar pine birch pine x"
    costs = NeighboringDivergence(model, block=1).of(
        _edits(whole, marked(whole)[0], ["ash", "birch", "cedar", "pine"])
    )
    assert int(np.argmin(costs)) == 3


def test_far_text_does_not_take_part() -> None:
    text = f"{'far ' * 200}near oak near {'far ' * 200}"
    one = layout(text, "oak")
    edit = _edits(one, marked(one)[0], ["pine"])[0]
    assert len(edit.before.split()) == 25
    assert edit.after == edit.before.replace("oak", "pine")


@pytest.mark.parametrize("way", ["generative", "substitutive"])
def test_seeds_decide_everything(way: Any) -> None:
    documents = [Document(f"an oak and a pine and {number} ash", str(number)) for number in range(6)]
    phrases = BUILTIN if way == "substitutive" else None
    editor = Engine(Marks(("oak", "ash")), Replaced(Distortion(scripted(neighbours), way, phrases=phrases)))
    key = PinnedRandomness(bytes(range(32)))
    together = [one.text for one in editor.sanitize_batch(documents, key)]
    alone = [editor.sanitize_batch([document], key)[0].text for document in reversed(documents)]
    assert together == alone[::-1]
    other = PinnedRandomness(bytes(range(1, 33)))
    assert together != [one.text for one in editor.sanitize_batch(documents, other)]


def test_substitutes_have_the_same_label_and_never_hold_a_marked_text(tmp_path: Path) -> None:
    path = store(tmp_path, {"tree": ["Oak", "old oak wood", "PINE", "lime", "Lime"], "LOC": ["Oslo"]})
    method = Distortion(way="substitutive", choose="first", candidates=3, phrases=path)
    made = Engine(Marks(("oak", "pine")), Replaced(method)).sanitize("an oak and a pine")
    assert made.text == "an lime and a lime"
    assert [source.path for source in method.sources] == [path.path]
    bergen = marked_records([Document("Bergen")], [Layout("Bergen", [(0, 6)], ["GPE"])])
    places = method.replacements(bergen, [1])
    assert places[0][0] in family_phrases("PLACE")  # LOC is another label, and its family is PLACE
    by_family = Distortion(way="substitutive", choose="first", phrases=store(tmp_path, {"place": ["Oslo"]}))
    assert by_family.replacements(bergen, [1]) == [["Oslo"]]
    few = Distortion(way="substitutive", choose="first", phrases=store(tmp_path, {"ANY": ["Oslo"]}))
    assert Engine(Marks(("Oslo",)), Replaced(few)).sanitize("Oslo stands").text == "[TREE] stands"


def test_a_private_file_of_phrases_is_refused(tmp_path: Path) -> None:
    path = store(tmp_path, {"ANY": ["Oslo"]}).path
    assert path is not None
    editor = sfumato.build("distortion", detect="words", way="substitutive", choose="first", phrases=str(path))
    with pytest.raises(SfumatoError):
        refuse_private(editor.sources, [path])


@pytest.mark.parametrize("content", ["no json", [], {"TREE": "oak"}, {"TREE": []}, {"TREE": [1]}, {"TREE": [" "]}])
def test_a_file_of_another_form_is_refused(content: Any, tmp_path: Path) -> None:
    path = store(tmp_path, content)
    if content == []:
        assert Distortion(choose="first", phrases=path).prepare() is None  # no label: all built in
        return
    with pytest.raises(ConfigurationError, match="store of phrases"):
        Distortion(choose="first", phrases=path).prepare()


def test_a_mask_for_each_word() -> None:
    made = Engine(Marks(("old oak", "pine")), Replaced(Distortion(way="masked"))).sanitize("an old oak by a pine")
    assert made.text == "an [MASK] [MASK] by a [MASK]"


@pytest.mark.parametrize(
    "setting",
    [{"way": "other"}, {"choose": "best"}, {"candidates": 0}, {"candidates": True}, {"block": 0},
     {"way": "generative"}, {}, {"phrases": BUILTIN}, {"choose": "first"}, {"way": "masked", "phrases": BUILTIN}],
)  # fmt: skip
def test_settings_that_cannot_be(setting: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError):
        Distortion(**setting)


def test_a_share_leaves_the_rest_on_purpose_and_says_so() -> None:
    found = Sampled(Marks(("oak", "pine", "ash")), 0.33)
    documents = [Document("the oak, the pine, the ash", str(number)) for number in range(400)]
    kept = [len(spans) for spans in found.detect(documents)]
    assert 0.28 < sum(kept) / 1200 < 0.38
    assert found.detect(documents) == Sampled(Marks(("oak", "pine", "ash")), 0.33).detect(documents)
    assert "67% of what is found stays as it was" in found.unprotected
    assert found.setting != Sampled(Marks(("oak", "pine", "ash")), 0.34).setting
    assert Sampled(Marks(("oak",)), 1.0).detect(documents) == Marks(("oak",)).detect(documents)
    method = Distortion(scripted(), "generative")
    releases = Engine(found, Replaced(method)).sanitize_batch(documents, SeededRandomness(1))
    for made, document, spans in zip(releases, documents, found.detect(documents), strict=True):
        gone = {document.text[span.start : span.end] for span in spans}
        assert not gone & set(made.text.replace(",", "").split())
    for share in (0.0, 1.1, True):
        with pytest.raises(ConfigurationError):
            Sampled(Marks(()), share)


def test_a_text_has_one_fate_in_its_document() -> None:
    both = Document("oak OAK", "7")
    spans = [Span(0, 3, "TREE"), Span(4, 7, "TREE")]

    class Two(Marks):
        def detect(self, documents: Sequence[Document]) -> list[Spans]:
            return [Spans.checked(spans, 7, "here")] * len(documents)

    assert {len(Sampled(Two(()), 0.5, seed).detect([both])[0]) for seed in range(40)} == {0, 2}


def test_the_statement_promises_nothing() -> None:
    editor = sfumato.build("distortion", detect="words", way="generative", model=scripted(), share=0.5)
    said = statement(editor, SeededRandomness(1), {0: 3})
    assert "epsilon" not in json.dumps(said).casefold()
    assert said["summary"].startswith("No formal guarantee")
    assert "on purpose" in json.dumps(said)
    with pytest.raises(ConfigurationError, match="epsilon"):
        sfumato.build("distortion", 3.0, model=scripted())
    with pytest.raises(ConfigurationError, match="share"):
        sfumato.build("redaction", detect="words", share=0.5)


def test_capitals() -> None:
    words = [capitalised_like("oak", like) for like in ("Pine", "PINE", "pine", "I", "4")]
    assert words == ["Oak", "OAK", "oak", "Oak", "oak"]


def test_the_command_line(tmp_path: Path) -> None:
    records = tmp_path / "in.jsonl"
    spans = [[0, 4, "PERSON"], [14, 18, "PLACE"]]
    records.write_text(
        json.dumps({"id": "1", "text": "Anna moved to Oslo.", "spans": spans}) + "\n", encoding="utf-8"
    )
    phrases = store(tmp_path, {"PERSON": ["Mary Stone"], "LOC": ["Rome"], "PLACE": ["Rome"]}).path
    given = ["sanitize", records, "-o", tmp_path / "out.jsonl", "--id-field", "id", "-m", "distortion", "--detect",
             "given", "--set", "choose=first", "--seed", "1", "--force"]  # fmt: skip

    def run(*more: Any) -> Any:
        return CliRunner().invoke(app, [str(one) for one in [*given, *more]])

    done = run("--set", f"phrases={phrases}", "--set", "block=2")
    assert done.exit_code == 0, done.exception or done.output
    assert json.loads((tmp_path / "out.jsonl").read_text(encoding="utf-8"))["text"] == "Mary Stone moved to Rome."
    for wrong, sentence in (
        (["--epsilon", "3"], "no formal guarantee"),
        (["--set", "way=other"], "way is generative, substitutive or masked"),
        (["--set", f"phrases={records}"], "private input"),
        (["--set", f"phrases={__file__}"], "is not a store of phrases"),
        (["--set", "colour=red"], "no option colour"),
        (["--set", "clip=0,1"], "leave out clip "),
    ):
        failed = run(*wrong)
        assert failed.exit_code != 0
        assert sentence in str(failed.exception or failed.output)
        assert "Anna" not in str(failed.exception or failed.output)


@pytest.mark.models
def test_noun_phrases_without_articles_and_pronouns() -> None:
    from sfumato.detectors.noun_phrases import NounPhrases

    text = "She gave the old surgeon her small house in Bergen. It was mine."
    for finder in (NounPhrases(), NounPhrases(window=40, overlap=10)):
        spans = finder.detect([Document(text), Document("")])
        assert {text[span.start : span.end] for span in spans[0]} >= {"old surgeon", "Bergen"}
        assert not {"She", "her", "It"} & {text[span.start : span.end] for span in spans[0]}
        assert len(spans[1]) == 0


@pytest.mark.models
def test_the_embedded_model_distorts() -> None:
    text = "Anna Berg moved to Oslo in the spring."
    editor = sfumato.build("distortion", detect="entities", way="generative", candidates=2)
    made = editor.sanitize(text, SeededRandomness(3)).text
    assert "Oslo" not in made
    assert "Anna" not in made
    assert " moved to " in made
    assert made == editor.sanitize(text, SeededRandomness(3)).text


@pytest.mark.parametrize(("divergence", "decay"), [("kl", None), ("hellinger", 0.5), ("kl", 0.5)])
def test_candidates_are_compared_as_asked(divergence: Any, decay: float | None) -> None:
    """The scores are such that each of these settings keeps another candidate than the default does."""
    moved = {"ash": (-2.7, 2.3), "birch": (3.4, 4.8), "cedar": (3.6, -0.2), "oak": (0.0, 0.0), "pine": (4.8, 4.8)}

    def by_distance(context: list[str], copy: list[str], place: int) -> list[float]:
        index = next((number for number, word in enumerate(copy) if word in moved), None)
        beside, beyond = (0.0, 0.0) if index is None else moved[copy[index]]
        return [beside if index is not None and abs(place - index) == 1 else beyond, *[0.0] * (len(TREES) - 1)]

    kept = [
        Engine(Marks(("oak",)), Replaced(method)).sanitize("x oak y z z", SeededRandomness(1)).text
        for method in (
            Distortion(scripted(by_distance), "generative", candidates=500),
            Distortion(scripted(by_distance), "generative", candidates=500, divergence=divergence, decay=decay),
        )
    ]
    assert kept == ["x cedar y z z", "x ash y z z"]
    parameters = Distortion(scripted(), "generative", divergence=divergence, decay=decay).parameters
    assert (parameters["divergence"], parameters["decay"]) == (divergence, decay)


@pytest.mark.parametrize("setting", [{"divergence": "js"}, {"decay": 0.0}, {"decay": 1.5}])
def test_a_comparison_that_cannot_be_is_refused(setting: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError):
        Distortion(scripted(neighbours), "generative", **setting)
