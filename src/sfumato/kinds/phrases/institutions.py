"""Names of institutions, made by rule: a kind of institution and the place where it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sfumato.kinds.gazetteer import names_of_cities, names_of_countries
from sfumato.language.lists import words_of

_NATIONAL = """Government of {}|Supreme Court of {}|Ministry of Justice of {}|Ministry of Health of {}
National Bank of {}|Parliament of {}|Embassy of {}|{} Red Cross|{} Railways|{} Airlines|{} Telecom
{} Academy of Sciences""".replace("\n", "|").split("|")
_LOCAL = """{} District Court|{} Regional Court|{} Court of Appeal|{} Prosecutor's Office|{} Bar Association
{} Police Department|{} Prison|{} City Council|University of {}|{} College|{} High School|{} Public Library
{} Museum|{} General Hospital|{} Medical Center|{} Health Clinic|Bank of {}|{} Savings Bank
{} Insurance Company|{} Ltd|{} Holdings plc|{} Software Inc.|{} Steel Works|{} Foods|{} Energy
{} Logistics|{} Pharmaceuticals|{} Chamber of Commerce|{} Workers' Union|{} Football Club|{} Times|{} Radio
Diocese of {}|{} Foundation|{} Housing Association|{} Transport Authority""".replace("\n", "|").split("|")
OF_PEOPLE = [
    "{} Infirmary",
    "{} Pharmacy",
    "{} Dental Practice",
    "{} Hospice",
    "{} Hotel",
    "{} Inn",
    "{} Arms",
    "{} Restaurant",
]
"""Where people go, beside what the built-in vocabulary lists."""
_WESTERN = words_of("US GB IE CA AU NZ DE FR NL BE ES PT IT SE NO DK FI PL CZ AT CH GR RO HU TR")
_COUNTRIES, _CITIES, _OF_A_COUNTRY = 100, 500, 50


def institutions(turns: int, further: Sequence[str] = ()) -> Iterator[str]:
    """Yield institutions by sector, each with its own run of places: courts, ministries, hospitals, firms, clubs.

    ``further`` holds more kinds of institution, each with a field for its place.
    """
    countries, cities = names_of_countries()[:_COUNTRIES], names_of_cities(frozenset(_WESTERN))[:_CITIES]
    for turn in range(turns):
        for number, form in enumerate(_NATIONAL):
            if turn < _OF_A_COUNTRY:
                yield form.format(countries[(turn + 17 * number) % len(countries)])
        for number, form in enumerate((*_LOCAL, *further)):
            yield form.format(cities[(turn + 61 * number) % len(cities)])
