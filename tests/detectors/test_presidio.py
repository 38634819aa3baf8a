"""Presidio's recognisers: their sums, their logs, what is not imported, and that gating changes no answer."""

from __future__ import annotations

import logging
import pickle
import random
import socket
import subprocess
import sys
import threading
import time
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from sfumato.building.detectors import detector
from sfumato.detectors.presidio.detector import Presidio
from sfumato.detectors.presidio.restraints import without
from sfumato.errors import ConfigurationError, InputError
from sfumato.text.document import Document


@pytest.fixture(scope="module")
def whole() -> Presidio:
    """The detector with its recognisers, which cuts long texts into short windows."""
    pytest.importorskip("presidio_analyzer")
    pytest.importorskip("spacy")
    return Presidio(window=400, overlap=60)


def surfaces(detector: Presidio, text: str) -> dict[str, str]:
    spans = detector.detect([Document(text)])[0]
    return {text[one.start : one.end]: one.label for one in spans}


@pytest.mark.parametrize(
    "options",
    [{"labels": "PERSON"}, {"labels": []}, {"threshold": 2}, {"window": 100, "overlap": 60}, {"overlap": 1},
     {"recognizers": "nowhere.yaml"}],
)  # fmt: skip
def test_odd_settings_are_refused(options: dict[str, Any]) -> None:
    if "recognizers" in options:
        pytest.importorskip("presidio_analyzer")
        pytest.importorskip("spacy")
    with pytest.raises(ConfigurationError):
        Presidio(**options).detect([Document("Anna")])


def test_without_presidio_its_name_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "presidio_analyzer", None)
    monkeypatch.delitem(sys.modules, "sfumato.detectors.presidio.recognisers", raising=False)
    with pytest.raises(ImportError, match="presidio_analyzer"):
        Presidio().detect([Document("Anna")])


def test_the_registry_makes_it_with_options() -> None:
    assert detector("presidio", options={"threshold": 0.9}) == Presidio(threshold=0.9)
    assert Presidio(threshold=0.9).setting != Presidio().setting


def test_a_file_of_recognisers_is_part_of_the_setting(tmp_path: Path) -> None:
    settings = set()
    for content in ("a", "b"):
        (tmp_path / "own.yaml").write_text(content, "utf-8")
        settings.add(Presidio(recognizers=str(tmp_path / "own.yaml")).setting)
    assert len(settings) == 2


