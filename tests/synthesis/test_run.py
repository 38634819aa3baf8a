"""From a file to synthetic records and their statement, with a method that needs no model."""

from __future__ import annotations

import csv
import gzip
import json
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

import pyarrow.parquet as pq
import pytest

import sfumato
from command_line import write_jsonl
from sfumato.abstract.synthesizer import Order, Schedule, Synthesizer, Unit, Workspace
from sfumato.errors import ConfigurationError, GuaranteeError, InputError, OutputError
from sfumato.options.option import Option
from sfumato.privacy.accounting import GaussianNoise, epsilon_of, smallest_sigma
from sfumato.privacy.randomness import PinnedRandomness, SeededRandomness
from sfumato.types import Progress

NAME = "Anna Quill"


@dataclass(frozen=True)
class Sums(Schedule):
    sigma: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        return {"noise_multiplier": self.sigma}


@dataclass(frozen=True)
class Counting(Synthesizer):
    """Writes how many units there are, about: one noisy sum."""

    name: ClassVar[str] = "counting"
    proof: ClassVar[str] = "one Gaussian sum"
    takes_public_fields: ClassVar[bool] = True
    repeats: Annotated[int, Option("how many sums")] = 1

    def schedule(self, order: Order) -> Sums:
        if order.epsilon is None:
            return Sums(())
        sigma = smallest_sigma(
            lambda sigma: (*order.spent, GaussianNoise(sigma, self.repeats)), order.epsilon, order.delta
        )
        return Sums((GaussianNoise(sigma, self.repeats),), sigma)

    def prepare(self, progress: Progress | None = None) -> None:
        pass

    def synthesize(
        self, order: Order, schedule: Any, units: Sequence[Unit], wanted: Sequence[int], workspace: Workspace,
        progress: Progress | None = None,
    ) -> Iterator[str]:  # fmt: skip
        texts = sum(len(unit.texts) for unit in units)
        for index in wanted:
            yield f"{order.codes[index]}: {len(units)} people, {texts} texts"

    @property
    def parameters(self) -> Mapping[str, Any]:
        return {"repeats": self.repeats}


