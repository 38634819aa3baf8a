"""PLACE: one name is one place, distances are those of the globe, and writing is the inverse of reading."""

from __future__ import annotations

import math
import re
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.abstract.kind import Form, Reading
from sfumato.abstract.vocabulary import Vocabulary
from sfumato.building.policies import treatment_of_kind
from sfumato.errors import ConfigurationError
from sfumato.kinds.places.gazetteer import counties, countries, regions
from sfumato.kinds.places.listed import AREA_SCALE, AREAS, RADIUS, region_codes
from sfumato.kinds.places.place import TOWNS, Place
from sfumato.kinds.places.postcodes import postcode_in, postcode_written
from sfumato.kinds.places.streets import house_in, street_beside, streets
from sfumato.language.en.offensive import is_offensive
from sfumato.language.en.phrasing import PHRASING
from sfumato.language.en.places import EnglishPlaces
from sfumato.policy import Policy

PLACE = Place()
KEPT = {  # text: value, grain, case; writing gives the text again
    "Paris": ("Paris", "city", "listed"),
    "paris": ("Paris", "city", "lower"),
    "The Hague": ("The Hague", "city", "listed"),
    "São Paulo": ("São Paulo", "city", "listed"),
    "Stoke-on-Trent": ("Stoke-on-Trent", "city", "listed"),
    "Springfield, IL": ("Springfield, IL", "city-code", "listed"),
    "Portland, Maine": ("Portland, Maine", "city-region", "listed"),
    "London, England": ("London, England", "city-region", "listed"),
    "Paris, France": ("Paris, France", "city-country", "listed"),
    "Tbilisi, Georgia": ("Tbilisi, Georgia", "city-country", "listed"),
    "Atlanta, Georgia": ("Atlanta, Georgia", "city-region", "listed"),
    "California": ("California", "region", "listed"),
    "north rhine-westphalia": ("North Rhine-Westphalia", "region", "lower"),
    "Norway": ("Norway", "country", "listed"),
    "the Netherlands": ("Netherlands", "country", "listed"),
    "Leicestershire": ("Leicestershire", "county", "listed"),
    "Norfolk": ("Norfolk", "county", "listed"),
}
USUAL = {  # text: value, and what is written
    "PARIS": ("Paris", "Paris"),
    "PORTLAND, ME": ("Portland, ME", "Portland, ME"),
    "THE UNITED KINGDOM": ("United Kingdom", "the United Kingdom"),
    "COUNTY CORK": ("County Cork", "County Cork"),
    "Netherlands": ("Netherlands", "the Netherlands"),
    "The Netherlands": ("Netherlands", "the Netherlands"),
    "USA": ("United States", "the United States"),
    "the UK": ("United Kingdom", "the United Kingdom"),
    "Cologne": ("Köln", "Köln"),
    "Cologne, Germany": ("Köln, Germany", "Köln, Germany"),
    "London, UK": ("London, United Kingdom", "London, United Kingdom"),
    "Sao  Paulo": ("São Paulo", "São Paulo"),
    "sao paulo": ("São Paulo", "são paulo"),
    "New York": ("New York City", "New York City"),
    "Georgia": ("Georgia", "Georgia"),
    "Türkiye": ("Turkey", "Turkey"),
    "Co. Cork": ("County Cork", "County Cork"),
}
_STREET, _HOUSE, _FULL = "{street}", "{house} {street}", "{house} {street}, {town} {postcode}"
ADDRESSES = {  # text: value, grain, case, layout
    "Baker Street": ("Mill Lane", "street", "listed", _STREET),
    "Chapel Road": ("Chapel Road", "street", "listed", _STREET),
    "BAKER STREET": ("Mill Lane", "street", "listed", _STREET),
    "14 mill lane": ("Mill Lane", "street", "lower", _HOUSE),
    "221B Baker Street": ("Mill Lane", "street", "listed", _HOUSE),
    "22 Acacia": ("Mill Lane", "street", "listed", _HOUSE),
    "1400 Windsor": ("Mill Lane", "street", "listed", _HOUSE),
    "P.O. Box 6508": ("Mill Lane", "street", "listed", _HOUSE),
    "43 W 14th Court": ("Mill Lane", "street", "listed", _HOUSE),
    "346 Elm Crescent Suite 7371": ("Mill Lane", "street", "listed", _HOUSE),
    "19 Tamarisk Court, Brighton": ("Brighton", "city", "listed", "{house} {street}, {town}"),
    "Quarry Road, Stockport": ("Stockport", "city", "listed", "{street}, {town}"),
    "Flat 8, Teasel House, Luton": ("Luton", "city", "listed", "{house} {street}, {town}"),
    "Unit 1, 16 Wattle Street, Leeds": ("Leeds", "city", "listed", "{house} {street}, {town}"),
    "5 Rue des Tanneurs, Lille": ("Lille", "city", "listed", "{house} {street}, {town}"),
    "Kanaalstraat 40, Utrecht": ("Utrecht", "city", "listed", "{house} {street}, {town}"),
    "12 High St, Springfield, IL": ("Springfield, IL", "city-code", "listed", "{house} {street}, {town}"),
    "2 Coastguard Cottages, Mousehole": ("Mill Lane", "street", "listed", _HOUSE),
    "14 Elm Road, Leeds LS1 4AB": ("Leeds", "city", "listed", _FULL),
    "14 Elm Road\nLeeds\nLS1 4AB": ("Leeds", "city", "listed", _FULL),
    "14 Elm Road, Headingley, Leeds, West Yorkshire LS6 2AB, UK": ("Leeds", "city", "listed", _FULL),
    "Lindenstraße 12, 10969 Berlin, Germany": ("Berlin, Germany", "city-country", "listed", _FULL),
    "350 Fifth Avenue, New York, NY 10118": ("New York City, NY", "city-code", "listed", _FULL),
    "12 rue de Rivoli, 75001 Paris": ("Paris", "city", "listed", _FULL),
    "1 High St, Little Snoring, Norfolk NR21 0AA": ("Norfolk", "county", "listed", _FULL),
    "Leeds LS1 4AB": ("Leeds", "city", "listed", "{town} {postcode}"),
    "93081 Valencia, Spain": ("Valencia, Spain", "city-country", "listed", "{town} {postcode}"),
    "Austin TX 78701": ("Austin, TX", "city-code", "listed", "{town} {postcode}"),
    "LS1 4AB": ("postcode 001", "postcode", "listed", "A9 9AA"),
    "ls14ab": ("postcode 001", "postcode", "listed", "A9 9AA"),
    "K1A 0B1": ("postcode 001", "postcode", "listed", "A9A 9A9"),
    "10969": ("postcode 001", "postcode", "listed", "99999"),
    "ZD-455-3988": ("postcode 001", "postcode", "listed", "99999"),
}
NO_PLACES = [
    "",
    " ",
    "us",
    "Us",
    "Erewhon",
    "Paris, Ruritania",
    "Paris, Maine",
    "High Court",
    "14",
    "plot 14",
    "ward 5",
    "12 people",
    "Istanbul Assize Court",
    "Street",
    "62",
    ",",
    "the",
    "the ",
]
NO_PLACES += ["9" * 400, "\0", "\ud800", "א\u202eב", "Paris" * 200_000, ", " * 100, "the " * 50, "Paris, " * 28]
NO_PLACES += ["a " * 99, "1 " * 99, "A. " * 66 + "\0"]