@pytest.mark.models
class TestWithModels:
    """With spaCy's pipeline and Presidio."""

    def test_presidio_checks_its_sums(self, whole: Presidio) -> None:
        good, bad = "4012888888881881", "4012888888881882"
        assert surfaces(whole, f"card {good}")[good] == "CREDIT_CARD"
        assert "CREDIT_CARD" not in surfaces(whole, f"card {bad}").values()
        assert surfaces(whole, "call +44 20 7946 0958 now")["+44 20 7946 0958"] == "PHONE_NUMBER"

    def test_the_entities_of_the_pipeline_are_not_marked(self, whole: Presidio) -> None:
        assert surfaces(whole, "Anna Larsen of Oslo works for Norsk Hydro.") == {}

    def test_a_find_names_its_recogniser_and_has_its_score(self, whole: Presidio) -> None:
        [[found]] = whole.findings([Document("mail maria@example.org now")])
        assert (found.label, found.score, found.finder) == ("EMAIL_ADDRESS", 1.0, "presidio:EmailRecognizer")
        assert Presidio(threshold=0.99).detect([Document("call 555-0100")])[0].bounds == []

    def test_nothing_is_fetched(self, monkeypatch: pytest.MonkeyPatch, whole: Presidio) -> None:
        def refuse(*given: Any, **more: Any) -> None:
            raise AssertionError("the network was asked")

        monkeypatch.setattr(socket.socket, "connect", refuse)
        monkeypatch.setattr(socket, "getaddrinfo", refuse)
        made = surfaces(Presidio(), "Mail anna@example.com or see example.org, Oslo.")
        assert made["anna@example.com"] == "EMAIL_ADDRESS"

    def test_seams_lose_nothing(self, whole: Presidio) -> None:
        draw = random.Random(1)
        filler = "the cat sat on the mat and looked at a small grey bird "
        text = ""
        wanted = []
        for number in range(40):
            text += filler[: draw.randrange(len(filler))] + " "
            card = f"anna{number}@example.com"
            wanted.append((len(text), len(text) + len(card)))
            text += card + " "
        bounds = whole.detect([Document(text)])[0].bounds
        assert all(any(first <= start and end <= last for first, last in bounds) for start, end in wanted)
        assert len(text) > 2 * whole.window

    def test_a_line_without_a_break_is_looked_at_to_its_end(self, whole: Presidio) -> None:
        assert "bob@example.com" in surfaces(whole, "x" * 20_000 + " then " + "y" * 20_000 + " bob@example.com")

    def test_labels_can_be_chosen(self, whole: Presidio) -> None:
        text = "See example.org, or mail anna@example.org from 10.0.0.7."
        assert set(surfaces(whole, text).values()) == {"URL", "EMAIL_ADDRESS", "IP_ADDRESS"}
        assert set(surfaces(Presidio(labels=("IP_ADDRESS",)), text).values()) == {"IP_ADDRESS"}
        with pytest.raises(ConfigurationError, match=r"no label EMAIL_ADRESS; did you mean EMAIL_ADDRESS\?"):
            Presidio(labels=("EMAIL_ADRESS",)).detect([Document("Anna")])
        assert "DATE_TIME" not in whole.known_labels
        assert "CREDIT_CARD" in whole.known_labels

    def test_it_travels_to_other_processes(self, whole: Presidio) -> None:
        whole.detect([Document("Anna")])
        copy = pickle.loads(pickle.dumps(whole))
        assert copy == whole
        assert "_loaded" not in copy.__dict__

    @pytest.mark.parametrize("quiet", ["not", "level", "disabled", "settings"])
    def test_a_pattern_that_is_skipped_is_an_error_without_text(
        self, whole: Presidio, monkeypatch: pytest.MonkeyPatch, quiet: str
    ) -> None:
        """Presidio only logs it, and nobody's settings of the log may hide it."""
        from presidio_analyzer import Pattern, PatternRecognizer, pattern_recognizer

        _, patterns = whole._loaded
        slow = PatternRecognizer("SLOW", patterns=[Pattern("slow", "(z+)+y", 0.5)], supported_language="en")
        monkeypatch.setattr(pattern_recognizer, "REGEX_TIMEOUT_SECONDS", 0.05)
        patterns._analyzer.registry.recognizers.append(slow)
        logger = logging.getLogger("presidio-analyzer")
        monkeypatch.setattr(logger, "disabled", quiet == "settings")
        monkeypatch.setattr(logger, "level", logging.CRITICAL if quiet == "level" else logging.WARNING)
        monkeypatch.setattr(logging.root.manager, "disable", logging.CRITICAL if quiet == "disabled" else 0)
        try:
            with pytest.raises(InputError) as raised:
                whole.detect([Document("Zebrafinch " + "z" * 5000)])
        finally:
            patterns._analyzer.registry.recognizers.remove(slow)
        assert "SkippedPattern" in str(raised.value)
        assert "Zebrafinch" not in str(raised.value)

    def test_gating_changes_no_answer_of_presidio(self, whole: Presidio) -> None:
        from presidio_analyzer.predefined_recognizers import PhoneRecognizer, UrlRecognizer

        from sfumato.detectors.presidio.recognisers import _Phones, _Urls

        text = "\n".join(
            ["Call (212) 555-0147 or 030 123456 ext. 5, not 12 May 2004; see example.org/a.b, \"http://x.de\"",
             "phone:+49 170 1234567.", "no numbers here", "v1.2.3 e.g. foo.bar.com"]
        )  # fmt: skip
        for gated, plain in ((_Phones, PhoneRecognizer), (_Urls, UrlRecognizer)):
            one, other = gated(), plain()
            entities = one.supported_entities
            theirs = {(r.start, r.end) for r in other.analyze(text, entities, None)}
            assert {(r.start, r.end) for r in one.analyze(text, entities, None)} == theirs
            assert theirs

    def test_gating_looks_far_enough_around_a_telephone_number(self) -> None:
        from presidio_analyzer.predefined_recognizers import PhoneRecognizer

        from sfumato.detectors.presidio.recognisers import _Phones

        parts = (
            "+44 20 7946 0958", " ext. 12", "x345", "(212) 555-0100", " and ", "\n", "no ", "abc", "5", " ", "12345",
            " - ", "030/123456", "€", "%", ";ext=99", "1-800-555-0199", "+1", "(", " / ", "0049 ", "89 636 48018",
            "415ー555ー2671", "415\u2060555\u00a02671", "\u00ad", "０３ー１２３４ー５６７８",
        )  # fmt: skip
        draw = random.Random(5)
        mixed = ["".join(draw.choices(parts, k=draw.randint(2, 9))) for _ in range(600)]
        # what stands before ends with an extension, which is no part of the number
        mixed += ["  ext. 12;ext=9989 636 4801812", "0049  ext. 12 / 030/123456(no ", ";ext=99;ext=991-800-555-0199"]
        mixed += ["+1 415 555 2671" + " " * 60 + "ext 1234", "tel 415ー555ー2671", "+81ー3ー1234ー5678"]
        gated, plain = _Phones(), PhoneRecognizer()
        seen = 0
        for text in mixed:
            found, theirs = (
                sorted((r.start, r.end) for r in one.analyze(text, ["PHONE_NUMBER"], None)) for one in (gated, plain)
            )
            assert found == theirs, text
            seen += len(theirs)
        assert seen > 200

    def test_long_words_with_dots_cost_little_and_are_addresses(self) -> None:
        from sfumato.detectors.presidio.recognisers import _DOTTED, _Urls

        started = time.process_time()
        entities = _Urls().supported_entities
        for text in ("a." * 10_000, "." * 20_000, "1." * 10_000):
            covered = {(r.start, r.end) for r in _Urls().analyze(text, entities, None)}
            assert covered == ({(0, len(text))} if text[0] == "a" else set())
        long = "见" * 600 + "example.org/a" + "见" * 600  # a script without spaces is no long word
        assert [long[r.start : r.end] for r in _Urls().analyze(long, entities, None)] == ["example.org/a"]
        assert time.process_time() - started < 6
        assert [one.group() for one in _DOTTED.finditer("a.b c . .d 1.2 x.1.y")] == ["a.b", ".d", "x.1.y"]

    def test_recognisers_come_from_a_file(self, tmp_path: Path) -> None:
        listed = tmp_path / "recognizers.yaml"
        listed.write_text(
            "supported_languages: [en]\nglobal_regex_flags: 26\nrecognizers:\n"
            "  - name: Badge\n    supported_languages: [en]\n    type: custom\n    supported_entity: BADGE\n"
            "    patterns:\n      - {name: badge, regex: 'zz[a-z]+', score: 0.9}\n",
            "utf-8",
        )
        own = Presidio(recognizers=str(listed))
        assert surfaces(own, "my badge zzabc")["zzabc"] == "BADGE"
        assert "BADGE" in own.known_labels