@dataclass(frozen=True)
class Failing(Counting):
    """Fails after the codes were paid for."""

    def synthesize(self, *given: Any, **named: Any) -> Iterator[str]:
        raise InputError("stopped")
        yield ""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with 400 records of 100 people."""
    topics = [NAME if n % 200 == 0 else ("move", "call")[n % 2] for n in range(400)]
    rows = [
        {"text": f"{NAME} says {n}", "topic": topic, "who": f"p{n % 100}", "question": f"q{n}"}
        for n, topic in enumerate(topics)
    ]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.chdir(tmp_path)
    return tmp_path


COMMON: dict[str, Any] = {"units": 400, "records": 12, "epsilon": 4.0}


def lines(path: str = "out.jsonl") -> list[dict[str, str]]:
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def test_a_release_and_its_statement(here: Path) -> None:
    made = sfumato.synthesize_file(Counting(), "in.jsonl", "out.jsonl", **COMMON)
    assert [row["text"] for row in lines()] == [": 400 people, 400 texts"] * 12
    stated = json.loads(Path("out.jsonl.privacy.json").read_text())
    assert stated["definition"] == "DP"
    assert (stated["epsilon"], stated["delta"]) == (4.0, 1e-6)
    assert stated["unit"] == "one record"
    assert any("no copy of the hidden folder" in assumed for assumed in stated["assumes"])
    assert stated["certificate"]["certified"] <= 4.0
    events = stated["certificate"]["conditions"]["events"]
    assert epsilon_of((GaussianNoise(events[0]["noise_multiplier"]),), 1e-6) == pytest.approx(
        stated["certificate"]["certified"]
    )
    assert NAME not in json.dumps(stated)
    assert "(ε" in stated["summary"] or "epsilon 4" in stated["summary"]
    assert made.records == 12
    assert repr(made) == "Synthesized(out.jsonl: 12 records)"
    assert "12" in made._repr_html_()
    assert sorted(path.name for path in here.iterdir()) == ["in.jsonl", "out.jsonl", "out.jsonl.privacy.json"]


def test_people_have_several_records_of_which_so_many_count(here: Path) -> None:
    made = sfumato.synthesize_file(
        Counting(), "in.jsonl", "out.jsonl", units=100, records=1, epsilon=4.0, unit_field="who", texts_per_unit=3
    )
    assert lines()[0]["text"] == ": 100 people, 300 texts"
    assert "one person" in made.statement["unit"]
    assert "3 records at most" in made.statement["adjacency"]


def test_a_person_in_several_spellings_is_one_unit(here: Path) -> None:
    """As several units, one person would change more of the release than the guarantee says."""
    names = ["Ada Li", "ADA LI ", "ada\u00a0li", "A\u200bda Li"]
    write_jsonl(here / "in.jsonl", [{"text": "Ada came.", "who": names[n % 4] if n < 40 else n} for n in range(50)])
    sfumato.synthesize_file(
        Counting(), "in.jsonl", "out.jsonl", units=100, records=1, epsilon=4.0, unit_field="who", texts_per_unit=3
    )
    assert lines()[0]["text"] == ": 11 people, 13 texts"
    write_jsonl(here / "in.jsonl", [{"text": "Ada came.", "who": " \u200b"}])
    with pytest.raises(InputError, match="names its person"):
        sfumato.synthesize_file(
            Counting(), "in.jsonl", "o.jsonl", units=100, records=1, epsilon=4.0, unit_field="who", texts_per_unit=3
        )


def test_codes_are_declared_or_found_and_a_rare_value_becomes_other(here: Path) -> None:
    for codes in (["topic=move,call"], ["topic"]):
        made = sfumato.synthesize_file(
            Counting(), "in.jsonl", "out.jsonl", **{**COMMON, "records": 200}, codes=codes, overwrite=True
        )
        assert NAME not in Path("out.jsonl").read_text()
        topics = [row["topic"] for row in lines()]
        assert set(topics) <= {"move", "call", "other"}
        stated = made.statement["codes"]["topic"]
        assert set(stated["values"]) == {"move", "call"}
        assert stated["source"].startswith("declared" if "=" in codes[0] else "found")
        conditions = made.statement["certificate"]["conditions"]
        assert len(conditions["events"]) == (2 if "=" in codes[0] else 3)
        assert (conditions["delta_of_codes"] > 0.0) is ("=" not in codes[0])


def test_public_fields_stay_and_change_the_adjacency(here: Path) -> None:
    made = sfumato.synthesize_file(
        Counting(), "in.jsonl", "out.jsonl", units=400, epsilon=4.0, public_fields=["question"]
    )
    assert [row["question"] for row in lines()] == [f"q{n}" for n in range(400)]
    assert "agree in the public fields (question)" in made.statement["adjacency"]
    assert any("question" in seen for seen in made.statement["visible"])


def test_without_a_guarantee_no_epsilon_is_printed(here: Path) -> None:
    made = sfumato.synthesize_file(
        Counting(), "in.jsonl", "out.jsonl", units=400, records=3, no_guarantee=True, codes=["topic=move,call"]
    )
    assert made.statement["guarantee"] is None
    assert "epsilon" not in json.dumps(made.statement)
    assert any("shares of all, exactly" in seen for seen in made.statement["visible"])


def test_a_seeded_run_repeats_itself_and_says_that_it_is_not_private(here: Path) -> None:
    options = {**COMMON, "codes": ["topic=move,call"]}
    first = sfumato.synthesize_file(Counting(), "in.jsonl", "a.jsonl", **options, randomness=SeededRandomness(1))
    sfumato.synthesize_file(Counting(), "in.jsonl", "b.jsonl", **options, randomness=SeededRandomness(1))
    assert first.statement["summary"].startswith("NOT PRIVATE")
    assert Path("a.jsonl").read_text() == Path("b.jsonl").read_text()


@pytest.mark.parametrize("name", ["out.csv", "out.tsv.gz", "out.parquet", "out.txt", "folder"])
def test_every_kind_of_file(here: Path, name: str) -> None:
    texts = ["first, one", "second\tone"] * 20
    fields = name not in ("out.txt", "folder")
    source = Path("in" + name[3:]) if name != "folder" else Path("texts")
    if name == "folder":
        source.mkdir()
        for number, text in enumerate(texts):
            (source / f"{number}.txt").write_text(text)
    elif name.endswith("txt"):
        source.write_text("\n".join(texts) + "\n")
    elif name.endswith("parquet"):
        import pyarrow as pa

        pq.write_table(pa.table({"text": texts, "topic": ["move", "call"] * 20}), source)
    else:
        rows = "text,topic\n" + "".join(
            f'"{text}",{topic}\n' for text, topic in zip(texts, ["move", "call"] * 20, strict=True)
        )
        rows = rows if name.endswith("csv") else "text\ttopic\n" + "x\tmove\ny\tcall\n" * 20
        source.write_bytes(gzip.compress(rows.encode()) if name.endswith("gz") else rows.encode())
    codes = ["topic=move,call"] if fields else []
    sfumato.synthesize_file(
        Counting(), source, name, units=40, records=6, epsilon=4.0, codes=codes, lines=name == "out.txt"
    )
    if name == "folder":
        assert len(list(Path(name).glob("*.txt"))) == 6
    elif name.endswith("txt"):
        assert len(Path(name).read_text().splitlines()) == 6
    elif name.endswith("parquet"):
        assert pq.read_table(name).column_names == ["topic", "text"]
    else:
        content = gzip.decompress(Path(name).read_bytes()) if name.endswith("gz") else Path(name).read_bytes()
        written = list(csv.DictReader(content.decode().splitlines(), delimiter="\t" if "tsv" in name else ","))
        assert {row["topic"] for row in written} <= {"move", "call", "other"}
        assert len(written) == 6


def test_a_stopped_run_goes_on_and_pays_nothing_twice(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = {**COMMON, "codes": ["topic"]}
    with pytest.raises(InputError, match="stopped"):
        sfumato.synthesize_file(Failing(), "in.jsonl", "out.jsonl", **options)
    left = here / ".out.jsonl.synthesis"
    assert stat.S_IMODE(left.stat().st_mode) == 0o700
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in left.iterdir())
    assert {path.name for path in left.iterdir()} == {"run.json", "values-0.json", "shares.json"}
    with pytest.raises(OutputError, match="--resume"):
        sfumato.synthesize_file(Failing(), "in.jsonl", "out.jsonl", **options)
    with pytest.raises(OutputError, match="another input, other options"):
        sfumato.synthesize_file(Failing(), "in.jsonl", "out.jsonl", **{**options, "epsilon": 5.0}, resume=True)

    def drawn_again(*_: object) -> None:
        raise AssertionError("paid twice")

    monkeypatch.setattr("sfumato.synthesis.run.noisy_shares", drawn_again)
    monkeypatch.setattr("sfumato.synthesis.run.found", drawn_again)
    monkeypatch.setattr(Failing, "synthesize", Counting.synthesize)
    made = sfumato.synthesize_file(Failing(), "in.jsonl", "out.jsonl", **options, resume=True)
    assert made.records == 12
    assert not left.exists()


def test_what_was_drawn_is_not_drawn_again(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = {**COMMON, "codes": ["who"]}
    with pytest.raises(ConfigurationError, match="Fewer than two"):
        sfumato.synthesize_file(Counting(), "in.jsonl", "out.jsonl", **options)
    monkeypatch.setattr("sfumato.synthesis.run.found", lambda *_: ["p1", "p2"])  # a luckier draw
    with pytest.raises(ConfigurationError, match="Fewer than two"):
        sfumato.synthesize_file(Counting(), "in.jsonl", "out.jsonl", **options, resume=True)
    (here / ".out.jsonl.synthesis" / "values-0.json").write_text("[")
    with pytest.raises(OutputError, match="cannot be read"):
        sfumato.synthesize_file(Counting(), "in.jsonl", "out.jsonl", **options, resume=True)


@pytest.mark.parametrize(
    ("options", "error", "sentence"),
    [
        ({"epsilon": None}, ConfigurationError, "Give epsilon: you decide how much privacy loss is allowed"),
        ({"no_guarantee": True}, ConfigurationError, "not both"),
        ({"epsilon": 0.0}, ConfigurationError, "greater than 0"),
        ({"delta": 0.01}, ConfigurationError, "1 over the number"),
        ({"records": None}, ConfigurationError, "--records"),
        ({"units": 0}, ConfigurationError, "whole numbers from 1"),
        ({"codes": ["text=a,b"]}, ConfigurationError, "is the text"),
        ({"codes": ["topic=a,b", "topic=c,d"]}, ConfigurationError, "name each once"),
        ({"codes": ["topic=a,b"], "public_fields": ["question"]}, ConfigurationError, "as a public"),
        ({"codes": ["who"]}, ConfigurationError, "Fewer than two values"),
        ({"texts_per_unit": 2}, ConfigurationError, "--unit-field"),
        ({"unit_field": "who", "public_fields": ["question"]}, ConfigurationError, "would show among public fields"),
        ({"randomness": PinnedRandomness(bytes(range(32)))}, ConfigurationError, "no pinned randomness"),
        ({"resume": True}, OutputError, "No stopped run"),
        ({"unit_field": "nobody"}, InputError, "names its person"),
        ({"fields": ["body"]}, InputError, "body"),
        ({"fields": ["text", "question"]}, ConfigurationError, "one text"),
    ],
)
def test_what_cannot_work_is_one_sentence_without_private_text(
    here: Path, options: dict[str, Any], error: type[Exception], sentence: str
) -> None:
    with pytest.raises(error) as caught:
        sfumato.synthesize_file(Counting(), "in.jsonl", "out.jsonl", **{**COMMON, **options})
    assert sentence in str(caught.value)
    assert NAME not in str(caught.value)
    assert not Path("out.jsonl").exists()


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"codes": ["zork"]}, "zork"),
        ({"codes": ["zork=move,call"]}, "zork"),
        ({"codes": ["topic", "zork"]}, "zork"),
        ({"codes": ["topic=mvoe,clal"]}, "topic"),
        ({"public_fields": ["zork"]}, "zork"),
        ({"unit_field": "zork"}, "zork"),
        ({"fields": ["zork"]}, "zork"),
        ({"save_model": "missing/model"}, "model"),
    ],
)
def test_a_name_that_no_record_has_is_refused_before_anything_is_paid(
    here: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], named: str
) -> None:
    monkeypatch.setattr("sfumato.synthesis.run.found", None)  # what spends
    monkeypatch.setattr("sfumato.synthesis.run.noisy_shares", None)
    monkeypatch.setattr(Counting, "synthesize", None)
    monkeypatch.setattr(Counting, "keeps_model", True, raising=False)
    with pytest.raises((ConfigurationError, InputError, OutputError), match=named) as refused:
        sfumato.synthesize_file(Counting(), "in.jsonl", "out.jsonl", **{**COMMON, **options})
    assert NAME not in str(refused.value)
    assert [path.name for path in here.iterdir()] == ["in.jsonl"], "it would be in the way of the next run"


def test_what_fails_before_a_draw_leaves_nothing_and_what_fails_after_one_stays(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("sfumato.synthesis.run.noisy_shares", stopped)
    for codes, left in ((["topic=move,call"], False), (["topic"], True)):
        with pytest.raises(KeyboardInterrupt):
            sfumato.synthesize_file(Counting(), "in.jsonl", "out.jsonl", **COMMON, codes=codes)
        assert Path(".out.jsonl.synthesis").exists() is left


def test_an_empty_input_and_an_output_that_is_the_input(here: Path) -> None:
    Path("empty.jsonl").write_text("")
    with pytest.raises(InputError, match="no records"):
        sfumato.synthesize_file(Counting(), "empty.jsonl", "out.jsonl", **COMMON)
    with pytest.raises(OutputError, match="input itself"):
        sfumato.synthesize_file(Counting(), "in.jsonl", "in.jsonl", **COMMON, overwrite=True)
    with pytest.raises(OutputError, match="format of the input"):
        sfumato.synthesize_file(Counting(), "in.jsonl", "out.csv", **COMMON)
    with pytest.raises(ConfigurationError, match="join the files"):
        sfumato.synthesize_file(Counting(), "*.jsonl", "out", **COMMON)


def test_a_method_that_would_cost_more_than_allowed_reads_nothing(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Counting, "schedule", lambda self, order: Sums((GaussianNoise(0.2),), 0.2))
    monkeypatch.setattr("sfumato.synthesis.run.read_units", None)
    with pytest.raises(GuaranteeError, match="more than the 4"):
        sfumato.synthesize_file(Counting(), "in.jsonl", "out.jsonl", **COMMON)


def test_a_finished_run_is_not_paid_for_again(here: Path) -> None:
    options = {**COMMON, "codes": ["topic=move,call"]}
    sfumato.synthesize_file(Counting(), "in.jsonl", "out.jsonl", **options)
    written = Path("out.jsonl").read_bytes()
    for more in ({}, {"epsilon": 5.0}):
        with pytest.raises(OutputError, match=r"exists|No stopped run"):
            sfumato.synthesize_file(Counting(), "in.jsonl", "out.jsonl", **{**options, **more}, resume=True)
    assert Path("out.jsonl").read_bytes() == written


def test_a_resumed_run_never_replaces_its_input(here: Path) -> None:
    private = Path("in.jsonl").read_bytes()
    Path("in.jsonl.privacy.json").write_text("{}")
    with pytest.raises(OutputError, match="input itself"):
        sfumato.synthesize_file(Counting(), "in.jsonl", "in.jsonl", **COMMON, resume=True)
    assert Path("in.jsonl").read_bytes() == private


def test_half_of_a_removed_workspace_is_not_resumed(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = {**COMMON, "codes": ["topic=move,call"]}

    def killed(path: Path) -> None:
        if path.exists():
            (path / "shares.json").unlink()
            raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("sfumato.synthesis.workspace.remove", killed)
        with pytest.raises(KeyboardInterrupt):
            sfumato.synthesize_file(Counting(), "in.jsonl", "out.jsonl", **options)
    with pytest.raises(OutputError, match=r"exists|No stopped run"):
        sfumato.synthesize_file(Counting(), "in.jsonl", "out.jsonl", **options, resume=True)
    sfumato.synthesize_file(Counting(), "in.jsonl", "out.jsonl", **options, overwrite=True)
    assert {path.name for path in here.iterdir()} == {"in.jsonl", "out.jsonl", "out.jsonl.privacy.json"}
