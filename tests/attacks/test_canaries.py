"""Canaries: who memorised them is exposed, who did not is at chance; planted files stay the files they were."""

from __future__ import annotations

import json
import math
import stat
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from scripted_models import ScriptedCausal
from sfumato.attacks.canaries import (
    Canary,
    Digits,
    Ends,
    Exposure,
    MadeUp,
    Secrets,
    by_chance,
    canaries,
    exposures,
    found_in,
    made_up,
    named,
    whole,
)
from sfumato.attacks.canary_planting import planted
from sfumato.errors import ConfigurationError, OutputError
from sfumato.files import FileOptions, open_source
from sfumato.metrics.perplexity import surprises

OPENINGS = ("Call me back under", "The number on the form is")
WORDS = ("ash", "birch", "cedar", "elm", "fir", "hazel", "larch", "maple", "oak", "pine", "rowan", "willow")
SPACES = [Digits(), Ends(WORDS)]


def memorised(known: Sequence[Canary], words: Sequence[str]) -> ScriptedCausal:
    """A causal model that has learned the ``known`` canaries by heart and otherwise prefers no word."""
    starts = {tuple(canary.text.split()[:size]): canary.text.split()[size]
              for canary in known for size in range(1, len(canary.text.split()))}  # fmt: skip

    places, indifferent = {word: place for place, word in enumerate(words)}, [0.0] * len(words) + [-9.0]

    def script(prompt: list[str], written: list[str]) -> list[float]:
        wanted = starts.get((*prompt, *written))
        scores = list(indifferent)
        if wanted in places:
            scores[places[wanted]] = 5.0
        return scores

    return ScriptedCausal(words=tuple(words), script=script)


def nats(model: ScriptedCausal, texts: Sequence[str]) -> list[float]:
    return [surprise.nats for surprise in surprises(model, texts)]


def vocabulary(secrets: Secrets) -> list[str]:
    numbers = [f"{zero}{number:03d}" for zero in ("0", "") for number in range(1000)]
    own = WORDS if isinstance(secrets, Ends) else numbers
    return [*own, *dict.fromkeys(" ".join(OPENINGS).split())]


@pytest.mark.parametrize("secrets", [Digits("0### ### ###"), Ends(WORDS)])
def test_a_model_that_memorised_is_exposed_and_one_that_did_not_is_at_chance(secrets: Secrets) -> None:
    made, words = canaries(OPENINGS, secrets, 12, seed=4), vocabulary(secrets)
    for known, exposed in ((made, True), (canaries(OPENINGS, secrets, 12, seed=5), False)):
        model = memorised(known, words)
        seen = exposures(made, secrets, lambda texts, model=model: nats(model, texts), sampled=63, seed=1)  # type: ignore[misc]
        mean = sum(each.bits for each in seen) / len(seen)
        if exposed:
            assert mean == pytest.approx(6.0)
            assert by_chance(seen) < 1e-9
        else:
            assert mean < 3.0
            assert by_chance(seen) > 0.01


@pytest.mark.parametrize("secrets", SPACES)
def test_synthetic_texts_are_searched(secrets: Secrets) -> None:
    made = canaries(OPENINGS, secrets, 10, seed=4)
    written = [f"So it goes. {canary.text.upper().replace(' ', '  ')}, they said" for canary in made]
    surprise = found_in(written, secrets)
    assert all(whole(canary, secrets, surprise) for canary in made)
    assert by_chance(exposures(made, secrets, surprise, 255)) < 1e-9
    other = found_in([canary.text for canary in canaries(OPENINGS, secrets, 10, seed=5)], secrets)
    assert not any(whole(canary, secrets, other) for canary in made)
    assert by_chance(exposures(made, secrets, other, 255)) > 0.01


def test_a_number_is_found_whatever_stands_between_its_digits() -> None:
    secrets = Digits("0### ####")
    canary = Canary("Call", "0123 4567")
    assert whole(canary, secrets, found_in(["(0123) 45-67."], secrets))
    assert not whole(canary, secrets, found_in(["0123 4568 and 123 4567"], secrets))


def test_a_system_without_any_score_is_at_chance_with_the_law_that_is_claimed() -> None:
    """Ranks are uniform under ties, and the level of the test holds: about 5 % of runs are refuted."""
    secrets, refuted = Digits(), 0
    made = canaries(OPENINGS, secrets, 5)
    ranks = []
    for seed in range(200):
        seen = exposures(made, secrets, lambda texts: [0.0] * len(texts), sampled=99, seed=seed)
        ranks += [each.rank for each in seen]
        refuted += by_chance(seen) <= 0.05
    assert np.mean(ranks) == pytest.approx(50.5, abs=3.0)
    assert 1 <= refuted <= 18
    assert by_chance([Exposure(made[0], 1, 100)]) == pytest.approx(0.01)
    assert by_chance([]) == 1.0


def test_an_answer_that_is_no_number_is_not_taken_for_memorised() -> None:
    made = canaries(OPENINGS, Digits(), 3)
    seen = exposures(made, Digits(), lambda texts: [math.nan] + [1.0] * (len(texts) - 1), sampled=50)
    assert all(each.rank == each.among for each in seen)