def test_only_the_thread_that_asked_goes_without_a_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a_heavy_package.py").write_text("", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    seen: list[object] = []

    def elsewhere() -> None:
        import a_heavy_package  # type: ignore[import-not-found]

        seen.append(a_heavy_package)

    before = list(sys.meta_path)
    with without("another_package", "a_heavy_package"):
        with pytest.raises(ImportError):
            import_module("a_heavy_package")
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
    assert len(seen) == 1
    assert sys.meta_path == before
    assert import_module("a_heavy_package") is seen[0]


@cache
def alone() -> subprocess.CompletedProcess[str]:
    """A process in which the detector finds something, and in which transformers is imported after that."""
    program = (
        "import sys; from sfumato.building.detectors import detector; from sfumato import Document;"
        "[spans] = detector('presidio').detect([Document('Mr Lee writes to anna@example.org.')]);"
        "assert len(spans); print(sorted({'torch', 'transformers'} & set(sys.modules)), flush=True);"
        "import transformers"
    )
    return subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True)


@pytest.mark.models
def test_recognisers_of_other_languages_are_no_warning(caplog: pytest.LogCaptureFixture) -> None:
    pytest.importorskip("presidio_analyzer")
    with caplog.at_level(logging.WARNING):
        Presidio().detect([Document("Mr Lee")])
    assert caplog.records == []


@pytest.mark.models
def test_the_detector_comes_without_what_only_one_recogniser_needs() -> None:
    pytest.importorskip("presidio_analyzer")
    assert (alone().stdout.strip(), alone().returncode) == ("[]", 0)
