"""What a mark must have beside it: officials, laws, generic times and counts tell nobody apart; persons always do."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from by_rule import ByRule
from sfumato.detectors.english import codes, organisations, people, personal_attributes
from sfumato.detectors.english.context import telling
from sfumato.detectors.english.offices import is_office
from sfumato.detectors.found import Found
from sfumato.detectors.identifiers import LEVELS, Identifiers
from sfumato.errors import ConfigurationError
from sfumato.text.document import Document

Finder = Callable[[str], Iterator[Found]]
DIRECT = ("PERSON", "CODE", "EMAIL_ADDRESS", "URL", "PHONE_NUMBER", "ACCOUNT", "IP_ADDRESS", "CREDIT_CARD")


def kept(
    text: str, words: str, label: str, strict: str = "medium", score: float = 0.7, finder: str = "spacy"
) -> bool:
    """Whether a mark over ``words`` in ``text`` stays."""
    start = text.rindex(words)
    return bool(telling(text, [Found(start, start + len(words), label, score, finder)], strict))


@pytest.mark.parametrize(
    ("text", "words", "label"),
    [
        ("He passed his annual review.", "annual", "DATE"),
        ("She came the next day.", "the next day", "DATE"),
        ("It is due today.", "today", "DATE"),
        ("for several years now", "several years", "DATE"),
        ("a house of the late 18th century", "the late 18th century", "DATE"),
        ("It kept her awake at night.", "night", "TIME"),
        ("during working hours", "working hours", "TIME"),
        ("There were two charges on my card.", "two", "QUANTITY"),
        ("about half of it", "about half", "QUANTITY"),
        ("lodged within the ten-day time-limit", "ten-day", "DURATION"),
        ("He was back three days later.", "three days later", "DATE"),
        ("He was represented by Ms Ode, a lawyer practising in Oslo.", "lawyer", "OCCUPATION"),
        ("They asked the doctor to call back.", "doctor", "OCCUPATION"),
        ("The police officers left.", "police officers", "OCCUPATION"),
        ("before the Supreme Administrative Court", "Supreme Administrative Court", "ORGANIZATION"),
        ("the Ministry of Foreign Affairs", "Ministry of Foreign Affairs", "ORGANIZATION"),
        ("against the Republic of Poland", "Republic of Poland", "ORGANIZATION"),
        ("the Polish Government (“the Government”) said", "Polish Government (“the Government”)", "ORGANIZATION"),
        ("under the Motor Vehicles Act 1967", "Motor Vehicles Act 1967", "ORGANIZATION"),
        ("the Human Rights Act 1998", "1998", "DATE"),
        ("under the 1998 Lustration Act", "1998", "DATE"),
        ("amended by Law no. 3713 of", "3713", "CODE"),
        ("under Polish law", "Polish", "GROUP"),
        ("an invalid argument", "invalid", "HEALTH"),
        ("New measures were adopted by them.", "adopted", "FAMILY"),
        ("It held, inter alia, that", "inter alia", "ORGANIZATION"),
        ("see Saunders v. the United Kingdom, cited", "United Kingdom", "LOCATION"),
        ("the University President left", "President", "PERSON"),
        ("the Chief Building Inspector", "Chief Building", "LOCATION"),
        ("Nov 3 04:12:01 web1 sshd[12]: closed", "web1", "PERSON"),
    ],
)
def test_what_tells_nobody_apart_is_left_unless_strict(text: str, words: str, label: str) -> None:
    assert not kept(text, words, label)
    assert kept(text, words, label, strict="high")


@pytest.mark.parametrize(
    ("text", "words", "label"),
    [
        ("on 3 May 1990 he", "3 May 1990", "DATE"),
        ("the Act of 21 June 1990", "21 June 1990", "DATE"),
        ("in March she", "March", "DATE"),
        ("on Christmas Eve we", "Christmas Eve", "DATE"),
        ("born in 1987", "1987", "DATE"),
        ("at 9 p.m. they", "9 p.m.", "TIME"),
        ("sentenced to two years’ imprisonment", "two years’", "DURATION"),
        ("a rate of 33% of", "33%", "QUANTITY"),
        ("a mother of four children", "four children", "QUANTITY"),
        ("pain score: 12", "12", "QUANTITY"),
        ("The applicant is a teacher.", "teacher", "OCCUPATION"),
        ("The applicant, a teacher, said", "teacher", "OCCUPATION"),
        ("a 61-year-old carpenter with", "carpenter", "OCCUPATION"),
        ("Occupation: nurse", "nurse", "OCCUPATION"),
        ("She works as a nurse.", "nurse", "OCCUPATION"),
        ("a retired teacher came", "retired teacher", "OCCUPATION"),
        ("before the Istanbul Assize Court", "Istanbul Assize Court", "ORGANIZATION"),
        ("the Van Military Hospital", "Van Military Hospital", "ORGANIZATION"),
        ("the Immigration Appeals Board", "Immigration Appeals Board", "ORGANIZATION"),
        ("the Labour Party", "Labour Party", "ORGANIZATION"),
        ("at Blue Sky Trading Ltd", "Blue Sky Trading Ltd", "ORGANIZATION"),
        ("lives in the United Kingdom now", "United Kingdom", "LOCATION"),
        ("moved to the United States of America", "United States of America", "LOCATION"),
        ("a Polish national", "Polish national", "GROUP"),
        ("an invalid since 1990", "invalid", "HEALTH"),
        ("She is divorced.", "divorced", "FAMILY"),
        ("He was adopted as a child.", "adopted", "FAMILY"),
        ("passport no. 3713", "3713", "CODE"),
        ("login jdoe1 failed", "jdoe1", "PERSON"),
        ("She was seen by Jordan.", "Jordan", "LOCATION"),
        ("a complaint against Georgia was made", "Georgia", "LOCATION"),
        ("then Winter signed it", "Winter", "DATE"),
        ("Summer signed it", "Summer", "DATE"),
        ("yesterday Baker left early", "Baker", "OCCUPATION"),
        ("seen at 48.2082 north", "48.2082", "QUANTITY"),
    ],
)
def test_what_tells_somebody_apart_stays(text: str, words: str, label: str) -> None:
    assert kept(text, words, label)


@pytest.mark.parametrize(
    ("text", "words", "label"),
    [
        ("The complaint was filed by Jordan.", "Jordan", "PERSON"),
        ("She was seen by India.", "India", "PERSON"),
        ("She was seen by India.", "India", "LOCATION"),
        ("see Smith v. Ireland, cited", "Ireland", "PERSON"),
        ("the obligations of Israel towards her", "Israel", "LOCATION"),
        ("The patient Head was admitted.", "Head", "PERSON"),
        ("The Applicant Judge was admitted.", "Judge", "PERSON"),
        ("By law Quillfeather must pay.", "Quillfeather", "NAME"),
        ("Under the judgment Quillfeather pays the rent.", "Quillfeather", "NAME"),
        ("by decree no. 12, Quillfeather pays", "Quillfeather", "NAME"),
        ("The Israel Kowalski Protocol applies.", "The Israel Kowalski Protocol", "ORGANIZATION"),
        ("the Quillfeather Act was", "Quillfeather Act", "NAME"),
        ("Section 8 Flat 12 Elm Court", "Section 8 Flat 12 Elm Court", "LOCATION"),
        ("Section 8 Flat 12 Elm Court", "Section 8 Flat 12 Elm Court", "ORGANIZATION"),
        ("Section 8 Doris Quillfeather", "Section 8 Doris Quillfeather", "PERSON"),
        ("at Rule 5 Road", "Rule 5 Road", "LOCATION"),
    ],
)
@pytest.mark.parametrize("strict", LEVELS)
def test_no_level_takes_a_person_or_an_address_for_a_state_an_office_or_a_law(
    strict: str, text: str, words: str, label: str
) -> None:
    assert kept(text, words, label, strict, finder="rule:cues" if label == "NAME" else "spacy")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("under Article 6 § 1 of the Convention", "Article 6 § 1 of the Convention"),
        ("under Section 12(a) of the Code", "Section 12(a)"),
        ("under Rule 39 of the Rules of Court", "Rule 39 of the Rules of Court"),
        ("the Data Protection Act 1998", "Data Protection Act 1998"),
        ("the Convention for the Protection of", "Convention for the Protection"),
    ],
)
def test_a_law_is_still_left(text: str, words: str) -> None:
    assert not kept(text, words, "ORGANIZATION")


def test_the_lowest_level_keeps_a_rare_surname_and_what_stands_in_the_title_of_a_work() -> None:
    text = "He read The Quillfeather of Bergen again."
    marks = [
        Found(8, 34, "NAME", 0.4, "spacy"), Found(12, 24, "NAME", 0.4, "rule:cues"), Found(28, 34, "LOCATION", 0.7),
    ]  # fmt: skip
    assert telling(text, marks, "low") == marks[1:]
    assert telling(text, marks, "medium") == marks
    assert surfaces("Afterwards the dispute with Quillfeather ended.", "low") == {"Quillfeather": "NAME"}


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Driving licence: series C 98765", "98765"),
        ("passport, series C 4321", "4321"),
        ("Insurance policy p. 4321", "4321"),
        ("see p. 5550187", "5550187"),
        ("art. no. 5550187", "5550187"),
        ("judgment 4567/12", "4567/12"),
    ],
)
@pytest.mark.parametrize("label", ["CODE", "QUANTITY"])
def test_a_long_number_or_that_of_a_paper_is_no_article(text: str, number: str, label: str) -> None:
    assert kept(text, number, label)
    assert label == "QUANTITY" or kept(text, number, label, "low")


@pytest.mark.parametrize(
    "name",
    ["Mr Justice", "Victoria Justice", "Name", "Judge Law", "Judge Court", "Hannah Bill", "Mrs Court",
     "Inspector House", "Governor Church", "Chancellor", "Judge", "Law", "Minister State", "German Court"],
)  # fmt: skip
@pytest.mark.parametrize("strict", LEVELS)
def test_no_level_leaves_a_name_that_is_also_a_word_of_an_office(name: str, strict: str) -> None:
    for score in (0.8, 0.85, 0.95):
        assert kept(f"Name: {name}", name, "PERSON", strict, score)
    assert kept(f"It was Mr {name}.", name, "PERSON", strict, 0.95)


def test_a_person_in_the_bracket_of_an_office_stays() -> None:
    text = "the Supreme Court (Anna Larsen presiding) held"
    marks = [Found(4, 41, "ORGANIZATION", 0.8), Found(19, 30, "PERSON", 0.85)]
    assert telling(text, marks) == [marks[1]]


def test_a_state_in_the_name_of_its_office_goes_with_it() -> None:
    text = "the Polish Government and a Polish national"
    marks = [Found(4, 21, "ORGANIZATION", 0.8), Found(4, 10, "GROUP", 0.6), Found(28, 43, "GROUP", 0.6)]
    assert telling(text, marks) == [marks[2]]


@given(st.text(st.sampled_from("aAeE 12.,:()’s-Court\n"), max_size=60), st.sampled_from(DIRECT[2:]))
def test_direct_identifiers_pass_at_every_level(text: str, label: str) -> None:
    mark = Found(0, len(text), label, 0.9)
    for strict in LEVELS:
        assert telling(text, [mark], strict) == [mark]


@given(st.integers(1, 28), st.sampled_from(["January", "May", "December"]), st.integers(1900, 2030))
def test_full_dates_pass_at_every_level(day: int, month: str, year: int) -> None:
    for date in (f"{day} {month} {year}", f"{month} {day}, {year}", f"{year}-05-{day:02}"):
        for text in (date, f"the Act of {date} on Courts", f"within {date} time-limit", f"Law no. {date}"):
            for strict in LEVELS:
                assert kept(text, date, "DATE", strict)


def test_a_lower_level_keeps_no_more() -> None:
    text = "He works as a nurse. The Immigration Tribunal gave him ten days, three persons and 33%. The doctor left."
    finders = (codes.codes, personal_attributes.attributes, organisations.organisations, people.introduced)
    found = [one for finder in finders for one in finder(text)]
    low, medium, high = ({*telling(text, found, strict)} for strict in LEVELS)
    assert low < medium < high == set(found)


def test_an_unknown_level_is_refused() -> None:
    assert Identifiers().strict == "medium"
    with pytest.raises(ConfigurationError, match=r"strict is one of low, medium, high, not 'hihg'"):
        Identifiers(strict="hihg")


@pytest.mark.parametrize(
    ("text", "office"),
    [
        ("Court of Cassation", True),
        ("Federal Republic of Germany", True),
        ("United Kingdom of Great Britain and Northern Ireland", True),
        ("European Commission of Human Rights", True),
        ("Constitutional Court (Verfassungsgerichtshof)", True),
        ("Head of the International Law Department", True),
        ("Warsaw Regional Court", False),
        ("Supreme Military Administrative Court", False),
        ("Ministry of Defence", False),
        ("Employment Tribunal", False),
        ("United States", False),
        ("IV", False),
        ("Polish", False),
        ("", False),
    ],
)
def test_offices_that_every_state_has(text: str, office: bool) -> None:
    assert is_office(text) is office


def test_a_long_line_costs_no_more_than_its_characters() -> None:
    text = "Court of Appeal " * 5_000
    marks = [Found(at, at + 15, "ORGANIZATION", 0.8) for at in range(0, len(text), 16)]
    started = time.process_time()
    assert telling(text, marks) == []
    for label in ("ORGANIZATION", "DATE", "DURATION", "QUANTITY", "OCCUPATION", "PERSON"):
        for part in ("the a ", "a few ", "of and ", "Act ", "5 to ", "(", "1, "):
            long = part * 10_000
            assert telling(long, [Found(0, len(long), label, 0.7)])  # nobody reads so long a mark: it stays
            assert telling(long, [Found(40_00, 40_09, label, 0.7)] * 500) is not None
    assert time.process_time() - started < 12


def surfaces(text: str, strict: str = "medium") -> dict[str, str]:
    [spans] = ByRule(strict=strict).detect([Document(text)])
    return {text[one.start : one.end]: one.label for one in spans}


def test_context_is_read_after_all_finders_and_names_are_carried_all_the_same() -> None:
    text = "Mr Church met the doctor for ten minutes. Church left after several years, on 3 May 1990."
    assert surfaces(text).keys() == {"Mr Church", "ten minutes", "Church", "3 May 1990"}
    assert "doctor" in surfaces(text, "high")


def test_an_organisation_is_marked_wherever_it_is_named_again() -> None:
    text = "It sued ZDP (an operator) before it fell. Then Mr Lee left ZDP, and ZDP paid. The ZDPX stayed."
    marks = [text[one.start : one.end] for one in ByRule().detect([Document(text)])[0]]
    assert marks.count("ZDP") == 3
    assert "ZDPX" not in marks


def test_a_place_takes_the_kind_behind_it_along() -> None:
    assert surfaces("He was in Zeytin District municipal prison.") == {
        "Zeytin District municipal prison": "ORGANIZATION"
    }
    assert surfaces("He was in Zeytin District and in prison.") == {"Zeytin District": "LOCATION"}


def test_days_that_share_a_year_are_one_date() -> None:
    assert surfaces("on 10 May, on 7 July and on 26 September 1994 it")["10 May, on 7 July and on 26 September 1994"]
    apart = surfaces("from 1 May 1993 to 2 June 1994")
    assert apart.keys() == {"1 May 1993", "2 June 1994"}


def test_what_somebody_works_as_is_an_occupation() -> None:
    assert surfaces("She works as a reindeer herder in the north.")["reindeer herder"] == "OCCUPATION"
