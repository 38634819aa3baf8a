"""An address has one town, with its own street, postcode and country, and institutions are local."""

from __future__ import annotations

import re

import pytest

from sfumato.abstract.kind import Form
from sfumato.engines.held_places import HeldPlaces
from sfumato.kinds.phrases.organization import Organization
from sfumato.kinds.places.place import Place
from sfumato.text.document import Release

PLACES = Place()
HELD = HeldPlaces(PLACES, Organization())


def place(text: str) -> tuple[str, str]:
    return text, "PLACE"


def institution(text: str) -> tuple[str, str]:
    return text, "ORGANIZATION"


def release(*parts: str | tuple[str, str]) -> Release:
    """Return a release of text between marks, and of outputs, each with its kind."""
    texts, labels = [""], []
    for part in parts:
        if isinstance(part, tuple):
            texts += [part[0], ""]
            labels.append(part[1])
        else:
            texts[-1] += part
    return Release.joined("1", texts, labels, 0)


def held(*parts: str | tuple[str, str], by: HeldPlaces = HELD) -> str:
    [made] = by.held([release(*parts)])
    return made.text


STREET, CODE = place("12 Chapel Road"), place("76710")


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((STREET, ", ", place("York"), " ", CODE), r"\d+ \w+ \w+, York YO\d+ \d\w\w"),
        ((STREET, "\n", place("York"), "\n", CODE), r"\d+ \w+ \w+\nYork\nYO\d+ \d\w\w"),
        ((STREET, ", ", CODE, " ", place("Köln"), ", ", place("Chad")), r"\w+ \d+, \d{5} Köln, Germany"),
        ((STREET, ", ", place("Austin"), ", ", place("NV"), " ", CODE), r"\d+ \w+ \w+, Austin, TX 7[5-9]\d{3}"),
        ((STREET, ", ", place("Leeds YO1 7AA")), r"\d+ \w+ \w+, Leeds YO1 7AA"),
        ((STREET, ", ", CODE, " ", place("York")), r"\d+ \w+ \w+, York YO\d+ \d\w\w"),
        ((STREET, ", ", place("Köln"), " ", CODE), r"\w+ \d+, \d{5} Köln"),
        ((STREET, "\n", place("Köln"), "\n", CODE), r"\w+ \d+\nKöln\n\d{5}"),
        ((STREET, ", ", place("Toulouse")), r"\d+ (?:rue|avenue) .+, Toulouse"),
        ((place("Chapel Road"), ", ", place("York")), r"[A-Z]\w+ [A-Z]\w+, York"),
        ((place("Perth"), ", ", place("Bavaria")), "Perth, Western Australia"),
        ((place("Dundee"), ", ", place("Bavaria")), "Dundee, Scotland"),
        ((place("Norwich"), ", ", place("Kent"), ", ", place("Chad")), "Norwich, Norfolk, the United Kingdom"),
        ((STREET, ", ", place("Lyon"), ", ", place("York"), " ", CODE), r"\d+ \w+ \w+, [A-Z]\w+, York YO\d+ \d\w\w"),
    ],
)
def test_an_address_is_that_of_its_town(parts: tuple[str | tuple[str, str], ...], expected: str) -> None:
    made = held("At ", *parts, ".")
    assert re.fullmatch(f"At {expected}\\.", made), made
    assert "Chapel Road" not in made


def test_three_addresses_of_three_countries_are_three() -> None:
    made = held(
        *("From ", STREET, ", ", place("York"), " ", CODE, " to ", STREET, ", ", CODE, " ", place("Köln"), ", "),
        *(place("Chad"), ", then ", STREET, ", ", place("Austin"), ", ", place("NV"), " ", CODE),
    )
    assert re.fullmatch(
        r"From \d+ \w+ \w+, York YO\d+ \d\w\w to \w+ \d+, \d{5} Köln, Germany, then \d+ \w+ \w+, Austin, TX 7\d{4}",
        made,
    )


def test_nothing_else_changes() -> None:
    for parts in (
        ("in ", place("York"), ", ", place("Leeds"), " and ", place("Hull")),
        ("in ", place("Chad"), " and ", place("Norway")),
        ("at ", STREET, " near ", place("York")),
        ("at ", STREET, ", ", ("[PLACE]", "PLACE")),
        ("code ", CODE, "."),
        ("from ", place("York"), " to ", place("Norway")),
        (STREET,),
        ("no marks",),
    ):
        assert held(*parts) == release(*parts).text


def test_the_same_value_elsewhere_is_written_alike() -> None:
    made = held("At ", STREET, ", ", place("York"), ". He left ", STREET, " for ", place("York"), ".")
    match = re.fullmatch(r"At (.+), York\. He left (.+) for York\.", made)
    assert match is not None
    assert match[1] == match[2] == PLACES.street_of("York", Form("city", ("listed", "{house} {street}, {town}")))


def test_small_letters_stay_small() -> None:
    assert held(place("12 chapel road"), ", ", place("york")).islower()


def test_it_depends_on_the_drawn_town_alone() -> None:
    """Whatever was drawn for the street, the code and the country, the address of a town is one."""
    made = {
        held(street, ", ", place("York"), " ", code, ", ", country)
        for street in (STREET, place("3 Mill Lane"))
        for code in (CODE, place("L8 8RH"))
        for country in (place("Chad"), place("Norway"))
    }
    assert len(made) == 1


def test_an_institution_is_of_the_nearest_drawn_town() -> None:
    made = held(
        *("Seen at ", institution("Oslo Infirmary"), " in ", place("York"), " and after a year at the "),
        *(institution("University of Paris"), " in ", place("Bergen"), "; the ", institution("Oslo Infirmary")),
    )
    assert made == (
        "Seen at York Infirmary in York and after a year at the University of Bergen in Bergen; the York Infirmary"
    )


def test_two_institutions_stay_two_and_a_national_one_stays() -> None:
    parts = (institution("Oslo Infirmary"), ", ", institution("Madrid Infirmary"), ", ", place("York"))
    assert held(*parts) == "York Infirmary, Madrid Infirmary, York"
    for own in ("Supreme Court of Norway", "Acme Widgets", "[ORGANIZATION]"):
        assert held(institution(own), " in ", place("York")) == f"{own} in York"
    assert held(*parts, by=HeldPlaces(PLACES, None)) == release(*parts).text
    assert held(institution("Oslo Infirmary"), " of ", place("Norway")) == "Oslo Infirmary of Norway"


def test_an_article_and_a_possessive_stay() -> None:
    assert (
        held("at ", institution("the Oslo Infirmary's"), " in ", place("York")) == "at the York Infirmary's in York"
    )


def test_names_have_the_article_of_the_drawn_name() -> None:
    assert (
        held("from the ", place("Spain"), " to ", place("the Netherlands"), ".") == "from Spain to the Netherlands."
    )
    assert held("at an ", institution("Oslo Infirmary"), ".") == "at the Oslo Infirmary."
    assert held("the ", institution("Oslo Foods"), " and the ", institution("Oslo Infirmary")) == (
        "Oslo Foods and the Oslo Infirmary"
    )
    assert held("the ", place("Leeds"), " ", ("nurse", "OCCUPATION"), ".") == "the Leeds nurse."
