"""Polishing: nothing but the release reaches it, every figure of the statement stays, and no record is lost."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import sfumato
from command_line import CANARY, WORDS, Ran, call, write_jsonl, write_vectors
from releasing import release_file
from scripted_models import ScriptedMasked
from sfumato.abstract.chat import Question, ScriptedChat
from sfumato.errors import InputError, OptionError
from sfumato.evaluation.pairs import read_pairs
from sfumato.evaluation.studies.guarantee import BAYES, NAMED, GuaranteeStudy
from sfumato.files import FileOptions
from sfumato.polishing import polish as polishing
from sfumato.polishing.rewriting import LENGTH, LOST, PLACEHOLDERS, PROMPT, REFUSED, UNREADABLE
from sfumato.polishing.stating import TOLD, TOLD_WITHOUT
from sfumato.privacy.randomness import SeededRandomness
from sfumato.release.job import RunOptions
from sfumato.storage.digests import digest_of_everything

OVERWRITE = RunOptions(overwrite=True)


@pytest.fixture(autouse=True)
def masked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A masked model that knows the words of the vocabulary, and prefers the later ones."""
    model = ScriptedMasked(tuple(WORDS), lambda context, copy, place: [9.0 * n for n in range(len(WORDS))])
    monkeypatch.setattr(polishing, "embedded_masked", lambda: model)


