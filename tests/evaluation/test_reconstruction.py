"""Reconstruction by a chat model: bracketed, read at its place, missing answers counted, the law if it is known."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sfumato
from command_line import CANARY, call, write_jsonl, write_vectors
from releasing import release_file
from sfumato.abstract.chat import Question, ScriptedChat
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.attacks.reconstruction import (
    dry_run_answer,
    named,
    probable_inputs,
    rebuilt_texts,
    word_by_word,
)
from sfumato.attacks.token_attacks import bayes_attack
from sfumato.building import methods
from sfumato.errors import ConfigurationError, GuaranteeError
from sfumato.evaluation.pairs import Pairs, read_pairs
from sfumato.evaluation.plan import Plan
from sfumato.evaluation.results import Study
from sfumato.evaluation.studies.reconstruction import (
    ALONE,
    ANYWHERE,
    AS_IT_IS,
    BLEU,
    COSINE,
    IN_PLACE,
    OTHER,
    ROUGE,
    WITH_LAW,
    WORD_BY_WORD,
    ReconstructionStudy,
)
from sfumato.files import FileOptions
from sfumato.privacy.randomness import SeededRandomness
from sfumato.release.job import RunOptions
from sfumato.report.page import headline
from sfumato.report.sections.reconstruction import reconstruction_section

pytest.importorskip("sacrebleu")
pytest.importorskip("rouge_score")
WORDS = [f"{chr(97 + n // 26)}{chr(97 + n % 26)}o" for n in range(120)]
DRAW = np.random.default_rng(0)
TEXTS = [" ".join(DRAW.choice(WORDS, 9)) + "." for _ in range(30)]
GONE = [" ".join(DRAW.choice(WORDS, 9)) + "." for _ in range(30)]


class Letters:
    """An encoder that counts letters."""

    id = "letters"
    dimensions = 26

    def encode(self, phrases: Sequence[str], progress: object = None) -> np.ndarray:
        signs = "abcdefghijklmnopqrstuvwxyz"
        counts = np.array([[phrase.count(sign) for sign in signs] for phrase in phrases], dtype=float).reshape(-1, 26)
        return counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1e-9)


def study(released: Sequence[str | None], script: Any, release: Path | None = None, **more: Any) -> Study:
    pairs = more.pop("pairs", None) or Pairs([str(n) for n in range(len(TEXTS))], TEXTS, released)
    return ReconstructionStudy(ScriptedChat(script), Letters(), release, **more).run(pairs)  # type: ignore[arg-type]


def value(found: Study, name: str, attacker: str = ALONE) -> float:
    figure = found.figure(name, attacker=attacker)
    assert figure is not None, found.skipped
    return figure.estimate.value


def knowing(question: Question) -> str:
    """Knows every original."""
    return f"<text>{TEXTS[GONE.index(question.user.rpartition('Text:')[2].strip())]}</text>"


def copying(question: Question) -> str:
    return f"<text>{question.user.rpartition('Text:')[2]}</text>"


def test_who_knows_all_reaches_the_ceiling_and_who_copies_the_floor() -> None:
    found = study(GONE, knowing)
    for name in (IN_PLACE, ANYWHERE, BLEU, ROUGE, COSINE):
        assert value(found, name) == pytest.approx(1.0)
    assert value(found, IN_PLACE, AS_IT_IS) == 0.0
    assert value(found, IN_PLACE, OTHER) < 0.1
    copied = study(GONE, copying)
    for name in (IN_PLACE, ANYWHERE, BLEU):
        assert value(copied, name) == value(copied, name, AS_IT_IS)


def test_identity_and_redaction_have_nothing_to_name_or_nothing_to_read() -> None:
    assert study(TEXTS, copying).skipped[0].why == "the release replaced no word"
    redacted = study(["[X]"] * 30, lambda _: "<text>" + " ".join(DRAW.choice(WORDS, 9)) + "</text>")
    assert value(redacted, IN_PLACE) < 0.1
    assert value(redacted, IN_PLACE, AS_IT_IS) == 0.0


def test_missing_answers_count_as_the_release_and_are_counted() -> None:
    answers = iter([None, "", "  ", "<text> </text>", *["<text>nothing of it</text>"] * 26])
    found = study(GONE, lambda _: next(answers))
    assert any("of 30 answers 4 are missing or empty" in left.why for left in found.skipped)
    assert found.facts["chat"]["failed"] == 1
    assert found.facts["chat"]["unreadable"] == 3
    lazy = study(GONE, lambda _: None)
    assert value(lazy, BLEU) == value(lazy, BLEU, AS_IT_IS)


def test_missing_and_empty_records_are_left_out() -> None:
    model = ScriptedChat(copying)
    released: list[str | None] = [None, "", "  ", *GONE[3:]]
    pairs = Pairs([str(n) for n in range(30)], TEXTS, released)
    found = ReconstructionStudy(model, Letters()).run(pairs)  # type: ignore[arg-type]
    assert model.spent.questions == found.facts["records"] == 27
    nothing = ReconstructionStudy(model, Letters()).run(Pairs(["a"], ["b c"], [None]))  # type: ignore[arg-type]
    assert "no released record with text" in nothing.skipped[0].why
    assert rebuilt_texts(model, ["", " "]) == ["", ""]
    one = ReconstructionStudy(model, Letters()).run(Pairs(["a"], ["ab cd"], ["ab ef"]))  # type: ignore[arg-type]
    assert one.figure(IN_PLACE, attacker=OTHER) is None


def test_a_sample_is_drawn_and_asked_alone() -> None:
    model = ScriptedChat(copying)
    found = ReconstructionStudy(model, Letters(), sampled=7).run(Pairs([str(n) for n in range(30)], TEXTS, GONE))  # type: ignore[arg-type]
    assert (found.facts["records"], model.spent.questions) == (7, 7)


@pytest.mark.parametrize(
    ("rebuilt", "in_place", "anywhere"),
    [
        ("the red cat sleeps", [1, 1], [1, 1]),
        ("The RED cat, sleeps", [1, 0], [1, 1]),
        ("the cat red sleeps", [0, 0], [1, 1]),
        ("the red dog sleeps", [1, 0], [1, 0]),
        ("the red red sleeps", [1, 0], [1, 0]),
        ("the big dog sleeps", [0, 0], [0, 0]),
        ("", [0, 0], [0, 0]),
        ("a b c d e f g h the red cat sleeps", [0, 0], [0, 0]),  # beyond twice the release
    ],
)
def test_words_are_read_at_their_place_and_anywhere(rebuilt: str, in_place: list[int], anywhere: list[int]) -> None:
    found = named("The red cat sleeps", "the big dog sleeps", rebuilt)
    if rebuilt != "The RED cat, sleeps":  # a sign more: an alignment decides
        assert found.in_place == in_place
    assert found.anywhere == anywhere


def test_kept_words_and_signs_are_no_private_words() -> None:
    assert named("A cat, a dog.", "A cat, a fox.", "dog dog dog").in_place == [0.0]
    assert named("Same.", "Same.", "Same.") == ([], [])
    assert named("red dog", "red", "red dog").anywhere == [1.0]  # a word that the release dropped
    assert named("dog dog", "cat cow", "dog fox").anywhere == [1.0, 0.0]


def test_a_kept_word_names_no_replaced_one() -> None:
    assert named("dog dog", "dog cat", "dog fox").anywhere == [0.0]
    assert named("dog dog", "dog cat", "dog dog").anywhere == [1.0]


VOCABULARY = Vocabulary(tuple(WORDS), np.random.default_rng(2).normal(size=(120, 3)), "made up")
LAW = methods.mechanism("custext", VOCABULARY, 6.0, set_size=4)


def test_the_most_probable_input_is_that_of_the_strongest_attacker() -> None:
    prior = np.random.default_rng(3).random(120) * (np.arange(120) % 5 > 0)
    prior /= prior.sum()
    attack = bayes_attack(LAW.law, prior, 120)
    inputs = probable_inputs(LAW, prior, [*WORDS, "unknown"])
    assert "unknown" not in inputs
    for output, word in enumerate(WORDS):
        assert len(inputs[word]) <= 4
        if inputs[word]:
            assert inputs[word][0] == WORDS[attack.guess[output]]
        else:
            assert attack.guess[output] < 0
    assert word_by_word(f"{WORDS[1].title()}, unknown!", inputs) == f"{inputs[WORDS[1]][0]} , unknown !"
    with pytest.raises(GuaranteeError, match="closed form"):
        probable_inputs(methods.mechanism("fbdd", VOCABULARY, 1.0), prior, WORDS)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    original = write_jsonl(tmp_path / "original.jsonl", [{"id": str(n), "text": f"{text} {CANARY}"}
                                                         for n, text in enumerate(TEXTS)])  # fmt: skip
    made = sfumato.build("custext", 2.0, vocabulary=write_vectors(tmp_path, WORDS), set_size=4)
    options = RunOptions(FileOptions(id_field="id"), overwrite=True)
    release_file(made, original, tmp_path / "release.jsonl", options, SeededRandomness(1))
    return original, tmp_path / "release.jsonl"


def test_the_law_is_given_to_the_model_and_read_word_by_word(files: tuple[Path, Path]) -> None:
    pairs = read_pairs(*files, FileOptions(id_field="id"))
    model = ScriptedChat(copying)
    found = ReconstructionStudy(model, Letters(), files[1]).run(pairs)  # type: ignore[arg-type]
    assert {figure.setting["attacker"] for figure in found.figures} == {
        ALONE, WITH_LAW, WORD_BY_WORD, AS_IT_IS, OTHER,
    }  # fmt: skip
    assert value(found, IN_PLACE, WORD_BY_WORD) > value(found, IN_PLACE, AS_IT_IS) == 0.0
    asked = [question.user for question in model.asked if "the most probable first" in question.user]
    assert len(asked) == 30
    assert all(len(line.split(": ")[1].split(", ")) <= 5 for line in asked[0].split("\n")[1:-3])
    assert CANARY not in json.dumps(found.as_json())
    assert "without one it is" in " ".join(headline([found]))
    section = reconstruction_section(found)
    assert section.title == "Can the original text be written again?"
    assert len(section.tables[0].rows) == 5


def test_without_a_statement_the_release_alone_is_read(files: tuple[Path, Path], tmp_path: Path) -> None:
    found = study(GONE, copying, tmp_path / "other.jsonl")
    assert any("there is no other.jsonl.privacy.json" in left.why for left in found.skipped)
    assert found.figure(IN_PLACE, attacker=WITH_LAW) is None
    assert found.figure(IN_PLACE, attacker=ALONE) is not None


def test_an_attacker_without_a_model_is_refused_with_the_way_out(files: tuple[Path, Path], tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="name one with --chat-model"):
        Plan(attacks=("reconstruction",))
    ran = call("evaluate", *files, "--id-field", "id", "--attacks", "reconstruction", "-o", tmp_path / "out")
    assert ran.code != 0
    assert "name one with --chat-model" in ran.err
    assert not (tmp_path / "out").exists()
    assert "reconstruction" in Plan().attacks  # left out without a model, as nobody named it


def test_an_answer_without_a_model_can_be_read() -> None:
    found = study(GONE, dry_run_answer)
    assert found.facts["chat"]["unreadable"] == 0
    assert dry_run_answer(Question("other", "question")) is None
