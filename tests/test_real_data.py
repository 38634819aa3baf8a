"""Real text end to end, through the command: court cases with gold spans and CluSanT, film reviews with CusText.

The data stand in ../shared/data beside the repository and are never copied or printed: no assertion shows a text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from command_line import call
from sfumato.vocabularies.builtin import family_phrases
from short_lists import short_families

DATA = Path(__file__).parents[2] / "shared" / "data"
pytestmark = [
    pytest.mark.real_data,
    pytest.mark.models,
    pytest.mark.skipif(not DATA.is_dir(), reason="needs ../shared/data, which is not there"),
]


@pytest.fixture(autouse=True)
def kept_embeddings(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Embedding thousands of public phrases takes a minute, so it is kept from one test run to the next."""
    cache = getattr(request.config, "cache", None)
    if cache is not None:
        monkeypatch.setenv("SFUMATO_CACHE", str(cache.mkdir("sfumato")))


def write_phrases(path: Path, source: Path, every: int) -> set[str]:
    """Each ``every``-th phrase of the lists in ``source``, as they are written; returns them in lower case."""
    groups = json.loads(source.read_text(encoding="utf-8"))
    chosen = {name: group[::every] for name, group in groups.items()}
    path.write_text(json.dumps(chosen), encoding="utf-8")
    return {" ".join(phrase.split()).lower() for group in chosen.values() for phrase in group}


def merged(entities: list[dict[str, Any]]) -> list[tuple[int, int]]:
    """The union of the gold spans that must be masked, made without sfumato."""
    masked = [one for one in entities if one["identifier_type"] != "NO_MASK"]
    found: list[tuple[int, int]] = []
    for start, end in sorted({(one["start_offset"], one["end_offset"]) for one in masked}):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def test_court_cases_with_gold_spans_and_clusant(tmp_path: Path) -> None:
    """The whole lists (8,025 and 31,116 phrases) take 1 and 13 minutes to certify: here is every 20th and 60th."""
    source, output = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    with (DATA / "tab" / "annotated.jsonl").open(encoding="utf-8") as file:
        source.write_text("".join(next(file) for _ in range(12)), encoding="utf-8")
    lists = DATA / "clusant" / "clusters" / "gpt-4"
    tokens = write_phrases(tmp_path / "LOC.json", lists / "LOC.json", 20)
    tokens |= write_phrases(tmp_path / "ORG.json", lists / "ORG.json", 60)
    given = ["--set", f"vocabulary.LOC={tmp_path / 'LOC.json'}", "--set", f"vocabulary.ORG={tmp_path / 'ORG.json'}"]
    for label, name in {
        "PERSON": "PERSON",
        "DATETIME": "DATE",
        "CODE": "CODE",
        "DEM": "GROUP",
        "ANY": "WORDS",
    }.items():
        phrases = family_phrases(name)[::20]
        tokens.update(phrase.lower() for phrase in phrases)
        path = tmp_path / f"{name}.txt"
        path.write_text("\n".join(phrases), encoding="utf-8")
        given += ["--set", f"vocabulary.{label}={path}"]
    told = call(
        "sanitize", source, "-o", output, "-m", "clusant", "--set", "k=16", "-e", 16, "--detect", "given",
        "--set", "detect.spans_field=entities", "--set", "detect.skip_labels=NO_MASK",
        "--set", "detect.merge_spans=true", "--set", "lower=true", *given, "--json",
    )  # fmt: skip
    assert told.code == 0, told.err
    privacy = told.json["privacy"]
    total = 0
    records = [
        [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] for path in (source, output)
    ]
    for private, released in zip(*records, strict=True):
        assert {**private, "text": 0, "entities": 0} == {**released, "text": 0, "entities": 0}
        spans, put_in = merged(private["entities"]), released["entities"]
        assert len(spans) == len(put_in)
        total += len(spans)
        outside = [
            _between(private["text"], spans),
            _between(released["text"], [(s["start"], s["end"]) for s in put_in]),
        ]
        same = outside[0] == outside[1]
        assert same, "the text outside the spans changed"
        outputs = [released["text"][span["start"] : span["end"]] for span in put_in]
        known = all(one.lower() in tokens for one in outputs)
        assert known, "a replacement is no token of a vocabulary"
        lower = all(one[1:] == one[1:].lower() for one in outputs)
        assert lower, "a replacement is not spelled as its vocabulary spells it"
    assert total == privacy["records"]["draws_per_record"]["total"] > 200
    assert set(privacy["vocabularies"]) == {"LOC", "ORG", "PERSON", "DATETIME", "CODE", "DEM", "ANY"}
    for one in privacy["vocabularies"].values():
        assert "lower-cased" in one["provenance"]
        certificate = one["certificate"]
        assert certificate["kind"] in ("exact", "upper-bound")
        assert 0.9 * 16 <= certificate["certified"] <= certificate["claimed"] == 16.0
        assert certificate["conditions"]["theorem5_condition_2"] is True
    assert "NO_MASK" in privacy["detector"]["protects"]