@pytest.fixture
def vectors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A vocabulary file in the working folder, where it is looked for."""
    monkeypatch.chdir(tmp_path)
    return write_vectors(tmp_path)


def released(folder: Path, vectors: Path, texts: list[str], name: str = "custext", **options: Any) -> Path:
    """A release of ``texts`` and its statement, without the originals."""
    folder.mkdir(exist_ok=True)
    source = write_jsonl(folder / "in.jsonl", [{"id": f"r{n}", "text": text, "n": n} for n, text in enumerate(texts)])
    seed = options.pop("seed", None)
    given = {"vocabulary": vectors, **({"set_size": 4} if name == "custext" else {}), **options}
    made = sfumato.build(name, 3.0, **given)
    release = folder / "release.jsonl"
    release_file(made, source, release, OVERWRITE, None if seed is None else SeededRandomness(seed))
    return release


def statement(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(path.with_name(f"{path.name}.privacy.json").read_text("utf-8"))
    return content


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def chat(answer: Callable[[str], str | None]) -> ScriptedChat:
    """A chat model that is shown a text and says what becomes of it."""

    def script(question: Question) -> str | None:
        told = answer(question.user.removeprefix("Text:\n"))
        return None if told is None else told if "<" in told else f"<text>{told}</text>"

    return ScriptedChat(script)


def answered(question: str) -> str:
    return f"So {question}"


@pytest.mark.parametrize("model", [None, chat(answered)], ids=["by the law", "by a chat model"])
def test_two_originals_with_one_release_have_one_outcome_bit_for_bit(
    tmp_path: Path, vectors: Path, model: ScriptedChat | None
) -> None:
    first = released(tmp_path / "one", vectors, ["cat"], "santext", seed=1)
    for seed in range(400):
        second = released(tmp_path / "two", vectors, ["river"], "santext", seed=seed)
        if second.read_bytes() == first.read_bytes():
            break
    assert second.read_bytes() == first.read_bytes()
    outcomes = []
    for release in (first, second):
        made = sfumato.polish(release, release.with_name("polished.jsonl"), chat_model=model)
        outcomes.append((made.output.read_bytes(), made.statement_path.read_bytes()))
        assert made.changed
    assert outcomes[0] == outcomes[1]


@pytest.fixture
def opened() -> Iterator[set[str]]:
    """The files that are opened while the fixture lives; a hook of the interpreter cannot be taken away."""
    paths: set[str] = set()
    noting = [True]

    def note(event: str, arguments: tuple[Any, ...]) -> None:
        if noting and event == "open":
            paths.add(str(arguments[0]))

    sys.addaudithook(note)
    yield paths
    noting.clear()


def test_the_original_is_not_opened_though_it_lies_beside(tmp_path: Path, vectors: Path, opened: set[str]) -> None:
    release = released(tmp_path / "all", vectors, [f"cat dog {CANARY}"])
    opened.clear()
    made = sfumato.polish(release, tmp_path / "all" / "polished.jsonl")
    assert str(release) in opened
    assert not any(path.endswith("in.jsonl") for path in opened)
    assert made.texts == 1


def test_a_word_becomes_another_of_its_own_set_alone(tmp_path: Path, vectors: Path) -> None:
    release = released(tmp_path / "all", vectors, [" ".join(WORDS)])
    mechanism = sfumato.mechanism("custext", sfumato.load_vocabulary(vectors), 3.0, set_size=4)
    sfumato.polish(release, tmp_path / "polished.jsonl")
    before, after = (records(path)[0]["text"].split() for path in (release, tmp_path / "polished.jsonl"))
    find = mechanism.vocabulary.find
    for drawn, chosen in zip(before, after, strict=True):
        law = mechanism.law(find(drawn))
        inside = [token for token in range(len(WORDS)) if law[token] > 0.0]
        assert len(inside) < len(WORDS)
        assert find(chosen) == max(inside)  # the model prefers the later ones, by far


def test_law_and_model_decide_together(tmp_path: Path, vectors: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = released(tmp_path / "all", vectors, [" ".join(WORDS)])
    even = ScriptedMasked(tuple(WORDS), lambda context, copy, place: [0.0] * len(WORDS))
    monkeypatch.setattr(polishing, "embedded_masked", lambda: even)
    made = sfumato.polish(release, tmp_path / "polished.jsonl")
    assert made.changed == 0  # the law alone prefers the word that was drawn
    assert records(made.output) == records(release)


def test_records_ids_and_other_fields_stay(tmp_path: Path, vectors: Path) -> None:
    texts = ["", "Cat, dog.\nHouse", "Nothing known"]
    release = released(tmp_path / "all", vectors, texts)
    sfumato.polish(release, tmp_path / "polished.jsonl")
    before, after = records(release), records(tmp_path / "polished.jsonl")
    assert [(each["id"], each["n"]) for each in after] == [(each["id"], each["n"]) for each in before]
    assert after[0]["text"] == ""
    assert after[1]["text"].count("\n") == 1
    assert after[1]["text"][0].isupper()


def test_every_figure_of_the_statement_stays(tmp_path: Path, vectors: Path) -> None:
    release = released(tmp_path / "all", vectors, ["Cat dog house.", "river stone"])
    made = sfumato.polish(release, tmp_path / "polished.jsonl")
    before, after = statement(release), statement(made.output)
    assert after == made.statement
    new = ("summary", "steps", "release")
    assert {name: after[name] for name in after if name not in new} == {
        name: before[name] for name in before if name not in new
    }
    assert after["summary"] == f"{before['summary']} {TOLD}"
    [step] = after["steps"]
    assert step["release"]["sha256"] == before["release"]["sha256"]
    assert (step["texts"], step["changed"], step["kept"]) == (2, made.changed, {})
    assert call("certify", "--against", made.statement_path, "--set", f"vocabulary={vectors}").code == 0
    again = sfumato.polish(made.output, tmp_path / "again.jsonl", chat_model=chat(answered))
    assert [each["model"] for each in statement(again.output)["steps"]] == ["scripted/20", "scripted"]


def test_a_seeded_release_gains_no_claim(tmp_path: Path, vectors: Path) -> None:
    made = sfumato.polish(released(tmp_path, vectors, ["A cat saw the doctor."], seed=1), tmp_path / "out.jsonl")
    assert made.statement["summary"].endswith(TOLD_WITHOUT)
    assert "post_processing" not in made.statement["steps"][0]


def test_a_verdict_on_the_release_is_no_verdict_on_what_was_made_of_it(tmp_path: Path, vectors: Path) -> None:
    release = released(tmp_path, vectors, ["A cat saw the doctor."])
    place = release.with_name("release.jsonl.privacy.json")
    place.write_text(json.dumps({**statement(release), "accepted": {"limits": []}}), encoding="utf-8")
    made = sfumato.polish(release, tmp_path / "out.jsonl")
    assert "accepted" not in made.statement


def test_an_evaluation_reads_the_new_statement(tmp_path: Path, vectors: Path) -> None:
    release = released(tmp_path / "all", vectors, ["Cat dog house.", "river stone"])
    made = sfumato.polish(release, release.with_name("polished.jsonl"))
    pairs = read_pairs(release.with_name("in.jsonl"), made.output, FileOptions(id_field="id"))
    study = GuaranteeStudy(made.output).run(pairs)
    assert study.figure(BAYES) is not None
    assert study.figure(NAMED) is None  # a word that was polished is no draw of the law
    assert any("polished" in left.why for left in study.skipped)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (lambda text: None, LOST),
        (lambda text: "<text></text>", UNREADABLE),
        (lambda text: f"Here it is: <text>{text}</text>", UNREADABLE),
        (lambda text: f"<text>{text} and", UNREADABLE),
        (lambda text: f"Here is the <new> text:\n{text}", UNREADABLE),
        (lambda text: "I'm sorry, but I cannot help with the text that you have given to me.", REFUSED),
        (lambda text: "cat", LENGTH),
        (lambda text: f"{text} " * 3, LENGTH),
        (lambda text: f"{text} [PERSON]", PLACEHOLDERS),
    ],
)
def test_an_answer_of_no_use_leaves_the_released_text(
    tmp_path: Path, vectors: Path, answer: Callable[[str], str | None], why: str
) -> None:
    release = released(tmp_path / "all", vectors, ["dog house river stone green winter friend", ""])
    content = release.read_text("utf-8")
    made = sfumato.polish(release, tmp_path / "polished.jsonl", chat_model=chat(answer))
    assert made.kept == {why: 1}
    assert statement(made.output)["steps"][0]["kept"] == {why: 1}
    assert made.output.read_text("utf-8") == content


def test_an_answer_without_a_frame_is_read_unless_it_was_cut_off(tmp_path: Path, vectors: Path) -> None:
    release = released(tmp_path / "all", vectors, ["dog house river"])
    [text] = [each["text"] for each in records(release)]
    for tokens, expected in ((3, f"so <{text}>"), (10_000, text)):
        model = ScriptedChat(lambda question: f"so <{text}>", tokens=lambda _, count=tokens: count)  # type: ignore[misc]
        made = sfumato.polish(release, tmp_path / "polished.jsonl", chat_model=model, overwrite=True)
        assert [each["text"] for each in records(made.output)] == [expected]
        assert made.kept == ({} if tokens == 3 else {UNREADABLE: 1})


def test_a_chat_model_is_shown_the_prompt_and_the_released_text_alone(tmp_path: Path, vectors: Path) -> None:
    release = released(tmp_path / "all", vectors, ["Cat dog.", "river"])
    model = chat(lambda text: f" {text}\n\n so ")
    made = sfumato.polish(release, tmp_path / "polished.jsonl", chat_model=model)
    texts = [each["text"] for each in records(release)]
    assert [(each.system, each.user) for each in model.asked[-2:]] == [(PROMPT, f"Text:\n{text}") for text in texts]
    assert [each["text"] for each in records(made.output)] == [f"{text} so" for text in texts]
    assert made.statement["steps"][0]["model"] == "scripted"


def redacted(folder: Path, operator: str, text: str) -> Path:
    """A release of ``text`` in which Anna is replaced."""
    names = folder / "names.txt"
    names.write_text("PERSON\tAnna\n", "utf-8")
    source = folder / "in.jsonl"
    source.write_text(json.dumps({"text": text}) + "\n", "utf-8")
    made = sfumato.build("redaction", detect=f"list:{names}", operator=operator)
    release_file(made, source, folder / "release.jsonl", OVERWRITE)
    return folder / "release.jsonl"


@pytest.mark.parametrize("operator", ["label", "mask", "surrogate"])
def test_a_release_without_a_guarantee_is_polished_and_gets_none(tmp_path: Path, operator: str) -> None:
    release = redacted(tmp_path, operator, "Anna met a friend.")
    made = sfumato.polish(release, tmp_path / "polished.jsonl", chat_model=chat(answered))
    assert made.changed == 1
    assert made.statement["summary"].endswith(TOLD_WITHOUT)
    assert "post_processing" not in made.statement["steps"][0]
    with pytest.raises(OptionError, match="no law over a vocabulary"):
        sfumato.polish(release, tmp_path / "polished.jsonl", overwrite=True)


@pytest.mark.parametrize("operator", ["label", "mask"])
def test_a_placeholder_is_not_lost(tmp_path: Path, operator: str) -> None:
    release = redacted(tmp_path, operator, "Anna met a friend of ours.")
    [held] = records(release)
    model = chat(lambda text: text.replace(text.split()[0], "Berta"))
    made = sfumato.polish(release, tmp_path / "polished.jsonl", chat_model=model)
    assert made.kept == {PLACEHOLDERS: 1}
    assert records(made.output) == [held]


@pytest.mark.usefixtures("short_lists")
@pytest.mark.parametrize(
    ("method", "told"), [("mechanism = 'independent'", TOLD), ("method = 'label'", TOLD_WITHOUT)]
)
def test_a_release_by_a_policy_is_polished_by_a_chat_model(tmp_path: Path, method: str, told: str) -> None:
    names = tmp_path / "names.txt"
    names.write_text("PERSON\tAnna\n", "utf-8")
    treat = f"[[treat]]\nkinds = ['PERSON']\n{method}\n[treat_others]\nmethod = 'label'\n"
    policy = sfumato.Policy.parse(f"[find]\ndetect = ['list:{names}']\n{treat}")
    source = write_jsonl(tmp_path / "in.jsonl", [{"text": "Anna met a friend of ours."}])
    sfumato.sanitize_file(policy, source, tmp_path / "release.jsonl")
    before = statement(tmp_path / "release.jsonl")
    made = sfumato.polish(tmp_path / "release.jsonl", tmp_path / "polished.jsonl", chat_model=chat(answered))
    assert made.changed == 1
    assert made.statement["treatments"] == before["treatments"]
    assert made.statement["summary"] == f"{before['summary']} {told}"
    with pytest.raises(OptionError, match="no law over a vocabulary"):
        sfumato.polish(tmp_path / "release.jsonl", tmp_path / "more.jsonl")


@pytest.mark.parametrize("kind", ["folder", "csv", "lines"])
def test_every_kind_of_file_is_polished(tmp_path: Path, vectors: Path, kind: str) -> None:
    files = FileOptions(lines=kind == "lines")
    source = tmp_path / {"folder": "in", "csv": "in.csv", "lines": "in.txt"}[kind]
    if kind == "folder":
        source.mkdir()
        (source / "a.txt").write_text("cat dog\n", "utf-8")
    else:
        source.write_text('text,n\n"cat, dog",1\n' if kind == "csv" else "cat\ndog\n", "utf-8")
    release, polished = (tmp_path / source.name.replace("in", name) for name in ("release", "polished"))
    made = sfumato.build("custext", 3.0, vocabulary=vectors, set_size=4)
    release_file(made, source, release, RunOptions(files))
    done = sfumato.polish(release, polished, files=files)
    assert done.texts == (2 if kind == "lines" else 1)
    assert done.statement["release"]["sha256"] == digest_of_everything(polished)
    again = sfumato.polish(polished, tmp_path / source.name.replace("in", "again"), files=files)
    assert again.texts == done.texts


def test_cells_without_quotation_marks_are_no_place_for_a_rewriting(tmp_path: Path, vectors: Path) -> None:
    release = released(tmp_path / "all", vectors, ["cat"])
    with pytest.raises(OptionError, match="delimiter"):
        sfumato.polish(release, tmp_path / "p.jsonl", chat_model=chat(answered), files=FileOptions(quoting="none"))


def test_what_is_restored_by_a_map_is_refused(tmp_path: Path) -> None:
    release = redacted(tmp_path, "pseudonym", "Anna met a friend.")
    with pytest.raises(InputError, match="pseudonym"):
        sfumato.polish(release, tmp_path / "polished.jsonl", chat_model=chat(answered))


def test_a_text_that_no_model_reads_stays(tmp_path: Path) -> None:
    release = redacted(tmp_path, "label", "Anna met \ud800 a friend.")
    model = chat(answered)
    made = sfumato.polish(release, tmp_path / "polished.jsonl", chat_model=model)
    assert (made.texts, made.changed) == (1, 0)
    assert len(model.asked) <= 1  # whether it is there
    assert made.output.read_bytes() == release.read_bytes()


def _other_bytes(release: Path) -> None:
    release.write_text(release.read_text("utf-8").replace("r0", "r9"), "utf-8")


def _no_statement(release: Path) -> None:
    release.with_name(f"{release.name}.privacy.json").unlink()


def _synthetic(release: Path) -> None:
    release.with_name(f"{release.name}.privacy.json").write_text('{"method": "evolve", "schedule": {}}', "utf-8")


def _several(release: Path) -> None:
    place = release.with_name(f"{release.name}.privacy.json")
    content = json.loads(place.read_text("utf-8"))
    content["vocabularies"]["MORE"] = content["vocabularies"]["ANY"]
    place.write_text(json.dumps(content), "utf-8")


def _another_epsilon(release: Path) -> None:
    place = release.with_name(f"{release.name}.privacy.json")
    content = json.loads(place.read_text("utf-8"))
    content["vocabularies"]["ANY"]["parameters"]["scaling"] = "unheard of"
    place.write_text(json.dumps(content), "utf-8")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (_other_bytes, "statement of another file"),
        (_no_statement, r"there is no release.jsonl.privacy.json"),
        (_synthetic, "synthetic records"),
        (_several, "several vocabularies"),
        (_another_epsilon, "cannot be built again"),
        (Path.unlink, "does not exist"),
    ],
)
def test_what_cannot_be_polished_is_refused_and_nothing_is_written(
    tmp_path: Path, vectors: Path, change: Callable[[Path], None], told: str
) -> None:
    release = released(tmp_path / "all", vectors, ["cat dog"])
    change(release)
    before = sorted(tmp_path.rglob("*"))
    asked = call("polish", release, "-o", tmp_path / "polished.jsonl", "--quiet")
    assert asked.code == 2
    assert told in asked.err
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("name", ["fbdd", "custext"])
def test_words_without_a_law_or_a_place_need_a_model(tmp_path: Path, vectors: Path, name: str) -> None:
    spans = "list:" + str(vectors.with_name("names.txt"))
    Path(spans[5:]).write_text("WORD\tcat\n", "utf-8")
    more = {} if name == "fbdd" else {"detect": spans}
    release = released(tmp_path / "all", vectors, ["cat dog"], name, **more)
    asked = call("polish", release, "-o", tmp_path / "polished.jsonl")
    assert asked.code == 2
    assert "--chat-model" in asked.err
    assert ("closed form" if name == "fbdd" else "are not known") in asked.err


def test_the_command_says_what_it_did(tmp_path: Path, vectors: Path) -> None:
    release = released(tmp_path / "all", vectors, ["cat dog", "river"])
    made = call("polish", release, "-o", tmp_path / "polished.jsonl", "--json").json
    assert made["texts"] == 2
    assert made["privacy"] == statement(tmp_path / "polished.jsonl")
    again: Ran = call("polish", release, "-o", tmp_path / "polished.jsonl")
    assert again.code == 2
    assert "--force" in again.err
    told = call("polish", release, "-o", tmp_path / "polished.jsonl", "--force")
    assert TOLD in told.out
    unused = call("polish", release, "-o", tmp_path / "more.jsonl", "--chat-timeout", "5")
    assert unused.code == 2
    assert "polish without --chat-model asks none" in unused.err
    same = call("polish", release, "-o", release, "--force")
    assert same.code == 2
    assert "the input itself" in same.err
