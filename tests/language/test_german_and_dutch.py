"""Sentences of hospitals, courts, forms and chats in German and Dutch: what they hold is marked, with its kind."""

from __future__ import annotations

import pytest

from sfumato.detectors.identifiers import Identifiers
from sfumato.language.languages import LANGUAGES
from sfumato.text.document import Document

SENTENCES = [
    (
        "de",
        "Patient: Müller-Lüdenscheidt, Hans-Peter, geb. 11.01.1954, Lindenstraße 14a, 79102 Freiburg",
        {"Müller-Lüdenscheidt, Hans-Peter": "PERSON", "11.01.1954": "DATE", "79102 Freiburg": "LOCATION"},
    ),
    (
        "de",
        "Herr Krüger war vom 3. bis zum 12. März 2021 bei uns, zuletzt am Freitag, den 5. März um 14:30 Uhr.",
        {"Krüger": "PERSON", "3. bis zum 12. März 2021": "DATE", "Freitag, den 5. März": "DATE"},
    ),
    (
        "de",
        "Im Frühjahr 2020 wies Dr. med. Anke von der Heide ihn ins Klinikum Offenburg ein.",
        {"Frühjahr 2020": "DATE", "Anke von der Heide": "PERSON", "Offenburg": "ORGANIZATION"},
    ),
    (
        "de",
        "In dem Rechtsstreit des Herrn Friedrich Freiherr von Aufseß gegen die Sparkasse Bamberg (§ 823 BGB)",
        {"Friedrich Freiherr von Aufseß": "PERSON", "Sparkasse Bamberg": "ORGANIZATION"},
    ),
    (
        "de",
        "meine IBAN ist DE89 3704 0044 0532 0130 00, Nummer 0171 2345678, mail: jens@example.de",
        {"DE89 3704 0044 0532 0130 00": "CODE", "0171 2345678": "PHONE_NUMBER", "jens@example.de": "EMAIL_ADDRESS"},
    ),
    (
        "nl",
        "Betreft: dhr. J.P. van der Meulen, geb. 11-01-1954, Prinsengracht 123, 1015 DX Amsterdam, BSN 123456782",
        {"J.P. van der Meulen": "PERSON", "11-01-1954": "DATE", "Prinsengracht 123": "LOCATION", "123456782": "CODE"},
    ),
    (
        "nl",
        "Patiënt was van 3 tot en met 12 maart 2021 opgenomen, en vrijdag 5 maart om 14.30 uur bij dr. A. 't Hooft.",
        {"3 tot en met 12 maart 2021": "DATE", "vrijdag 5 maart": "DATE", "A. 't Hooft": "PERSON"},
    ),
    (
        "nl",
        "Mevrouw Wilhelmina van den Berg-de Wit woont te 's-Hertogenbosch, eerder in de Verenigde Staten.",
        {"Wilhelmina van den Berg-de Wit": "PERSON", "'s-Hertogenbosch": "LOCATION", "Verenigde Staten": "LOCATION"},
    ),
    (
        "nl",
        "Naam: Visser, Kees\nGeboortedatum: 23-05-1961\nPostcode: 8011 AA\nBeroep: timmerman",
        {"Visser, Kees": "PERSON", "23-05-1961": "DATE", "8011 AA": "LOCATION", "timmerman": "OCCUPATION"},
    ),
]
EXACT = [
    ("de", "Hallo Jens, danke für deine Nachricht.", {"Jens": "PERSON"}),
    ("de", "Oberarzt Dr. Klein übernahm, Schwester Monika war da.", {"Klein": "PERSON"}),
    ("de", "Die Aufnahme war am 15.4. Am Tag 3 war sie fieberfrei.", {"15.4": "DATE"}),
    ("de", "Straße: Goethestr. 12\nPLZ: 53111", {"Goethestr. 12": "LOCATION", "53111": "LOCATION"}),
    ("nl", "Naam: Bakker, Anna\nStraat: Dorpsstraat 12", {"Bakker, Anna": "PERSON", "Dorpsstraat 12": "LOCATION"}),
    ("nl", "Groetjes, Fleur", {"Fleur": "PERSON"}),
]
PLAIN = [
    ("de", "In unserer Klinik wurde die mündliche Verhandlung verschoben."),
    ("de", "Am Tag 3 nach der Operation war die Patientin fieberfrei."),
    ("de", "Bitte senden Sie die Rechnung an die Buchhaltung. Vielen Dank und schöne Grüße!"),
    ("nl", "Gisteren was de dokter ziek. Morgen komt hij terug."),
    ("nl", "Anamnese: sinds een week hoesten. Lichamelijk onderzoek: niet ziek."),
    ("de", "Ibuprofen nimmt man zum Essen, und die Wirkung der Strahlung auf Gewebe ist bekannt."),
    ("de", "Der Kläger beantragt Prozesskostenhilfe, die Beklagte Klageabweisung (§ 823 BGB)."),
    ("nl", "De bakker bakt het brood, de visser vist."),
    ("nl", "Ibuprofen neem je bij het eten, en de werking van straling op weefsel is bekend."),
]


@pytest.mark.parametrize(("code", "text", "private"), SENTENCES)
def test_what_a_sentence_holds_is_marked_with_its_kind(code: str, text: str, private: dict[str, str]) -> None:
    [spans] = Identifiers(language=code).detect([Document(text)])
    for value, label in private.items():
        start = text.index(value)
        labels = {span.label for span in spans if span.start <= start and start + len(value) <= span.end}
        assert labels == {label}, value


@pytest.mark.parametrize(("code", "text"), PLAIN)
def test_nouns_and_drugs_name_nobody(code: str, text: str) -> None:
    [spans] = Identifiers(language=code).detect([Document(text)])
    assert not {span.label for span in spans} & {"PERSON", "ORGANIZATION", "LOCATION", "CODE", "GROUP"}


@pytest.mark.parametrize(("code", "text", "private"), EXACT)
def test_a_mark_ends_where_its_value_ends(code: str, text: str, private: dict[str, str]) -> None:
    [spans] = Identifiers(language=code).detect([Document(text)])
    titles = LANGUAGES[code].titles
    own = {titles.cut(text[span.start : span.end])[1]: span.label for span in spans}
    assert {value: own.get(value) for value in private} == private
