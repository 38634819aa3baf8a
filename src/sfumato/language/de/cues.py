"""German words beside a value that say what it is about: a date of birth, a relative's age, a woman or a man.

A participle has one form for both. A relative pronoun and an article before a name say the sex: "Meier, deren Sohn",
"die Anna". The dative "der Anna" looks like a man's article, so "der" says nothing.
"""

from __future__ import annotations

from sfumato.language.cue_words import cues_of

_PARTIES = (
    "Angeklagte Beklagte Geschädigte Versicherte Betroffene Beschuldigte Verletzte Verstorbene Angestellte Bekannte"
)
_BEHIND = "am ab seit wegen mit nach bei zuletzt sich zur zum uns hier dort in aus von bereits inzwischen seinerzeit"


def _parties(articles: str, ending: str = "") -> str:
    """Return adjectives used as nouns, which the article before them gives a gender."""
    return "|".join(f"{article} {party}{ending}" for article in articles.split() for party in _PARTIES.split())


def _pronoun(pronoun: str) -> str:
    """Return a relative pronoun behind a comma, before a word that shows it is no article."""
    return "|".join(rf"(?<=,\s){pronoun} {word}" for word in _BEHIND.split())


CUES = cues_of(
    births=r"geb\.|geboren|geb\. am|geboren am|geborene am|geborener am|geburtsdatum|geb\.-datum|geb\.datum"
    r"|geburtstag|gebdat|geb\.-dat\.",
    women="Ehefrau|Frau|Tochter|Mutter|Mama|Mutti|Schwester|Halbschwester|Schwiegermutter|Schwiegertochter|Schwägerin"
    "|Stiefmutter|Stieftochter|Oma|Großmutter|Enkelin|Enkeltochter|Tante|Nichte|Cousine|Kusine|Freundin|Partnerin"
    "|Lebensgefährtin|Verlobte|Witwe|Patin|Nachbarin|Kollegin|Patientin|Klägerin|Antragstellerin|Antragsgegnerin|Zeugin"
    "|Mandantin|Kundin|Schülerin|Studentin|Lehrerin|Betreuerin|Hebamme|Mieterin|Vermieterin|Ärztin|Richterin|die|zur"
    "|Bewohnerin|Klientin|" + _parties("die") + "|" + _parties("der", "n"),
    men="Herr|Herrn|Ehemann|Mann|Sohn|Sohnes|Vater|Vaters|Papa|Vati|Bruder|Bruders|Halbbruder|Schwiegervater|Schwiegersohn|Schwager"
    "|Stiefvater|Stiefsohn|Opa|Großvater|Enkel|Onkel|Neffe|Neffen|Cousin|Vetter|Freund|Partner|Lebensgefährte"
    "|Lebensgefährten|Witwer|Pate|Nachbar|Nachbarn|Kollege|Kollegen|Patient|Kläger|Antragsteller|Antragsgegner|Zeuge"
    "|Zeugen|Mandant|Mandanten|Kunde|Kunden|Schüler|Student|Studenten|Lehrer|Mieter|Vermieter|Arzt|Richter|den|dem|vom"
    "|beim|zum|" + _parties("der") + "|" + _parties("den dem des", "n"),
    others="Kind|Kinder|Eltern|Geschwister|Zwilling|Zwillinge|Angehöriger|Angehörige|Ehepartner|Baby|Säugling",
    born_woman=r"Witwe|(?<=,\s)deren|(?<=,\s)Ehefrau|(?<=,\s)Hausfrau|(?<=,\s)geborene|" + _pronoun("die"),
    born_man=r"Witwer|(?<=,\s)dessen|(?<=,\s)Ehemann|(?<=,\s)Hausmann|" + _pronoun("der"),
    maiden="geb.|geborene|geborener|verh.|verheiratete|verw.|Nachname|Familienname|Geburtsname|Mädchenname|Zuname",
    families="Familie|Familien|Eheleute|Ehepaar|Geschwister|Erben|Gebrüder|Fam.",
)