@pytest.mark.parametrize("text", KEPT)
def test_a_listed_name_is_written_as_it_was(text: str) -> None:
    value, grain, case = KEPT[text]
    reading = PLACE.read(text)
    assert reading == Reading(value, Form(grain, (case,)))
    assert PLACE.write(value, Form(grain, (case,))) == text


@pytest.mark.parametrize("text", USUAL)
def test_another_name_is_written_as_the_usual_one(text: str) -> None:
    reading = PLACE.read(text)
    assert reading is not None
    assert (reading.value, PLACE.write(reading.value, reading.form)) == USUAL[text]


@pytest.mark.parametrize("text", ADDRESSES)
def test_an_address_is_its_town_or_its_street(text: str) -> None:
    value, grain, case, layout = ADDRESSES[text]
    assert PLACE.read(text) == Reading(value, Form(grain, (case, layout)))


def test_an_address_shows_nothing_but_its_town_and_its_form() -> None:
    """Street and number follow from the value alone, so two private addresses in one town cannot be told apart."""
    texts = ("19 Tamarisk Court, Brighton", "Flat 3B, 7 West Drive, Brighton", "1190 Loop Row, Brighton")
    (reading,) = {PLACE.read(text) for text in texts}
    assert reading is not None
    assert {PLACE.read(f"{number} {name}") for number, name in ((7, "Baker Street"), (190, "Abbey Rise"))} == {
        Reading(streets()[0], Form("street", ("listed", "{house} {street}")))
    }
    for value, street in (("Leeds", "Maple Drive"), ("Paris", "avenue du Parc"), ("Köln", "Wiesenweg")):
        written = PLACE.write(value, reading.form)
        house = house_in(value)
        assert written in (f"{house} {street}, {value}", f"{street} {house}, {value}")
        assert PLACE.read(written) == Reading(value, reading.form)