def test_canaries_are_different_public_and_the_same_for_a_seed() -> None:
    made = canaries(OPENINGS, Digits(), 50, seed=7, repeats=(1, 4))
    assert made == canaries(OPENINGS, Digits(), 50, seed=7, repeats=(1, 4))
    assert made != canaries(OPENINGS, Digits(), 50, seed=8, repeats=(1, 4))
    assert len({canary.secret for canary in made}) == 50
    assert {canary.repeats for canary in made} == {1, 4}
    with pytest.raises(ConfigurationError, match="too few secrets"):
        canaries(OPENINGS, Digits("####"), 6000)
    with pytest.raises(ConfigurationError):
        Digits("###")
    with pytest.raises(ConfigurationError):
        Ends(("ash",) * 20)
    with pytest.raises(ConfigurationError):
        canaries((), Digits(), 1)


def test_records_without_a_text_bear_no_canary(tmp_path: Path) -> None:
    """Half of the records have none: each canary still stands in the file."""
    rows = [{"id": str(n), "messages": [{"content": f"Text {n}"}] if n % 2 else []} for n in range(40)]
    source, output = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    made = canaries(OPENINGS, Digits(), 20)
    options = FileOptions(fields=("messages[].content",))
    hosts = planted(source, output, made, options)
    assert all(host % 2 for host in hosts)
    content = output.read_text()
    assert all(canary.text in content for canary in made)
    with pytest.raises(ConfigurationError, match="20 records with a text"):
        planted(source, tmp_path / "more.jsonl", canaries(OPENINGS, Digits(), 21), options)


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "jsonl.gz", "parquet"])
def test_planted_files_differ_only_where_a_canary_is(tmp_path: Path, suffix: str) -> None:
    rows = [{"id": f"r{number}", "text": f"Text {number} of them.", "kind": "a,b"} for number in range(40)]
    plain = tmp_path / "plain.jsonl"
    plain.write_text("".join(json.dumps(row) + "\n" for row in rows))
    source, output = tmp_path / f"in.{suffix}", tmp_path / f"out.{suffix}"
    if suffix == "parquet":
        pa = pytest.importorskip("pyarrow")
        from pyarrow import parquet

        parquet.write_table(pa.Table.from_pylist(rows), source)
    elif suffix == "csv":
        source.write_text("id,text,kind\n" + "".join(f'{row["id"]},{row["text"]},"a,b"\n' for row in rows))
    elif suffix == "jsonl.gz":
        import gzip

        source.write_bytes(gzip.compress(plain.read_bytes(), mtime=0))
    else:
        source.write_bytes(plain.read_bytes())
    made = canaries(OPENINGS, Digits(), 6, repeats=(1, 3))
    options = FileOptions(id_field="id", labels=("kind",), chunk_records=7)
    hosts = planted(source, output, made, options, seed=2)
    assert len(hosts) == len(set(hosts)) == 12
    borne = dict(zip(hosts, [canary for canary in made for _ in range(canary.repeats)], strict=True))
    written = [each for chunk in open_source(output, options).chunks() for each in chunk.documents]
    expected = [
        (f"{borne[number].text} " if number in borne else "") + row["text"] for number, row in enumerate(rows)
    ]
    assert [each.text for each in written] == expected
    assert [each.id for each in written] == [row["id"] for row in rows]
    assert {each.metadata["kind"] for each in written} == {"a,b"}
    assert stat.S_IMODE(output.stat().st_mode) == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted({"plain.jsonl", source.name, output.name})
    with pytest.raises(OutputError, match="exists"):
        planted(source, output, made, options)


def test_too_few_records_are_refused_and_nothing_is_left(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text('{"text": "private"}\n')
    with pytest.raises(ConfigurationError, match="too few") as caught:
        planted(source, tmp_path / "out.jsonl", canaries(OPENINGS, Digits(), 2))
    assert "private" not in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]


FIRST, LAST = [f"Anna{sign}" for sign in "abcdefgh"], [f"Berg{sign}" for sign in "abcdefgh"]
CONDITIONS = ("asthma", "gout", "measles", "scurvy", "mumps", "rickets", "hay fever")


@pytest.fixture
def people() -> MadeUp:
    return made_up(FIRST, LAST, CONDITIONS, 12, seed=1)


def test_names_that_were_planted_are_recovered_by_who_repeats_them(people: MadeUp) -> None:
    assert len(people.planted) == len(people.kept_back) == 12
    assert not set(people.planted) & set(people.kept_back)
    told = named([canary.text for canary in people.canaries], people)
    assert (told.hits, told.ranked, told.exact, told.told) == (12, 12, 12, 12)
    assert told.chance == 0.5


def test_names_kept_back_and_wrong_conditions_are_not_recovered(people: MadeUp) -> None:
    kept = named([f"{name} was treated for gout." for name in people.kept_back], people)
    assert (kept.hits, kept.ranked, kept.told, kept.with_name) == (0, 12, 0, 12)
    wrong = named([f"{name} was treated for nothing." for name in people.planted], people)
    assert (wrong.hits, wrong.exact, wrong.told) == (12, 0, 12)
    nothing = named(["A text without names."], people)
    assert (nothing.ranked, nothing.hits, nothing.with_name) == (0, 0, 0)


def test_ties_do_not_count_as_recovered(people: MadeUp) -> None:
    every = named([*people.planted, *people.kept_back], people, top=12)
    assert every.hits == 0
    with pytest.raises(ConfigurationError):
        made_up(FIRST, LAST, CONDITIONS, 20)
