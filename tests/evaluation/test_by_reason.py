"""What was not measured is told once for each reason."""

from __future__ import annotations

from sfumato.cli.closing import treatments_told
from sfumato.evaluation.results import Figure, Skipped, Study
from sfumato.evaluation.studies.guarantee import PERMITTED, TREATMENTS
from sfumato.metrics.estimates import Estimate
from sfumato.report.evaluate import Evaluation
from sfumato.report.page import page
from sfumato.report.section import by_reason
from sfumato.report.sections.guarantee import guarantee_section as section

NAMED = "tokens named"


def test_parts_of_a_measure_share_a_line_if_they_share_a_reason() -> None:
    skipped = [(f"{NAMED}, PHONE", "a"), (NAMED, "c"), (f"{NAMED}, A, B", "b"), (f"{NAMED}, URL", "a"), ("X", "a")]
    assert by_reason(skipped) == [
        (f"{NAMED}, PHONE, URL", "a"), (NAMED, "c"), (f"{NAMED}, A, B", "b"), ("X", "a"),
    ]  # fmt: skip


def test_an_evaluation_and_its_page_have_one_line_for_each_reason() -> None:
    skipped = [Skipped(f"{NAMED}, {kind}", "no look.") for kind in ("PHONE", "URL")]
    study = Study("guarantee", skipped=[*skipped, Skipped("MAUVE", "no type")])
    made = Evaluation({}, [study])
    assert made.skipped_lines == [f"Not measured: {NAMED}, PHONE, URL: no look.", "Not measured: MAUVE: no type."]
    assert made._repr_html_().count("Not measured") == 2
    files = {side: {"name": side, "records": 1, "sha256": "0"} for side in ("original", "release")}
    shown = page([study], files)
    assert f"{NAMED}, PHONE, URL" in shown
    assert shown.count("no look") == 1


def test_a_policy_is_attacked_in_the_domain_of_its_certificate() -> None:
    figure = Figure(PERMITTED, Estimate(0.5, 0.5, 0.5, 9, "tokens"), {"vocabulary": "AGE (year)"}, "low")
    said = "only the domain of the certificate is attacked"
    assert any(said in line for line in section(Study("guarantee", [figure], facts={TREATMENTS: {}})).sentences)
    assert not any(said in line for line in section(Study("guarantee", [figure])).sentences)


def test_kinds_without_a_draw_share_a_line() -> None:
    drawn = {
        "kinds": ["AGE"], "method": "geometric", "epsilon_per_draw": 0.5, "per": "year", "definition": "metric-LDP",
        "unit": "one mention", "draws": 3,
    }  # fmt: skip
    others = [{**drawn, "kinds": [kind], "draws": 0} for kind in ("IP", "URL")]
    lines = list(treatments_told({"private": True, "treatments": [*others, drawn]}))
    assert [line for line in lines if "AGE" not in line] == ["Nothing was drawn for IP (geometric); URL (geometric)."]
    assert len(lines) == 2
