"""Redaction: the operators say what they do, the same person stays the same, and no marked original survives."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as package
from command_line import call, write_jsonl, write_key
from marked_spans import Marked
from sfumato.building.policies import build_policy
from sfumato.engines.engine import Engine
from sfumato.engines.replaced import Replaced
from sfumato.errors import ConfigurationError, InputError
from sfumato.heuristics import _generalise as generalising
from sfumato.heuristics._mentions import identities
from sfumato.heuristics._surrogate import surrogate
from sfumato.heuristics.redaction import OPERATORS, Redaction
from sfumato.policy.policy import Policy
from sfumato.privacy.randomness import PinnedRandomness, SystemRandomness
from sfumato.release.statement import NO_GUARANTEE, statement
from sfumato.storage.keys import keyed
from sfumato.text.document import Document
from sfumato.text.marks import Layout, MarkedRecord, Spans
from sfumato.text.occurrences import Occurrences

KEY, OTHER = bytes(range(32)), bytes(range(1, 33))


def marked(text: str, id: str = "1", **fields: Any) -> Document:
    """A document from a text with ``[LABEL:what]`` around what is marked."""
    plain, spans = "", []
    for piece in re.split(r"(\[[A-Z]+:[^\]]*\])", text):
        label, colon, what = piece[1:-1].partition(":") if piece.startswith("[") else ("", "", piece)
        if colon:
            spans.append((len(plain), len(plain) + len(what), label))
        plain += what
    return Document(plain, id, {"spans": spans, **fields})


def redacted(text: str, operator: str = "pseudonym", randomness: Any = None, id: str = "1", **options: Any) -> str:
    """What :func:`marked` becomes."""
    fields = options.pop("fields", {})
    editor = Engine(Marked(), Replaced(Redaction(operator, **options)))
    return editor.sanitize(marked(text, id, **fields), randomness).text


def test_pseudonyms_are_numbered_in_reading_order() -> None:
    text = "[PERSON:Smith] met [PERSON:Anna Lee]; [PERSON:Mr John Smith] and [PERSON:ANNA] left [PLACE:Oslo]."
    assert redacted(text) == "PERSON_1 met PERSON_2; PERSON_1 and PERSON_2 left PLACE_1."


def test_a_part_that_two_names_share_is_nobody_of_them() -> None:
    text = "[PERSON:John Smith], [PERSON:Jane Smith], [PERSON:Smith], [PERSON:Jane]"
    assert redacted(text) == "PERSON_1, PERSON_2, PERSON_3, PERSON_2"


def test_a_part_joins_the_longest_of_names_inside_each_other() -> None:
    layout = Layout("Ann, Ann Lee, Ann Lee Ray", [(0, 3), (5, 12), (14, 25)], ["PERSON"] * 3)
    assert set(identities(MarkedRecord(0, [Document(layout.text)], [layout]))) == {"ann lee ray"}


def test_a_pseudonym_that_stands_in_the_text_is_passed_over() -> None:
    assert redacted("PERSON_1 and person_2 know [PERSON:Anna].") == "PERSON_1 and person_2 know PERSON_3."


def test_the_same_name_is_the_same_in_a_run_and_only_under_its_key() -> None:
    one = redacted("[PERSON:Dr Anna Lee] is here.", scope="run", key=KEY)
    two = redacted("Here is [PERSON:anna lee], [PERSON:Anna] for short.", scope="run", key=KEY, id="2")
    name = one.split()[0]
    assert re.fullmatch(r"PERSON_[0-9A-F]{8}", name)
    assert two == f"Here is {name}, {name} for short."
    assert redacted("[PERSON:Anna Lee]", scope="run", key=OTHER) != name
    assert redacted(f"{name} is taken, [PERSON:Anna Lee] is not.", scope="run", key=KEY).count(name) == 1


@pytest.mark.parametrize(
    "options",
    [
        {"operator": "hash"},
        {"scope": "run"},
        {"operator": "generalise", "shift": 5},
        {"operators": {"PERSON": "hash"}},
        {"key": b"short"},
    ],
)
def test_nothing_is_hashed_without_a_key_that_is_long_enough(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match="sfumato key"):
        Redaction(**options)
    if "key" not in options:
        with pytest.raises(ConfigurationError, match="32 random bytes"):
            Redaction(**options, key=b"x" * 31)


def test_a_hash_is_the_keyed_one_and_says_nothing_without_the_key() -> None:
    made = redacted("[PERSON:Anna]", "hash", key=KEY)
    assert made == f"PERSON_{keyed(KEY, 'hash', 'PERSON', 'anna').hex()[:16]}"
    assert made != redacted("[PERSON:Anna]", "hash", key=OTHER)
    assert keyed(KEY, "ab", "c") != keyed(KEY, "a", "bc")


def test_no_parameter_or_statement_holds_the_key() -> None:
    editor = Engine(Marked(), Replaced(Redaction("hash", key=KEY)))
    told = repr(statement(editor, SystemRandomness(), {0: 1})) + repr(editor) + editor.setting
    assert KEY.hex() not in told
    assert repr(KEY) not in told
    assert editor.setting != Engine(Marked(), Replaced(Redaction("hash", key=OTHER))).setting


def test_a_mask_hides_the_length_unless_told_to_show_it() -> None:
    text = "[PERSON:Bo] and [PERSON:Alexandra]"
    assert redacted(text, "mask") == "***** and *****"
    assert redacted(text, "mask", length=0, mask="#") == "## and #########"
    shown = Redaction("mask", length=0).visible
    assert "how long" in shown[0]
    assert "how long" not in Redaction("mask").visible[0]


def test_operators_by_label() -> None:
    text = "[PERSON:Anna], [DATE:3 May 1990], [CODE:12345]"
    operators = {"DATE": "generalise", "*": "label", "CODE": "keep"}
    assert redacted(text, operators={key: operators[key] for key in ("DATE", "*")}) == "[PERSON], 1990, [CODE]"
    assert redacted(text, operators=operators) == "[PERSON], 1990, 12345"


def test_what_is_kept_stands_unless_something_else_marks_it() -> None:
    text = "[PERSON:Anna], [CODE:12345], [PLACE:12345 Anna Street], 12345"
    assert redacted(text, operators={"CODE": "keep"}) == "PERSON_1, 12345, PLACE_1, 12345"
    assert redacted(text, operators={"PLACE": "keep"}) == "PERSON_1, CODE_1, CODE_1 PERSON_1 Street, CODE_1"
    assert redacted(text, "keep") == "Anna, 12345, 12345 Anna Street, 12345"
    assert "spans whose label is kept, as they were" in Redaction(operators={"CODE": "keep"}).visible


def test_the_fields_of_a_record_share_their_pseudonyms() -> None:
    fields = {"a": "Anna Lee met Bo.", "b": "Cy saw Bo and ANNA.", "spans": []}
    spans = {"1/a": [(0, 8, "PERSON"), (13, 15, "PERSON")], "1/b": [(0, 2, "PERSON"), (14, 18, "PERSON")]}

    class Own(Marked):
        def detect(self, documents: Sequence[Document]) -> list[Spans]:
            return [Spans([(a, b) for a, b, _ in spans[one.id]], "PERSON") for one in documents]

    documents = [Document(fields[name], f"1/{name}", fields) for name in ("a", "b")]  # type: ignore[arg-type]
    method = Redaction()
    editor = Engine(Own(), Replaced(method))
    made = [one.text for one in editor.sanitize_batch(documents)]
    assert made == ["PERSON_1 met PERSON_2.", "PERSON_3 saw PERSON_2 and PERSON_1."]
    told = method.pseudonyms(editor.records(documents))
    assert told[0] == {"PERSON_1": "Anna Lee", "PERSON_2": "Bo"}
    assert told[1] == {"PERSON_3": "Cy", "PERSON_2": "Bo", "PERSON_1": "Anna Lee"}


def test_spellings_of_one_name_are_one_person() -> None:
    named = ("Zoë Lee", "ZOE\u0308 LEE", "Zo\u00adë\nLee", "Ｚｏë", "İnci", "inci’s")
    text = ", ".join(f"[PERSON:{name}]" for name in named)
    assert redacted(text) == "PERSON_1, PERSON_1, PERSON_1, PERSON_1, PERSON_2, PERSON_2"


def test_a_surrogate_shares_nothing_with_what_it_stands_for() -> None:
    for seed in range(300):
        for name, key in (("James Smith", "james smith"), ("Smith", "james smith"), ("Ms Mary Smith-Jones", "")):
            made = str(surrogate(name, "PERSON", seed, "en_US", key)).casefold()
            assert not set(re.findall(r"\w+", f"{name} {key}".casefold())) & set(re.findall(r"\w+", made)) - {"ms"}
        assert surrogate("7", "CODE", seed, "en_US") != "7"
        made = str(surrogate("ŁÓДЖ-7²é\u0301", "CODE", seed, "en_US"))
        assert re.fullmatch(r"[A-Z]{4}-\d\d[a-z]", made), made


def test_what_reaches_somebody_is_of_a_range_that_is_nobodys() -> None:
    kinds = {
        "PHONE_NUMBER": r"[2-9][0-8]\d-555-01\d\d",
        "URL": r"https://[\w-]+\.example\.com/",
        "IP_ADDRESS": r"(?:192\.0\.2|198\.51\.100|203\.0\.113)\.\d+",
        "US_SSN": r"666-\d\d-\d{4}",
        "EMAIL_ADDRESS": r"[^@]+@example\.(?:com|net|org)",
        "IBAN_CODE": r"[A-Z]{2}00[A-Z0-9]+",
        "MAC_ADDRESS": r"02(?::[0-9a-f]{2}){5}",
    }
    for seed in range(50):
        for label, form in kinds.items():
            made = str(surrogate("1", label, seed, "en_US"))
            assert re.fullmatch(form, made), (label, made)
        digits = [int(one) for one in reversed(str(surrogate("1", "CREDIT_CARD", seed, "en_US")))]
        doubled = sum(one if at % 2 == 0 else sum(divmod(2 * one, 10)) for at, one in enumerate(digits))
        assert doubled % 10, "passes the check of a real card"
        assert str(surrogate("1", "PHONE_NUMBER", seed, "en_GB")).replace(" ", "")[:5] in (
            "01632", "01134", "02079", "07700",
        )  # fmt: skip


@pytest.mark.parametrize("locale", ["ru_RU", "zh_CN", "fa_IR", "pt_PT", "uk_UA", "en_PH", "de_AT", "fr_CA", "it_IT"])
def test_every_locale_has_its_numbers(locale: str) -> None:
    assert len(str(surrogate("1", "CREDIT_CARD", 1, locale))) == 16
    phone = surrogate("1", "PHONE_NUMBER", 1, locale)
    assert phone is not None
    if locale in ("de_AT", "fr_CA", "en_PH"):
        assert re.match(r"0(?:30|40|69|89)|\d{3}-555-01|0(?:1632|113|20 7946|7700 900)", phone)


@pytest.mark.parametrize(
    ("text", "label", "form"),
    [
        ("3.8 mmol/L", "QUANTITY", r"[1-9]\.\d mmol/L"),
        ("$1,234.50", "MONEY", r"\$[1-9],\d{3}\.\d\d"),
        ("EUR 325", "MONEY", r"EUR [1-9]\d\d"),
        ("6 weeks", "DURATION", r"[1-9] weeks"),
        ("0.034 mg", "QUANTITY", r"\d\.\d{3} mg"),
        ("8:30 pm", "TIME", r"[0-2]\d:[0-5]\d"),
        ("three weeks", "DURATION", "None"),
        ("LK68 XPD", "MONEY", "None"),
        ("12 Smith shares", "QUANTITY", "None"),
        ("12 smith shares", "QUANTITY", "None"),
        ("a " * 60 + "5", "QUANTITY", "None"),
    ],
)
def test_an_amount_keeps_its_unit_and_nothing_else(text: str, label: str, form: str) -> None:
    for seed in range(30):
        assert re.fullmatch(form, str(surrogate(text, label, seed, "en_US")))


def test_the_same_seed_gives_the_same_date_on_any_day(monkeypatch: pytest.MonkeyPatch) -> None:
    from faker.providers import date_time

    made = [surrogate("3 May 1990", "DATE", seed, "en_US") for seed in range(5)]

    class Later(date_time.datetime):  # type: ignore[misc]
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return cls(2060, 1, 2, tzinfo=tz)

    monkeypatch.setattr(date_time, "datetime", Later)
    assert made == [surrogate("3 May 1990", "DATE", seed, "en_US") for seed in range(5)]


def test_faker_leaves_the_random_generators_of_others_alone() -> None:
    import random

    random.seed(1)
    before = random.getstate()
    surrogate("Anna Lee", "PERSON", 1, "de_DE")
    assert random.getstate() == before


def test_a_surrogate_is_of_the_same_kind_and_the_same_throughout_a_document() -> None:
    text = "[PERSON:Mr John Smith] wrote to [MAIL:a@b.co]. [PERSON:John Smith] paid [CODE:AB-123]."
    made = redacted(text, "surrogate")
    found = re.fullmatch(r"Mr (.+) wrote to \[MAIL\]\. (.+) paid ([A-Z]{2}-\d{3})\.", made)
    assert found, made
    assert found[1] == found[2] != "John Smith"
    assert redacted("[EMAIL_ADDRESS:a@b.co]".replace("EMAIL_ADDRESS", "URL"), "surrogate").startswith("http")


def test_a_surrogate_keeps_the_gender_that_public_lists_know() -> None:
    from sfumato.heuristics._surrogate import _first_names

    women, men = _first_names("en_US")
    for seed in range(20):
        first = str(surrogate("Elizabeth Grey", "PERSON", seed, "en_US")).split()[0].lower()
        other = str(surrogate("Mr Grey Stone", "PERSON", seed, "en_US")).split()[1].lower()
        assert first not in men
        assert other not in women


def test_surrogates_of_a_run_need_no_memory() -> None:
    one = redacted("[PERSON:Anna Lee]", "surrogate", scope="run", key=KEY)
    assert one == redacted("[PERSON:Anna Lee] again", "surrogate", scope="run", key=KEY, id="9").removesuffix(
        " again"
    )
    fresh = {redacted("[PERSON:Anna Lee]", "surrogate") for _ in range(6)}
    assert len(fresh) > 1
    pinned = PinnedRandomness(KEY)
    assert redacted("[PERSON:A B]", "surrogate", pinned) == redacted("[PERSON:A B]", "surrogate", pinned)


@pytest.mark.parametrize(
    ("text", "to", "made"),
    [
        ("3 May 1990", "year", "1990"),
        ("May 3rd, 1990", "month", "May 1990"),
        ("1990-05-03", "month", "May 1990"),
        ("25/12/2001", "month", "December 2001"),
        ("03/04/2001", "month", "2001"),  # which is the month?
        ("05/05/2001", "month", "May 2001"),
        ("sept 1999", "year", "1999"),
        ("1999", "year", "1990s"),
        ("3 May 1999", "decade", "1990s"),
        ("31 February 1999", "year", None),
        ("yesterday", "year", None),
        ("99/99/9999", "year", None),
        ("2231", "decade", None),  # a number of something else
        ("2020-00-05", "month", None),  # no month has the number 0
        ("Friday, 5 April 2019", "month", "April 2019"),  # what the kind DATE reads
        ("the third of May 2019", "year", "2019"),
        ("11 January 2019 at 04:30", "month", "January 2019"),
        ("11st January 2019", "year", None),
        ("11 Augu\u017ft 2019", "year", None),
        ("11 January", "year", None),
        ("11/01/19", "year", None),
    ],
)
def test_dates_become_broader(text: str, to: str, made: str | None) -> None:
    assert generalising.date_of(text, to) == made


def test_a_date_that_can_be_read_in_two_ways_is_shifted_as_both_or_not_at_all() -> None:
    for offset in range(-400, 400, 7):
        for month, day in ((11, 12), (1, 2), (12, 1)):
            read = {
                generalising.date_of(f"2020-{one:02}-{two:02}", "year", offset)
                for one, two in ((month, day), (day, month))
            }
            made = generalising.date_of(f"{day:02}/{month:02}/2020", "year", offset)
            assert made == (read.pop() if len(read) == 1 else None)
    assert generalising.date_of("01/02/2020", "month", 40) is None
    assert generalising.date_of("03/03/2020", "month", 30) == "April 2020"


@pytest.mark.parametrize(
    ("rule", "text", "made"),
    [
        (generalising.age_band, "34-year-old", "30-39"),
        (generalising.age_band, "aged 7", "0-9"),
        (generalising.age_band, "93 years old", "90 or older"),
        (generalising.age_band, "six months old", None),
        (generalising.age_band, "between 30 and 40", None),
        (generalising.rounded, "EUR 4,325.50", "EUR 4,000"),
        (generalising.rounded, "0.034 mg", "0.03 mg"),
        (generalising.rounded, "1 234 567", "1,000,000"),
        (generalising.rounded, "seven", None),
        (generalising.rounded, "3.2 million", "3 million"),
        (generalising.rounded, "EUR 4,000.00", None),  # nothing would be hidden
        (generalising.rounded, "5.0 km", None),
        (generalising.rounded, "30 to 37 km", None),
        (generalising.rounded, "0", None),
        (generalising.rounded, "38.7 °C", "40 °C"),
        (generalising.rounded, "ATS 1,234", "ATS 1,000"),
        (generalising.rounded, "LK68 XPD", None),  # a postcode that was taken for an amount
        (generalising.rounded, "12 Smith shares", None),
        (generalising.rounded, "12 B", None),
        (generalising.rounded, "12 smith shares", None),
        (generalising.rounded, "EUR 325 (to john smith)", None),
        (generalising.rounded, "325 anna lee dollars", None),
        (generalising.rounded, "45 🅰🅻", None),
        (generalising.rounded, "45 _smith_", None),
        (generalising.rounded, "13 m²", "10 m²"),
        (generalising.rounded, "13 m2", None),
        (generalising.rounded, "12 to 37 weeks", "10 to 40 weeks"),
        (generalising.rounded, "145 mEq/L", "100 mEq/L"),
        (generalising.rounded, "1" * 101, None),
        (generalising.rounded, "EUR 325 (three hundred and twenty-five euros)", None),
        (generalising.place_of, "Oslo", "Norway"),
        (generalising.place_of, "Łódź", "Poland"),
        (generalising.place_of, "norway", "Europe"),
        (generalising.place_of, "Nowhere-upon-Sea", None),
        (generalising.place_of, "Vaduz", "Europe"),  # a country of few people is as telling as a town
        (generalising.place_of, "Monaco", "Europe"),
        (generalising.age_band, "90", "90 or older"),
        (generalising.age_band, "117 years old", "90 or older"),
    ],
)
def test_other_things_become_broader(rule: Any, text: str, made: str | None) -> None:
    assert rule(text) == made


def test_what_cannot_be_generalised_becomes_its_label() -> None:
    assert redacted("[DATE:last Tuesday] [PERSON:Anna]", "generalise") == "[DATE] [PERSON]"


def test_dates_of_a_subject_are_shifted_together_and_never_by_nothing() -> None:
    def dates(id: str, subject: str, key: bytes = KEY) -> list[str]:
        options: dict[str, Any] = {"dates": "month", "shift": 400, "subject": "who", "key": key}
        text = "[DATE:15 May 1990] and [DATE:15 July 1990]"
        return redacted(text, "generalise", id=id, fields={"who": subject}, **options).split(" and ")

    assert dates("1", "p") == dates("2", "p")
    assert len({tuple(dates("1", subject)) for subject in "abcdefgh"}) > 1
    assert dates("1", "p", OTHER) != dates("1", "p")
    method = Redaction("generalise", shift=1, key=KEY)
    assert {method._offset(Document("", str(number))) for number in range(50)} == {-1, 1}


@pytest.mark.parametrize(
    "options",
    [
        {"operator": "surrogate", "shift": 9},
        {"operator": "generalise", "operators": {"DATE": "label"}, "shift": 9},
        {"operator": "generalise", "subject": "who"},
        {"operator": "pseudonym", "operators": {"AGE": "generalise"}, "dates": "month"},
    ],
)
def test_a_shift_that_would_not_be_made_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match="shift"):
        Redaction(key=KEY, **options)


def test_a_record_without_its_subject_is_refused_without_its_text() -> None:
    with pytest.raises(InputError, match="'who'") as raised:
        redacted("[DATE:15 May 1990]", "generalise", shift=9, subject="who", key=KEY)
    assert "1990" not in str(raised.value)
    assert raised.value.document == 0


@pytest.mark.parametrize(
    "options",
    [{"operator": "erase"}, {"scope": "world"}, {"dates": "day"}, {"digits": 0}, {"mask": "x"}, {"length": 101},
     {"mask": " "}, {"mask": "\u200b"}, {"shift": -1}, {"operator": "surrogate", "locale": "xx_XX"}],
)  # fmt: skip
def test_odd_settings_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError):
        Redaction(**options)


def test_there_is_no_epsilon() -> None:
    with pytest.raises(ConfigurationError, match="no epsilon"):
        package.build("redaction", 2.0, detect="given")  # type: ignore[call-overload]
    editor = package.build("redaction", detect="given", operator="label")
    told = statement(editor, SystemRandomness(), {0: 2}, 0, "jsonl")
    assert told["summary"] == NO_GUARANTEE
    assert "epsilon" not in json.dumps(told).lower()


PIECES = st.lists(
    st.sampled_from(
        [
            "Anna",
            "anna",
            "Bo",
            "PERSON_1",
            "PERSON",
            "12",
            "a@b.co",
            "Zoë",
            "Zoe\u0308",
            "ZO\u00adË",
            "Ａnna",
            "Anna’s",
            "Weiß",
            "WEISS",
            "李明",
            "\u200f",
            "שלום",
            "-",
            "1990",
            "",
        ]
    ),
    max_size=9,
)


@settings(max_examples=100, deadline=None)
@given(PIECES, st.lists(st.sampled_from([" ", "", ",", "\n", "\u200f", "\u0301"]), min_size=9, max_size=9), st.data())
def test_no_marked_original_survives(words: list[str], gaps: list[str], data: Any) -> None:
    text, spans = "", []
    for word, gap in zip(words, gaps, strict=False):
        if word and data.draw(st.booleans()):
            spans.append((len(text), len(text) + len(word), data.draw(st.sampled_from(["PERSON", "DATE", "CODE"]))))
        text += word + gap
    operator = data.draw(st.sampled_from([one for one in OPERATORS if one != "keep"]))
    editor = Engine(
        Marked(), Replaced(Redaction(operator, key=KEY, scope=data.draw(st.sampled_from(["document", "run"]))))
    )
    try:
        made = editor.sanitize(Document(text, "1", {"spans": spans})).text
    except InputError:
        return  # nothing was released
    for start, end, _ in spans:
        if any(map(str.isalnum, text[start:end])):
            assert not any(Occurrences([text[start:end]]).find(made))
            letters = r"[\w\u0300-\u036f]"
            assert not re.search(rf"(?<!{letters}){re.escape(text[start:end])}(?!{letters})", made, re.IGNORECASE)


RECORDS = [
    {"id": "a", "text": "Anna Lee met Bo Ray.", "spans": [[0, 8, "PERSON"], [13, 19, "PERSON"]]},
    {"id": "b", "text": "Bo Ray left.", "spans": [[0, 6, "PERSON"]]},
]


def run(folder: Path, *more: str, mechanism: str = "redaction") -> Any:
    source = write_jsonl(folder / "in.jsonl", RECORDS * 1)
    return call("sanitize", str(source), "-o", str(folder / "out.jsonl"), "-m", mechanism, "--detect", "given", *more)


def texts(folder: Path) -> list[str]:
    return [json.loads(line)["text"] for line in (folder / "out.jsonl").read_text("utf-8").splitlines()]


def test_the_command_needs_no_epsilon_and_says_what_it_promises(tmp_path: Path) -> None:
    ran = run(tmp_path, "--set", "operator=pseudonym")
    assert ran.code == 0, ran.err
    assert texts(tmp_path) == ["PERSON_1 met PERSON_2.", "PERSON_1 left."]
    assert NO_GUARANTEE in ran.out
    assert "psilon" not in ran.out
    promised = json.loads((tmp_path / "out.jsonl.privacy.json").read_text("utf-8"))
    assert promised["guarantee"] is None
    assert "epsilon" not in json.dumps(promised).lower()


@pytest.mark.models
def test_labels_are_counted_where_they_are_nobodys_secret(tmp_path: Path) -> None:
    pytest.importorskip("spacy")
    rows = [{"text": "Anna Lee met Bob Ray in Rome."}, {"text": "no one"}, {"text": "Anna Lee left."}]
    source, output = write_jsonl(tmp_path / "in.jsonl", rows), tmp_path / "out.jsonl"
    ran = call("sanitize", source, "-o", output, "-m", "redaction", "--detect", "entities", "--json").json
    assert ran["untouched"] == 1
    assert ran["replaced"]["PERSON"] == 3
    told = call("sanitize", source, "-o", output, "-m", "redaction", "--detect", "entities", "--force").out
    assert f"Replaced {sum(ran['replaced'].values())} spans (PERSON 3" in told
    assert "; none in 1 of 3 records." in told
    assert "untouched" not in json.dumps(ran["privacy"])  # the statement goes with the release
    given = run(tmp_path, "--force")
    assert given.code == 0
    [told] = [line for line in given.out.splitlines() if line.startswith("Replaced")]
    assert "(" not in told  # their labels come from the records


def test_the_same_in_any_number_of_processes(tmp_path: Path) -> None:
    key = tmp_path / "key"
    write_key(key, KEY)
    made = []
    for workers in ("1", "2"):
        ran = run(tmp_path, "--set", "scope=run", "--set", f"key={key}", "--workers", workers, "--force")
        assert ran.code == 0, ran.err
        made.append(texts(tmp_path))
    assert made[0] == made[1]
    assert made[0][0].split()[2].removesuffix(".") == made[0][1].split()[0]


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (["--epsilon", "2"], "no formal guarantee"),
        (["--set", "vocabulary=words.txt"], "leave out vocabulary "),
        (["--set", "operator=erase"], "An operator is one of"),
        (["--set", "operator=label", "--set", "operator=mask"], "operator twice"),
        (["--set", "operator=hash"], "sfumato key"),
        (["--set", "nothing=1"], "no option nothing"),
        (["--set", "detect.strict=high"], "belongs to identifiers"),
        (["--map-key", "k"], "say with --map where it goes"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_sentence(tmp_path: Path, more: list[str], told: str) -> None:
    ran = run(tmp_path, *more)
    assert ran.code == 2
    assert told in ran.err
    assert not (tmp_path / "out.jsonl").exists()


def test_other_mechanisms_refuse_its_options(tmp_path: Path) -> None:
    ran = run(tmp_path, "--epsilon", "2", "--set", "operator=label", mechanism="santext")
    assert ran.code == 2
    assert "belongs to redaction" in ran.err


@pytest.mark.parametrize("command", ["explain", "certify"])
def test_there_is_nothing_to_explain_or_certify(command: str) -> None:
    ran = call(command, "-m", "redaction")
    assert ran.code == 2
    assert "no formal guarantee to certify" in ran.err


def test_it_is_listed_among_the_methods_without_a_guarantee() -> None:
    assert "redaction" in call("list", "--json").json["methods_without_a_guarantee"]


def test_a_key_of_the_environment_is_found_for_shifted_dates(monkeypatch: pytest.MonkeyPatch) -> None:
    from sfumato.cli.options import MethodOptions

    monkeypatch.setenv("SFUMATO_KEY", KEY.hex())
    shifted, plain = (
        MethodOptions("redaction", set=["operator=generalise", more]) for more in ("shift=30", "dates=month")
    )
    assert shifted.given()["key"] == KEY
    assert "key" not in plain.given()


IN_LANGUAGES = {
    "de": [
        ("LOCATION", "München", "Deutschland"),
        ("LOCATION", "die Schweiz", "Europa"),
        ("DATE", "3. Mai 2019", "2019"),
        ("DATE", "1984", "1980er Jahre"),
        ("AGE", "93 Jahre alt", "90 oder älter"),
        ("AGE", "34-jährig", "30-39"),
        ("MONEY", "4.325,50 €", "4.000 €"),
    ],
    "fr": [
        ("LOCATION", "Londres", "Royaume-Uni"),
        ("LOCATION", "la Suisse", "Europe"),
        ("LOCATION", "États-Unis", "Amérique du Nord"),
        ("DATE", "1984", "années 1980"),
    ],
    "nl": [("LOCATION", "Parijs", "Frankrijk"), ("DATE", "1984", "jaren 1980")],
}


@pytest.mark.parametrize(("code", "row"), [(code, row) for code, rows in IN_LANGUAGES.items() for row in rows])
def test_what_is_generalised_is_in_the_language(code: str, row: tuple[str, str, str]) -> None:
    label, text, made = row
    redaction = Redaction("generalise", language=code)
    assert redaction._broader(text, label, 0) == made
    assert redaction.parameters["language"] == code
    assert "language" not in Redaction("generalise").parameters


def test_a_policy_generalises_in_its_language(tmp_path: Path) -> None:
    (tmp_path / "marks.txt").write_text("LOCATION\tMünchen\n", encoding="utf-8")
    find = '[find]\ndetect = ["list:marks.txt"]\nlanguage = "de"\n'
    treat = '[[treat]]\nlabels = ["LOCATION"]\nmethod = "generalise"\n'
    sanitizer = build_policy(Policy.parse(find + treat, tmp_path))
    assert sanitizer.sanitize("Sie wohnt in München.").text == "Sie wohnt in Deutschland."
