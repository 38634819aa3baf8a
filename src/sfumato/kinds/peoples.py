"""Nationalities, religions, peoples and convictions, as adjectives or nouns with a capital."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sfumato.language.lists import words_of

RELIGIONS = words_of(
    """
    Christian Catholic Protestant Orthodox Anglican Lutheran Methodist Baptist Presbyterian Pentecostal
    Evangelical Mormon Quaker Calvinist Muslim Sunni Shia Sufi Ahmadi Alevi Jewish Hindu Sikh Buddhist
    Jain Taoist Confucian Shinto Zoroastrian Yazidi Druze Bahai Rastafarian Pagan Atheist Agnostic
    Secular
    """
)
PEOPLES = words_of(
    """
    European African Asian American Arab Hispanic Latino Caribbean Scandinavian Slavic Baltic Balkan
    Nordic Mediterranean Kurdish Roma Basque Catalan Flemish Scottish Welsh English Breton Sami Inuit
    Maori Tatar Chechen Berber Bedouin Pashtun Punjabi Bengali Tamil Tibetan Uyghur Hmong Yoruba Igbo
    Hausa Zulu Xhosa Somali Republican Democrat Liberal Conservative Socialist Communist Green
    Nationalist Royalist Anarchist
    """
)
NATIONS = words_of(
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


def languages() -> Iterator[str]:
    """Yield the living languages with a code of two letters (pycountry), by alphabet."""
    import pycountry

    listed = [language for language in pycountry.languages if hasattr(language, "alpha_2")]
    yield from sorted(re.sub(r" \(.*", "", language.name) for language in listed if language.type == "L")