@pytest.mark.parametrize(
    ("value", "grain", "expected"),
    [
        ("Leeds", "city", r"\d+ \w+ \w+, Leeds LS\d+ \d[A-Z]{2}"),
        ("York", "city", r"\d+ \w+ \w+, York YO\d+ \d[A-Z]{2}"),
        ("Berlin, Germany", "city-country", r"\w+ \d+, \d{5} Berlin, Germany"),
        ("London, United Kingdom", "city-country", r"\d+ \w+ \w+, London SW\d+ \d[A-Z]{2}, United Kingdom"),
        ("New York City, NY", "city-code", r"\d+ \w+ \w+, New York City, NY 1[0-4]\d{3}"),
        ("Toronto, ON", "city-code", r"\d+ \w+ \w+, Toronto, ON [KLMNP]\d[A-Z] \d[A-Z]\d"),
        ("Paris", "city", r"\d+ (?:rue|avenue) [\w ’']+, \d{5} Paris"),
        ("Madrid", "city", r"Calle [\w ]+ \d+, \d{5} Madrid"),
    ],
)
def test_street_and_postcode_are_those_of_the_towns_country(value: str, grain: str, expected: str) -> None:
    assert re.fullmatch(expected, PLACE.write(value, Form(grain, ("listed", _FULL))))


def test_a_postcode_shows_nothing_but_its_shape() -> None:
    assert {PLACE.read(text) for text in ("LS1 4AB", "EC1A 1BB", "L6 1AA")} == {
        Reading("postcode 001", Form("postcode", ("listed", "A9 9AA")))
    }
    codes = [postcode_written(token, "A9 9AA") for token in PLACE.vocabulary("postcode").tokens]
    assert len(set(codes)) == 300
    assert len({postcode_in(PLACE.city_of(town)) for town in PLACE.vocabulary("city").tokens[:2000]}) > 1900


@pytest.mark.parametrize("before", ["lives at 14 ", "at 3b ", "14 "])
def test_a_number_before_a_town_makes_it_a_street(before: str) -> None:
    reading = PLACE.read("Windsor")
    assert reading is not None
    street = Reading(streets()[0], Form("street", ("listed", "{street}")))
    assert PLACE.placed(reading, before, ", ") == street
    for other, after in (("in 2019 ", ", "), (before, " people"), ("in ", ", "), ("no. 1234 ", ", ")):
        assert PLACE.placed(reading, other, after) == reading
    country = PLACE.read("14 Elm Road, Leeds")
    assert country is not None
    assert PLACE.placed(country, before, ", ") == country


def test_codes_of_states_are_read_in_capitals_alone() -> None:
    assert {PLACE.read(code).form.grain for code in region_codes()} == {"region-code"}  # type: ignore[union-attr]
    assert [PLACE.read(word) for word in ("or", "in", "me", "Or", "hi")] == [None] * 5
    assert not any(map(PLACE.recognises, region_codes()))


@pytest.mark.parametrize(
    "layout", [_STREET, _HOUSE, "{street}, {town}", "{house} {street}, {town}", _FULL, "{town} {postcode}"]
)
@pytest.mark.parametrize("case", ["listed", "lower"])
def test_reading_an_address_gives_value_and_form_again(layout: str, case: str) -> None:
    for grain in (*TOWNS, "county", "region", "country") if "town" in layout else ("street",):
        form = Form(grain, (case, layout))
        tokens = PLACE.vocabulary(grain).tokens[:3000]
        wrong = [value for value in tokens if PLACE.read(PLACE.write(value, form)) != Reading(value, form)]
        assert wrong == []


