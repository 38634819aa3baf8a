"""``identifiers`` in several languages: read by record, weak ones warned of, unknown ones warned of or refused."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from by_rule import ByRule
from command_line import CANARY, call, write_jsonl
from releasing import sanitize_file
from sfumato.building.policies import build_policy
from sfumato.detectors.identifiers import Identifiers
from sfumato.detectors.languages import UNKNOWN, caution
from sfumato.detectors.rules import Listed
from sfumato.detectors.sampled import Sampled
from sfumato.detectors.uniting import Combined
from sfumato.engines.engine import Engine
from sfumato.engines.replaced import Replaced
from sfumato.errors import ConfigurationError, InputError, OutputError
from sfumato.files import FileOptions
from sfumato.heuristics.redaction import Redaction
from sfumato.policy import Policy
from sfumato.privacy.randomness import SystemRandomness
from sfumato.release.find import find_file
from sfumato.release.job import RunOptions
from sfumato.text.document import Document

ENGLISH = "She called me yesterday because her husband was not well and they had to go to the hospital."
FINNISH = "Hän soitti minulle eilen, koska hänen miehensä ei voinut hyvin ja heidän piti lähteä sairaalaan."
SWEDISH = "Hon ringde mig i går, för hennes man mådde inte bra och de var tvungna att åka till sjukhuset."
POLISH = "Zadzwoniła do mnie wczoraj, bo jej mąż nie czuł się dobrze i musieli jechać do szpitala."
SHORT = "Anna Larsen"
FIGURES = {
    "en": {"words": 900, "recall": 0.95}, "fi": {"words": 900, "recall": 0.8}, "sv": {"words": 9, "recall": 1.0},
    "de": {"words": 900, "recall": 0.92},
}  # fmt: skip


def documents(*texts: str) -> list[Document]:
    return [Document(text, str(number)) for number, text in enumerate(texts)]


def test_a_weak_language_is_named_with_its_figure_and_an_unknown_one_is_never_taken_for_english() -> None:
    assert caution("en", FIGURES) is None
    assert caution("de", FIGURES) is None
    assert "Finnish, where the network found 80%" in str(caution("fi", FIGURES))
    assert "95% in English" in str(caution("fi", FIGURES))
    assert "Swedish, of which too little" in str(caution("sv", FIGURES))
    for code in ("", "pl", "xx", "tr"):
        assert caution(code, FIGURES) == UNKNOWN


def test_records_of_each_language_are_counted() -> None:
    auto = ByRule(language="auto")
    counts = auto.cautions(documents(ENGLISH, SWEDISH, POLISH, SHORT, "12 345", "", SWEDISH))
    assert counts.pop(UNKNOWN) == 2
    [(sentence, number)] = counts.items()
    assert number == 2
    assert sentence.startswith("in Swedish")
    assert ByRule(language="pl").cautions(documents(POLISH)) == {UNKNOWN: 1}


def test_records_in_another_language_than_the_one_that_is_set_are_counted() -> None:
    [(sentence, number)] = ByRule().cautions(documents(ENGLISH, POLISH, FINNISH, SHORT, "12 345")).items()
    assert number == 2
    assert sentence.startswith("in another language than English")
    [(sentence, number)] = ByRule(language="ru").cautions(documents(ENGLISH)).items()
    assert sentence.startswith("in another language than ru")


def test_a_code_that_is_no_language_is_refused() -> None:
    for code in ("klingon", "", "EN", "english"):
        with pytest.raises(ConfigurationError, match="is not known; write auto"):
            Identifiers(language=code)
    for code in ("auto", "en", "pl", "he"):
        assert Identifiers(language=code).language == code


def test_dates_decide_nothing_about_a_language() -> None:
    """A month that is an English word made a Polish record English, so the refusal showed the month."""
    auto = ByRule(language="auto", unknown_language="refuse")
    answers = list[str | int]()
    for month in ("Mar", "May", "Oct"):
        text = f"Seen {month} 3, Anna Kowalska w Krakowie"
        try:
            answers.append(len(auto.findings(documents(text))))
        except InputError as error:
            answers.append(str(error))
    assert len(set(answers)) == 1


@pytest.mark.parametrize("code", ["ru", "auto", "en"])
def test_a_script_that_the_network_has_not_learned_is_marked_whatever_the_language(code: str) -> None:
    text = "Иван Петров живет в Москве"
    [marks] = ByRule(language=code).findings(documents(text))
    assert [mark[:3] for mark in marks] == [(0, len(text), "OTHER_SCRIPT")]


def test_the_texts_of_a_record_show_one_language() -> None:
    person = {"id": "7"}
    parts = [Document(SHORT, "a", person), Document(ENGLISH, "b", person)]
    assert ByRule(language="auto").cautions(parts) == {}
    assert ByRule(language="auto", unknown_language="refuse").detect(parts)


@pytest.mark.parametrize("text", [POLISH, SHORT, "她昨天给我打电话"])
def test_an_unknown_language_is_refused_with_its_place_and_without_its_text(text: str) -> None:
    refusing = ByRule(language="auto", unknown_language="refuse")
    with pytest.raises(InputError, match="shows no language that the detector has learned") as caught:
        refusing.detect(documents(ENGLISH, text))
    assert caught.value.document == 1
    assert text not in str(caught.value)
    assert len(refusing.detect(documents(ENGLISH, "12 345", "", FINNISH))) == 4
    assert len(ByRule(language="auto").detect(documents(ENGLISH, text))) == 2
    with pytest.raises(InputError):
        ByRule(language="pl", unknown_language="refuse").detect(documents(text))


def test_marks_do_not_depend_on_the_languages_beside() -> None:
    auto = ByRule(language="auto")
    texts = [f"{ENGLISH} Mail anna@example.org.", f"{FINNISH} IP 10.0.0.7.", f"{POLISH} IP 10.0.0.9.", ENGLISH]
    together = auto.findings(documents(*texts))
    assert together == [auto.findings(documents(text))[0] for text in texts]
    assert ByRule().cautions(documents(texts[0])) == {}
    assert [len(own) > 0 for own in together] == [True, True, True, False]
    assert together[0] == ByRule().findings(documents(texts[0]))[0]


def test_a_script_that_is_not_read_stays_marked_where_its_language_is_recognised() -> None:
    russian = "Она позвонила мне вчера, потому что её муж не очень хорошо себя чувствовал."
    [marks] = ByRule(language="auto").findings(documents(russian))
    assert {mark.label for mark in marks} == {"OTHER_SCRIPT"}
    assert sum(mark.end - mark.start for mark in marks) > 60


def test_detectors_around_it_hand_its_cautions_on() -> None:
    auto = ByRule(language="auto")
    for around in (Sampled(auto, 0.5), Combined((auto, ByRule())), Sampled(Combined((ByRule(), auto)), 0.5)):
        assert around.cautions(documents(POLISH))[UNKNOWN] == 1
    denied = Listed.from_lines(["x"])
    both = Combined((auto, Sampled(auto, 0.5), denied))
    assert both.cautions(documents(POLISH, FINNISH, POLISH)) == auto.cautions(documents(POLISH, FINNISH, POLISH))
    counts = Combined((ByRule(), auto)).cautions(documents(POLISH, ENGLISH, POLISH))
    assert sorted(counts.values()) == [2, 2]


@pytest.mark.parametrize("text", [FINNISH, POLISH])
def test_a_record_in_another_language_than_is_set_is_refused(text: str) -> None:
    """A code decides how all is read, and does not make every record one of its language."""
    refusing = ByRule(language="en", unknown_language="refuse")
    with pytest.raises(InputError, match="in another language than English") as caught:
        refusing.detect(documents(ENGLISH, text))
    assert caught.value.document == 1
    assert not set(text.split()) & set(str(caught.value).split())
    assert len(refusing.detect(documents(ENGLISH, SHORT, "12 345"))) == 3  # too short to show a language
    assert ByRule(language="en").detect(documents(text))


def test_a_record_in_another_script_than_that_of_the_set_language_is_refused() -> None:
    refusing = ByRule(language="en", unknown_language="refuse")
    with pytest.raises(InputError, match="in another language than English"):
        refusing.detect(documents("她昨天给我打电话，因为她丈夫身体不舒服"))
    assert len(refusing.detect(documents("安娜", "Anna Larsen 安娜"))) == 2
    assert len(ByRule(language="he", unknown_language="warn").detect(documents("היא התקשרה אליי אתמול"))) == 1
    assert ByRule(language="he").cautions(documents("היא התקשרה אליי אתמול")) == {UNKNOWN: 1}


def test_what_may_happen_to_an_unknown_language_is_warn_or_refuse() -> None:
    with pytest.raises(ConfigurationError, match="unknown_language is warn or refuse"):
        Identifiers(unknown_language="skip")


def test_a_caution_that_fails_quotes_no_text(tmp_path: Path) -> None:
    class Failing(ByRule):
        def cautions(self, documents: Sequence[Document]) -> Mapping[str, int]:
            raise ValueError(documents[0].text)

    path = write_jsonl(tmp_path / "a.jsonl", [{"text": CANARY}])
    with pytest.raises(OutputError, match=r"The detector failed with ValueError between a\.jsonl, line 1") as caught:
        find_file(Failing(), path, FileOptions(), write=lambda line: None)
    assert CANARY not in str(caught.value)
    assert caught.value.__context__ is None
    engine = Engine(Failing(), Replaced(Redaction()))
    with pytest.raises(OutputError, match="The detector failed with ValueError") as released:
        sanitize_file(engine, path, tmp_path / "out.jsonl", RunOptions(), SystemRandomness())
    assert CANARY not in str(released.value)
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.models
def test_a_policy_can_refuse_an_unknown_language() -> None:
    found = '[find]\nlanguage = "auto"\noptions = { unknown_language = "WHAT" }\n[treat_others]\nmethod = "label"\n'
    warned, refused = (build_policy(Policy.parse(found.replace("WHAT", what))) for what in ("warn", "refuse"))
    assert len(warned.sanitize_batch(documents(POLISH), SystemRandomness())) == 1
    with pytest.raises(InputError, match="shows no language"):
        refused.sanitize_batch(documents(POLISH), SystemRandomness())


@pytest.mark.models
def test_a_run_warns_and_sets_aside_what_it_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_jsonl(tmp_path / "a.jsonl", [{"text": ENGLISH}, {"text": POLISH}])
    run = ("sanitize", "a.jsonl", "-m", "redaction", "--set", "detect.language=auto")
    told = call(*run, "-o", "warned.jsonl")
    assert told.code == 0, told.err
    assert f"Careful: 1 record is {UNKNOWN}." in told.out
    assert call("find", "a.jsonl", "--set", "detect.language=auto", "--json").json["cautions"] == {UNKNOWN: 1}
    refuse = (*run, "--set", "detect.unknown_language=refuse", "-o", "refused.jsonl")
    refused = call(*refuse)
    assert refused.code == 2
    assert "a.jsonl, line 2" in refused.err
    assert "Zadzwoni" not in refused.err + refused.out
    aside = call(*refuse, "--on-error", "quarantine")
    assert aside.code == 0, aside.err
    assert len((tmp_path / "refused.jsonl").read_text().splitlines()) == 1
    statement: dict[str, Any] = json.loads((tmp_path / "refused.jsonl.privacy.json").read_text())
    assert "absence of a record discloses something about its language" in json.dumps(statement)
    assert "that records are missing (quarantined)" in statement["visible"]
    assert "absence of a record" not in (tmp_path / "warned.jsonl.privacy.json").read_text()
