"""Questions answered from a release: by a real endpoint, by a real small causal model, and with records that lack."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tiny_causal
from chat_server import Server, said
from command_line import call, write_jsonl
from scripted_models import ScriptedCausal
from sfumato.abstract.chat import ScriptedChat
from sfumato.errors import ConfigurationError
from sfumato.evaluation.comparison.measures import ANSWERED, measured
from sfumato.evaluation.pairs import Pairs, read_pairs
from sfumato.evaluation.plan import QUESTION_FIELDS, Plan
from sfumato.evaluation.results import Study
from sfumato.evaluation.studies._exam import CausalRespondent, ChatRespondent, Task, option_named
from sfumato.evaluation.studies.answers import (
    BEYOND,
    CHANCE,
    NOTHING,
    ORIGINALS,
    RELEASE,
    RIGHT,
    WEIGHT,
    WEIGHT_BEYOND,
    AnswersStudy,
    answering,
    tasks_of,
)  # fmt: skip
from sfumato.files import FileOptions
from sfumato.metrics.perplexity import surprises_after

CANARY = "PrivateCanary"
TREES = ("ash", "birch", "cedar", "elm")
QUESTION = "Which tree?"


def record(number: int, **other: Any) -> dict[str, Any]:
    own = {"question": QUESTION, "options": dict(zip("ABCD", TREES, strict=True)), "answer": TREES[number % 4]}
    return {"id": f"r{number}", "text": f"{CANARY} {number} has planted an {TREES[number % 4]} .", **own, **other}


def pairs(released: Sequence[str | None], records: Sequence[dict[str, Any]] | None = None) -> Pairs:
    rows = records or [record(number) for number in range(len(released))]
    return Pairs([row["id"] for row in rows], [row["text"] for row in rows], released, fields=rows)


def same(count: int = 12) -> list[str | None]:
    return [str(record(number)["text"]) for number in range(count)]


def value(study: Study, name: str, of: str) -> float:
    figure = study.figure(name, of=of)
    assert figure is not None
    return figure.estimate.value


def reader(exam: str) -> str:
    """Names the tree that the record names, and the first one where it names none."""
    above = exam.partition("Question:")[0]
    return next((f"{letter}." for letter, tree in zip("ABCD", TREES, strict=True) if tree in above), "A")


def served(script: Any, folder: Path, released: Sequence[dict[str, Any]], originals: Sequence[dict[str, Any]]) -> Any:
    """The command against an endpoint on this machine."""
    files = [write_jsonl(folder / f"{name}.jsonl", rows) for name, rows in (("in", originals), ("out", released))]
    with closing(Server(script)) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("SFUMATO_CHAT_URL", server.url)
        asked = ("--id-field", "id", "--attacks", "", "--metrics", "answers,utility", "--chat-model", "m", "--json")
        ran = call("evaluate", *files, *asked, "-o", folder / "report")
    assert ran.code == 0, ran.err
    return {study["study"]: study for study in ran.json["studies"]}, server


@pytest.mark.models
def test_an_endpoint_answers_beside_original_release_and_nothing(tmp_path: Path) -> None:
    pytest.importorskip("httpx")
    rows = [record(number) for number in range(12)]
    half = [{**row, "text": row["text"] if number < 6 else "Removed."} for number, row in enumerate(rows)]
    studies, server = served(lambda _, body: said(reader(body["messages"][1]["content"])), tmp_path, half, rows)
    study = Study.from_json(studies["answers"])
    assert value(study, RIGHT, ORIGINALS) == 1.0
    assert value(study, RIGHT, NOTHING) == 0.25
    assert value(study, RIGHT, RELEASE) == (6 + 1) / 12  # of the six without a text, r8 is an ash
    assert value(study, BEYOND, RELEASE) == pytest.approx(value(study, RIGHT, RELEASE) - 0.25)
    [chance] = study.named(CHANCE)
    assert chance.estimate.value == 0.25
    assert study.facts["records"] == 12
    exams = [body["messages"][1]["content"] for body in server.bodies[1:]]
    assert sum(exam.startswith("Question:") for exam in exams) == 1  # nothing is one exam, asked once
    assert all("answer" not in exam.casefold() for exam in exams)
    page = (tmp_path / "report" / "report.html").read_text(encoding="utf-8")
    assert "Can questions still be answered?" in page
    assert CANARY not in page + json.dumps(studies)


@pytest.mark.models
def test_prose_is_no_answer_and_what_was_measured_is_kept(tmp_path: Path) -> None:
    pytest.importorskip("httpx")
    rows = [record(number) for number in range(8)]
    prose = f"As {CANARY} says, the answer could be A or B, but on balance I would go for birch."
    studies, _ = served(lambda number, _: said(prose if number > 1 else "yes"), tmp_path, rows, rows)
    assert not [figure for figure in studies["answers"]["figures"] if figure["name"] == RIGHT]
    [why, unsure] = studies["answers"]["skipped"]
    assert why["why"] == "an answer of m to 8 of 8 is missing or names no option, more than half"
    assert "one that could not be read" in unsure["why"]
    assert [figure for figure in studies["utility"]["figures"] if figure["value"] == 1.0]
    assert CANARY not in json.dumps(studies)


def test_a_few_unreadable_answers_leave_their_records_out_everywhere() -> None:
    def mumbles(question: Any) -> str | None:
        return "It depends." if f"{CANARY} 3 " in question.user else reader(question.user)

    model = ScriptedChat(mumbles)
    study = AnswersStudy([ChatRespondent(model)]).run(pairs(same()))
    figures = [study.figure(RIGHT, of=of) for of in (NOTHING, ORIGINALS, RELEASE)]
    assert [figure and figure.estimate.n for figure in figures] == [11, 11, 11]
    assert study.skipped[0].why == "an answer of scripted to 1 of 12 is missing or names no option"
    assert model.spent.unreadable == 2  # beside the original and beside the release


@pytest.mark.parametrize(
    ("answer", "index"),
    [("B", 1), (" (b)", None), ("B.", 1), ("**C**", 2), ("(D)", 3), ("B. birch", 1), ("B) Birch.", 1), ("elm", 3),
     ("B. elm", None), ("E", None), ("The answer is B", None), ("A or B", None), ("", None), ("Because it is", None),
     ("BB", None), ("A birch", None)],
)  # fmt: skip
def test_nothing_is_guessed_from_prose(answer: str, index: int | None) -> None:
    if index is not None:
        assert option_named(answer, TREES) == index
    else:
        with pytest.raises(ValueError, match="no option"):
            option_named(answer, TREES)


def test_a_letter_is_a_letter_also_where_the_options_are_letters() -> None:
    groups = ("AB", "O", "A", "B")
    assert [option_named(answer, groups) for answer in ("B", "D.", "ab", "D. B")] == [1, 3, 0, 3]
    whole = record(0, options=dict(zip("ABCD", groups, strict=True)), answer="O")
    assert tasks_of([whole]) == ([Task(QUESTION, groups, 1)], [])
    [task], [left] = tasks_of([{**whole, "answer": "B"}])  # the letter of O, and the text of the last
    assert (task, left.why) == (None, "no option is the answer, or several are")


@pytest.mark.parametrize(
    ("change", "told"),
    [({"options": None}, "no field 'options'; a question needs question, options, answer"),
     ({"question": "", "answer": None}, "no field 'question' and no field 'answer'; a question needs"),
     ({"answer": CANARY}, "no option is the answer, or several are"),
     ({"options": [TREES[0], TREES[0]], "answer": TREES[0]}, "no option is the answer, or several are"),
     ({"options": [CANARY]}, "it has no options"), ({"options": CANARY}, "it has no options"),
     ({"options": 7}, "it has no options"), ({"question": [CANARY]}, "the question is no text")],
)  # fmt: skip
def test_a_record_without_a_whole_question_is_left_out_with_a_sentence(change: dict[str, Any], told: str) -> None:
    rows = [record(number, **(change if number < 2 else {})) for number in range(6)]
    study = AnswersStudy([ChatRespondent(ScriptedChat(lambda asked: reader(asked.user)))]).run(pairs(same(6), rows))
    assert study.facts["records"] == 4
    assert value(study, RIGHT, RELEASE) == 1.0
    [left] = study.skipped
    assert left.what == "answers of 2 of 6 records"
    assert told in left.why
    assert CANARY not in left.why
    nobody = AnswersStudy([ChatRespondent(ScriptedChat(lambda _: "A"))]).run(pairs(same(2), rows[:2]))
    assert (nobody.skipped[0].what, list(nobody.figures)) == ("answers", [])


@pytest.mark.parametrize("options", [list(TREES), json.dumps(TREES), np.array(TREES, dtype=object)])
@pytest.mark.parametrize("answer", ["birch", "B"])
def test_options_may_be_a_list_or_json_and_the_answer_a_letter(options: Any, answer: str) -> None:
    assert tasks_of([record(0, options=options, answer=answer)]) == ([Task(QUESTION, TREES, 1)], [])


def test_synthetic_records_answer_nothing_and_a_missing_record_is_nothing() -> None:
    study = AnswersStudy([ChatRespondent(ScriptedChat(lambda asked: reader(asked.user)))])
    assert study.run(pairs([None] * 4)).skipped[0].why == "no released record is known to belong to an original"
    lost = study.run(pairs([None, None, *same(8)[2:]]))
    assert value(lost, RIGHT, RELEASE) == (1 + 6) / 8


def test_a_causal_model_takes_the_option_that_surprises_it_least() -> None:
    asked = list[str]()

    def sure(prompt: list[str], written: list[str]) -> list[float]:
        above = " ".join(prompt).partition("Question:")[0]
        asked.append(" ".join(prompt))
        wanted = next((tree for tree in TREES if tree in above.partition("Record:")[2]), "fir")
        return [2.0 if tree == wanted else 0.0 for tree in (*TREES, "fir")] + [-9.0]

    model = ScriptedCausal((*TREES, "fir"), sure)
    study = AnswersStudy([CausalRespondent(model)]).run(pairs(["Removed."] * 6 + same()[6:]))
    assert value(study, RIGHT, ORIGINALS) == 1.0
    assert value(study, RIGHT, RELEASE) == (6 + 2) / 12  # a tie is the first option: r0 and r4 are ashes
    assert value(study, WEIGHT, NOTHING) == pytest.approx(0.25)
    assert value(study, WEIGHT, ORIGINALS) == pytest.approx(np.exp(2) / (np.exp(2) + 3))
    assert value(study, WEIGHT_BEYOND, RELEASE) == pytest.approx(0.5 * (np.exp(2) / (np.exp(2) + 3) - 0.25))
    # each question with its text is read once
    assert len({*asked}) * len(TREES) == len(asked)
    found = measured([study], Plan(metrics=("answers",), causal="m"))
    assert {measure.name: estimate.value for measure, estimate in found.items()} == {ANSWERED: (6 + 2) / 12}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Any:
    pytest.importorskip("torch")
    from sfumato.models.causal.transformers import TransformersCausal

    return TransformersCausal(str(tiny_causal.saved(tiny_causal.llama(), tmp_path_factory.mktemp("m"))), device="cpu")


class PieceByPiece:
    """A model without its ways to read several pieces at once."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def __getattr__(self, name: str) -> Any:
        if name in ("nats", "nats_after"):
            raise AttributeError(name)
        return getattr(self._model, name)


