"""What a random sample says: counted before correction, bounded exactly."""

from __future__ import annotations

from math import comb
from pathlib import Path
from typing import Any

import pytest

from reviewing import LISTED, NAMES, session, texts
from sfumato.detectors.decisions import Decisions, decisions_from
from sfumato.detectors.rules import Listed
from sfumato.errors import InputError
from sfumato.policy import Policy
from sfumato.review import SampledMisses, sampled_misses, silence_of
from sfumato.review.session import Session
from sfumato.review.texts import drawn_sample
from sfumato.review.treated import ByPolicy

LINES = texts("Ann Lee met Carl.", "Bob met Carl.", "Nothing here.", "Carl again, and Bob.", "")


def at_most(hits: int, n: int, p: float) -> float:
    """P(X <= hits) for a binomial X, term by term."""
    return sum(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(hits + 1))


@pytest.mark.parametrize("n", [1, 2, 7, 30, 200])
def test_the_bound_is_the_largest_share_that_the_sample_does_not_refute(n: int) -> None:
    for hits in {0, n // 3, n - 1}:
        upper = SampledMisses(n, n, hits, 10 * n).upper
        assert at_most(hits, n, upper) == pytest.approx(0.05, rel=1e-6)
        assert at_most(hits, n, upper - 0.001) > 0.05
    assert SampledMisses(n, n, n, n).upper == 1.0


@pytest.mark.parametrize("n", [5, 20, 60])
def test_the_bound_holds_in_19_of_20_samples_whatever_the_share(n: int) -> None:
    bounds = [SampledMisses(n, n, hits, n).upper for hits in range(n + 1)]
    for step in range(1, 100):
        p = step / 100
        wrong = sum(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1) if bounds[k] < p)
        assert wrong <= 0.05 + 1e-12
    narrower = [0.9 * bound for bound in bounds]
    assert any(
        sum(comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1) if narrower[k] < p) > 0.05
        for p in (step / 100 for step in range(1, 100))
    )


SENTENCES = {
    (200, 200, 0): "0 misses in 200 records: at most 1.5 % of records have one (95 %).",
    (200, 200, 3): "3 misses in 200 records: at most 3.9 % of records have one (95 %).",
    (1, 1, 1): "1 miss in 1 record: at most 100.0 % of records have one (95 %).",
    (200, 199, 0): "0 misses in 199 records (1 record of the sample not read, which count as misses): "
    "at most 2.4 % of records have one (95 %).",
}


@pytest.mark.parametrize("counts", SENTENCES)
def test_the_sentence(counts: tuple[int, int, int]) -> None:
    made = SampledMisses(*counts, records=1000)
    assert made.sentence == SENTENCES[counts]
    shown = float(made.sentence.rpartition(" % of")[0].rpartition(" ")[2])
    assert shown >= 100 * made.upper  # never rounded to the better


def marked(
    made: Session, record: int, phrase: str, action: str = "add", scope: str = "here", label: str = "PERSON"
) -> None:
    start = LINES.of(record)[0].text.index(phrase)
    made.decide(record, 0, action, start, start + len(phrase), label, scope)


def counted(path: Path) -> Any:
    return sampled_misses(decisions_from(path), LISTED, LINES)


def test_it_counts_what_the_detector_missed_before_any_correction(tmp_path: Path) -> None:
    path = tmp_path / "decisions.jsonl"
    with session(path, LINES, sample=10) as made:
        for record in range(4):
            made.read(record, True)
        assert (counted(path).sampled, counted(path).missed) == (4, 0)  # an empty record is in no sample
        marked(made, 0, "Carl", scope="everywhere")  # corrects the records 1 and 3 before anyone saw them
        assert counted(path).missed == 3
        assert made.misses() == counted(path)
        marked(made, 0, "Ann Lee", "relabel", label="CODE")
        marked(made, 1, "Bob", "remove")
        assert counted(path).missed == 3  # nothing more was missed there
        made.undo()
        made.undo()
        made.undo()
        assert counted(path).missed == 0
        marked(made, 3, ", and Bob.")  # more than the mark, but no letter more
        assert counted(path).missed == 1
        made.undo()
        marked(made, 3, "Bob.")
        assert counted(path).missed == 0


def test_a_mark_with_a_wrong_label_counts_as_missed(tmp_path: Path) -> None:
    path = tmp_path / "decisions.jsonl"
    with session(path, LINES, sample=10) as made:
        for record in range(4):
            made.read(record, True)
        marked(made, 0, "Ann Lee", "relabel")
        marked(made, 1, "Bob", "remove")
        assert counted(path).missed == 0
        marked(made, 0, "Ann Lee", "relabel", label="CODE")
        assert counted(path).missed == 1


def test_another_label_of_the_same_kind_is_no_miss(tmp_path: Path) -> None:
    """A policy treats PER as PERSON, so nobody missed anything. A label that it treats by itself is another kind."""
    path = tmp_path / "decisions.jsonl"
    with session(path, LINES, sample=10) as made:
        for record in range(4):
            made.read(record, True)
        marked(made, 0, "Ann Lee", "relabel", label="PER")
        assert counted(path).missed == 0
        assert made.misses() == counted(path)
    by_itself = Policy.parse("[[treat]]\nlabels = ['PER']\nmethod = 'label'\n")
    assert sampled_misses(decisions_from(path), LISTED, LINES, ByPolicy(by_itself)).missed == 1  # type: ignore[union-attr]
    by_kind = Policy.parse("[[treat]]\nkinds = ['PERSON']\nmethod = 'label'\n")
    assert sampled_misses(decisions_from(path), LISTED, LINES, ByPolicy(by_kind)).missed == 0  # type: ignore[union-attr]


