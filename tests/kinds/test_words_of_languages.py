"""Names, places and phrases in each language that has lists of its own: reading and writing, sizes, genders."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kind_contract import ODD
from sfumato.abstract.kind import Form, Kind, Reading
from sfumato.errors import ConfigurationError
from sfumato.kinds.people.layouts import (
    CAPITALS,
    FAMILIES,
    FAMILY,
    FULL,
    GIVEN,
    INITIALS,
    SHORT,
    SHORT_BARE,
    TURNED,
    TURNED_BARE,
    TURNED_CAPITALS,
    TURNED_SHORT,
    Style,
    last_names_in,
    split_name,
)
from sfumato.kinds.people.person import Person
from sfumato.kinds.phrases.embedded import Numbered
from sfumato.kinds.phrases.group import Group
from sfumato.kinds.phrases.institutions import genders, local_parts, named
from sfumato.kinds.phrases.occupation import Occupation
from sfumato.kinds.phrases.organization import Organization
from sfumato.kinds.phrases.phrase import Phrase
from sfumato.kinds.places.gazetteer import city_name, every_exonym, key, known_as, regions, renamed_cities
from sfumato.kinds.places.listed import places_by_key
from sfumato.kinds.places.place import Place
from sfumato.kinds.registry import kinds_of
from sfumato.language.languages import LANGUAGES, language_of
from sfumato.language.letter_case import bare, case_key
from sfumato.language.lists import has_lists
from sfumato.language.phrasing import Articled

LISTED = [code for code in LANGUAGES if code != "en" and has_lists(code, "names")]
PHRASES: Sequence[type[Phrase]] = (Organization, Occupation, Group)
LAYOUTS = (
    *(FULL, GIVEN, FAMILY, TURNED, CAPITALS, TURNED_CAPITALS, SHORT, SHORT_BARE, TURNED_SHORT, TURNED_BARE),
    *(INITIALS, FAMILIES),
)


def phrases(code: str) -> Iterator[Phrase]:
    for kind in PHRASES:
        yield kind(language=code)
    yield Organization(language=code, sectors="apart")


def read(kind: Kind, text: str) -> Reading:
    reading = kind.read(text)
    assert reading is not None, text
    return reading


def check(kind: Kind, value: str, form: Form) -> None:
    assert kind.read(kind.write(value, form)) == Reading(value, form), kind.write(value, form)


@pytest.mark.parametrize("code", LISTED)
def test_names_are_many_and_can_be_told_apart(code: str) -> None:
    person = Person(language=code)
    names = person.listed("person").tokens
    assert len(names) >= 20_000
    assert person.surrogate.value == names[0]
    for grain in ("woman", "man"):
        assert len(person.listed(grain).tokens) >= 4_000
    for name in names:
        check(person, name, person.public_form("person"))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("code", LISTED)
def test_a_name_is_read_as_it_was_written(code: str, layout: str) -> None:
    person, naming = Person(language=code), language_of(code).naming
    if layout == FAMILIES and naming.surnames == 1:
        return
    cases = ("listed",) if layout in (CAPITALS, TURNED_CAPITALS, INITIALS) else ("listed", "upper", "lower")
    for value in person.listed("person").tokens[::23]:
        for case in cases:
            form = Form("person", Style("", layout, case))
            reading = read(person, person.write(value, form))
            assert reading.form == form, (value, case)
            assert person.same_person(reading.value, value) or layout == INITIALS


@pytest.mark.parametrize("code", ["de", "nl"])
def test_an_apostrophe_before_the_genitive_s_tells_no_name_from_one_that_ends_in_s(code: str) -> None:
    person = Person(language=code)
    for value in person.listed("person").tokens[::97]:
        ending = "'" if value[-1] in "sßxz" else "'s"
        assert read(person, value + ending) == Reading(value, Form("person", Style("", FULL, possessive="s")))


@pytest.mark.parametrize("code", LISTED)
def test_a_possessive_is_read_as_it_was_written(code: str) -> None:
    person, possessive = Person(language=code), language_of(code).naming.possessive
    cuts = [possessive.cut(text, {"Anna"}.__contains__)[1] for text in ("Annas", "Anna's")]
    for ending in filter(None, cuts):
        for value in person.listed("person").tokens[::23]:
            for layout in (FULL, GIVEN, FAMILY):
                form = Form("person", Style("", layout, "listed", "", ending))
                assert read(person, person.write(value, form)).form == form, value


@pytest.mark.parametrize("code", LISTED)
def test_names_have_as_many_last_names_as_the_language_has(code: str) -> None:
    person, naming = Person(language=code), language_of(code).naming
    for value in person.listed("person").tokens[::101]:
        given_name, family = split_name(value, code)
        assert given_name
        assert naming.surnames == 1 or len(last_names_in(family, naming)) == naming.surnames, value


@pytest.mark.parametrize("code", LISTED)
def test_titles_say_who_is_meant(code: str) -> None:
    person, titles = Person(language=code), language_of(code).titles
    family = " ".join(split_name(person.surrogate.value, code)[1])
    assert titles.women
    assert titles.men
    for gender, listed in (("woman", titles.women), ("man", titles.men)):
        for title in listed & set(titles.read) - titles.given:
            reading = read(person, f"{title.capitalize()} {family}")
            assert (reading.form.grain, reading.value) == (gender, family), title


@pytest.mark.parametrize("code", LISTED)
def test_names_without_composed_letters_are_the_same_names(code: str) -> None:
    person = Person(language=code)
    for value in person.listed("person").tokens[::301]:
        assert person.read(unicodedata.normalize("NFD", value)) == person.read(value)


@pytest.mark.parametrize("code", LISTED)
def test_phrases_are_read_as_they_were_written(code: str) -> None:
    for kind in phrases(code):
        for grain in kind.grains:
            for value in kind.listed(grain).tokens:
                check(kind, value, kind.public_form(grain))


@pytest.mark.parametrize("code", LISTED)
def test_an_article_is_held_by_its_use_and_follows_the_phrase(code: str) -> None:
    phrasing = language_of(code).phrasing
    assert isinstance(phrasing, Articled)
    assert {"the", "a"} <= set(phrasing.forms)
    for kind in (Organization(language=code), Occupation(language=code), Group(language=code)):
        for grain in kind.grains:
            if grain in ("adjective", "language"):
                continue
            public = kind.public_form(grain)
            for use in phrasing.forms:
                for value in kind.listed(grain).tokens[::17]:
                    form = Form(grain, (use, *public.style[1:]))
                    assert kind.write(value, form) != value
                    check(kind, value, form)


@pytest.mark.parametrize("code", LISTED)
def test_the_domains_are_large(code: str) -> None:
    least = {"organization": 3_000, "occupation": 150, "nationality": 70, "belief": 30, "language": 80}
    kinds = [kind(language=code) for kind in PHRASES]
    sizes = {grain: len(kind.listed(grain).tokens) for kind in kinds for grain in kind.grains}
    assert {grain: sizes[grain] >= size for grain, size in least.items()} == dict.fromkeys(least, True), sizes
    assert len(Place(language=code).vocabulary("street").tokens) >= 200


@pytest.mark.parametrize("code", LISTED)
def test_every_sector_has_institutions_and_every_institution_a_gender(code: str) -> None:
    kind = Organization(language=code, sectors="apart")
    assert set(kind.grains) == set(Organization(sectors="apart").grains)
    for grain in kind.grains:
        assert len(kind.listed(grain).tokens) >= 100, grain
    phrasing = language_of(code).phrasing
    assert isinstance(phrasing, Articled)
    for name in Organization(language=code).listed("organization").tokens:
        assert genders(code)[name] in phrasing.forms["the"], name


@pytest.mark.parametrize("code", LISTED)
def test_a_language_tells_the_gender_of_an_institution_by_its_form(code: str) -> None:
    own = language_of(code).institutions
    wrong = [name for name, gender in list(genders(code).items())[::13] if own.gender_of(name) != gender]
    assert not wrong


@pytest.mark.parametrize("code", LISTED)
def test_an_institution_moves_to_another_town(code: str) -> None:
    kind = Organization(language=code)
    for name in kind.listed("organization").tokens[::97]:
        local = local_parts(name, code)
        if local is not None:
            assert named(local.form, local.town, code) == name


@pytest.mark.parametrize("code", LISTED)
def test_capitals_may_lack_accents(code: str) -> None:
    for kind in (Occupation(language=code), Group(language=code)):
        for grain in kind.grains:
            for value in kind.listed(grain).tokens:
                reading = read(kind, bare(value.upper()))
                assert bare(case_key(reading.value)) == bare(case_key(value)), value


@pytest.mark.parametrize("code", LISTED)
@pytest.mark.parametrize("grain", Place().grains)
def test_places_are_read_as_they_were_written(code: str, grain: str) -> None:
    place = Place(language=code)
    tokens = place.vocabulary(grain).tokens
    for value in tokens if len(tokens) < 1_000 else tokens[::11]:
        check(place, value, place.public_form(grain))


@pytest.mark.parametrize("layout", ["{street}, {town}", "{house} {street}, {town} {postcode}", "{town} {postcode}"])
@pytest.mark.parametrize("code", LISTED)
def test_addresses_are_read_as_they_were_written(code: str, layout: str) -> None:
    place = Place(language=code)
    for value in place.vocabulary("city").tokens[::211]:
        check(place, value, Form("city", ("listed", layout)))


@pytest.mark.parametrize("code", LISTED)
def test_own_names_of_places_are_those_of_listed_places(code: str) -> None:
    words = language_of(code).places
    assert not [name for name in words.exonyms if known_as(name) is None]
    assert set(words.regions) <= {region.name for region in regions()}


@pytest.mark.parametrize("code", LISTED)
def test_any_name_of_a_city_is_read_and_that_of_the_language_is_written(code: str) -> None:
    place = Place(language=code)
    listed = places_by_key(place.least, code)
    meant: dict[str, set[str]] = {}  # "Friburgo" is Fribourg in one language, and Freiburg in another
    for own, exonym in every_exonym():
        meant.setdefault(key(exonym), set()).add(own.name)
    for other in LISTED:
        for name, exonym in language_of(other).places.exonyms.items():
            city = known_as(name)
            written = "" if city is None else city_name(city, code)
            is_listed = city is not None and listed.get(key(written), ("", "", None))[2] is city
            for text in (city.name, exonym) if city and is_listed else ():
                if (
                    listed.get(key(text), ("", written, city))[1] == written and len(meant.get(key(text), ())) < 2
                ):  # no other place has this name here
                    reading = read(place, text)
                    assert reading.value == written or reading.form.grain != "city", text


@pytest.mark.parametrize("code", LISTED)
def test_the_name_that_geonames_gives_a_renamed_city_means_no_smaller_one(code: str) -> None:
    place = Place(language=code)
    large = [city for city in renamed_cities(code).values() if city.people >= 600_000]
    assert large
    for city in large:
        reading = read(place, city.name)
        assert reading.form.grain != "city" or reading.value == city_name(city, code), city.name


@pytest.mark.parametrize("code", LISTED)
def test_distances_are_those_of_the_places_whatever_they_are_called(code: str) -> None:
    there, here = Place(language=code), Place()
    shared = [name for name in ("Oslo", "Porto", "Stuttgart") if name in there.vocabulary("city").tokens]
    assert len(shared) > 1
    assert np.allclose(*([_vector(kind, name) for name in shared] for kind in (there, here)))


def _vector(kind: Place, name: str) -> list[float]:
    vocabulary = kind.vocabulary("city")
    return list(vocabulary.vectors[vocabulary.tokens.index(name)])


@pytest.mark.parametrize("code", LISTED)
@pytest.mark.parametrize("kind", ["WORD", "HEALTH"])
def test_kinds_whose_lists_are_english_say_so(code: str, kind: str) -> None:
    made = kinds_of(Numbered(), language=code)[kind]
    if kind == "HEALTH" and has_lists(code, "health"):
        return
    assert made.read("Etwas") is not None
    with pytest.raises(ConfigurationError, match="no public values in this language"):
        made.vocabulary(made.grains[0])


@pytest.mark.parametrize("code", LISTED)
@settings(max_examples=60)
@given(text=st.text(max_size=60))
def test_no_text_raises(code: str, text: str) -> None:
    kinds = kinds_of(language=code)
    for name in ("PERSON", "PLACE", "ORGANIZATION", "OCCUPATION", "GROUP", "HEALTH", "WORD"):
        kinds[name].read(text)


@pytest.mark.parametrize("code", LISTED)
def test_odd_and_long_texts_are_read_in_a_moment(code: str) -> None:
    kinds = kinds_of(language=code)
    start = time.perf_counter()
    for name in ("PERSON", "PLACE", "ORGANIZATION", "OCCUPATION", "GROUP", "HEALTH", "WORD"):
        for text in (*ODD, "d' " * 60, "von der " * 24, "1, " * 60, "a|b", "{}", "{street}, {town}"):
            kinds[name].read(text)
    assert time.perf_counter() - start < 5.0


@pytest.mark.parametrize(
    ("code", "text", "value"),
    [
        ("pt", "Rua Sol, S/N, 1200-100 Faro", "Faro"),
        ("es", "Avenida Olmo 206 Interior 280, Puebla", "Puebla"),
        ("es", "Prolongación Olmo 501 099", "Calle Mayor"),
    ],
)
def test_the_number_of_a_house_has_a_unit_behind_it_or_is_none(code: str, text: str, value: str) -> None:
    reading = kinds_of(language=code)["PLACE"].read(text)
    assert (reading and reading.value) == value
