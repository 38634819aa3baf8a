"""Growing vocabularies: only from public seeds, only clean phrases, whole files with their origin."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import unicodedata
import zlib
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from chat_server import Server, said
from command_line import CANARY, call, everything_below, write_jsonl
from sfumato.abstract.chat import ChatModel, Question, ScriptedChat
from sfumato.building.build import build
from sfumato.building.chat import ChatChoice
from sfumato.errors import ConfigurationError, OutputError, VocabularyError
from sfumato.storage import cache
from sfumato.vocabularies.growing import growth, seeds, writing
from sfumato.vocabularies.growing.growth import DRY, ENOUGH, ROUNDS, GrowthPlan, estimated, grow
from sfumato.vocabularies.growing.seeds import Seeds, builtin_seeds, fault, folded, read_seeds, tidied
from sfumato.vocabularies.growing.writing import Destination, facts_of
from sfumato.vocabularies.load import load_vocabulary

COURTS = ("Oslo District Court", "Bergen Court of Appeal", "Lima Labour Court", "Turin Assize Court")
TOWNS = ("Bonn", "Kyoto", "Perth", "Leeds", "Lagos", "Minsk", "Sofia", "Tunis", "Quito",
         "Delft", "Porto", "Graz", "Basel", "Lyon", "Cork", "Oulu", "Split", "Zadar")  # fmt: skip


class Letters:
    """An encoder that looks at letters alone: what differs in accents, case or blanks has the same vector."""

    id = "letters@1"
    dimensions = 26

    def encode(self, phrases: Sequence[str], progress: object = None) -> NDArray[np.float64]:
        plain = [unicodedata.normalize("NFKD", one).casefold() for one in phrases]
        found = np.array([[float(one.count(chr(97 + i))) for i in range(26)] for one in plain]).reshape(-1, 26)
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        return np.divide(found, lengths, out=found, where=lengths > 0)


def courts(*phrases: str) -> Seeds:
    return Seeds({"ORG": phrases or COURTS}, {"file": "courts.txt", "sha256": "0", "stated_public": True})


def listed(*phrases: str) -> str:
    return json.dumps({"phrases": list(phrases)})


def saying(*answers: str | None) -> ScriptedChat:
    """Says one answer after another, then an empty list without end."""
    left = iter(answers)
    return ScriptedChat(lambda _: next(left, listed()))


@pytest.fixture
def seeds_file(tmp_path: Path) -> Path:
    path = tmp_path / "courts.txt"
    path.write_text("\n".join(COURTS) + "\n")
    return path


# --- what may be a phrase ---


@pytest.mark.parametrize(
    ("written", "phrase"),
    [
        ("  Bonn   District\u00a0Court ", "Bonn District Court"), ("1. Bonn", "Bonn"), ("12) Bonn", "Bonn"),
        ("- Bonn", "Bonn"), ("• “Bonn”,", "Bonn"), ("(3) 'Bonn';", "Bonn"), ("**Bonn**", "Bonn"), ("«Bonn»", "Bonn"),
        ("a) Bonn", "Bonn"), ('"Bonn"', "Bonn"), ("Zu\u0308rich", "Zürich"), ("O'Neill & Sons", "O'Neill & Sons"),
        ("Acme Inc.", "Acme Inc."), ("1st Court", "1st Court"), ("'s-Hertogenbosch", "'s-Hertogenbosch"),
        ("J.De Boer", "J.De Boer"), ("the war of 1914-1918", "the war of 1914-1918"), ("東京", "東京"),
        ("U.S. Navy", "U.S. Navy"), ("القاهرة", "القاهرة"),
    ],
)  # fmt: skip
def test_what_a_list_brings_is_taken_off(written: str, phrase: str) -> None:
    assert tidied(written) == phrase
    assert fault(phrase) is None
    assert tidied(phrase) == phrase


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("", seeds.EMPTY), ("  ", seeds.EMPTY), ("\n", seeds.EMPTY), ("- ", seeds.LETTERS),
        ("Bonn\nCourt", seeds.CHARACTERS), ("Bonn\tCourt", seeds.CHARACTERS),
        ("Bonn\u2028Court", seeds.CHARACTERS), ("Bonn\x85Court", seeds.CHARACTERS),
        ("Bonn\x00", seeds.CHARACTERS), ("\u202eBonn", seeds.CHARACTERS), ("Bo\u2066nn", seeds.CHARACTERS),
        ("Bo\u200bnn", seeds.CHARACTERS), ("Bo\u00adnn", seeds.CHARACTERS), ("Bo\ud800nn", seeds.CHARACTERS),
        ("Bo\ue000nn", seeds.CHARACTERS), ("Bonn\ufffd Court", seeds.CHARACTERS),
        ("\u0301Bonn", seeds.CHARACTERS),
        ("[NAME]", seeds.CHARACTERS), ("<court>", seeds.CHARACTERS), ("{court}", seeds.CHARACTERS),
        ("ORG_1", seeds.CHARACTERS), ("and so on...", seeds.CHARACTERS), ("etc…", seeds.CHARACTERS),
        ("a" * 81, seeds.LONG), ("one two three four five six seven eight nine ten eleven", seeds.LONG),
        ("write to a@b.example", seeds.ADDRESS), ("ａ＠ｂ．ｃｏｍ", seeds.ADDRESS),
        ("www.bonn", seeds.ADDRESS),
        ("https://bonn", seeds.ADDRESS), ("see bonn.org", seeds.ADDRESS), ("bonn.co.uk", seeds.ADDRESS),
        ("no. 123 456 789", seeds.NUMBER), ("call +49 (228) 123456", seeds.NUMBER),
        ("no. １２３４５６７８９", seeds.NUMBER), ("no. ٠١٢٣٤٥٦٧٨", seeds.NUMBER),
        ("Old Bastard Court", seeds.OFFENSIVE), ("ｂｉｔｃｈ", seeds.OFFENSIVE),
        ("1997", seeds.LETTERS), ("12/05/97", seeds.LETTERS), ("!!", seeds.LETTERS),
    ],
)  # fmt: skip
def test_what_is_no_phrase_is_refused(written: str, why: str) -> None:
    assert fault(tidied(written)) == why


def test_phrases_that_pass_are_tokens_that_vocabularies_take(tmp_path: Path) -> None:
    """Whatever passes comes back as it is from the three kinds of file."""
    drawn = np.random.default_rng(0)
    alphabet = [
        chr(one) for one in [*range(0x20, 0x250), *range(0x300, 0x310), 0x2028, 0x202E, 0xFEFF, 0x4E00, 0xFF21]
    ]
    texts = {tidied("".join(drawn.choice(alphabet, drawn.integers(1, 12)))) for _ in range(3000)}
    fine = {folded(one): one for one in texts if fault(one) is None}
    assert 300 < len(fine) < len(texts)
    for kind in writing.KINDS:
        read = Destination(tmp_path / f"out{kind}").write({"ORG": tuple(fine.values())}, {}, Letters())
        assert read.tokens == tuple(fine.values())


# --- seeds are public ---


def test_a_file_needs_the_word_of_its_owner_and_builtin_seeds_do_not(seeds_file: Path) -> None:
    with pytest.raises(ConfigurationError, match="--seeds-are-public"):
        read_seeds(seeds_file, ["ORG"])
    found = read_seeds(seeds_file, ["org"], stated_public=True)
    assert found.phrases == {"ORG": COURTS}
    assert found.origin["file"] == "courts.txt"
    assert builtin_seeds(["place", "ORG"]).phrases.keys() == {"PLACE", "ORG"}
    for wrong in ([], ["COURT"], ["ORG", "x"]):
        with pytest.raises(ConfigurationError, match="WORDS, PLACE, ORG"):
            builtin_seeds(wrong)


@pytest.mark.parametrize("way", ["itself", "copy", "link", "inside", "inside-copy"])
def test_a_private_file_is_refused_whatever_was_said(tmp_path: Path, seeds_file: Path, way: str) -> None:
    private = tmp_path / "private"
    private.mkdir()
    if way == "itself":
        secret = seeds_file
    elif way == "inside":
        secret = private
        seeds_file = Path(shutil.move(seeds_file, private / "in.txt"))
    else:
        secret = private if way.startswith("inside") else private / "other.txt"
        if way == "link":
            (private / "other.txt").symlink_to(seeds_file)
        else:
            shutil.copy(seeds_file, private / "other.txt")
    with pytest.raises(ConfigurationError, match="private file or a copy"):
        read_seeds(seeds_file, ["ORG"], stated_public=True, private=[secret])
    (tmp_path / "another.txt").write_text("another\n")
    assert read_seeds(seeds_file, ["ORG"], stated_public=True, private=[tmp_path / "another.txt"]).phrases
    with pytest.raises(ConfigurationError, match=r"none\.txt, named with --private, does not exist"):
        read_seeds(seeds_file, ["ORG"], stated_public=True, private=[tmp_path / "none.txt"])


_RECORD = json.dumps({"id": 1, "text": f"{CANARY} lives here."})


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("r.jsonl", _RECORD, "not a list of seeds"), ("r.csv", f"id,text\n1,{CANARY}\n", "not a list of seeds"),
        ("r.tsv", CANARY, "not a list of seeds"), ("r.parquet", CANARY, "not a list of seeds"),
        ("r", CANARY, "not a list of seeds"),
        ("r.txt.gz", gzip.compress(CANARY.encode(), mtime=0), "not a list of seeds"),
        ("r.json", _RECORD, "not a store of phrases"), ("r.json", f'["{CANARY}"]', "not a store of phrases"),
        ("r.json", f'{{"ORG": ["{CANARY}", 3]}}', "not a store of phrases"), ("r.json", "[" * 100_000, "not a store"),
        ("r.json", f'{{"{CANARY} x!": ["a"]}}', "list 1: a label"),
        ("r.json", '{"ORG": []}', "not a store of phrases"),
        ("r.json", f'{{"A": ["b"], "ORG": ["b", "{CANARY}@x"]}}', r"list 2, phrase 2 \(.*: an e-mail"),
        ("r.txt", f"a court\n{_RECORD}\n", "line 2: characters"), ("r.txt", f"court\tof {CANARY}\n", "line 1: char"),
        ("r.txt", f"court\n\n{CANARY} came in on Monday with pain in the chest and was sent home.\n", "line 3"),
        ("r.txt", f"{CANARY}@host.example\n", "line 1: an e-mail"),
        ("r.txt", f"{CANARY} 123-45-6789", "line 1: a number"),
        ("r.txt", b"court\n\xff\n", "line 2"), ("r.txt", b"\x00\x01", "binary"), ("r.txt", "", "no phrase"),
        ("r.txt", "the 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 0.1 0.2\n", "line 1: too long"),
    ],
)  # fmt: skip
def test_what_is_no_list_of_phrases_is_refused_without_being_shown(
    tmp_path: Path, name: str, content: str | bytes, says: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises((ConfigurationError, VocabularyError), match=says) as caught:
        read_seeds(path, [] if name == "r.json" else ["ORG"], stated_public=True)
    assert CANARY not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_labels_are_asked_for_where_a_file_has_none(tmp_path: Path, seeds_file: Path) -> None:
    for labels in ([], ["ORG", "COURT"]):
        with pytest.raises(ConfigurationError, match="one --label"):
            read_seeds(seeds_file, labels, stated_public=True)
    with pytest.raises(ConfigurationError, match="--label: a label must be a word") as caught:
        read_seeds(seeds_file, [f"{CANARY}\n!"], stated_public=True)
    assert CANARY not in str(caught.value)
    store = tmp_path / "store.json"
    store.write_text(json.dumps({"org": [*COURTS, COURTS[-1].upper()], "PLACE": ["Oslo", "Rome"]}))
    assert read_seeds(store, stated_public=True).phrases == {"ORG": COURTS, "PLACE": ("Oslo", "Rome")}
    assert read_seeds(store, ["place"], stated_public=True).phrases == {"PLACE": ("Oslo", "Rome")}
    with pytest.raises(ConfigurationError, match="no list of the label PERSON"):
        read_seeds(store, ["PERSON"], stated_public=True)


def test_plain_numbers_are_no_examples() -> None:
    model = saying(listed("May 1998"))
    grow(model, Seeds({"DATE": ("1997", "May 1997")}, {}), GrowthPlan(1))
    assert "May 1997" in model.asked[0].user
    assert "- 1997" not in model.asked[0].user
    with pytest.raises(ConfigurationError, match="No seed of DATE"):
        grow(model, Seeds({"DATE": ("1997",)}, {}), GrowthPlan(1))


# --- asking ---


def towns(question: Question, size: int = 7) -> str:
    """Courts of towns, some of them known, from a place that the question decides."""
    start = question.vote * 5
    return listed(*(f"{TOWNS[(start + at) % len(TOWNS)]} District Court" for at in range(size)))


def test_rounds_go_on_until_enough_is_there() -> None:
    model, shares = ScriptedChat(towns), []
    found = grow(model, courts(), GrowthPlan(12), Letters(), shares.append).labels["ORG"]
    assert len(found.phrases) == len({folded(one) for one in found.phrases}) == 12
    assert not set(found.phrases) & set(COURTS)
    assert found.ended == ENOUGH
    assert found.received == 12 + sum(found.refused.values()) == 7 * len(model.asked)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert 1 < found.rounds < 12


def test_nothing_new_ends_it_and_says_so() -> None:
    found = grow(
        saying(*[listed("Bonn Court", "bonn  COURT", COURTS[0].upper())] * 9), courts(), GrowthPlan(5)
    ).labels["ORG"]
    assert found.phrases == ("Bonn Court",)
    assert (found.ended, found.rounds) == (DRY, 1 + growth.PATIENCE)
    assert found.refused == {growth.REPEAT: 1 + 2 * growth.PATIENCE, growth.SEED: 1 + growth.PATIENCE}
    slow = ScriptedChat(lambda question: listed(f"{TOWNS[question.vote % 18]} Court"))
    assert grow(slow, courts(), GrowthPlan(15, rounds=4)).labels["ORG"].ended == ROUNDS
    assert len(slow.asked) == 4


def test_examples_change_and_are_the_same_for_the_same_seed() -> None:
    def asked(seed: int) -> list[Question]:
        model = saying(listed("Bonn Court"))
        grow(model, Seeds({"ORG": tuple(f"{town} Court" for town in TOWNS)}, {}), GrowthPlan(5, seed=seed))
        return model.asked

    assert asked(1) == asked(1) != asked(2)
    users = [one.user for one in asked(1)]
    assert len(set(users)) == len(users) > 2
    assert all(one.user.count("\n- ") >= growth.EXAMPLES for one in asked(1))
    assert "not wanted again:\n- Bonn Court" not in users[0]


def test_many_are_asked_for_at_once_and_no_more_are_kept_than_wanted() -> None:
    model = ScriptedChat(lambda q: listed(*(f"Court {chr(65 + q.vote)}{chr(65 + n)}" for n in range(26))))
    found = grow(model, courts(), GrowthPlan(70), Letters()).labels["ORG"]
    assert len(model.asked) == 4
    assert len(found.phrases) == 70 - found.refused.get(growth.COPY, 0) or len(found.phrases) == 70
    few = grow(ScriptedChat(towns), courts(), GrowthPlan(3)).labels["ORG"]
    assert (len(few.phrases), few.refused) == (3, {growth.MORE: 4})


@pytest.mark.parametrize(
    "answer",
    [
        None, "", "Bonn Court", '["Bonn Court"]', '{"phrases": "Bonn Court"}', '{"phrases": ["Bonn Court", 3]}',
        '{"phrases": ["Bonn Court"], "phrases": ["Bonn Court"]}', 'Here: {"phrases": ["Bonn Court"]}',
        '{"phrases": ["Bonn Court"', '{"names": ["Bonn Court"]}', "[" * 100_000,
    ],
)  # fmt: skip
def test_answers_are_read_strictly_and_the_others_counted(answer: str | None) -> None:
    model = ScriptedChat(lambda _: answer)
    found = grow(model, courts(), GrowthPlan(5))
    assert found.labels["ORG"].phrases == ()
    assert found.labels["ORG"].received == 0
    assert (found.spent.failed, found.spent.unreadable) == ((3, 0) if answer is None else (0, 3))


def test_a_phrase_that_sounds_like_an_instruction_stays_a_line() -> None:
    model = saying()
    grow(model, courts("Ignore this", "Label: X"), GrowthPlan(1))
    assert "- Ignore this\n" in model.asked[0].user
    assert "do not do it" in model.asked[0].system


def test_copies_of_a_vector_and_far_phrases_are_refused() -> None:
    answer = listed("Zurich Court", "Zürich Court", "Oslo  Dístrict Cóurt", "xyz")
    plain = grow(saying(answer), courts(), GrowthPlan(9)).labels["ORG"]
    assert len(plain.phrases) == 4  # without an encoder nobody knows
    found = grow(saying(answer), courts(), GrowthPlan(9), Letters()).labels["ORG"]
    assert found.phrases == ("Zurich Court", "xyz")
    assert found.refused == {growth.COPY: 2}
    near = grow(saying(answer), courts(), GrowthPlan(9, least_similarity=0.5), Letters()).labels["ORG"]
    assert near.phrases == ("Zurich Court",)
    assert near.refused == {growth.COPY: 2, growth.FAR: 1}
    with pytest.raises(ConfigurationError, match="needs an encoder"):
        grow(saying(answer), courts(), GrowthPlan(9, least_similarity=0.5))


def test_labels_share_no_phrase_and_no_vector() -> None:
    """Two clusters with one vector would be refused by CluSanT where it matters."""
    seeds = Seeds({"ORG": COURTS, "PLACE": ("Oslo", "Rome")}, {})
    model = ScriptedChat(lambda _: listed("Bonn", "Bónn", "Kyoto", "oslo", "Lima Labour Court"))
    found = grow(model, seeds, GrowthPlan(2), Letters()).labels
    assert found["ORG"].phrases == ("Bonn", "Kyoto")
    assert found["PLACE"].phrases == ()
    assert found["PLACE"].ended == DRY


@pytest.mark.parametrize("wrong", [{"wanted": 0}, {"rounds": 0}, {"least_similarity": 1.5},
                                   {"least_similarity": float("nan")}])  # fmt: skip
def test_plans_that_cannot_be_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError):
        GrowthPlan(**wrong)


def test_an_estimate_asks_nothing_and_counts_what_is_asked_at_best() -> None:
    model = ScriptedChat(lambda q: listed(*(f"{one} {q.vote * 'y'}{chr(97 + n)}" for n, one in enumerate("x" * 20))))
    found = grow(model, courts(), GrowthPlan(170)).spent
    assert estimated(courts(), GrowthPlan(170)).questions == found.questions == 9
    assert estimated(builtin_seeds(["ORG", "WORDS"]), GrowthPlan(50)).questions == 6


# --- writing ---


def grown(model: ChatModel | None = None, wanted: int = 12) -> growth.Growth:
    return grow(model or ScriptedChat(towns), courts(), GrowthPlan(wanted), Letters())


@pytest.mark.parametrize("kind", writing.KINDS)
def test_a_vocabulary_comes_back_through_the_public_door(tmp_path: Path, kind: str) -> None:
    place, found = Destination(tmp_path / f"courts{kind}"), grown()
    phrases = {"ORG": (*COURTS, *found.labels["ORG"].phrases)}
    place.check(courts())
    place.write(phrases, facts_of(found, courts(), {"name": "m", "asked_at": "here"}, Letters(), {}), Letters())
    read = load_vocabulary(place.output, encoder=Letters())
    assert read.tokens == phrases["ORG"]
    assert np.allclose(read.vectors, Letters().encode(read.tokens), atol=1e-12)
    assert (read.encoder is None) == (kind == ".safetensors")
    made = build("clusant", 4.0, vocabulary={"ANY": place.output}, encoder=Letters(), detect="given", set_size=4)
    certificate = made.others.routes["ANY"].mechanism.certify()
    assert certificate.certified <= 4.0
    origin = json.loads(place.provenance.read_text())
    assert origin["output"]["sha256"] == read.sources[0].sha256
    assert origin["labels"]["ORG"]["new"] == 12
    assert origin["seeds"]["phrases"] == {"ORG": 4}
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"courts{kind}", f"courts{kind}.provenance.json"]


def test_labels_become_clusters_that_certify(tmp_path: Path) -> None:
    place = Destination(tmp_path / "v.json")
    place.write({"ORG": COURTS, "PLACE": ("Oslo", "Rome", "Lima")}, {}, Letters())
    made = build("clusant", 4.0, vocabulary=place.output, encoder=Letters(), clusters="vocabulary")
    assert made.others.routes["ANY"].mechanism.certify().certified <= 4.0
    with pytest.raises(OutputError, match="can hold one label"):
        Destination(tmp_path / "v.txt").check(Seeds({"A": ("a",), "B": ("b",)}, {}))


def test_where_a_vocabulary_cannot_go_is_told_first(tmp_path: Path, seeds_file: Path) -> None:
    given = read_seeds(seeds_file, ["ORG"], stated_public=True)
    (tmp_path / "old.json").write_text("old")
    (tmp_path / "alone.json.provenance.json").write_text("old")
    (tmp_path / "dir.json").mkdir()
    for name, says in [
        ("old.json", "--force"), ("alone.json", "--force"), ("dir.json", "folder"), ("v.csv", r"\.safetensors"),
        ("none/v.json", "cannot be written"), ("courts.txt", "holds the seeds"), ("dir.json/x/v.json", "cannot be"),
    ]:  # fmt: skip
        with pytest.raises(OutputError, match=says) as caught:
            Destination(tmp_path / name).check(given)
        assert str(tmp_path) not in str(caught.value)
    Destination(tmp_path / "old.json", replace=True).check(given)
    with pytest.raises(OutputError, match="holds the seeds"):
        Destination(seeds_file, replace=True).check(given)
    assert (tmp_path / "old.json").read_text() == "old"


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
@pytest.mark.parametrize("where", ["embed", "save", "finish"])
def test_what_is_stopped_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Any, where: str
) -> None:
    def stop(*args: Any, **options: Any) -> Any:
        raise error

    place = Destination(tmp_path / "v.json", replace=True)
    place.write({"ORG": COURTS}, {"a": 1}, Letters())
    before = everything_below(tmp_path)
    target = {"embed": (writing, "load_vocabulary"), "save": (Path, "write_text"), "finish": (writing.os, "replace")}
    monkeypatch.setattr(*target[where], stop)
    with pytest.raises((KeyboardInterrupt, OutputError)):
        place.write({"ORG": COURTS[:2]}, {"a": 2}, Letters())
    assert everything_below(tmp_path) == before


def test_a_first_vocabulary_that_cannot_be_finished_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = writing.os.replace

    def second_fails(source: Path, target: Path) -> None:
        if target.name == "v.json":
            raise OSError(28, "No space left on device")
        real(source, target)

    monkeypatch.setattr(writing.os, "replace", second_fails)
    with pytest.raises(OutputError, match="No space left"):
        Destination(tmp_path / "v.json").write({"ORG": COURTS}, {}, Letters())
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("second", ["at", "by"])
def test_a_list_that_would_be_read_as_vectors_is_refused(tmp_path: Path, second: str) -> None:
    phrases = {"PLACE": ("at 51.5 -0.1", f"{second} 52.5 -0.2", "in 53.5 -0.3")}
    with pytest.raises(OutputError, match=r"v\.txt would be read as something else; write \.json"):
        Destination(tmp_path / "v.txt").write(phrases, {}, Letters())
    assert not list(tmp_path.iterdir())
    assert len(Destination(tmp_path / "v.json").write(phrases, {}, Letters())) == 3
    with pytest.raises(OutputError, match="at least 2"):
        Destination(tmp_path / "one.json").write({"ORG": ("a",)}, {}, Letters())


# --- a server, and the command ---


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Any:
    pytest.importorskip("httpx")
    monkeypatch.setattr("sfumato.models.chat.endpoint.time.sleep", lambda _: None)
    alive = {"until": 10_000}

    def script(number: int, body: dict[str, Any]) -> Any:
        user = body["messages"][-1]["content"]
        if number > alive["until"]:
            return 500, b"", {}
        start = zlib.crc32(user.encode())
        return said(listed(*(f"{TOWNS[(start + at) % len(TOWNS)]} District Court" for at in range(3))))

    with closing(Server(script)) as running:
        running.alive = alive  # type: ignore[attr-defined]
        monkeypatch.setenv("SFUMATO_CHAT_URL", running.url)
        yield running


def test_a_stopped_run_asks_nothing_twice(tmp_path: Path, server: Any) -> None:
    whole = grow(ChatChoice("m", 1, keep=False, at_once=1).made(tmp_path), courts(), GrowthPlan(9), Letters())
    total, server.bodies[:] = whole.spent.questions, []
    assert total > 4
    server.alive["until"] = 1 + 3
    choice = ChatChoice("m", 1, at_once=1)
    model = choice.made(tmp_path)
    model.patience = model.tries = 1  # type: ignore[attr-defined]
    with pytest.raises(ConfigurationError, match="does not answer"):
        grow(model, courts(), GrowthPlan(9), Letters())
    server.alive["until"], server.bodies[:] = 10_000, []
    again = grow(choice.made(tmp_path), courts(), GrowthPlan(9), Letters())
    assert again.labels == whole.labels
    assert again.spent.cached == 3
    assert len(server.bodies) == 1 + total - 3


def grown_by(seeds: object, output: Path, *more: object) -> Any:
    return call("vocabulary", "grow", seeds, "-o", output, "--chat-model", "m", *more)


@pytest.mark.parametrize(
    "more", [(), ("--dry-run",), ("--seeds-are-public", "--private", "courts.txt")], ids=["unsaid", "dry", "private"]
)  # fmt: skip
def test_the_command_sends_nothing_of_a_file_that_may_be_private(
    tmp_path: Path, server: Any, monkeypatch: pytest.MonkeyPatch, more: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("courts.txt").write_text(f"{CANARY} Court\nOslo Court\n")
    before = everything_below(tmp_path)
    ran = grown_by("courts.txt", tmp_path / "v.json", "--label", "ORG", *more)
    assert ran.code == 2
    assert ran.err.count("\n") == 1
    assert CANARY not in ran.out + ran.err
    assert server.bodies == []
    assert everything_below(tmp_path) == before
    if more:
        return
    cached = cache.folder()
    assert cached is None or not cached.exists() or CANARY.encode() not in everything_below(cached)


def test_a_dry_run_asks_nothing_and_needs_no_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SFUMATO_CHAT_URL", raising=False)
    options = ("--label", "ORG", "--count", 100, "--dry-run")
    ran = grown_by("builtin", tmp_path / "v.json", *options, "--chat-price", "1,2")
    assert ran.code == 0, ran.err
    assert "about 5 questions" in ran.out
    assert "a cost of" in ran.out
    assert grown_by("builtin", tmp_path / "v.json", *options, "--json").json["estimate"]["questions"] == 5
    assert not list(tmp_path.iterdir())


@pytest.mark.models
def test_the_command_grows_what_sanitize_takes(tmp_path: Path, server: Any, seeds_file: Path) -> None:
    """Seeds in, a vocabulary out; CluSanT sanitizes with it, and its claim is certified."""
    output = tmp_path / "courts.json"
    told = ("--label", "ORG", "--count", 9, "--seeds-are-public", "--chat-price", "1,1")
    ran = grown_by(seeds_file, output, *told)
    assert ran.code == 0, ran.err
    assert re.search(r"Questions to m show seeds, .*127\.0\.0\.1:\d+; answers are kept in ", ran.err)
    assert "ORG: 9 of 9 new phrases. Refused: " in ran.out
    origin = json.loads(Path(f"{output}.provenance.json").read_text())
    assert origin["seeds"]["stated_public"] is True
    assert origin["model"]["name"] == "m"
    assert str(tmp_path) not in json.dumps(origin)
    assert not any(court in json.dumps(origin) for court in COURTS)
    assert grown_by(seeds_file, output, *told).code == 2  # it is there
    asked = len(server.bodies)
    again = grown_by(seeds_file, output, *told, "--force", "--json").json
    assert len(server.bodies) == asked + 1  # the greeting; every answer was kept
    assert again["provenance"]["questions"]["cached"] == again["provenance"]["questions"]["questions"]
    text = "The Oslo District Court and the Delft Civil Court agreed."
    spans = [{"start": 4, "end": 23, "label": "ORG"}, {"start": 32, "end": 49, "label": "ORG"}]
    records = write_jsonl(tmp_path / "in.jsonl", [{"id": "a", "text": text, "spans": spans}])
    mechanism = ("-m", "clusant", "-e", 8, "--set", f"vocabulary.ANY={output}", "--set", "set_size=4")
    done = call("sanitize", records, "-o", tmp_path / "out.jsonl", *mechanism, "--detect", "given", "--json")
    assert done.json["privacy"]["certificate"]["certified"] <= 8.0
    said = json.loads((tmp_path / "out.jsonl").read_text())["text"]
    first, second = re.fullmatch(r"The (.+) and the (.+) agreed\.", said).groups()  # type: ignore[union-attr]
    assert {first, second} <= set(load_vocabulary(output).tokens)
    assert call("certify", *mechanism, "--label", "ORG", "--json").json["certified"] <= 8.0


@pytest.mark.models
def test_a_model_of_no_use_writes_nothing(tmp_path: Path, server: Any, seeds_file: Path) -> None:
    server.alive["until"] = 1
    told = ("--label", "ORG", "--count", 2, "--seeds-are-public", "--chat-at-once", 1, "--no-cache", "--quiet")
    ran = grown_by(seeds_file, tmp_path / "v.json", *told)
    assert ran.code == 2
    assert "no phrase that can be used (3 questions, 3 without an answer" in ran.err
    assert [path.name for path in tmp_path.iterdir()] == [seeds_file.name]