def _between(text: str, spans: list[tuple[int, int]]) -> list[str]:
    edges = [0, *(edge for span in spans for edge in span), len(text)]
    return [text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]


@pytest.fixture
def shortened() -> Iterator[None]:
    """Built-in families of 2,000 phrases: nothing that is asserted depends on how many words there are."""
    with short_families(2_000):
        yield


@pytest.mark.usefixtures("shortened")
def test_film_reviews_with_custext(tmp_path: Path) -> None:
    """2,000 lines of SST-2 over the 2,000 first built-in words: labels stay, every word is drawn from its own set."""
    source, output = tmp_path / "in.tsv", tmp_path / "out.tsv"
    with (DATA / "sst2" / "train.tsv").open(encoding="utf-8", newline="") as file:
        source.write_text("".join(next(file) for _ in range(2_001)), encoding="utf-8")
    asked = ("-m", "custext", "-e", 6, "--set", "set_size=20")
    told = call("sanitize", source, "-o", output, *asked, "--field", "sentence", "--json")
    assert told.code == 0, told.err
    privacy = told.json["privacy"]
    rows = [[line.split("\t") for line in path.read_text(encoding="utf-8").split("\n")] for path in (source, output)]
    assert len(rows[0]) == len(rows[1]) == 2_002
    labels_stayed = [row[1:] for row in rows[0]] == [row[1:] for row in rows[1]]
    assert labels_stayed
    assert rows[1][0] == ["sentence", "label"]
    assert privacy["records"]["count"] == 2_000
    words = {word.lower() for word in family_phrases("WORDS")}
    pairs = [
        (old, new)
        for private, released in zip(rows[0][1:-1], rows[1][1:-1], strict=True)
        for old, new in zip(private[0].split(), released[0].split(), strict=True)
        if old.isalpha()
    ]
    assert len(pairs) > 12_000
    drawn_from_the_list = all(new.lower() in words for _, new in pairs)
    assert drawn_from_the_list
    certificate = privacy["certificate"]
    assert (certificate["kind"], certificate["claimed"]) == ("exact", 6.0)
    assert 0.999 * 6 <= certificate["certified"] <= 6.0
    assert certificate["conditions"]["loss_across_sets"] == "infinity"
    for word in ("film", "the"):
        law = {
            row["token"]: row["probability"]
            for row in call("explain", *asked, "--token", word, "--all", "--json").json["law"]
        }
        drawn = [new.lower() for old, new in pairs if old == word]
        inside = set(drawn) <= {token.lower() for token in law}
        assert inside, "a word left its set"
        # Each of the n draws keeps the word with the probability that its law gives it: within 6 standard deviations.
        n, probability = len(drawn), law[word]
        kept = drawn.count(word)
        assert abs(kept - n * probability) <= 6 * (n * probability * (1 - probability)) ** 0.5 + 1
