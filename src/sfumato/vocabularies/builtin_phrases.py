"""The phrases of the built-in families: public lists and fixed rules, in a fixed order, no random draw.

Persons are first and last names joined by rule, and institutions are kinds of institution joined to places, so no
entry was copied from a record of a person. A joined name can still belong to a person by coincidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice, zip_longest

from sfumato.kinds.gazetteer import names_of_cities, names_of_countries, names_of_states
from sfumato.kinds.person_names import LOCALES, names_of


def _listed(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_WORD = re.compile(r"a|i|[^\W\d_]{2,}(?:'[^\W\d_]+)?")


def words() -> Iterator[str]:
    """Yield whole numbers and years, then English words from the most common on, in lower case.

    wordfreq lists the words; "don't" is one word. Numbers are included because a text that is replaced word by word
    holds them too.
    """
    import wordfreq

    yield from map(str, chain(range(1000), range(1900, 2040)))
    yield from filter(_WORD.fullmatch, wordfreq.iter_wordlist("en", wordlist="large"))


def places() -> Iterator[str]:
    """Yield countries, US states, then cities by population."""
    yield from names_of_countries()
    yield from names_of_states()
    yield from names_of_cities()


_NATIONAL = """Government of {}|Supreme Court of {}|Ministry of Justice of {}|Ministry of Health of {}
National Bank of {}|Parliament of {}|Embassy of {}|{} Red Cross|{} Railways|{} Airlines|{} Telecom
{} Academy of Sciences""".replace("\n", "|").split("|")
_LOCAL = """{} District Court|{} Regional Court|{} Court of Appeal|{} Prosecutor's Office|{} Bar Association
{} Police Department|{} Prison|{} City Council|University of {}|{} College|{} High School|{} Public Library
{} Museum|{} General Hospital|{} Medical Center|{} Health Clinic|Bank of {}|{} Savings Bank
{} Insurance Company|{} Ltd|{} Holdings plc|{} Software Inc.|{} Steel Works|{} Foods|{} Energy
{} Logistics|{} Pharmaceuticals|{} Chamber of Commerce|{} Workers' Union|{} Football Club|{} Times|{} Radio
Diocese of {}|{} Foundation|{} Housing Association|{} Transport Authority""".replace("\n", "|").split("|")
_WESTERN = _listed("US GB IE CA AU NZ DE FR NL BE ES PT IT SE NO DK FI PL CZ AT CH GR RO HU TR")


def organisations() -> Iterator[str]:
    """Yield kinds of institution, each with its own run of places: courts, ministries, hospitals, firms, clubs."""
    countries, cities = names_of_countries()[:100], names_of_cities(frozenset(_WESTERN))[:500]
    for turn in range(60):
        for number, form in enumerate(_NATIONAL):
            if turn < 50:
                yield form.format(countries[(turn + 17 * number) % len(countries)])
        for number, form in enumerate(_LOCAL):
            yield form.format(cities[(turn + 61 * number) % len(cities)])


def persons() -> Iterator[str]:
    """Yield full names, locale by locale in turn, with a first or a last name alone after every eight."""
    columns = []
    for first, last in map(names_of, LOCALES):
        full = [f"{name} {last[number % len(last)]}" for number, name in enumerate(first)]
        alone = [name for pair in zip(reversed(first), reversed(last), strict=False) for name in pair]
        columns.append(_interleaved(full, alone, every=8))
    for row in zip_longest(*columns):
        yield from filter(None, row)


def _interleaved(many: Sequence[str], few: Sequence[str], every: int) -> Iterator[str]:
    rest = iter(few)
    for number, item in enumerate(many, 1):
        yield item
        if number % every == 0:
            yield from islice(rest, 1)


_RELIGIONS = _listed(
    """
    Christian Catholic Protestant Orthodox Anglican Lutheran Methodist Baptist Presbyterian Pentecostal
    Evangelical Mormon Quaker Calvinist Muslim Sunni Shia Sufi Ahmadi Alevi Jewish Hindu Sikh Buddhist
    Jain Taoist Confucian Shinto Zoroastrian Yazidi Druze Bahai Rastafarian Pagan Atheist Agnostic
    Secular
    """
)
_PEOPLES = _listed(
    """
    European African Asian American Arab Hispanic Latino Caribbean Scandinavian Slavic Baltic Balkan
    Nordic Mediterranean Kurdish Roma Basque Catalan Flemish Scottish Welsh English Breton Sami Inuit
    Maori Tatar Chechen Berber Bedouin Pashtun Punjabi Bengali Tamil Tibetan Uyghur Hmong Yoruba Igbo
    Hausa Zulu Xhosa Somali Republican Democrat Liberal Conservative Socialist Communist Green
    Nationalist Royalist Anarchist
    """
)
_NATIONS = _listed(
    """
    Afghan Albanian Algerian Andorran Angolan Argentine Armenian Australian Austrian Azerbaijani
    Bahamian Bahraini Bangladeshi Barbadian Belarusian Belgian Belizean Beninese Bhutanese Bolivian
    Bosnian Brazilian British Bruneian Bulgarian Burmese Burundian Cambodian Cameroonian Canadian
    Chadian Chilean Chinese Colombian Comorian Congolese Croatian Cuban Cypriot Czech Danish Dominican
    Dutch Ecuadorian Egyptian Eritrean Estonian Ethiopian Fijian Filipino Finnish French Gabonese
    Gambian Georgian German Ghanaian Greek Grenadian Guatemalan Guinean Guyanese Haitian Honduran
    Hungarian Icelandic Indian Indonesian Iranian Iraqi Irish Israeli Italian Ivorian Jamaican Japanese
    Jordanian Kazakh Kenyan Kosovar Kuwaiti Kyrgyz Laotian Latvian Lebanese Liberian Libyan Lithuanian
    Luxembourgish Macedonian Malagasy Malawian Malaysian Maldivian Malian Maltese Mauritanian Mauritian
    Mexican Moldovan Mongolian Montenegrin Moroccan Mozambican Namibian Nepalese Nicaraguan Nigerian
    Norwegian Omani Pakistani Palestinian Panamanian Paraguayan Peruvian Polish Portuguese Qatari
    Romanian Russian Rwandan Salvadoran Samoan Saudi Senegalese Serbian Singaporean Slovak Slovenian
    Sudanese Surinamese Swedish Swiss Syrian Taiwanese Tajik Tanzanian Thai Togolese Tongan Trinidadian
    Tunisian Turkish Turkmen Ugandan Ukrainian Uruguayan Uzbek Venezuelan Vietnamese Yemeni Zambian
    Zimbabwean
    """
)


def groups() -> Iterator[str]:
    """Yield nationalities, religions, peoples and convictions, their plurals, and the languages of pycountry."""
    import pycountry

    yield from chain(_NATIONS, _RELIGIONS, _PEOPLES)
    listed = [language for language in pycountry.languages if hasattr(language, "alpha_2")]
    yield from sorted(re.sub(r" \(.*", "", language.name) for language in listed if language.type == "L")
    named = (*_NATIONS, *_RELIGIONS, *_PEOPLES)
    yield from (f"{name}s" for name in named if name.endswith(("an", "i", "ist")))