LOOSENED = {
    "never": ("never", "here"), "remove": ("remove", "everywhere"), "relabel": ("relabel", "everywhere"),
}  # fmt: skip


@pytest.mark.parametrize("case", LOOSENED)
def test_what_is_unmarked_everywhere_after_the_draw_leaves_no_figure(case: str, tmp_path: Path) -> None:
    path, before = tmp_path / "decisions.jsonl", tmp_path / "before.jsonl"
    action, scope = LOOSENED[case]
    with session(path, LINES, sample=10) as made:
        for record in range(4):
            made.read(record, True)
        marked(made, 1, "Carl", scope="everywhere")
        assert silence_of(decisions_from(path)) is None
        assert made.state()["sentence"] == counted(path).sentence
        marked(made, 1, "Bob", action, scope, "CODE" if action == "relabel" else "PERSON")
        assert counted(path) is None
        assert made.misses() is None
        assert made.state()["sentence"] == silence_of(decisions_from(path))
        assert str(silence_of(decisions_from(path))).startswith("After the sample was drawn")
        loosening = path.read_text(encoding="utf-8").splitlines(keepends=True)[-1]
        made.undo()
        assert counted(path).missed == 3
        assert silence_of(decisions_from(path)) is None
    before.write_text(loosening + path.read_text(encoding="utf-8").splitlines(keepends=True)[0], encoding="utf-8")
    assert silence_of(decisions_from(before)) is None  # the detector that the sample is about has it


@pytest.mark.parametrize("action", ["add", "always"])
def test_an_addition_from_before_the_draw_that_was_undone_leaves_no_figure(action: str, tmp_path: Path) -> None:
    path = tmp_path / "decisions.jsonl"
    with session(path, LINES) as made:
        marked(made, 1, "Carl", action, "everywhere")
    path.write_text(path.read_text(encoding="utf-8").splitlines(keepends=True)[1], encoding="utf-8")
    with session(path, LINES, sample=10) as made:
        for record in range(4):
            made.read(record, True)
        assert counted(path).missed == 0
    with path.open("a", encoding="utf-8") as file:
        file.write('{"format": 1, "action": "undo", "of": 1}\n')
    assert counted(path) is None
    assert silence_of(decisions_from(path)) is not None


def test_an_unread_record_counts_as_missed(tmp_path: Path) -> None:
    path = tmp_path / "decisions.jsonl"
    with session(path, LINES, sample=10) as made:
        made.read(0, True)
        marked(made, 1, "Carl")
        assert (counted(path).read, counted(path).missed, counted(path).counted) == (1, 0, 3)
        made.read(0, False)
        assert counted(path).counted == 4
        assert counted(path).upper == 1.0


def test_what_was_decided_before_the_sample_counts_only_if_it_is_for_all(tmp_path: Path) -> None:
    path, cut = tmp_path / "decisions.jsonl", tmp_path / "cut.jsonl"
    with session(path, LINES, sample=10) as made:
        marked(made, 0, "Carl")
        marked(made, 1, "Carl", scope="everywhere")
        for record in range(4):
            made.read(record, True)
    sample, here, *rest = path.read_text(encoding="utf-8").splitlines(keepends=True)
    cut.write_text("".join([here, sample, *rest]), encoding="utf-8")
    assert counted(cut).missed == 3
    cut.write_text("".join([rest[0], sample, here, *rest[1:]]), encoding="utf-8")
    assert counted(cut).missed == 0


def test_a_sample_of_other_texts_or_of_another_detector_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "decisions.jsonl"
    with session(path, LINES, sample=2):
        pass
    decisions = decisions_from(path)
    for other in (texts("Ann Lee met Carl."), texts(*(f"{one.text} " for one in LINES.documents))):
        with pytest.raises(InputError, match=r"line 1: the sample is of other texts"):
            sampled_misses(decisions, LISTED, other)
    with pytest.raises(InputError, match="another detector"):
        sampled_misses(decisions, Listed.from_lines([*NAMES.splitlines(), "Carl"]), LINES)
    with pytest.raises(InputError, match="the sample is of other texts"), session(path, texts("Carl."), sample=2):
        pass
    assert sampled_misses(Decisions(), LISTED, LINES) is None


def test_a_sample_is_drawn_once_evenly_and_without_replacement(tmp_path: Path) -> None:
    with session(tmp_path / "a.jsonl", LINES, sample=2) as first:
        sample = first.queue.sample
    with session(tmp_path / "a.jsonl", LINES, sample=3) as again:
        assert again.queue.sample == sample
    draws = [drawn_sample(LINES, 2) for _ in range(600)]
    assert all(len(set(draw)) == 2 for draw in draws)
    counts = [sum(record in draw for draw in draws) for record in range(5)]
    assert counts[4] == 0
    assert all(210 < count < 390 for count in counts[:4])  # 300 each; seven standard deviations