def test_streets_are_neighbours_and_their_names_are_no_places() -> None:
    vectors = PLACE.vocabulary("street").vectors
    assert 0.5 < float(np.ptp(vectors)) < 2.0
    assert len(np.unique(vectors)) == len(streets()) == 300
    assert len({street_beside(city, "GB", False) for city in PLACE.vocabulary("city").tokens[:5000]}) == 300
    assert {house_in(str(number)) for number in range(5000)} == {str(number) for number in range(1, 121)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Baker Street", True),
        ("14 Orchard Close", True),
        ("12 Roses, Paris", True),
        ("Article 8, Paris", False),
        ("Berth 9, Port of Cork", False),
        ("baker street", False),
        ("Teasel House", False),
        ("Leicestershire", True),
        ("nice", False),
    ],
)
def test_a_street_without_a_label_needs_a_word_that_says_so(text: str, expected: bool) -> None:
    assert PLACE.recognises(text) is expected


@pytest.mark.parametrize("text", NO_PLACES)
def test_what_is_on_no_list_is_not_read(text: str) -> None:
    start = time.perf_counter()
    assert PLACE.read(text) is None
    assert time.perf_counter() - start < 3  # the first call builds the lists


@settings(deadline=None)  # the first call builds the lists
@given(st.text(max_size=250))
def test_any_text_gives_a_token_or_none(text: str) -> None:
    reading = PLACE.read(text)
    assert reading is None or reading.value in PLACE.vocabulary(reading.form.grain).tokens


_PIECES = st.sampled_from(
    [
        "LS1 4AB",
        "10969",
        "TX",
        ", NY",
        "Berlin",
        "14",
        "Flat 8,",
        "Mill",
        "Rue",
        "du",
        "Lane",
        "Court,",
        "Leeds",
        ", Paris",
        "weg",
        "7b",
        "St.",
    ]
)


@settings(deadline=None)
@given(st.lists(_PIECES, max_size=8).map(" ".join))
def test_any_address_can_be_written_and_read_again(text: str) -> None:
    reading = PLACE.read(text)
    assert reading is None or PLACE.read(PLACE.write(reading.value, reading.form)) == reading


@pytest.mark.parametrize("grain", PLACE.grains)
@pytest.mark.parametrize("case", ["listed", "lower"])
def test_reading_what_was_written_gives_value_and_form_again(grain: str, case: str) -> None:
    case = "listed" if grain in ("region-code", "postcode") else case
    form = Form(grain, (case, *PLACE.public_form(grain).style[1:]))
    wrong = [v for v in PLACE.vocabulary(grain).tokens if PLACE.read(PLACE.write(v, form)) != Reading(v, form)]
    assert wrong == []


def test_capitals_do_not_tell_a_place_with_a_short_name_from_others() -> None:
    """Beside places in capitals, "USA" would be the one that is written as it is listed."""
    assert {PLACE.read(text).form for text in ("USA", "UK", "FRANCE", "France", "THE NETHERLANDS")} == {  # type: ignore[union-attr]
        PLACE.public_form("country")
    }


def _apart(words: Vocabulary, first: str, second: str) -> float:
    vectors = words.vectors[[words.tokens.index(first), words.tokens.index(second)]]
    return float(np.linalg.norm(vectors[0] - vectors[1]))


@pytest.mark.parametrize(
    ("first", "second", "surface"),
    [("London", "Paris", 343.9), ("Oslo", "Sydney", 15_960), ("Berlin", "Munich", 504.4)],
)
def test_distances_are_chords_in_km(first: str, second: str, surface: float) -> None:
    chord = _apart(PLACE.vocabulary("city"), first, second)
    assert chord == pytest.approx(2 * RADIUS * math.sin(surface / (2 * RADIUS)), rel=0.01)
    assert chord <= 2 * RADIUS * math.asin(chord / (2 * RADIUS))


def test_every_point_lies_on_the_sphere() -> None:
    for grain in PLACE.grains[2:]:
        radius = RADIUS / AREA_SCALE if grain in AREAS else RADIUS
        assert np.allclose(np.linalg.norm(PLACE.vocabulary(grain).vectors, axis=1), radius)