@pytest.mark.models
@pytest.mark.parametrize("network", [tiny_causal.llama, tiny_causal.gpt2])
def test_answers_after_one_prompt_are_as_surprising_as_each_alone(network: Any, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from sfumato.models.causal.transformers import TransformersCausal

    model = TransformersCausal(str(tiny_causal.saved(network(), tmp_path)), device="cpu")
    prompt = model.prompt("Answer.", model.pieces("The old baker on the corner"))
    answers = [model.pieces(text) for text in ("tram", "The bank was out again", "a", "Friday street")]
    alone = model.nats([(prompt, answer) for answer in answers])
    assert surprises_after(model, prompt, answers) == pytest.approx(alone, rel=1e-4)
    assert surprises_after(PieceByPiece(model), prompt, answers) == pytest.approx(alone, rel=1e-4)  # type: ignore[arg-type]
    assert surprises_after(model, prompt, [answers[0][:1]] * 2) == pytest.approx(
        model.nats([(prompt, answers[0][:1])]) * 2, rel=1e-4
    )


@pytest.mark.models
def test_a_long_record_is_cut_and_a_long_question_refused(small: Any) -> None:
    from dataclasses import replace

    task = Task(QUESTION, TREES, 0)
    [cut] = CausalRespondent(replace(small, limit=160)).weights(["The old baker. " * 60], [task])
    [whole] = CausalRespondent(small).weights(["The old baker. " * 60], [Task(QUESTION, TREES, 0)])
    assert cut is not None
    assert whole is not None
    assert cut.sum() == pytest.approx(1.0)
    assert not np.allclose(cut, whole)
    with pytest.raises(ConfigurationError, match="does not fit"):
        CausalRespondent(replace(small, limit=60)).weights([""], [Task("Which tree? " * 40, TREES, 0)])


@pytest.mark.models
def test_the_command_reads_the_fields_of_any_file(small: Any, tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    rows = [record(number, other=CANARY) for number in range(6)]
    flat = [{**row, "options": json.dumps(row["options"])} for row in rows]
    parquet.write_table(pa.Table.from_pylist(flat), tmp_path / "in.parquet")
    release = pa.Table.from_pylist([{"id": row["id"], "text": "Removed."} for row in rows])
    parquet.write_table(release, tmp_path / "out.parquet")
    asked = ("--id-field", "id", "--attacks", "", "--metrics", "answers", "--causal", small.model, "--json")
    ran = call("evaluate", tmp_path / "in.parquet", tmp_path / "out.parquet", *asked, "-o", tmp_path / "report")
    assert ran.code == 0, ran.err
    [study] = [Study.from_json(content) for content in ran.json["studies"]]
    assert study.facts["records"] == 6
    assert {figure.setting["by"] for figure in study.named(RIGHT)} == {small.id}
    assert not study.skipped
    read = read_pairs(tmp_path / "in.parquet", tmp_path / "out.parquet", FileOptions(id_field="id"))
    assert all(name not in row for row in read.fields for name in QUESTION_FIELDS)


@pytest.mark.models
def test_a_comparison_says_before_it_begins_that_a_file_has_no_questions(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "plain.jsonl", [{"id": "1", "text": "Anna."}, {"id": "2", "text": "Bela."}])
    write_jsonl(tmp_path / "asked.jsonl", [record(0), record(1)])
    (tmp_path / "plan.toml").write_text(
        "[[input]]\nfile = 'plain.jsonl'\nid = 'id'\n[[input]]\nfile = 'asked.jsonl'\nid = 'id'\n"
        "[evaluate]\nattacks = []\nmetrics = ['answers']\n[[method]]\nmechanism = 'identity'\n",
        encoding="utf-8",
    )
    ran = call("compare", tmp_path / "plan.toml", "-o", tmp_path / "out", "--dry-run", "--json")
    why = (
        "no field 'question' and no field 'options' and no field 'answer'; a question needs question, options, answer"
    )
    assert ran.json["not_measured"] == [{"input": "plain", "what": "answers", "why": why}]


def test_smollm2_answers_where_no_model_is_named() -> None:
    from sfumato.building.chat import ChatChoice

    assert answering(Plan(metrics=("answers",))) == "smollm2"
    assert answering(Plan(metrics=("answers",), causal="folder")) == "folder"
    assert answering(Plan(metrics=("answers",), chat=ChatChoice("m"))) is None
    assert "answers" not in Plan().metrics
