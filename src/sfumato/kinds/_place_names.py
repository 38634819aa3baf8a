"""Names of places that no installed package lists: regions, usual short forms, and articles."""

from __future__ import annotations

REGIONS = {
    "GB": "ENG=England NIR=Northern_Ireland SCT=Scotland WLS=Wales",
    "CA": (
        "01=Alberta=AB 02=British_Columbia=BC 03=Manitoba=MB 04=New_Brunswick=NB 05=Newfoundland_and_Labrador=NL "
        "07=Nova_Scotia=NS 08=Ontario=ON 09=Prince_Edward_Island=PE 10=Quebec=QC 11=Saskatchewan=SK 12=Yukon=YT "
        "13=Northwest_Territories=NT"
    ),
    "AU": (
        "01=Australian_Capital_Territory=ACT 02=New_South_Wales=NSW 03=Northern_Territory=NT 04=Queensland=QLD "
        "05=South_Australia=SA 06=Tasmania=TAS 07=Victoria=VIC 08=Western_Australia=WA"
    ),
    "DE": (
        "01=Baden-Württemberg 02=Bavaria 05=Hesse 06=Lower_Saxony 07=North_Rhine-Westphalia 08=Rhineland-Palatinate "
        "09=Saarland 10=Schleswig-Holstein 11=Brandenburg 12=Mecklenburg-Vorpommern 13=Saxony 14=Saxony-Anhalt "
        "15=Thuringia"
    ),
}
"""Codes of geonames, names, and the short forms that addresses use, beside the states of the United States."""
OTHER_NAMES = {
    "US": "USA|US|U.S.|U.S.A.|United States of America|America",
    "GB": "UK|U.K.|Great Britain|Britain",
    "AE": "UAE",
    "CD": "DR Congo|Congo-Kinshasa",
    "CG": "Congo|Congo-Brazzaville",
    "CI": "Côte d'Ivoire",
    "CV": "Cape Verde",
    "CZ": "Czech Republic",
    "IE": "Republic of Ireland|Éire",
    "KR": "Republic of Korea|Korea",
    "MK": "Macedonia",
    "MM": "Burma",
    "NL": "Holland",
    "PS": "Palestine",
    "RU": "Russian Federation",
    "SZ": "Swaziland",
    "TL": "East Timor|Timor-Leste",
    "TR": "Türkiye",
    "VA": "Vatican City|Holy See",
}
"""Names and short forms of countries, by two-letter code, that pycountry does not list."""
ARTICLE = frozenset(
    """Bahamas|British Virgin Islands|Cayman Islands|Central African Republic|Comoros|Cook Islands
Democratic Republic of the Congo|Dominican Republic|Falkland Islands|Faroe Islands|Gambia|Isle of Man|Maldives
Marshall Islands|Netherlands|Northern Mariana Islands|Philippines|Republic of the Congo|Seychelles|Solomon Islands
Turks and Caicos Islands|U.S. Virgin Islands|United Arab Emirates|United Kingdom|United States|Vatican
Northern Territory|Northwest Territories|Australian Capital Territory|District of Columbia""".replace(
        "\n", "|"
    ).split("|")
)
"""Countries and regions that are written with "the" in a sentence."""
CITIES_FIRST = frozenset({"New York"})
"""Names of regions that mean a city in most texts, although geonames gives the city a longer name."""