def test_a_country_lies_at_its_capital_and_a_region_at_its_largest_city() -> None:
    capitals = {country.name: country.city.name for country in countries()}
    assert [capitals[name] for name in ("Brazil", "Iceland", "Turkey", "Australia")] == [
        "Brasília",
        "Reykjavík",
        "Ankara",
        "Canberra",
    ]
    assert {region.name: region.city.name for region in regions()}["Illinois"] == "Chicago"


def test_every_county_lies_at_a_town_of_its_country() -> None:
    towns = {county.name: (county.city.name, county.city.country) for county in counties()}
    assert towns["Kent"] == ("Maidstone", "GB")
    assert towns["County Cork"] == ("Cork", "IE")
    assert set(towns) == set(PLACE.vocabulary("county").tokens)
    assert len({county.city for county in counties()}) == len(towns)  # no two at one place


def test_every_name_with_an_article_is_a_value() -> None:
    assert {area.name for area in (*countries(), *regions())} >= EnglishPlaces(PHRASING).with_the


def test_the_domains_are_large_clean_and_disjoint() -> None:
    tokens = [token for grain in PLACE.grains for token in PLACE.vocabulary(grain).tokens]
    assert len(tokens) == len(set(tokens))
    assert len(PLACE.vocabulary("city")) > 20_000
    assert len(PLACE.vocabulary("country")) > 200
    assert len(set(PLACE.vocabulary("region").tokens) & {region.name for region in regions() if region.code}) > 60
    names = [token for token in tokens if not token.startswith("postcode ")]
    assert not [token for token in names if is_offensive(token) or not token[0].isupper()]
    cities = len(PLACE.vocabulary("city"))
    assert f"{cities:,} values (city)" in PLACE.vocabulary("city").provenance
    assert f"{cities:,} values (city)" not in Place(least=500_000).vocabulary("city").provenance


def test_fewer_cities_are_a_smaller_domain_that_is_read_as_it_is() -> None:
    large = Place(least=500_000)
    assert 500 < len(large.vocabulary("city")) < 2_000
    assert large.read("Oslo") is not None
    assert large.read("Swansea") is None
    assert PLACE.read("Swansea") is not None


def test_the_surrogate_is_a_value_and_an_unknown_domain_is_refused() -> None:
    assert PLACE.read(PLACE.write(*_parts(PLACE.surrogate))) == PLACE.surrogate
    for grain in PLACE.grains:
        assert PLACE.public_form(grain).grain == grain
    for call in (PLACE.vocabulary, PLACE.public_form):
        with pytest.raises(ConfigurationError, match="town"):
            call("town")


def _parts(reading: Reading) -> tuple[str, Form]:
    return reading.value, reading.form


def test_a_law_over_the_whole_list_is_certified() -> None:
    policy = Policy.load("clinical")
    rule = policy.treatment_of("PLACE")
    mechanism = treatment_of_kind(policy, "PLACE").routes["city-region"].mechanism
    assert len(mechanism.vocabulary) > 5_000
    assert 0.99 * rule.epsilon_per_unit < mechanism.certify().certified <= rule.epsilon_per_unit


@pytest.mark.parametrize(
    ("text", "value", "written"),
    [
        ("Deutschlands", "Frankreich", "Frankreichs"),
        ("Frankreichs", "Schweiz", "der Schweiz"),
        ("des Irak", "Jemen", "des Jemen"),
        ("Londons", "New York", "New Yorks"),
        ("Worms’", "Worms", "Worms’"),
        ("Berlins", "Paris", "Paris’"),
        ("Paris'", "Bonn", "Bonns"),
    ],
)
def test_a_german_place_has_a_genitive(text: str, value: str, written: str) -> None:
    kind = Place(language="de")
    reading, drawn = kind.read(text), kind.read(value)
    assert reading is not None
    assert drawn is not None
    form = Form(drawn.form.grain, reading.form.style)
    assert kind.write(drawn.value, form) == written
    assert kind.read(written) == Reading(drawn.value, form if written != "der Schweiz" else drawn.form)


def test_a_genitive_is_none_in_other_languages() -> None:
    assert Place(language="nl").read("Duitslands") is None
    assert not Place(language="de").recognises("Bonns")
