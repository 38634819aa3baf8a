"""People of a public table who share what is shown of a person: counted by hand, and never too many of them."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sfumato.attacks.population import FEW, ListedPlaces, Shown
from sfumato.attacks.population_files import LISTED, population_of, read_population
from sfumato.attacks.population_values import ages_of, value_of
from sfumato.errors import InputError
from sfumato.kinds.places.populated import located, people_in

TABLE = """age_low,age_high,sex,place,occupation,count
0,49,male,Leeds,nurse,100
50,69,Male,Leeds,nurse,40
50,69,f,Leeds,nurse,200
50,69,m,Gothenburg,tram driver,60
70,,female,Gothenburg,tram driver,3
"""


def table(tmp_path: Path, content: str = TABLE, name: str = "people.csv") -> Path:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ({}, 403.0),
        ({"place": ["leeds"]}, 340.0),
        ({"place": ["england"]}, 340.0),  # Leeds lies in it
        ({"place": ["europe"], "sex": ["female"]}, 203.0),
        ({"age": [(60, 60)], "place": ["leeds"]}, 12.0),  # a twentieth of both sexes of 50 to 69
        ({"age": [(40, 59)], "sex": ["male"], "place": ["leeds"]}, 100 * 10 / 50 + 40 * 10 / 20),
        ({"age": [(50, 69)], "occupation": ["tram driver"]}, 60.0),
        ({"place": ["leeds", "gothenburg"]}, 63.0),  # the least of both, not their sum
        ({"place": ["leeds", "gothenburg"], "sex": ["female"]}, 3.0),
        ({"belief": ["quaker"], "sex": ["female"]}, 203.0),  # the table has no such column
    ],
)
def test_people_are_counted_as_by_hand(shown: Shown, expected: float, tmp_path: Path) -> None:
    matches = read_population(table(tmp_path)).matches(shown)
    assert matches.expected == pytest.approx(expected)
    assert not matches.absent


@pytest.mark.parametrize(
    "shown",
    [
        {"place": ["bristol"]},
        {"place": [None]},
        {"place": ["leeds", None]},  # one that is known does not hide one that is not
        {"place": ["leeds", "tinyville"]},
        {"place": ["14 windsor road, leeds"]},  # finer than the table
        {"age": [None]},
        {"sex": ["other"]},
        {"occupation": ["judge"]},
        {"sex": ["male"], "age": [(80, 80)]},  # each is there, together they are not
    ],
)
def test_what_is_not_in_the_table_hides_nobody(shown: Shown, tmp_path: Path) -> None:
    matches = read_population(table(tmp_path)).matches(shown)
    assert (matches.expected, matches.absent) == (0.0, True)


def test_many_values_leave_no_more_people_than_any_of_their_ways(tmp_path: Path) -> None:
    rows = "".join(f"{age},{sex},Leeds,{job},{age + 1}\n" for age in range(60) for sex in "mf" for job in "abcdefgh")
    population = read_population(table(tmp_path, f"age,sex,place,occupation,count\n{rows}"))
    shown: Shown = {
        "age": [(age, age + 20) for age in range(30)], "sex": ["male", "female"], "occupation": list("abcdefgh") * 9,
    }  # fmt: skip
    few: Shown = {"age": shown["age"], "sex": ["male"], "occupation": ["a"]}
    assert population.matches(few).expected == sum(range(1, 22))
    many: Shown = {**shown, "occupation": list("abcdefgh"), "age": [(age, age + 20) for age in range(160)]}
    assert population.matches({**many, "age": list(many["age"])[:30]}).expected == sum(range(1, 22))
    assert population.matches(many).expected == 0.0


def test_cells_of_few_people_are_told(tmp_path: Path) -> None:
    population = read_population(table(tmp_path))
    assert (population.cells, population.people, population.thin_cells) == (5, 403.0, 1)
    assert population.matches({"sex": ["female"]}).thin
    assert not population.matches({"sex": ["female"], "place": ["leeds"]}).thin
    assert FEW == 5


def test_a_parquet_file_is_the_same_table(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    columns = {"Age": [30, 60], "Place": ["Leeds", "Leeds"], "Count": [7, 9]}
    pq.write_table(pa.table(columns), path)
    assert read_population(path).matches({"age": [(60, 60)], "place": ["leeds"]}).expected == 9.0


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("age,sex,count\n3,f,4\n", "no column 'place'"),
        ("age,place\n3,Leeds\n", "no column 'count'"),
        ("age,place,count\n3,Leeds,many\n", "row 1: a count"),
        ("age,place,count\n3,Leeds,-4\n", "row 1: a count"),
        ("age,place,count\n3,Leeds,0\n", "counts nobody"),
        ("age,place,count\n3,Leeds,1\nold,Leeds,1\n", "row 2: the column 'age'"),
        ("sex,place,count\nf,Leeds,1\nTotal,Leeds,2\n", "row 2: the column 'sex' holds a sum"),
        ("age,place,count\n0-9,Leeds,1\n10-19,Leeds,1\n5-12,leeds,1\n", "rows 1 and 3: both count the same"),
        ("sex,place,count\nf,Leeds,1\nfemale,LEEDS,1\n", "rows 1 and 2: both count the same"),
        ("place,count\nUnited Kingdom,9\nFrance,2\nLeeds,1\n", "rows 1 and 3: one place is, or lies inside"),
        ("place,count\nUK,9\nUnited Kingdom,1\n", "rows 1 and 2: one place is, or lies inside"),
        ("age,age_low,age_high,place,count\n1,1,1,Leeds,1\n", "ages are one column"),
        ("age_low,place,count\n1,Leeds,1\n", "ages are one column"),
        ("place,place,count\nLeeds,Leeds,1\n", "two columns of one name"),
        ("place,count\n", "no rows"),
        ("", "no table"),
        ("place,count\nLeeds\n", "no table"),
    ],
)
def test_a_table_that_counts_wrongly_is_refused(content: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=says):
        read_population(table(tmp_path, content))


def test_listed_places_have_the_people_of_the_least_place() -> None:
    population = population_of(LISTED)
    leeds = located("leeds")
    assert leeds is not None
    people = people_in()[leeds]
    assert population.matches({"place": ["leeds"]}).expected == people
    assert population.matches({"place": ["england", "leeds", "united kingdom"]}).expected == people
    assert population.matches({"age": [(3, 3)]}) == (population.people, False, False)
    assert population.matches({"place": ["tinyville", "leeds"]}).absent
    assert population.matches({"place": ["14 windsor road, leeds"]}).absent
    assert isinstance(population, ListedPlaces)
    assert population.attributes == ("place",)
    assert population.cells > 30_000


def test_an_area_never_has_more_people_than_its_country() -> None:
    people = people_in()
    for place, count in people.items():
        if place.region and not place.city:
            assert count <= max(people[place._replace(region="")], count if place.country in ("SG", "MO") else 0)


@pytest.mark.parametrize(
    ("written", "ages"),
    [
        ("34", (34, 34)), ("34.0", (34, 34)), ("0", (0, 0)), ("30-39", (30, 39)), ("5 to 9", (5, 9)),
        ("aged 30-39", (30, 39)), ("85+", (85, 110)), ("90 or older", (90, 110)), ("over 85", (85, 110)),
        ("under 5", (0, 4)), ("67-year-old", (67, 67)), ("in his 60s", (60, 69)), ("18 months old", (1, 1)),
        ("54F", (54, 54)), ("3 weeks old", (0, 0)), ("200", None), ("39-30", None), ("elderly", None),
    ],
)  # fmt: skip
def test_ages_are_read(written: str, ages: tuple[int, int] | None) -> None:
    assert ages_of(written) == ages
    assert value_of("age", written) == ages


def test_spellings_of_a_value_are_one() -> None:
    assert value_of("sex", " Women ") == value_of("sex", "F") == "female"
    assert value_of("occupation", "Tram  Driver") == value_of("occupation", "tram driver")
    assert value_of("place", "Göteborg") == value_of("place", "GOTEBORG")
    assert value_of("birth_year", "3 May 1950") == "1950"
    assert value_of("place", "  ") is None
